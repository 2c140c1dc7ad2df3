// SPDX-License-Identifier: Apache-2.0
#include "ensembles/reproducibility/results_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verification/comparison/trace_report.hpp"
#include "verification/results/json_number.hpp"

namespace ulpine::ensembles {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(std::optional<Value> const& value) {
  return value ? Json(*value) : Json();
}

Json or_null(std::string const& text) { return text.empty() ? Json() : Json(text); }

/// Null where no element differs.
Json element_json(ElementDifference const& difference) {
  if (difference.element < 0) return Json();
  return {{"element", difference.element},
          {"differing", difference.differing},
          {"reference", verification::json_number(difference.reference)},
          {"value", verification::json_number(difference.value)},
          {"reference_bits", difference.reference_bits},
          {"value_bits", difference.value_bits}};
}

Json divergence_json(std::optional<Divergence> const& divergence) {
  if (!divergence) return Json();
  return {{"place", divergence->position.text()},
          {"stage", or_null(divergence->stage)},
          {"field", or_null(divergence->field)},
          {"guarantee", divergence->stage.empty() ? Json() : Json(name_of(divergence->guarantee))},
          {"element", element_json(*divergence)}};
}

char const* result_of(BitwiseOutcome const& outcome, bool is_reference) {
  if (outcome.divergence) return "different";
  if (outcome.traced_hash != outcome.untraced_hash) return "different when not watched";
  if (!outcome.equal) return "different final state";
  return is_reference ? "reference" : "same bits";
}

}  // namespace

Json to_json(BitwiseResult const& result) {
  auto list = Json::array();
  for (auto const& outcome : result.outcomes) {
    auto const& invalid = outcome.invalid;
    list.push_back({{"configuration", to_text(outcome.configuration)},
                    {"outputs", outcome.records},
                    {"watched", outcome.traced_hash},
                    {"unwatched", outcome.untraced_hash},
                    {"result", result_of(outcome, &outcome == &result.outcomes.front())},
                    {"divergence", divergence_json(outcome.divergence)},
                    {"known", or_null(outcome.known)},
                    {"same_from", or_null(outcome.same_from)},
                    {"invalid_from", invalid ? Json(invalid->first) : Json()},
                    {"invalid", invalid ? Json(invalid->second) : Json()}});
  }
  return {{"core", result.core},
          {"steps", result.steps},
          {"identical", result.identical},
          {"unchanged", result.unchanged},
          {"configurations", list}};
}

Json to_json(VariantsResult const& result) {
  auto list = Json::array();
  for (auto const& outcome : result.outcomes) {
    list.push_back({{"variant", outcome.name},
                    {"bits", outcome.group + 1},
                    {"output", outcome.hash},
                    {"watched", or_null(outcome.watched_hash)},
                    {"records", outcome.records},
                    {"difference", or_null(outcome.difference)},
                    {"notes", outcome.notes}});
  }
  return {{"case", result.name},
          {"identical", result.groups == 1},
          {"watching_changes_nothing", result.watching_changes_nothing()},
          {"variants", list}};
}

Json to_json(ProgramsResult const& result) {
  auto list = Json::array();
  for (auto const& outcome : result.outcomes) {
    list.push_back({{"program", outcome.program.name},
                    {"bits", outcome.group + 1},
                    {"final_state", outcome.hash},
                    {"compiler", outcome.compiler},
                    {"flags", outcome.flags},
                    {"difference", outcome.difference ? Json(describe(*outcome.difference)) : Json()}});
  }
  return {{"core", result.core},
          {"configuration", to_text(result.configuration)},
          {"steps", result.steps},
          {"identical", result.groups == 1},
          {"programs", list}};
}

Json to_json(ProbedResult const& result) {
  auto list = Json::array();
  for (auto const& outcome : result.outcomes) {
    auto const& difference = outcome.difference;
    list.push_back({{"program", outcome.program.name},
                    {"bits", outcome.group + 1},
                    {"records", outcome.records},
                    {"ranks", outcome.ranks},
                    {"difference", difference ? Json(verification::describe(*difference)) : Json()},
                    {"notes", outcome.notes}});
  }
  return {{"identical", result.groups == 1}, {"programs", list}};
}

Json to_json(std::vector<ConformanceCheck> const& checks) {
  auto list = Json::array();
  auto holds = true;
  for (auto const& check : checks) {
    holds = holds && check.broken.empty();
    list.push_back({{"check", check.name},
                    {"answer", !check.broken.empty()     ? "broken"
                               : !check.unjudged.empty() ? "not judged"
                                                         : "holds"},
                    {"why", or_null(check.broken.empty() ? check.unjudged : check.broken)}});
  }
  return {{"conforms", holds}, {"checks", list}};
}

Json to_json(RestartResult const& result) {
  auto list = Json::array();
  for (auto const& test : result.tests) {
    // The comparison's own document says all times; a run that failed has none.
    auto const compared =
        test.failed ? Json()
                    : Json::parse(verification::to_json(test.comparison, verification::Times::worst));
    list.push_back({{"configuration", to_text(test.configuration)},
                    {"final_state", test.hash},
                    {"same_bits", test.same_bits},
                    {"failed", or_null(test.failed)},
                    {"comparison", compared}});
  }
  return {{"spinup_s", result.spinup},
          {"until_s", result.until},
          {"reference", result.reference},
          {"reference_state", result.reference_hash},
          {"restart_exact", result.restart_exact},
          {"must_be_exact", result.must_be_exact},
          {"cut_short", result.cut_short},
          {"unchanged", result.unchanged},
          {"passed", result.passed()},
          {"tests", list}};
}

Json to_json(std::optional<RunDifference> const& difference, std::int64_t states,
             std::vector<std::string> const& notes) {
  if (!difference) return {{"kind", "none"}, {"states_equal", states}, {"notes", notes}};
  auto const& found = difference->states;
  return {{"kind", found.one_alone ? "one alone" : "states"},
          {"step", found.step},
          {"differing", found.differing},
          {"states", found.common},
          {"same_from", or_null(found.same_from)},
          {"place", or_null(difference->place)},
          {"element", element_json(difference->element)},
          {"note", or_null(difference->note)},
          {"notes", notes}};
}

}  // namespace ulpine::ensembles
