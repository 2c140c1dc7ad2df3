// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "ensembles/study/manifest.hpp"
#include "ensembles/study/plan.hpp"
#include "ensembles/study/study.hpp"

namespace ulpine::ensembles {

/// Runs what is open of the study in `folder`, each device's runs side by side with those of the others. A
/// run that fails is recorded, and the others go on; an EnvironmentError and the InputError of the reference,
/// without which nothing can be judged, end the study. manifest.json is brought up to date every few seconds
/// and at the end.
StudyOutcome run_open(Manifest manifest, StudyOptions options, std::filesystem::path const& folder,
                      StudyExecution const& execution);

}  // namespace ulpine::ensembles
