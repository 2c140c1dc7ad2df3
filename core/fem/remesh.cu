// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"

#include "core/fem/remesh_impl.hpp"

namespace ulpine::fem {

template void carry_over<double>(Cuda, Setup const&, Core&, Setup const&, Remeshed&);
template void carry_over<float>(Cuda, Setup const&, Core&, Setup const&, Remeshed&);

}  // namespace ulpine::fem
