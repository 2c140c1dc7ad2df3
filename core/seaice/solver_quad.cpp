// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

Solver* make_quad_solver(Host host, char const* policy, Assembly assembly, QuadMesh const& mesh, Parameters const& parameters) {
  return make_from(PolicyList<Quad>{}, host, policy, assembly, mesh, parameters);
}

}  // namespace ulpine::seaice
