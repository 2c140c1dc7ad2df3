// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/surface_layer.hpp"
#include "core/les/tendencies.hpp"

namespace ulpine::les {

/// Stress and heat flux at the ground and on roofs by similarity, from the wind and temperature of the lowest
/// cell of each column (Surface in tendencies.hpp).
template <class T, class Ground>
struct SurfaceFluxes {
  Grid<T> grid;
  Ground ground;
  RoughSurface<T> rough;
  bool temperature_given;
  T prescribed;                 ///< upward heat flux, K m s-1
  T convecting;                 ///< 1 where the speed has that of free convection in it, else 0
  Global const* surface_theta;  ///< K
  Rows<T const> u, v, theta;
  Rows<T> drag, heat_flux, shear, friction, inverse_obukhov;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const k = ground.lowest(Variable::scalar, j, i);
    auto const u_here = mean2(u(k, j, i), u(k, j, i + 1)), v_here = mean2(v(k, j, i), v(k, j + 1, i));
    auto const buoyancy = grid.at(Level::gravity_per_reference, k);
    auto const least = T(1) / T(100);
    T zeta, flux;
    SurfaceScales<T> scales;
    if (temperature_given) {
      auto const speed = surface_speed(u_here, v_here, least);
      auto const difference = theta(k, j, i) - static_cast<T>(*surface_theta);
      zeta = zeta_from_temperature(rough, buoyancy, difference, speed);
      scales = scales_from_temperature(rough, zeta, difference, speed);
      flux = -scales.friction_velocity * scales.temperature_scale;
    } else {
      auto const speed = surface_speed(u_here, v_here, least, convecting * buoyancy, rough.z, prescribed);
      zeta = zeta_from_flux(rough, buoyancy, prescribed, speed);
      scales = scales_from_flux(rough, zeta, prescribed, speed);
      flux = prescribed;
    }
    auto const phi = rough.stability.phi_m(zeta);
    drag(j, i) = scales.stress_coefficient;
    heat_flux(j, i) = flux;
    shear(j, i) = scales.friction_velocity * phi / (detail::kappa<T>() * rough.z);
    friction(j, i) = scales.friction_velocity;
    inverse_obukhov(j, i) = zeta / rough.z;
  }
};

}  // namespace ulpine::les
