// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/mesh/tetra_mesh.hpp"

namespace ulpine {

/// Physical groups of a box's sides.
enum BoxSide : std::int32_t { ground = 1, lid = 2, inflow = 3, outflow = 4, south = 5, north = 6 };

/// A box of nx times ny times nz cells, one corner at the origin.
struct BoxMesh {
  std::int32_t nx = 1, ny = 1, nz = 1;
  double length[3] = {1, 1, 1};  ///< m
  double stretch = 1;            ///< thickness of a layer over that of the one below
  double jitter = 0;             ///< inner nodes move by up to that part of a cell along each axis, 0 to 1/8
  std::uint64_t seed = 0;        ///< of the jitter
};

/// Six tetrahedra a cell around its diagonal (Kuhn): triangles of neighbouring cells fit. Nodes are numbered
/// x fastest; renumber() gives them a better order. InputError where the box is none.
TetraMesh box_mesh(BoxMesh const& box);

/// Lifts every node by h (1 - z / top), h = height (1 + ((x - x0)^2 + (y - y0)^2) / radius^2)^(-3/2): a bell
/// on the ground z = 0, all in m. InputError where no room is left above it, or elements lose their volume.
struct BellMountain {
  double height = 400, radius = 1000, x0 = 0, y0 = 0, top = 16000;
  /// A twentieth of the height, into which the mesh above the summit is pressed.
  bool leaves_room() const { return height <= 0.95 * top; }
};
void raise_terrain(TetraMesh& mesh, BellMountain const& mountain);

}  // namespace ulpine
