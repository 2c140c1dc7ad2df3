// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/cuda.cuh"
#include "core/fem/kernels.hpp"
#include "core/fem/patch.hpp"

namespace ulpine::fem {

template <class F>
__global__ void __launch_bounds__(detail::most_threads)
    gather_patch(PatchGather<F> const gather, int field_bytes) {
  extern __shared__ __align__(16) unsigned char memory[];
  typename PatchGather<F>::Room const room{reinterpret_cast<typename F::Policy::State*>(memory),
                                           reinterpret_cast<typename F::Real*>(memory + field_bytes)};
  auto const patch = static_cast<std::int32_t>(blockIdx.x);
  auto const t = static_cast<int>(threadIdx.x), n = static_cast<int>(blockDim.x);
  gather.stage(room, patch, t, n);
  __syncthreads();
  gather.integrate(room, patch, t, n);
  __syncthreads();
  gather.gather(room, patch, t, n);
}

template <class F>
void run_patches(Cuda cuda, PatchGather<F> const& gather) {
  if (gather.patches.count == 0) return;
  DeviceGuard const guard(cuda.ordinal);
  int most = 0;
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.ordinal),
             "shared memory");
  constexpr std::int64_t state = sizeof(typename F::Policy::State), real = sizeof(typename F::Real);
  auto const field_bytes = (state * gather.field_numbers() + 15) / 16 * 16;
  auto const bytes = field_bytes + real * gather.kept_numbers();
  if (bytes > most) refuse_patch(bytes, most);
  check_cuda(cudaFuncSetAttribute(gather_patch<F>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "shared memory");
  gather_patch<F><<<static_cast<unsigned>(gather.patches.count), static_cast<unsigned>(cuda.block),
                    static_cast<std::size_t>(bytes), cuda.stream>>>(gather, static_cast<int>(field_bytes));
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class F>
void run_elements(Cuda, ElementLoop<F> const&) {
  refuse_elements_on_device();
}

}  // namespace ulpine::fem
