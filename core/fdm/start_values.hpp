// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace ulpine::fdm {

/// `look_up` of a height, which is called anew where the height is another: over flat ground once a level.
template <class LookUp>
auto by_height(LookUp look_up) {
  return [look_up, last = std::numeric_limits<double>::quiet_NaN(), value = 0.0](double z) mutable {
    if (z != last) {
      last = z;
      value = look_up(z);
    }
    return value;
  };
}

}  // namespace ulpine::fdm
