// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/lattice/grid.hpp"

/// The lattice as kernels see it: w sits on bottom faces, w(0) is the ground's, w(nz) the lid's; its field
/// holds the points from w(1) on, the ground's is 0 and in the halo. x and y are periodic. Of several ranks
/// each has a block of columns, numbered from its own first.
namespace ulpine::les {

using Global = double;  // bare: the step's length and other single numbers, in every policy

inline constexpr std::int32_t farthest = 3;  ///< levels above a roof that stencils along the vertical reach

/// Tables by level, each from -halo to nz + halo - 1. Those between and at faces are of the top of cell k.
enum class Level : std::int32_t {
  per_dz,           ///< 1 / thickness of cell k, m-1
  per_dz_between,   ///< 1 / distance of the centres of cells k and k + 1, m-1; at the ground that of the full
                    ///< spacing
  per_dz_centred,   ///< 1 / distance of the centres of cells k - 1 and k + 1, m-1
  per_dz_mirrored,  ///< 1 / that distance where a mirror image of cell k stands for k - 1, m-1
  thickness,        ///< m
  geostrophic_u,    ///< m s-1
  geostrophic_v,    ///< m s-1
  reference,        ///< potential temperature against which buoyancy counts, K
  gravity_per_reference,  ///< m s-2 K-1
  start_u,                ///< to which the sponge draws, m s-1
  start_v,                ///< m s-1
  start_theta,            ///< K
  start_humidity,         ///< kg kg-1
  sponge,                 ///< rate of the sponge at centres, s-1
  sponge_at_face,         ///< s-1
  mixing_limit,           ///< greatest mixing length of the closure over flat ground, m
  count
};
ULPINE_HD constexpr std::int32_t place_of(Level table, std::int32_t k) {
  return (k + halo) * static_cast<std::int32_t>(Level::count) + static_cast<std::int32_t>(table);
}

template <class T>
struct Grid {
  std::int32_t nx = 0, ny = 0, nz = 0;
  T per_dx = 0, per_dy = 0;         ///< m-1
  T const* levels = nullptr;        ///< all tables of a level together, level -halo first
  std::int32_t plane = 0, row = 0;  ///< strides of all fields with a halo
  /// 1 where the domain is cut along an axis: the neighbours beyond then lie beyond in memory, else around
  /// the period.
  std::int32_t cut_x = 0, cut_y = 0;

  ULPINE_HD T at(Level table, std::int32_t k) const { return levels[place_of(table, k)]; }
  /// Neighbours of a block's points, for arrays without a halo around the period.
  ULPINE_HD std::int32_t east(std::int32_t i) const { return i + 1 == nx + cut_x ? 0 : i + 1; }
  ULPINE_HD std::int32_t west(std::int32_t i) const { return i == -cut_x ? nx - 1 : i - 1; }
  ULPINE_HD std::int32_t north(std::int32_t j) const { return j + 1 == ny + cut_y ? 0 : j + 1; }
  ULPINE_HD std::int32_t south(std::int32_t j) const { return j == -cut_y ? ny - 1 : j - 1; }
  /// Indices from -1 to the extent, brought into the period.
  ULPINE_HD std::int32_t within_x(std::int32_t i) const {
    return i < -cut_x ? i + nx : i >= nx + cut_x ? i - nx : i;
  }
  ULPINE_HD std::int32_t within_y(std::int32_t j) const {
    return j < -cut_y ? j + ny : j >= ny + cut_y ? j - ny : j;
  }
  /// Strides of stored tendencies.
  ULPINE_HD std::int32_t dense_row() const { return nx + cut_x; }
  ULPINE_HD std::int32_t dense_rows() const { return ny + cut_y; }
};

/// Which points a variable occupies.
enum class Variable : std::int32_t { scalar, u, v };
enum class Along : std::int32_t { x, y };

/// Which stencils fit at a face: those of fifth and of third order where the number is not negative, else
/// that of first. How many levels there are to spare, since g++ 12 vectorises no logic of truth values.
struct Fit {
  std::int32_t fifth = 0, third = 0;
};

/// Levels that neither a wall nor the lid reaches, whatever is below: all stencils are of full order, and
/// nothing is asked of the surface.
struct Aloft {
  static constexpr bool built = false, near_surface = false, full_order = true;
  ULPINE_HD constexpr std::int32_t lowest(Variable, std::int32_t, std::int32_t) const { return 0; }
  ULPINE_HD constexpr Fit fit(Variable, Along, std::int32_t, std::int32_t, std::int32_t) const { return {}; }
};

/// Levels that no wall stands beside and that are not the lowest of a column: only stencils along the
/// vertical may have to be shorter.
struct Clear {
  static constexpr bool built = false, near_surface = false, full_order = false;
  std::int32_t floor = 0;  ///< no stencil may reach below this level
  ULPINE_HD constexpr std::int32_t lowest(Variable, std::int32_t, std::int32_t) const { return floor; }
  ULPINE_HD constexpr Fit fit(Variable, Along, std::int32_t, std::int32_t, std::int32_t) const { return {}; }
};

/// Measured: what keeps enough loads under way without spilling much.
template <class T>
inline constexpr int usual_resident_blocks = sizeof(T) == 8 ? 2 : 4;

/// A kernel on the levels from `level` on.
template <class Kernel>
struct From {
  Kernel kernel;
  std::int32_t level;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const { kernel(i, j, k + level); }
};
template <class Kernel>
From(Kernel, std::int32_t) -> From<Kernel>;
/// A kernel on columns, which are a lattice of one level.
template <class Kernel>
struct OnColumn {
  Kernel kernel;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t) const { kernel(i, j); }
};
template <class Kernel>
OnColumn(Kernel) -> OnColumn<Kernel>;

/// Two forms of a kernel on the levels from `level` on: that for `Aloft` from `low` to before `high`,
/// elsewhere that for `Clear`.
template <class InAloft, class InClear>
struct ByLevel {
  InAloft aloft;
  InClear clear;
  std::int32_t level, low, high;

  static constexpr int resident_blocks = InAloft::resident_blocks;
  ULPINE_HD bool is_aloft(std::int32_t k) const { return k >= low && k < high; }
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t above) const {
    auto const k = above + level;
    if (is_aloft(k)) {
      aloft(i, j, k);
    } else {
      clear(i, j, k);
    }
  }
  /// A loop for each form: with a choice in it a loop takes a device up to a fifth longer.
  ULPINE_HD void climb(std::int32_t i, std::int32_t j, std::int32_t from, std::int32_t end) const {
    auto k = from + level;
    auto const last = end + level;
    auto below = clear.below(i, j, k);
    while (k < last) {
      if (is_aloft(k)) {
        auto const stop = high < last ? high : last;
#pragma GCC unroll 1
        for (; k < stop; ++k) aloft.rise(i, j, k, below);
      } else {
        auto const stop = k < low && low < last ? low : last;
#pragma GCC unroll 1
        for (; k < stop; ++k) clear.rise(i, j, k, below);
      }
    }
  }
};
template <class InAloft, class InClear>
ByLevel(InAloft, InClear, std::int32_t, std::int32_t, std::int32_t) -> ByLevel<InAloft, InClear>;

/// Ground without buildings.
struct Flat {
  static constexpr bool built = false, near_surface = true, full_order = false;
  /// The lowest level of a variable that is no wall.
  ULPINE_HD constexpr std::int32_t lowest(Variable, std::int32_t, std::int32_t) const { return 0; }
  /// Which stencils fit at the face between points a - 1 and a of a line along x or y; a is the face's index.
  ULPINE_HD constexpr Fit fit(Variable, Along, std::int32_t, std::int32_t, std::int32_t) const { return {}; }
};

/// Buildings without overhangs: cell k of a column is solid below the column's top. Maps have a halo.
struct Built {
  static constexpr bool built = true, near_surface = true, full_order = false;
  static constexpr std::int32_t maps = 15;
  /// Map 0 to 2: lowest() of a scalar, u, v. Then for each of these, along x and y, the lowest level from
  /// which all four points of the third-order stencil are fluid, and all six of the fifth.
  Rows<std::int32_t const> map;

  ULPINE_HD std::int32_t lowest(Variable variable, std::int32_t j, std::int32_t i) const {
    return map(static_cast<std::int32_t>(variable), j, i);
  }
  static constexpr ULPINE_HD std::int32_t third(Variable variable, Along along) {
    return 3 + 2 * (2 * static_cast<std::int32_t>(variable) + static_cast<std::int32_t>(along));
  }
  ULPINE_HD Fit fit(Variable variable, Along along, std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const first = third(variable, along);
    return {k - map(first + 1, j, i), k - map(first, j, i)};
  }
};

/// Whether level k is the one that is `above` levels over the lowest of its column.
template <class Ground>
ULPINE_HD constexpr bool is_at(std::int32_t k, std::int32_t lowest, std::int32_t above = 0) {
  return Ground::near_surface && k - lowest == above;
}

/// Velocity, m s-1.
template <class T>
struct Wind {
  Rows<T const> u, v, w;
};
/// The points of w from the ground on, where `field` are those that it holds.
template <class T>
Rows<T> from_ground(Rows<T> const& field) {
  return {field.first - field.plane, field.plane, field.row};
}
/// The wind around a cell: w around its top.
template <class T>
struct NearWind {
  Near<T> u, v, w;
  ULPINE_HD void up() {
    u.up();
    v.up();
    w.up();
  }
};
template <class T>
ULPINE_HD NearWind<T> beside(Grid<T> const& grid, Wind<T> const& wind, std::int32_t k, std::int32_t j,
                             std::int32_t i) {
  return {beside(grid, wind.u, k, j, i), beside(grid, wind.v, k, j, i), beside(grid, wind.w, k + 1, j, i)};
}

}  // namespace ulpine::les
