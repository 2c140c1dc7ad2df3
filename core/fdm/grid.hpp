// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/rows.hpp"
#include "precision/elementary.hpp"

/// The terrain-following staggered grid (Arakawa C) as kernels see it. Cells are (k, j, i), x fastest; zeta
/// is the vertical coordinate, z(x, y, zeta) the height. Scalars sit at centres, u on west faces (nx + 1 of
/// them in a row), v on south faces (ny + 1 rows), w on bottom faces (nz + 1 levels: w(0) is the ground's,
/// w(nz) the lid's). All fields have the same steps in memory and a halo of `halo` points.
///
/// J1 = -dz/dx, J2 = -dz/dy, J3 = dz/dzeta (m/m); rho* = rho_0 J3 (kg m-3), rho_0, p_0 and theta_0 the base
/// state at rest.
namespace ulpine::fdm {

inline constexpr std::int32_t halo = 3;  ///< what the widest stencil reads to either side

/// Quantities of the grid and of the base state that are known at points.
enum class Metric : std::int32_t {
  j3,                ///< at centres
  per_j3,            ///< 1 / J3, at centres
  density,           ///< rho_0, at centres, kg m-3
  mass,              ///< rho*, at centres, kg m-3
  per_mass,          ///< at centres, m3 kg-1
  theta,             ///< theta_0, at centres, K
  per_theta,         ///< at centres, K-1
  pressure,          ///< p_0, at centres, Pa
  per_pressure,      ///< at centres, Pa-1
  stiffness,         ///< rho_0 c_s^2 / J3, at centres, Pa
  vapour,            ///< specific humidity of the base state, at centres, kg kg-1
  exner,             ///< (p_0 / 1000 hPa)^(R_d / c_p), at centres
  mass_u,            ///< rho* at u, kg m-3
  per_mass_u,        ///< at u
  mass_v,            ///< rho* at v
  per_mass_v,        ///< at v
  mass_w,            ///< rho* at w
  per_mass_w,        ///< at w
  j3_u,              ///< J3 at u
  j3_v,              ///< J3 at v
  j3_w,              ///< J3 at w
  per_j3_w,          ///< at w
  theta_gradient,    ///< d theta_0 / d zeta at w, K m-1
  sponge,            ///< at centres, s-1
  sponge_w,          ///< at w, s-1
  start_u,           ///< to which the sponge draws, at centres, m s-1
  start_v,           ///< at centres, m s-1
  length2,           ///< square of the mixing length\'s scale: (dx dy dz)^(2/3), or with one row dx dz, m2
  level_count,       ///< of the above, which over flat ground depend on the level alone
  j1 = level_count,  ///< at (u, w)
  j2,                ///< at (v, w)
  count
};

/// Metrics over flat ground: tables by level, from level -halo to nz + halo.
template <class T>
struct Flat {
  static constexpr bool terrain = false;
  T const* levels = nullptr;  ///< all metrics of a level together

  ULPINE_HD T at(Metric metric, std::int32_t k, std::int32_t, std::int32_t) const {
    return levels[(k + halo) * static_cast<std::int32_t>(Metric::level_count) +
                  static_cast<std::int32_t>(metric)];
  }
};

/// Metrics over terrain: a field each.
template <class T>
struct Terrain {
  static constexpr bool terrain = true;
  T const* first = nullptr;  ///< point (0, 0, 0) of metric 0
  std::int64_t field = 0;    ///< from a metric to the next
  std::int32_t plane = 0, row = 0;

  ULPINE_HD T at(Metric metric, std::int32_t k, std::int32_t j, std::int32_t i) const {
    return first[static_cast<std::int64_t>(metric) * field + std::int64_t{k} * plane +
                 (std::int64_t{j} * row + i)];
  }
};

template <class T>
struct Grid {
  std::int32_t nx = 0, ny = 0, nz = 0;
  T per_dx = 0, per_dy = 0, per_dzeta = 0;  ///< m-1
  std::int32_t plane = 0, row = 0;          ///< strides of all fields
};

template <class T>
ULPINE_HD Near<T> beside(Grid<T> const& grid, Rows<T const> const& field, std::int32_t k, std::int32_t j,
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

}  // namespace ulpine::fdm
