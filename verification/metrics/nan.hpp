// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace ulpine::verification {

/// The value of a statistic that is not defined.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace ulpine::verification
