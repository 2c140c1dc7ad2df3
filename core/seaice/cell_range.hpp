// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/extent.hpp"

namespace ulpine::seaice {

/// Cells [first_x, end_x) x [first_y, end_y) of a rank's mesh, and the nodes at their corners and sides.
struct CellRange {
  std::int32_t first_x = 0, first_y = 0, end_x = 0, end_y = 0;

  Extent2 cells() const { return {end_x - first_x, end_y - first_y}; }
  /// The nodes of a velocity of order `order` on these cells.
  Extent2 nodes(std::int32_t order) const { return {order * cells().nx + 1, order * cells().ny + 1}; }
};

}  // namespace ulpine::seaice
