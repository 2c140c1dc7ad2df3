// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/extent.hpp"
#include "precision/host_device.hpp"

namespace ulpine {

/// Rows and planes begin at multiples of so many values (lines of memory): where a warp's stores shared lines
/// with the next warp's, a device would write them twice.
inline constexpr std::int64_t values_a_line = 32;
ULPINE_HD constexpr std::int64_t whole_lines(std::int64_t values) {
  return (values + values_a_line - 1) / values_a_line * values_a_line;
}

/// Where cells lie in memory: nx times ny cells inside a ring of halo cells that hold zeros, so that a node
/// finds four cells and a cell four neighbours everywhere. A field of several modes is one such plane after
/// the other. Cell 0 of a row begins a line; its halo cells end the line before and follow the last cell.
struct CellLattice {
  std::int32_t nx = 0, ny = 0;

  ULPINE_HD constexpr std::int64_t row() const { return whole_lines(nx + 2); }
  /// Values of one plane, halo included.
  ULPINE_HD constexpr std::int64_t plane() const { return row() * (ny + 2) + values_a_line; }
  ULPINE_HD constexpr std::int64_t index(std::int32_t ix, std::int32_t iy) const {
    return (iy + 1) * row() + values_a_line + ix;
  }
  ULPINE_HD constexpr Extent2 extent() const { return {nx, ny}; }
};

/// The cG nodes of the mesh, without halo, x fastest; a row begins a line.
template <int CG>
struct NodeLattice {
  std::int32_t nx = 0, ny = 0;  ///< cells

  ULPINE_HD constexpr std::int64_t row() const { return whole_lines(static_cast<std::int64_t>(CG) * nx + 1); }
  /// Values of a field, the rest of the rows included.
  ULPINE_HD constexpr std::int64_t size() const { return row() * (static_cast<std::int64_t>(CG) * ny + 1); }
  ULPINE_HD constexpr std::int64_t index(std::int32_t ix, std::int32_t iy) const { return iy * row() + ix; }
  ULPINE_HD constexpr Extent2 extent() const { return {CG * nx + 1, CG * ny + 1}; }
};

/// Calls `visit(cell, local)` for the cells that share node (ix, iy), in the order of memory: this order is
/// the order of every deterministic sum at a node. Halo cells are visited too.
template <int CG, class Visit>
ULPINE_HD inline void for_cells_of_node(CellLattice const& cells, std::int32_t ix, std::int32_t iy,
                                        Visit const& visit) {
  std::int32_t const cx = ix / CG,
                     cy = iy / CG;  // the cell to the upper right, or the one that holds the node
  int const i = ix - CG * cx, j = iy - CG * cy;
  if (j == 0) {
    if (i == 0) {
      visit(cells.index(cx - 1, cy - 1), CG * (CG + 1) + CG);
    }
    visit(cells.index(cx, cy - 1), CG * (CG + 1) + i);
  }
  if (i == 0) {
    visit(cells.index(cx - 1, cy), j * (CG + 1) + CG);
  }
  visit(cells.index(cx, cy), j * (CG + 1) + i);
}

/// for_cells_of_node() for node (i, j) of the block of CG x CG nodes whose first is the lower left vertex of
/// cell (cx, cy): which of its nodes it is to a cell is then known to the compiler.
template <int CG, int i, int j, class Visit>
ULPINE_HD inline void for_cells_of_block_node(CellLattice const& cells, std::int32_t cx, std::int32_t cy,
                                              Visit const& visit) {
  if constexpr (j == 0) {
    if constexpr (i == 0) {
      visit(cells.index(cx - 1, cy - 1), CG * (CG + 1) + CG);
    }
    visit(cells.index(cx, cy - 1), CG * (CG + 1) + i);
  }
  if constexpr (i == 0) {
    visit(cells.index(cx - 1, cy), j * (CG + 1) + CG);
  }
  visit(cells.index(cx, cy), j * (CG + 1) + i);
}

}  // namespace ulpine
