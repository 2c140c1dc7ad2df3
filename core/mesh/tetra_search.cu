// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/mesh/tetra_search_impl.hpp"

namespace ulpine {

template class TetraSearch<Cuda>;

}  // namespace ulpine
