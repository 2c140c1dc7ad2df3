// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verification/gates/rules.hpp"
#include "verification/metrics/metrics.hpp"
#include "verification/metrics/value.hpp"
#include "verification/verdict/subjects.hpp"

namespace ulpine::verification {

/// The content of results.json, schema "ulpine.results/1". Numbers that do not exist are NaN or empty here
/// and null there.

struct MeanSd {
  double mean = 0, sd = 0;
};

/// A quantity's integral over the domain, SI units.
struct Integral {
  double initial = 0, final = 0;
};

struct ErrorSeries {
  std::vector<double> l2_relative, linf;
  /// Relative L2 error of each level at each time, for fields with levels. It is not in the file, which has
  /// the verdicts that follow from it.
  std::vector<std::vector<double>> levels = {};
};

/// Errors against the reference per output time.
struct RunSeries {
  std::vector<double> time_s;
  std::map<std::string, ErrorSeries> fields;
  std::map<std::string, std::vector<double>> statistics;  ///< by name; unperturbed runs only
};

/// Metric values by name.
using MetricValues = std::map<std::string, Value>;

struct RunResult {
  std::string id, policy, assembly, device;
  std::optional<double> epsilon;  ///< empty for unperturbed runs
  std::string epsilon_text;       ///< as given, "2^-23"
  std::optional<int> member;
  std::string ensemble;  ///< id of the unperturbed run whose member it is, of that run its own where it has
                         ///< members; may be empty: those of its policy
  bool control = false;  ///< a member of the control ensemble: the reference with other noise
  std::string path;      ///< folder within the study
  std::optional<std::string> failed;  ///< why the run has no valid end
  double wall_s = 0;
  std::int64_t steps = 0, cells = 0, memory_bytes = 0;
  std::string hash;                             ///< 16 hex digits of the final state
  std::map<std::string, MetricValues> metrics;  ///< field -> metric -> value, at the last time
  std::map<std::string, double> statistics;     ///< by name, at the last time; NaN where there is no value
  std::map<std::string, Curve> curves;          ///< likewise
  std::map<std::string, Integral> integrals;
  std::optional<RunSeries> series;

  /// Takes over all values of `field`.
  void set_metrics(std::string const& field, Metrics const& computed);
};

struct Spread {
  double l2_relative_mean = 0, l2_relative_sd = 0;
};

struct MeanSdSeries {
  std::vector<double> mean, sd;
};

struct MeanSdCurve {
  std::vector<double> x, mean, sd;
};

/// Perturbed members of one configuration and amplitude.
struct EnsembleResult {
  std::string configuration;  ///< id of its unperturbed run
  std::string policy, assembly;
  double epsilon = 0;
  std::string epsilon_text;
  std::int64_t members = 0;
  std::map<std::string, MeanSd> statistics;
  std::map<std::string, Spread> spread;  ///< field -> relative L2 of members against the reference
  std::map<std::string, MeanSdCurve> curves;
  struct Growth {
    std::vector<double> time_s;
    std::map<std::string, MeanSdSeries>
        fields;  ///< relative L2 against the unperturbed run of the same policy
  };
  std::optional<Growth> growth;
  std::map<std::string, MeanSd> controls;  ///< statistics of Control, with noise of this amplitude
};

/// Unperturbed runs of one policy whose final states have equal bits.
struct BitwiseGroup {
  std::string hash;
  std::vector<std::string> runs;
};

/// Statistics of the reference's own fields with noise of one policy's rounding: the evaluator's share of a
/// precision signal.
struct Control {
  std::string policy;
  double noise = 0;  ///< relative
  std::int64_t draws = 0;
  std::map<std::string, MeanSd> statistics;
};

/// The quantity that a gate limits.
struct GateSubject {
  std::string kind, name;  ///< "field", "statistic", "integral" or "curve"; empty: whether the run ended
};

struct GateResult {
  std::string name, run;
  std::optional<double> value;
  double limit = 0;
  bool passed = false;
  std::string skipped;  ///< why it could not be judged; never passed then
  std::string reason;   ///< why it failed without a value (a run that blew up)
  GateSubject subject = {};
  std::string metric = {};
  std::string time = "last";           ///< "last", "all" or a lead time, e.g. "6 h"
  std::vector<std::string> runs = {};  ///< which runs it holds for; empty: every unperturbed one
};

/// Possible answers, from best to worst.
enum class Answer {
  equal,       ///< bit for bit equal
  equivalent,  ///< shown to be inside the margin
  undecided,   ///< the evidence cannot tell
  different,   ///< shown to be outside the margin, or a gate or a run failed
};
std::string name_of(Answer answer);

/// One piece of what a verdict rests on.
struct Evidence {
  std::string kind;          ///< "error", "statistic", "curve", "distribution" or "gate"
  std::string subject;       ///< a field, a statistic, a curve or a gate
  std::string part;          ///< part of a statistic: "mean" or "spread"; else empty
  std::string epsilon_text;  ///< amplitude of the ensembles compared; may be empty
  std::int64_t pairs = 0;    ///< members compared; for errors: members that give the spread
  /// error: ratio of the error to the tolerated perturbation's, at its worst time and level; statistic:
  /// difference of means, or ratio of standard deviations; curve: difference in standard deviations of the
  /// reference's members where it is largest; distribution: largest distance of the two; gate: value.
  std::optional<double> value;
  std::optional<std::array<double, 2>> interval;  ///< 95 % confidence interval of the value
  std::optional<double> margin;                   ///< or limit, in the units of the value
  std::string margin_text;                        ///< as asked for: "0.5 sd"
  std::optional<double> detectable;               ///< smallest difference told from none with 80 % power
  std::optional<std::int64_t> needed;             ///< members that would decide, where it is undecided
  std::optional<double> time_s;                   ///< time of the worst error; s since the first output
  std::optional<std::int64_t> level;              ///< likewise, of fields with levels
  std::optional<double> x;                        ///< place on a curve where the difference is largest
  std::optional<Answer> answer;                   ///< empty where it cannot speak; the reason says why
  std::string reason;                             ///< may be empty
};

/// Errors of an unperturbed run in parts of what the tolerated perturbation makes of the reference, by output
/// time: at most 1 is inside. NaN where there is none.
struct ErrorRatios {
  std::vector<double> ratio, low, high;  ///< at the worst level; 95 % interval
  std::vector<std::int64_t> level;       ///< that is the worst; empty for fields without levels
};

/// The judgement on one unperturbed configuration other than the reference.
struct Verdict {
  std::string configuration, policy, assembly, device;
  bool control = false;  ///< for the control ensemble: it does not count for the study's answer
  Answer answer = Answer::undecided;
  std::string would_decide;  ///< what would decide, if undecided
  std::vector<Evidence> evidence;
  std::vector<double> time_s;                 ///< times of the ratios, s since the first output
  std::map<std::string, ErrorRatios> errors;  ///< by field
};

/// Two configurations of which the closer one has the worse answer: its errors against the reference are all
/// no larger than the other's. The tests cannot be right about both, or cannot tell them apart.
struct BrokenOrder {
  std::string closer;
  Answer closer_answer = Answer::undecided;
  std::string farther;
  Answer farther_answer = Answer::undecided;
};

/// The distance of the reference itself from a wider precision, at the first output times.
struct ReferenceError {
  std::string configuration;  ///< that it is held against: "quad/deterministic"
  std::vector<double> time_s;
  std::map<std::string, ErrorSeries> fields;
};

/// Runs of the plan that have not been done yet: they are in no list and fail nothing.
struct MissingRuns {
  std::int64_t runs = 0, of = 0;  ///< `of`: planned in all
  std::string command;            ///< that does them
};

struct StudyResults {
  struct Case {
    std::string core, name, hash;
    /// Model time of the reference run, s; `interval_s` between outputs, 0: the first and the last alone.
    /// Empty in results that older versions wrote.
    std::optional<double> start_s = {}, end_s = {}, interval_s = {};
  } study_case;
  std::vector<std::pair<std::string, std::string>>
      provenance;  ///< as io::Provenance::items(); "seed" comes from below
  std::uint64_t seed = 0;
  std::string reference = "fp64/deterministic";
  Rules rules;
  MissingRuns missing;
  std::vector<RunResult> runs;
  std::vector<EnsembleResult> ensembles;
  std::vector<BitwiseGroup> bitwise;
  std::vector<Control> controls;
  std::optional<ReferenceError> reference_error;
  std::vector<EvaluationInfo> evaluations;
  std::vector<Statistic> statistics;
  std::vector<CurveInfo> curves;
  std::vector<Figure> figures;
  std::vector<GateResult> gates;
  std::vector<Verdict> verdicts;  ///< judge_study()'s, as are the next three
  std::vector<BrokenOrder> broken_order;
  Answer answer = Answer::equal;  ///< the worst of all verdicts and gates; undecided while runs are missing
  std::string would_decide;       ///< one line where the study is undecided
  std::vector<std::string> notes;

  /// Every configuration is equal or equivalent and every gate passed (a skipped one has not).
  bool passed() const { return answer == Answer::equal || answer == Answer::equivalent; }
  /// The run of that id, null where there is none.
  RunResult const* find_run(std::string const& id) const;
};

inline constexpr char const* results_schema = "ulpine.results/1";

/// JSON text with the keys in a fixed order, doubles in the shortest form that reads back to the same bits.
std::string to_json(StudyResults const& results);
/// InputError where `text` (called `name` in messages) is no JSON, of another schema, or lacks a key.
StudyResults from_json(std::string const& text, std::string const& name);

/// Writes under a temporary name, then renames; EnvironmentError where that fails.
void write_results(std::filesystem::path const& path, StudyResults const& results);
/// InputError for a missing or unusable file.
StudyResults read_results(std::filesystem::path const& path);

}  // namespace ulpine::verification
