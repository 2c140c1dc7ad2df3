// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "io/axis.hpp"

namespace ulpine::verification {
namespace {

/// The largest error that rounding may have left in a stored time or interval, in the unit of `time`.
double time_rounding(double time) { return 1e-6 * std::max(1.0, std::abs(time)); }

/// Indices of the last writings of the times that are numbers, by time.
std::vector<std::size_t> in_order(std::span<double const> times) {
  auto order = last_writings(times);
  std::ranges::sort(order, {}, [&](std::size_t i) { return times[i]; });
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

/// The first of the times that are not missing; NaN where all are.
double first_time(io::TimeAxis const& axis) {
  auto const found = std::ranges::find_if(axis.stored, [](double time) { return std::isfinite(time); });
  return found == axis.stored.end() ? std::numeric_limits<double>::quiet_NaN() : *found;
}

double first_date(io::TimeAxis const& axis) { return axis.epoch + first_time(axis) * axis.unit; }

Scale since_first(io::TimeAxis const& reference, io::TimeAxis const& test) {
  auto const unit_of = [](io::TimeAxis const& axis) { return axis.unit > 0 ? axis.unit : 1; };
  return {scaled(reference.stored, first_time(reference), unit_of(reference)),
          scaled(test.stored, first_time(test), unit_of(test)), false};
}

}  // namespace

std::string time_refusal(io::TimeAxis const& reference, io::TimeAxis const& test) {
  // Equal units and calendars make the stored numbers comparable, whether they can be decoded or not.
  auto const same_texts = reference.units == test.units && reference.calendar == test.calendar;
  if (same_texts || !reference.has_coordinate || !test.has_coordinate) return {};
  if (reference.dated && test.dated) {
    for (auto const& [axis, whose] : {std::pair{&reference, "reference"}, std::pair{&test, "test"}}) {
      if (axis->known_calendar == io::Calendar::unknown) continue;
      if (!std::isfinite(axis->epoch) || axis->unit == 0) {
        return fmt::format(
            "times of the {} cannot be read as dates: '{}' (bring their units to a form of CF)", whose,
            axis->units);
      }
    }
    double const first = std::min(first_date(reference), first_date(test));
    if (!io::same_dates_from(reference.known_calendar, test.known_calendar, first)) {
      return fmt::format(
          "calendars differ: {} against {}, whose dates are other instants (convert one file's times)",
          test.calendar, reference.calendar);
    }
    return {};
  }
  if ((reference.unit == 0 || test.unit == 0) && !reference.units.empty() && !test.units.empty()) {
    return fmt::format("times cannot be matched: '{}' against '{}'", test.units, reference.units);
  }
  return {};
}

namespace {

/// `assumed` gets what had to be assumed.
Scale common_scale(io::TimeAxis const& reference, io::TimeAxis const& test, std::string& assumed) {
  double const origin = first_time(reference), unit = reference.unit > 0 ? reference.unit : 1;
  if (reference.has_coordinate != test.has_coordinate || reference.units.empty() != test.units.empty()) {
    assumed = fmt::format("only the {} says when its times are, they are taken in their order",
                          test.units.empty() ? "reference" : "test");
    std::vector<double> y(reference.stored.size()), x(test.stored.size());
    std::iota(y.begin(), y.end(), 0.0);
    std::iota(x.begin(), x.end(), 0.0);
    return {y, x, true};
  }
  if (reference.units == test.units && reference.calendar == test.calendar) {
    return {scaled(reference.stored, origin, unit), scaled(test.stored, origin, unit), true};
  }
  auto result = since_first(reference, test);
  if (reference.dated != test.dated) {
    assumed = fmt::format("only the {} has dates, times since each file's first are compared",
                          reference.dated ? "reference" : "test");
    return result;
  }
  double const later = reference.dated ? first_date(test) - first_date(reference)
                                       : first_time(test) * test.unit - origin * unit;
  std::for_each(result.test.begin(), result.test.end(), [&](double& time) { time += later; });
  result.absolute = true;
  return result;
}

/// Time number `i` of an axis as CommonTime has it.
CommonTime time_of(io::TimeAxis const& axis, std::size_t i) {
  CommonTime time;
  time.time_s = axis.stored[i] * (axis.unit > 0 ? axis.unit : 1);
  if (axis.dated && std::isfinite(axis.epoch) && axis.unit > 0) {
    time.date = io::date_text(axis.known_calendar, axis.epoch + time.time_s);
  }
  return time;
}

std::string text_of(io::TimeAxis const& axis, std::size_t i) {
  if (!std::isfinite(axis.stored[i])) return "one that is missing";
  auto const time = time_of(axis, i);
  return time.date.empty() ? fmt::format("{:.10g}{}", time.time_s, axis.unit > 0 ? " s" : "") : time.date;
}

/// The times without partner, a few of them.
std::string times_left(io::TimeAxis const& axis, std::vector<bool> const& paired) {
  constexpr std::size_t most = 4;
  std::vector<std::string> left;
  std::size_t count = 0;
  for (std::size_t i = 0; i < paired.size(); ++i) {
    if (paired[i]) continue;
    if (count++ < most) left.push_back(text_of(axis, i));
  }
  auto const more = count > most ? fmt::format(" and {} more", count - most) : "";
  return fmt::format("{}{}", fmt::join(left, ", "), more);
}

}  // namespace

std::vector<std::size_t> last_writings(std::span<double const> times) {
  std::map<double, std::size_t> last;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::isfinite(times[i])) last[times[i]] = i;
  }
  std::vector<std::size_t> indices;
  for (auto const& [time, i] : last) indices.push_back(i);
  std::ranges::sort(indices);
  return indices;
}

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
  if (!axis_y.exists || !axis_x.exists) {
    result.times = {CommonTime{}};
    if (axis_y.exists != axis_x.exists) {
      result.assumed = fmt::format("only the {} has a time axis, its last time is compared",
                                   axis_x.exists ? "test" : "reference");
      note(result.assumed);
      if ((axis_y.exists ? axis_y : axis_x).stored.empty()) result.times.clear();
    }
    return result;
  }
  for (auto const& [axis, whose] : {std::pair{&axis_y, "reference"}, std::pair{&axis_x, "test"}}) {
    if (!axis->guessed_by.empty()) {
      note(fmt::format("dimension {} of the {} is taken for time by its name", axis->guessed_by, whose));
    }
  }
  std::vector<bool> paired_y(axis_y.stored.size()), paired_x(axis_x.stored.size());
  auto const tell_left_out = [&] {
    auto const left_y = times_left(axis_y, paired_y), left_x = times_left(axis_x, paired_x);
    if (left_y.empty() && left_x.empty()) return;
    result.left_out = fmt::format(
        "{} times in common of {} in the reference and {} in the test (left out: {}{}{})",
        result.times.size(), paired_y.size(), paired_x.size(),
        left_y.empty() ? "" : "the reference's " + left_y, left_y.empty() || left_x.empty() ? "" : "; ",
        left_x.empty() ? "" : "the test's " + left_x);
    note(result.left_out);
  };
  if (axis_y.stored.empty() || axis_x.stored.empty()) {
    note(axis_y.stored.size() == axis_x.stored.size() ? "there is no record yet in either file"
         : axis_y.stored.empty()                      ? "there is no record yet in the reference"
                                                      : "there is no record yet in the test");
    tell_left_out();
    return result;
  }
  result.refusal = time_refusal(axis_y, axis_x);
  if (!result.refusal.empty()) {
    result.other_calendar =
        axis_y.known_calendar != axis_x.known_calendar && std::isfinite(axis_y.epoch + axis_x.epoch);
    return result;
  }
  auto scale = common_scale(axis_y, axis_x, result.assumed);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  // A time that is missing in both files at one place is the same there, too.
  auto const same_numbers =
      scale.absolute && std::ranges::equal(scale.reference, scale.test, [](double y, double x) {
        return y == x || (std::isnan(y) && std::isnan(x));
      });
  if (same_numbers) {
    for (std::size_t i = 0; i < scale.reference.size(); ++i) pairs.emplace_back(i, i);
  } else {
    pairs = match_times(scale.reference, scale.test);
    if (pairs.empty() && scale.absolute) {
      scale = since_first(axis_y, axis_x);
      pairs = match_times(scale.reference, scale.test);
      result.assumed = fmt::format("no {} in common, times since each file's first are compared",
                                   axis_y.dated ? "date" : "time");
    }
  }
  if (!result.assumed.empty()) note(result.assumed);
  auto const tell_rewritten = [&](std::vector<double> const& times, char const* whose,
                                  std::vector<bool>& paired) {
    auto const last = last_writings(times);
    std::vector<bool> earlier(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) earlier[i] = std::isfinite(times[i]);
    for (auto const i : last) earlier[i] = false;
    auto const count = std::ranges::count(earlier, true);
    if (count == 0) return;
    auto const text = fmt::format(
        "{} time{} written again in the {}, {}", count, count == 1 ? " is" : "s are", whose,
        same_numbers ? "as in the other file: all writings are compared" : "the later writing is compared");
    note(text);
    if (same_numbers) return;
    for (std::size_t i = 0; i < times.size(); ++i) paired[i] = paired[i] || earlier[i];
    if (result.assumed.empty()) result.assumed = text;
  };
  tell_rewritten(scale.reference, "reference", paired_y);
  tell_rewritten(scale.test, "test", paired_x);

  double farthest = 0;
  for (auto const& [i, j] : pairs) {
    paired_y[i] = paired_x[j] = true;
    auto time = time_of(axis_y, i);
    time.reference = std::int64_t(i);
    time.test = std::int64_t(j);
    result.times.push_back(std::move(time));
    double const apart = std::abs(scale.reference[i] - scale.test[j]);
    farthest = apart > time_rounding(scale.reference[i]) ? std::max(farthest, apart) : farthest;
  }
  if (farthest > 0) {
    result.apart = true;
    note(fmt::format("times matched with the nearest differ by up to {:.6g}{}", farthest,
                     axis_y.unit > 0 ? " s" : ""));
  }
  tell_left_out();
  return result;
}

}  // namespace ulpine::verification
