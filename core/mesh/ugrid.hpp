// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/mesh/tetra_mesh.hpp"
#include "io/netcdf.hpp"

namespace ulpine {

/// Gives `topology` the mesh's boundary triangles, all but their nodes, and their groups with all names. The
/// sources keep what they need.
void describe_boundary(TetraMesh const& mesh, io::UnstructuredMesh& topology);

/// The mesh as a file of NetCDF by the conventions UGRID-1.0: topology `mesh`, its boundary triangles and
/// their groups, names included; node_number and element_number are not written. EnvironmentError where the
/// file cannot be written.
void write_ugrid(std::filesystem::path const& path, TetraMesh const& mesh);

/// The tetrahedra of a file by UGRID-1.0, of write_ugrid() or others, settled and renumbered: nodes counted
/// from 0 or 1, volumes along either dimension, padded with fill values or not, coordinates in m or km.
/// Numbers of nodes and elements are those of the file, counted from its start_index. Boundary triangles are
/// those of the topology's `boundary_node_connectivity`, their ids the variable that its `boundary_id` names,
/// and what groups they are in besides the bits of the variables that its `boundary_groups` names;
/// of a topology without them they are those of one tetrahedron, all of a side 1 called `boundary`.
/// InputError, naming file and variable, where it is no such file or no such mesh.
TetraMesh read_ugrid(std::filesystem::path const& path);

}  // namespace ulpine
