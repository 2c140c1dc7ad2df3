// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"

#include "benchmarks/fem/routines_impl.hpp"

namespace ulpine::bench {

template void run(Cuda, Routine, Elements<double> const&);
template void run(Cuda, Routine, Elements<float> const&);

}  // namespace ulpine::bench
