// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/parameters.hpp"

namespace ulpine::fdm {

/// InputError for a mountain of which fewer than two columns have least_felt() of its height: it lies beside
/// the grid, or between its points.
void require_mountain_on_grid(Parameters const& parameters, io::CaseFile const& case_file);
/// InputError where too few cell centres have least_felt() of the amplitude of the start's bubble, or too few
/// columns that of its wave or pulse.
void require_start_on_grid(Parameters const& parameters, io::CaseFile const& case_file);

}  // namespace ulpine::fdm
