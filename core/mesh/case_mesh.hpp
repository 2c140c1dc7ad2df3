// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/mesh/quad_mesh.hpp"
#include "core/mesh/sphere.hpp"
#include "io/case_file.hpp"
#include "io/case_keys.hpp"

namespace ulpine {

/// The keys that the functions below read.
std::vector<io::CaseKey> const& quad_mesh_keys();

/// The mesh that a case names: `grid.mesh` (a file), else a rectangle of `grid.nx` x `grid.ny` cells,
/// `grid.length` x `grid.length_y` m, with `grid.distortion`; each cell of either divided into
/// `grid.refinement` x `grid.refinement`. InputError; `require_memory(nx, ny)` may throw before much is
/// allocated.
QuadMesh read_quad_mesh(io::CaseFile const& case_file,
                        std::function<void(std::int64_t nx, std::int64_t ny)> const& require_memory);

/// Reads the case's key `grid.refinement`.
std::int32_t read_refinement(io::CaseFile const& case_file);

/// The turn of the sphere by `grid.rotation_z` and `grid.rotation_y` degrees.
sphere::Rotation read_rotation(io::CaseFile const& case_file);
/// The mesh on the sphere that a case names, all sea: the vertices of `grid.mesh`, a NetCDF file, turned;
/// else the patch from `grid.west` to `grid.east` and `grid.south` to `grid.north` (degrees of the mesh's own
/// coordinates) of `grid.nx` x `grid.ny` cells; refined as above. Its cells are checked by
/// require_valid_cells(), once the land is known.
QuadMesh read_sphere_mesh(io::CaseFile const& case_file, sphere::Rotation const& rotation,
                          std::function<void(std::int64_t nx, std::int64_t ny)> const& require_memory);
/// InputError for a mesh with bad sea cells.
void require_valid_cells(io::CaseFile const& case_file, QuadMesh const& mesh);

}  // namespace ulpine
