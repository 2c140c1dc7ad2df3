// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "core/exec/collector.hpp"
#include "core/exec/cuda.cuh"

/// Launches that members of a batch share: the member is the slowest dimension of the grid.
namespace ulpine {
namespace detail {

inline constexpr std::size_t most_kernel_bytes = 32764;  ///< CUDA's limit for arguments, since 12.1
inline constexpr std::size_t most_members_a_launch = 32;

/// A kernel's body for each of several members.
template <class Body>
struct Bodies {
  static constexpr std::size_t most =
      std::min(most_members_a_launch, (most_kernel_bytes - 64) / sizeof(Body));
  static_assert(most > 0, "a kernel's arguments must fit a launch");
  Body of_member[most];
};

template <class Body>
__global__ void __launch_bounds__(most_threads)
    run_2d_members(Extent2 extent, unsigned first_y, __grid_constant__ Bodies<Body> const bodies) {
  auto const ix = blockIdx.x * blockDim.x + threadIdx.x;
  auto const iy = first_y + blockIdx.y * blockDim.y + threadIdx.y;
  if (ix < static_cast<unsigned>(extent.nx) && iy < static_cast<unsigned>(extent.ny)) {
    bodies.of_member[blockIdx.z](static_cast<std::int32_t>(ix), static_cast<std::int32_t>(iy));
  }
}

/// LaunchList::Give of a body over a lattice.
template <class Body>
void give_2d(Cuda cuda, Extent3 lattice, std::span<std::byte const* const> arguments) {
  Extent2 const extent{lattice.nx, lattice.ny};
  Bodies<Body> bodies;
  for (std::size_t begin = 0; begin < arguments.size(); begin += Bodies<Body>::most) {
    auto const count = std::min(Bodies<Body>::most, arguments.size() - begin);
    for (std::size_t member = 0; member < count; ++member) {
      std::memcpy(&bodies.of_member[member], arguments[begin + member], sizeof(Body));
    }
    if (count == 1) {
      for_each(cuda, extent, bodies.of_member[0]);
      continue;
    }
    DeviceGuard const guard(cuda.ordinal);
    auto const block = block_shape(lattice, cuda.block);
    in_launches(lattice, block, most_blocks_yz, [&](Piece const& piece) {
      auto grid = to_dim3(piece.blocks);
      grid.z = static_cast<unsigned>(count);
      run_2d_members<<<grid, to_dim3(block), 0, cuda.stream>>>(extent, piece.first_y, bodies);
      check_cuda(cudaGetLastError(), "kernel launch");
    });
  }
}

}  // namespace detail

/// body(ix, iy) for every point of the lattice, at once or, while it is collected, with that of other
/// members.
template <class Body>
void for_each(BatchableCuda cuda, Extent2 extent, Body const& body) {
  auto* const collector = collector_of(cuda);
  if (collector == nullptr) {
    for_each(static_cast<Cuda const&>(cuda), extent, body);
  } else if (extent.size() > 0) {
    collector->list().add(&detail::give_2d<Body>, {extent.nx, extent.ny, 1}, body);
  }
}

}  // namespace ulpine
