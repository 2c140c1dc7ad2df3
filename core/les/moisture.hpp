// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/grid.hpp"
#include "core/physics/constants.hpp"

/// How humidity makes air lighter.
namespace ulpine::les {

/// theta (1 + 0.61 q), K: the temperature of dry air of the same density, q the specific humidity, kg kg-1.
template <class T>
ULPINE_HD inline T virtual_theta(T theta, T q) {
  return math::fma(physics::palm::virtual_temperature_factor<T>() * q, theta, theta);
}
/// Flux of virtual temperature, K m s-1, from the fluxes of theta (K m s-1) and q (kg kg-1 m s-1).
template <class T>
ULPINE_HD inline T virtual_flux(T heat, T moisture, T theta, T q) {
  auto const share = physics::palm::virtual_temperature_factor<T>();
  return math::fma(share * q, heat, math::fma(share * theta, moisture, heat));
}

/// Virtual temperature, which stands in for temperature in all that feels buoyancy, and its flux at the
/// lowest face of each column. Called for (i + 1, j + 1, k + 1) of a lattice one point larger on each side.
template <class T, class Ground>
struct Buoyancy {
  Grid<T> grid;
  Ground ground;
  Rows<T const> theta, q;
  Rows<T const> heat_flux, moisture_flux;  ///< upward, (j, i) without a halo; kg kg-1 m s-1
  Rows<T> theta_v;
  Rows<T> flux;  ///< upward, (j, i) without a halo, K m s-1

  ULPINE_HD void operator()(std::int32_t i_from_west, std::int32_t j_from_south,
                            std::int32_t k_from_below) const {
    auto const i = i_from_west - 1, j = j_from_south - 1, k = k_from_below - 1;
    auto const t = theta(k, j, i), humidity = q(k, j, i);
    theta_v(k, j, i) = virtual_theta(t, humidity);
    auto const inside = i >= 0 && i < grid.nx && j >= 0 && j < grid.ny;
    if (inside && k == ground.lowest(Variable::scalar, j, i)) {
      flux(j, i) = virtual_flux(heat_flux(j, i), moisture_flux(j, i), t, humidity);
    }
  }
};

}  // namespace ulpine::les
