// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/case_file.hpp"
#include "io/netcdf.hpp"

namespace ulpine {

struct Unit {
  char const* name;
  double divisor;  ///< from this unit to the core's
};

/// What a variable of an input file may hold within the domain.
struct Quantity {
  char const* what;
  std::span<Unit const> units;  ///< the first is the core's own
  double least, most;
  char const* other;  ///< standard name of what it is confused with
  char const* hint;   ///< where it is out of range
};

/// A NetCDF file that a case names for its initial state or boundaries. Its variables are row-major of one
/// shape (ny, nx), rows first, with or without times. Errors are InputErrors that name the key.
class InputFields {
 public:
  /// The file of `file_key`, at the time of `time_key` (an index from 0, or negative from the end).
  InputFields(io::CaseFile const& case_file, std::string const& file_key, std::string time_key,
              std::int64_t ny, std::int64_t nx);

  bool has(std::string const& variable) const { return file_.has(variable); }
  /// Whether each cell is in the domain: 1 sea, 0 land, or the reverse for a land_binary_mask. Missing values
  /// are land.
  std::vector<bool> sea(std::string const& key, std::string const& variable) const;
  /// In the core's own unit; checked where `mask` is not 0, elsewhere missing or not.
  std::vector<double> values(std::string const& key, std::string const& variable, Quantity const& quantity,
                             std::span<std::uint8_t const> mask) const;

  /// Longitude and latitude (degrees): both or neither. Variables that keys name have to be there, their
  /// fallbacks are only looked for.
  struct Places {
    std::vector<double> longitude, latitude;  ///< empty where the file has none
  };
  Places places(std::string const& longitude_key, std::string const& longitude_fallback,
                std::string const& latitude_key, std::string const& latitude_fallback,
                std::span<std::uint8_t const> mask) const;

 private:
  std::string at(std::size_t cell) const;
  double divisor_of(std::string const& key, std::string const& variable, std::string const& units,
                    Quantity const& quantity) const;
  io::FieldData read(std::string const& key, std::string const& variable) const;

  io::CaseFile const& case_;
  std::int64_t ny_, nx_;
  std::string time_key_;
  io::InputFile file_;
  std::optional<std::int64_t> time_;
};

}  // namespace ulpine
