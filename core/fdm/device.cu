// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/fdm/make_impl.hpp"

namespace ulpine::fdm {

std::unique_ptr<Core> make(Cuda cuda, std::string const& policy, Assembly, Parameters const& parameters,
                           std::shared_ptr<Ranks> const& team) {
  return with_policy(DevicePolicies{}, policy, [&]<class P>() { return make_in<P>(cuda, parameters, team); });
}

}  // namespace ulpine::fdm
