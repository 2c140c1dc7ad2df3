// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace netCDF {
class NcFile;
class NcGroup;
}  // namespace netCDF

namespace ulpine::io {

/// The failure of netCDF to read a file, in its own words; what() is the reason alone.
class NetcdfFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Text, floating-point numbers, or integers (unsigned ones of 64 bits apart), which double would round.
using NetcdfAttribute =
    std::variant<std::string, std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>>;
using NetcdfAttributes = std::map<std::string, NetcdfAttribute>;

struct NetcdfDimension {
  std::string name;
  std::uint64_t length = 0;
  bool unlimited = false;
  std::int32_t id = -1;  ///< id in the file, since groups may give dimensions the same name

  /// Whether it is the same dimension, not another one of its name.
  bool is(NetcdfDimension const& other) const { return id == other.id && name == other.name; }
};

/// In place of a number of netCDF-C: of a type without numbers (strings, enumerations, compounds, rows of any
/// length, opaque bytes), whose values are read as labels (Hdf5File::read_labels()).
inline constexpr std::int32_t label_type = -1;
/// Why a variable of such a type cannot be read where HDF5 does not do it.
inline constexpr char const* no_numbers = "values of its type are not read";

struct NetcdfVariable {
  std::string name;  ///< with its groups
  std::int32_t group = -1, id = -1, type = 0;
  std::string type_text = {};   ///< of label_type: its type for people, equal where types are
  std::string unreadable = {};  ///< why its values cannot be read; empty where they can
  bool sparse = false;          ///< in chunks or never written: many values may need few bytes
  std::vector<NetcdfDimension> dimensions;
  std::vector<std::uint64_t> chunk;  ///< extents of its chunks; 1 everywhere where it has none
  bool prefilled = true;             ///< values that were never written read as the fill value
  double step = 0;  ///< between neighbouring packed values that are unpacked as they are read
  NetcdfAttributes attributes;

  bool numeric() const;
  /// Whether it has characters or another type without numbers, whose values can be told apart.
  bool labels() const;
  /// Whether it has 64-bit integers or labels, which are read as they are.
  bool wide_integer() const;
};

/// All metadata of a file, so that only its values remain to be read from it.
struct NetcdfCatalogue {
  std::vector<NetcdfVariable> variables;  ///< in the order of the file, groups after the root
  NetcdfAttributes attributes;            ///< global attributes of the root
};

/// A file open for reading through netCDF-C++4. To be made, used and destroyed with lock_netcdf() held.
class OpenNetcdf {
 public:
  /// NetcdfFailure.
  explicit OpenNetcdf(std::string const& path);
  OpenNetcdf(OpenNetcdf const&) = delete;
  OpenNetcdf& operator=(OpenNetcdf const&) = delete;
  ~OpenNetcdf();
  /// NetcdfFailure.
  NetcdfCatalogue catalogue() const;
  /// Names of all dimensions, with their groups. NetcdfFailure.
  std::set<std::string> dimensions() const;

 private:
  std::unique_ptr<netCDF::NcFile> file_;
};

/// A hyperslab of an open file, row-major, eight bytes a value: doubles (codes of characters), or int64 or
/// uint64 where wide_integer(). Not of label_type. With lock_netcdf() held. NetcdfFailure.
void read_hyperslab(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                    std::vector<std::size_t> const& count, void* values);

/// As bytes and back; `decode` returns nothing sensible but never fails for bytes that are no catalogue, and
/// says so by std::invalid_argument.
std::string encode(NetcdfCatalogue const& catalogue);
NetcdfCatalogue decode_catalogue(std::string_view bytes);

}  // namespace ulpine::io
