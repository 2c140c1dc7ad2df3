// SPDX-License-Identifier: Apache-2.0
#include <ulpine/cli/command.hpp>
#include <ulpine/core/exec/host.hpp>
#include <ulpine/precision/host_policies.hpp>
#include "physics.hpp"

std::unique_ptr<ulpine::Core> shallow_water::make(Host host, io::CaseFile const& c, ModelOptions const& o) {
  return make_in(HostPolicies{}, host, c, o);
}

int main(int argc, char** argv) {
  return ulpine::command_main(argc, argv, [] {
    auto const make = [](auto const& c, auto const& o) {
      return model_on(o, c, [&](auto on) { return shallow_water::make(on, c, o); });
    };
    ulpine::register_model("shallow_water", "layers of shallow water on a rotating plane", make, false,
                           shallow_water::judging);
    ulpine::register_on_ranks("shallow_water");
  });
}
