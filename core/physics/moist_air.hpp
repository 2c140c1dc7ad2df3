// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/physics/constants.hpp"
#include "precision/elementary.hpp"

/// Moist air at a point: no mesh, no memory. Temperatures in K, pressures in Pa, humidities in kg of water
/// per kg of air. The constants are those of ARPS.
namespace ulpine::physics {

/// Exner's function (p / p0)^(R_d / c_p).
template <class T>
ULPINE_HD inline T exner(T pressure) {
  return math::pow(pressure / arps::standard_pressure<T>(),
                   arps::dry_gas_constant<T>() / arps::heat_capacity<T>());
}

/// By how much theta (K) rises where `condensed` kg kg-1 of vapour become liquid; falls where it is negative.
template <class T>
ULPINE_HD inline T heating(T exner, T condensed) {
  return arps::latent_heat_per_heat_capacity<T>() * condensed / exner;
}

namespace detail {
/// The constants of Buck's exponent: b (T - 273.15) / (T - 32.18), b = 17.502.
template <class T>
ULPINE_HD constexpr T buck_slope() {
  return T(8751) / T(500);
}
/// T - 273.15, and below T - 32.18: whole numbers first, which is exact, as a float's 273.15 is 6e-6 K off.
template <class T>
ULPINE_HD inline T above_freezing(T temperature) {
  return (temperature - T(273)) - T(3) / T(20);
}
template <class T>
ULPINE_HD inline T above_pole(T temperature) {
  return (temperature - T(32)) - T(9) / T(50);
}
}  // namespace detail

/// Pressure of water vapour over liquid water in moist air: (1.0007 + 3.46e-8 p) 611.21 exp(17.502 (T -
/// 273.15) / (T - 32.18)), the first factor for air that is no ideal gas (Buck 1981, J. Appl. Meteor. 20,
/// 1527-1532). For T above 32.18 K.
template <class T>
ULPINE_HD inline T saturation_pressure(T temperature, T pressure) {
  auto const exponent =
      detail::buck_slope<T>() * detail::above_freezing(temperature) / detail::above_pole(temperature);
  auto const enhancement = math::fma(T(346) / T(10000000000), pressure, T(10007) / T(10000));
  return enhancement * (T(61121) / T(100) * math::exp(exponent));
}

/// d ln e_s / dT = 17.502 (273.15 - 32.18) / (T - 32.18)^2, K-1.
template <class T>
ULPINE_HD inline T saturation_pressure_slope(T temperature) {
  auto const distance = detail::above_pole(temperature);
  return detail::buck_slope<T>() * (T(24097) / T(100)) / (distance * distance);
}

/// q_s = (R_d / R_v) e_s / (p - (1 - R_d / R_v) e_s), for e_s < p.
template <class T>
ULPINE_HD inline T saturation_humidity(T temperature, T pressure) {
  auto const vapour = saturation_pressure(temperature, pressure);
  return arps::gas_constant_ratio<T>() * vapour /
         math::fma(-(arps::gas_constant_difference<T>() / arps::vapour_gas_constant<T>()), vapour, pressure);
}

/// d ln q_s / dT at constant pressure, K-1, from the `humidity` q_s: d ln e_s / dT p / (p - (1 - R_d / R_v)
/// e_s).
template <class T>
ULPINE_HD inline T saturation_humidity_slope(T temperature, T humidity) {
  return saturation_pressure_slope(temperature) *
         math::fma(arps::gas_constant_difference<T>() / arps::dry_gas_constant<T>(), humidity, T(1));
}

}  // namespace ulpine::physics
