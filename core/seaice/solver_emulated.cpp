// SPDX-License-Identifier: Apache-2.0
#include "core/exec/emulating_host.hpp"
#include "core/exec/reduce_emulated.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_solver(EmulatingHost host, Setup const& setup) {
  using Only = PolicyList<EmulatedPolicy>;
  auto const* const name = EmulatedPolicy::name;
  auto const assembly = Assembly::deterministic;
  if (setup.mesh.spherical) return make_sphere_order<Only>(host, name, assembly, setup);
  return setup.parameters.cg == 1 ? make_order<1, Only>(host, name, assembly, setup)
                                  : make_order<2, Only>(host, name, assembly, setup);
}

}  // namespace ulpine::seaice
