// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "core/seaice/solver_factory_impl.hpp"

namespace ulpine::seaice {

std::unique_ptr<Solver> make_quad_solver(Host host, Assembly assembly, Setup const& setup) {
  using Only = PolicyList<Quad>;
  if (setup.mesh.spherical) return make_sphere_order<Only>(host, Quad::name, assembly, setup);
  return setup.parameters.cg == 1 ? make_order<1, Only>(host, Quad::name, assembly, setup)
                                  : make_order<2, Only>(host, Quad::name, assembly, setup);
}

}  // namespace ulpine::seaice
