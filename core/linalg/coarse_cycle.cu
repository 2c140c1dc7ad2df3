// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/coarse_cycle.cuh"

namespace ulpine::linalg {

template class CoarseCycle<float>;
template class CoarseCycle<double>;

}  // namespace ulpine::linalg
