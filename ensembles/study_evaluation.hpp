// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ensembles/manifest.hpp"
#include "ensembles/plan.hpp"
#include "ensembles/results.hpp"
#include "io/case_file.hpp"
#include "verification/evaluation.hpp"
#include "verification/frame.hpp"
#include "verification/results.hpp"

namespace ulpine::ensembles {

/// A run, and what is known of it.
struct EvaluatedRun {
  verification::RunResult result;
  PlannedRun plan;
  /// Of members: relative L2 errors against the unperturbed run of the same policy and assembly, by field and
  /// time.
  std::map<std::string, std::vector<double>> growth;
  /// Of evaluations that are means over time, by name, as far as outputs have been read.
  std::map<std::string, verification::EvaluationOverTime> means;
};

/// A study while it is evaluated; compute_results() lets each of the functions below add its part, in their
/// order.
struct StudyEvaluation {
  std::filesystem::path study;
  ResultsOptions const& options;
  Manifest manifest;
  io::CaseFile case_file;
  std::string declared;  ///< by the core: TOML
  verification::FrameLayout layout;
  std::vector<verification::FittedEvaluation> evaluations;
  std::vector<EvaluatedRun> runs;
  std::map<std::string, std::string> builds;  ///< version and commit by run
  verification::StudyResults results;

  PlannedRun const& reference() const { return manifest.entries.front().run; }
  std::filesystem::path output_of(PlannedRun const& run) const { return study / run.path / "output.nc"; }
};

/// The study in `folder` with what is judged of it and the records of the runs of `manifest`, whose states
/// are known (results.cpp). `options` outlives it. InputError where the reference has not run.
StudyEvaluation begin_evaluation(std::filesystem::path const& folder, Manifest manifest,
                                 ResultsOptions const& options);
/// What follows from its evaluated runs, to the verdicts (results.cpp).
verification::StudyResults finish_evaluation(StudyEvaluation study);

/// Runs and their records (collected_runs.cpp).
void collect_runs(StudyEvaluation& study);
/// Errors over time and what the evaluators make of the files (evaluated_files.cpp): every run against the
/// reference, members against their unperturbed run. Frames of those are read once for all runs, as many
/// times together as fit in memory.
void evaluate_files(StudyEvaluation& study);
/// How far the reference is from the run in `quad`, where there is one (reference_error.cpp).
void fill_reference_error(StudyEvaluation& study);
/// Adds the errors of a field at one more time, by level where it has levels (evaluated_files.cpp).
void add_errors(verification::ErrorSeries& series, std::vector<double> const& values,
                std::vector<double> const& reference, verification::FrameLayout const& layout,
                std::string const& field);
/// Means and spreads over members (ensemble_results.cpp).
void fill_ensembles(StudyEvaluation& study);
/// What the evaluators alone make of noise of each amplitude on the reference's own fields (controls.cpp).
void fill_controls(StudyEvaluation& study);
/// Unperturbed runs of equal bits (collected_runs.cpp).
void fill_bitwise(StudyEvaluation& study);
/// Gates, and what became of them since the study was planned (judged_gates.cpp).
void fill_gates(StudyEvaluation& study);

verification::MeanSd mean_sd(std::vector<double> const& values);

}  // namespace ulpine::ensembles
