// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ensembles/study/case_source.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::ensembles {

/// What can be said of the amplitudes of a planned study before it runs, a line each: those above the
/// tolerated perturbation (`verify.tolerated` of the case or its core), whose members judge nothing, and that
/// there are no members at the tolerated one. InputError for a case that cannot be read.
std::vector<std::string> doubts_about_amplitudes(CaseSource const& source, StudyPlan const& plan);

}  // namespace ulpine::ensembles
