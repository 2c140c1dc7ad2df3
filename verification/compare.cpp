// SPDX-License-Identifier: Apache-2.0
#include "verification/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "io/error.hpp"
#include "verification/matching.hpp"
#include "verification/metrics_accumulator.hpp"

namespace ulpine::verification {
namespace {

constexpr std::int64_t value_bytes = sizeof(double);

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

/// Buffers of one file for a part of a variable, or of the components of a vector.
class Slab {
 public:
  Slab(io::InputFile const& file, std::vector<std::string> components)
      : file_(file), components_(std::move(components)), high_(components_.size()) {
    wide_ = components_.size() == 1 && file.wide_integer(components_[0]);
  }
  /// A value needs; 64-bit integers are three times there while they are read, a speed beside its components.
  std::int64_t bytes_a_value() const {
    auto const arrays = components_.size() + (components_.size() > 1 ? 1 : 0) + (wide_ ? 2 : 0);
    return value_bytes * std::int64_t(arrays);
  }
  void read(std::int64_t time, io::Box const& box) {
    low_.resize(wide_ ? std::size_t(box.size()) : 0);
    std::vector<std::span<double const>> views;
    for (std::size_t i = 0; i < components_.size(); ++i) {
      high_[i].resize(std::size_t(box.size()));
      file_.read(components_[i], time, box, high_[i], low_);
      views.emplace_back(high_[i]);
    }
    if (components_.size() > 1) {
      speed_ = speed(views);
    }
  }
  std::span<double const> values() const { return components_.size() > 1 ? speed_ : high_[0]; }
  std::span<double const> low() const { return low_; }

 private:
  io::InputFile const& file_;
  std::vector<std::string> components_;
  std::vector<std::vector<double>> high_;
  std::vector<double> low_, speed_;
  bool wide_ = false;
};

/// Of value i of a box among all of the field, row-major.
std::int64_t place_in_field(std::size_t i, io::Box const& box, std::vector<std::int64_t> const& shape) {
  std::int64_t place = 0, rest = std::int64_t(i), step = 1;
  for (auto d = shape.size(); d-- > 0;) {
    place += (box.start[d] + rest % box.count[d]) * step;
    rest /= box.count[d];
    step *= shape[d];
  }
  return place;
}

/// Two files, and how much of each may be held at once.
struct Files {
  io::InputFile const& reference;
  io::InputFile const& test;
  std::int64_t most_bytes;

  /// Of a variable, or of the speed of several.
  Metrics metrics(std::vector<std::string> const& components, CommonTime const& time,
                  std::optional<io::CellMeasure> const& measure) const {
    Slab y(reference, components), x(test, components);
    auto const bytes = std::max(y.bytes_a_value() + (measure ? 2 * value_bytes : 0), x.bytes_a_value());
    auto const shape = reference.info(components[0]).shape;
    std::vector<double> weights;
    MetricsAccumulator accumulator;
    for (auto const& box : reference.boxes(components[0], most_bytes / bytes)) {
      y.read(time.reference, box);
      x.read(time.test, box);
      if (measure) {
        weights.resize(std::size_t(box.size()));
        reference.read_weights(*measure, box, weights);
      }
      auto const place = [&](std::size_t i) { return place_in_field(i, box, shape); };
      if (!accumulator.add({x.values(), y.values(), weights, x.low(), y.low()}, place)) {
        break;
      }
    }
    return accumulator.finish();
  }

  VariableComparison compare(std::vector<std::string> const& components, std::string const& refusal,
                             std::vector<CommonTime> const& times) const {
    VariableComparison result;
    result.name = components.size() > 1 ? speed_name(components) : components[0];
    result.units = reference.info(components[0]).units;
    auto const measure = reference.cell_measure(components[0]);
    result.weights = measure ? measure->name : "";
    for (auto const& time : times) {
      result.times.push_back(time.time_s);
      result.metrics.push_back(refusal.empty() ? metrics(components, time, measure)
                                               : failed_metrics(refusal));
    }
    if (times.empty()) {
      result.metrics.push_back(failed_metrics(refusal.empty() ? "no time in common" : refusal));
      result.times.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    return result;
  }
};

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

Comparison compare(io::InputFile const& reference, io::InputFile const& test,
                   std::vector<std::string> const& variables, bool all_times, std::int64_t most_bytes) {
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

  Files const files{reference, test, most_bytes};
  Matching matching(reference, test, most_bytes / value_bytes);
  std::vector<io::FieldInfo> alike_y, alike_x;  // of fields on one grid: candidates for vectors
  std::map<std::string, std::vector<CommonTime>> times_of;
  for (auto const& name : names) {
    auto common = matching.times(name);
    result.notes.insert(result.notes.end(), common.notes.begin(), common.notes.end());
    if (!all_times && common.times.size() > 1) {
      common.times.erase(common.times.begin(), common.times.end() - 1);
    }
    auto const grid = matching.grid_mismatch(name, result.notes);
    auto const field_y = reference.info(name), field_x = test.info(name);
    if (field_x.units != field_y.units) {
      result.notes.push_back(name + ": units differ ('" + field_x.units + "' against '" + field_y.units +
                             "')");
    }
    if (grid.empty()) {
      alike_y.push_back(field_y);
      alike_x.push_back(field_x);
    }
    result.variables.push_back(files.compare({name}, grid.empty() ? common.refusal : grid, common.times));
    times_of[name] = std::move(common.times);
  }
  auto const vectors_x = vector_components(alike_x);
  for (auto const& components : vector_components(alike_y)) {
    auto const& times = times_of[components[0]];
    if (std::find(vectors_x.begin(), vectors_x.end(), components) != vectors_x.end() && !times.empty()) {
      result.variables.push_back(files.compare(components, {}, times));
    }
  }
  return result;
}

}  // namespace ulpine::verification
