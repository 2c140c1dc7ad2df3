// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/mesh/tetra_connections_impl.hpp"

namespace ulpine {

template class TetraConnections<Cuda>;
template PatternArrays<Cuda> second_order_pattern(Cuda, CsrPattern);

}  // namespace ulpine
