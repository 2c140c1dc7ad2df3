// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/moisture.hpp"
#include "core/les/surface_layer.hpp"
#include "core/les/tendencies.hpp"

namespace ulpine::les {

/// Humidity of the ground and the lowest cells, as the surface layer needs it.
template <class T>
struct SurfaceMoisture {
  Rows<T const> q;  ///< absent where humidity does not make air lighter
  bool given;       ///< whether the surface's humidity is given, or else its flux
  T humidity;       ///< specific humidity of the surface, kg kg-1
  T prescribed;     ///< upward flux, kg kg-1 m s-1
  Rows<T> flux;     ///< written where the surface's humidity is given
};

/// Stress, heat flux and moisture flux at the ground and on roofs by similarity, from the wind, temperature
/// and humidity of the lowest cell of each column (Surface in tendencies.hpp).
template <class T, class Ground>
struct SurfaceFluxes {
  Grid<T> grid;
  Ground ground;
  RoughSurface<T> rough;
  bool temperature_given;
  T prescribed;  ///< upward heat flux, K m s-1
  SurfaceMoisture<T> moisture;
  T convecting;                 ///< 1 where the speed has that of free convection in it, else 0
  Global const* surface_theta;  ///< K
  Rows<T const> u, v, theta;
  Rows<T> drag, heat_flux, shear, friction, inverse_obukhov;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const k = ground.lowest(Variable::scalar, j, i);
    auto const u_here = mean2(u(k, j, i), u(k, j, i + 1)), v_here = mean2(v(k, j, i), v(k, j + 1, i));
    auto const buoyancy = grid.at(Level::gravity_per_reference, k);
    auto const least = T(1) / T(100);
    auto const moist = moisture.q.first != nullptr;
    T zeta, flux;
    SurfaceScales<T> scales;
    if (temperature_given) {
      auto const speed = surface_speed(u_here, v_here, least);
      auto const surface = static_cast<T>(*surface_theta);
      auto const difference = theta(k, j, i) - surface;
      auto lighter = difference, moister = T(0);
      if (moist) {
        auto const q = moisture.q(k, j, i), surface_q = moisture.given ? moisture.humidity : q;
        lighter = virtual_theta(theta(k, j, i), q) - virtual_theta(surface, surface_q);
        moister = q - surface_q;
      }
      zeta = zeta_from_temperature(rough, buoyancy, lighter, speed);
      scales = scales_from_temperature(rough, zeta, difference, speed);
      flux = -scales.friction_velocity * scales.temperature_scale;
      if (moist && moisture.given) {
        auto const of_moisture = scales_from_temperature(rough, zeta, moister, speed);
        moisture.flux(j, i) = -of_moisture.friction_velocity * of_moisture.temperature_scale;
      }
    } else {
      auto const rising =
          moist ? virtual_flux(prescribed, moisture.prescribed, theta(k, j, i), moisture.q(k, j, i))
                : prescribed;
      auto const speed = surface_speed(u_here, v_here, least, convecting * buoyancy, rough.z, rising);
      zeta = zeta_from_flux(rough, buoyancy, rising, speed);
      scales = scales_from_flux(rough, zeta, prescribed, speed);
      flux = prescribed;
    }
    auto const phi = rough.stability.phi_m(zeta);
    drag(j, i) = scales.stress_coefficient;
    heat_flux(j, i) = flux;
    shear(j, i) = scales.friction_velocity * phi / (physics::palm::karman<T>() * rough.z);
    friction(j, i) = scales.friction_velocity;
    inverse_obukhov(j, i) = zeta / rough.z;
  }
};

}  // namespace ulpine::les
