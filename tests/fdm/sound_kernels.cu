// SPDX-License-Identifier: Apache-2.0
#include "fdm/sound_kernels.hpp"

#include "core/exec/cuda.cuh"

namespace fdm_test {

template <class T>
void launch(ulpine::Cuda cuda, ulpine::Extent3 extent, ulpine::fdm::ArpsCoefficients<T> const& kernel) {
  ulpine::for_each(cuda, extent, kernel);
}
template void launch(ulpine::Cuda, ulpine::Extent3, ulpine::fdm::ArpsCoefficients<double> const&);
template void launch(ulpine::Cuda, ulpine::Extent3, ulpine::fdm::ArpsCoefficients<float> const&);

}  // namespace fdm_test
