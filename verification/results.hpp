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

#include "verification/metrics.hpp"
#include "verification/value.hpp"

namespace ulpine::verification {

/// The content of results.json, schema "ulpine.results/1". Numbers that do not exist are NaN or empty here
/// and null there.

struct MeanSd {
  double mean = 0, sd = 0;
};

struct LkfTotals {
  std::int64_t count = 0;
  std::optional<double> total_length_km;  ///< empty where the grid spacing is unknown
};

/// A quantity's integral over the domain, SI units.
struct Integral {
  double initial = 0, final = 0;
};

struct ErrorSeries {
  std::vector<double> l2_relative, linf;
};

/// Errors against the reference per output time.
struct RunSeries {
  std::vector<double> time_s;
  std::map<std::string, ErrorSeries> fields;
  std::vector<double> lkf_count, lkf_total_length_km;  ///< may be empty
};

struct FieldSpectrum {
  std::string field;                      ///< e.g. "log10(shear)"
  std::vector<double> wavenumber, power;  ///< cycles per m, field units squared
};

/// Metric values by name.
using MetricValues = std::map<std::string, Value>;

struct RunResult {
  std::string id, policy, assembly, device;
  std::optional<double> epsilon;  ///< empty for unperturbed runs
  std::string epsilon_text;       ///< as given, "2^-23"
  std::optional<int> member;
  std::string ensemble;  ///< id of the unperturbed run whose members it belongs to or is judged by; may be
                         ///< empty: those of its policy
  std::string path;      ///< folder within the study
  std::optional<std::string> failed;  ///< why the run has no valid end
  double wall_s = 0;
  std::int64_t steps = 0, cells = 0, memory_bytes = 0;
  std::string hash;                             ///< 16 hex digits of the final state
  std::map<std::string, MetricValues> metrics;  ///< field -> metric -> value, at the last time
  std::optional<LkfTotals> lkf;
  std::map<std::string, Integral> integrals;
  std::optional<RunSeries> series;
  std::optional<FieldSpectrum> spectrum;

  /// Takes over all values of `field`.
  void set_metrics(std::string const& field, Metrics const& computed);
};

struct Spread {
  double l2_relative_mean = 0, l2_relative_sd = 0;
};

struct MeanSdSeries {
  std::vector<double> mean, sd;
};

/// Perturbed members of one configuration and amplitude.
struct EnsembleResult {
  std::string configuration;  ///< id of its unperturbed run
  std::string policy, assembly;
  double epsilon = 0;
  std::string epsilon_text;
  std::int64_t members = 0;
  std::optional<MeanSd> lkf_count, lkf_total_length_km;
  std::map<std::string, Spread> spread;  ///< field -> relative L2 of members against the reference
  struct Spectrum {
    std::vector<double> wavenumber, mean, sd;
  };
  std::optional<Spectrum> spectrum;
  struct Growth {
    std::vector<double> time_s;
    std::map<std::string, MeanSdSeries>
        fields;  ///< relative L2 against the unperturbed run of the same policy
  };
  std::optional<Growth> growth;
  struct LkfDetector {
    double count_mean = 0, count_sd = 0, length_mean = 0, length_sd = 0;  ///< lengths in km
  };
  std::optional<LkfDetector> lkf_detector;
};

/// Unperturbed runs of one policy whose final states have equal bits.
struct BitwiseGroup {
  std::string hash;
  std::vector<std::string> runs;
};

/// Features of the reference field with noise of one policy's rounding: the detector's share of a precision
/// signal.
struct LkfControl {
  std::string policy;
  std::int64_t draws = 0;
  double noise = 0;
  MeanSd count, total_length_km;
};

struct GateResult {
  std::string name, run;
  std::optional<double> value;
  double limit = 0;
  bool passed = false;
  std::string skipped;  ///< why it could not be judged; never passed then
  std::string reason;   ///< why it failed without a value (a run that blew up)
};

/// A statistic of an ensemble that is judged.
struct Statistic {
  std::string name, units;  ///< "lkf_count", "lkf_total_length_km"
  double resolution = 0;    ///< the least amount by which it can change: 1 feature, 1 cell
};

/// What may be said, from best to worst.
enum class Answer {
  equal,       ///< the same bits
  equivalent,  ///< shown to be inside the margin
  undecided,   ///< the evidence cannot tell
  different,   ///< shown to be outside the margin, or a gate or a run failed
};
std::string name_of(Answer answer);

/// One piece of what a verdict rests on.
struct Evidence {
  std::string kind;          ///< "error", "statistic" or "gate"
  std::string subject;       ///< a field, a statistic, a gate or another configuration
  std::string epsilon_text;  ///< of the ensembles compared; may be empty
  std::int64_t pairs = 0;    ///< of members compared
  std::optional<double> value;
  std::optional<std::array<double, 2>> interval;  ///< of the value, 95 %
  std::optional<double> margin;                   ///< or limit
  std::optional<double> detectable;               ///< smallest difference told from zero with 80 % power
  std::optional<Answer> answer;                   ///< empty where it cannot speak; the reason says why
  std::string reason;                             ///< may be empty
};

/// The judgement on one unperturbed configuration other than the reference.
struct Verdict {
  std::string configuration, policy, assembly, device;
  Answer answer = Answer::undecided;
  std::string would_decide;  ///< of undecided ones
  std::vector<Evidence> evidence;
};

/// Runs of the plan that have not been done yet: they are in no list and fail nothing.
struct MissingRuns {
  std::int64_t runs = 0, of = 0;  ///< `of`: planned in all
  std::string command;            ///< that does them
};

struct StudyResults {
  struct Case {
    std::string core, name, hash;
  } study_case;
  std::vector<std::pair<std::string, std::string>>
      provenance;  ///< as io::Provenance::items(); "seed" comes from below
  std::uint64_t seed = 0;
  std::string reference = "fp64/deterministic";
  MissingRuns missing;
  std::vector<RunResult> runs;
  std::vector<EnsembleResult> ensembles;
  std::vector<BitwiseGroup> bitwise;
  std::vector<LkfControl> lkf_control;
  std::vector<Statistic> statistics;
  std::vector<GateResult> gates;
  std::vector<Verdict> verdicts;  ///< judge_study()'s, as are the next two
  Answer answer = Answer::equal;  ///< the worst of all verdicts and gates; undecided while runs are missing
  std::string would_decide;       ///< one line where the study is undecided
  std::vector<std::string> notes;

  /// Every configuration is equal or equivalent and every gate passed (a skipped one has not).
  bool passed() const { return answer == Answer::equal || answer == Answer::equivalent; }
  /// The run of that id, null where there is none.
  RunResult const* find_run(std::string const& id) const;
};

/// JSON text with the keys in a fixed order, doubles in the shortest form that reads back to the same bits.
std::string to_json(StudyResults const& results);
/// InputError where `text` (called `name` in messages) is no JSON, of another schema, or lacks a key.
StudyResults from_json(std::string const& text, std::string const& name);

/// Writes under a temporary name, then renames; EnvironmentError where that fails.
void write_results(std::filesystem::path const& path, StudyResults const& results);
/// InputError for a missing or unusable file.
StudyResults read_results(std::filesystem::path const& path);

}  // namespace ulpine::verification
