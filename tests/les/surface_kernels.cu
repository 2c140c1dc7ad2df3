// SPDX-License-Identifier: Apache-2.0
#include "les/surface_kernels.hpp"

#include "core/exec/cuda.cuh"

namespace les_test {

using ulpine::for_each;
using ulpine::les::Noise;
using ulpine::les::Smoothing;

void launch(ulpine::Cuda cuda, std::int64_t count, SurfaceDiagnosis<double> const& kernel) {
  for_each(cuda, count, kernel);
}
void launch(ulpine::Cuda cuda, std::int64_t count, SurfaceDiagnosis<float> const& kernel) {
  for_each(cuda, count, kernel);
}
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Noise<double> const& kernel) {
  for_each(cuda, extent, kernel);
}
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Noise<float> const& kernel) {
  for_each(cuda, extent, kernel);
}
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Smoothing<double> const& kernel) {
  for_each(cuda, extent, kernel);
}
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, Smoothing<float> const& kernel) {
  for_each(cuda, extent, kernel);
}

}  // namespace les_test
