// SPDX-License-Identifier: Apache-2.0
#include "core/exec/emulating_host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_solver(EmulatingHost host, Setup const& setup) {
  if (setup.parameters.cg != 1 || (setup.parameters.dg != 1 && setup.parameters.dg != 3)) return nullptr;
  PolicyList<EmulatedPolicy> const only;
  auto const* const name = EmulatedPolicy::name;
  auto const assembly = Assembly::deterministic;
  return setup.parameters.dg == 1 ? make_from<Space<1, 1>>(only, host, name, assembly, setup)
                                  : make_from<Space<1, 3>>(only, host, name, assembly, setup);
}

}  // namespace ulpine::seaice
