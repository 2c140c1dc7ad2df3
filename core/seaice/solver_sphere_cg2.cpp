// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_cg2_sphere_solver(Host host, std::string const& policy, Assembly assembly,
                                               Setup const& setup) {
  return make_sphere_order<2, ComparedPolicies>(host, policy, assembly, setup);
}

}  // namespace ulpine::seaice
