// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/mesh/tetra_mesh.hpp"

namespace ulpine {

/// The mesh in the text of a file of format 4.1 of gmsh, ASCII or binary: its linear tetrahedra, and the
/// triangles of surfaces that are in a physical group (the first where there are more); settled and
/// renumbered. InputError, naming `source`, where it is no such file or no such mesh.
TetraMesh parse_gmsh(std::string_view text, std::string const& source);

/// The same of a file.
TetraMesh read_gmsh(std::string const& path);

}  // namespace ulpine
