// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/ensemble_options.hpp"
#include "cli/run_options.hpp"
#include "core/stage/override.hpp"

namespace ulpine::cli {

/// The stages with a policy of their own: those of `--stages-from`, a file that a search wrote, and of
/// `--stage`. A file of another case, or of shorter runs, is told on standard error. InputError where a stage
/// is in both, or the file is for stages of runs in another policy.
std::vector<StageOverride> stages_of(RunOptions const& options);

/// Adds the configuration of `--stages-from` to the study's, which are listed one by one then. Its device is
/// the first.
void add_stages_from(EnsembleOptions const& options, ensembles::StudyOptions& study);

}  // namespace ulpine::cli
