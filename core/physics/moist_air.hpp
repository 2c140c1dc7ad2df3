// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/elementary.hpp"

/// Moist air at a point: no mesh, no memory. Temperatures in K, pressures in Pa, humidities in kg of water
/// per kg of air. R_d = 287, R_v = 461, c_p = 1004 J kg-1 K-1, L_v = 2.50078e6 J kg-1, p0 = 1e5 Pa, as ARPS
/// has them. Each constant is a quotient of whole numbers that a float holds, and so rounded once.
namespace ulpine::physics {

/// Gravity, m s-2.
template <class T>
ULPINE_HD constexpr T gravity() {
  return T(98) / T(10);
}
/// R_d and R_v, J kg-1 K-1.
template <class T>
ULPINE_HD constexpr T dry_gas_constant() {
  return T(287);
}
template <class T>
ULPINE_HD constexpr T vapour_gas_constant() {
  return T(461);
}
/// c_p of dry air, J kg-1 K-1.
template <class T>
ULPINE_HD constexpr T heat_capacity() {
  return T(1004);
}
/// L_v, J kg-1.
template <class T>
ULPINE_HD constexpr T latent_heat() {
  return T(2500780);
}
/// p0, Pa.
template <class T>
ULPINE_HD constexpr T standard_pressure() {
  return T(100000);
}
/// R_d / R_v.
template <class T>
ULPINE_HD constexpr T gas_constant_ratio() {
  return dry_gas_constant<T>() / vapour_gas_constant<T>();
}
/// L_v / c_p, K: how far 1 kg kg-1 of condensing vapour warms air.
template <class T>
ULPINE_HD constexpr T latent_heat_per_heat_capacity() {
  return latent_heat<T>() / heat_capacity<T>();
}

/// Exner's function (p / p0)^(R_d / c_p).
template <class T>
ULPINE_HD inline T exner(T pressure) {
  return math::pow(pressure / standard_pressure<T>(), dry_gas_constant<T>() / heat_capacity<T>());
}

/// By how much theta (K) rises where `condensed` kg kg-1 of vapour become liquid; falls where it is negative.
template <class T>
ULPINE_HD inline T heating(T exner, T condensed) {
  return latent_heat_per_heat_capacity<T>() * condensed / exner;
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
  return gas_constant_ratio<T>() * vapour / math::fma(-(T(174) / T(461)), vapour, pressure);
}

/// d ln q_s / dT at constant pressure, K-1, from the `humidity` q_s: d ln e_s / dT p / (p - (1 - R_d / R_v)
/// e_s).
template <class T>
ULPINE_HD inline T saturation_humidity_slope(T temperature, T humidity) {
  return saturation_pressure_slope(temperature) * math::fma(T(174) / T(287), humidity, T(1));
}

}  // namespace ulpine::physics
