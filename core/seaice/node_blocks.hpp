// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/extent.hpp"
#include "core/exec/host.hpp"
#include "core/mesh/lattice.hpp"

/// Kernels over the nodes of a cG2 mesh that gather from cells. A node may be a vertex, lie on a side or
/// within a cell: taken one by one, which entries of the cells' matrices belong to it is known at run time
/// only, and a row of nodes does not vectorise. In blocks of four it is known to the compiler.
namespace ulpine::seaice {

/// The four nodes (2 cx + i, 2 cy + j), i, j = 0, 1, are block (cx, cy). A kernel has operator()(ix, iy) for
/// one node and block<stops>(cx, cy) for the four of a block within the mesh; a kernel with stop(ix, iy) is
/// to leave that out of block<false>.
struct NodeBlocks {
  NodeLattice<2> nodes;
};

template <class Kernel>
struct BlockUpdate {
  NodeLattice<2> nodes;
  Kernel kernel;

  ULPINE_HD void operator()(std::int32_t cx, std::int32_t cy) const {
    if (cx < nodes.nx && cy < nodes.ny) {
      kernel.template block<true>(cx, cy);
    } else {
      rim(cx, cy);
    }
  }
  /// Of a block that reaches beyond the mesh.
  ULPINE_HD void rim(std::int32_t cx, std::int32_t cy) const {
    int const across = cx < nodes.nx ? 2 : 1, up = cy < nodes.ny ? 2 : 1;
#pragma GCC unroll 1
    for (int k = 0; k < across * up; ++k) kernel(2 * cx + k % across, 2 * cy + k / across);
  }
};

template <class Executor, class Kernel>
void for_each(Executor executor, NodeBlocks blocks, Kernel const& kernel) {
  for_each(executor, Extent2{blocks.nodes.nx + 1, blocks.nodes.ny + 1},
           BlockUpdate<Kernel>{blocks.nodes, kernel});
}

template <class Kernel>
[[gnu::flatten, gnu::noinline]] void update_row_of_blocks(Kernel const& kernel, std::int32_t cy,
                                                          std::int32_t count) {
#pragma omp simd
  for (std::int32_t cx = 0; cx < count; ++cx) kernel.template block<false>(cx, cy);
}
/// On the host a row of whole blocks is vectorised. Their nodes are stopped apart: a mask of bytes among
/// numbers of eight makes g++ repeat the loop's body eightfold.
template <class Kernel>
void for_each(Host host, NodeBlocks blocks, Kernel const& kernel) {
  auto const nx = blocks.nodes.nx, ny = blocks.nodes.ny;
  BlockUpdate<Kernel> const update{blocks.nodes, kernel};
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int32_t cy = 0; cy <= ny; ++cy) {
    if (cy < ny) {
      update_row_of_blocks(kernel, cy, nx);
      if constexpr (requires { kernel.stop(0, 0); }) {
        for (int j = 0; j < 2; ++j) {
          for (std::int32_t ix = 0; ix < 2 * nx; ++ix) kernel.stop(ix, 2 * cy + j);
        }
      }
    }
    for (std::int32_t cx = cy < ny ? nx : 0; cx <= nx; ++cx) update.rim(cx, cy);
  }
}

}  // namespace ulpine::seaice
