// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

// The part of HDF5's library that Hdf5File (hdf5_file.hpp) uses, without HDF5's headers: its functions are
// found at run time in the library that netCDF-C has loaded.

namespace ulpine::io::hdf5_library {

using Id = std::int64_t;                            // hid_t
using Size = unsigned long long;                    // hsize_t
inline constexpr std::size_t most_dimensions = 32;  // of a dataspace

// Values of HDF5's enumerations (H5Tpublic.h, H5Spublic.h, H5Ipublic.h, H5Dpublic.h).
enum TypeClass {
  integer = 0,
  floating = 1,
  string = 3,
  bits_alone = 4,
  opaque = 5,
  compound = 6,
  reference = 7,
  enumeration = 8,
  rows = 9,
  array = 10
};
inline constexpr int null_space = 2, group_object = 2, dataset_object = 5, chunked_layout = 2,
                     virtual_layout = 3, select_set = 0;

/// The functions of HDF5 that are used here, as its reference manual declares them.
struct Functions {
  Functions();
  bool complete = true;

  Id (*file_open)(char const*, unsigned, Id);
  int (*file_close)(Id);
  Id (*group_open)(Id, char const*, Id);
  int (*group_close)(Id);
  /// The callback gets, for each link, the group, the link's name, its H5L_info and the pointer handed over.
  int (*iterate)(Id, int, int, Size*, int (*)(Id, char const*, int const*, void*), void*);
  Id (*object_open)(Id, char const*, Id);
  int (*object_close)(Id);
  int (*kind_of)(Id);
  int (*array_rank)(Id);
  int (*array_extents)(Id, Size*);
  Id (*list_create)(Id);
  int (*list_close)(Id);
  int (*set_close_degree)(Id, int);
  int (*layout)(Id);
  int (*filter_count)(Id);
  int (*filter)(Id, unsigned, unsigned*, std::size_t*, unsigned*, std::size_t, char*, unsigned*);
  int (*filter_available)(int);
  Id (*open)(Id, char const*, Id);
  int (*close)(Id);
  Id (*space_of)(Id);
  Id (*type_of)(Id);
  Id (*list_of)(Id);
  Size (*stored_bytes)(Id);
  int (*read)(Id, Id, Id, Id, Id, void*);
  int (*reclaim)(Id, Id, Id, void*);
  int (*space_close)(Id);
  int (*space_type)(Id);
  int (*extents)(Id, Size*, Size*);
  int (*rank)(Id);
  Id (*create_space)(int, Size const*, Size const*);
  int (*select)(Id, int, Size const*, Size const*, Size const*, Size const*);
  int (*type_close)(Id);
  int (*type_class)(Id);
  std::size_t (*type_size)(Id);
  int (*type_sign)(Id);
  std::size_t (*type_precision)(Id);
  Id (*native)(Id, int);
  int (*pack)(Id);
  int (*member_count)(Id);
  char* (*member_name)(Id, unsigned);
  Id (*member_type)(Id, unsigned);
  int (*member_value)(Id, unsigned, void*);
  Id (*super)(Id);
  int (*is_row_of_characters)(Id);
  int (*free_memory)(void*);
  Id const* file_access;
  int (*chunk_info)(Id, Size const*, unsigned*, Size*, Size*);
  int (*chunk_count)(Id, Id, Size*);
};

/// The functions of the HDF5 that netCDF-C has loaded.
Functions const& hdf5();

/// An identifier of HDF5, given back at the end.
class Handle {
 public:
  Handle(Id id, int (*close)(Id)) : id_{id}, close_{close} {}
  Handle(Handle&& other) noexcept : id_{std::exchange(other.id_, -1)}, close_{other.close_} {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  explicit operator bool() const { return id_ >= 0; }
  Id id() const { return id_; }

 private:
  Id id_;
  int (*close_)(Id);
};

inline Handle type_handle(Id id) { return {id, hdf5().type_close}; }
inline Handle space_handle(Id id) { return {id, hdf5().space_close}; }

}  // namespace ulpine::io::hdf5_library
