// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ensembles/study/case_source.hpp"
#include "ensembles/study/manifest.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::ensembles {

/// The manifest of the study with its planned runs, none of which has been done. Models are made on the host
/// to check the case against its core: where a study is planned there may be no GPU. InputError for what core
/// or evaluation refuse, times that are no multiples of the step and fields that cannot be perturbed.
Manifest wanted_manifest(CaseSource const& source, StudyPlan const& plan);

}  // namespace ulpine::ensembles
