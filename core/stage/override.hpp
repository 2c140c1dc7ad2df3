// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine {

/// One stage in the arithmetic of another policy than the rest of the run, or of a format (parse_format).
struct StageOverride {
  std::string stage, policy;
  friend bool operator==(StageOverride const&, StageOverride const&) = default;
};

}  // namespace ulpine
