// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/cuda.cuh"
#include "core/fem/kernels.hpp"
#include "core/fem/patch.hpp"

namespace ulpine::fem {

/// Blocks that are to fit a multiprocessor: registers for an element of more numbers would have to be
/// spilled.
template <class F>
inline constexpr int resident_patches = sizeof(typename F::Element) <= 480 ? 2 : 1;

template <class F>
__global__ void __launch_bounds__(detail::most_threads, resident_patches<F>)
    gather_patch(PatchGather<F> const gather, typename PatchGather<F>::Layout const layout) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto const room = gather.room(memory, layout);
  auto const patch = static_cast<std::int32_t>(blockIdx.x);
  auto const t = static_cast<int>(threadIdx.x), n = static_cast<int>(blockDim.x);
  auto const element = gather.stage(room, patch, t, n);
  await_copies<1>();
  __syncthreads();
  gather.integrate(room, element, patch, t, n);
  await_copies<0>();
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
  auto const layout = gather.layout();
  if (layout.bytes > most) refuse_patch(layout.bytes, most);
  // All that there is: it holds for other models on the device, too.
  check_cuda(cudaFuncSetAttribute(gather_patch<F>, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             "shared memory");
  gather_patch<F><<<static_cast<unsigned>(gather.patches.count), static_cast<unsigned>(cuda.block),
                    static_cast<std::size_t>(layout.bytes), cuda.stream>>>(gather, layout);
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class F>
void run_elements(Cuda, ElementLoop<F> const&) {
  refuse_elements_on_device();
}

}  // namespace ulpine::fem
