// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "io/netcdf_writer.hpp"

namespace ulpine::io {

/// A type of values in an output. None is unsigned: VTK 9.1 and ParaView 5.11 read no variable after one that
/// is.
struct OutputType {
  netCDF::NcType netcdf;
  std::int64_t bytes = 8;           ///< bytes of a value that a source gives
  std::int64_t stored_bytes = 8;    ///< bytes of a value in the file, unpacked
  std::optional<double> fill = {};  ///< _FillValue
};
/// uint8: a byte where its values are `flags`, of which there are at most 128, else a short.
OutputType output_type(ValueType type, bool flags = false);
OutputType output_index_type();  ///< type of std::int32_t

/// A variable of an output that is written in slabs; shape and chunk are without time.
struct OutputArray {
  netCDF::NcVar variable;
  OutputType type;
  std::vector<std::int64_t> shape, chunk;
};

/// "up", "down", or empty where the units of a vertical coordinate say it.
std::string positive(std::string const& standard_name, std::string const& units);

/// The variables of an output that is being written. All that fails is an EnvironmentError that names the
/// file, which is left as it was last synced where a call of netCDF failed.
class OutputArrays {
 public:
  explicit OutputArrays(std::filesystem::path const& path);

  std::string const& path() const { return path_; }
  void moved_to(std::filesystem::path const& path) { path_ = path.string(); }
  NetcdfWriter& writer() { return writer_; }
  /// Writes a text attribute, none where the text is empty.
  void put_text(netCDF::NcVar const& variable, char const* name, std::string const& text);
  /// As a string in place of characters.
  void put_string(netCDF::NcVar const& variable, char const* name, std::string const& text);
  /// standard_name, long_name, units.
  void describe(netCDF::NcVar const& variable, std::string const& standard_name, std::string const& long_name,
                std::string const& units);
  /// flag_values 0, 1, ... and flag_meanings, for variables of bytes.
  void put_flags(netCDF::NcVar const& variable, std::string const& meanings);

  /// The dimension of that name, new where there is none; without length: unlimited.
  netCDF::NcDim dimension(std::string const& name, std::optional<std::int64_t> length,
                          std::string const& user);
  /// A variable over `dimensions`, after time where it has `of_time`. Chunks are of whole rows of one record,
  /// and so are slabs: each chunk is packed once and goes into the file at once, so that it needs no cache.
  OutputArray define(std::string const& name, OutputType const& type,
                     std::vector<std::string> const& dimensions, std::vector<std::int64_t> const& shape,
                     bool of_time);
  /// All values, of `record` where there are several.
  void write(OutputArray const& array, std::optional<std::size_t> record, SlabSource const& source);

  /// That there is room for these, unpacked. A disk or quota that ends while HDF5 keeps its books can cost
  /// the whole file, so the room is tried before: the file is lengthened and cut back, or free space compared
  /// where the file system cannot do that. Nothing has been written where there is none.
  void check_space(std::vector<OutputArray const*> const& arrays) const;
  void sync();

 private:
  std::string path_;
  NetcdfWriter writer_;
  std::map<std::string, netCDF::NcDim> dimensions_;
};

/// An array of a mesh that is defined and has to be written.
struct MeshArray {
  OutputArray array;
  SlabSource source;
};
/// Defines the variables of the mesh.
std::vector<MeshArray> define_mesh(OutputArrays& file, UnstructuredMesh const& mesh);
/// Names of the mesh's coordinates at "node", "face" or "volume", as for the attribute `coordinates`; empty
/// where it has none there.
std::string mesh_coordinates(UnstructuredMesh const& mesh, std::string const& location);
/// Name of the array of its elements' nodes.
std::string mesh_connectivity(UnstructuredMesh const& mesh);

}  // namespace ulpine::io
