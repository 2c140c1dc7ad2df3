// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ensembles/search/outcome_json.hpp"
#include "ensembles/search/search.hpp"
#include "verification/results/results.hpp"

namespace ulpine::ensembles::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr char const* search_schema = "ulpine.search/1";

Json assignment_json(Result const& result, Assignment const& assignment) {
  auto json = Json::object();
  for (auto const& [stage, precision] : result.overrides(assignment)) json[stage] = precision;
  return json;
}

/// The trial of one stage alone in a precision; null where there is none.
Trial const* alone(Result const& result, std::size_t stage, std::size_t precision) {
  Assignment wanted(result.stages.size(), 0);
  wanted[stage] = int(precision) + 1;
  auto const found = std::find_if(result.found.tried.begin(), result.found.tried.end(),
                                  [&](Trial const& trial) { return trial.assignment == wanted; });
  return found == result.found.tried.end() ? nullptr : &*found;
}

Json stages_json(Result const& result) {
  auto json = Json::array();
  for (std::size_t number = 0; number < result.costs.stages().size(); ++number) {
    auto const place = std::find(result.stages.begin(), result.stages.end(), number);
    auto entries = Json::array();
    for (std::size_t precision = 0;
         place != result.stages.end() && precision < result.options.precisions.size(); ++precision) {
      auto const* trial = alone(result, std::size_t(place - result.stages.begin()), precision);
      if (trial == nullptr) continue;
      Json entry = {{"precision", result.options.precisions[precision]}, {"cost", trial->cost}};
      entry.update(outcome_json(trial->outcome));
      entries.push_back(std::move(entry));
    }
    auto const& stage = result.costs.stages()[number];
    json.push_back({{"name", stage.name},
                    {"cost_share", result.costs.share(number)},
                    {"lowerable", place != result.stages.end()},
                    {"alone", std::move(entries)}});
  }
  return json;
}

Json trial_json(Result const& result, Trial const& trial) {
  Json json = {{"assignment", assignment_json(result, trial.assignment)}, {"cost", trial.cost}};
  json.update(outcome_json(trial.outcome));
  return json;
}

Json chosen_json(Result const& result) {
  auto const* choice = result.choice();
  if (choice == nullptr) return nullptr;
  auto json = trial_json(result, *choice);
  json["verdict_study"] = nullptr;
  for (auto const& confirmation : result.confirmations) {
    if (confirmation.trial == *result.chosen) {
      json["verdict_study"] = confirmation.study;
      json["verdict"] = name_of(confirmation.answer);
    }
  }
  return json;
}

std::string ratio_text(Outcome const& outcome) {
  return outcome.ratio             ? fmt::format("{:.2g}", *outcome.ratio)
         : outcome.problem.empty() ? std::string("-")
                                   : std::string("failed");
}

std::string stages_text(Result const& result, Assignment const& assignment) {
  std::string text;
  for (auto const& [stage, precision] : result.overrides(assignment)) {
    text += fmt::format("  {} = {}\n", stage, precision);
  }
  return text.empty() ? "  no stage\n" : text;
}

}  // namespace

std::string search_json(Result const& result) {
  auto provenance = Json::object();
  for (auto const& [name, value] : result.provenance) provenance[name] = value;
  auto tried = Json::array(), whole = Json::array(), confirmations = Json::array(), refused = Json::array();
  for (auto const& trial : result.found.tried) tried.push_back(trial_json(result, trial));
  for (auto const& policy : result.whole) {
    Json entry = {{"policy", policy.policy}, {"cost", policy.cost}};
    entry.update(outcome_json(policy.outcome));
    whole.push_back(std::move(entry));
  }
  for (auto const& confirmation : result.confirmations) {
    confirmations.push_back({{"tried", confirmation.trial},
                             {"study", confirmation.study},
                             {"answer", name_of(confirmation.answer)}});
  }
  for (auto const& [stage, reason] : result.refused)
    refused.push_back({{"stage", stage}, {"reason", reason}});
  Json const json = {
      {"schema", search_schema},
      {"case", {{"core", result.core}, {"name", result.case_name}, {"hash", result.case_hash}}},
      {"provenance", std::move(provenance)},
      {"reference", result.reference},
      {"tolerated", result.tolerated},
      {"until_s", result.until_s},
      {"within", result.options.within},
      {"members", result.options.members},
      {"precisions", result.options.precisions},
      {"cost_model", result.costs.words()},
      {"stages", stages_json(result)},
      {"refused", std::move(refused)},
      {"tried", std::move(tried)},
      {"frontier", result.found.front},
      {"whole_policies", std::move(whole)},
      {"confirmations", std::move(confirmations)},
      {"chosen", chosen_json(result)},
      {"spent",
       {{"runs", result.spent.runs},
        {"wall_s", result.spent.wall_s},
        {"study_runs", result.studies.runs},
        {"study_wall_s", result.studies.wall_s}}},
      {"complete", result.found.complete},
      {"notes", result.notes}};
  return json.dump(2);
}

std::string words_of(Result const& result) {
  auto text = fmt::format(
      "{} ({}) against {} until {} s, errors over those of a perturbation of {} or statistics over their "
      "margins\ncost: {}\n\n",
      result.case_name, result.core, result.reference, result.until_s, result.tolerated,
      result.costs.words());
  text += fmt::format("{:<36} {:>7}", "stage alone", "cost");
  for (auto const& precision : result.options.precisions) text += fmt::format(" {:>9}", precision);
  text += "\n";
  for (std::size_t place = 0; place < result.stages.size(); ++place) {
    auto const number = result.stages[place];
    text +=
        fmt::format("{:<36} {:>6.1f}%", result.costs.stages()[number].name, 100 * result.costs.share(number));
    for (std::size_t precision = 0; precision < result.options.precisions.size(); ++precision) {
      auto const* trial = alone(result, place, precision);
      text += fmt::format(" {:>9}", trial == nullptr ? std::string() : ratio_text(trial->outcome));
    }
    text += "\n";
  }
  for (auto const& [stage, reason] : result.refused) text += fmt::format("{:<36} {}\n", stage, reason);
  text += fmt::format("\n{:<36} {:>7} {:>9}  answer\n", "whole runs", "cost", "ratio");
  for (auto const& policy : result.whole) {
    text += fmt::format("{:<36} {:>7.3f} {:>9}  {}\n", policy.policy, policy.cost, ratio_text(policy.outcome),
                        name_of(policy.outcome.answer));
  }
  text += fmt::format("\n{:<36} {:>7} {:>9}  answer\n", "frontier: stages lowered", "cost", "ratio");
  for (auto const place : result.found.front) {
    auto const& trial = result.found.tried[place];
    text += fmt::format("{:<36} {:>7.3f} {:>9}  {}\n", result.overrides(trial.assignment).size(), trial.cost,
                        ratio_text(trial.outcome), name_of(trial.outcome.answer));
  }
  if (auto const* choice = result.choice()) {
    text += fmt::format("\nchosen: cost {:.3f}, ratio {}", choice->cost, ratio_text(choice->outcome));
    for (auto const& confirmation : result.confirmations) {
      if (confirmation.trial == *result.chosen) {
        text += fmt::format(", {} by the study in {}", name_of(confirmation.answer), confirmation.study);
      }
    }
    text += "\n" + stages_text(result, choice->assignment);
  } else {
    text += "\nnothing was chosen\n";
  }
  for (auto const& note : result.notes) text += note + "\n";
  return text + fmt::format("{} runs tried, {:.0f} s of single runs; {} of studies, {:.0f} s\n",
                            result.spent.runs, result.spent.wall_s, result.studies.runs,
                            result.studies.wall_s);
}

}  // namespace ulpine::ensembles::search
