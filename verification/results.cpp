// SPDX-License-Identifier: Apache-2.0
#include "verification/results.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "io/error.hpp"
#include "io/seal.hpp"
#include "io/temporary.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;
constexpr char const* schema = "ulpine.results/1";

// ---- writing: what is not finite or not there becomes null ----

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers(std::vector<double> const& values) {
  Json list = Json::array();
  for (double const value : values) {
    list.push_back(number(value));
  }
  return list;
}

template <class T>
Json optional(std::optional<T> const& value) {
  return value ? Json(*value) : Json();
}
template <>
Json optional(std::optional<double> const& value) {
  return value ? number(*value) : Json();
}

Json text_or_null(std::string const& text) { return text.empty() ? Json() : Json(text); }

Json encode(MeanSd const& value) { return {{"mean", number(value.mean)}, {"sd", number(value.sd)}}; }

Json encode(RunSeries const& series) {
  Json fields = Json::object();
  for (auto const& [name, errors] : series.fields) {
    fields[name] = {{"l2_relative", numbers(errors.l2_relative)}, {"linf", numbers(errors.linf)}};
  }
  Json result = {{"time_s", numbers(series.time_s)}, {"fields", std::move(fields)}};
  if (!series.lkf_count.empty()) {
    result["lkf_count"] = numbers(series.lkf_count);
    result["lkf_total_length_km"] = numbers(series.lkf_total_length_km);
  }
  return result;
}

Json encode(RunResult const& run) {
  Json metrics = Json::object(), undefined = Json::object(), failed = Json::object();
  for (auto const& [field, values] : run.metrics) {
    auto& entry = metrics[field] = Json::object();
    // In the order of the list of metrics, which is the order people read them in.
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
                 {"path", run.path},
                 {"failed", optional(run.failed)},
                 {"wall_s", number(run.wall_s)},
                 {"steps", run.steps},
                 {"cells", run.cells},
                 {"memory_bytes", run.memory_bytes},
                 {"hash", run.hash},
                 {"metrics", std::move(metrics)},
                 {"undefined", std::move(undefined)},
                 {"incomparable", std::move(failed)}};
  result["lkf"] =
      run.lkf ? Json{{"count", run.lkf->count}, {"total_length_km", optional(run.lkf->total_length_km)}}
              : Json();
  auto& integrals = result["integrals"] = Json::object();
  for (auto const& [name, integral] : run.integrals) {
    integrals[name] = {{"initial", number(integral.initial)}, {"final", number(integral.final)}};
  }
  if (run.series) {
    result["series"] = encode(*run.series);
  }
  if (run.spectrum) {
    result["spectrum"] = {{"field", run.spectrum->field},
                          {"wavenumber", numbers(run.spectrum->wavenumber)},
                          {"power", numbers(run.spectrum->power)}};
  }
  return result;
}

Json encode(EnsembleResult const& ensemble) {
  Json result = {{"configuration", text_or_null(ensemble.configuration)},
                 {"policy", ensemble.policy},
                 {"assembly", ensemble.assembly},
                 {"epsilon", number(ensemble.epsilon)},
                 {"epsilon_text", text_or_null(ensemble.epsilon_text)},
                 {"members", ensemble.members}};
  result["lkf_count"] = ensemble.lkf_count ? encode(*ensemble.lkf_count) : Json();
  result["lkf_total_length_km"] =
      ensemble.lkf_total_length_km ? encode(*ensemble.lkf_total_length_km) : Json();
  auto& spread = result["spread"] = Json::object();
  for (auto const& [field, value] : ensemble.spread) {
    spread[field] = {{"l2_relative_mean", number(value.l2_relative_mean)},
                     {"l2_relative_sd", number(value.l2_relative_sd)}};
  }
  if (ensemble.spectrum) {
    result["spectrum"] = {{"wavenumber", numbers(ensemble.spectrum->wavenumber)},
                          {"mean", numbers(ensemble.spectrum->mean)},
                          {"sd", numbers(ensemble.spectrum->sd)}};
  }
  if (ensemble.growth) {
    Json fields = Json::object();
    for (auto const& [field, series] : ensemble.growth->fields) {
      fields[field] = {{"mean", numbers(series.mean)}, {"sd", numbers(series.sd)}};
    }
    result["growth"] = {{"time_s", numbers(ensemble.growth->time_s)}, {"fields", std::move(fields)}};
  }
  if (auto const& detector = ensemble.lkf_detector) {
    result["lkf_detector"] = {{"count_mean", number(detector->count_mean)},
                              {"count_sd", number(detector->count_sd)},
                              {"length_mean", number(detector->length_mean)},
                              {"length_sd", number(detector->length_sd)}};
  }
  return result;
}

Json encode(Verdict const& verdict) {
  Json evidence = Json::array();
  for (auto const& item : verdict.evidence) {
    evidence.push_back(
        {{"kind", item.kind},
         {"subject", item.subject},
         {"epsilon_text", text_or_null(item.epsilon_text)},
         {"pairs", item.pairs},
         {"value", optional(item.value)},
         {"interval", item.interval ? numbers({item.interval->begin(), item.interval->end()}) : Json()},
         {"margin", optional(item.margin)},
         {"detectable", optional(item.detectable)},
         {"answer", item.answer ? Json(name_of(*item.answer)) : Json()},
         {"reason", text_or_null(item.reason)}});
  }
  return {{"configuration", verdict.configuration}, {"policy", verdict.policy},
          {"assembly", verdict.assembly},           {"device", verdict.device},
          {"answer", name_of(verdict.answer)},      {"would_decide", text_or_null(verdict.would_decide)},
          {"evidence", std::move(evidence)}};
}

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

RunSeries decode_series(Json const& json) {
  RunSeries series;
  series.time_s = decode_numbers(json.at("time_s"));
  for (auto const& [name, errors] : json.at("fields").items()) {
    series.fields[name] = {decode_numbers(errors.at("l2_relative")), decode_numbers(errors.at("linf"))};
  }
  series.lkf_count = decode_numbers(entry(json, "lkf_count"));
  series.lkf_total_length_km = decode_numbers(entry(json, "lkf_total_length_km"));
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
  if (auto const& lkf = entry(json, "lkf"); !lkf.is_null()) {
    run.lkf =
        LkfTotals{lkf.at("count").get<std::int64_t>(), decode_optional<double>(lkf.at("total_length_km"))};
  }
  for (auto const& [name, integral] : entry(json, "integrals").items()) {
    run.integrals[name] = {decode_number(integral.at("initial")), decode_number(integral.at("final"))};
  }
  if (auto const& series = entry(json, "series"); !series.is_null()) {
    run.series = decode_series(series);
  }
  if (auto const& spectrum = entry(json, "spectrum"); !spectrum.is_null()) {
    run.spectrum =
        FieldSpectrum{spectrum.at("field").get<std::string>(), decode_numbers(spectrum.at("wavenumber")),
                      decode_numbers(spectrum.at("power"))};
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
  if (auto const& count = entry(json, "lkf_count"); !count.is_null()) {
    ensemble.lkf_count = decode_mean_sd(count);
  }
  if (auto const& length = entry(json, "lkf_total_length_km"); !length.is_null()) {
    ensemble.lkf_total_length_km = decode_mean_sd(length);
  }
  for (auto const& [field, value] : json.at("spread").items()) {
    ensemble.spread[field] = {decode_number(value.at("l2_relative_mean")),
                              decode_number(value.at("l2_relative_sd"))};
  }
  if (auto const& spectrum = entry(json, "spectrum"); !spectrum.is_null()) {
    ensemble.spectrum =
        EnsembleResult::Spectrum{decode_numbers(spectrum.at("wavenumber")),
                                 decode_numbers(spectrum.at("mean")), decode_numbers(spectrum.at("sd"))};
  }
  if (auto const& growth = entry(json, "growth"); !growth.is_null()) {
    ensemble.growth.emplace().time_s = decode_numbers(growth.at("time_s"));
    for (auto const& [field, series] : growth.at("fields").items()) {
      ensemble.growth->fields[field] = {decode_numbers(series.at("mean")), decode_numbers(series.at("sd"))};
    }
  }
  if (auto const& detector = entry(json, "lkf_detector"); !detector.is_null()) {
    ensemble.lkf_detector = EnsembleResult::LkfDetector{
        decode_number(detector.at("count_mean")), decode_number(detector.at("count_sd")),
        decode_number(detector.at("length_mean")), decode_number(detector.at("length_sd"))};
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

Verdict decode_verdict(Json const& json) {
  Verdict verdict;
  json.at("configuration").get_to(verdict.configuration);
  json.at("policy").get_to(verdict.policy);
  json.at("assembly").get_to(verdict.assembly);
  json.at("device").get_to(verdict.device);
  verdict.answer = decode_answer(json.at("answer"));
  verdict.would_decide = decode_text(entry(json, "would_decide"));
  for (auto const& item : json.at("evidence")) {
    Evidence evidence;
    item.at("kind").get_to(evidence.kind);
    item.at("subject").get_to(evidence.subject);
    evidence.epsilon_text = decode_text(entry(item, "epsilon_text"));
    evidence.pairs = item.value("pairs", std::int64_t(0));
    evidence.value = decode_optional<double>(item.at("value"));
    if (auto const& interval = item.at("interval"); !interval.is_null()) {
      evidence.interval = {decode_number(interval.at(0)), decode_number(interval.at(1))};
    }
    evidence.margin = decode_optional<double>(item.at("margin"));
    evidence.detectable = decode_optional<double>(item.at("detectable"));
    if (auto const& answer = item.at("answer"); !answer.is_null()) {
      evidence.answer = decode_answer(answer);
    }
    evidence.reason = decode_text(entry(item, "reason"));
    verdict.evidence.push_back(std::move(evidence));
  }
  return verdict;
}

StudyResults decode(Json const& json) {
  StudyResults results;
  auto const& study_case = json.at("case");
  study_case.at("core").get_to(results.study_case.core);
  study_case.at("name").get_to(results.study_case.name);
  study_case.at("hash").get_to(results.study_case.hash);
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
  for (auto const& control : entry(json, "lkf_control")) {
    results.lkf_control.push_back({control.at("policy").get<std::string>(),
                                   control.at("draws").get<std::int64_t>(),
                                   decode_number(control.at("noise")), decode_mean_sd(control.at("count")),
                                   decode_mean_sd(control.at("total_length_km"))});
  }
  for (auto const& statistic : entry(json, "statistics")) {
    results.statistics.push_back({statistic.at("name").get<std::string>(),
                                  statistic.at("units").get<std::string>(),
                                  decode_number(statistic.at("resolution"))});
  }
  for (auto const& gate : json.at("gates")) {
    results.gates.push_back({gate.at("name").get<std::string>(), gate.at("run").get<std::string>(),
                             decode_optional<double>(gate.at("value")), decode_number(gate.at("limit")),
                             gate.at("passed").get<bool>(), decode_text(entry(gate, "skipped")),
                             decode_text(entry(gate, "reason"))});
  }
  for (auto const& verdict : json.at("verdicts")) {
    results.verdicts.push_back(decode_verdict(verdict));
  }
  results.answer = decode_answer(json.at("answer"));
  results.would_decide = decode_text(entry(json, "would_decide"));
  for (auto const& note : entry(json, "notes")) {
    results.notes.push_back(note.get<std::string>());
  }
  return results;
}

}  // namespace

std::string name_of(Answer answer) {
  switch (answer) {
    case Answer::equal:
      return "equal";
    case Answer::equivalent:
      return "equivalent";
    case Answer::undecided:
      return "undecided";
    case Answer::different:
      break;
  }
  return "different";
}

void RunResult::set_metrics(std::string const& field, Metrics const& computed) {
  auto& values = metrics[field];
  for (auto const& [name, value] : computed.values) {
    values.insert_or_assign(name, value);
  }
}

RunResult const* StudyResults::find_run(std::string const& id) const {
  auto const found =
      std::find_if(runs.begin(), runs.end(), [&](RunResult const& run) { return run.id == id; });
  return found == runs.end() ? nullptr : &*found;
}

std::string to_json(StudyResults const& results) {
  Json document;
  document["schema"] = schema;
  document["case"] = {{"core", results.study_case.core},
                      {"name", results.study_case.name},
                      {"hash", results.study_case.hash}};
  auto& provenance = document["provenance"] = Json::object();
  for (auto const& [key, value] : results.provenance) {
    provenance[key] = value;
  }
  provenance["seed"] = results.seed;
  document["reference"] = results.reference;
  document["missing"] = results.missing.runs == 0 ? Json()
                                                  : Json{{"runs", results.missing.runs},
                                                         {"of", results.missing.of},
                                                         {"command", results.missing.command}};
  auto const list = [&](char const* key) -> Json& { return document[key] = Json::array(); };
  for (auto& runs = list("runs"); auto const& run : results.runs) {
    runs.push_back(encode(run));
  }
  for (auto& ensembles = list("ensembles"); auto const& ensemble : results.ensembles) {
    ensembles.push_back(encode(ensemble));
  }
  for (auto& groups = list("bitwise"); auto const& group : results.bitwise) {
    groups.push_back({{"hash", group.hash}, {"runs", group.runs}});
  }
  for (auto& controls = list("lkf_control"); auto const& control : results.lkf_control) {
    controls.push_back({{"policy", control.policy},
                        {"draws", control.draws},
                        {"noise", number(control.noise)},
                        {"count", encode(control.count)},
                        {"total_length_km", encode(control.total_length_km)}});
  }
  for (auto& statistics = list("statistics"); auto const& statistic : results.statistics) {
    statistics.push_back(
        {{"name", statistic.name}, {"units", statistic.units}, {"resolution", number(statistic.resolution)}});
  }
  for (auto& gates = list("gates"); auto const& gate : results.gates) {
    gates.push_back({{"name", gate.name},
                     {"run", gate.run},
                     {"value", optional(gate.value)},
                     {"limit", number(gate.limit)},
                     {"passed", gate.passed},
                     {"skipped", text_or_null(gate.skipped)},
                     {"reason", text_or_null(gate.reason)}});
  }
  for (auto& verdicts = list("verdicts"); auto const& verdict : results.verdicts) {
    verdicts.push_back(encode(verdict));
  }
  document["notes"] = results.notes;
  document["answer"] = name_of(results.answer);
  document["would_decide"] = text_or_null(results.would_decide);
  document["passed"] = results.passed();
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

StudyResults from_json(std::string const& text, std::string const& name) {
  auto const unusable = [&](std::exception const& error) {
    return InputError(name + ": cannot be read as study results (" + error.what() +
                      ") write them anew with `ulpine report`");
  };
  try {
    auto const document = Json::parse(text);
    auto const& found = document.is_object() ? entry(document, "schema") : Json();
    if (!found.is_string() || found != schema) {
      throw InputError(name + ": not study results of schema " + schema + " (schema is " + found.dump() +
                       ") write them anew with this version's `ulpine report`");
    }
    return decode(document);
  } catch (nlohmann::json::exception const& error) {
    throw unusable(error);
  } catch (std::out_of_range const& error) {
    throw unusable(error);
  }
}

void write_results(std::filesystem::path const& path, StudyResults const& results) {
  auto const temporary = io::temporary_name(path);
  std::ofstream file(temporary, std::ios::binary);
  file << io::sealed_json(to_json(results));
  file.close();
  std::error_code problem;
  if (!file) {
    std::filesystem::remove(temporary, problem);
    throw EnvironmentError("cannot write " + path.string() + " (folder missing, not writable or disk full)");
  }
  std::filesystem::rename(temporary, path, problem);
  if (problem) {
    throw EnvironmentError("cannot write " + path.string() + " (" + problem.message() + ")");
  }
}

StudyResults read_results(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw InputError("cannot read " + path.string() + " (missing or not readable)");
  }
  io::require_json_seal(text.str(), path.string(), "write it anew with `ulpine report`");
  return from_json(text.str(), path.string());
}

}  // namespace ulpine::verification
