// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lattice/halos.hpp"

/// Values outside of the domain.
namespace ulpine::fdm {

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
