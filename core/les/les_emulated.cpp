// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/poisson_emulated.hpp"
// The solver in emulated formats is declared first.
#include "core/exec/reduce_emulated.hpp"
#include "core/les/les.hpp"
#include "core/les/make_part.hpp"
#include "ulpine_les_all_parts.hpp"

namespace ulpine::les {
namespace {

std::unique_ptr<Core> make_emulated(EmulatingHost host, Setup const& setup,
                                    std::shared_ptr<Ranks> const& team) {
  return make_in<EmulatedPolicy>(host, Assembly::deterministic, setup, team);
}

}  // namespace
}  // namespace ulpine::les

extern "C" {
extern ulpine::Instance const ulpine_les_emulated[];
ulpine::Instance const ulpine_les_emulated[] = {
    ulpine::instance<ulpine::les::EmulatedMaker>("make", ulpine::les::make_emulated), {}};
}
