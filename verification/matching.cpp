// SPDX-License-Identifier: Apache-2.0
#include "verification/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "io/axis.hpp"

namespace ulpine::verification {
namespace {

/// What rounding of stored times may make of an interval.
double time_rounding(double time) { return 1e-6 * std::max(1.0, std::abs(time)); }

/// Indices of the times that are numbers, by time.
std::vector<std::size_t> in_order(std::span<double const> times) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::isfinite(times[i])) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return times[a] < times[b]; });
  return order;
}

double smallest_interval(std::span<double const> times, std::vector<std::size_t> const& order) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < order.size(); ++i) {
    double const interval = times[order[i]] - times[order[i - 1]];
    smallest = interval > 0 ? std::min(smallest, interval) : smallest;
  }
  return smallest;
}

/// Times of both files on one scale, and how.
struct Scale {
  std::vector<double> reference, test;
  bool absolute = false;  ///< dates, or stored values of one meaning
};

std::vector<double> scaled(std::vector<double> const& stored, double origin, double unit) {
  std::vector<double> result(stored.size());
  std::transform(stored.begin(), stored.end(), result.begin(),
                 [&](double time) { return (time - origin) * unit; });
  return result;
}

bool is_dated(io::TimeAxis const& axis) { return axis.units.find(" since ") != std::string::npos; }

double first_date(io::TimeAxis const& axis) { return axis.epoch + axis.stored.front() * axis.unit; }

Scale since_first(io::TimeAxis const& reference, io::TimeAxis const& test) {
  auto const unit_of = [](io::TimeAxis const& axis) { return axis.unit > 0 ? axis.unit : 1; };
  return {scaled(reference.stored, reference.stored.front(), unit_of(reference)),
          scaled(test.stored, test.stored.front(), unit_of(test)), false};
}

/// Why the times of two axes name nothing common; empty where they may.
std::string time_refusal(io::TimeAxis const& reference, io::TimeAxis const& test) {
  if (is_dated(reference) && is_dated(test) && reference.calendar != test.calendar) {
    double const first = std::min(first_date(reference), first_date(test));
    if (!io::same_dates_from(reference.known_calendar, test.known_calendar, first)) {
      return fmt::format(
          "calendars differ: {} against {}, whose dates are other instants (convert one file's times)",
          test.calendar, reference.calendar);
    }
  }
  if (reference.units != test.units && (reference.unit == 0 || test.unit == 0) && !reference.units.empty() &&
      !test.units.empty()) {
    return fmt::format("times cannot be matched: '{}' against '{}'", test.units, reference.units);
  }
  return {};
}

Scale common_scale(io::TimeAxis const& reference, io::TimeAxis const& test, std::string const& variable,
                   std::vector<std::string>& notes) {
  auto const note = [&](std::string const& text) { notes.push_back(variable + ": " + text); };
  double const origin = reference.stored.front(), unit = reference.unit > 0 ? reference.unit : 1;
  if (reference.has_coordinate != test.has_coordinate || reference.units.empty() != test.units.empty()) {
    note(fmt::format("only the {} says when its times are, they are taken in their order",
                     test.units.empty() ? "reference" : "test"));
    std::vector<double> y(reference.stored.size()), x(test.stored.size());
    std::iota(y.begin(), y.end(), 0.0);
    std::iota(x.begin(), x.end(), 0.0);
    return {y, x, true};
  }
  if (reference.units == test.units && reference.calendar == test.calendar) {
    return {scaled(reference.stored, origin, unit), scaled(test.stored, origin, unit), true};
  }
  auto result = since_first(reference, test);
  if (is_dated(reference) != is_dated(test) ||
      (is_dated(reference) && !std::isfinite(reference.epoch + test.epoch))) {
    note("dates cannot be read in both files, times since each file's first are compared");
    return result;
  }
  double const later = is_dated(reference) ? first_date(test) - first_date(reference)
                                           : test.stored.front() * test.unit - origin * unit;
  std::for_each(result.test.begin(), result.test.end(), [&](double& time) { time += later; });
  result.absolute = true;
  return result;
}

/// The times without partner, a few of them.
std::string times_left(std::vector<double> const& times, std::vector<bool> const& paired) {
  constexpr std::size_t most = 4;
  std::vector<std::string> left;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!paired[i]) {
      left.push_back(fmt::format("{:.10g}", times[i]));
    }
  }
  auto const more = left.size() > most ? fmt::format(" and {} more", left.size() - most) : "";
  left.resize(std::min(left.size(), most));
  return fmt::format("{}{}", fmt::join(left, ", "), more);
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> match_times(std::span<double const> reference,
                                                             std::span<double const> test) {
  auto const order_y = in_order(reference), order_x = in_order(test);
  // Strictly less than half of it, so that only one time can be that near.
  double const half = std::min(smallest_interval(reference, order_y), smallest_interval(test, order_x)) / 2;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0, j = 0; i < order_y.size() && j < order_x.size();) {
    double const y = reference[order_y[i]], x = test[order_x[j]];
    if (std::abs(y - x) < half && (std::isfinite(half) || std::abs(y - x) <= time_rounding(y))) {
      pairs.emplace_back(order_y[i++], order_x[j++]);
    } else {
      ++(y < x ? i : j);
    }
  }
  return pairs;
}

Matching::Matching(io::InputFile const& reference, io::InputFile const& test, std::int64_t most_values)
    : reference_(reference), test_(test), most_values_(most_values) {}

CommonTimes Matching::times(std::string const& variable) const {
  CommonTimes result;
  auto const note = [&](std::string const& text) { result.notes.push_back(variable + ": " + text); };
  auto const axis_y = reference_.time_axis(variable), axis_x = test_.time_axis(variable);
  if (axis_y.stored.empty() || axis_x.stored.empty()) {
    if (axis_y.stored.empty() != axis_x.stored.empty()) {
      note(fmt::format("only the {} has a time axis, its last time is compared",
                       axis_x.stored.empty() ? "reference" : "test"));
    }
    result.times = {CommonTime{}};
    return result;
  }
  result.refusal = time_refusal(axis_y, axis_x);
  if (!result.refusal.empty()) {
    return result;
  }
  auto scale = common_scale(axis_y, axis_x, variable, result.notes);
  auto pairs = match_times(scale.reference, scale.test);
  if (pairs.empty() && scale.absolute) {
    scale = since_first(axis_y, axis_x);
    pairs = match_times(scale.reference, scale.test);
    note(fmt::format("no {} in common, times since each file's first are compared",
                     is_dated(axis_y) ? "date" : "time"));
  }

  std::vector<bool> paired_y(axis_y.stored.size()), paired_x(axis_x.stored.size());
  double farthest = 0;
  for (auto const& [i, j] : pairs) {
    paired_y[i] = paired_x[j] = true;
    result.times.push_back({std::int64_t(i), std::int64_t(j), scale.reference[i]});
    double const apart = std::abs(scale.reference[i] - scale.test[j]);
    farthest = apart > time_rounding(scale.reference[i]) ? std::max(farthest, apart) : farthest;
  }
  if (farthest > 0) {
    note(fmt::format("times matched with the nearest differ by up to {:.6g}{}", farthest,
                     axis_y.unit > 0 ? " s" : ""));
  }
  if (pairs.size() < std::max(paired_y.size(), paired_x.size())) {
    auto const left_y = times_left(scale.reference, paired_y), left_x = times_left(scale.test, paired_x);
    note(fmt::format(
        "{} times in common of {} in the reference and {} in the test (left out: {}{}{})", pairs.size(),
        paired_y.size(), paired_x.size(), left_y.empty() ? "" : "the reference's " + left_y,
        left_y.empty() || left_x.empty() ? "" : "; ", left_x.empty() ? "" : "the test's " + left_x));
  }
  return result;
}

namespace {

std::string shape_text(std::vector<std::int64_t> const& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, " x "));
}

/// Along which axis each dimension runs, as its coordinate says or its name lets think.
std::vector<std::string> axes_of(io::FieldInfo const& field,
                                 std::vector<std::optional<io::GridCoordinate>> const& coordinates) {
  std::vector<std::string> axes;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    auto const said = coordinates[d] ? coordinates[d]->axis : "";
    axes.push_back(said.empty() ? io::axis_of(field.dimensions[d]) : said);
  }
  return axes;
}

/// The values of a coordinate, which are many where a grid has no structure.
class CoordinateValues {
 public:
  CoordinateValues(io::InputFile const& file, io::GridCoordinate const& coordinate)
      : file_(file),
        name_(coordinate.name),
        shape_(file.info(name_).shape),
        records_(std::int64_t(file.times(name_).size())) {
    if (records_ > 0) {
      shape_.insert(shape_.begin(), records_);
    }
  }
  std::vector<std::int64_t> const& shape() const { return shape_; }
  /// Of a part of shape().
  std::vector<double> read(io::Box box) const {
    std::vector<double> values(std::size_t(box.size()));
    if (records_ == 0) {
      file_.read(name_, -1, box, values);
      return values;
    }
    // A dimension without end makes its coordinate look like a time.
    auto const first = box.start.front();
    auto const records = std::exchange(box.count.front(), 1);
    auto const size = std::size_t(box.size());
    box.start.erase(box.start.begin());
    box.count.erase(box.count.begin());
    for (std::int64_t i = 0; i < records; ++i) {
      file_.read(name_, first + i, box, std::span(values).subspan(std::size_t(i) * size, size));
    }
    return values;
  }

 private:
  io::InputFile const& file_;
  std::string name_;
  std::vector<std::int64_t> shape_;
  std::int64_t records_;
};

/// Parts of at most `most_values`, whole along the fastest dimensions.
std::vector<io::Box> rows_of(std::vector<std::int64_t> const& shape, std::int64_t most_values) {
  std::vector<io::Box> parts = {{std::vector<std::int64_t>(shape.size(), 0), shape}};
  for (std::size_t d = 0; d < shape.size() && parts.front().size() > most_values; ++d) {
    std::vector<io::Box> cut;
    for (auto const& part : parts) {
      auto const step =
          std::max<std::int64_t>(most_values / std::max<std::int64_t>(part.size() / part.count[d], 1), 1);
      for (std::int64_t start = 0; start < shape[d]; start += step) {
        cut.push_back(part);
        cut.back().start[d] = start;
        cut.back().count[d] = std::min(step, shape[d] - start);
      }
    }
    parts = std::move(cut);
  }
  return parts;
}

}  // namespace

std::string Matching::difference_of(io::GridCoordinate const& reference,
                                    io::GridCoordinate const& test) const {
  CoordinateValues const all_y(reference_, reference), all_x(test_, test);
  if (all_y.shape() != all_x.shape()) {
    return "is of another shape: " + shape_text(all_x.shape()) + " against " + shape_text(all_y.shape());
  }
  struct Pair {
    double reference, test;
  } first = {}, last = {}, worst = {};
  double largest = -1, scale = 0;
  std::int64_t count = 0, place = 0;
  for (auto const& part : rows_of(all_y.shape(), most_values_)) {
    auto const y = all_y.read(part), x = all_x.read(part);
    for (std::size_t i = 0; i < y.size(); ++i, ++count) {
      last = {y[i], x[i]};
      first = count == 0 ? last : first;
      if (std::isnan(y[i]) && std::isnan(x[i])) {
        continue;
      }
      auto const apart = std::isnan(y[i]) || std::isnan(x[i]) ? std::numeric_limits<double>::infinity()
                         : y[i] == x[i]                       ? 0
                                                              : std::abs(y[i] - x[i]);
      if (apart > largest) {
        largest = apart;
        worst = last;
        place = count;
      }
      for (double const value : {y[i], x[i]}) {
        scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
      }
    }
  }
  // Both values are results of a few roundings in the narrower of the stored types.
  constexpr double roundings = 4;
  double const tolerance = roundings * std::max(reference.relative_rounding, test.relative_rounding) * scale +
                           (reference.step + test.step) / 2 * (1 + 1e-9);
  if (largest <= tolerance) {
    return {};
  }
  auto const near = [&](double a, double b) { return std::abs(a - b) <= tolerance; };
  if (reference.rank == 1 && count > 1 && near(first.reference, last.test) &&
      near(first.test, last.reference)) {
    return fmt::format("runs the other way: from {:.10g} to {:.10g} against from {:.10g} to {:.10g}",
                       first.test, last.test, first.reference, last.reference);
  }
  auto const units = reference.units != test.units
                         ? fmt::format(" ('{}' against '{}')", test.units, reference.units)
                     : reference.units.empty() ? ""
                                               : " " + reference.units;
  return fmt::format("differs: {:.10g} against {:.10g}{} at element {}", worst.test, worst.reference, units,
                     place);
}

std::string Matching::compare_coordinates(io::GridCoordinate const& reference, io::GridCoordinate const& test,
                                          std::vector<std::string>& notes) {
  auto const [found, is_new] = known_.try_emplace({reference.name, test.name});
  if (is_new) {
    found->second = difference_of(reference, test);
    if (found->second.empty() && reference.units != test.units) {
      notes.push_back(fmt::format("coordinate {}: units differ ('{}' against '{}'), its values do not",
                                  reference.name, test.units, reference.units));
    }
  }
  return found->second.empty() ? "" : "coordinate " + reference.name + " " + found->second;
}

std::string Matching::grid_mismatch(std::string const& variable, std::vector<std::string>& notes) {
  auto const field_y = reference_.info(variable), field_x = test_.info(variable);
  if (field_x.shape != field_y.shape) {
    return "shapes differ: " + shape_text(field_x.shape) + " against " + shape_text(field_y.shape);
  }
  auto const coordinates_y = reference_.coordinates(variable), coordinates_x = test_.coordinates(variable);
  auto const axes_y = axes_of(field_y, coordinates_y), axes_x = axes_of(field_x, coordinates_x);
  for (std::size_t d = 0; d < axes_x.size(); ++d) {
    auto const elsewhere = std::find(axes_y.begin(), axes_y.end(), axes_x[d]) != axes_y.end();
    if (axes_x[d] != axes_y[d] && elsewhere) {
      return fmt::format("dimensions are in another order: {} against {}",
                         fmt::join(field_x.dimensions, ", "), fmt::join(field_y.dimensions, ", "));
    }
  }
  for (std::size_t d = 0; d < axes_x.size(); ++d) {
    if (coordinates_y[d] && coordinates_x[d]) {
      auto problem = compare_coordinates(*coordinates_y[d], *coordinates_x[d], notes);
      if (!problem.empty()) {
        return problem;
      }
    }
  }
  auto const places_x = test_.auxiliary_coordinates(variable);
  for (auto const& place : reference_.auxiliary_coordinates(variable)) {
    auto const same = std::find_if(places_x.begin(), places_x.end(),
                                   [&](io::GridCoordinate const& other) { return other.name == place.name; });
    if (same != places_x.end()) {
      auto problem = compare_coordinates(place, *same, notes);
      if (!problem.empty()) {
        return problem;
      }
    }
  }
  return {};
}

}  // namespace ulpine::verification
