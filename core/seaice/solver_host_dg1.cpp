// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

Solver* make_cg1_dg1_solver(Host host, char const* policy, Assembly assembly, QuadMesh const& mesh,
                            Parameters const& parameters) {
  return make_from<Space<1, 1>>(DevicePolicies{}, host, policy, assembly, mesh, parameters);
}

}  // namespace ulpine::seaice
