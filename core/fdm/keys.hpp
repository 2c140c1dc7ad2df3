// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/case_keys.hpp"

namespace ulpine::fdm {

/// Every key that a case of `core = "fdm"` may have, those of all cores apart.
std::vector<io::CaseKey> const& case_keys();

}  // namespace ulpine::fdm
