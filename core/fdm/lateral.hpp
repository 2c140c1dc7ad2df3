// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/grid.hpp"

/// Values outside of the domain.
namespace ulpine::fdm {

/// Boundary condition at a lateral side of the grid, or of a block of it.
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
};

/// Fills the halo of up to ten fields: lateral neighbours of levels -1 to nz, and, first, levels -1 and nz.
template <class T>
struct Halos {
  static constexpr int most = 10;
  std::int32_t nx, ny, nz;
  Sides sides;
  Rows<T> fields[most];
  Place places[most];
  int count;
};

/// Levels below the ground and above the lid: as the next one inside; of w they do not count.
template <class T>
struct VerticalHalos {
  Halos<T> all;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    for (int f = 0; f < all.count; ++f) {
      if (all.places[f] == Place::w) continue;
      all.fields[f](-1, j, i) = all.fields[f](0, j, i);
      all.fields[f](all.nz, j, i) = all.fields[f](all.nz - 1, j, i);
    }
  }
};

/// Lateral neighbours: for point n of the ring around level k - 1.
template <class T>
struct LateralHalos {
  Halos<T> all;

  /// Points of a ring of width `halo` around (nx + 1) x (ny + 1) points, whose last row and column it holds.
  static constexpr std::int32_t points(std::int32_t nx, std::int32_t ny) {
    auto const columns = nx + 1 + 2 * halo;
    return (2 * halo + 1) * columns + (2 * halo + 1) * ny;
  }
  ULPINE_HD void operator()(std::int32_t n, std::int32_t level) const {
    auto const columns = all.nx + 1 + 2 * halo, rows = (2 * halo + 1) * columns, k = level - 1;
    std::int32_t j, i;
    if (n < rows) {
      auto const number = n / columns;
      j = number < halo ? number - halo : all.ny + number - halo;
      i = n % columns - halo;
    } else {
      auto const number = (n - rows) % (2 * halo + 1);
      j = (n - rows) / (2 * halo + 1);
      i = number < halo ? number - halo : all.nx + number - halo;
    }
    // Once for all fields: looking where a period's value is takes a division, which is most of the time.
    auto const [west, east, south, north] = all.sides;
    auto const x_centre = inside(i, all.nx, false, west, east), x_face = inside(i, all.nx, true, west, east);
    auto const y_centre = inside(j, all.ny, false, south, north),
               y_face = inside(j, all.ny, true, south, north);
    for (int f = 0; f < all.count; ++f) {
      auto const x = all.places[f] == Place::u ? x_face : x_centre;
      auto const y = all.places[f] == Place::v ? y_face : y_centre;
      if (x.index == i && y.index == j) continue;
      auto const value = all.fields[f](k, y.index, x.index);
      all.fields[f](k, j, i) = x.turned != y.turned ? -value : value;
    }
  }

 private:
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
    auto const last = faces && high != LateralBoundary::neighbour ? extent : extent - 1;
    bool const below = index<0, above = index> last;
    if (!below && !above) return {index, false};
    auto const side = below ? low : high;
    if (side == LateralBoundary::neighbour) return {index, false};
    if (side != LateralBoundary::wall) return {below ? 0 : last, false};
    auto const image =
        below ? (faces ? -index : -1 - index) : (faces ? 2 * last - index : 2 * last + 1 - index);
    return {image < 0 ? 0 : image > last ? last : image, faces};
  }
};

/// No wind through walls.
template <class T>
struct WallWind {
  std::int32_t nx, ny, nz;
  Sides sides;
  Rows<T> u, v;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    bool const west = i == 0 && sides.west == LateralBoundary::wall,
               east = i == nx && sides.east == LateralBoundary::wall;
    bool const south = j == 0 && sides.south == LateralBoundary::wall,
               north = j == ny && sides.north == LateralBoundary::wall;
    for (std::int32_t k = 0; k < nz; ++k) {
      if ((west || east) && j < ny) u(k, j, i) = T(0);
      if ((south || north) && i < nx) v(k, j, i) = T(0);
    }
  }
};

}  // namespace ulpine::fdm
