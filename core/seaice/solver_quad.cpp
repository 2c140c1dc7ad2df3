// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

Solver* make_quad_solver(Host host, Assembly assembly, QuadMesh const& mesh, Parameters const& parameters) {
  PolicyList<Quad> const only;
  return parameters.dg == 1 ? make_from<Space<1, 1>>(only, host, Quad::name, assembly, mesh, parameters)
                            : make_from<Space<1, 3>>(only, host, Quad::name, assembly, mesh, parameters);
}

}  // namespace ulpine::seaice
