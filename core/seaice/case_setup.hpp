// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/mesh/quad_mesh.hpp"
#include "core/seaice/solver.hpp"
#include "io/case_file.hpp"

namespace ulpine::seaice {

/// What a case file says of a sea-ice run.
struct CaseSetup {
  QuadMesh mesh;
  Parameters parameters;                      ///< its ocean pointers refer to `ocean_u`, `ocean_v`
  std::vector<double> ocean_u, ocean_v;       ///< m s-1 at the cG nodes
  std::vector<double> height, concentration;  ///< dG coefficients [mode][cell] at the start, zero on land
  std::vector<double> longitude, latitude;    ///< degrees at cell centres; empty where unknown
  std::string attribution;                    ///< of the input data; may be empty
  bool coefficients = false;                  ///< write the dG coefficients too
};

/// Reads and checks every key of the core; InputError otherwise. EnvironmentError where the host's memory
/// cannot hold the grid, with a solver beside it if that runs there.
CaseSetup read_case(io::CaseFile const& case_file, bool solves_on_host = true);

}  // namespace ulpine::seaice
