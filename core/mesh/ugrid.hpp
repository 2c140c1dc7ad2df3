// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/mesh/tetra_mesh.hpp"

namespace ulpine {

/// The mesh as a file of NetCDF by the conventions UGRID-1.0: topology `mesh`, its boundary triangles and
/// their ids. Characters of groups' names that CF's flag_meanings cannot hold become `_`; node_number and
/// element_number are not written. EnvironmentError where the file cannot be written.
void write_ugrid(std::filesystem::path const& path, TetraMesh const& mesh);

/// The tetrahedra of a file by UGRID-1.0, of write_ugrid() or others, settled and renumbered: nodes counted
/// from 0 or 1, volumes along either dimension, padded with fill values or not, coordinates in m or km.
/// Numbers of nodes and elements are those of the file, counted from its start_index. Boundary triangles are
/// those of the topology's `boundary_node_connectivity`, their ids the variable that its `boundary_id` names;
/// of a topology without them they are those of one tetrahedron, all of a side 1 called `boundary`.
/// InputError, naming file and variable, where it is no such file or no such mesh.
TetraMesh read_ugrid(std::filesystem::path const& path);

}  // namespace ulpine
