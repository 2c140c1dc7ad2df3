// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/compare_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "verification/comparison/planes.hpp"
#include "verification/metrics/metrics_accumulator.hpp"

namespace ulpine::verification {
namespace {

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
  /// Gives the hash of what is stored, of the last component.
  std::uint64_t read(std::int64_t time, io::Box const& box) {
    low_.resize(wide_ ? std::size_t(box.size()) : 0);
    std::vector<std::span<double const>> views;
    std::uint64_t stored = 0;
    for (std::size_t i = 0; i < components_.size(); ++i) {
      high_[i].resize(std::size_t(box.size()));
      stored = file_.read(components_[i], time, box, high_[i], low_);
      views.emplace_back(high_[i]);
    }
    if (components_.size() > 1) {
      speed_ = speed(views);
    }
    return stored;
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

/// The row-major index in the whole field of value i of a box.
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
  LevelwiseMetrics(std::optional<std::size_t> dimension, std::vector<std::int64_t> const& shape, UlpUnit unit)
      : dimension_(dimension),
        shape_(shape),
        whole_(OneSidedValues::count, unit),
        levels_(dimension ? std::size_t(shape[*dimension]) : 0,
                MetricsAccumulator(OneSidedValues::count, unit)) {}

  void add(FieldPart const& part, io::Box const& box) {
    whole_.add(part, [&](std::size_t i) { return place_in_field(i, box, shape_); });
    if (!dimension_) return;
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
  }
  /// Metrics of the whole field, then of each level.
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

/// The unit of the coarser of the types that two files store a variable in.
UlpUnit ulp_unit(io::StoredType const& reference, io::StoredType const& test) {
  if (reference.step > 0 || test.step > 0) return {UlpUnit::Kind::steps, std::max(reference.step, test.step)};
  auto const is_float = std::max(reference.relative_rounding, test.relative_rounding) > 1e-10;
  return {is_float ? UlpUnit::Kind::of_float : UlpUnit::Kind::of_double};
}

/// The metrics of a field at one time and of its levels, and whether all that is stored is the same.
struct FieldMetrics {
  std::vector<Metrics> metrics;  ///< of the whole field, then of its levels
  bool same_bits = true;
};

/// Which of two times is the worse: one that cannot be compared, else that of the larger difference.
bool is_worse(Metrics const& a, Metrics const& b) {
  if (a.failure.empty() != b.failure.empty()) return !a.failure.empty();
  auto const largest = [](Metrics const& metrics) {
    auto const& linf = metrics["linf"];
    return linf.defined() ? linf.number() : 0;
  };
  if (largest(a) != largest(b)) return largest(a) > largest(b);
  return a.differing > b.differing;
}

/// A variable, or the speed of several, and what of it is compared.
struct ComparedField {
  std::vector<std::string> components;
  CommonTimes common;
  std::optional<FieldMeasure> measure = {};
  std::optional<std::size_t> level_dimension = {};
};

/// The places of a variable of the reference, for people.
class Places {
 public:
  /// `all_coordinates`: those of two and more dimensions, too, which are read value by value.
  Places(io::InputFile const& file, std::string const& variable, bool all_coordinates)
      : file_(file), variable_(variable), all_coordinates_(all_coordinates) {}

  /// Index and coordinates of the value at row-major place `at`, for messages.
  LargestDifference of(std::int64_t at) {
    if (!field_) read();
    LargestDifference place;
    std::vector<std::int64_t> index(field_->shape.size());
    for (auto d = index.size(); d-- > 0; at /= field_->shape[d]) index[d] = at % field_->shape[d];
    for (std::size_t d = 0; d < index.size(); ++d) {
      place.index.emplace_back(field_->dimensions[d], index[d]);
      auto const& axis = axes_[d];
      if (index[d] < std::int64_t(axis.values.size())) {
        add(axis.about, axis.values[std::size_t(index[d])], place);
      }
    }
    for (auto const& further : further_) {
      io::Box box;
      for (auto const d : further.dimensions) {
        box.start.push_back(index[d]);
        box.count.push_back(1);
      }
      add(further.about, file_.read(further.about.name, -1, box).front(), place);
    }
    return place;
  }

 private:
  struct Axis {
    io::GridCoordinate about;
    std::vector<double> values;  ///< empty where there is no coordinate
  };
  struct Further {
    io::GridCoordinate about;
    std::vector<std::size_t> dimensions;  ///< of the variable
  };

  static void add(io::GridCoordinate const& about, double value, LargestDifference& place) {
    place.coordinates.emplace_back(
        about.name, fmt::format("{:.10g}{}{}", value, about.units.empty() ? "" : " ", about.units));
  }

  void read() {
    field_ = file_.info(variable_);
    for (auto const& coordinate : file_.coordinates(variable_)) {
      auto& axis = axes_.emplace_back();
      if (coordinate) axis = {*coordinate, file_.read_all(coordinate->name)};
    }
    if (!all_coordinates_) return;
    for (auto const& about : file_.further_places(variable_)) {
      if (about.labels || about.in_time || about.rank < 2) continue;
      Further further{about, {}};
      for (auto const& dimension : file_.info(about.name).dimensions) {
        auto const found = std::ranges::find(field_->dimensions, dimension);
        if (found != field_->dimensions.end()) {
          further.dimensions.push_back(std::size_t(found - field_->dimensions.begin()));
        }
      }
      if (std::int64_t(further.dimensions.size()) == about.rank) further_.push_back(std::move(further));
    }
  }

  io::InputFile const& file_;
  std::string variable_;
  bool all_coordinates_;
  std::optional<io::FieldInfo> field_;
  std::vector<Axis> axes_;
  std::vector<Further> further_;
};

/// Two files, and how their fields are compared.
class FieldComparer {
 public:
  FieldComparer(io::InputFile const& reference, io::InputFile const& test, ComparisonOptions const& how)
      : reference_(reference), test_(test), how_(how) {}

  /// The whole, then its levels where these are wanted.
  std::vector<VariableComparison> compare(std::vector<std::string> const& components,
                                          std::string const& refusal, CommonTimes const& common) const {
    ComparedField subject{components, common};
    auto const field = reference_.info(components[0]);
    VariableComparison whole;
    whole.name = components.size() > 1 ? speed_name(components) : components[0];
    whole.units = field.units;
    whole.derived = components.size() > 1;
    whole.labels = reference_.is_labels(components[0]);
    if (!refusal.empty()) return {refused(std::move(whole), refusal)};
    if (whole.labels) return {compare_labels(std::move(whole), subject)};
    subject.measure = how_.weighting.measure(reference_, components[0]);
    whole.weights = subject.measure ? how_.weighting.name(*subject.measure) : "";
    if (how_.by_level) subject.level_dimension = vertical_dimension(reference_, components[0]);
    std::vector<VariableComparison> result = {whole};
    for (std::int64_t level = 0; subject.level_dimension && level < field.shape[*subject.level_dimension];
         ++level) {
      auto& of_level = result.emplace_back(whole);
      of_level.name = fmt::format("{}[{}={}]", whole.name, field.dimensions[*subject.level_dimension], level);
      of_level.derived = true;
    }
    compare_times(subject, result);
    return result;
  }

 private:
  FieldMetrics metrics(ComparedField const& subject, CommonTime const& time, UlpUnit unit) const {
    auto const& components = subject.components;
    Slab y(reference_, components), x(test_, components);
    auto const bytes =
        std::max(y.bytes_a_value() + (subject.measure ? 2 * value_bytes : 0), x.bytes_a_value()) +
        (subject.level_dimension ? 3 * value_bytes : 0);
    std::vector<double> weights;
    FieldMetrics result;
    LevelwiseMetrics accumulators(subject.level_dimension, reference_.info(components[0]).shape, unit);
    for (auto const& box : reference_.boxes(components[0], how_.most_bytes / bytes)) {
      auto const stored_y = y.read(time.reference, box), stored_x = x.read(time.test, box);
      result.same_bits = result.same_bits && stored_y == stored_x;
      if (subject.measure) {
        weights.resize(std::size_t(box.size()));
        how_.weighting.read(reference_, *subject.measure, box, weights);
      }
      accumulators.add({x.values(), y.values(), weights, x.low(), y.low()}, box);
    }
    result.metrics = accumulators.finish();
    return result;
  }

  /// Fills the times of a variable and its levels.
  void compare_times(ComparedField const& subject, std::vector<VariableComparison>& result) const {
    auto const& name = subject.components[0];
    auto const type_y = reference_.stored_type(name), type_x = test_.stored_type(name);
    auto const unit = ulp_unit(type_y, type_x);
    auto same_bits = type_y.name == type_x.name;
    std::int64_t unseen = 0;
    Places places(reference_, name, how_.times != Times::all);
    for (auto const& time : subject.common.times) {
      auto const found = metrics(subject, time, unit);
      same_bits = same_bits && found.same_bits;
      unseen += found.metrics[0].unseen;
      for (std::size_t i = 0; i < result.size(); ++i) {
        auto& variable = result[i];
        auto const& of_time = found.metrics[i];
        ++variable.compared_times;
        variable.differing += of_time.differing;
        variable.one_sided += of_time.one_sided.all();
        if (how_.each_time) how_.each_time(variable, {time.time_s, time.date, of_time});
        auto const listed = how_.times == Times::all || variable.times.empty() ||
                            is_worse(of_time, variable.times.front().metrics);
        if (!listed) continue;
        if (how_.times != Times::all) variable.times.clear();
        variable.times.push_back({time.time_s, time.date, of_time});
        auto& largest_at = of_time.largest_at;
        if (i == 0 && largest_at) variable.times.back().largest = places.of(*largest_at);
      }
    }
    auto& whole = result[0];
    whole.same = whole.differing > 0           ? Sameness::no
                 : same_bits && !whole.derived ? Sameness::bits
                 : unseen > 0                  ? Sameness::unknown
                                               : Sameness::values;
    if (whole.same == Sameness::unknown) {
      whole.unseen = fmt::format(
          "{} places are outside of their valid range, or NaN in one file and missing in the other, and what "
          "is stored there differs",
          unseen);
    }
    for (std::size_t i = 1; i < result.size(); ++i)
      result[i].same = result[i].differing > 0 ? Sameness::no : Sameness::values;
  }

  VariableComparison compare_labels(VariableComparison variable, ComparedField const& subject) const {
    auto const& name = subject.components[0];
    auto const shape = reference_.info(name).shape;
    Slab y(reference_, {name}), x(test_, {name});
    Places places(reference_, name, how_.times != Times::all);
    auto same_bits = true;
    for (auto const& time : subject.common.times) {
      auto metrics = undefined_metrics("values without numbers are equal or not");
      for (auto const& box :
           reference_.boxes(name, how_.most_bytes / std::max(y.bytes_a_value(), x.bytes_a_value()))) {
        same_bits = y.read(time.reference, box) == x.read(time.test, box) && same_bits;
        auto const values_y = y.values(), values_x = x.values(), low_y = y.low(), low_x = x.low();
        for (std::size_t i = 0; i < values_y.size(); ++i) {
          ++metrics.points;
          if (values_y[i] == values_x[i] && (low_y.empty() || low_y[i] == low_x[i])) continue;
          ++metrics.differing;
          if (!metrics.largest_at) metrics.largest_at = place_in_field(i, box, shape);
        }
      }
      ++variable.compared_times;
      variable.differing += metrics.differing;
      if (how_.each_time) how_.each_time(variable, {time.time_s, time.date, metrics});
      auto const worse =
          variable.times.empty() || metrics.differing > variable.times.front().metrics.differing;
      if (how_.times != Times::all && !worse) continue;
      if (how_.times != Times::all) variable.times.clear();
      variable.times.push_back({time.time_s, time.date, metrics});
      if (metrics.largest_at) variable.times.back().largest = places.of(*metrics.largest_at);
    }
    variable.same = variable.differing > 0 ? Sameness::no : same_bits ? Sameness::bits : Sameness::values;
    return variable;
  }

  io::InputFile const& reference_;
  io::InputFile const& test_;
  ComparisonOptions const& how_;
};

}  // namespace

VariableComparison refused(VariableComparison variable, std::string const& reason) {
  variable.same = Sameness::no;
  variable.times = {{std::numeric_limits<double>::quiet_NaN(), "", failed_metrics(reason)}};
  return variable;
}

std::vector<VariableComparison> compare_field(io::InputFile const& reference, io::InputFile const& test,
                                              ComparisonOptions const& how,
                                              std::vector<std::string> const& components,
                                              std::string const& refusal, CommonTimes const& common) {
  return FieldComparer(reference, test, how).compare(components, refusal, common);
}

}  // namespace ulpine::verification
