// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include "core/physics/constants.hpp"
#include "core/physics/moist_air.hpp"
#include "precision/elementary.hpp"

/// Formulas of moist air for the set-up of a run on the host, in double or long double. Water vapour is the
/// specific humidity q everywhere: kg of vapour in a kg of air.
namespace ulpine::moist_air {

template <class T>
concept HostReal = std::same_as<T, double> || std::same_as<T, long double>;

/// In double the project's own functions, whose bits are the same on every machine.
template <HostReal T>
T exp(T x) {
  if constexpr (std::is_same_v<T, double>) return math::exp(x);
  return std::exp(x);
}
template <HostReal T>
T log(T x) {
  if constexpr (std::is_same_v<T, double>) return math::log(x);
  return std::log(x);
}
template <HostReal T>
T pow(T x, T y) {
  if constexpr (std::is_same_v<T, double>) return math::pow(x, y);
  return std::pow(x, y);
}
template <HostReal T>
T tanh(T x) {
  if constexpr (std::is_same_v<T, double>) return math::tanh(x);
  return std::tanh(x);
}

namespace arps = physics::arps;

/// Exner function (p / p0)^(R_d / c_p) of a pressure, Pa.
template <HostReal T>
T exner_of_pressure(T pressure) {
  return moist_air::pow(pressure / arps::standard_pressure<T>(),
                        arps::dry_gas_constant<T>() / arps::heat_capacity<T>());
}
/// Pressure, Pa, of an Exner function.
template <HostReal T>
T pressure_of_exner(T exner) {
  return arps::standard_pressure<T>() *
         moist_air::pow(exner, arps::heat_capacity<T>() / arps::dry_gas_constant<T>());
}

/// theta (1 + (R_v / R_d - 1) q), and the same of temperature: of dry air of the same density and pressure.
template <HostReal T>
T virtual_temperature(T temperature, T humidity) {
  return temperature * (1 + (arps::vapour_gas_constant<T>() / arps::dry_gas_constant<T>() - 1) * humidity);
}

/// Saturation vapour pressure over water, Pa: Buck (1981) with his enhancement for air at `pressure` (Pa), as
/// ARPS 5.3 has it: (1.0007 + 3.46e-8 p) 611.21 exp(17.502 (T - 273.15) / (T - 32.18)).
template <HostReal T>
T saturation_pressure(T temperature, T pressure) {
  return (T(10007) / 10000 + T(346) / 10000000000 * pressure) * (T(61121) / 100) *
         moist_air::exp(T(17502) / 1000 * (temperature - T(27315) / 100) / (temperature - T(3218) / 100));
}

/// Specific humidity at a vapour pressure, both pressures in Pa: (R_d / R_v) e / (p - (1 - R_d / R_v) e).
/// At most 1: where vapour alone would have more than the whole pressure, it is all that there is.
template <HostReal T>
T specific_humidity(T vapour_pressure, T pressure) {
  auto const ratio = arps::dry_gas_constant<T>() / arps::vapour_gas_constant<T>();
  return vapour_pressure < pressure ? ratio * vapour_pressure / (pressure - (1 - ratio) * vapour_pressure)
                                    : T(1);
}

/// Specific humidity of saturated air. At the dew point it is the air's own.
template <HostReal T>
T saturation_humidity(T temperature, T pressure) {
  return specific_humidity(saturation_pressure(temperature, pressure), pressure);
}

/// Specific humidity of a mixing ratio r (kg of vapour with a kg of dry air): r / (1 + r).
template <HostReal T>
T humidity_of_mixing_ratio(T ratio) {
  return ratio / (1 + ratio);
}
/// q / (1 - q).
template <HostReal T>
T mixing_ratio(T humidity) {
  return humidity / (1 - humidity);
}

}  // namespace ulpine::moist_air
