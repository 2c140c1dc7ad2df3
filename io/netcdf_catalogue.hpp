// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

/// What netCDF says of a file that it cannot read; what() is its reason alone.
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
};

struct NetcdfVariable {
  std::string name;  ///< with its groups
  std::int32_t group = -1, id = -1, type = 0;
  std::vector<NetcdfDimension> dimensions;
  std::vector<std::uint64_t> chunk;  ///< extents of its chunks; 1 everywhere where it has none
  bool prefilled = true;             ///< what was never written is the fill value
  NetcdfAttributes attributes;

  bool numeric() const;
  /// Of 64-bit integers, which are read as they are.
  bool wide_integer() const;
};

/// All that a file says of its values, so that only they have to be read from it.
struct NetcdfCatalogue {
  std::vector<NetcdfVariable> variables;  ///< in the order of the file, groups after the root
  NetcdfAttributes attributes;            ///< of the root
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

 private:
  std::unique_ptr<netCDF::NcFile> file_;
};

/// A hyperslab of an open file, row-major, eight bytes a value: doubles (codes of characters), or int64 or
/// uint64 where wide_integer(). With lock_netcdf() held. NetcdfFailure.
void read_hyperslab(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
                    std::vector<std::size_t> const& count, void* values);

/// As bytes and back; `decode` returns nothing sensible but never fails for bytes that are no catalogue, and
/// says so by std::invalid_argument.
std::string encode(NetcdfCatalogue const& catalogue);
NetcdfCatalogue decode_catalogue(std::string_view bytes);

}  // namespace ulpine::io
