// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/advection.hpp"

/// What kernels of tendencies have in common. Each leaves a stored tendency (low-storage Runge-Kutta:
/// Williamson 1980, J. Comput. Phys. 35, 48-56), stored <- keep stored + tendency.
namespace ulpine::les {

/// Forces on the air from outside and from walls, SI units.
template <class T>
struct Forcing {
  T coriolis, coriolis_horizontal;   ///< 2 Omega sin and cos of the latitude, s-1
  T acceleration_x, acceleration_y;  ///< acceleration by a pressure gradient, m s-2
  T wall_drag_x, wall_drag_y;        ///< coefficients of walls that face along x and y
  /// Cells this far above a column's lowest get their flux from below from `Surface`: 0, or out of reach. One
  /// number, since g++ 12 vectorises no logic of truth values.
  std::int32_t surface_layer;
  T standing;  ///< 1 where air stands still at roofs that have no surface layer, 0 where it slips
};

/// Fluxes at the lowest face of each column, (j, i) without a halo.
template <class T>
struct Surface {
  Rows<T const> drag;           ///< stress over wind, m s-1
  Rows<T const> buoyancy_flux;  ///< upward, of theta or in moist air of theta_v, K m s-1
  Rows<T const> shear;          ///< vertical gradient of the wind's speed at the first centre, s-1
  Rows<T const> friction;       ///< friction velocity, m s-1
};

template <class T>
struct Stored {
  T keep;
  Rows<T> tendency;
  ULPINE_HD T* place(std::int32_t k, std::int32_t j, std::int32_t i) const { return &tendency(k, j, i); }
  ULPINE_HD void operator()(T* stored, T now) const {
    auto const before = *stored;
    // A stored tendency that is not kept leaves no trace, not even its sign of zero: restarts do not have it.
    *stored = keep == T(0) ? now : math::fma(keep, before, now);
  }
};

/// Places in memory that every tendency hands from a level to the one above. They are kept, since they cost a
/// device one addition from level to level and several instructions anew.
template <class T>
struct Marks {
  NearWind<T> wind;
  T* stored;
  ULPINE_HD void up(Stored<T> const& store) {
    wind.up();
    stored += store.tendency.plane;
  }
};

}  // namespace ulpine::les
