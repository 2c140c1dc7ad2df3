// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/host_device.hpp"

namespace ulpine {

/// Length of a step, s, that may be `longest` s long, where a step has to end in `left` s: all that is left
/// where it fits into one step, half of it where it fits into two, so that no step is a sliver, else
/// `longest`.
ULPINE_HD inline double length_towards(double left, double longest) {  // bare: time is double in every policy
  return left <= longest ? left : left < 2 * longest ? left / 2 : longest;
}

}  // namespace ulpine
