// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace ulpine::probe {

/// Which process of a parallel program this is.
struct Launch {
  int rank = 0, ranks = 1;
  std::string
      run;  ///< the same text for all ranks of one launch and no other's; empty where the launcher gives none
  friend bool operator==(Launch const&, Launch const&) = default;
};

/// As the environment of the launcher says it: Open MPI, MPICH and Intel MPI (PMI), Slurm. One rank where
/// none does. `variable` gives the value of a variable of the environment, or null.
Launch launch_of(std::function<char const*(char const*)> const& variable);

}  // namespace ulpine::probe
