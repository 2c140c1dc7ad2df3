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

/// A kernel that calls wait_for_kernel_before(), with the addresses of its arguments.
void launch_waiting(Cuda cuda, void const* kernel, Dimensions blocks, Dimensions threads, void** arguments);

/// The least compute capability (90 for 9.0) for which the code of a kernel that the current device runs was
/// compiled: what of it stands under a condition on __CUDA_ARCH__ goes by that, not by the device.
int compiled_for(void const* kernel);

/// While one lives, kernels that its thread gives to launch_waiting() or launch_1d() are set up while the
/// kernel before them in their stream still runs (programmatic dependent launch); they wait for its end
/// before they read what others may have written. Not before compute capability 9.0.
class OverlappedLaunches {
 public:
  OverlappedLaunches();
  OverlappedLaunches(OverlappedLaunches const&) = delete;
  OverlappedLaunches& operator=(OverlappedLaunches const&) = delete;
  ~OverlappedLaunches();
  /// Whether one lives on this thread.
  static bool wanted();
};

}  // namespace ulpine::detail
