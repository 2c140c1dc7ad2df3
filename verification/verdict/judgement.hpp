// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verification/results/results.hpp"
#include "verification/statistics/equivalence.hpp"

namespace ulpine::verification {

/// Amplitude at which a study is judged.
struct JudgedAmplitude {
  std::string text;  ///< empty where the reference has no members at any
  bool tolerated =
      true;  ///< else a smaller one, for want of members at the tolerated: beyond it may still be tolerable
  std::string missing;  ///< runs needed to judge at the tolerated amplitude; empty where it is judged there
  /// Asks for as many of the `missing` runs as a comparison of statistics takes.
  std::string remedy() const { return "at least " + std::to_string(least_pairs) + " " + missing; }
};
/// The tolerated amplitude where the reference has members at it; else the largest below it; where the rules
/// name none, the largest of all.
JudgedAmplitude judged_amplitude(StudyResults const& results, RunResult const& reference);

/// The members a run is judged by: its own and the reference's at the judged amplitude, without those that
/// failed.
struct Ensembles {
  JudgedAmplitude amplitude;
  std::vector<RunResult const*> members, references;
};

/// A piece of evidence that waits for Holm's procedure.
struct PendingTest {
  std::size_t evidence;  ///< index
  double inside;         ///< confidence in equivalence
  double outside;        ///< chance of it where there is no difference beyond the margin
  std::function<std::int64_t(double level)> needed;  ///< members; empty where it can show differences only
  bool measurable;                                   ///< it is different from none
};

/// The verdict on one run while it is made, and the tests that still await correction for their number.
struct Findings {
  Verdict verdict;
  std::vector<PendingTest> tests;
  std::vector<std::string> would_decide;
  std::vector<std::string>
      remedies;             ///< for missing evidence; told where nothing spoke or something asked for did not
  bool unanswered = false;  ///< members were run, and their statistics cannot be judged

  void add_test(Evidence evidence, double inside, double outside, std::function<std::int64_t(double)> needed,
                bool measurable);
  void add_untested(std::string kind, std::string subject, std::string reason, std::int64_t pairs = 0,
                    std::string const& epsilon_text = {});
};

inline constexpr char const* larger_spread = "a longer run, or a larger perturbation tolerated";

/// Evidence A: errors of every field, time and level against what the tolerated perturbation makes of the
/// reference.
void judge_errors(StudyResults const& results, RunResult const& run, Ensembles const& ensembles,
                  Findings& findings);
/// Whether the trajectories of this configuration and of the reference have nothing left in common at a time,
/// as those of members have not among each other: then the error is as large as the spread and no offset that
/// its members share. By the law of cosines the mean square distance of its members to the reference's run is
/// G^2 + f e^2, G their distance to their own run and e its error; f is 1 for an offset and 0 for
/// trajectories that have diverged.
bool have_diverged(StudyResults const& results, RunResult const& run, Ensembles const& ensembles,
                   std::string const& field, std::size_t time);
/// Evidence B and C: statistics (means and spreads), distributions and curves of its members and the
/// reference's.
void judge_ensembles(StudyResults const& results, RunResult const& run, Ensembles const& ensembles,
                     Findings& findings);

/// The verdict on one unperturbed run by the rules of judge_study(), from its own runs and the reference's.
Verdict judge_run(StudyResults const& results, RunResult const& run, RunResult const& reference);
/// The verdict on the control ensemble, which has members alone.
Verdict judge_control(StudyResults const& results, RunResult const& reference);

/// Names the ensemble that a run belongs to or is judged by, with all its members.
std::string const& ensemble_of(RunResult const& run);
/// A metric of the run at the last time; empty where it has none.
std::optional<double> metric_of(RunResult const& run, std::string const& field, char const* name);
std::string epsilon_text_of(RunResult const& member);
/// Adds `text` unless the list has it.
void append_new(std::vector<std::string>& list, std::string const& text);
double mean_square(std::vector<double> const& values);
/// Whether a relative error is no more than what storing and combining a few numbers of the run's policy
/// makes: of fields that no perturbation reaches, e.g. a prescribed forcing, which have no spread to hold it
/// against.
bool is_rounding(RunResult const& run, double error);

}  // namespace ulpine::verification
