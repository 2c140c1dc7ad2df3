// SPDX-License-Identifier: Apache-2.0
#include <ulpine/core/exec/host.hpp>

#include <ulpine/precision/quad.hpp>
#include "make.hpp"
#include "shallow_water.hpp"

namespace shallow_water {

std::unique_ptr<Core> make(Parameters const& parameters, std::string const& policy, Host host) {
  return with_policy(HostPolicies{}, policy, [&]<class P>() -> std::unique_ptr<Core> {
    return std::make_unique<ShallowWater<P, Host>>(parameters, host);
  });
}

}  // namespace shallow_water
