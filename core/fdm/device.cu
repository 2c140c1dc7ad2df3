// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/device.hpp"

namespace ulpine::fdm {

std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly, Parameters const& parameters,
                           std::shared_ptr<Ranks> const& team) {
  auto core = make(ExactPolicies{}, cuda, policy, parameters, team);
  return core != nullptr ? std::move(core) : make(RoundedPolicies{}, cuda, policy, parameters, team);
}

}  // namespace ulpine::fdm
