// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ulpine {

/// Half a unit in the last place of 1 in the coarsest format that operands of a policy's hot kernels are
/// rounded to, found by rounding; of a format (parse_format) likewise, however it rounds. 0 for an unknown
/// policy.
double unit_roundoff(std::string_view policy);

}  // namespace ulpine
