// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/error.hpp"
#include "verification/results/results.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

// ---- reading: null becomes NaN or empty ----

double decode_number(Json const& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::vector<double> decode_numbers(Json const& json) {
  std::vector<double> result;
  for (auto const& entry : json) {
    result.push_back(decode_number(entry));
  }
  return result;
}

/// The entry `key`, null where there is none.
Json const& entry(Json const& json, char const* key) {
  static Json const null;
  auto const found = json.find(key);
  return found == json.end() ? null : *found;
}

template <class T>
std::optional<T> decode_optional(Json const& json) {
  return json.is_null() ? std::nullopt : std::optional<T>(json.get<T>());
}

std::string decode_text(Json const& json) { return json.is_null() ? std::string() : json.get<std::string>(); }

MeanSd decode_mean_sd(Json const& json) {
  return {decode_number(json.at("mean")), decode_number(json.at("sd"))};
}

std::map<std::string, MeanSd> decode_means(Json const& json) {
  std::map<std::string, MeanSd> result;
  for (auto const& [name, value] : json.items()) result[name] = decode_mean_sd(value);
  return result;
}

RunSeries decode_series(Json const& json) {
  RunSeries series;
  series.time_s = decode_numbers(json.at("time_s"));
  for (auto const& [name, errors] : json.at("fields").items()) {
    series.fields[name] = {decode_numbers(errors.at("l2_relative")), decode_numbers(errors.at("linf"))};
  }
  for (auto const& [name, values] : entry(json, "statistics").items()) {
    series.statistics[name] = decode_numbers(values);
  }
  return series;
}

RunResult decode_run(Json const& json) {
  RunResult run;
  json.at("id").get_to(run.id);
  json.at("policy").get_to(run.policy);
  json.at("assembly").get_to(run.assembly);
  json.at("device").get_to(run.device);
  run.epsilon = decode_optional<double>(json.at("epsilon"));
  run.epsilon_text = decode_text(entry(json, "epsilon_text"));
  run.member = decode_optional<int>(json.at("member"));
  run.ensemble = decode_text(entry(json, "ensemble"));
  run.control = json.value("control", false);
  run.path = decode_text(entry(json, "path"));
  run.failed = decode_optional<std::string>(entry(json, "failed"));
  run.wall_s = decode_number(json.at("wall_s"));
  json.at("steps").get_to(run.steps);
  run.cells = json.value("cells", std::int64_t(0));
  run.memory_bytes = json.value("memory_bytes", std::int64_t(0));
  json.at("hash").get_to(run.hash);
  auto const& undefined = entry(json, "undefined");
  auto const& incomparable = entry(json, "incomparable");
  for (auto const& [field, values] : json.at("metrics").items()) {
    for (auto const& [name, value] : values.items()) {
      auto const key = field + "." + name;
      run.metrics[field][name] =
          !value.is_null()             ? Value::of(value.get<double>())
          : incomparable.contains(key) ? Value::failure(incomparable.at(key).get<std::string>())
          : undefined.contains(key)    ? Value::undefined(undefined.at(key).get<std::string>())
                                       : Value();
    }
  }
  for (auto const& [name, value] : entry(json, "statistics").items()) {
    run.statistics[name] = decode_number(value);
  }
  for (auto const& [name, curve] : entry(json, "curves").items()) {
    run.curves[name] = {decode_numbers(curve.at("x")), decode_numbers(curve.at("y"))};
  }
  for (auto const& [name, integral] : entry(json, "integrals").items()) {
    run.integrals[name] = {decode_number(integral.at("initial")), decode_number(integral.at("final"))};
  }
  if (auto const& series = entry(json, "series"); !series.is_null()) {
    run.series = decode_series(series);
  }
  return run;
}

EnsembleResult decode_ensemble(Json const& json) {
  EnsembleResult ensemble;
  ensemble.configuration = decode_text(entry(json, "configuration"));
  json.at("policy").get_to(ensemble.policy);
  ensemble.assembly = decode_text(entry(json, "assembly"));
  ensemble.epsilon = decode_number(json.at("epsilon"));
  ensemble.epsilon_text = decode_text(entry(json, "epsilon_text"));
  json.at("members").get_to(ensemble.members);
  ensemble.statistics = decode_means(entry(json, "statistics"));
  ensemble.controls = decode_means(entry(json, "controls"));
  for (auto const& [field, value] : json.at("spread").items()) {
    ensemble.spread[field] = {decode_number(value.at("l2_relative_mean")),
                              decode_number(value.at("l2_relative_sd"))};
  }
  for (auto const& [name, curve] : entry(json, "curves").items()) {
    ensemble.curves[name] = {decode_numbers(curve.at("x")), decode_numbers(curve.at("mean")),
                             decode_numbers(curve.at("sd"))};
  }
  if (auto const& growth = entry(json, "growth"); !growth.is_null()) {
    ensemble.growth.emplace().time_s = decode_numbers(growth.at("time_s"));
    for (auto const& [field, series] : growth.at("fields").items()) {
      ensemble.growth->fields[field] = {decode_numbers(series.at("mean")), decode_numbers(series.at("sd"))};
    }
  }
  return ensemble;
}

constexpr std::array answers = {Answer::equal, Answer::equivalent, Answer::undecided, Answer::different};

Answer decode_answer(Json const& json) {
  auto const text = json.get<std::string>();
  auto const found =
      std::find_if(answers.begin(), answers.end(), [&](Answer answer) { return name_of(answer) == text; });
  if (found == answers.end()) {
    throw std::out_of_range("no such answer '" + text + "'");
  }
  return *found;
}

Evidence decode_evidence(Json const& json) {
  Evidence evidence;
  json.at("kind").get_to(evidence.kind);
  json.at("subject").get_to(evidence.subject);
  evidence.part = decode_text(entry(json, "part"));
  evidence.epsilon_text = decode_text(entry(json, "epsilon_text"));
  evidence.pairs = json.value("pairs", std::int64_t(0));
  evidence.value = decode_optional<double>(json.at("value"));
  if (auto const& interval = json.at("interval"); !interval.is_null()) {
    evidence.interval = {decode_number(interval.at(0)), decode_number(interval.at(1))};
  }
  evidence.margin = decode_optional<double>(json.at("margin"));
  evidence.margin_text = decode_text(entry(json, "margin_text"));
  evidence.detectable = decode_optional<double>(json.at("detectable"));
  evidence.needed = decode_optional<std::int64_t>(entry(json, "needed"));
  evidence.time_s = decode_optional<double>(entry(json, "time_s"));
  evidence.level = decode_optional<std::int64_t>(entry(json, "level"));
  evidence.x = decode_optional<double>(entry(json, "x"));
  if (auto const& answer = json.at("answer"); !answer.is_null()) {
    evidence.answer = decode_answer(answer);
  }
  evidence.reason = decode_text(entry(json, "reason"));
  return evidence;
}

Verdict decode_verdict(Json const& json) {
  Verdict verdict;
  json.at("configuration").get_to(verdict.configuration);
  json.at("policy").get_to(verdict.policy);
  json.at("assembly").get_to(verdict.assembly);
  json.at("device").get_to(verdict.device);
  verdict.control = json.value("control", false);
  verdict.answer = decode_answer(json.at("answer"));
  verdict.would_decide = decode_text(entry(json, "would_decide"));
  for (auto const& item : json.at("evidence")) verdict.evidence.push_back(decode_evidence(item));
  verdict.time_s = decode_numbers(entry(json, "time_s"));
  for (auto const& [field, errors] : entry(json, "errors").items()) {
    verdict.errors[field] = {decode_numbers(errors.at("ratio")), decode_numbers(errors.at("low")),
                             decode_numbers(errors.at("high")),
                             errors.at("level").get<std::vector<std::int64_t>>()};
  }
  return verdict;
}

ReferenceError decode_reference_error(Json const& json) {
  ReferenceError error;
  json.at("configuration").get_to(error.configuration);
  error.time_s = decode_numbers(json.at("time_s"));
  for (auto const& [name, errors] : json.at("fields").items()) {
    error.fields[name] = {decode_numbers(errors.at("l2_relative")), decode_numbers(errors.at("linf"))};
  }
  return error;
}

Margin decode_margin(Json const& json) {
  Margin margin;
  auto const kind = json.at("kind").get<std::string>();
  margin.kind = kind == "relative"   ? Margin::Kind::relative
                : kind == "absolute" ? Margin::Kind::absolute
                                     : Margin::Kind::spread;
  margin.value = decode_number(json.at("value"));
  margin.reason = decode_text(entry(json, "reason"));
  return margin;
}

Rules decode_rules(Json const& json) {
  Rules rules;
  rules.tolerated = decode_text(entry(json, "tolerated"));
  rules.reason = decode_text(entry(json, "reason"));
  rules.statistics = decode_margin(json.at("statistics"));
  rules.curves = decode_margin(json.at("curves"));
  rules.spread_ratio = decode_number(json.at("spread_ratio"));
  for (auto const& [name, margin] : json.at("margins").items()) rules.margins[name] = decode_margin(margin);
  if (auto const& levels = entry(json, "levels"); !levels.is_null()) {
    // A missing bound is an infinite one, which JSON cannot express.
    rules.levels.from = decode_optional<double>(levels.at("from")).value_or(rules.levels.from);
    rules.levels.to = decode_optional<double>(levels.at("to")).value_or(rules.levels.to);
  }
  return rules;
}

EvaluationInfo decode_evaluation(Json const& json) {
  EvaluationInfo evaluation;
  for (auto const& [key, value] : json.items()) {
    if (key == "name") {
      value.get_to(evaluation.name);
    } else if (key == "kind") {
      value.get_to(evaluation.kind);
    } else if (key == "field") {
      evaluation.fields = {value.get<std::string>()};
    } else if (key == "fields") {
      value.get_to(evaluation.fields);
    } else if (value.is_string()) {
      evaluation.parameters.emplace_back(key, value.get<std::string>());
    } else {
      evaluation.parameters.emplace_back(key, decode_number(value));
    }
  }
  return evaluation;
}

CurveInfo decode_curve(Json const& json) {
  auto const name = json.at("name").get<std::string>();
  auto const& x = json.at("x");
  auto const& y = json.at("y");
  return {name,
          decode_text(entry(json, "evaluation")),
          decode_text(entry(json, "long_name")),
          {decode_text(entry(x, "name")), decode_text(entry(x, "units")), decode_text(entry(x, "scale"))},
          {name, decode_text(entry(y, "units")), decode_text(entry(y, "scale"))}};
}

Figure decode_figure(Json const& json) {
  Figure figure;
  figure.name = decode_text(entry(json, "name"));
  json.at("kind").get_to(figure.kind);
  for (auto const* subject : {"field", "statistic", "curve"}) {
    if (json.contains(subject)) {
      figure.subject_kind = subject;
      json.at(subject).get_to(figure.subject);
    }
  }
  figure.scale = decode_text(entry(json, "scale"));
  figure.units = decode_text(entry(json, "units"));
  figure.axis = decode_text(entry(json, "axis"));
  figure.index = decode_optional<int>(entry(json, "index"));
  figure.level = decode_optional<int>(entry(json, "level"));
  return figure;
}

GateResult decode_gate(Json const& json) {
  GateResult gate;
  json.at("name").get_to(gate.name);
  json.at("run").get_to(gate.run);
  gate.value = decode_optional<double>(json.at("value"));
  gate.limit = decode_number(json.at("limit"));
  json.at("passed").get_to(gate.passed);
  gate.skipped = decode_text(entry(json, "skipped"));
  gate.reason = decode_text(entry(json, "reason"));
  if (auto const& subject = entry(json, "subject"); !subject.is_null()) {
    gate.subject = {subject.at("kind").get<std::string>(), subject.at("name").get<std::string>()};
  }
  gate.metric = decode_text(entry(json, "metric"));
  gate.time = json.value("time", std::string("last"));
  gate.runs = json.value("runs", std::vector<std::string>{});
  return gate;
}

StudyResults decode(Json const& json) {
  StudyResults results;
  auto const& study_case = json.at("case");
  study_case.at("core").get_to(results.study_case.core);
  study_case.at("name").get_to(results.study_case.name);
  study_case.at("hash").get_to(results.study_case.hash);
  results.study_case.start_s = decode_optional<double>(entry(study_case, "start_s"));
  results.study_case.end_s = decode_optional<double>(entry(study_case, "end_s"));
  results.study_case.interval_s = decode_optional<double>(entry(study_case, "interval_s"));
  for (auto const& [key, value] : json.at("provenance").items()) {
    if (key == "seed") {
      value.get_to(results.seed);
    } else {
      results.provenance.emplace_back(key, value.get<std::string>());
    }
  }
  json.at("reference").get_to(results.reference);
  if (auto const& missing = entry(json, "missing"); !missing.is_null()) {
    results.missing = {missing.at("runs").get<std::int64_t>(), missing.at("of").get<std::int64_t>(),
                       missing.at("command").get<std::string>()};
  }
  if (auto const& rules = entry(json, "rules"); !rules.is_null()) results.rules = decode_rules(rules);
  for (auto const& run : json.at("runs")) {
    results.runs.push_back(decode_run(run));
  }
  for (auto const& ensemble : json.at("ensembles")) {
    results.ensembles.push_back(decode_ensemble(ensemble));
  }
  for (auto const& group : entry(json, "bitwise")) {
    results.bitwise.push_back(
        {group.at("hash").get<std::string>(), group.at("runs").get<std::vector<std::string>>()});
  }
  for (auto const& evaluation : entry(json, "evaluations")) {
    results.evaluations.push_back(decode_evaluation(evaluation));
  }
  for (auto const& statistic : entry(json, "statistics")) {
    results.statistics.push_back(
        {statistic.at("name").get<std::string>(), statistic.at("units").get<std::string>(),
         decode_number(statistic.at("resolution")), decode_text(entry(statistic, "evaluation")),
         decode_text(entry(statistic, "part")), decode_text(entry(statistic, "long_name")),
         statistic.value("orientation_spread", 0.0)});
  }
  for (auto const& curve : entry(json, "curves")) results.curves.push_back(decode_curve(curve));
  for (auto const& control : entry(json, "controls")) {
    results.controls.push_back({control.at("policy").get<std::string>(), decode_number(control.at("noise")),
                                control.at("draws").get<std::int64_t>(),
                                decode_means(control.at("statistics"))});
  }
  if (auto const& error = entry(json, "reference_error"); !error.is_null()) {
    results.reference_error = decode_reference_error(error);
  }
  for (auto const& figure : entry(json, "figures")) results.figures.push_back(decode_figure(figure));
  for (auto const& gate : json.at("gates")) results.gates.push_back(decode_gate(gate));
  for (auto const& verdict : json.at("verdicts")) {
    results.verdicts.push_back(decode_verdict(verdict));
  }
  for (auto const& broken : entry(json, "broken_order")) {
    results.broken_order.push_back(
        {broken.at("closer").get<std::string>(), decode_answer(broken.at("closer_answer")),
         broken.at("farther").get<std::string>(), decode_answer(broken.at("farther_answer"))});
  }
  results.answer = decode_answer(json.at("answer"));
  results.would_decide = decode_text(entry(json, "would_decide"));
  for (auto const& note : entry(json, "notes")) {
    results.notes.push_back(note.get<std::string>());
  }
  return results;
}

}  // namespace

StudyResults from_json(std::string const& text, std::string const& name) {
  auto const unusable = [&](std::exception const& error) {
    return InputError(name + ": cannot be read as study results (" + error.what() +
                      ") write them anew with `ulpine report`");
  };
  try {
    auto const document = Json::parse(text);
    auto const& found = document.is_object() ? entry(document, "schema") : Json();
    if (!found.is_string() || found != results_schema) {
      throw InputError(name + ": not study results of schema " + results_schema + " (schema is " +
                       found.dump() + ") write them anew with this version's `ulpine report`");
    }
    return decode(document);
  } catch (nlohmann::json::exception const& error) {
    throw unusable(error);
  } catch (std::out_of_range const& error) {
    throw unusable(error);
  }
}

}  // namespace ulpine::verification
