// SPDX-License-Identifier: Apache-2.0
#include "verification/gates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/error.hpp"

namespace ulpine::verification {
namespace {

bool is_feature_metric(std::string const& metric) {
  return metric == "count_relative" || metric == "total_length_relative";
}

/// Smallest limit that any value could meet.
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

Value relative_difference(double value, double reference) {
  if (value == reference) {
    return Value::of(0);
  }
  return reference == 0 ? Value::undefined("the reference has no features")
                        : Value::of(std::abs(value - reference) / reference);
}

Value feature_value(std::string const& metric, RunResult const& run, RunResult const* reference) {
  if (!run.lkf || reference == nullptr || !reference->lkf) {
    return Value::undefined(run.lkf ? "the reference has no feature statistics" : "no feature statistics");
  }
  if (metric == "count_relative") {
    return relative_difference(double(run.lkf->count), double(reference->lkf->count));
  }
  if (!run.lkf->total_length_km || !reference->lkf->total_length_km) {
    return Value::undefined("length in km unknown (no grid spacing)");
  }
  return relative_difference(*run.lkf->total_length_km, *reference->lkf->total_length_km);
}

Value value_of(Gate const& gate, RunResult const& run, RunResult const* reference) {
  if (run.failed) {
    return Value::failure("the run failed: " + *run.failed);
  }
  if (gate.field == "lkf") {
    return feature_value(gate.metric, run, reference);
  }
  auto const field = run.metrics.find(gate.field);
  if (field == run.metrics.end()) {
    return Value::undefined("the run has no field '" + gate.field + "'");
  }
  auto const metric = field->second.find(gate.metric);
  return metric == field->second.end() ? Value() : metric->second;
}

}  // namespace

std::vector<Gate> read_gates(io::CaseFile const& case_file) {
  std::vector<Gate> gates;
  for (auto const& field : case_file.keys_under("verify")) {
    auto const table = "verify." + field;
    auto const metrics = case_file.keys_under(table);
    if (metrics.empty()) {
      throw case_file.error(table, "expected a table of limits, e.g. [" + table + "] l2_relative = 1e-3");
    }
    std::vector<char const*> known;
    for (auto const& info : metric_list()) {
      if (info.direction != Direction::none && is_feature_metric(info.name) == (field == "lkf")) {
        known.push_back(info.name);
      }
    }
    known.push_back(nullptr);
    for (auto const& metric : metrics) {
      auto const key = table + "." + metric;
      if (std::find(known.begin(), known.end() - 1, metric) == known.end() - 1) {
        auto const* info = find_metric(metric);
        throw case_file.error(key, info != nullptr && info->direction == Direction::none
                                       ? "no gate on '" + metric + "', set the limit on the error itself"
                                       : "unknown metric '" + metric + "'" +
                                             choices_hint(metric, {known.begin(), known.end() - 1}));
      }
      double const least = least_limit(find_metric(metric)->direction);
      double const limit = case_file.number(key, 0, least, std::numeric_limits<double>::max());
      gates.push_back({field, metric, limit});
    }
  }
  return gates;
}

GateResult judge(Gate const& gate, std::string const& run, Value const& value) {
  GateResult result;
  result.name = gate.name();
  result.run = run;
  result.limit = gate.limit;
  auto const* info = find_metric(gate.metric);
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
  auto const* reference = results.find_run(results.reference);
  for (auto const& run : results.runs) {
    if (run.member || run.epsilon || run.id == results.reference) {
      continue;
    }
    for (auto const& gate : gates) {
      judged.push_back(judge(gate, run.id, value_of(gate, run, reference)));
    }
  }
  return judged;
}

}  // namespace ulpine::verification
