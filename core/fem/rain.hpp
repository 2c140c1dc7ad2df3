// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/step_kernels.hpp"
#include "core/physics/warm_rain.hpp"

/// Kessler's warm rain (core/physics) at nodes at the end of a step. Where water changes its phase the volume
/// stays: the masses of dry air and of water are kept, and the pressure follows.
namespace ulpine::fem {

/// The state that warm rain changes, in place.
template <class T>
struct Wet {
  Air<T> air;
  T const* reference_pressure;
  T *theta, *departure, *vapour, *cloud, *rain;

  ULPINE_HD physics::MoistState<T> at(std::int64_t n) const {
    return {theta[n], vapour[n], cloud[n], rain[n]};
  }
  /// The air around the water of node n, whose density is `density`, kg m-3.
  ULPINE_HD physics::Air<T> around(std::int64_t n, T density) const {
    auto const pressure = reference_pressure[n] + departure[n];
    return {density, pressure, air.exner(pressure), T(0)};
  }
  /// The new state. At constant volume p ~ (theta (1 + r_v R_v / R_d))^(cp / cv).
  ULPINE_HD void put(std::int64_t n, physics::MoistState<T> const& state) const {
    auto const before = theta[n] * Moisture<T>::with_vapour(vapour[n]);
    auto const after = state.theta * Moisture<T>::with_vapour(state.vapour);
    theta[n] = state.theta;
    vapour[n] = state.vapour;
    cloud[n] = state.cloud;
    rain[n] = state.rain;
    if (after == before) return;
    auto const gain = math::pow(after / before, air.cp / air.cv) - T(1);
    departure[n] = math::fma(reference_pressure[n] + departure[n], gain, departure[n]);
  }
};

/// Cloud becomes rain, rain evaporates; how fast what is left falls, and through how much dry air. Water that
/// advection has left negative is made 0; `made` takes what that adds, kg m-3.
template <class T>
struct FormRain {
  Wet<T> wet;
  T step;  ///< s
  T const* density;
  T *dry_density, *speed, *made;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const before = wet.at(n);
    auto const dry = density[n] / (T(1) + (before.vapour + (before.cloud + before.rain)));
    auto const whole = physics::without_negative_water(before);
    auto const added =
        (whole.vapour - before.vapour) + ((whole.cloud - before.cloud) + (whole.rain - before.rain));
    made[n] = math::fma(dry, added, made[n]);
    auto const after = physics::form_rain(wet.around(n, dry), whole, step);
    wet.put(n, after);
    dry_density[n] = dry;
    speed[n] = physics::terminal_velocity(dry, after.rain);
  }
};

/// Vapour condenses, cloud evaporates; the density of the end.
template <class T>
struct AdjustSaturation {
  Wet<T> wet;
  T const* dry_density;
  T* density;

  ULPINE_HD void operator()(std::int64_t n) const {
    wet.put(n, physics::adjust_saturation(wet.around(n, dry_density[n]), wet.at(n)));
    DensityOfAir<T>{
        {wet.air, wet.theta, wet.departure, wet.reference_pressure, {wet.vapour, wet.cloud, wet.rain}},
        density}(n);
  }
};

/// Water of all kinds, kg m-3.
template <class T>
struct WaterContent {
  Moisture<T> water;
  T const* density;
  T* content;
  ULPINE_HD void operator()(std::int64_t n) const {
    auto const total = water.total(n);
    content[n] = density[n] / (T(1) + total) * total;
  }
};

/// A value at the ground as one whose integral over the air is that over the ground.
template <class T>
struct OfGround {
  T const *value, *ground, *volume;
  T* share;
  ULPINE_HD void operator()(std::int64_t n) const { share[n] = value[n] * ground[n] / volume[n]; }
};

}  // namespace ulpine::fem
