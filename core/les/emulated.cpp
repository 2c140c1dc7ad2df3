// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/emulated.hpp"
#include "core/exec/reduce_emulated.hpp"
#include "core/les/make_impl.hpp"

namespace ulpine::les {

std::unique_ptr<Core> make(EmulatingHost host, Setup const& setup, std::shared_ptr<Ranks> const& team) {
  return make_in<EmulatedPolicy>(host, Assembly::deterministic, setup, team);
}

}  // namespace ulpine::les
