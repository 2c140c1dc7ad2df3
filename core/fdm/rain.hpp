// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/rates.hpp"
#include "core/physics/sedimentation.hpp"
#include "core/physics/warm_rain.hpp"

/// Kessler's warm rain (core/physics) on the grid, at the end of a step. Rain falls through the base state's
/// density.
namespace ulpine::fdm {

/// A metric as columns of rain have it.
template <class Ground, class T>
struct MetricOf {
  Ground ground;
  Metric metric;
  T factor;
  ULPINE_HD T operator()(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return factor * ground.at(metric, k, j, i);
  }
};

/// The fields that rain changes, in place.
template <class T>
struct Water {
  Rows<T> theta, vapour, cloud, rain;
  ULPINE_HD physics::MoistState<T> at(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return {theta(k, j, i), vapour(k, j, i), cloud(k, j, i), rain(k, j, i)};
  }
  ULPINE_HD void put(std::int32_t k, std::int32_t j, std::int32_t i,
                     physics::MoistState<T> const& state) const {
    theta(k, j, i) = state.theta;
    vapour(k, j, i) = state.vapour;
    cloud(k, j, i) = state.cloud;
    rain(k, j, i) = state.rain;
  }
};

template <class T, class Ground>
ULPINE_HD physics::Air<T> air_around(Ground const& ground, Rows<T const> const& p, std::int32_t k,
                                     std::int32_t j, std::int32_t i) {
  auto const pressure = ground.at(Metric::pressure, k, j, i) + p(k, j, i);
  return {ground.at(Metric::density, k, j, i), pressure, physics::exner(pressure),
          ground.at(Metric::theta, k, j, i)};
}

/// Cloud becomes rain, rain evaporates; and how fast what is left falls.
template <class T, class Ground>
struct FormRain {
  Ground ground;
  T length;
  Rows<T const> p;
  Water<T> water;
  Rows<T> velocity;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const air = air_around(ground, p, k, j, i);
    auto const state = physics::form_rain(air, water.at(k, j, i), length);
    water.put(k, j, i, state);
    velocity(k, j, i) = physics::terminal_velocity(air.density, state.rain);
  }
};

/// Vapour condenses, cloud evaporates.
template <class T, class Ground>
struct AdjustSaturation {
  Ground ground;
  Rows<T const> p;
  Water<T> water;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    water.put(k, j, i, physics::adjust_saturation(air_around(ground, p, k, j, i), water.at(k, j, i)));
  }
};

}  // namespace ulpine::fdm
