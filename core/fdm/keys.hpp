// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/model/grid_memory.hpp"
#include "io/case_keys.hpp"

namespace ulpine::fdm {

/// Every key that a case of `core = "fdm"` may have, those of all cores apart.
std::vector<io::CaseKey> const& case_keys();
/// InputError where the case's grid has more cells than the core counts.
GridSize read_grid_size(io::CaseFile const& case_file);

}  // namespace ulpine::fdm
