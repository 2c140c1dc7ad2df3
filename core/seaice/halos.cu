// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/seaice/halos_impl.hpp"

namespace ulpine::seaice {

template class HaloRound<Cuda>;

}  // namespace ulpine::seaice
