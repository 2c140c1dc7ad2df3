// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/seaice/make_parts.hpp"
#include "core/seaice/tensor_stress.cuh"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_cg2_solver(Cuda cuda, std::string const& policy, Assembly assembly,
                                        Setup const& setup) {
  return make_on_plane<SecondOrder, DevicePolicies>(cuda, policy, assembly, setup);
}

}  // namespace ulpine::seaice
