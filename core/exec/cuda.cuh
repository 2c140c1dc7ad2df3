// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/view.hpp"

namespace ulpine {
namespace detail {

inline constexpr int most_threads = 256;

template <class Body>
__global__ void __launch_bounds__(most_threads) run_1d(std::int64_t count, Body const body) {
  auto const i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) {
    body(i);
  }
}

template <class Body>
__global__ void __launch_bounds__(most_threads) run_2d(Extent2 extent, Body const body) {
  auto const ix = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  auto const iy = static_cast<std::int32_t>(blockIdx.y * blockDim.y + threadIdx.y);
  if (ix < extent.nx && iy < extent.ny) {
    body(ix, iy);
  }
}

}  // namespace detail

/// body(i) for every i in [0, count).
template <class Body>
void for_each(Cuda cuda, std::int64_t count, Body const& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "a kernel is copied to the device byte by byte");
  if (count == 0) {
    return;
  }
  auto const blocks = static_cast<unsigned>((count + cuda.block - 1) / cuda.block);
  detail::run_1d<<<blocks, static_cast<unsigned>(cuda.block), 0, cuda.stream>>>(count, body);
  check_cuda(cudaGetLastError(), "kernel launch");
}

/// body(ix, iy) for every point of the lattice.
template <class Body>
void for_each(Cuda cuda, Extent2 extent, Body const& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "a kernel is copied to the device byte by byte");
  if (extent.size() == 0) {
    return;
  }
  dim3 const threads(32, static_cast<unsigned>(cuda.block / 32));
  dim3 const blocks((static_cast<unsigned>(extent.nx) + threads.x - 1) / threads.x,
                    (static_cast<unsigned>(extent.ny) + threads.y - 1) / threads.y);
  detail::run_2d<<<blocks, threads, 0, cuda.stream>>>(extent, body);
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class T>
__device__ void Cuda::atomic_add(T& target, T value) {
  atomicAdd(&target, value);
}

}  // namespace ulpine
