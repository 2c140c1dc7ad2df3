// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "core/exec/launch.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

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

inline dim3 to_dim3(Dimensions dimensions) { return {dimensions.x, dimensions.y, dimensions.z}; }

}  // namespace detail

/// body(i) for every i in [0, count).
template <class Body>
void for_each(Cuda cuda, std::int64_t count, Body const& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "a kernel is copied to the device byte by byte");
  if (count == 0) {
    return;
  }
  auto const blocks = static_cast<unsigned>((count + cuda.block - 1) / cuda.block);
  DeviceGuard const guard(cuda.ordinal);
  detail::run_1d<<<blocks, static_cast<unsigned>(cuda.block), 0, cuda.stream>>>(count, body);
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class Body>
void for_each(Cuda cuda, Extent1 extent, Body const& body) {
  for_each(cuda, extent.n, body);
}

/// body(ix, iy) for every point of the lattice.
template <class Body>
void for_each(Cuda cuda, Extent2 extent, Body const& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "a kernel is copied to the device byte by byte");
  if (extent.size() == 0) {
    return;
  }
  DeviceGuard const guard(cuda.ordinal);
  Extent3 const lattice{extent.nx, extent.ny, 1};
  auto const block = detail::block_shape(lattice, cuda.block);
  detail::in_launches(lattice, block, detail::most_blocks_yz, [&](detail::Piece const& piece) {
    detail::run_2d<<<detail::to_dim3(piece.blocks), detail::to_dim3(block), 0, cuda.stream>>>(
        extent, piece.first_y, body);
    check_cuda(cudaGetLastError(), "kernel launch");
  });
}

/// body(ix, iy, iz) for every point of the lattice.
template <class Body>
void for_each(Cuda cuda, Extent3 extent, Body const& body) {
  static_assert(std::is_trivially_copyable_v<Body>, "a kernel is copied to the device byte by byte");
  if (extent.size() == 0) {
    return;
  }
  DeviceGuard const guard(cuda.ordinal);
  if constexpr (Rising<Body>) {
    auto const climb = detail::climb_of(extent);
    Extent3 const climbs{extent.nx, extent.ny, (extent.nz + climb - 1) / climb};
    auto const block = detail::block_shape(climbs, cuda.block);
    detail::in_launches(climbs, block, detail::most_blocks_yz, [&](detail::Piece const& piece) {
      detail::run_rising<<<detail::to_dim3(piece.blocks), detail::to_dim3(block), 0, cuda.stream>>>(
          extent, climb, piece.first_y, piece.first_z, body);
      check_cuda(cudaGetLastError(), "kernel launch");
    });
    return;
  }
  auto const block = detail::block_shape(extent, cuda.block);
  auto reach = block;
  if constexpr (Parted<Body>) reach = detail::reach_of(block, Body::points_at_once);
  auto rows = detail::most_blocks_yz;
  if constexpr (Broad<Body>) rows = detail::rows_of_strip(extent, reach, Body::bytes_of_point);
  detail::in_launches(extent, reach, detail::most_blocks_yz, rows, [&](detail::Piece const& piece) {
    auto const blocks = detail::to_dim3(piece.blocks), threads = detail::to_dim3(block);
    if constexpr (Parted<Body>) {
      detail::run_parted<<<blocks, threads, 0, cuda.stream>>>(extent, piece.first_y, piece.first_z, body);
    } else {
      detail::run_3d<<<blocks, threads, 0, cuda.stream>>>(extent, piece.first_y, piece.first_z, body);
    }
    check_cuda(cudaGetLastError(), "kernel launch");
  });
}

template <class T>
__device__ void Cuda::atomic_add(T& target, T value) {
  atomicAdd(&target, value);
}

}  // namespace ulpine
