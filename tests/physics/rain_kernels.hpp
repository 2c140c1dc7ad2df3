// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "core/exec/view.hpp"
#include "core/physics/sedimentation.hpp"
#include "core/physics/warm_rain.hpp"

/// Kernels of a rainy step as a model has them, and their launches on a device, compiled by nvcc.
namespace physics_test {

/// Fields of point n: (density, pressure, exner, base theta) and (theta, vapour, cloud, rain).
template <class T>
struct RainFormation {
  T dt;
  ulpine::View<T const> air;
  ulpine::View<T> state;
  ulpine::View<T> rain, velocity;  ///< of what then falls

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const after = ulpine::physics::form_rain<T>(
        {air[4 * n], air[4 * n + 1], air[4 * n + 2], air[4 * n + 3]},
        {state[4 * n], state[4 * n + 1], state[4 * n + 2], state[4 * n + 3]}, dt);
    state[4 * n] = after.theta, state[4 * n + 1] = after.vapour, state[4 * n + 2] = after.cloud;
    rain[n] = after.rain;
    velocity[n] = ulpine::physics::terminal_velocity(air[4 * n], after.rain);
  }
};

template <class T>
struct Saturation {
  ulpine::View<T const> air, rain;
  ulpine::View<T> state;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const after =
        ulpine::physics::adjust_saturation<T>({air[4 * n], air[4 * n + 1], air[4 * n + 2], air[4 * n + 3]},
                                              {state[4 * n], state[4 * n + 1], state[4 * n + 2], rain[n]});
    state[4 * n] = after.theta, state[4 * n + 1] = after.vapour, state[4 * n + 2] = after.cloud,
              state[4 * n + 3] = after.rain;
  }
};

void launch(ulpine::Cuda cuda, std::int64_t count, RainFormation<double> const& kernel);
void launch(ulpine::Cuda cuda, std::int64_t count, RainFormation<float> const& kernel);
void launch(ulpine::Cuda cuda, std::int64_t count, Saturation<double> const& kernel);
void launch(ulpine::Cuda cuda, std::int64_t count, Saturation<float> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent2 extent, ulpine::physics::Sedimentation<double> const& kernel);
void launch(ulpine::Cuda cuda, ulpine::Extent2 extent, ulpine::physics::Sedimentation<float> const& kernel);

}  // namespace physics_test
