// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/exec/memory.hpp"

namespace ulpine::fem {

/// Where the time of making a core goes, s by the clock, each part after the device has done its work.
struct SetupTimes {
  double connectivity = 0;  ///< elements to the executor, visits, pattern, places in it
  double plans = 0;         ///< lists of the ways of assembly
  double solvers = 0;       ///< matrices that stay, multigrid, Krylov methods
  double rest = 0;          ///< fields, what the case says of every node

  /// The time since the last call, or since this was made, is that of `part`, too.
  void lap(double& part) {
    auto const time = now();
    part += time - last_;
    last_ = time;
  }

 private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double last_ = now();
};

/// Nothing where `times` is null.
template <class Executor>
void lap(Executor executor, SetupTimes* times, double SetupTimes::*part) {
  if (times == nullptr) return;
  synchronize(executor);
  times->lap(times->*part);
}

}  // namespace ulpine::fem
