// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/grib_file.hpp"
#include "io/grib_library.hpp"

namespace ulpine::io {

/// A grid of GRIB. Values are brought to rows (along j) of columns (along i), in the directions of the file.
struct GribGrid {
  std::string type;  ///< as ecCodes calls it: "regular_ll", "lambert", "unstructured_grid", ...
  std::string mesh;  ///< uuidOfHGrid of an unstructured grid; empty of others
  std::size_t points = 0;
  std::size_t ni = 0, nj = 0;  ///< points along a row and rows; 0 of grids without rows
  bool columns_first = false;  ///< the file has all rows of a column before the next column
  bool turning = false;        ///< every other row (or column) runs the other way
  double dx = 0, dy = 0;       ///< m, signed as the file runs through it; 0 where not told
  /// Of rotated longitudes and latitudes, first and last in degrees; nothing of others.
  std::vector<double> rotated_longitudes, rotated_latitudes;
  std::size_t example = 0;  ///< a field on it
  bool has_rows() const { return ni > 0; }
  /// Whether longitudes are the same in all rows, latitudes in all columns.
  bool is_regular() const { return has_rows() && (type == "regular_ll" || type == "regular_gg"); }
  bool is_spectral() const { return type == "sh" || type.ends_with("_bf"); }
};

/// What one field of a GRIB file says of itself.
struct GribField {
  GribPlace place;
  std::string name, level_type, step_type;
  /// Further words that tell fields of one name apart: kind of data, percentile, direction of waves, ...
  std::map<std::string, std::string> further;
  std::string long_name, units, standard_name;
  std::string grid;                           ///< key of GribFields::grids
  double level = 0, top = 0, bottom = 0;      ///< in the unit of its type of level
  long number = 0;                            ///< of the ensemble's member
  double reference_time = 0, valid_time = 0;  ///< s since 1970-01-01
  double step = 0;     ///< between neighbouring packed values; 0 where they are not packed
  bool single = true;  ///< whether values have no more than the precision of float
};

struct GribFields {
  std::vector<GribField> all;  ///< in the order of the file
  std::map<std::string, GribGrid> grids;
};

/// Reads the headers of all messages. NetcdfFailure; LackingMeans.
GribFields fields_of(GribFile const& file);

/// The field's values, row-major on grids with rows, NaN of Absence::fill where the bitmap has none.
/// NetcdfFailure.
std::vector<double> values_of(GribFile const& file, GribField const& field, GribGrid const& grid);
/// Longitudes or latitudes (`key` is "longitudes" or "latitudes") of all points, degrees, in the order of the
/// values. NetcdfFailure.
std::vector<double> places_of(GribFile const& file, GribField const& field, GribGrid const& grid,
                              char const* key);

}  // namespace ulpine::io
