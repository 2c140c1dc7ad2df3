// SPDX-License-Identifier: Apache-2.0
#include "core/fem/setup_times.hpp"

#include <chrono>

namespace ulpine::fem {

double SetupTimes::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SetupTimes::lap(double& part) {
  auto const time = now();
  part += time - last_;
  last_ = time;
}

}  // namespace ulpine::fem
