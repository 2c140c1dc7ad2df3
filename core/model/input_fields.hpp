// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/case_keys.hpp"
#include "io/grid_variable.hpp"
#include "io/netcdf.hpp"
#include "io/units.hpp"

namespace ulpine {

/// A physical quantity that a file may hold: its units, names and the values that it can have.
struct Quantity {
  char const* what;
  std::span<io::UnitSpelling const> units;  ///< the first is the core's own
  double least, most;                       ///< what rounding leaves beyond them, 1e-5, is taken for them
  std::span<char const* const> names;       ///< endings of its standard names (io::may_mean())
  char const* hint;                         ///< where it is out of range
  char const* missing_hint = "fill it, or make the cell land";
};

/// A NetCDF file that a case names for its initial state or boundaries. Its variables lie on rows and columns
/// (io::GridVariable) of one shape (ny, nx), with or without times. Errors are InputErrors that name the key.
class InputFields {
 public:
  /// Reads by `keys`, whose case and table outlive this, the file of `file_key`, at the time of `time_key`
  /// (an index from 0, or negative from the end). Rows and columns are turned so that their places rise, or
  /// left as the file has them where these are those of a mesh in another file.
  InputFields(io::KeyReader const& keys, std::string const& file_key, std::string time_key, std::int64_t ny,
              std::int64_t nx, io::GridVariable::Turned turned);

  bool has(std::string const& variable) const { return file_.has(variable); }
  /// That the file lacks a variable, and which it has.
  std::string lacks(std::string const& variable) const {
    return "no variable '" + variable + "' in the file" + choices_hint(variable, file_.variables());
  }
  /// Whether each cell is in the domain: as flag_values and flag_meanings say, else 1 sea, 0 land, or the
  /// reverse for a land_binary_mask. Missing values are land. A land mask by name alone is refused. Of areas
  /// (sea_area_fraction, land_area_fraction, as a fraction or in per cent) the larger counts.
  std::vector<bool> sea(std::string const& key, std::string const& variable) const;
  /// A variable in the core's own unit, NaN where missing, and otherwise unchecked.
  io::FieldData read(std::string const& key, std::string const& variable, Quantity const& quantity) const;
  /// Refuses values that are missing or out of range where `mask` is not 0, and takes off what rounding
  /// leaves beyond the range there.
  void check(std::string const& key, io::FieldData& field, Quantity const& quantity,
             std::span<std::uint8_t const> mask) const;
  /// A variable that is read and checked, in the core's own unit.
  std::vector<double> values(std::string const& key, std::string const& variable, Quantity const& quantity,
                             std::span<std::uint8_t const> mask) const;

  /// Longitude and latitude (degrees): both or neither. Variables that the case names have to be there, the
  /// keys' defaults are only looked for.
  struct Places {
    std::vector<double> longitude, latitude;  ///< empty where the file has none
  };
  Places places(std::string const& longitude_key, std::string const& latitude_key,
                std::span<std::uint8_t const> mask) const;

 private:
  std::vector<bool> sea_of_flags(std::string const& key, io::FieldData const& mask, std::string flag_values,
                                 std::vector<std::string> const& meanings) const;
  std::string at(std::size_t cell) const;
  double divisor_of(std::string const& key, io::FieldInfo const& info, char const* what,
                    std::span<io::UnitSpelling const> units) const;
  io::FieldData read(std::string const& key, std::string const& variable) const;

  io::KeyReader keys_;
  io::CaseFile const& case_;
  std::int64_t ny_, nx_;
  io::GridVariable::Turned turned_;
  std::string time_key_;
  io::InputFile file_;
  std::optional<std::int64_t> time_;
};

}  // namespace ulpine
