// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/case_keys.hpp"

namespace ulpine::fem {

/// Every key that cases of `core = "fem"` may have, but for those of all cores (io/case_keys.hpp).
std::vector<io::CaseKey> const& case_keys();

}  // namespace ulpine::fem
