// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ensembles/search/assignment.hpp"
#include "ensembles/study/manifest.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study_evaluation.hpp"

namespace ulpine::ensembles::search {

/// The answer of a verdict and its largest error, with the field and time that it is of; no ratio without
/// errors.
Outcome outcome_of(verification::Verdict const& verdict);

/// Judges runs by their errors and by the gates, as the verdicts do, and by their statistics against a study
/// of the reference and its members at the tolerated amplitude, whose outputs are read once. Safe for several
/// threads.
class ErrorJudge {
 public:
  /// InputError where the study is none or its reference has not run, RunFailed where that failed;
  /// Interrupted.
  ErrorJudge(std::filesystem::path study, ResultsOptions options);

  /// Judges an unperturbed run, with its path below the study. `problem`: why it has no record; empty if it
  /// has. `wall_s` stays 0.
  Outcome judge(PlannedRun const& run, std::string const& problem) const;

 private:
  std::filesystem::path study_;
  ResultsOptions options_;
  Manifest manifest_;
  std::vector<EvaluatedRun> members_;                    ///< members of the reference
  std::map<std::string, verification::MeanSd> scatter_;  ///< of the members' statistics at the end
};

}  // namespace ulpine::ensembles::search
