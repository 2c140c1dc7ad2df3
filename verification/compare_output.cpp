// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "verification/compare.hpp"

namespace ulpine::verification {
namespace {

using Json = nlohmann::ordered_json;

/// The metrics of one time; what is null has its reason in `undefined`.
Json metrics_json(Metrics const& metrics, std::string const& weights, std::string const& label,
                  Json& undefined) {
  Json result = Json::object();
  for (auto const& [name, value] : metrics.values) {
    if (value.defined()) {
      result[name] = value.number();
    } else {
      result[name] = nullptr;
      undefined[label + "." + name] = value.reason();
    }
  }
  result["points"] = metrics.points;
  result["missing"] = metrics.missing;
  result["weights"] = weights.empty() ? Json() : Json(weights);
  return result;
}

std::string cell(Metrics const& metrics, char const* name) {
  auto const& value = metrics[name];
  return value.defined() ? fmt::format("{:.3g}", value.number()) : "-";
}

}  // namespace

std::string to_json(Comparison const& comparison, bool all_times) {
  Json document, undefined = Json::object();
  auto& variables = document["variables"] = Json::object();
  for (auto const& variable : comparison.variables) {
    if (!all_times) {
      variables[variable.name] =
          metrics_json(variable.metrics.back(), variable.weights, variable.name, undefined);
      continue;
    }
    auto& list = variables[variable.name] = Json::array();
    for (std::size_t i = 0; i < variable.metrics.size(); ++i) {
      auto const label = fmt::format("{}[{}]", variable.name, i);
      Json entry;
      entry["time_s"] = nullptr;
      if (std::isfinite(variable.times[i])) {
        entry["time_s"] = variable.times[i];
      } else {
        undefined[label + ".time_s"] = "no time";
      }
      entry.update(metrics_json(variable.metrics[i], variable.weights, label, undefined));
      list.push_back(std::move(entry));
    }
  }
  document["undefined"] = undefined;
  document["only_in_reference"] = comparison.only_in_reference;
  document["only_in_test"] = comparison.only_in_test;
  document["notes"] = comparison.notes;
  document["equal"] = comparison.equal();
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string to_text(Comparison const& comparison) {
  constexpr std::array columns = {"l2_relative", "linf",        "rmse", "bias",
                                  "nmse",        "one_minus_r", "fac2", "max_ulp"};
  std::vector<std::vector<std::string>> rows = {{"variable", "time [s]"}};
  rows[0].insert(rows[0].end(), columns.begin(), columns.end());
  rows[0].push_back("weights");
  std::vector<std::string> remarks;
  for (auto const& variable : comparison.variables) {
    for (std::size_t i = 0; i < variable.metrics.size(); ++i) {
      auto const& metrics = variable.metrics[i];
      rows.push_back(
          {variable.name, std::isnan(variable.times[i]) ? "-" : fmt::format("{:.10g}", variable.times[i])});
      for (auto const* column : columns) {
        rows.back().push_back(cell(metrics, column));
      }
      rows.back().push_back(variable.weights.empty() ? "-" : variable.weights);
      if (!metrics.failure.empty()) {
        remarks.push_back(variable.name + ": cannot be compared, " + metrics.failure);
      }
    }
  }
  for (auto const& name : comparison.only_in_reference) {
    remarks.push_back(name + ": only in the reference");
  }
  for (auto const& name : comparison.only_in_test) {
    remarks.push_back(name + ": only in the test");
  }
  remarks.insert(remarks.end(), comparison.notes.begin(), comparison.notes.end());

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
    text += line + "\n";
  }
  for (auto const& remark : remarks) {
    text += remark + "\n";
  }
  return text;
}

}  // namespace ulpine::verification
