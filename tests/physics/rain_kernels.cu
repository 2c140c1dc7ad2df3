// SPDX-License-Identifier: Apache-2.0
#include "physics/rain_kernels.hpp"

#include "core/exec/cuda.cuh"

namespace physics_test {

using namespace ulpine;

void launch(Cuda cuda, Extent3 extent, RainFormation<double> const& kernel) {
  for_each(cuda, extent, kernel);
}
void launch(Cuda cuda, Extent3 extent, RainFormation<float> const& kernel) { for_each(cuda, extent, kernel); }
void launch(Cuda cuda, Extent3 extent, Saturation<double> const& kernel) { for_each(cuda, extent, kernel); }
void launch(Cuda cuda, Extent3 extent, Saturation<float> const& kernel) { for_each(cuda, extent, kernel); }
void launch(Cuda cuda, Extent2 extent, physics::Sedimentation<double> const& kernel) {
  for_each(cuda, extent, kernel);
}
void launch(Cuda cuda, Extent2 extent, physics::Sedimentation<float> const& kernel) {
  for_each(cuda, extent, kernel);
}

}  // namespace physics_test
