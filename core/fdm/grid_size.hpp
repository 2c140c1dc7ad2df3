// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/grid_memory.hpp"

namespace ulpine::fdm {

/// InputError where the case's grid has more cells than the core counts.
GridSize read_grid_size(io::CaseFile const& case_file);

}  // namespace ulpine::fdm
