// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ulpine::les {

/// Heights of buildings above the ground on equal rectangles.
struct HeightRaster {
  std::int64_t nx = 0, ny = 0;
  double dx = 0, dy = 0;        ///< m; 0 where the file does not tell
  std::vector<double> heights;  ///< m, [ny][nx], south and west first; 0: no building
};

}  // namespace ulpine::les
