// SPDX-License-Identifier: Apache-2.0
#include "core/exec/plain_host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_rounded_solver(Host host, std::string const& policy, Assembly assembly,
                                            Setup const& setup) {
  return make_any_order<RoundedPolicies>(PlainHost{host}, policy, assembly, setup);
}

}  // namespace ulpine::seaice
