// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_quad_solver(Host host, Assembly assembly, Setup const& setup) {
  PolicyList<Quad> const only;
  return setup.parameters.dg == 1 ? make_from<Space<1, 1>>(only, host, Quad::name, assembly, setup)
                                  : make_from<Space<1, 3>>(only, host, Quad::name, assembly, setup);
}

}  // namespace ulpine::seaice
