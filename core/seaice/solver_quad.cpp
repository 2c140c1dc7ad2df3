// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_quad_solver(Host host, Assembly assembly, Setup const& setup) {
  return make_any_order<PolicyList<Quad>>(host, Quad::name, assembly, setup);
}

}  // namespace ulpine::seaice
