// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ulpine::io {

/// What netCDF says of a file that it cannot read; what() is its reason alone.
class NetcdfFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Text or numbers.
using NetcdfAttribute = std::variant<std::string, std::vector<double>>;
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
  NetcdfAttributes attributes;

  bool numeric() const;
};

/// All that a file says of its values, so that only they have to be read from it.
struct NetcdfCatalogue {
  std::vector<NetcdfVariable> variables;  ///< in the order of the file, groups after the root
  NetcdfAttributes attributes;            ///< of the root
};

/// Of an open file; with lock_netcdf() held. NetcdfFailure.
NetcdfCatalogue read_catalogue(int file);

/// A hyperslab in double, row-major; with lock_netcdf() held. NetcdfFailure.
void read_slab(NetcdfVariable const& variable, std::vector<std::size_t> const& start,
               std::vector<std::size_t> const& count, double* values);
/// Extents of the variable's chunks; 1 everywhere where it has none. With lock_netcdf() held.
std::vector<std::size_t> chunk_extents(NetcdfVariable const& variable);

/// As bytes and back; `decode` returns nothing sensible but never fails for bytes that are no catalogue, and
/// says so by std::invalid_argument.
std::string encode(NetcdfCatalogue const& catalogue);
NetcdfCatalogue decode_catalogue(std::string_view bytes);

}  // namespace ulpine::io
