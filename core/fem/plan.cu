// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/fem/plan_impl.hpp"

namespace ulpine::fem {

template class Plan<Cuda>;

}  // namespace ulpine::fem
