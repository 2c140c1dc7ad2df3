// SPDX-License-Identifier: Apache-2.0
#include "verification/sameness/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "verification/consistency/method.hpp"
#include "verification/metrics/nan.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification::sameness {
namespace {

constexpr double roundings = 4;       // units in the last place that a few operations make
constexpr double least_ratio = 1e-3;  // of which a logarithm is taken

/// A variable at one time: how far the run and each noisy run is from the reference.
struct Row {
  std::size_t variable = 0, time = 0;
  double run = 0, floor = 0, size = 0;
  std::vector<double> members;
  double decorrelation = 0;  ///< largest 1 - r of the noisy runs; NaN where unknown
};

Distance const* at_time(Series const& series, Distance const& wanted, std::size_t number) {
  if (std::isnan(wanted.time)) return number < series.times.size() ? &series.times[number] : nullptr;
  auto const found = std::ranges::lower_bound(series.times, wanted.time, {}, &Distance::time);
  return found != series.times.end() && found->time == wanted.time ? &*found : nullptr;
}

/// The size of a variable, as far as differing times tell it: the largest root mean square of the reference.
double size_of(std::string const& name, RunDistance const& run, std::vector<RunDistance> const& members) {
  double size = 0;
  auto const take = [&](RunDistance const& distances) {
    auto const* const series = distances.find(name);
    if (series == nullptr) return;
    for (auto const& distance : series->times) size = std::max(size, distance.rms_reference);
  };
  take(run);
  std::ranges::for_each(members, take);
  return size;
}

double floor_of(io::StoredType const& type, double size) {
  return type.step > 0 ? type.step : roundings * type.relative_rounding * size;
}

class Rows {
 public:
  Rows(RunDistance const& run, std::vector<RunDistance> const& members, NoiseAnswer& answer)
      : run_{run}, members_{members} {
    for (std::size_t v = 0; v < run.variables.size(); ++v) {
      auto const& series = run.variables[v];
      auto const size = size_of(series.name, run, members);
      for (std::size_t t = 0; t < series.times.size(); ++t) {
        if (auto row = row_of(v, t, size)) {
          rows_.push_back(std::move(*row));
        } else if (series.times[t].differing > 0 &&
                   (answer.not_held.empty() || answer.not_held.back() != series.name)) {
          answer.not_held.push_back(series.name);
        }
      }
    }
  }
  std::vector<Row> const& all() const { return rows_; }

 private:
  /// Nothing where a noisy run has no such time, or the variable sets in there in one run alone: it is zero
  /// in the reference and in all noisy runs but one, and of events that few runs have there is no statistic.
  std::optional<Row> row_of(std::size_t v, std::size_t t, double size) const {
    auto const& series = run_.variables[v];
    Row row;
    row.variable = v;
    row.time = t;
    row.run = series.times[t].rms;
    row.size = series.times[t].rms_reference;
    row.floor = floor_of(series.type, size);
    std::size_t differ = 0;
    for (auto const& member : members_) {
      auto const* const other = member.find(series.name);
      auto const* const distance = other == nullptr ? nullptr : at_time(*other, series.times[t], t);
      if (distance == nullptr || !distance->failure.empty()) return std::nullopt;
      row.members.push_back(distance->rms);
      differ += distance->rms > 0 ? 1 : 0;
      row.size = std::max(row.size, distance->rms_reference);
      row.decorrelation = std::isnan(distance->one_minus_r) || std::isnan(row.decorrelation)
                              ? nan
                              : std::max(row.decorrelation, distance->one_minus_r);
    }
    if (row.floor == 0 && differ == 1) return std::nullopt;
    return row;
  }

  RunDistance const& run_;
  std::vector<RunDistance> const& members_;
  std::vector<Row> rows_;
};

/// The largest ratio of a noisy run to the others, over all rows.
double largest_ratio(std::vector<Row> const& rows, std::size_t member) {
  double worst = least_ratio;
  for (auto const& row : rows) {
    double others = 0;
    for (std::size_t i = 0; i < row.members.size(); ++i) {
      if (i != member) others = std::max(others, row.members[i]);
    }
    if (row.members[member] > 0) worst = std::max(worst, row.members[member] / (others + row.floor));
  }
  return worst;
}

/// The ratio that one more noisy run exceeds at the rate.
double limit_of(std::vector<Row> const& rows, std::size_t members) {
  std::vector<double> logarithms;
  for (std::size_t i = 0; i < members; ++i) logarithms.push_back(std::log(largest_ratio(rows, i)));
  auto const [mean, sd, count] = moments(logarithms);
  auto const quantile = consistency::student_quantile(1 - false_alarm_rate, double(count) - 1);
  return std::max(1.0, std::exp(mean + quantile * sd * std::sqrt(1 + 1 / double(count))));
}

/// Whether a run that has nothing in common with the reference would be beyond the limit: its difference is
/// sqrt(2) standard deviations, that of a noisy run sqrt(2 (1 - r)).
bool would_tell(Row const& row, double limit) {
  if (!std::isnan(row.decorrelation)) return limit * std::sqrt(row.decorrelation) < 1;
  auto const largest = *std::ranges::max_element(row.members);
  return row.size > 0 && limit * largest < row.size;
}

}  // namespace

NoiseCheck const* NoiseAnswer::worst() const {
  auto const found = std::ranges::max_element(checks, {}, &NoiseCheck::ratio);
  return found == checks.end() ? nullptr : &*found;
}

NoiseCheck const* NoiseAnswer::first_beyond(RunDistance const& run) const {
  NoiseCheck const* first = nullptr;
  auto const time = [&](NoiseCheck const& check) {
    return run.variables[check.variable].times[check.time].time;
  };
  for (auto const& check : checks) {
    if (check.ratio > limit && (first == nullptr || time(check) < time(*first))) first = &check;
  }
  return first;
}

NoiseCheck const* NoiseAnswer::sharpest() const {
  NoiseCheck const* sharpest = nullptr;
  for (auto const& check : checks) {
    if (std::isnan(check.least_noticed)) continue;
    if (sharpest == nullptr || check.least_noticed < sharpest->least_noticed) sharpest = &check;
  }
  return sharpest;
}

NoiseAnswer against_noise(RunDistance const& run, std::vector<RunDistance> const& members) {
  NoiseAnswer answer;
  answer.members = std::int64_t(members.size());
  if (answer.members < fewest_members) {
    auto const more = fewest_members - answer.members;
    answer.without_power =
        fmt::format("{} noisy {} of the reference ({} are the least that a limit is made from)",
                    answer.members, answer.members == 1 ? "run" : "runs", fewest_members);
    answer.remedy = fmt::format("{} more {} of the reference with noise", more, more == 1 ? "run" : "runs");
    return answer;
  }
  Rows const rows(run, members, answer);
  answer.limit = limit_of(rows.all(), members.size());
  // Of a variable that noise does not touch, as the height of mountains, no model has another.
  std::vector<char> touched(run.variables.size());
  for (auto const& row : rows.all()) {
    if (*std::ranges::max_element(row.members) > row.floor) touched[row.variable] = 1;
  }
  bool tells = false;
  for (auto const& row : rows.all()) {
    NoiseCheck check{row.variable, row.time};
    check.largest = *std::ranges::max_element(row.members) + row.floor;
    check.ratio = row.run == 0        ? 0
                  : check.largest > 0 ? row.run / check.largest
                                      : std::numeric_limits<double>::infinity();
    check.least_noticed = row.size > 0 ? answer.limit * check.largest / row.size : nan;
    answer.checks.push_back(check);
    tells = tells || (touched[row.variable] != 0 && would_tell(row, answer.limit));
  }
  if (std::ranges::find(touched, 1) == touched.end()) {
    answer.without_power = "the noise shows in no output beyond the rounding of the file";
    answer.remedy = "noisy runs that are longer, of larger noise, or with output in double";
  } else if (!tells) {
    answer.without_power =
        "the noisy runs are as far from the reference as any other run, at all output times and in all "
        "variables";
    answer.remedy = "output before the noise has grown, or smaller noise";
  } else {
    answer.remedy =
        fmt::format("{} more runs of the reference with noise, which bring the tolerated factor {:.3g} down",
                    answer.members, answer.limit);
  }
  return answer;
}

}  // namespace ulpine::verification::sameness
