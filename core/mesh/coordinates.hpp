// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/mesh/quad_mesh.hpp"
#include "io/netcdf.hpp"

namespace ulpine {

/// `x`, `y` (m) of the cell centres and `xn`, `yn` of the cG nodes of order `cg`, along the first row and
/// column. On the sphere, whose rows and columns are curved, steps of the mean length of sea cells' sides:
/// where things are is told by longitude and latitude.
std::vector<io::Coordinate> quad_coordinates(QuadMesh const& mesh, int cg = 1);

}  // namespace ulpine
