// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/launch.hpp"

/// The part of a launch that depends on no kernel, apart from cuda.cuh so that it is compiled once. `kernel`
/// is the address of a __global__ function that takes the launch's extent, where in it the launch begins, and
/// `body`. An empty extent launches nothing. EnvironmentError where CUDA refuses.
namespace ulpine::detail {

/// kernel(count, body)
void launch_1d(Cuda cuda, void const* kernel, std::int64_t count, void const* body);
/// kernel(extent, first_y, body)
void launch_2d(Cuda cuda, void const* kernel, Extent2 extent, void const* body);
/// kernel(extent, first_y, first_z, body), `points` points a thread; `bytes` of a Broad kernel, else 0.
void launch_3d(Cuda cuda, void const* kernel, Extent3 extent, int points, int bytes, void const* body);
/// kernel(extent, climb, first_y, first_z, body)
void launch_rising(Cuda cuda, void const* kernel, Extent3 extent, void const* body);

}  // namespace ulpine::detail
