// SPDX-License-Identifier: Apache-2.0
#include "core/exec/batched.cuh"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_solver(Cuda cuda, std::string const& policy, Assembly assembly,
                                    Setup const& setup) {
  if (setup.parameters.cg != 1) {
    return nullptr;
  }
  switch (setup.parameters.dg) {
    case 1:
      return make_from<Space<1, 1>>(DevicePolicies{}, cuda, policy, assembly, setup);
    case 3:
      return make_from<Space<1, 3>>(DevicePolicies{}, cuda, policy, assembly, setup);
    default:
      return nullptr;
  }
}

}  // namespace ulpine::seaice
