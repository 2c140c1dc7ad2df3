// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine {

/// Reproducibility of a stage: on what the bits that it writes depend besides its input.
enum class Guarantee {
  bitwise,     ///< nothing: the same on every backend, thread count, block size and decomposition
  run_to_run,  ///< the device and the launch: the same again and again on one
  none         ///< chance: contributions are summed in order of arrival
};
/// "bitwise", "run_to_run" or "none".
char const* name_of(Guarantee guarantee);

struct StageDescription {
  std::string name;  ///< "seaice.strain"
  std::string doc;   ///< one line
  double bytes = 0;  ///< that one launch moves at least
  Guarantee guarantee = Guarantee::bitwise;
};

}  // namespace ulpine
