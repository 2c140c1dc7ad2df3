// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/field/layout.hpp"
#include "core/mesh/quad_mesh.hpp"
#include "core/ranks/blocks.hpp"
#include "core/ranks/ranks.hpp"

namespace ulpine::seaice {

struct Setup;

/// Cells beside a block that its rank has, too, where another block is.
struct Margin {
  std::int32_t west = 0, east = 0, south = 0, north = 0;
};

/// The block of one of several ranks. What it computes is true on fewer of the halo's cells with every
/// sub-step and every stage of the advection; after `halo` of them all of the block and nothing else is.
struct Block {
  std::shared_ptr<Ranks> team;
  Blocks cells;           ///< where the cells of the whole mesh are cut, and which of the pieces this is
  std::int32_t halo = 0;  ///< cells, and sub-steps between two exchanges
  Margin margin = {};
  bool equal_cells = false;  ///< whether all cells of the whole mesh are equal (QuadMesh::uniform)
  CellCorners first = {};    ///< cell (0, 0) of the whole mesh, whose matrices equal cells share
};

/// How wide halos are. The advection needs as many cells as it has stages. Messages are short and their
/// number is what costs, so that more sub-steps go between them: four, on the host where blocks are wide
/// enough; on a device what strips (substeps_plan.hpp) take, four in double precision and six in single.
std::int32_t halo_of(Setup const& setup, Ranks const& team, bool on_device, bool wide);

/// This rank's part of `whole` with its halo. InputError where blocks would be smaller than a halo.
Setup block_of(Setup const& whole, std::shared_ptr<Ranks> const& team, std::int32_t halo);

/// The layout of values that `setup` has row by row, one for each cell (`order` 0) or for each node of the
/// velocity of that order.
Layout layout_of(Setup const& setup, int order = 0);

}  // namespace ulpine::seaice
