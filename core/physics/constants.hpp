// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/host_device.hpp"

/// Constants of air. Models differ in them by parts of a thousand, and a run is compared with one model: each
/// set is that of the model which its namespace names, as that model's public source states it, and a core
/// keeps to the set that is named where the core uses it. The physical values beside them are g = 9.80665 m
/// s-2 (standard gravity, CGPM 1901), R = 8.314462618 J mol-1 K-1 (CODATA 2018) over 28.9652 and 18.0153 g
/// mol-1 (dry air and water), c_p = 7/2 R_d, L_v = 2.5008e6 J kg-1 at 0 C (AMS glossary), Omega = 7.292115e-5
/// rad s-1 (GRS 80). Each constant is a quotient of whole numbers that a float holds, and so rounded once.
///
/// Constants of what is not air lie with the core that has it.
namespace ulpine::physics {

/// ARPS 5.3, the Advanced Regional Prediction System: core fdm, soundings, moist air and warm rain.
namespace arps {

/// Gravity g, m s-2.
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
/// R_v - R_d, J kg-1 K-1: a number of its own, as the difference of two rounded ones is another.
template <class T>
ULPINE_HD constexpr T gas_constant_difference() {
  return T(174);
}
/// c_p and c_v = c_p - R_d of dry air, J kg-1 K-1.
template <class T>
ULPINE_HD constexpr T heat_capacity() {
  return T(1004);
}
template <class T>
ULPINE_HD constexpr T heat_capacity_at_volume() {
  return T(717);
}
/// Latent heat of vaporisation L_v, J kg-1.
template <class T>
ULPINE_HD constexpr T latent_heat() {
  return T(2500780);
}
/// p0, the pressure at which potential temperature is temperature, Pa.
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

}  // namespace arps

/// The atmosphere tests of ATHAM-Fluidity, which have R_d = c_p - c_v = 287.04 J kg-1 K-1: what the keys of
/// core fem's `[air]` are by default.
namespace atham_fluidity {

/// g, m s-2.
template <class T>
ULPINE_HD constexpr T gravity() {
  return T(981) / T(100);
}
/// c_p and c_v of dry air, J kg-1 K-1.
template <class T>
ULPINE_HD constexpr T heat_capacity() {
  return T(100464) / T(100);
}
template <class T>
ULPINE_HD constexpr T heat_capacity_at_volume() {
  return T(7176) / T(10);
}
/// p0, Pa.
template <class T>
ULPINE_HD constexpr T standard_pressure() {
  return T(100000);
}

}  // namespace atham_fluidity

/// PALM, the Parallelized Large-eddy Simulation Model: core les.
namespace palm {

/// g, m s-2: the default of key `air.gravity`.
template <class T>
ULPINE_HD constexpr T gravity() {
  return T(981) / T(100);
}
/// Omega, rad s-1: how fast the Earth turns.
template <class T>
ULPINE_HD constexpr T earth_rotation() {
  return T(729212) / T(10000000000);
}
/// Von Karman's constant.
template <class T>
ULPINE_HD constexpr T karman() {
  return T(2) / T(5);
}
/// R_v / R_d - 1 in the virtual temperature theta (1 + 0.61 q).
template <class T>
ULPINE_HD constexpr T virtual_temperature_factor() {
  return T(61) / T(100);
}

}  // namespace palm
}  // namespace ulpine::physics
