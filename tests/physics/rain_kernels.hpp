// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "core/physics/sedimentation.hpp"
#include "core/physics/warm_rain.hpp"

/// Kernels of a rainy step as a model has them (docs/reference/physics.md), and their launches on a device,
/// compiled by nvcc.
namespace physics_test {

using ulpine::GridView;
using ulpine::physics::Air;
using ulpine::physics::MoistState;

template <class T>
struct AirFields {
  GridView<T const> density, pressure, exner, base_theta;

  ULPINE_HD Air<T> operator()(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return {density(k, j, i), pressure(k, j, i), exner(k, j, i), base_theta(k, j, i)};
  }
};

template <class T>
struct MoistFields {
  GridView<T> theta, vapour, cloud, rain;

  ULPINE_HD MoistState<T> operator()(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return {theta(k, j, i), vapour(k, j, i), cloud(k, j, i), rain(k, j, i)};
  }
  ULPINE_HD void set(std::int32_t k, std::int32_t j, std::int32_t i, MoistState<T> const& state) const {
    theta(k, j, i) = state.theta;
    vapour(k, j, i) = state.vapour;
    cloud(k, j, i) = state.cloud;
    rain(k, j, i) = state.rain;
  }
};

template <class T>
struct RainFormation {
  T dt;
  AirFields<T> air;
  MoistFields<T> state;
  GridView<T> velocity;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const here = air(k, j, i);
    auto const after = ulpine::physics::form_rain(here, state(k, j, i), dt);
    state.set(k, j, i, after);
    velocity(k, j, i) = ulpine::physics::terminal_velocity(here.density, after.rain);
  }
};

template <class T>
struct Saturation {
  AirFields<T> air;
  MoistFields<T> state;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    state.set(k, j, i, ulpine::physics::adjust_saturation(air(k, j, i), state(k, j, i)));
  }
};

void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, RainFormation<double> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, RainFormation<float> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Saturation<double> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Saturation<float> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent2 extent, ulpine::physics::Sedimentation<double> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent2 extent, ulpine::physics::Sedimentation<float> const& kernel);

}  // namespace physics_test
