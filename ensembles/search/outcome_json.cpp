// SPDX-License-Identifier: Apache-2.0
#include "ensembles/search/outcome_json.hpp"

#include <nlohmann/json.hpp>

namespace ulpine::ensembles::search {
namespace {

using Json = nlohmann::ordered_json;
using verification::Answer;

template <class T>
Json optional_json(std::optional<T> const& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T>
std::optional<T> optional_from(Json const& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<T>());
}

}  // namespace

Json outcome_json(Outcome const& outcome) {
  auto worst = Json(nullptr);
  if (!outcome.field.empty()) {
    worst = {{"field", outcome.field}, {"time_s", optional_json(outcome.time_s)}};
  }
  return {{"ratio", optional_json(outcome.ratio)},
          {"answer", name_of(outcome.answer)},
          {"interval", optional_json(outcome.interval)},
          {"worst", worst},
          {"problem", outcome.problem.empty() ? Json(nullptr) : Json(outcome.problem)},
          {"wall_s", outcome.wall_s}};
}

Outcome outcome_from(Json const& json) {
  Outcome outcome;
  outcome.ratio = optional_from<double>(json.at("ratio"));
  auto const answer = json.at("answer").get<std::string>();
  for (auto const known : {Answer::equal, Answer::equivalent, Answer::different}) {
    if (answer == name_of(known)) outcome.answer = known;
  }
  outcome.interval = optional_from<std::array<double, 2>>(json.at("interval"));
  if (auto const& worst = json.at("worst"); !worst.is_null()) {
    worst.at("field").get_to(outcome.field);
    outcome.time_s = optional_from<double>(worst.at("time_s"));
  }
  outcome.problem = optional_from<std::string>(json.at("problem")).value_or("");
  json.at("wall_s").get_to(outcome.wall_s);
  return outcome;
}

}  // namespace ulpine::ensembles::search
