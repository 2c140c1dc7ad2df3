// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf.hpp"

// A method defined on rows and columns (spectra, linear features) takes any model's field plane by plane.

namespace ulpine::verification {

/// The dimension of a field (a number as in FieldInfo::dimensions) that runs along the vertical, as its
/// coordinate says or else its name (z, lev, height, depth, ...) lets think; nothing where none does.
std::optional<std::size_t> vertical_dimension(io::InputFile const& file, std::string const& variable);

/// Which planes of a field are wanted.
struct PlaneChoice {
  std::optional<std::int64_t> level;                     ///< along the vertical; negative: from the end
  std::vector<std::pair<std::string, std::int64_t>> at;  ///< along other dimensions, by name; likewise
  /// Names of the two dimensions of rows and columns, where they are said; nothing: as the file tells.
  std::optional<std::array<std::string, 2>> plane = {};
};

/// A field cut into planes of rows and columns.
struct Planes {
  std::size_t rows = 0, columns = 0;  ///< dimensions of the field, in the order of the file
  std::int64_t row_count = 0, column_count = 0;
  std::int64_t count = 1;             ///< number of planes
  std::string along;                  ///< dimensions they are spread over: "10 of lev"; empty if only one
  io::Box first;                      ///< the first plane at one time, row-major rows x columns
  std::vector<std::size_t> spread;    ///< dimensions that they are spread over
  std::vector<std::int64_t> extents;  ///< lengths of these dimensions

  /// The box of plane number `i`, counted from 0 in the order of the file.
  io::Box box(std::int64_t i) const;
};

/// Rows and columns are the dimensions along x and y, of sections the horizontal and the vertical one, as
/// their coordinates say, two-dimensional longitudes and latitudes that span them, or else their names
/// (io::usual_axis); or what `choice.plane` names. Of two dimensions of one name NAME:1 is the first and
/// NAME:2 the second. InputError where a field has less than two dimensions, lies on cells without rows and
/// columns, where no places are known along two of its dimensions, or it has not what was chosen; it begins
/// with `where`, and says that `purpose` wants two dimensions.
Planes planes_of(io::InputFile const& file, std::string const& variable, PlaneChoice const& choice,
                 std::string const& where, std::string const& purpose);

}  // namespace ulpine::verification
