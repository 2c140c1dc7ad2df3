// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "core/les/make_impl.hpp"

namespace ulpine::les {

std::unique_ptr<Core> make_quad(Host host, Setup const& setup) {
  return make_in<Quad>(host, Assembly::deterministic, setup);
}

}  // namespace ulpine::les
