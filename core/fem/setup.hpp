// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/fem/parameters.hpp"
#include "core/mesh/tetra_mesh.hpp"
#include "io/netcdf.hpp"

namespace ulpine::fem {

/// The values that a case gives every node, in the mesh's order, in double on the host.
struct Setup {
  Parameters parameters;
  TetraMesh mesh = {};
  /// Where the node that counts as n-th outside lies: outputs are in the order of the file or the box.
  std::vector<std::int64_t> place = {};
  std::vector<std::uint8_t> fixed = {};
  std::vector<double> volume = {};                               ///< int N_i, m3
  std::vector<double> ground = {};                               ///< x of the ground's area towards it, m2
  std::vector<double> rain_ground = {};                          ///< level area of the boundary below, m2
  std::vector<double> theta = {}, pressure = {}, humidity = {};  ///< of the base state; the last in kg kg-1
  std::vector<double> wind = {};                                 ///< of the base state, m s-1, 3 a node
  std::vector<double> absorption = {}, theta_absorption = {};    ///< s-1
  std::vector<double> start_theta = {}, vapour = {}, cloud = {}, rain = {};  ///< of the start
  /// Wind and departure of the pressure at the start, of a file; empty: the base state's wind, and none.
  std::vector<double> start_u = {}, start_v = {}, start_w = {}, start_departure = {};
  std::vector<double> open_area = {};  ///< of the open sides outward, m2, 3 a node

  std::int32_t nodes() const { return mesh.nodes(); }
  std::array<double, 3> point(std::int32_t node) const;
};

/// The mesh "mesh" of the outputs, nodes and elements in the order of the file or the box.
io::UnstructuredMesh output_mesh(Setup const& setup);

/// InputError for a bad key, and for a mesh that is none or reaches above the atmosphere.
Setup read_case(io::CaseFile const& c);

}  // namespace ulpine::fem
