// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/rows.hpp"
#include "precision/elementary.hpp"

/// The staggered lattice (Arakawa C) as kernels see it. Cells are (k, j, i), x fastest. Scalars sit at their
/// centres, u on west faces, v on south faces, w on faces between levels.
namespace ulpine {

inline constexpr std::int32_t halo = 3;  ///< points around a lattice: what the widest stencil reads

/// Extents and spacings that all grids on the lattice have. All fields with a halo have the same steps.
template <class T>
struct LatticeGrid {
  std::int32_t nx = 0, ny = 0, nz = 0;
  T per_dx = 0, per_dy = 0;         ///< m-1
  std::int32_t plane = 0, row = 0;  ///< strides of all fields with a halo
};

/// The values of a field around a point, on a grid with the steps of a LatticeGrid.
template <class Grid, class T>
ULPINE_HD Near<T> beside(Grid const& grid, Rows<T const> const& field, std::int32_t k, std::int32_t j,
                         std::int32_t i) {
  return {field.first + (std::int64_t{k} * grid.plane + std::int64_t{j} * grid.row + i), grid.plane,
          grid.row};
}

/// Where a variable sits: at centres, or half a cell down along one axis.
enum class Place : std::int32_t { centre, u, v, w };

/// The point that is one step of an axis away.
struct Step {
  std::int32_t dk, dj, di;
};
inline constexpr Step along_x{0, 0, 1}, along_y{0, 1, 0}, along_zeta{1, 0, 0};

template <class T>
ULPINE_HD constexpr T mean2(T a, T b) {
  return T(1) / T(2) * (a + b);
}
/// Pairs that change places in a mirror are added first, so that a mirrored state stays one to the bit.
template <class T>
ULPINE_HD constexpr T mean4(T a, T b, T c, T d) {
  return T(1) / T(4) * ((a + b) + (c + d));
}
template <class T>
ULPINE_HD T magnitude(T a, T b) {
  return math::sqrt(math::fma(a, a, b * b));
}

}  // namespace ulpine
