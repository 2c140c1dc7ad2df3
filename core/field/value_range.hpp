// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace ulpine {

/// Values from `least` to `most`, both included; by default all that are finite.
struct ValueRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// The range from -most to most.
constexpr ValueRange at_most(double most) { return {-most, most}; }

}  // namespace ulpine
