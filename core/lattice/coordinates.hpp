// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine {

/// Coordinates x, x_u, y and y_v of nx times ny columns of dx times dy metres: centres, and western and
/// southern faces.
inline std::vector<io::Coordinate> column_coordinates(std::int32_t nx, std::int32_t ny, double dx,
                                                      double dy) {
  auto const row = [](std::int32_t count, double first, double spacing) {
    std::vector<double> values;
    for (std::int32_t n = 0; n < count; ++n) values.push_back((first + n) * spacing);
    return values;
  };
  auto const *x = "projection_x_coordinate", *y = "projection_y_coordinate";
  return {{"x", x, "x of cell centres", "m", "X", row(nx, 0.5, dx)},
          {"x_u", x, "x of western faces", "m", "X", row(nx, 0, dx)},
          {"y", y, "y of cell centres", "m", "Y", row(ny, 0.5, dy)},
          {"y_v", y, "y of southern faces", "m", "Y", row(ny, 0, dy)}};
}

}  // namespace ulpine
