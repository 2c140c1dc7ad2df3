// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "ensembles/study/case_source.hpp"
#include "ensembles/study/plan.hpp"
#include "ensembles/study/study.hpp"
#include "verification/statistics/suggestion.hpp"

namespace ulpine::ensembles {

/// Runs the reference of `study` once without and once with noise of the least of its amplitudes, in
/// `folder`, and suggests from how the noise grows what a study may be made with. InputError; RunFailed where
/// a run fails; Interrupted.
verification::Suggestion suggested_study(CaseSource const& source, StudyOptions const& study,
                                         std::filesystem::path const& folder,
                                         StudyExecution const& execution);

/// For people; `command` begins the command that it suggests.
std::string table(verification::Suggestion const& suggestion, std::string const& command);

}  // namespace ulpine::ensembles
