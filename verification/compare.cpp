// SPDX-License-Identifier: Apache-2.0
#include "verification/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "io/error.hpp"
#include "verification/matching.hpp"
#include "verification/metrics_accumulator.hpp"
#include "verification/planes.hpp"

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

/// The places of a box that lie on level `level` of dimension `d`, among its values; those of a level are
/// runs of `run` values, `stride` apart.
struct LevelPlaces {
  std::size_t run = 1, stride = 1, first = 0;
  LevelPlaces(io::Box const& box, std::size_t d, std::int64_t level) {
    for (auto i = d + 1; i < box.count.size(); ++i) run *= std::size_t(box.count[i]);
    stride = run * std::size_t(box.count[d]);
    first = run * std::size_t(level - box.start[d]);
  }
  void take(std::span<double const> values, std::vector<double>& level) const {
    level.clear();
    for (auto begin = first; begin < values.size(); begin += stride) {
      level.insert(level.end(), values.begin() + std::ptrdiff_t(begin),
                   values.begin() + std::ptrdiff_t(begin + run));
    }
  }
};

/// Accumulators of a whole field and, where they are wanted, of each of its levels.
class LevelwiseMetrics {
 public:
  LevelwiseMetrics(std::optional<std::size_t> dimension, std::vector<std::int64_t> const& shape)
      : dimension_(dimension), shape_(shape), levels_(dimension ? std::size_t(shape[*dimension]) : 0) {}

  /// False where nothing more can be learnt: the whole cannot be compared, and no levels are wanted.
  bool add(FieldPart const& part, io::Box const& box) {
    auto const usable = whole_.add(part, [&](std::size_t i) { return place_in_field(i, box, shape_); });
    if (!dimension_) return usable;
    for (std::int64_t i = 0; i < box.count[*dimension_]; ++i) {
      auto const level = box.start[*dimension_] + i;
      LevelPlaces const places(box, *dimension_, level);
      places.take(part.test, buffers_[0]);
      places.take(part.reference, buffers_[1]);
      places.take(part.weights, buffers_[2]);
      places.take(part.test_low, buffers_[3]);
      places.take(part.reference_low, buffers_[4]);
      levels_[std::size_t(level)].add({buffers_[0], buffers_[1], buffers_[2], buffers_[3], buffers_[4]});
    }
    return true;
  }
  /// Of the whole, then of the levels.
  std::vector<Metrics> finish() const {
    std::vector<Metrics> result = {whole_.finish()};
    for (auto const& level : levels_) result.push_back(level.finish());
    return result;
  }

 private:
  std::optional<std::size_t> dimension_;
  std::vector<std::int64_t> shape_;
  MetricsAccumulator whole_;
  std::vector<MetricsAccumulator> levels_;
  std::array<std::vector<double>, 5> buffers_;
};

/// Two files, and how they are compared.
struct Files {
  io::InputFile const& reference;
  io::InputFile const& test;
  Comparing const& how;

  /// Of a variable, or of the speed of several; then of its levels along `dimension`.
  std::vector<Metrics> metrics(std::vector<std::string> const& components, CommonTime const& time,
                               std::optional<io::CellMeasure> const& measure,
                               std::optional<std::size_t> dimension) const {
    Slab y(reference, components), x(test, components);
    auto const bytes = std::max(y.bytes_a_value() + (measure ? 2 * value_bytes : 0), x.bytes_a_value()) +
                       (dimension ? 3 * value_bytes : 0);
    std::vector<double> weights;
    LevelwiseMetrics accumulators(dimension, reference.info(components[0]).shape);
    for (auto const& box : reference.boxes(components[0], how.most_bytes / bytes)) {
      y.read(time.reference, box);
      x.read(time.test, box);
      if (measure) {
        weights.resize(std::size_t(box.size()));
        how.weighting.read(reference, *measure, box, weights);
      }
      if (!accumulators.add({x.values(), y.values(), weights, x.low(), y.low()}, box)) {
        break;
      }
    }
    return accumulators.finish();
  }

  /// The whole, then its levels where these are wanted.
  std::vector<VariableComparison> compare(std::vector<std::string> const& components,
                                          std::string const& refusal,
                                          std::vector<CommonTime> const& times) const {
    auto const field = reference.info(components[0]);
    auto const name = components.size() > 1 ? speed_name(components) : components[0];
    auto const measure = how.weighting.measure(reference, components[0]);
    auto const weights = measure ? how.weighting.name(*measure) : "";
    auto const dimension = how.by_level && refusal.empty() && !times.empty()
                               ? vertical_dimension(reference, components[0])
                               : std::nullopt;
    std::vector<VariableComparison> result = {{name, field.units, {}, {}, weights}};
    for (std::int64_t level = 0; dimension && level < field.shape[*dimension]; ++level) {
      result.push_back({fmt::format("{}[{}={}]", name, field.dimensions[*dimension], level),
                        field.units,
                        {},
                        {},
                        weights});
    }
    for (auto const& time : times) {
      auto const found = refusal.empty() ? metrics(components, time, measure, dimension)
                                         : std::vector<Metrics>(result.size(), failed_metrics(refusal));
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i].times.push_back(time.time_s);
        result[i].metrics.push_back(found[i]);
      }
    }
    if (times.empty()) {
      result[0].metrics.push_back(failed_metrics(refusal.empty() ? "no time in common" : refusal));
      result[0].times.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    return result;
  }
};

/// Notes on the weights of the variables. InputError where none has those that were named.
void note_weights(Comparing const& how, io::InputFile const& reference, std::vector<std::string> const& names,
                  std::vector<std::string>& notes) {
  std::set<std::string> customary;
  bool weighted = false;
  for (auto const& name : names) {
    auto const measure = how.weighting.measure(reference, name);
    weighted = weighted || measure;
    if (measure && measure->customary) {
      customary.insert(measure->name);
    }
  }
  for (auto const& name : customary) {
    notes.push_back(
        fmt::format("weights {}: known by their usual name, no attribute says what they are", name));
  }
  if (weighted) {
    return;
  }
  how.weighting.refuse_misfit(reference);
  auto const hint = how.weighting.hint(reference);
  if (!hint.empty()) {
    notes.push_back(hint);
  }
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

Comparison compare(io::InputFile const& reference, io::InputFile const& test,
                   std::vector<std::string> const& variables, bool all_times, std::int64_t most_bytes) {
  Comparing comparing;
  comparing.variables = variables;
  comparing.all_times = all_times;
  comparing.most_bytes = most_bytes;
  return compare(reference, test, comparing);
}

Comparison compare(io::InputFile const& reference, io::InputFile const& test, Comparing const& how) {
  Comparison result;
  auto const names_y = reference.variables(), names_x = test.variables();
  std::vector<std::string> names = how.variables;
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

  note_weights(how, reference, names, result.notes);
  Files const files{reference, test, how};
  auto const add = [&](std::vector<VariableComparison>&& compared) {
    std::move(compared.begin(), compared.end(), std::back_inserter(result.variables));
  };
  Matching matching(reference, test, how.most_bytes / value_bytes);
  std::vector<io::FieldInfo> alike_y, alike_x;  // of fields on one grid: candidates for vectors
  std::map<std::string, std::vector<CommonTime>> times_of;
  for (auto const& name : names) {
    auto common = matching.times(name);
    result.notes.insert(result.notes.end(), common.notes.begin(), common.notes.end());
    if (!how.all_times && common.times.size() > 1) {
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
    add(files.compare({name}, grid.empty() ? common.refusal : grid, common.times));
    times_of[name] = std::move(common.times);
  }
  auto const vectors_x = vector_components(alike_x);
  for (auto const& components : vector_components(alike_y)) {
    auto const& times = times_of[components[0]];
    if (std::find(vectors_x.begin(), vectors_x.end(), components) != vectors_x.end() && !times.empty()) {
      add(files.compare(components, {}, times));
    }
  }
  return result;
}

}  // namespace ulpine::verification
