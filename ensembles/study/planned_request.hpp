// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "ensembles/runs/run.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::ensembles {

/// How a planned run of the study in the folder `study` is made, with the noise of a member and what
/// `options` say of all runs.
RunRequest request_of(PlannedRun const& run, StudyOptions const& options, std::filesystem::path const& study);

}  // namespace ulpine::ensembles
