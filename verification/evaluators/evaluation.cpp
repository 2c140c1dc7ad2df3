// SPDX-License-Identifier: Apache-2.0
#include "verification/evaluators/evaluation.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "io/error.hpp"

namespace ulpine::verification {
namespace {

/// The case and what its core declares, read as one.
struct Sources {
  Sources(io::CaseFile const& case_file, std::string const& text) : given{case_file} {
    if (!text.empty()) {
      declared = io::CaseFile::parse(text, "core " + case_file.core());
    }
  }
  io::CaseFile const* core() const { return declared ? &*declared : nullptr; }
  /// Sub-tables of `table`, the core's first.
  std::vector<std::string> names(std::string const& table) const {
    auto result = declared ? declared->keys_under(table) : std::vector<std::string>{};
    for (auto const& name : given.keys_under(table)) {
      if (std::ranges::find(result, name) == result.end()) result.push_back(name);
    }
    for (auto const& name : result) {
      auto const plain =
          std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
      if (!plain || given.keys_under(table + "." + name).empty() != !given_has(table, name)) {
        throw given.error(table + "." + name,
                          "is no table of that name (letters, digits and _ make names) "
                          "write [" +
                              table + ".NAME]");
      }
    }
    return result;
  }
  bool given_has(std::string const& table, std::string const& name) const {
    auto const names = given.keys_under(table);
    return std::ranges::find(names, name) != names.end();
  }

  io::CaseFile const& given;
  std::optional<io::CaseFile> declared;
};

std::vector<std::string> names_of_kinds() {
  std::vector<std::string> names;
  for (auto const& kind : evaluator_kinds()) names.push_back(kind.name);
  return names;
}

bool is_used(io::CaseFile const& case_file, std::string const& table) {
  return !case_file.has(table + ".use") || case_file.flag(table + ".use", true);
}

/// Keys of a run in results.json beside which the statistics of an evaluation stand under its name.
bool is_reserved(std::string const& name) {
  static std::set<std::string> const reserved = {
      "id",     "policy",   "assembly",  "device",    "epsilon",      "epsilon_text", "member",
      "path",   "ensemble", "failed",    "wall_s",    "steps",        "cells",        "memory_bytes",
      "hash",   "metrics",  "undefined", "integrals", "statistics",   "curves",       "series",
      "growth", "members",  "spread",    "controls",  "incomparable", "configuration"};
  return reserved.contains(name);
}

}  // namespace

std::vector<Evaluation> read_evaluations(io::CaseFile const& case_file, std::string const& declared) {
  Sources const sources(case_file, declared);
  std::vector<Evaluation> result;
  auto const kinds = evaluator_kinds();
  for (auto const& name : sources.names("evaluate")) {
    auto const table = "evaluate." + name;
    if (!is_used(case_file, table)) {
      case_file.accept(table);
      continue;
    }
    EvaluationKeys keys(name, case_file, sources.core());
    if (is_reserved(name)) {
      throw keys.error("", "is a name that results.json has other things under (choose another)");
    }
    auto const kind_name = keys.required_text("kind");
    auto const kind = std::ranges::find(kinds, kind_name, &EvaluatorKind::name);
    if (kind == kinds.end()) {
      throw keys.error("kind", "unknown kind of evaluation '" + kind_name + "'" +
                                   choices_hint(kind_name, names_of_kinds()));
    }
    keys.accept_for_kind(kind->name, kind->case_keys);
    Evaluation evaluation;
    evaluation.evaluator = kind->make(keys);
    if (keys.has("mean_over")) {
      evaluation.mean.length = keys.duration("mean_over", 1e-6);
      evaluation.mean.of_fields = keys.choice("mean_of", "fields", {"fields", "values"}) == "fields";
    }
    evaluation.info = {name, kind->name, evaluation.evaluator->fields(), keys.read()};
    evaluation.long_name = keys.text("long_name", "");
    keys.reject_unknown();
    evaluation.of_case = sources.given_has("evaluate", name);
    evaluation.where = keys.error(keys.has("field") ? "field" : "kind", "").what();
    result.push_back(std::move(evaluation));
  }
  return result;
}

std::vector<Figure> read_figures(io::CaseFile const& case_file, std::string const& declared) {
  Sources const sources(case_file, declared);
  std::vector<Figure> result;
  for (auto const& name : sources.names("figure")) {
    auto const table = "figure." + name;
    if (!is_used(case_file, table)) {
      case_file.accept(table);
      continue;
    }
    // A case that has the table has all of it: a figure is too small to be altered key by key.
    auto const& file = sources.given_has("figure", name) ? case_file : *sources.core();
    Figure figure;
    figure.name = name;
    if (!file.has(table + ".kind")) {
      throw file.error(table, "has no kind (map, section, series or curve) give one");
    }
    figure.kind = file.choice(table + ".kind", "", {"map", "section", "series", "curve"});
    figure.scale = file.choice(table + ".scale", "linear", {"linear", "log", "diverging"});
    for (auto const* subject : {"field", "statistic", "curve"}) {
      if (!file.has(table + "." + subject)) continue;
      if (!figure.subject.empty()) {
        throw file.error(table + "." + subject, "is one subject too many (a figure shows one) drop it");
      }
      figure.subject_kind = subject;
      figure.subject = file.text(table + "." + subject, "");
    }
    if (figure.subject.empty()) {
      throw file.error(table, "shows nothing (it needs a subject) give field, statistic or curve");
    }
    figure.axis = file.has(table + ".axis") ? file.text(table + ".axis", "") : "";
    auto const place = [&](char const* key) {
      auto const path = table + "." + key;
      return file.has(path) ? std::optional(file.integer<int>(path, 0, 0)) : std::nullopt;
    };
    figure.index = place("index");
    figure.level = place("level");
    std::vector<std::string> const known = {"kind", "scale", "field", "statistic", "curve",
                                            "axis", "index", "level", "use"};
    for (auto const& key : file.keys_under(table)) {
      if (std::ranges::find(known, key) == known.end()) {
        throw file.error(table + "." + key, "unknown key of a figure" + choices_hint(key, known));
      }
    }
    result.push_back(std::move(figure));
  }
  return result;
}

std::vector<std::string> judging_tables() {
  std::vector<std::string> tables = {"verify", "evaluate", "figure"};
  for (auto const& kind : evaluator_kinds()) {
    if (!kind.case_keys.empty()) tables.push_back(kind.name);
  }
  return tables;
}

namespace {
InputError name_is_taken(std::string const& where, std::string const& name) {
  return InputError(where + "'" + name +
                    "' is the name of something else (names of fields, statistics and curves differ) choose "
                    "another name");
}
}  // namespace

void require_fields(std::vector<Evaluation> const& evaluations, std::vector<std::string> const& fields) {
  for (auto const& [info, evaluator, long_name, of_case, mean, where] : evaluations) {
    if (of_case && std::ranges::find(fields, info.name) != fields.end()) {
      throw name_is_taken(where, info.name);
    }
    for (auto const& field : info.fields) {
      if (of_case && std::ranges::find(fields, field) == fields.end()) {
        throw InputError(where + "unknown field '" + field + "'" + choices_hint(field, fields));
      }
    }
  }
}

std::size_t TimeMean::first(std::vector<double> const& times) const {
  // Times are sums of steps, which rounding may leave on either side.
  auto const begin = times.back() - length * (1 - 1e-9);
  if (length == 0) return times.size() - 1;
  return static_cast<std::size_t>(std::ranges::find_if(times, [&](double time) { return time > begin; }) -
                                  times.begin());
}

void EvaluationOverTime::add(FittedEvaluation const& fitted, FrameLayout const& layout, Frame const& frame) {
  auto const add_to = [](std::vector<double>& sum, std::vector<double> const& values) {
    sum.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
  };
  auto const& evaluator = *fitted.evaluation.evaluator;
  ++count_;
  if (fitted.evaluation.mean.of_fields) {
    for (auto const& field : fitted.evaluation.info.fields) add_to(sums_[field], frame.at(field));
    return;
  }
  if (!fitted.statistics.empty()) add_to(statistics_, evaluator.statistics(frame, layout));
  if (fitted.curves.empty()) return;
  auto const curves = evaluator.curves(frame, layout);
  curves_.resize(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    curves_[i].x = curves[i].x;
    add_to(curves_[i].y, curves[i].y);
  }
}

Frame EvaluationOverTime::mean_frame() const {
  auto mean = sums_;
  for (auto& [field, values] : mean) {
    for (auto& value : values) value /= count_;
  }
  return mean;
}

std::vector<double> EvaluationOverTime::statistics(FittedEvaluation const& fitted,
                                                   FrameLayout const& layout) const {
  if (fitted.evaluation.mean.of_fields) {
    return fitted.evaluation.evaluator->statistics(mean_frame(), layout);
  }
  auto means = statistics_;
  for (auto& mean : means) mean /= count_;
  return means;
}

std::vector<Curve> EvaluationOverTime::curves(FittedEvaluation const& fitted,
                                              FrameLayout const& layout) const {
  if (fitted.evaluation.mean.of_fields) return fitted.evaluation.evaluator->curves(mean_frame(), layout);
  auto means = curves_;
  for (auto& mean : means) {
    for (auto& value : mean.y) value /= count_;
  }
  return means;
}

namespace {
bool lacks_times(TimeMean const& mean, std::vector<double> const& times) {
  return mean.length > 0 && times.back() - times.front() < mean.length * (1 - 1e-9);
}
}  // namespace

std::vector<FittedEvaluation> fit(std::vector<Evaluation> const& evaluations, FrameLayout const& layout,
                                  std::vector<std::string>& notes) {
  std::vector<std::string> fields;
  for (auto const& [name, grid] : layout.grids) fields.push_back(name);
  require_fields(evaluations, fields);
  std::vector<FittedEvaluation> result;
  std::set<std::string> names(fields.begin(), fields.end());
  for (auto const& evaluation : evaluations) {
    auto const& info = evaluation.info;
    auto const missing = std::ranges::find_if(
        info.fields, [&](std::string const& field) { return !layout.grids.contains(field); });
    if (missing != info.fields.end()) {
      notes.push_back("evaluation " + info.name + " left out: the output has no field " + *missing);
      continue;
    }
    FittedEvaluation fitted{evaluation, {}, {}};
    auto const name_of = [&](std::string const& part) {
      auto name = part.empty() ? info.name : info.name + "_" + part;
      if (!names.insert(name).second) throw name_is_taken(evaluation.where, name);
      return name;
    };
    auto const& asked = evaluation.long_name;
    auto const described = [&](std::string const& part, std::string const& own) {
      return asked.empty() ? own : part.empty() ? asked : asked + ", " + own;
    };
    try {
      if (lacks_times(evaluation.mean, layout.times)) {
        throw InputError("the output is shorter than mean_over (" + io::number_text(evaluation.mean.length) +
                         " s) run longer, or give a shorter mean_over");
      }
      for (auto& [part, long_name, units, resolution] : evaluation.evaluator->describe_statistics(layout)) {
        fitted.statistics.push_back(
            {name_of(part), units, resolution, info.name, part, described(part, long_name), 0});
      }
      for (auto& [part, long_name, x, y] : evaluation.evaluator->describe_curves(layout)) {
        fitted.curves.push_back({name_of(part), info.name, described(part, long_name), x, y});
        fitted.curves.back().y.name = fitted.curves.back().name;
      }
    } catch (InputError const& problem) {
      if (evaluation.of_case) {
        throw InputError(evaluation.where + problem.what());
      }
      notes.push_back("evaluation " + info.name + " left out: " + problem.what());
      continue;
    }
    result.push_back(std::move(fitted));
  }
  return result;
}

}  // namespace ulpine::verification
