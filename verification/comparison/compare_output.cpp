// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "io/error.hpp"
#include "verification/comparison/compare.hpp"
#include "verification/comparison/limits.hpp"
#include "verification/results/metrics_json.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

char const* name_of(Sameness same) {
  switch (same) {
    case Sameness::bits:
      return "bits";
    case Sameness::values:
      return "values";
    case Sameness::no:
      return "no";
    case Sameness::unknown:
      break;
  }
  return nullptr;
}

Json json_of(Sameness same) {
  auto const* name = name_of(same);
  return name == nullptr ? Json() : Json(name);
}

/// Keys and their values: they are added at the end, since a search for each key would take time that
/// grows with the square of their number.
using Pairs = std::vector<std::pair<std::string, Json>>;

Json object_of(Pairs&& pairs) {
  return Json::object_t(std::make_move_iterator(pairs.begin()), std::make_move_iterator(pairs.end()));
}

/// An object to which keys are added at the end, which are all different.
class Entries {
 public:
  Entries() { entries_.reserve(most); }
  void add(std::string key, Json value) { entries_.emplace_back(std::move(key), std::move(value)); }
  Json take() { return Json(std::move(entries_)); }

 private:
  static constexpr std::size_t most = 32;  // keys of any entry, lest keys be copied as entries grow
  Json::object_t entries_;
};

/// Adds the metrics of one time; what is null has its reason in `undefined`.
void put_metrics(Metrics const& metrics, std::string const& weights, std::string const& label,
                 Entries& entries, Pairs& undefined) {
  for (auto const& [name, value] : metrics.values) {
    entries.add(name, value.defined() ? Json(value.number()) : Json());
    if (!value.defined()) undefined.emplace_back(label + "." + name, value.reason());
  }
  entries.add("points", metrics.points);
  entries.add("missing", metrics.missing);
  entries.add("missing_only_in_reference", metrics.one_sided.missing_in_reference);
  entries.add("missing_only_in_test", metrics.one_sided.missing_in_test);
  entries.add("nan_only_in_reference", metrics.one_sided.nan_in_reference);
  entries.add("nan_only_in_test", metrics.one_sided.nan_in_test);
  entries.add("weights", weights.empty() ? Json() : Json(weights));
}

/// Adds the time and the place of the largest difference.
void put_time(TimeComparison const& time, std::string const& label, Entries& entries, Pairs& undefined) {
  entries.add("time_s", std::isfinite(time.time_s) ? Json(time.time_s) : Json());
  if (!std::isfinite(time.time_s)) undefined.emplace_back(label + ".time_s", "no time");
  entries.add("date", time.date.empty() ? Json() : Json(time.date));
  auto index = time.largest ? Json::object() : Json(), coordinates = index;
  if (time.largest) {
    for (auto const& [dimension, i] : time.largest->index) index[dimension] = i;
    for (auto const& [name, value] : time.largest->coordinates) coordinates[name] = value;
  }
  entries.add("index", std::move(index));
  entries.add("coordinates", std::move(coordinates));
}

Json variable_json(VariableComparison const& variable, Pairs& undefined) {
  static auto const no_record = undefined_metrics("there is no record");
  auto const none = variable.times.empty();
  Entries entries;
  entries.add("same", json_of(variable.same));
  entries.add("differing", variable.differing);
  entries.add("times", variable.compared_times);
  Entries worst;
  auto const has_worst = !none && variable.differing > 0;
  if (has_worst) put_time(variable.times.front(), variable.name + ".worst", worst, undefined);
  entries.add("worst", has_worst ? worst.take() : Json());
  put_metrics(none ? no_record : variable.times.front().metrics, variable.weights, variable.name, entries,
              undefined);
  return entries.take();
}

Json times_json(VariableComparison const& variable, Pairs& undefined) {
  auto list = Json::array();
  for (std::size_t i = 0; i < variable.times.size(); ++i) {
    auto const& time = variable.times[i];
    auto const label = fmt::format("{}[{}]", variable.name, i);
    Entries entries;
    put_time(time, label, entries, undefined);
    entries.add("differing", time.metrics.differing);
    put_metrics(time.metrics, variable.weights, label, entries, undefined);
    list.push_back(entries.take());
  }
  return list;
}

std::string cell(Metrics const& metrics, char const* name) {
  auto const& value = metrics[name];
  return value.defined() ? fmt::format("{:.3g}", value.number()) : "-";
}

/// Remarks on a variable that its row of numbers cannot show, a line each.
void add_remarks(VariableComparison const& variable, bool with_place, std::vector<std::string>& remarks) {
  if (auto const failure = variable.failure(); !failure.empty()) {
    remarks.push_back(variable.name + ": cannot be compared, " + failure);
  }
  if (variable.times.empty()) return;
  auto const& worst = variable.times.front();
  if (variable.one_sided > 0) {
    auto const& found = worst.metrics.one_sided;
    std::string words;
    for (auto const& [count, what] : {std::pair{found.missing_in_reference, "missing in the reference only"},
                                      std::pair{found.missing_in_test, "missing in the test only"},
                                      std::pair{found.nan_in_reference, "NaN in the reference only"},
                                      std::pair{found.nan_in_test, "NaN in the test only"}}) {
      if (count > 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, what);
    }
    remarks.push_back(fmt::format("{}: {} places have a value in one file only{}", variable.name,
                                  variable.one_sided, words.empty() ? "" : " (" + words + ")"));
  }
  if (!with_place || !worst.largest || variable.derived) return;
  std::string place;
  for (auto const& [dimension, i] : worst.largest->index) {
    place += fmt::format("{}{} {}", place.empty() ? "" : ", ", dimension, i);
  }
  std::string coordinates;
  for (auto const& [name, value] : worst.largest->coordinates) {
    coordinates += fmt::format("{}{} {}", coordinates.empty() ? "" : ", ", name, value);
  }
  if (place.empty()) return;
  remarks.push_back(fmt::format("{}: differs most at {}{}", variable.name, place,
                                coordinates.empty() ? "" : " (" + coordinates + ")"));
}

Json limits_json(LimitsReport const& report) {
  auto results = Json::array();
  for (auto const& result : report.results) {
    auto const* const answer = result.passed ? "within" : result.skipped.empty() ? "beyond" : "undecided";
    results.push_back({{"subject", result.subject.name},
                       {"limit_on", result.name},
                       {"value", result.value ? Json(*result.value) : Json()},
                       {"limit", std::isnan(result.limit) ? Json() : Json(result.limit)},
                       {"time", result.time.empty() ? Json() : Json(result.time)},
                       {"answer", answer},
                       {"reason", result.reason + result.skipped}});
  }
  auto const answer = report.answer();
  return {{"within", answer == LimitsAnswer::undecided ? Json() : Json(answer == LimitsAnswer::within)},
          {"results", std::move(results)},
          {"without_limit", report.without_limit},
          {"skipped", report.skipped}};
}

std::string counted(std::size_t count, char const* one, char const* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string TimeComparison::time_text() const {
  return !date.empty() ? date : std::isfinite(time_s) ? fmt::format("{:.10g} s", time_s) : "-";
}

std::string to_json(Comparison const& comparison, Times times, LimitsReport const* limits) {
  Json document;
  Pairs undefined, variables;
  auto same = Json::object();
  for (auto const& variable : comparison.variables) {
    variables.emplace_back(variable.name, times == Times::all ? times_json(variable, undefined)
                                                              : variable_json(variable, undefined));
    same[variable.name] = json_of(variable.same);
  }
  document["variables"] = object_of(std::move(variables));
  document["metrics"] = metrics_json();
  auto& places = document["places"] = Json::object();
  for (auto const& [name, agreement] : comparison.places) {
    places[name] = {{"same", json_of(agreement.same)},
                    {"difference", agreement.difference.empty() ? Json() : Json(agreement.difference)}};
  }
  document["same"] = std::move(same);
  document["undefined"] = object_of(std::move(undefined));
  document["only_in_reference"] = comparison.only_in_reference;
  document["only_in_test"] = comparison.only_in_test;
  auto& not_compared = document["not_compared"] = Json::array();
  for (auto const& what : comparison.not_compared) not_compared.push_back(what.line);
  document["notes"] = comparison.notes;
  auto const equal = comparison.equal();
  document["equal"] = equal == Equality::unknown ? Json() : Json(equal == Equality::yes);
  if (limits != nullptr) document["limits"] = limits_json(*limits);
  auto text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  text += '\n';
  return text;
}

std::string words_of_equality(Comparison const& comparison) {
  std::vector<std::string> differing, other_bits, other_places;
  std::size_t compared = 0;
  for (auto const& variable : comparison.variables) {
    if (variable.derived) continue;
    ++compared;
    if (variable.same == Sameness::no) differing.push_back(variable.name);
    if (variable.same == Sameness::values) other_bits.push_back(variable.name);
  }
  for (auto const& [name, agreement] : comparison.places) {
    if (agreement.same == Sameness::no) other_places.push_back(name);
    if (agreement.same == Sameness::values) other_bits.push_back(name);
  }
  auto const variables = counted(compared, "variable", "variables");
  switch (comparison.equal()) {
    case Equality::yes:
      return other_bits.empty() ? fmt::format("equal: the same bits in {} and {}", variables,
                                              counted(comparison.places.size(), "coordinate", "coordinates"))
                                : fmt::format("equal: the same values in {}, stored otherwise in {}",
                                              variables, fmt::join(other_bits, ", "));
    case Equality::no: {
      std::vector<std::string> reasons;
      if (!differing.empty())
        reasons.push_back(fmt::format("{} of {} {}", differing.size(), variables,
                                      differing.size() == 1 ? "differs" : "differ"));
      if (!other_places.empty()) {
        reasons.push_back(fmt::format("{} {}", fmt::join(other_places, ", "),
                                      other_places.size() == 1 ? "differs" : "differ"));
      }
      auto const lonely = comparison.only_in_reference.size() + comparison.only_in_test.size();
      if (lonely > 0)
        reasons.push_back(counted(lonely, "variable is", "variables are") + " in one file only");
      if (comparison.other_times) reasons.emplace_back("times are not the same");
      return fmt::format("not equal: {}", fmt::join(reasons, ", "));
    }
    case Equality::unknown:
      break;
  }
  return fmt::format("no difference found in {}, but not all was compared", variables);
}

std::string to_text(Comparison const& comparison, Times times) {
  std::vector<char const*> columns;
  for (auto const& metric : metric_list()) {
    if (metric.shown == Shown::everywhere) columns.push_back(metric.name);
  }
  auto const lists = times == Times::all;
  std::vector<std::vector<std::string>> rows = {{"variable"}};
  if (!lists) rows[0].push_back("times");
  rows[0].push_back(lists ? "time" : "worst");
  rows[0].push_back("differing");
  rows[0].insert(rows[0].end(), columns.begin(), columns.end());
  rows[0].push_back("weights");
  std::vector<std::string> remarks;
  for (auto const& variable : comparison.variables) {
    auto const add_row = [&](std::string const& time, Metrics const& metrics, std::int64_t differing) {
      rows.push_back({variable.name});
      if (!lists) rows.back().push_back(fmt::format("{}", variable.compared_times));
      rows.back().push_back(time);
      rows.back().push_back(metrics.failure.empty() || differing > 0 ? fmt::format("{}", differing) : "-");
      for (auto const* column : columns) {
        rows.back().push_back(cell(metrics, column));
      }
      rows.back().push_back(variable.weights.empty() ? "-" : variable.weights);
    };
    if (lists) {
      for (auto const& time : variable.times) add_row(time.time_text(), time.metrics, time.metrics.differing);
    } else if (variable.times.empty()) {
      add_row("-", undefined_metrics("there is no record"), 0);
    } else {
      auto const& worst = variable.times.front();
      add_row(variable.differing > 0 ? worst.time_text() : "-", worst.metrics, variable.differing);
    }
    add_remarks(variable, !lists, remarks);
  }
  for (auto const& [name, agreement] : comparison.places) {
    if (agreement.same == Sameness::no) remarks.push_back("coordinate " + name + ": " + agreement.difference);
  }
  for (auto const& name : comparison.only_in_reference) {
    remarks.push_back(name + ": only in the reference");
  }
  for (auto const& name : comparison.only_in_test) {
    remarks.push_back(name + ": only in the test");
  }
  remarks.insert(remarks.end(), comparison.notes.begin(), comparison.notes.end());
  for (auto const& [subject, line, by_request] : comparison.not_compared) {
    // A line that a remark contains already is not repeated.
    auto const said = std::ranges::any_of(
        remarks, [&](auto const& remark) { return remark.find(line) != std::string::npos; });
    if (!said) remarks.push_back("not compared: " + line);
  }
  remarks.push_back(words_of_equality(comparison));

  std::string text;
  std::vector<std::size_t> width(rows[0].size());
  for (auto const& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      width[i] = std::max(width[i], row[i].size());
    }
  }
  for (auto const& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], width[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += fmt::format("  {:>{}}", row[i], width[i]);
    }
    text += one_line(line) + "\n";
  }
  for (auto const& remark : remarks) {
    text += one_line(remark) + "\n";
  }
  return text;
}

}  // namespace ulpine::verification
