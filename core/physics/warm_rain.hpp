// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/physics/moist_air.hpp"

/// Kessler's warm rain at a point, as ARPS has it (docs/reference/physics.md): no mesh, no memory, no
/// branches. A step takes form_rain() at every point, terminal_velocity() at every point and Sedimentation
/// (sedimentation.hpp) in every column, adjust_saturation() at every point. NaN in what is given stays NaN.
namespace ulpine::physics {

/// The air that holds the water of a point.
template <class T>
struct Air {
  T density;     ///< kg m-3
  T pressure;    ///< Pa
  T exner;       ///< of that pressure
  T base_theta;  ///< to which theta of MoistState adds, K: 0 where a model carries theta itself

  ULPINE_HD T temperature(T theta) const { return (base_theta + theta) * exner; }
};

/// The variables that warm rain changes at a point.
template <class T>
struct MoistState {
  T theta;   ///< potential temperature above the base state's, K
  T vapour;  ///< kg per kg of air, as are the others
  T cloud;
  T rain;
};

/// Negative water, which advection may leave, made 0: this alone does not conserve water.
template <class T>
ULPINE_HD inline MoistState<T> without_negative_water(MoistState<T> const& state) {
  return {state.theta, math::max(T(0), state.vapour), math::max(T(0), state.cloud),
          math::max(T(0), state.rain)};
}

/// Cloud that becomes rain by itself within dt (s): 1e-3 s-1 of what exceeds 1 g kg-1, at most all.
template <class T>
ULPINE_HD inline T autoconversion(T cloud, T dt) {
  auto const excess = math::max(T(0), cloud - T(1) / T(1000));
  return math::min(cloud, dt * (excess / T(1000)));
}

/// Cloud that rain collects within dt: 2.2 s-1 q_c q_r^0.875, at most all.
template <class T>
ULPINE_HD inline T accretion(T cloud, T rain, T dt) {
  auto const half = math::sqrt(rain), quarter = math::sqrt(half), eighth = math::sqrt(quarter);
  return math::min(cloud, dt * (T(11) / T(5) * cloud * (half * quarter * eighth)));
}

/// Rain that evaporates within dt: C (1 - q_v / q_s) (rho q_r)^0.525 / (rho (2.03e4 + 9.584e6 / (p q_s))) per
/// second with the ventilation C = 1.6 + 30.3922 (rho q_r)^0.2046; none in saturated air, at most all.
template <class T>
ULPINE_HD inline T evaporation(Air<T> const& air, T temperature, T vapour, T rain, T dt) {
  auto const saturated = saturation_humidity(temperature, air.pressure);
  // Both powers from one logarithm, without branches; that of 0 is -infinity, of which exp makes 0.
  auto const logarithm = math::log(air.density * rain);
  auto const ventilation =
      math::fma(T(151961) / T(5000), math::exp(T(1023) / T(5000) * logarithm), T(8) / T(5));
  auto const water = math::exp(T(21) / T(40) * logarithm);
  auto const resistance = air.density * (T(20300) + T(9584000) / (air.pressure * saturated));
  auto const rate = ventilation * (T(1) - vapour / saturated) * water / resistance;
  return math::min(rain, math::max(T(0), dt * rate));
}

/// Cloud that evaporates, where negative vapour that condenses, to saturate the air: one step of Newton's
/// method for q_s(T - L_v / c_p dq) = q_v + dq, at most all the cloud (Soong and Ogura 1973, J. Atmos. Sci.
/// 30, 879-893).
template <class T>
ULPINE_HD inline T saturation_deficit(Air<T> const& air, T temperature, T vapour, T cloud) {
  auto const saturated = saturation_humidity(temperature, air.pressure);
  auto const slope = saturated * saturation_humidity_slope(temperature, saturated);
  return math::min(cloud,
                   (saturated - vapour) / math::fma(arps::latent_heat_per_heat_capacity<T>(), slope, T(1)));
}

/// Downward speed of rain, m s-1: 36.34 (rho q_r / 1000)^0.1364 (1.225 / rho)^(1/2); 0 where there is none.
template <class T>
ULPINE_HD inline T terminal_velocity(T density, T rain) {
  auto const logarithm = math::log(density * math::max(T(0), rain) / T(1000));
  return T(1817) / T(50) * math::exp(T(341) / T(2500) * logarithm) * math::sqrt(T(49) / T(40) / density);
}

/// Over dt: clipping, autoconversion, accretion and evaporation of rain, each of what the one before left.
template <class T>
ULPINE_HD inline MoistState<T> form_rain(Air<T> const& air, MoistState<T> const& before, T dt) {
  auto state = without_negative_water(before);
  auto const converted = autoconversion(state.cloud, dt);
  state.cloud -= converted;
  state.rain += converted;
  auto const collected = accretion(state.cloud, state.rain, dt);
  state.cloud -= collected;
  state.rain += collected;
  auto const evaporated = evaporation(air, air.temperature(state.theta), state.vapour, state.rain, dt);
  state.rain -= evaporated;
  state.vapour += evaporated;
  state.theta -= heating(air.exner, evaporated);
  return state;
}

/// Clipping, and condensation of vapour or evaporation of cloud.
template <class T>
ULPINE_HD inline MoistState<T> adjust_saturation(Air<T> const& air, MoistState<T> const& before) {
  auto state = without_negative_water(before);
  auto const evaporated = saturation_deficit(air, air.temperature(state.theta), state.vapour, state.cloud);
  state.cloud -= evaporated;
  state.vapour += evaporated;
  state.theta -= heating(air.exner, evaporated);
  return state;
}

}  // namespace ulpine::physics
