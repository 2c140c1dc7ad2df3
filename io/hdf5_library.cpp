// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_library.hpp"

#include "io/netcdf_library.hpp"

namespace ulpine::io::hdf5_library {
namespace {

template <class Function>
void find(Function*& function, char const* name, bool& all) {
  function = reinterpret_cast<Function*>(hdf5_symbol(name));
  all = all && function != nullptr;
}

}  // namespace

Functions::Functions() {
  find(file_open, "H5Fopen", complete);
  find(file_close, "H5Fclose", complete);
  find(group_open, "H5Gopen2", complete);
  find(group_close, "H5Gclose", complete);
  bool first_form = true;
  find(iterate, "H5Literate", first_form);
  if (!first_form) find(iterate, "H5Literate2", complete);
  find(object_open, "H5Oopen", complete);
  find(object_close, "H5Oclose", complete);
  find(kind_of, "H5Iget_type", complete);
  find(array_rank, "H5Tget_array_ndims", complete);
  find(array_extents, "H5Tget_array_dims2", complete);
  find(list_create, "H5Pcreate", complete);
  find(list_close, "H5Pclose", complete);
  find(set_close_degree, "H5Pset_fclose_degree", complete);
  find(layout, "H5Pget_layout", complete);
  find(filter_count, "H5Pget_nfilters", complete);
  find(filter, "H5Pget_filter2", complete);
  find(filter_available, "H5Zfilter_avail", complete);
  find(open, "H5Dopen2", complete);
  find(close, "H5Dclose", complete);
  find(space_of, "H5Dget_space", complete);
  find(type_of, "H5Dget_type", complete);
  find(list_of, "H5Dget_create_plist", complete);
  find(stored_bytes, "H5Dget_storage_size", complete);
  find(read, "H5Dread", complete);
  find(reclaim, "H5Dvlen_reclaim", complete);
  find(space_close, "H5Sclose", complete);
  find(space_type, "H5Sget_simple_extent_type", complete);
  find(extents, "H5Sget_simple_extent_dims", complete);
  find(rank, "H5Sget_simple_extent_ndims", complete);
  find(create_space, "H5Screate_simple", complete);
  find(select, "H5Sselect_hyperslab", complete);
  find(type_close, "H5Tclose", complete);
  find(type_class, "H5Tget_class", complete);
  find(type_size, "H5Tget_size", complete);
  find(type_sign, "H5Tget_sign", complete);
  find(type_precision, "H5Tget_precision", complete);
  find(native, "H5Tget_native_type", complete);
  find(pack, "H5Tpack", complete);
  find(member_count, "H5Tget_nmembers", complete);
  find(member_name, "H5Tget_member_name", complete);
  find(member_type, "H5Tget_member_type", complete);
  find(member_value, "H5Tget_member_value", complete);
  find(super, "H5Tget_super", complete);
  find(is_row_of_characters, "H5Tis_variable_str", complete);
  find(free_memory, "H5free_memory", complete);
  file_access = static_cast<Id const*>(hdf5_symbol("H5P_CLS_FILE_ACCESS_ID_g"));
  complete = complete && file_access != nullptr;
  bool optional = true;
  find(chunk_info, "H5Dget_chunk_info_by_coord", optional);
  find(chunk_count, "H5Dget_num_chunks", optional);
}

Functions const& hdf5() {
  static Functions const functions;
  return functions;
}

}  // namespace ulpine::io::hdf5_library
