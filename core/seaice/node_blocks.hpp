// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/exec/host.hpp"
#include "core/mesh/lattice.hpp"

/// Kernels over the nodes of a cG2 mesh that gather from cells. A node may be a vertex, lie on a side or
/// within a cell: taken one by one, which entries of the cells' matrices belong to it is known at run time
/// only, and a row of nodes does not vectorise. In blocks of four it is known to the compiler.
namespace ulpine::seaice {

/// Cells [first_x, end_x) x [first_y, end_y) of a rank's mesh, and the nodes at their corners and sides.
struct CellRange {
  std::int32_t first_x = 0, first_y = 0, end_x = 0, end_y = 0;

  Extent2 cells() const { return {end_x - first_x, end_y - first_y}; }
  /// The nodes of a velocity of order `order` on these cells.
  Extent2 nodes(std::int32_t order) const { return {order * cells().nx + 1, order * cells().ny + 1}; }
};

/// Where blocks are of use.
template <class Executor>
concept VectorisingHost = !Executor::on_device && requires {
  requires Executor::vectorises;
};

/// The four nodes (2 cx + i, 2 cy + j), i, j = 0, 1, are block (cx, cy). A kernel has operator()(ix, iy) for
/// one node and block(cx, cy) for the four of a block within the mesh; a kernel with stop(ix, iy) leaves that
/// out of block(). Run on the host only, for the blocks from that of cell (first_x, first_y) up to that of
/// (last_x, last_y), which may be one beyond the mesh.
struct NodeBlocks {
  NodeLattice<2> nodes;
  std::int32_t first_x, first_y, last_x, last_y;

  explicit NodeBlocks(NodeLattice<2> const& of) : NodeBlocks(of, {0, 0, of.nx, of.ny}) {}
  /// The blocks that have the nodes of `cells`.
  NodeBlocks(NodeLattice<2> const& of, CellRange const& cells)
      : nodes{of}, first_x{cells.first_x}, first_y{cells.first_y}, last_x{cells.end_x}, last_y{cells.end_y} {}
};

/// The nodes of a block that reaches beyond the mesh.
template <class Kernel>
void update_rim(NodeLattice<2> const& nodes, Kernel const& kernel, std::int32_t cx, std::int32_t cy) {
  int const across = cx < nodes.nx ? 2 : 1, up = cy < nodes.ny ? 2 : 1;
#pragma GCC unroll 1
  for (int k = 0; k < across * up; ++k) kernel(2 * cx + k % across, 2 * cy + k / across);
}

template <class Kernel>
[[gnu::flatten, gnu::noinline]] void update_row_of_blocks(Kernel const& kernel, std::int32_t cy,
                                                          std::int32_t first, std::int32_t end) {
#pragma omp simd
  for (std::int32_t cx = first; cx < end; ++cx) kernel.block(cx, cy);
}
/// A row of whole blocks is vectorised. Their nodes are stopped apart: a mask of bytes among
/// numbers of eight makes g++ repeat the loop's body eightfold.
template <class Kernel>
void for_each(Host host, NodeBlocks blocks, Kernel const& kernel) {
  auto const nx = blocks.nodes.nx, ny = blocks.nodes.ny;
  auto const first = blocks.first_x, last = blocks.last_x, end = std::min(last + 1, nx);
#pragma omp parallel for schedule(static) num_threads(host.threads) if (host.threads > 1)
  for (std::int32_t cy = blocks.first_y; cy <= blocks.last_y; ++cy) {
    if (cy < ny) {
      update_row_of_blocks(kernel, cy, first, end);
      if constexpr (requires { kernel.stop(0, 0); }) {
        for (int j = 0; j < 2; ++j) {
          for (std::int32_t ix = 2 * first; ix < 2 * end; ++ix) kernel.stop(ix, 2 * cy + j);
        }
      }
    }
    for (std::int32_t cx = cy < ny ? end : first; cx <= last; ++cx) update_rim(blocks.nodes, kernel, cx, cy);
  }
}

}  // namespace ulpine::seaice
