// SPDX-License-Identifier: Apache-2.0
#include "verification/files/feature_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/error.hpp"

namespace ulpine::verification {
namespace {

/// Moves features through a series. The velocities of the two latest records are kept.
class Drifting {
 public:
  Drifting(FeatureRecords& records, SeriesOptions const& options) : records_{records}, options_{options} {}

  std::vector<std::vector<lkf::Point>> moved(FeatureWindow const& window) {
    auto const& grid = records_.grid();
    std::vector<double> const still(static_cast<std::size_t>(grid.drift_rows * grid.drift_columns), 0.);
    points_ = lkf::advect(window.detection.features, {grid.drift_rows, grid.drift_columns, still, still});
    if (options_.rules == lkf::Rules::lkf_tools) {
      auto const interval = records_.files().seconds(1);
      for (std::int64_t step = 1; step <= options_.combine; ++step) {
        move(window.first + step, window.first + step, 0, interval);
      }
    } else {
      // From the middle of this window to that of the next, in halves of the intervals between records.
      auto const begin = 2 * window.first + options_.combine - 1;
      for (auto half = begin; half < begin + 2 * options_.combine; ++half) {
        auto const record = half / 2;
        auto const interval = records_.files().seconds(record + 1) - records_.files().seconds(record);
        move(record, record + 1, half % 2 == 0 ? 0.25 : 0.75, interval / 2);
      }
    }
    return std::move(points_);
  }

 private:
  /// Moves all points for `seconds` by (1 - share) of one record's velocity and `share` of the other's.
  void move(std::int64_t one, std::int64_t other, double share, double seconds) {
    auto const& a = velocity(one);
    auto const& b = velocity(other);
    auto const displacement = [&](std::vector<double> const& u, std::vector<double> const& v) {
      std::vector<double> result(u.size());
      for (std::size_t k = 0; k < u.size(); ++k) {
        result[k] = (share == 0 ? u[k] : (1 - share) * u[k] + share * v[k]) * seconds;
      }
      return result;
    };
    auto const along_rows = displacement(a.along_rows, b.along_rows);
    auto const along_columns = displacement(a.along_columns, b.along_columns);
    auto const& grid = records_.grid();
    lkf::advect(points_, {grid.drift_rows, grid.drift_columns, along_rows, along_columns}, options_.rules);
  }

  /// Of two records after each other both stay.
  CellVelocity const& velocity(std::int64_t record) {
    auto& [number, velocity] = kept_[static_cast<std::size_t>(record % 2)];
    if (number != record) {
      velocity = records_.velocity(record);
      number = record;
    }
    return velocity;
  }

  FeatureRecords& records_;
  SeriesOptions const& options_;
  std::vector<std::vector<lkf::Point>> points_;
  std::array<std::pair<std::int64_t, CellVelocity>, 2> kept_{
      {{-1, {}}, {-1, {}}}};  ///< of even and of odd records
};

/// Checks that a series can be cut and followed; its number of windows and notes.
SeriesMethod method_of(FeatureRecords const& records, SeriesOptions const& options) {
  auto const count = records.files().count();
  if (count < options.combine) {
    throw InputError(fmt::format("--combine: {} records are wanted in each window (there are {}) take fewer",
                                 options.combine, count));
  }
  if (options.follow && !records.files().in_order()) {
    throw InputError(
        "--track: the records have no times that grow from each to the next (the drift between them has to "
        "be "
        "known) write times with their units into the files, and give the files in the order of time");
  }
  SeriesMethod method{options.rules,
                      lkf::parameters_on(options.parameters, records.grid().spacing_km),
                      records.grid().spacing_km,
                      options.combine,
                      options.follow,
                      0,
                      records.grid().notes};
  if (options.rules == lkf::Rules::lkf_tools) {
    method.windows = (count + options.combine - 1) / options.combine;
    if (options.combine > 1) {
      method.notes.push_back(fmt::format(
          "windows begin a record after each other, as in lkf_tools, so that records from {} on are not "
          "looked at",
          method.windows + options.combine - 1));
    }
  } else {
    method.windows = count / options.combine;
    if (auto const rest = count % options.combine; rest > 0) {
      method.notes.push_back(
          fmt::format("the last {} of {} records fill no window and were left out", rest, count));
    }
  }
  return method;
}

}  // namespace

SeriesMethod detect_series(FeatureRecords& records, SeriesOptions const& options, WindowTaker const& take) {
  auto const method = method_of(records, options);
  auto const& grid = records.grid();
  Drifting drifting{records, options};
  lkf::Lineage lineage;
  std::vector<std::vector<lkf::Point>> moved;
  for (std::int64_t number = 0; number < method.windows; ++number) {
    FeatureWindow window;
    window.first = number * (options.rules == lkf::Rules::lkf_tools ? 1 : options.combine);
    window.last = window.first + options.combine - 1;
    window.first_second = records.files().seconds(window.first);
    window.last_second = records.files().seconds(window.last);
    std::vector<std::vector<double>> totals;
    DeformationRates rates;
    for (auto record = window.first; record <= window.last; ++record) {
      rates = records.rates(record);
      totals.push_back(std::move(rates.total));
    }
    std::vector<lkf::Field> days;
    std::vector<std::int64_t> empty;
    for (auto const& total : totals) {
      if (std::ranges::all_of(total, [](double x) { return std::isnan(x); })) {
        empty.push_back(window.first + static_cast<std::int64_t>(days.size()));
      }
      days.push_back({grid.rows, grid.columns, total, grid.spacing_km.value_or(1)});
    }
    window.detection = lkf::detect(days, method.parameters, options.rules);
    for (auto const record : empty) {
      window.detection.notes.push_back(
          fmt::format("record {} has no values, so its window has no features", record));
    }
    if (options.follow) {
      if (number > 0) {
        window.tracks = lkf::track(moved, window.detection.features, grid.drift_rows, grid.drift_columns,
                                   options.tracking, options.rules);
      }
      window.descents = lineage.next(window.detection.features.size(), window.tracks);
      if (number + 1 < method.windows) moved = drifting.moved(window);
    }
    take(method, window, rates);
  }
  return method;
}

}  // namespace ulpine::verification
