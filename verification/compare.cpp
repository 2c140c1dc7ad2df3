// SPDX-License-Identifier: Apache-2.0
#include "verification/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "io/axis.hpp"
#include "io/error.hpp"

namespace ulpine::verification {
namespace {

/// Time indices of both files, and the time itself (NaN without axis).
struct CommonTime {
  std::int64_t reference = -1, test = -1;
  double time_s = std::numeric_limits<double>::quiet_NaN();
};

std::vector<CommonTime> common_times(io::InputFile const& reference, io::InputFile const& test,
                                     std::string const& variable, bool all_times,
                                     std::vector<std::string>& notes) {
  auto const times_y = reference.times(variable), times_x = test.times(variable);
  if (times_y.empty() && times_x.empty()) {
    return {CommonTime{}};
  }
  if (times_y.empty() != times_x.empty()) {
    notes.push_back(variable + ": only the " + (times_x.empty() ? "reference" : "test") +
                    " has a time axis, its last time is compared");
    return {CommonTime{}};
  }
  auto const match = [&](double shift) {
    std::vector<CommonTime> common;
    for (std::size_t i = 0, j = 0; i < times_y.size() && j < times_x.size();) {
      double const time_y = times_y[i], time_x = times_x[j] + shift;
      if (std::abs(time_y - time_x) <= 1e-6 * std::max(1.0, std::abs(time_y))) {
        common.push_back({std::int64_t(i++), std::int64_t(j++), time_y});
      } else {
        ++(time_y < time_x ? i : j);
      }
    }
    return common;
  };
  // Dates count where both files have them; else times since either's first.
  double const later = test.first_time(variable) - reference.first_time(variable);
  auto common = match(std::isfinite(later) ? later : 0);
  if (common.empty() && std::isfinite(later)) {
    common = match(0);
    notes.push_back(variable + ": no date in common, times since each file's first are compared");
  }
  if (common.size() < std::max(times_y.size(), times_x.size())) {
    notes.push_back(fmt::format("{}: {} times in common of {} in the reference and {} in the test", variable,
                                common.size(), times_y.size(), times_x.size()));
  }
  if (!all_times && common.size() > 1) {
    common.erase(common.begin(), common.end() - 1);
  }
  return common;
}

std::string shape_text(std::vector<std::int64_t> const& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, " x "));
}

bool has(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> only_in(std::vector<std::string> const& names,
                                 std::vector<std::string> const& others) {
  std::vector<std::string> result;
  std::copy_if(names.begin(), names.end(), std::back_inserter(result),
               [&](auto const& name) { return !has(others, name); });
  return result;
}

/// The variable at one time in both files.
struct Pair {
  io::FieldData reference, test;
};

/// Why two fields cannot be compared point by point: another shape, or a dimension of both that stands at
/// another place, as far as names tell. Empty where they can.
std::string mismatch(io::FieldInfo const& test, io::FieldInfo const& reference) {
  if (test.shape != reference.shape) {
    return "shapes differ: " + shape_text(test.shape) + " against " + shape_text(reference.shape);
  }
  for (std::size_t d = 0; d < test.dimensions.size(); ++d) {
    for (std::size_t other = 0; other < reference.dimensions.size(); ++other) {
      auto const alike = io::axis_of(test.dimensions[d]) == io::axis_of(reference.dimensions[other]);
      auto const at_place = io::axis_of(test.dimensions[d]) == io::axis_of(reference.dimensions[d]);
      if (alike && !at_place) {
        return fmt::format("dimensions are in another order: {} against {}", fmt::join(test.dimensions, ", "),
                           fmt::join(reference.dimensions, ", "));
      }
    }
  }
  return {};
}

Metrics metrics_of(Pair const& pair, std::vector<double> const& weights) {
  if (auto const problem = mismatch(pair.test.info, pair.reference.info); !problem.empty()) {
    return failed_metrics(problem);
  }
  return compute_metrics(pair.test.values, pair.reference.values, weights);
}

/// A standard name with its direction cut out, and the direction: x 0, y 1, z 2; -1 where it has none.
std::pair<std::string, int> split_direction(std::string const& standard_name) {
  static std::map<std::string, std::pair<char const*, int>> const directions = {
      {"x", {"grid", 0}},         {"y", {"grid", 1}},          {"z", {"grid", 2}},
      {"eastward", {"earth", 0}}, {"northward", {"earth", 1}}, {"upward", {"earth", 2}}};
  std::string rest, family;
  int axis = -1;
  for (std::size_t begin = 0; begin <= standard_name.size();) {
    std::size_t const end = std::min(standard_name.find('_', begin), standard_name.size());
    auto const word = standard_name.substr(begin, end - begin);
    if (auto const found = directions.find(word); axis < 0 && found != directions.end()) {
      family = found->second.first;
      axis = found->second.second;
      rest += "_*";
    } else {
      rest += "_" + word;
    }
    begin = end + 1;
  }
  return {family + rest, axis};
}

nlohmann::ordered_json metrics_json(Metrics const& metrics, std::string const& label,
                                    nlohmann::ordered_json& undefined) {
  nlohmann::ordered_json result = nlohmann::ordered_json::object();
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
  return result;
}

std::string cell(Metrics const& metrics, char const* name) {
  auto const& value = metrics[name];
  return value.defined() ? fmt::format("{:.3g}", value.number()) : "-";
}

}  // namespace

bool Comparison::equal() const {
  return only_in_reference.empty() && only_in_test.empty() && !variables.empty() &&
         std::all_of(variables.begin(), variables.end(), [](VariableComparison const& variable) {
           return !variable.metrics.empty() &&
                  std::all_of(variable.metrics.begin(), variable.metrics.end(),
                              [](Metrics const& metrics) { return metrics.equal(); });
         });
}

bool Comparison::usable() const {
  return std::all_of(variables.begin(), variables.end(), [](VariableComparison const& variable) {
    return !variable.metrics.empty() &&
           std::all_of(variable.metrics.begin(), variable.metrics.end(),
                       [](Metrics const& metrics) { return metrics.failure.empty(); });
  });
}

std::vector<std::vector<std::string>> vector_components(std::vector<io::FieldInfo> const& fields) {
  static std::vector<std::array<char const*, 3>> const usual_names = {
      {"siu", "siv", ""}, {"u", "v", "w"},    {"ua", "va", "wa"},     {"uo", "vo", "wo"},
      {"u10", "v10", ""}, {"uas", "vas", ""}, {"uice", "vice", ""},   {"uvel", "vvel", ""},
      {"U", "V", "W"},    {"U10", "V10", ""}, {"u_10m", "v_10m", ""}, {"ugrd", "vgrd", ""}};
  // Keys are what the components have in common, values their fields by axis; in the order of the first
  // component.
  std::vector<std::pair<std::string, std::array<io::FieldInfo const*, 3>>> groups;
  auto const put = [&](std::string const& key, int axis, io::FieldInfo const& field) {
    auto found =
        std::find_if(groups.begin(), groups.end(), [&](auto const& group) { return group.first == key; });
    if (found == groups.end()) {
      groups.push_back({key, {}});
      found = groups.end() - 1;
    }
    if (found->second[axis] == nullptr) {
      found->second[axis] = &field;
    }
  };
  for (auto const& field : fields) {
    if (auto const [key, axis] = split_direction(field.standard_name); axis >= 0) {
      put(key, axis, field);
      continue;
    }
    for (auto const& names : usual_names) {
      for (int axis = 0; axis < 3; ++axis) {
        if (field.name == names[axis]) {
          put(std::string("name ") + names[0], axis, field);
        }
      }
    }
  }
  std::vector<std::vector<std::string>> result;
  for (auto const& [key, axes] : groups) {
    auto const [x, y, z] = axes;
    if (x == nullptr || y == nullptr || x->shape != y->shape) {
      continue;
    }
    result.push_back({x->name, y->name});
    if (z != nullptr && z->shape == x->shape) {
      result.back().push_back(z->name);
    }
  }
  return result;
}

std::string speed_name(std::vector<std::string> const& components) {
  return fmt::format("speed({})", fmt::join(components, ","));
}

std::vector<double> speed(std::vector<std::span<double const>> const& components) {
  std::vector<double> result(components.empty() ? 0 : components[0].size(), 0.0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    double largest = 0;
    for (auto const& component : components) {
      largest = std::isnan(component[i]) ? component[i] : std::max(std::abs(component[i]), largest);
      if (std::isnan(largest)) {
        break;
      }
    }
    if (largest == 0 || !std::isfinite(largest)) {
      result[i] = largest;
      continue;
    }
    double sum = 0;
    for (auto const& component : components) {
      sum += component[i] / largest * (component[i] / largest);
    }
    result[i] = largest * std::sqrt(sum);
  }
  return result;
}

Comparison compare(io::InputFile const& reference, io::InputFile const& test,
                   std::vector<std::string> const& variables, bool all_times) {
  Comparison result;
  auto const names_y = reference.variables(), names_x = test.variables();
  std::vector<std::string> names = variables;
  if (names.empty()) {
    result.only_in_reference = only_in(names_y, names_x);
    result.only_in_test = only_in(names_x, names_y);
    names = only_in(names_y, result.only_in_reference);
  }
  for (auto const& name : names) {
    if (!reference.has(name) || !test.has(name)) {
      throw InputError((reference.has(name) ? test : reference).path() + ": no variable '" + name +
                       "' (both files must have it) compare variables that they share");
    }
  }
  if (names.empty()) {
    throw InputError(reference.path() + " and " + test.path() +
                     ": nothing to compare (they have no variable in common) name files of like content");
  }

  std::vector<io::FieldInfo> alike;  // fields of equal shape on both sides: candidates for vectors
  for (auto const& name : names) {
    VariableComparison variable;
    variable.name = name;
    auto const weights = reference.weights(name);
    variable.weighted = !weights.empty();
    auto const times = common_times(reference, test, name, all_times, result.notes);
    for (auto const& time : times) {
      Pair const pair{reference.read(name, time.reference), test.read(name, time.test)};
      variable.times.push_back(time.time_s);
      variable.metrics.push_back(metrics_of(pair, weights));
      variable.units = pair.reference.info.units;
      if (&time == &times.front()) {
        if (pair.test.info.units != variable.units) {
          result.notes.push_back(name + ": units differ ('" + pair.test.info.units + "' against '" +
                                 variable.units + "')");
        }
        if (mismatch(pair.test.info, pair.reference.info).empty()) {
          alike.push_back(pair.reference.info);
        }
      }
    }
    if (times.empty()) {
      variable.metrics.push_back(failed_metrics("no time in common"));
      variable.times.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    result.variables.push_back(std::move(variable));
  }
  for (auto const& components : vector_components(alike)) {
    VariableComparison vector;
    vector.name = speed_name(components);
    auto const weights = reference.weights(components[0]);
    vector.weighted = !weights.empty();
    std::vector<std::string> repeated;  // the notes of the components say it already
    for (auto const& time : common_times(reference, test, components[0], all_times, repeated)) {
      std::vector<io::FieldData> fields;
      for (auto const& component : components) {
        fields.push_back(reference.read(component, time.reference));
        fields.push_back(test.read(component, time.test));
      }
      std::vector<std::span<double const>> of_reference, of_test;
      for (std::size_t i = 0; i < fields.size(); i += 2) {
        of_reference.emplace_back(fields[i].values);
        of_test.emplace_back(fields[i + 1].values);
      }
      vector.times.push_back(time.time_s);
      vector.units = fields[0].info.units;
      vector.metrics.push_back(compute_metrics(speed(of_test), speed(of_reference), weights));
    }
    result.variables.push_back(std::move(vector));
  }
  return result;
}

std::string to_json(Comparison const& comparison, bool all_times) {
  nlohmann::ordered_json document, undefined = nlohmann::ordered_json::object();
  auto& variables = document["variables"] = nlohmann::ordered_json::object();
  for (auto const& variable : comparison.variables) {
    if (!all_times) {
      variables[variable.name] = metrics_json(variable.metrics.back(), variable.name, undefined);
      continue;
    }
    auto& list = variables[variable.name] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < variable.metrics.size(); ++i) {
      nlohmann::ordered_json entry;
      entry["time_s"] = std::isnan(variable.times[i]) ? nlohmann::ordered_json()
                                                      : nlohmann::ordered_json(variable.times[i]);
      entry.update(metrics_json(variable.metrics[i], fmt::format("{}[{}]", variable.name, i), undefined));
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
  std::vector<std::string> remarks;
  for (auto const& variable : comparison.variables) {
    for (std::size_t i = 0; i < variable.metrics.size(); ++i) {
      auto const& metrics = variable.metrics[i];
      rows.push_back(
          {variable.name, std::isnan(variable.times[i]) ? "-" : fmt::format("{:.10g}", variable.times[i])});
      for (auto const* column : columns) {
        rows.back().push_back(cell(metrics, column));
      }
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
