// SPDX-License-Identifier: Apache-2.0
#include "core/exec/reduce_emulated.hpp"
#include "core/fdm/make_impl.hpp"

namespace ulpine::fdm {

std::unique_ptr<Core> make(EmulatingHost host, Parameters const& parameters,
                           std::shared_ptr<Ranks> const& team) {
  return make_in<EmulatedPolicy>(host, parameters, team);
}

}  // namespace ulpine::fdm
