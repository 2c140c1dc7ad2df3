// SPDX-License-Identifier: Apache-2.0
#include "core/exec/emulating_host.hpp"
#include "core/exec/reduce_emulated.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_solver(EmulatingHost host, Setup const& setup) {
  return make_any_order<PolicyList<EmulatedPolicy>>(host, EmulatedPolicy::name, Assembly::deterministic,
                                                    setup);
}

}  // namespace ulpine::seaice
