// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::fem {

/// The first option of a text of PETSc's options that a case may not give by itself: one that does not say
/// how a system is solved, as those that name files, viewers, logs, libraries or code, or a word that could
/// be a path. Empty where all may be given. Options of solvers within solvers count by their last part
/// ("-mg_levels_sub_pc_type"). What PETSc itself says to the options is another matter.
std::string unfit_petsc_option(std::string const& options);

}  // namespace ulpine::fem
