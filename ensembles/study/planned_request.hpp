// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "ensembles/runs/run.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::ensembles {

/// What the configuration of a variant says of a run; with `threads` where it says none.
void take_variant(Configuration const& configuration, int threads, RunRequest& request);

/// How a planned run of the study in the folder `study` is made, with the noise of a member and what
/// `options` say of all runs.
RunRequest request_of(PlannedRun const& run, StudyOptions const& options, std::filesystem::path const& study);

}  // namespace ulpine::ensembles
