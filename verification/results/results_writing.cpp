// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ulpine_calibration.hpp"
#include "verification/results/json_number.hpp"
#include "verification/results/metrics_json.hpp"
#include "verification/results/results.hpp"
#include "verification/statistics/predictability.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

// ---- writing: what is not finite or not there becomes null ----

template <class T>
Json optional(std::optional<T> const& value) {
  return value ? Json(*value) : Json();
}
template <>
Json optional(std::optional<double> const& value) {
  return value ? json_number(*value) : Json();
}

Json text_or_null(std::string const& text) { return text.empty() ? Json() : Json(text); }

Json encode(MeanSd const& value) {
  return {{"mean", json_number(value.mean)}, {"sd", json_number(value.sd)}};
}

Json encode(Curve const& curve) { return {{"x", json_numbers(curve.x)}, {"y", json_numbers(curve.y)}}; }

Json encode(MeanSdCurve const& curve) {
  return {{"x", json_numbers(curve.x)}, {"mean", json_numbers(curve.mean)}, {"sd", json_numbers(curve.sd)}};
}

Json encode(ErrorRatios const& errors) {
  return {{"ratio", json_numbers(errors.ratio)},
          {"low", json_numbers(errors.low)},
          {"high", json_numbers(errors.high)},
          {"level", errors.level}};
}

Json encode(Margin const& margin) {
  constexpr std::array kinds = {"spread", "relative", "absolute"};
  return {{"kind", kinds[static_cast<std::size_t>(margin.kind)]},
          {"value", json_number(margin.value)},
          {"reason", text_or_null(margin.reason)}};
}

template <class T>
Json by_name(std::map<std::string, T> const& values) {
  Json result = Json::object();
  for (auto const& [name, value] : values) result[name] = encode(value);
  return result;
}

Json encode(RunSeries const& series) {
  Json fields = Json::object(), statistics = Json::object();
  for (auto const& [name, errors] : series.fields) {
    fields[name] = {{"l2_relative", json_numbers(errors.l2_relative)}, {"linf", json_numbers(errors.linf)}};
  }
  for (auto const& [name, values] : series.statistics) statistics[name] = json_numbers(values);
  return {{"time_s", json_numbers(series.time_s)},
          {"fields", std::move(fields)},
          {"statistics", std::move(statistics)}};
}

/// Counts as the integers that they are.
Json statistic_value(double value, double resolution) {
  constexpr double exact = 0x1p53;
  auto const whole = resolution >= 1 && std::floor(value) == value && std::abs(value) < exact;
  return whole ? Json(static_cast<std::int64_t>(value)) : json_number(value);
}

Json encode(RunResult const& run, std::vector<Statistic> const& known) {
  Json metrics = Json::object(), undefined = Json::object(), failed = Json::object();
  for (auto const& [field, values] : run.metrics) {
    auto& entry = metrics[field] = Json::object();
    // Metrics are in the order of the list of metrics, in which people read them.
    for (auto const& info : metric_list()) {
      auto const found = values.find(info.name);
      if (found == values.end()) {
        continue;
      }
      auto const& value = found->second;
      entry[info.name] = value.defined() ? Json(value.number()) : Json();
      if (!value.defined()) {
        (value.failed() ? failed : undefined)[field + "." + info.name] = value.reason();
      }
    }
  }
  Json result = {{"id", run.id},
                 {"policy", run.policy},
                 {"assembly", run.assembly},
                 {"device", run.device},
                 {"epsilon", optional(run.epsilon)},
                 {"epsilon_text", text_or_null(run.epsilon_text)},
                 {"member", optional(run.member)},
                 {"ensemble", text_or_null(run.ensemble)},
                 {"control", run.control},
                 {"path", run.path},
                 {"failed", optional(run.failed)},
                 {"wall_s", json_number(run.wall_s)},
                 {"steps", run.steps},
                 {"cells", run.cells},
                 {"memory_bytes", run.memory_bytes},
                 {"hash", run.hash},
                 {"metrics", std::move(metrics)},
                 {"undefined", std::move(undefined)},
                 {"incomparable", std::move(failed)}};
  auto& statistics = result["statistics"] = Json::object();
  for (auto const& statistic : known) {
    auto const value = run.statistics.find(statistic.name);
    auto const there = value != run.statistics.end();
    if (there) {
      statistics[statistic.name] = json_number(value->second);
    }
    if (!statistic.part.empty()) {
      result[statistic.evaluation][statistic.part] =
          there ? statistic_value(value->second, statistic.resolution) : Json();
    }
  }
  auto& integrals = result["integrals"] = Json::object();
  for (auto const& [name, integral] : run.integrals) {
    integrals[name] = {{"initial", json_number(integral.initial)}, {"final", json_number(integral.final)}};
  }
  if (run.series) {
    result["series"] = encode(*run.series);
  }
  result["curves"] = by_name(run.curves);
  return result;
}

Json encode(EnsembleResult const& ensemble) {
  Json result = {{"configuration", text_or_null(ensemble.configuration)},
                 {"policy", ensemble.policy},
                 {"assembly", ensemble.assembly},
                 {"epsilon", json_number(ensemble.epsilon)},
                 {"epsilon_text", text_or_null(ensemble.epsilon_text)},
                 {"members", ensemble.members}};
  for (auto const& [name, value] : ensemble.statistics) result[name] = encode(value);
  result["statistics"] = by_name(ensemble.statistics);
  auto& spread = result["spread"] = Json::object();
  for (auto const& [field, value] : ensemble.spread) {
    spread[field] = {{"l2_relative_mean", json_number(value.l2_relative_mean)},
                     {"l2_relative_sd", json_number(value.l2_relative_sd)}};
  }
  result["curves"] = by_name(ensemble.curves);
  if (ensemble.growth) {
    Json fields = Json::object();
    for (auto const& [field, series] : ensemble.growth->fields) {
      fields[field] = {{"mean", json_numbers(series.mean)}, {"sd", json_numbers(series.sd)}};
    }
    result["growth"] = {{"time_s", json_numbers(ensemble.growth->time_s)}, {"fields", std::move(fields)}};
  }
  if (!ensemble.controls.empty()) {
    result["controls"] = by_name(ensemble.controls);
  }
  return result;
}

Json encode(Evidence const& item) {
  return {{"kind", item.kind},
          {"subject", item.subject},
          {"part", text_or_null(item.part)},
          {"epsilon_text", text_or_null(item.epsilon_text)},
          {"pairs", item.pairs},
          {"value", optional(item.value)},
          {"interval", item.interval ? json_numbers({item.interval->begin(), item.interval->end()}) : Json()},
          {"margin", optional(item.margin)},
          {"margin_text", text_or_null(item.margin_text)},
          {"detectable", optional(item.detectable)},
          {"needed", optional(item.needed)},
          {"time_s", optional(item.time_s)},
          {"level", optional(item.level)},
          {"x", optional(item.x)},
          {"answer", item.answer ? Json(name_of(*item.answer)) : Json()},
          {"reason", text_or_null(item.reason)}};
}

Json encode(Verdict const& verdict) {
  Json evidence = Json::array();
  for (auto const& item : verdict.evidence) evidence.push_back(encode(item));
  return {{"configuration", verdict.configuration},
          {"policy", verdict.policy},
          {"assembly", verdict.assembly},
          {"device", verdict.device},
          {"control", verdict.control},
          {"answer", name_of(verdict.answer)},
          {"would_decide", text_or_null(verdict.would_decide)},
          {"evidence", std::move(evidence)},
          {"time_s", json_numbers(verdict.time_s)},
          {"errors", by_name(verdict.errors)}};
}

Json encode(ReferenceError const& error) {
  Json fields = Json::object();
  for (auto const& [name, errors] : error.fields) {
    fields[name] = {{"l2_relative", json_numbers(errors.l2_relative)}, {"linf", json_numbers(errors.linf)}};
  }
  return {{"configuration", error.configuration},
          {"time_s", json_numbers(error.time_s)},
          {"fields", std::move(fields)}};
}

Json encode(Rules const& rules) {
  return {{"tolerated", text_or_null(rules.tolerated)},
          {"reason", text_or_null(rules.reason)},
          {"statistics", encode(rules.statistics)},
          {"curves", encode(rules.curves)},
          {"spread_ratio", json_number(rules.spread_ratio)},
          {"margins", by_name(rules.margins)},
          {"levels", {{"from", json_number(rules.levels.from)}, {"to", json_number(rules.levels.to)}}}};
}

Json encode(EvaluationInfo const& evaluation) {
  Json result = {{"name", evaluation.name}, {"kind", evaluation.kind}};
  if (evaluation.fields.size() == 1) {
    result["field"] = evaluation.fields.front();
  } else {
    result["fields"] = evaluation.fields;
  }
  for (auto const& [key, value] : evaluation.parameters) {
    auto const* text = std::get_if<std::string>(&value);
    result[key] = text != nullptr ? Json(*text) : json_number(std::get<double>(value));
  }
  return result;
}

Json encode(Statistic const& statistic) {
  return {{"name", statistic.name},
          {"evaluation", text_or_null(statistic.evaluation)},
          {"part", text_or_null(statistic.part)},
          {"long_name", text_or_null(statistic.long_name)},
          {"units", statistic.units},
          {"resolution", json_number(statistic.resolution)},
          {"orientation_spread", json_number(statistic.orientation_spread)}};
}

Json encode(CurveInfo const& curve) {
  return {{"name", curve.name},
          {"evaluation", curve.evaluation},
          {"long_name", curve.long_name},
          {"x", {{"name", curve.x.name}, {"units", curve.x.units}, {"scale", curve.x.scale}}},
          {"y", {{"units", curve.y.units}, {"scale", curve.y.scale}}}};
}

Json encode(Figure const& figure) {
  Json result = {{"name", figure.name}, {"kind", figure.kind}};
  result[figure.subject_kind] = figure.subject;
  result["scale"] = text_or_null(figure.scale);
  result["units"] = text_or_null(figure.units);
  if (!figure.axis.empty()) result["axis"] = figure.axis;
  if (figure.index) result["index"] = *figure.index;
  if (figure.level) result["level"] = *figure.level;
  return result;
}

Json encode(Control const& control) {
  return {{"policy", control.policy},
          {"noise", json_number(control.noise)},
          {"draws", control.draws},
          {"statistics", by_name(control.statistics)}};
}

Json encode(GateResult const& gate) {
  Json result = {{"name", gate.name},
                 {"run", gate.run},
                 {"value", optional(gate.value)},
                 {"limit", json_number(gate.limit)},
                 {"passed", gate.passed},
                 {"skipped", text_or_null(gate.skipped)},
                 {"reason", text_or_null(gate.reason)}};
  result["subject"] =
      gate.subject.kind.empty() ? Json() : Json{{"kind", gate.subject.kind}, {"name", gate.subject.name}};
  result["metric"] = text_or_null(gate.metric);
  result["time"] = gate.time;
  result["runs"] = gate.runs;
  return result;
}

Json encode(Predictability const& found) {
  Json result = {{"field", found.field}, {"saturation", json_number(found.saturation)}};
  auto& entries = result["entries"] = Json::array();
  for (auto const& entry : found.entries) {
    entries.push_back({{"run", text_or_null(entry.run)},
                       {"epsilon_text", text_or_null(entry.epsilon_text)},
                       {"runs", entry.runs},
                       {"of", entry.of},
                       {"mean_s", entry.time_s ? json_number(entry.time_s->mean) : Json()},
                       {"sd_s", entry.time_s ? json_number(entry.time_s->sd) : Json()}});
  }
  return result;
}

}  // namespace

std::string to_json(StudyResults const& results) {
  Json document;
  document["schema"] = results_schema;
  document["case"] = {{"core", results.study_case.core},
                      {"name", results.study_case.name},
                      {"hash", results.study_case.hash},
                      {"start_s", json_number(results.study_case.start_s)},
                      {"end_s", json_number(results.study_case.end_s)},
                      {"interval_s", json_number(results.study_case.interval_s)}};
  auto& provenance = document["provenance"] = Json::object();
  for (auto const& [key, value] : results.provenance) {
    provenance[key] = value;
  }
  provenance["seed"] = results.seed;
  document["metrics"] = metrics_json();
  document["reference"] = results.reference;
  document["rules"] = encode(results.rules);
  document["missing"] = results.missing.runs == 0 ? Json()
                                                  : Json{{"runs", results.missing.runs},
                                                         {"of", results.missing.of},
                                                         {"command", results.missing.command}};
  auto const list = [&](char const* key) -> Json& { return document[key] = Json::array(); };
  for (auto& runs = list("runs"); auto const& run : results.runs) {
    runs.push_back(encode(run, results.statistics));
  }
  for (auto& ensembles = list("ensembles"); auto const& ensemble : results.ensembles) {
    ensembles.push_back(encode(ensemble));
  }
  for (auto& groups = list("bitwise"); auto const& group : results.bitwise) {
    groups.push_back({{"hash", group.hash}, {"runs", group.runs}});
  }
  for (auto& evaluations = list("evaluations"); auto const& evaluation : results.evaluations) {
    evaluations.push_back(encode(evaluation));
  }
  for (auto& statistics = list("statistics"); auto const& statistic : results.statistics) {
    statistics.push_back(encode(statistic));
  }
  for (auto& curves = list("curves"); auto const& curve : results.curves) {
    curves.push_back(encode(curve));
  }
  for (auto& controls = list("controls"); auto const& control : results.controls) {
    controls.push_back(encode(control));
  }
  document["reference_error"] = results.reference_error ? encode(*results.reference_error) : Json();
  for (auto& figures = list("figures"); auto const& figure : results.figures) {
    figures.push_back(encode(figure));
  }
  for (auto& gates = list("gates"); auto const& gate : results.gates) {
    gates.push_back(encode(gate));
  }
  for (auto& verdicts = list("verdicts"); auto const& verdict : results.verdicts) {
    verdicts.push_back(encode(verdict));
  }
  for (auto& pairs = list("broken_order"); auto const& broken : results.broken_order) {
    pairs.push_back({{"closer", broken.closer},
                     {"closer_answer", name_of(broken.closer_answer)},
                     {"farther", broken.farther},
                     {"farther_answer", name_of(broken.farther_answer)}});
  }
  for (auto& fields = list("predictability"); auto const& field : predictability(results)) {
    fields.push_back(encode(field));
  }
  auto const calibration = Json::parse(calibration_json);
  document["calibration"] = calibration.empty() ? Json() : calibration;
  document["notes"] = results.notes;
  document["answer"] = name_of(results.answer);
  document["would_decide"] = text_or_null(results.would_decide);
  document["passed"] = results.passed();
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ulpine::verification
