// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/study/manifest.hpp"
#include "ensembles/study/plan.hpp"
#include "ensembles/study/results.hpp"
#include "io/case_file.hpp"
#include "io/seal.hpp"
#include "verification/evaluators/evaluation.hpp"
#include "verification/evaluators/frame.hpp"
#include "verification/results/results.hpp"

namespace ulpine::ensembles {

/// A run, and what is known of it.
struct EvaluatedRun {
  verification::RunResult result;
  PlannedRun plan;
  io::FileContent output = {};  ///< output.nc as the run wrote it
  /// The outputs that what is known of its fields was taken from, sources_of() of then; empty: it has not
  /// been evaluated.
  std::vector<io::FileContent> evaluated_from = {};
  /// For members: relative L2 errors against the unperturbed run of the same policy and assembly, by field
  /// and time.
  std::map<std::string, std::vector<double>> growth;
  /// For evaluations that are means over time, by name: the outputs read so far.
  std::map<std::string, verification::EvaluationOverTime> means;
};

/// Frames of the runs that others are held against, from time `begin` up to time `end`.
struct SharedFrames {
  struct OfRun {
    io::FileContent output;
    std::vector<verification::Frame> frames;
  };
  std::int64_t begin = 0, end = 0;
  std::map<std::string, OfRun> runs;  ///< by id; those that can be read
};

/// Means over draws, by statistic, of the reference's own fields with noise of an amplitude.
using ControlStatistics = std::map<double, std::map<std::string, verification::MeanSd>>;

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
  std::int64_t times_together = 1;  ///< so many of all runs that others are held against fit in memory
  SharedFrames shared = {};
  std::optional<ControlStatistics> controls = {};
  /// By run of a program the instant at which its output begins, s.
  std::map<std::string, double> begins = {};

  PlannedRun const& reference() const { return manifest.entries.front().run; }
  /// Whether the reference failed: then runs have no values, only how they ended.
  bool reference_failed() const { return manifest.entries.front().state == RunState::failed; }
  std::filesystem::path output_of(PlannedRun const& run) const { return study / run.path / "output.nc"; }
};

/// The study in `folder` with what is judged of it and the records of the runs of `manifest`, whose states
/// are known (results.cpp). `options` outlives it. InputError where the reference has not been run to its end
/// or to its failure.
StudyEvaluation begin_evaluation(std::filesystem::path const& folder, Manifest manifest,
                                 ResultsOptions const& options);
/// Computes the results that follow from evaluated runs, up to the verdicts (results.cpp).
verification::StudyResults finish_evaluation(StudyEvaluation study);

/// Runs and their records (collected_runs.cpp).
void collect_runs(StudyEvaluation& study);
/// Adds the entry's run and its record, where it is there and judged.
void collect_run(StudyEvaluation& study, ManifestEntry const& entry);
/// Id of the unperturbed run that a member has grown away from (evaluated_files.cpp).
std::string const& baseline_of(StudyEvaluation const& study, PlannedRun const& member);
/// Outputs of the unperturbed runs that have not failed, by id (evaluated_files.cpp).
std::map<std::string, io::FileContent> unperturbed_outputs(StudyEvaluation const& study);
/// The files that evaluate_files() reads for the run: its own output, the reference's and, for members, that
/// of their unperturbed run where there is one (evaluated_files.cpp).
std::vector<io::FileContent> sources_of(StudyEvaluation const& study, EvaluatedRun const& run,
                                        std::map<std::string, io::FileContent> const& unperturbed);
/// Errors over time and what the evaluators make of the files (evaluated_files.cpp) of runs that have not
/// been evaluated: every run against the reference, members against their unperturbed run. Frames of those
/// are read once for all runs, as many times together as fit in memory.
void evaluate_files(StudyEvaluation& study);
/// Computes the distance of the reference from the run in `quad`, if there is one (reference_error.cpp).
void fill_reference_error(StudyEvaluation& study);
/// How far output times of runs may be apart that are the same time: a thousandth of the shortest interval of
/// `times`, since programs add their steps up in their own precision (evaluated_files.cpp).
double time_tolerance(std::vector<double> const& times);
/// Adds the errors of a field at one more time, by level where it has levels (evaluated_files.cpp).
void add_errors(verification::ErrorSeries& series, std::vector<double> const& values,
                std::vector<double> const& reference, verification::FrameLayout const& layout,
                std::string const& field);
/// Means and spreads over members (ensemble_results.cpp).
void fill_ensembles(StudyEvaluation& study);
/// The statistics of noise of each amplitude of the study on the reference's own fields, without a model
/// (controls.cpp).
ControlStatistics control_statistics(StudyEvaluation const& study);
/// Adds control_statistics() to the results; from `study.controls`, where that is there.
void fill_controls(StudyEvaluation& study);
/// Adds how far statistics of the reference's fields depend on the orientation of the grid, with a note
/// (controls.cpp).
void fill_orientation_spreads(StudyEvaluation& study);
/// Unperturbed runs of equal bits (collected_runs.cpp).
void fill_bitwise(StudyEvaluation& study);
/// Gates, and what became of them since the study was planned (judged_gates.cpp).
void fill_gates(StudyEvaluation& study);

verification::MeanSd mean_sd(std::vector<double> const& values);

}  // namespace ulpine::ensembles
