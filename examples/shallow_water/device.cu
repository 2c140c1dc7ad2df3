// SPDX-License-Identifier: Apache-2.0
#include <ulpine/core/exec/cuda.cuh>
#include "physics.hpp"

std::unique_ptr<ulpine::Core> shallow_water::make(Cuda cuda, io::CaseFile const& c, ModelOptions const& o) {
  return make_in(DevicePolicies{}, cuda, c, o);
}
