// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "core/les/make_impl.hpp"
#include "io/error.hpp"

namespace ulpine::les {

std::unique_ptr<Core> make_quad(Host host, Setup const& setup, std::shared_ptr<Ranks> const& team) {
  auto const& p = setup.parameters;
  if (several(team) && (p.step == 0 || p.volume_flow || (p.exact_walls && setup.built()))) {
    throw InputError(
        "policy quad adds and compares on one rank only, which time.courant, force.mean_u and "
        "pressure.buildings = \"exact\" need; use one rank");
  }
  return make_in<Quad>(host, Assembly::deterministic, setup, team);
}

}  // namespace ulpine::les
