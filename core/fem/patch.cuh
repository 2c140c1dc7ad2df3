// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/cuda.cuh"
#include "core/fem/kernels.hpp"
#include "core/fem/patch.hpp"
#include "core/fem/plan.hpp"
#include "core/fem/visits.hpp"

namespace ulpine::fem {

/// Blocks that are to fit a multiprocessor: registers for an element of more numbers would have to be
/// spilled.
template <class F>
inline constexpr int resident_blocks = sizeof(typename F::Element) <= 240   ? 3
                                       : sizeof(typename F::Element) <= 480 ? 2
                                                                            : 1;

template <class F>
__global__ void __launch_bounds__(detail::most_threads, resident_blocks<F>)
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
__global__ void __launch_bounds__(detail::most_threads, resident_blocks<F>)
    store_visits(VisitStore<F> const store) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto const t = static_cast<int>(threadIdx.x);
  int const lane = t % elements_together, warp = t / elements_together;
  auto const warps = static_cast<std::int32_t>(blockDim.x) / elements_together;
  auto const group = static_cast<std::int32_t>(blockIdx.x) * warps + warp;
  if (group >= store.groups()) return;
  auto* const room =
      reinterpret_cast<typename F::Real*>(memory) + warp * elements_together * VisitStore<F>::stride;
  auto const* const node = store.nodes(group, lane);
  auto const element = store.form.element(node);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    store.integrate(element, node, i, room, lane);
    __syncwarp();
    store.write(group, i, room, lane);
    __syncwarp();
  }
}

template <class F>
__global__ void __launch_bounds__(detail::most_threads)
    gather_visits(VisitGather<F> const gather, typename VisitGather<F>::Layout const layout) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto const room = gather.room(memory, layout);
  auto const patch = static_cast<std::int32_t>(blockIdx.x);
  auto const t = static_cast<int>(threadIdx.x), n = static_cast<int>(blockDim.x);
  gather.stage(room, patch, t, n);
  await_copies<0>();
  __syncthreads();
  gather.gather(room, patch, t, n);
}

/// Launches blocks that need `bytes` of shared memory.
template <class... Parameters, class... Arguments>
void launch_with_room(Cuda cuda, void (*kernel)(Parameters...), std::int32_t blocks, int threads,
                      std::int32_t bytes, Arguments const&... arguments) {
  DeviceGuard const guard(cuda.ordinal);
  int most = 0;
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.ordinal),
             "shared memory");
  if (bytes > most) refuse_patch(bytes, most);
  // All that there is: it holds for other models on the device, too.
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             "shared memory");
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), static_cast<std::size_t>(bytes),
           cuda.stream>>>(arguments...);
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class F>
void run_patches(Cuda cuda, PatchGather<F> const& gather) {
  if (gather.rows.patches.count == 0) return;
  auto const layout = gather.layout();
  launch_with_room(cuda, gather_patch<F>, gather.rows.patches.count, cuda.block, layout.bytes, gather,
                   layout);
}

template <class F>
void run_visits(Cuda cuda, VisitStore<F> const& store, VisitGather<F> const& gather) {
  if (gather.rows.patches.count == 0) return;
  auto const warps = cuda.block / elements_together;
  auto const bytes =
      static_cast<std::int32_t>(sizeof(typename F::Real)) * warps * elements_together * VisitStore<F>::stride;
  launch_with_room(cuda, store_visits<F>, (store.groups() - 1) / warps + 1, cuda.block, bytes, store);
  auto const layout = gather.layout();
  launch_with_room(cuda, gather_visits<F>, gather.rows.patches.count, cuda.block, layout.bytes, gather,
                   layout);
}

template <class F>
void run_elements(Cuda, ElementLoop<F> const&) {
  refuse_elements_on_device();
}

}  // namespace ulpine::fem
