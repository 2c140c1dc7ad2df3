// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/solver.hpp"

#include <cstring>

namespace ulpine::seaice {

// One source file an order keeps the compilation of each within bounds.
Solver* make_cg1_dg1_solver(Host, char const*, Assembly, QuadMesh const&, Parameters const&);
Solver* make_cg1_dg3_solver(Host, char const*, Assembly, QuadMesh const&, Parameters const&);
Solver* make_quad_solver(Host, Assembly, QuadMesh const&, Parameters const&);

Solver* make_solver(Host host, char const* policy, Assembly assembly, QuadMesh const& mesh,
                    Parameters const& parameters) {
  if (parameters.cg != 1 || (parameters.dg != 1 && parameters.dg != 3)) {
    return nullptr;
  }
  if (std::strcmp(policy, "quad") == 0) {
    return make_quad_solver(host, assembly, mesh, parameters);
  }
  return parameters.dg == 1 ? make_cg1_dg1_solver(host, policy, assembly, mesh, parameters)
                            : make_cg1_dg3_solver(host, policy, assembly, mesh, parameters);
}

}  // namespace ulpine::seaice
