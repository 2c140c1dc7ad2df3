// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/device.hpp"

namespace ulpine::fdm {

std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly,
                           Parameters const& parameters, std::shared_ptr<Ranks> const& team) {
  if (made_on_demand(policy, assembly)) {
    return find_instance<DeviceMaker>("fdm", policy, "make_on_device", linked_parts())(cuda, parameters,
                                                                                       team);
  }
  auto core = make(ExactPolicies{}, cuda, policy, parameters, team);
  return core != nullptr ? std::move(core) : make(RoundedPolicies{}, cuda, policy, parameters, team);
}

}  // namespace ulpine::fdm
