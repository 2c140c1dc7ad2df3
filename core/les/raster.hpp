// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/case_keys.hpp"

namespace ulpine::les {

/// Heights of buildings above the ground on equal rectangles.
struct HeightRaster {
  std::int64_t nx = 0, ny = 0;
  double dx = 0, dy = 0;        ///< m; 0 where the file does not tell
  std::vector<double> heights;  ///< m, [ny][nx], south and west first; 0: no building
};

/// Largest number of rows or columns.
inline constexpr std::int64_t most_raster_points = 65536;

/// Reads heights in m from
/// - NetCDF: `variable` on rows and columns (io::GridVariable), in a unit of length or without one, with
///   coordinates in m or km or none; missing values are ground;
/// - an ESRI ASCII grid (it begins with `ncols`): first row north, NODATA_value (-9999 where there is none)
/// and
///   NaN are ground;
/// - PALM's plain ASCII topography: one line of numbers a row, first row north, without a spacing.
/// InputError, one line that names the file, what is wrong in it and what to do: unreadable, damaged, not
/// one of the three, more than most_raster_points a side, heights outside 0 to 10000 m, unequal spacings,
/// places in degrees.
HeightRaster read_height_raster(std::filesystem::path const& path, std::string const& variable);

/// The raster of a case: buildings.file, buildings.variable where that is NetCDF, and buildings.spacing,
/// which is required where the file has none and has to agree with the file's to 1/1000 where it has one.
/// InputError with the key.
HeightRaster read_height_raster(io::KeyReader const& keys);

}  // namespace ulpine::les
