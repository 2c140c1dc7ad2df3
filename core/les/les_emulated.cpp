// SPDX-License-Identifier: Apache-2.0
#include "core/les/emulated.hpp"
#include "core/les/make_impl.hpp"

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
