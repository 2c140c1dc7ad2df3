// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

Solver* make_solver(Cuda cuda, char const* policy, Assembly assembly, QuadMesh const& mesh, Parameters const& parameters) {
  return make_from(DevicePolicies{}, cuda, policy, assembly, mesh, parameters);
}

}  // namespace ulpine::seaice
