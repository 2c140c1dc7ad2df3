// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

Solver* make_solver(Cuda cuda, char const* policy, Assembly assembly, QuadMesh const& mesh,
                    Parameters const& parameters) {
  if (parameters.cg != 1) {
    return nullptr;
  }
  switch (parameters.dg) {
    case 1:
      return make_from<Space<1, 1>>(DevicePolicies{}, cuda, policy, assembly, mesh, parameters);
    case 3:
      return make_from<Space<1, 3>>(DevicePolicies{}, cuda, policy, assembly, mesh, parameters);
    default:
      return nullptr;
  }
}

}  // namespace ulpine::seaice
