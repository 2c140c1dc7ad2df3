// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_sphere_solver(Cuda cuda, std::string const& policy, Assembly assembly,
                                           Setup const& setup) {
  return setup.parameters.cg == 1 ? make_sphere_order<1, DevicePolicies>(cuda, policy, assembly, setup)
                                  : make_sphere_order<2, DevicePolicies>(cuda, policy, assembly, setup);
}

}  // namespace ulpine::seaice
