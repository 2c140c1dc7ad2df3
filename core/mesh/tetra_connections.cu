// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/mesh/tetra_connections_impl.hpp"

namespace ulpine {
namespace detail {

struct DeviceClaimer {
  __device__ static std::int32_t claim(std::int32_t& count) { return atomicAdd(&count, 1); }
};

template <>
struct ClaimerOf<Cuda> {
  using Type = DeviceClaimer;
};

}  // namespace detail

template class TetraConnections<Cuda>;
template PatternArrays<Cuda> second_order_pattern(Cuda, CsrPattern);

}  // namespace ulpine
