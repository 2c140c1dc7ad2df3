// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/exec/host.hpp"
#include "core/les/les.hpp"
#include "core/les/make_part.hpp"
#include "ulpine_les_all_parts.hpp"

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
