// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/les/make_impl.hpp"

namespace ulpine::les {

std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team) {
  if (made_on_demand(policy, assembly)) {
    return find_instance<DeviceMaker>("les", policy, "make_on_device", linked_parts())(cuda, assembly, setup,
                                                                                       team);
  }
  return with_policy(DevicePolicies{}, policy,
                     [&]<class P>() { return make_in<P>(cuda, assembly, setup, team); });
}

}  // namespace ulpine::les
