// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/error.hpp"
#include "verification/sameness/sameness.hpp"
#include "verification/sameness/words.hpp"

namespace ulpine::verification::sameness {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

double relative(Distance const& distance) {
  return distance.rms_reference > 0 ? distance.rms / distance.rms_reference : distance.rms > 0 ? INFINITY : 0;
}

/// The largest ratio to the noise that a variable reaches; null where it was not held against noise.
NoiseCheck const* worst_of(std::size_t variable, Verdict const& verdict) {
  NoiseCheck const* worst = nullptr;
  if (!verdict.noise) return nullptr;
  for (auto const& check : verdict.noise->checks) {
    if (check.variable == variable && (worst == nullptr || check.ratio > worst->ratio)) worst = &check;
  }
  return worst;
}

Json times_json(Series const& series, std::size_t variable, Verdict const& verdict) {
  auto list = Json::array();
  for (std::size_t t = 0; t < series.times.size(); ++t) {
    auto const& distance = series.times[t];
    Json entry = {{"time", distance.text},
                  {"instant_s", number(distance.time)},
                  {"differing", distance.differing},
                  {"one_sided", distance.one_sided},
                  {"rmse", number(distance.rms)},
                  {"l2_relative", number(relative(distance))},
                  {"linf", number(distance.largest)},
                  {"max_ulp", number(distance.ulps)},
                  {"one_minus_r", number(distance.one_minus_r)}};
    if (!distance.failure.empty()) entry["failure"] = distance.failure;
    if (verdict.noise) {
      auto const check = std::ranges::find_if(
          verdict.noise->checks, [&](NoiseCheck const& c) { return c.variable == variable && c.time == t; });
      auto const held = check != verdict.noise->checks.end();
      entry["noise_rmse"] = held ? number(check->largest) : Json();
      entry["of_noise"] = held ? number(check->ratio) : Json();
      entry["inside_noise"] =
          held && std::isfinite(verdict.noise->limit) ? Json(check->ratio <= verdict.noise->limit) : Json();
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json noise_json(RunDistance const& run, Verdict const& verdict) {
  if (!verdict.noise) return Json();
  auto const& noise = *verdict.noise;
  Json document = {{"members", noise.members},
                   {"amplitude", verdict.of_noise.empty() ? Json() : Json(verdict.of_noise)},
                   {"limit", number(noise.limit)},
                   {"false_alarm_rate", false_alarm_rate},
                   {"power", noise.applies()},
                   {"without_power", noise.without_power.empty() ? Json() : Json(noise.without_power)},
                   {"not_held", noise.not_held}};
  if (auto const* const beyond = noise.first_beyond(run); beyond != nullptr) {
    auto const& series = run.variables[beyond->variable];
    document["first_beyond"] = {{"variable", series.name}, {"time", series.times[beyond->time].text}};
  } else {
    document["first_beyond"] = nullptr;
  }
  if (auto const* const sharpest = noise.sharpest(); sharpest != nullptr) {
    auto const& series = run.variables[sharpest->variable];
    document["least_noticed"] = {{"variable", series.name},
                                 {"time", series.times[sharpest->time].text},
                                 {"l2_relative", number(sharpest->least_noticed)}};
  }
  return document;
}

/// Rows as columns of equal width, the first to the left.
std::string table_of(std::vector<std::vector<std::string>> const& rows) {
  std::vector<std::size_t> width(rows[0].size());
  for (auto const& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (auto const& row : rows) {
    auto line = fmt::format("{:<{}}", row[0], width[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], width[i]);
    text += one_line(line) + "\n";
  }
  return text;
}

std::vector<std::string> row_of(RunDistance const& run, std::size_t variable, Verdict const& verdict) {
  auto const& series = run.variables[variable];
  auto const& growth = verdict.growth[variable];
  auto const& first = series.times[*growth.first];
  std::vector<std::string> row = {
      series.name,
      type_words(series.type),
      first.text,
      fmt::format("{}", first.differing),
      std::isnan(first.ulps) ? "-" : fmt::format("{:.3g}", first.ulps),
      fmt::format("{:.3g}", relative(first)),
      fmt::format("{:.3g}", relative(series.times.back())),
      growth.doubling ? duration_words(*growth.doubling, series.in_seconds) : "-"};
  if (verdict.noise) {
    auto const* const worst = worst_of(variable, verdict);
    row.push_back(worst == nullptr ? "-" : fmt::format("{:.3g}", worst->ratio));
    row.push_back(worst == nullptr ? "-" : series.times[worst->time].text);
  }
  return row;
}

}  // namespace

std::string to_text(RunDistance const& run, Verdict const& verdict, std::size_t most) {
  auto text = one_line(verdict.sentence) + "\n";
  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < run.variables.size(); ++v) {
    if (verdict.growth[v].first) order.push_back(v);
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t v) {
    auto const* const worst = worst_of(v, verdict);
    return worst != nullptr ? worst->ratio : relative(run.variables[v].times.back());
  });
  if (!order.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {"variable", "type", "differs from", "points", "max_ulp", "l2_relative", "at the end", "doubles in"}};
    if (verdict.noise) {
      rows[0].push_back("of noise");
      rows[0].push_back("at");
    }
    for (auto const v : order) {
      if (rows.size() > most) break;
      rows.push_back(row_of(run, v, verdict));
    }
    text += table_of(rows);
    if (order.size() > most)
      text += fmt::format("and {} more variables that differ (--json has all)\n", order.size() - most);
    auto const same = run.variables.size() - order.size();
    if (same > 0) text += fmt::format("{} of {} variables are the same\n", same, run.variables.size());
  }
  auto const by_rule = verdict.answer == Answer::as_noise || verdict.answer == Answer::different ||
                       verdict.answer == Answer::undecided;
  if (verdict.noise && std::isfinite(verdict.noise->limit) && by_rule) {
    text += fmt::format(
        "rule: an rms difference over the largest of {} noisy runs, at most {:.3g} in any variable at any "
        "time; a "
        "noisy run of the reference exceeds that in {:g} %\n",
        verdict.noise->members, verdict.noise->limit, 100 * false_alarm_rate);
    if (auto const* const sharpest = verdict.noise->sharpest();
        sharpest != nullptr && verdict.noise->applies()) {
      auto const& series = run.variables[sharpest->variable];
      text += one_line(fmt::format("noticed at best: a relative L2 difference of {:.2g}, in {}{}",
                                   sharpest->least_noticed, series.name,
                                   time_words(series.times[sharpest->time]))) +
              "\n";
    }
  }
  for (auto const& line : run.notes) text += "note: " + one_line(line) + "\n";
  for (auto const& line : run.not_compared) text += "not compared: " + one_line(line) + "\n";
  if (!verdict.missing.empty()) text += "for a stronger answer: " + one_line(verdict.missing) + "\n";
  return text;
}

std::string to_json(RunDistance const& run, Verdict const& verdict) {
  Json document;
  document["answer"] = name_of(verdict.answer);
  document["same"] = verdict.answer == Answer::undecided ? Json() : Json(verdict.answer != Answer::different);
  document["sentence"] = verdict.sentence;
  document["missing"] = verdict.missing.empty() ? Json() : Json(verdict.missing);
  document["noise"] = noise_json(run, verdict);
  auto variables = Json::object_t();
  for (std::size_t v = 0; v < run.variables.size(); ++v) {
    auto const& series = run.variables[v];
    auto const& growth = verdict.growth[v];
    auto const* const worst = worst_of(v, verdict);
    Json entry = {{"type", series.type.name},
                  {"differs_from", growth.first ? Json(series.times[*growth.first].text) : Json()},
                  {"doubling", growth.doubling ? Json(*growth.doubling) : Json()},
                  {"growth", growth.words.empty() ? Json() : Json(growth.words)},
                  {"of_noise", worst == nullptr ? Json() : number(worst->ratio)},
                  {"times", times_json(series, v, verdict)}};
    variables.emplace_back(series.name, std::move(entry));
  }
  document["variables"] = std::move(variables);
  document["other_places"] = run.other_places;
  document["not_compared"] = run.not_compared;
  document["notes"] = run.notes;
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace ulpine::verification::sameness
