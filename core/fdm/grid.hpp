// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/lattice/grid.hpp"

/// The terrain-following lattice as kernels see it: zeta is the vertical coordinate, z(x, y, zeta) the
/// height. A row has nx + 1 faces of u, a level ny + 1 rows of v, and w sits on bottom faces (nz + 1 levels:
/// w(0) is the ground's, w(nz) the lid's).
///
/// J1 = -dz/dx, J2 = -dz/dy, J3 = dz/dzeta (m/m); rho* = rho_0 J3 (kg m-3), rho_0, p_0 and theta_0 the base
/// state at rest.
namespace ulpine::fdm {

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

/// What a LatticeGrid has, and the vertical spacing. Compilers' use of registers depends on the order of
/// members: with the spacing last, rates of scalars in float are a quarter slower on a GPU.
template <class T>
struct Grid {
  std::int32_t nx = 0, ny = 0, nz = 0;
  T per_dx = 0, per_dy = 0, per_dzeta = 0;  ///< m-1
  std::int32_t plane = 0, row = 0;          ///< strides of all fields
};

}  // namespace ulpine::fdm
