// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "core/mesh/quad_mesh.hpp"
#include "io/case_file.hpp"

namespace ulpine {

/// The mesh that a case names: `grid.mesh` (a file), else a rectangle of `grid.nx` x `grid.ny` cells,
/// `grid.length` x `grid.length_y` m, with `grid.distortion`. InputError; `require_memory(nx, ny)` may throw
/// before much is allocated.
QuadMesh read_quad_mesh(io::CaseFile const& case_file,
                        std::function<void(std::int64_t nx, std::int64_t ny)> const& require_memory);

}  // namespace ulpine
