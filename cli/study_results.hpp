// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/html_report.hpp"
#include "ensembles/study/ongoing_evaluation.hpp"

namespace ulpine::cli {

/// Evaluates the study's finished runs (results.json, junit.xml, summary.md), writes report.html and prints
/// what came out. `html_required`: a missing report.html is the exit code `environment` rather than a line on
/// standard error. `ongoing`, where it is there, has evaluated runs already.
int write_study_results(Common const& common, std::filesystem::path const& study, int threads,
                        bool html_required, ChosenFields const& fields = {},
                        ensembles::OngoingEvaluation* ongoing = nullptr);

}  // namespace ulpine::cli
