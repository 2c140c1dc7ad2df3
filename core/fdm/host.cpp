// SPDX-License-Identifier: Apache-2.0
#include "core/exec/counting_host.hpp"
#include "core/exec/emulating_host.hpp"
#include "core/fdm/make.hpp"

namespace ulpine::fdm {

std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly,
                           Parameters const& parameters, std::shared_ptr<Ranks> const& team) {
  auto const* const row = find_policy(policy);
  if (row == nullptr || (row->runs != Runs::everywhere && assembly != Assembly::deterministic))
    return nullptr;
  return find_instance<Maker>("fdm", policy, "make", linked_parts())(host, parameters, team);
}

std::unique_ptr<Core> make(EmulatingHost host, Parameters const& parameters,
                           std::shared_ptr<Ranks> const& team) {
  return find_instance<EmulatedMaker>("fdm", "emulated", "make", linked_parts())(host, parameters, team);
}

std::unique_ptr<Core> make(CountingHost host, Parameters const& parameters) {
  return find_instance<CountedMaker>("fdm", "counted", "make", linked_parts())(host, parameters, {});
}

}  // namespace ulpine::fdm
