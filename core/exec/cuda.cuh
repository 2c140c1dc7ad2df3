// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "core/exec/launch_cuda.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

namespace ulpine {
namespace detail {

inline constexpr int most_threads = 256;

/// Waits until the kernels before this one in its stream have ended and what they wrote is seen, where it was
/// launched before that (OverlappedLaunches), and lets the next be set up.
inline __device__ void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// A kernel that loads ahead(i) before the kernel before it in a loop of a device has ended: of what no
/// kernel of the loop writes. operator()(i, ahead) does the rest.
template <class Body>
concept LoadsAhead = requires {
  typename Body::Ahead;
};

template <class Body>
__global__ void __launch_bounds__(most_threads) run_1d(std::int64_t count, Body const body) {
  auto const i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if constexpr (LoadsAhead<Body>) {
    typename Body::Ahead ahead;
    if (i < count) ahead = body.ahead(i);
    wait_for_kernel_before();
    if (i < count) body(i, ahead);
  } else {
    wait_for_kernel_before();
    if (i < count) body(i);
  }
}

// Indices are unsigned until they are known to lie in the lattice: the last block's may pass 2^31.

template <class Body>
__global__ void __launch_bounds__(most_threads, least_resident_blocks<Body>())
    run_2d(Extent2 extent, unsigned first_y, Body const body) {
  auto const ix = blockIdx.x * blockDim.x + threadIdx.x;
  auto const iy = first_y + blockIdx.y * blockDim.y + threadIdx.y;
  if (ix < static_cast<unsigned>(extent.nx) && iy < static_cast<unsigned>(extent.ny)) {
    body(static_cast<std::int32_t>(ix), static_cast<std::int32_t>(iy));
  }
}

template <class Body>
__global__ void __launch_bounds__(most_threads)
    run_3d(Extent3 extent, unsigned first_y, unsigned first_z, Body const body) {
  auto const ix = blockIdx.x * blockDim.x + threadIdx.x;
  auto const iy = first_y + blockIdx.y * blockDim.y + threadIdx.y;
  auto const iz = first_z + blockIdx.z * blockDim.z + threadIdx.z;
  if (ix < static_cast<unsigned>(extent.nx) && iy < static_cast<unsigned>(extent.ny) &&
      iz < static_cast<unsigned>(extent.nz)) {
    body(static_cast<std::int32_t>(ix), static_cast<std::int32_t>(iy), static_cast<std::int32_t>(iz));
  }
}

template <class Body>
__global__ void __launch_bounds__(most_threads)
    run_parted(Extent3 extent, unsigned first_y, unsigned first_z, Body const body) {
  constexpr int points = Body::points_at_once;
  auto const [first, whole] = row_of_points(blockIdx.x, blockDim.x, threadIdx.x, points, extent.nx);
  auto const iy = first_y + blockIdx.y * blockDim.y + threadIdx.y;
  auto const iz = first_z + blockIdx.z * blockDim.z + threadIdx.z;
  if (iy >= static_cast<unsigned>(extent.ny) || iz >= static_cast<unsigned>(extent.nz)) return;
  auto const y = static_cast<std::int32_t>(iy), z = static_cast<std::int32_t>(iz);
  if (whole) {
    auto const x = static_cast<std::int32_t>(first), step = static_cast<std::int32_t>(blockDim.x);
    decltype(body.value(0, 0, 0)) values[points];
#pragma unroll
    for (int n = 0; n < points; ++n) values[n] = body.value(x + n * step, y, z);
#pragma unroll
    for (int n = 0; n < points; ++n) body.put(x + n * step, y, z, values[n]);
  } else {
    for (auto ix = first; ix < static_cast<unsigned>(extent.nx); ix += blockDim.x) {
      body(static_cast<std::int32_t>(ix), y, z);
    }
  }
}

template <class Body>
__global__ void __launch_bounds__(most_threads, Body::resident_blocks)
    run_rising(Extent3 extent, std::int32_t climb, unsigned first_y, unsigned first_z, Body const body) {
  auto const ix = blockIdx.x * blockDim.x + threadIdx.x;
  auto const iy = first_y + blockIdx.y * blockDim.y + threadIdx.y;
  auto const from = (first_z + blockIdx.z * blockDim.z + threadIdx.z) * static_cast<unsigned>(climb);
  if (ix >= static_cast<unsigned>(extent.nx) || iy >= static_cast<unsigned>(extent.ny) ||
      from >= static_cast<unsigned>(extent.nz)) {
    return;
  }
  auto const x = static_cast<std::int32_t>(ix), y = static_cast<std::int32_t>(iy);
  auto const z = static_cast<std::int32_t>(from);
  body.climb(x, y, z, z + climb < extent.nz ? z + climb : extent.nz);
}

template <class Kernel>
void const* address(Kernel* kernel) {
  return reinterpret_cast<void const*>(kernel);
}

}  // namespace detail

/// body(i) for every i in [0, count).
template <class Body>
void for_each(Cuda cuda, std::int64_t count, Body const& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "a kernel is copied to the device byte by byte");
  detail::launch_1d(cuda, detail::address(&detail::run_1d<Body>), count, &body);
}

template <class Body>
void for_each(Cuda cuda, Extent1 extent, Body const& body) {
  for_each(cuda, extent.n, body);
}

/// body(ix, iy) for every point of the lattice.
template <class Body>
void for_each(Cuda cuda, Extent2 extent, Body const& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "a kernel is copied to the device byte by byte");
  detail::launch_2d(cuda, detail::address(&detail::run_2d<Body>), extent, &body);
}

/// body(ix, iy, iz) for every point of the lattice.
template <class Body>
void for_each(Cuda cuda, Extent3 extent, Body const& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "a kernel is copied to the device byte by byte");
  if constexpr (Rising<Body>) {
    detail::launch_rising(cuda, detail::address(&detail::run_rising<Body>), extent, &body);
  } else {
    int points = 1, bytes = 0;
    if constexpr (Broad<Body>) bytes = Body::bytes_of_point;
    if constexpr (Parted<Body>) {
      points = Body::points_at_once;
      detail::launch_3d(cuda, detail::address(&detail::run_parted<Body>), extent, points, bytes, &body);
    } else {
      detail::launch_3d(cuda, detail::address(&detail::run_3d<Body>), extent, points, bytes, &body);
    }
  }
}

template <class T>
__device__ void Cuda::atomic_add(T& target, T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    atomicAdd(&target, value);
  } else {
    static_assert(sizeof(T) == sizeof(unsigned long long));
    auto* const word = reinterpret_cast<unsigned long long*>(&target);
    auto seen = *static_cast<unsigned long long volatile*>(word);
    for (auto wanted = ~seen; wanted != seen;) {
      wanted = seen;
      auto const sum = __builtin_bit_cast(T, wanted) + value;
      seen = atomicCAS(word, wanted, __builtin_bit_cast(unsigned long long, sum));
    }
  }
}

}  // namespace ulpine
