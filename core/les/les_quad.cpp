// SPDX-License-Identifier: Apache-2.0
#include "core/exec/quad_host.hpp"
#include "core/les/make_impl.hpp"

namespace ulpine::les {
namespace {

std::unique_ptr<Core> make_quad(Host host, Setup const& setup, std::shared_ptr<Ranks> const& team) {
  return make_in<Quad>(host, Assembly::deterministic, setup, team);
}

}  // namespace
}  // namespace ulpine::les

extern "C" {
extern ulpine::Instance const ulpine_les_quad[];
ulpine::Instance const ulpine_les_quad[] = {
    ulpine::instance<ulpine::les::Maker>("make", ulpine::les::make_quad), {}};
}
