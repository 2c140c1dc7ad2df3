// SPDX-License-Identifier: Apache-2.0
#include "verification/gates/gates.hpp"
#include "verification/metrics/nan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/error.hpp"
#include "verification/evaluators/evaluation.hpp"

namespace ulpine::verification {
namespace {

bool is_of_numbers(std::string const& metric) {
  return metric == "relative" || metric == "difference" || metric == "drift" || metric == "magnitude";
}

bool is_good(Direction direction, double value, double limit) {
  switch (direction) {
    case Direction::lower:
      return value <= limit;
    case Direction::higher:
      return value >= limit;
    case Direction::zero:
      return std::abs(value) <= limit;
    case Direction::one:
      return value > 0 && std::max(value, 1 / value) <= limit;
    case Direction::none:
      break;
  }
  return false;
}

/// "count" and "relative" of "count_relative"; empty where it is no such metric.
struct PartMetric {
  std::string part, metric;
};
std::optional<PartMetric> part_metric(std::string const& metric) {
  for (std::string const end : {"relative", "difference", "magnitude"}) {
    if (metric.size() > end.size() + 1 && metric.ends_with("_" + end)) {
      return PartMetric{metric.substr(0, metric.size() - end.size() - 1), end};
    }
  }
  return std::nullopt;
}

/// The metric that says which values are good.
std::string plain_metric(std::string const& metric) {
  auto const parts = part_metric(metric);
  return parts && find_metric(metric) == nullptr ? parts->metric : metric;
}

// ---- reading ----

/// How gates know the statistics of evaluation `table`; empty where it is none, or one of a single statistic.
std::vector<std::string> parts_of(std::string const& table, std::vector<Evaluation> const& evaluations) {
  auto const found = std::ranges::find(evaluations, table, [](Evaluation const& e) { return e.info.name; });
  auto const wanted = found == evaluations.end() ? table : found->info.kind;
  for (auto const& kind : evaluator_kinds()) {
    if (kind.name == wanted) return kind.parts;
  }
  return {};
}

class GatesReader {
 public:
  GatesReader(io::CaseFile const& file, std::vector<Evaluation> const& evaluations)
      : file_{file}, evaluations_{evaluations} {}

  void read(std::vector<Gate>& gates) const {
    for (auto const& table : file_.keys_under("verify")) {
      if (std::ranges::find(names_of_rules(), table) != names_of_rules().end()) {
        continue;
      }
      auto const metrics = file_.keys_under("verify." + table);
      if (metrics.empty()) {
        throw file_.error("verify." + table,
                          "expected a table of limits, e.g. [verify." + table + "] l2_relative = 1e-3");
      }
      for (auto const& metric : metrics) {
        auto gate = read_gate(table, metric);
        auto const same = std::ranges::find(gates, gate.name(), &Gate::name);
        if (same == gates.end()) {
          gates.push_back(std::move(gate));
        } else {
          *same = std::move(gate);
        }
      }
    }
  }

 private:
  void require_metric(std::string const& table, std::string const& metric) const {
    std::vector<std::string> known;
    for (auto const& part : parts_of(table, evaluations_)) {
      known.push_back(part + "_relative");
      known.push_back(part + "_difference");
      known.push_back(part + "_magnitude");
    }
    if (known.empty()) {
      for (auto const& info : metric_list()) {
        if (info.direction != Direction::none) known.emplace_back(info.name);
      }
    }
    if (std::ranges::find(known, metric) == known.end()) {
      auto const* info = find_metric(metric);
      throw file_.error("verify." + table + "." + metric,
                        info != nullptr && info->direction == Direction::none
                            ? "no gate on '" + metric + "', set the limit on the error itself"
                            : "unknown metric '" + metric + "'" + choices_hint(metric, known));
    }
  }

  Gate read_gate(std::string const& table, std::string const& metric) const {
    require_metric(table, metric);
    auto const key = "verify." + table + "." + metric;
    auto const least = least_limit(find_metric(plain_metric(metric))->direction);
    constexpr auto most = std::numeric_limits<double>::max();
    auto const keys = file_.keys_under(key);
    if (keys.empty()) {
      return {table, metric, file_.number(key, 0, least, most)};
    }
    std::vector<std::string> const known = {"limit", "spread", "epsilon", "time", "runs", "subject"};
    for (auto const& name : keys) {
      if (std::ranges::find(known, name) == known.end()) {
        throw file_.error(key + "." + name, "unknown key of a gate" + choices_hint(name, known));
      }
    }
    auto const has = [&](char const* name) { return file_.has(key + "." + name); };
    if (has("limit") == has("spread")) {
      throw file_.error(key,
                        "needs a limit or a spread (a number, or a multiple of the ensemble's own spread) "
                        "give one of them");
    }
    Gate gate{table, metric, nan};
    if (has("limit")) gate.limit = file_.number(key + ".limit", 0, least, most);
    if (has("spread")) gate.spreads = file_.number(key + ".spread", 0, 0, most);
    if (has("epsilon")) gate.epsilon = file_.text(key + ".epsilon", "");
    if (has("time")) gate.time = file_.text(key + ".time", "last");
    if (has("runs")) gate.runs = file_.texts(key + ".runs", {}, 1);
    if (has("subject")) {
      gate.kind = file_.choice(key + ".subject", "field", {"field", "statistic", "integral", "curve"});
    }
    require_known_then(key, gate);
    return gate;
  }

  void require_known_then(std::string const& key, Gate const& gate) const {
    auto const metric = plain_metric(gate.metric);
    if (gate.time != "last" && gate.time != "all") {
      try {
        io::parse_duration(gate.time);
      } catch (InputError const& problem) {
        throw file_.error(key + ".time", std::string(problem.what()) + ", or \"last\" or \"all\"");
      }
    }
    auto const followed =
        metric == "l2_relative" || metric == "linf" || metric == "relative" || metric == "difference";
    if (gate.time != "last" && !followed) {
      throw file_.error(key + ".time",
                        "no '" + metric +
                            "' is known but at the last time (l2_relative and linf of fields, "
                            "relative and difference of statistics are followed) choose one of them");
    }
    if (gate.spreads && ((metric != "l2_relative" && metric != "difference") || gate.time == "all")) {
      throw file_.error(
          key + ".spread",
          "no spread of this is known (l2_relative of fields and difference of statistics at one "
          "time have one) give a limit");
    }
  }

  io::CaseFile const& file_;
  std::vector<Evaluation> const& evaluations_;
};

// ---- judging ----

/// A quantity that a gate limits, and the metric of it that is compared with the limit.
struct Subject {
  GateSubject of;
  std::string metric;
};

Subject subject_of(Gate const& gate, StudyResults const& results) {
  auto const named = [&](auto const& list) {
    return std::ranges::any_of(list, [&](auto const& item) { return item.name == gate.table; });
  };
  auto const parts = part_metric(gate.metric);
  if (parts && find_metric(gate.metric) == nullptr) {
    for (auto const& statistic : results.statistics) {
      if (statistic.evaluation == gate.table &&
          (statistic.part == parts->part || statistic.part.starts_with(parts->part + "_"))) {
        return {{"statistic", statistic.name}, parts->metric};
      }
    }
    return {{"statistic", gate.table + "_" + parts->part}, parts->metric};
  }
  auto kind = gate.kind;
  if (kind.empty() && is_of_numbers(gate.metric)) {
    kind = named(results.statistics) ? "statistic" : "integral";
  } else if (kind.empty()) {
    kind = named(results.curves) ? "curve" : "field";
  }
  return {{kind, gate.table}, gate.metric};
}

Value difference_of(std::string const& metric, double value, double reference) {
  if (!std::isfinite(value) || !std::isfinite(reference)) {
    return Value::undefined(std::isfinite(reference) ? "it has no value"
                                                     : "the reference has no value of it");
  }
  if (value == reference) {
    return Value::of(0);
  }
  if (metric == "difference") {
    return Value::of(std::abs(value - reference));
  }
  return reference == 0 ? Value::undefined("the reference's is 0")
                        : Value::of(std::abs(value - reference) / std::abs(reference));
}

Value worst(std::vector<Value> const& values) {
  auto result = Value::undefined("there is no output time");
  for (auto const& value : values) {
    if (!value.defined()) {
      return value;
    }
    if (!result.defined() || value.number() > result.number()) result = value;
  }
  return result;
}

/// Indices of the output times that a gate looks at; empty where its lead time is none.
std::vector<std::size_t> times_of(Gate const& gate, std::vector<double> const& time_s) {
  std::vector<std::size_t> indices;
  auto const lead = gate.time == "all" || gate.time == "last" ? nan : io::parse_duration(gate.time);
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    constexpr double second = 1e-3;
    if (gate.time == "all" || std::abs(time_s[i] - lead) < second) indices.push_back(i);
  }
  return indices;
}

class Judge {
 public:
  explicit Judge(StudyResults const& results)
      : results_{results}, reference_{results.find_run(results.reference)} {}

  GateResult operator()(Gate const& gate, RunResult const& run) const {
    auto const subject = subject_of(gate, results_);
    auto limited = gate;
    std::string unlimited;
    if (gate.spreads) {
      auto const spread = spread_of(gate, subject);
      limited.limit = spread.defined() ? *gate.spreads * spread.number() : nan;
      unlimited = spread.defined() ? "" : spread.reason();
    }
    if (subject.of.kind == "statistic") limited.limit = raised(limited.limit, subject);
    auto result =
        judge(limited, run.id,
              run.failed ? Value::failure("the run failed: " + *run.failed) : value_of(gate, subject, run));
    result.subject = subject.of;
    result.metric = subject.metric;
    if (!unlimited.empty() && result.skipped == "no such limit") result.skipped = unlimited;
    return result;
  }

 private:
  /// The limit, or what the statistic's spread over the orientations of the grid makes of the reference's
  /// value where that is more.
  double raised(double limit, Subject const& subject) const {
    auto const statistic =
        std::ranges::find(results_.statistics, subject.of.name, &verification::Statistic::name);
    if (statistic == results_.statistics.end() || statistic->orientation_spread == 0) return limit;
    auto const spread = statistic->orientation_spread;
    if (subject.metric == "difference") return std::max(limit, spread);
    auto const value = reference_ == nullptr ? std::map<std::string, double>::const_iterator{}
                                             : reference_->statistics.find(subject.of.name);
    if (subject.metric != "relative" || reference_ == nullptr || value == reference_->statistics.end()) {
      return limit;
    }
    return value->second == 0 ? limit : std::max(limit, spread / std::abs(value->second));
  }
  Value value_of(Gate const& gate, Subject const& subject, RunResult const& run) const {
    if (reference_ != nullptr && reference_->failed) return Value::undefined("the reference failed");
    if (subject.of.kind == "statistic") return of_statistic(gate, subject, run);
    if (subject.of.kind == "integral") return of_integral(gate, subject, run);
    if (subject.of.kind == "curve") return of_curve(gate, subject, run);
    return of_field(gate, subject, run);
  }

  static Value of_field(Gate const& gate, Subject const& subject, RunResult const& run) {
    auto const& name = subject.of.name;
    auto const field = run.metrics.find(name);
    if (field == run.metrics.end()) {
      return Value::undefined("the run has no field '" + name + "'");
    }
    if (gate.time == "last") {
      auto const metric = field->second.find(subject.metric);
      return metric == field->second.end() ? Value() : metric->second;
    }
    if (!run.series || !run.series->fields.contains(name)) {
      return Value::undefined("the run has no errors over time of '" + name + "'");
    }
    auto const& errors = run.series->fields.at(name);
    auto const& list = subject.metric == "linf" ? errors.linf : errors.l2_relative;
    std::vector<Value> values;
    for (auto const i : times_of(gate, run.series->time_s)) {
      values.push_back(i < list.size() && std::isfinite(list[i]) ? Value::of(list[i])
                                                                 : Value::undefined("it has no value"));
    }
    return values.empty() ? Value::undefined("there is no output at " + gate.time) : worst(values);
  }

  Value of_statistic(Gate const& gate, Subject const& subject, RunResult const& run) const {
    auto const& name = subject.of.name;
    auto const absent = Value::undefined("no statistic '" + name + "'");
    if (subject.metric == "magnitude") {
      auto const value = run.statistics.find(name);
      return value == run.statistics.end()  ? absent
             : std::isfinite(value->second) ? Value::of(std::abs(value->second))
                                            : Value::undefined("it has no value");
    }
    if (reference_ == nullptr) {
      return absent;
    }
    if (gate.time == "last") {
      auto const value = run.statistics.find(name), reference = reference_->statistics.find(name);
      return value == run.statistics.end() || reference == reference_->statistics.end()
                 ? absent
                 : difference_of(subject.metric, value->second, reference->second);
    }
    if (!run.series || !run.series->statistics.contains(name) || !reference_->series ||
        !reference_->series->statistics.contains(name)) {
      return absent;
    }
    auto const& ours = run.series->statistics.at(name);
    auto const& theirs = reference_->series->statistics.at(name);
    std::vector<Value> values;
    for (auto const i : times_of(gate, run.series->time_s)) {
      values.push_back(i < ours.size() && i < theirs.size()
                           ? difference_of(subject.metric, ours[i], theirs[i])
                           : Value::undefined("it has no value"));
    }
    return values.empty() ? Value::undefined("there is no output at " + gate.time) : worst(values);
  }

  Value of_integral(Gate const& gate, Subject const& subject, RunResult const& run) const {
    auto const found = run.integrals.find(subject.of.name);
    if (found == run.integrals.end() && subject.of.name == "steps") {
      if (gate.time != "last" || subject.metric == "drift" || reference_ == nullptr) {
        return Value::undefined("steps are known at the end only, against the reference's");
      }
      return difference_of(subject.metric, static_cast<double>(run.steps),
                           static_cast<double>(reference_->steps));
    }
    if (found == run.integrals.end()) {
      return Value::undefined("no statistic or integral '" + subject.of.name + "'");
    }
    if (gate.time != "last") {
      return Value::undefined("integrals are known at the start and the end only");
    }
    if (subject.metric == "magnitude") {
      return Value::undefined("an integral has a drift, no magnitude");
    }
    if (subject.metric == "drift") {
      return difference_of("relative", found->second.final, found->second.initial);
    }
    auto const reference =
        reference_ == nullptr ? run.integrals.end() : reference_->integrals.find(subject.of.name);
    return reference_ == nullptr || reference == reference_->integrals.end()
               ? Value::undefined("the reference has no such integral")
               : difference_of(subject.metric, found->second.final, reference->second.final);
  }

  Value of_curve(Gate const& gate, Subject const& subject, RunResult const& run) const {
    auto const found = run.curves.find(subject.of.name);
    if (found == run.curves.end() || reference_ == nullptr || !reference_->curves.contains(subject.of.name)) {
      return Value::undefined("no curve '" + subject.of.name + "'");
    }
    if (gate.time != "last") {
      return Value::undefined("curves are known at the end only");
    }
    return compute_metrics(found->second.y, reference_->curves.at(subject.of.name).y)[subject.metric];
  }

  /// The reference's own members at the gate's amplitude.
  Value spread_of(Gate const& gate, Subject const& subject) const {
    EnsembleResult const* ensemble = nullptr;
    for (auto const& candidate : results_.ensembles) {
      if (candidate.configuration != results_.reference ||
          (!gate.epsilon.empty() && candidate.epsilon_text != gate.epsilon)) {
        continue;
      }
      if (ensemble != nullptr) {
        return Value::undefined("the reference has ensembles of several amplitudes, and epsilon names none");
      }
      ensemble = &candidate;
    }
    if (ensemble == nullptr || ensemble->members < 2) {
      return Value::undefined("the reference has no ensemble to take a spread from");
    }
    auto const number = [](double value) {
      return std::isfinite(value) ? Value::of(value) : Value::undefined("its spread is unknown");
    };
    auto const& name = subject.of.name;
    if (subject.of.kind == "statistic" && gate.time == "last" && ensemble->statistics.contains(name)) {
      return number(ensemble->statistics.at(name).sd);
    }
    if (subject.of.kind == "field" && gate.time == "last" && ensemble->spread.contains(name)) {
      return number(ensemble->spread.at(name).l2_relative_mean);
    }
    if (subject.of.kind == "field" && ensemble->growth && ensemble->growth->fields.contains(name)) {
      auto const times = times_of(gate, ensemble->growth->time_s);
      auto const& mean = ensemble->growth->fields.at(name).mean;
      if (times.size() == 1 && times[0] < mean.size()) return number(mean[times[0]]);
    }
    return Value::undefined("the reference's ensemble has no spread of it");
  }

  StudyResults const& results_;
  RunResult const* reference_;
};

bool holds_for(Gate const& gate, RunResult const& run) {
  return gate.runs.empty() || std::ranges::any_of(gate.runs, [&](std::string const& name) {
           return name == run.id || name == run.policy || name == run.assembly || name == run.device;
         });
}

}  // namespace

std::vector<Gate> read_gates(io::CaseFile const& case_file, std::string const& declared) {
  auto const evaluations = read_evaluations(case_file, declared);
  std::vector<Gate> gates;
  if (!declared.empty()) {
    auto const core = io::CaseFile::parse(declared, "core " + case_file.core());
    GatesReader(core, evaluations).read(gates);
  }
  GatesReader(case_file, evaluations).read(gates);
  return gates;
}

double least_limit(Direction direction) {
  switch (direction) {
    case Direction::lower:
    case Direction::zero:
      return 0;
    case Direction::one:
      return 1;
    default:
      return std::numeric_limits<double>::lowest();
  }
}

GateResult judge(Gate const& gate, std::string const& run, Value const& value) {
  GateResult result;
  result.name = gate.name();
  result.run = run;
  result.limit = gate.limit;
  result.metric = gate.metric;
  result.time = gate.time;
  result.runs = gate.runs;
  auto const* info = find_metric(plain_metric(gate.metric));
  if (value.failed()) {
    result.reason = value.reason();
  } else if (!value.defined()) {
    result.skipped = value.reason();
  } else {
    result.value = value.number();
    if (info == nullptr || info->direction == Direction::none || !std::isfinite(gate.limit)) {
      result.skipped = "no such limit";
    } else {
      result.passed = is_good(info->direction, value.number(), gate.limit);
    }
  }
  return result;
}

std::vector<GateResult> judge(std::vector<Gate> const& gates, StudyResults const& results) {
  std::vector<GateResult> judged;
  Judge const judge_one(results);
  for (auto const& run : results.runs) {
    if (run.member || run.epsilon) {
      continue;
    }
    for (auto const& gate : gates) {
      // The reference is measured against itself by nothing but what is the run's own.
      if (run.id == results.reference && plain_metric(gate.metric) != "magnitude") continue;
      if (holds_for(gate, run)) judged.push_back(judge_one(gate, run));
    }
  }
  return judged;
}

}  // namespace ulpine::verification
