// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/mesh/quad_mesh.hpp"

namespace ulpine {

/// Reads a "ParametricMesh 2.0" text file (vertices in m, land mask). InputError where it is malformed, not
/// on closed boundaries (every sea cell's side to land or outside listed as Dirichlet), periodic, all land,
/// or has bad cells (find_bad_cells).
QuadMesh read_parametric_mesh(std::filesystem::path const& path);

}  // namespace ulpine
