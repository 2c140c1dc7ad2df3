// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/elementary.hpp"

/// Dry air as an ideal gas, in terms of potential temperature.
namespace ulpine::fem {

/// Constants of dry air, SI units; of ATHAM-Fluidity's tests unless a case says otherwise.
template <class T>
struct Air {
  T cp, cv;             ///< heat capacities at constant pressure and volume, J kg-1 K-1
  T standard_pressure;  ///< at which potential temperature is temperature, Pa
  T gravity;            ///< m s-2

  ULPINE_HD T gas_constant() const { return cp - cv; }  ///< J kg-1 K-1

  /// Exner function (p / p0)^(R / cp) of a pressure, Pa.
  ULPINE_HD T exner(T pressure) const { return math::pow(pressure / standard_pressure, gas_constant() / cp); }
  /// Temperature, K, at a potential temperature in K and a pressure in Pa.
  ULPINE_HD T temperature(T theta, T pressure) const { return theta * exner(pressure); }
};

/// Density of the air at a node by the equation of state, and its derivative, SI units.
template <class T>
struct Density {
  T density;          ///< p / (R T), kg m-3
  T per_pressure;     ///< its derivative by the pressure at constant potential temperature, s2 m-2
  T pressure_it_has;  ///< that of another density at the same temperature, Pa
};

/// The density of air of that potential temperature and pressure, and the pressure that `density` would have
/// at the temperature of these two.
template <class T>
ULPINE_HD Density<T> equation_of_state(Air<T> const& air, T theta, T pressure, T density) {
  auto const per_r_t = T(1) / (air.gas_constant() * air.temperature(theta, pressure));
  return {pressure * per_r_t, air.cv / air.cp * per_r_t, density / per_r_t};
}

}  // namespace ulpine::fem
