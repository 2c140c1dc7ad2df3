// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ulpine::io {

/// Writes a NetCDF-4 file whose contents another program prescribes: nothing of Ulpine's own is in it,
/// neither conventions nor seal. Failures are EnvironmentErrors that name the file.
class PlainNetcdf {
 public:
  struct Variable {
    enum class Type { character, float32, float64 };
    std::string name;
    Type type;
    std::vector<std::string> dimensions;  ///< slowest first
  };
  /// Replaces what is at `path`. A dimension of length 0 is unlimited, as netCDF4 of Python makes it.
  PlainNetcdf(std::filesystem::path const& path,
              std::vector<std::pair<std::string, std::int64_t>> const& dimensions,
              std::vector<Variable> const& variables,
              std::vector<std::pair<std::string, std::string>> const& attributes);
  ~PlainNetcdf();
  PlainNetcdf(PlainNetcdf const&) = delete;
  PlainNetcdf& operator=(PlainNetcdf const&) = delete;
  /// The characters of a whole variable.
  void put(std::string const& variable, std::string_view characters);
  /// Values from `start` on, `count` along each dimension, row-major; rounded to the variable's type.
  void put(std::string const& variable, std::vector<std::size_t> const& start,
           std::vector<std::size_t> const& count, std::span<double const> values);
  /// All values of a variable of dimensions that are not unlimited.
  void put(std::string const& variable, std::span<double const> values);
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace ulpine::io
