// SPDX-License-Identifier: Apache-2.0
#include <ulpine/core/exec/cuda.cuh>
#include "make.hpp"
#include "shallow_water.hpp"

namespace shallow_water {

std::unique_ptr<Core> make(Parameters const& parameters, std::string const& policy, Cuda cuda) {
  return with_policy(DevicePolicies{}, policy, [&]<class P>() -> std::unique_ptr<Core> {
    return std::make_unique<ShallowWater<P, Cuda>>(parameters, cuda);
  });
}

}  // namespace shallow_water
