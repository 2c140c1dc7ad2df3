// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lattice/grid.hpp"
#include "core/ranks/blocks.hpp"

/// Values beyond the lateral sides of a lattice.
namespace ulpine {

/// Boundary condition at a lateral side of the lattice, or of a block of it.
enum class LateralBoundary : std::int32_t {
  periodic,
  wall,           ///< free slip: the mirror image
  zero_gradient,  ///< as at the rim
  open,           ///< as at the rim; the wind through it by a radiation condition
  neighbour       ///< of a block: what is there has come from the next
};
/// The boundary conditions at the four sides.
struct Sides {
  LateralBoundary west = LateralBoundary::periodic, east = LateralBoundary::periodic,
                  south = LateralBoundary::periodic, north = LateralBoundary::periodic;

  bool periodic_x() const { return west == LateralBoundary::periodic; }
  bool periodic_y() const { return south == LateralBoundary::periodic; }
  /// Those of this rank's block of a lattice that has these.
  Sides of(Blocks const& blocks) const {
    auto const cut = [](LateralBoundary side, bool at_rim, Cut const& along) {
      return along.parts > 1 && (!at_rim || side == LateralBoundary::periodic) ? LateralBoundary::neighbour
                                                                               : side;
    };
    return {cut(west, blocks.west(), blocks.along_x()), cut(east, blocks.east(), blocks.along_x()),
            cut(south, blocks.south(), blocks.along_y()), cut(north, blocks.north(), blocks.along_y())};
  }
};

/// Up to ten fields of a block, where they lie, and its sides.
template <class T>
struct Halos {
  static constexpr int most = 10;
  std::int32_t nx, ny, nz;
  Sides sides;
  Rows<T> fields[most];
  Place places[most];
  int count;
};

/// Fills the halo beyond the sides, levels -1 to nz: for point n of the ring around level k - 1. `last`: with
/// the last row and column of faces, 1, or without, 0.
template <class T, std::int32_t last>
struct LateralHalos {
  Halos<T> all;

  /// Points of a ring of width `halo` around (nx + last) x (ny + last) points, whose last row and column it
  /// holds.
  static constexpr std::int32_t points(std::int32_t nx, std::int32_t ny) {
    return around * (nx + around) + around * ny;
  }
  ULPINE_HD void operator()(std::int32_t n, std::int32_t level) const {
    auto const columns = all.nx + around, rows = around * columns, k = level - 1;
    std::int32_t j, i;
    if (n < rows) {
      auto const number = n / columns;
      j = number < halo ? number - halo : all.ny + number - halo;
      i = n % columns - halo;
    } else {
      auto const number = (n - rows) % around;
      j = (n - rows) / around;
      i = number < halo ? number - halo : all.nx + number - halo;
    }
    // Once for all fields: looking where a period's value is takes a division, which is most of the time.
    auto const [west, east, south, north] = all.sides;
    auto const x_centre = inside(i, all.nx, false, west, east),
               y_centre = inside(j, all.ny, false, south, north);
    auto const x_face = west == LateralBoundary::periodic ? x_centre : inside(i, all.nx, true, west, east),
               y_face = south == LateralBoundary::periodic ? y_centre : inside(j, all.ny, true, south, north);
    for (int f = 0; f < all.count; ++f) {
      auto const x = all.places[f] == Place::u ? x_face : x_centre;
      auto const y = all.places[f] == Place::v ? y_face : y_centre;
      if (x.index == i && y.index == j) continue;
      auto const value = all.fields[f](k, y.index, x.index);
      all.fields[f](k, j, i) = x.turned != y.turned ? -value : value;
    }
  }

 private:
  static constexpr std::int32_t around = 2 * halo + last;
  struct Source {
    std::int32_t index;
    bool turned;
  };
  /// The point inside of the domain that has the value of `index`; `faces`: of `extent` + 1 of them.
  static ULPINE_HD Source inside(std::int32_t index, std::int32_t extent, bool faces, LateralBoundary low,
                                 LateralBoundary high) {
    if (low == LateralBoundary::periodic) {
      if (index >= 0 && index < extent) return {index, false};
      auto const rest = index % extent;
      return {rest < 0 ? rest + extent : rest, false};
    }
    // The last face of a block is the next one's first.
    auto const end = faces && high != LateralBoundary::neighbour ? extent : extent - 1;
    bool const below = index<0, above = index> end;
    if (!below && !above) return {index, false};
    auto const side = below ? low : high;
    if (side == LateralBoundary::neighbour) return {index, false};
    if (side != LateralBoundary::wall) return {below ? 0 : end, false};
    auto const image =
        below ? (faces ? -index : -1 - index) : (faces ? 2 * end - index : 2 * end + 1 - index);
    return {image < 0 ? 0 : image > end ? end : image, faces};
  }
};

}  // namespace ulpine
