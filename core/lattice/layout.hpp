// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/layout.hpp"
#include "core/lattice/grid.hpp"

/// How fields on a lattice lie in memory.
namespace ulpine {

/// This rank's block of a lattice of columns: extents, those of the whole, and its first column in that.
template <class B>
concept LatticeBlock = requires(B const& block) {
  block.nx, block.ny, block.nz, block.whole_nx, block.whole_ny, block.first_x, block.first_y;
};

/// Points of a field more than cells along each axis.
struct LastFaces {
  std::int32_t x = 0, y = 0, z = 0;
};

/// Layout in (z, y, x). A block's last faces are the next one's.
template <LatticeBlock B>
Layout block_layout(B const& b, std::int64_t plane, std::int64_t row, std::int64_t offset,
                    std::int64_t allocated, LastFaces more = {}) {
  std::int64_t const nx = b.nx + (b.first_x + b.nx == b.whole_nx ? more.x : 0),
                     ny = b.ny + (b.first_y + b.ny == b.whole_ny ? more.y : 0), nz = b.nz + more.z;
  return {
      {{nz, plane, nz}, {ny, row, b.whole_ny + more.y, b.first_y}, {nx, 1, b.whole_nx + more.x, b.first_x}},
      offset,
      allocated};
}
/// Layout of a field of columns, (y, x), with so many columns of halo along x and y.
template <LatticeBlock B>
Layout column_layout(B const& b, std::int64_t x = 0, std::int64_t y = 0) {
  auto const row = b.nx + 2 * x;
  return {{{b.ny, row, b.whole_ny, b.first_y}, {b.nx, 1, b.whole_nx, b.first_x}},
          y * row + x,
          (b.ny + 2 * y) * row};
}

/// Steps of fields with a halo, which have room for `last` faces more than cells along each axis. Rows begin
/// on memory lines of 128 bytes (for values of four bytes or more): stores that share a line with another
/// row's cost a device up to three times as much. A row's last halo may lie ahead of the next row's first.
class HaloSteps {
 public:
  template <LatticeBlock B>
  HaloSteps(B const& b, std::int32_t last)
      : row{(b.nx + last + 2 * halo + line - 1) / line * line},
        plane{row * (b.ny + last + 2 * halo)},
        offset{halo * (std::int64_t{plane} + row) + line},
        allocated{(b.nz + last + 2 * halo) * std::int64_t{plane} + line} {}
  template <LatticeBlock B>
  Layout layout(B const& b, LastFaces more = {}) const {
    return block_layout(b, plane, row, offset, allocated, more);
  }

 private:
  static constexpr std::int32_t line = 32;

 public:
  std::int32_t row, plane;
  std::int64_t offset, allocated;  ///< of point (0, 0, 0); values in all
};

}  // namespace ulpine
