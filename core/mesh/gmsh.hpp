// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/mesh/tetra_mesh.hpp"

namespace ulpine {

/// The mesh in the text of a file of gmsh of format 2.0 to 2.2, 4.0 or 4.1, ASCII or binary of either byte
/// order: its linear tetrahedra, settled and renumbered, without nodes that none has. Boundary triangles have
/// all physical groups of their surface; where the file has no group of surfaces, all are on a side 1 called
/// `boundary`. Coordinates are taken for metres. InputError, naming `source`, where it is no such file, one
/// part of a partitioned mesh, or no such mesh.
TetraMesh parse_gmsh(std::string_view text, std::string const& source);

/// parse_gmsh() of the content of the file at `path`.
TetraMesh read_gmsh(std::string const& path);

}  // namespace ulpine
