// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "probe/source/part.hpp"

namespace ulpine::probe {

/// Whether two elements of a type are the same as the hash of a field sees them: NaN is one value, truth
/// values are true or false, -0 is 0 where `zeros_equal`. Of any alignment.
bool same_element(ulpine_type type, bool zeros_equal, std::byte const* a, std::byte const* b);

/// Two elements that differ, as people read them: "2.9999999999999994e+02 (0x4072bfffffffffff)
/// here, 3.0000000000000000e+02 (0x4072c00000000000) there, 1 unit in the last place apart". Without a
/// distance where one is NaN or infinite.
std::string difference_text(ulpine_type type, std::byte const* here, std::byte const* there);

}  // namespace ulpine::probe
