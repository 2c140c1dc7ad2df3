// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "verification/results/results.hpp"

namespace ulpine::verification {

/// Changes from one study to a later one of the same plan: this week's against last week's. "last" is
/// the earlier one. Things are matched by name: configurations, runs, gates, fields, statistics. NaN and
/// empty stand for what one of the two has not.

struct ChangedAnswer {
  std::string configuration;
  Answer last = Answer::equal, now = Answer::equal;
  bool control = false;  ///< for the control ensemble, which fails nothing
  bool worse() const { return now > last; }
};

struct ChangedGate {
  std::string name, run;
  double limit = 0;  ///< limit in the later study
  std::optional<double> last, now;
  std::string was, is;  ///< "passed", "failed" or "not judged"
  bool worse() const { return was == "passed" && is == "failed"; }
};

/// The hash of the final state of a run that both have. Compared only between studies of one case, of members
/// only where the seeds are equal.
struct ChangedHash {
  std::string run, last, now;
  bool same() const { return last == now; }
};

/// A metric of an unperturbed run's field against its own study's reference.
struct ChangedMetric {
  std::string configuration, field, metric;
  double last = 0, now = 0;
  double ratio = 0;  ///< now over last; NaN where that is none
  /// Relative L2 distance of the yardstick's members from the reference, mean and standard deviation over
  /// members, for orientation; only of `l2_relative`.
  std::optional<Spread> spread;
};

struct ChangedStatistic {
  std::string configuration, statistic;
  double last = 0, now = 0;
  double difference = 0;
  std::optional<double> sd;  ///< over the yardstick's members, for orientation
};

struct ChangedTime {
  std::string run;
  double last_s = 0, now_s = 0, ratio = 0;
};

struct ChangedText {
  std::string key, last, now;
};

struct StudyComparison {
  struct Side {
    StudyResults::Case study_case;
    std::string reference, created, version, commit;
    Answer answer = Answer::equal;
  } last, now;
  /// Ensemble of the later study that gives spreads and standard deviations: that of the control, else the
  /// reference's at the tolerated amplitude, else at its largest; empty where there is none.
  std::string yardstick;
  std::vector<ChangedHash> hashes;     ///< those that differ first; empty for different cases
  std::vector<ChangedAnswer> answers;  ///< those that got worse first, then other changes
  std::vector<ChangedGate> gates;      ///< likewise
  std::vector<ChangedMetric> metrics;
  std::vector<ChangedStatistic> statistics;
  std::vector<ChangedTime> times;
  std::vector<ChangedText> provenance;           ///< entries that differ
  std::vector<std::string> only_last, only_now;  ///< runs (unperturbed) and gates that one of them has
  std::vector<std::string> notes;  ///< why numbers are not comparable; configurations new and gone
  std::vector<std::string> worse;  ///< a line each: answers that got worse, gates that fail now

  /// Empty where the two are of one core, grid, start and end; else what they differ in, of notes. Errors,
  /// statistics, final states and wall-clock times are not compared then, and no answer or gate counts as
  /// worse: they speak of different runs.
  std::vector<std::string> incomparable;

  bool comparable() const { return incomparable.empty(); }
  bool passed() const { return worse.empty(); }
};

/// InputError, with the names given, where the two have no configuration in common.
StudyComparison compare_studies(StudyResults const& last, StudyResults const& now,
                                std::string const& last_name, std::string const& now_name);

inline constexpr char const* comparison_schema = "ulpine.comparison/1";

/// JSON text with the keys in a fixed order.
std::string to_json(StudyComparison const& comparison);
/// Writes it sealed (io/seal.hpp), under a temporary name first; EnvironmentError where that fails.
void write_comparison(std::filesystem::path const& path, StudyComparison const& comparison);

/// The changes in lines of text: hashes that differ, answers and gates that changed, and the outcome.
std::string words_of(StudyComparison const& comparison);

}  // namespace ulpine::verification
