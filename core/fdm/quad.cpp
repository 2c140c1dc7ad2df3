// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "core/fdm/make_impl.hpp"

namespace ulpine::fdm {

std::unique_ptr<Core> make_quad(Host host, Parameters const& parameters, std::shared_ptr<Ranks> const& team) {
  return make_in<Quad>(host, parameters, team);
}

}  // namespace ulpine::fdm
