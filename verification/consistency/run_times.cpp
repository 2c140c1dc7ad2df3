// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/run_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/instants.hpp"
#include "verification/comparison/matching.hpp"

namespace ulpine::verification::consistency {
namespace {

/// Rounding error of an instant as a double, s: a millisecond for dates of today.
double rounding_of(double instant) { return 1e-12 * std::abs(instant); }

}  // namespace

TimeScale scale_of(io::TimeAxis const& axis) {
  TimeScale scale;
  if (has_dates(axis)) scale.calendar = axis.known_calendar;
  scale.in_seconds = axis.unit > 0;
  return scale;
}

std::string misfit_of_times(io::TimeAxis const& reference, io::TimeAxis const& run) {
  if (reference.stored.empty() && run.stored.empty()) return {};
  if (reference.stored.empty() || run.stored.empty())
    return run.stored.empty() ? "has no times" : "has times";
  auto const same_words = reference.units == run.units && reference.calendar == run.calendar;
  if (has_dates(reference) != has_dates(run) || (run.dated && !has_dates(run) && !same_words)) {
    if (has_dates(run)) return fmt::format("its times ('{}') are dates", run.units);
    auto const calendar = run.calendar.empty() ? "" : fmt::format(", calendar '{}'", run.calendar);
    return fmt::format("its times ('{}'{}) cannot be read as dates", run.units, calendar);
  }
  // Without its own remedy.
  if (auto const refusal = time_refusal(reference, run); !refusal.empty())
    return refusal.substr(0, refusal.find(" ("));
  if (reference.has_coordinate != run.has_coordinate || reference.units.empty() != run.units.empty())
    return run.units.empty() ? "its times have no units"
                             : fmt::format("its times have units ('{}')", run.units);
  return {};
}

std::vector<Moment> in_order_of_time(std::vector<Moment> moments, std::size_t& twice) {
  std::erase_if(moments, [](Moment const& moment) { return !std::isfinite(moment.instant); });
  std::ranges::stable_sort(moments, {}, &Moment::instant);
  std::vector<Moment> kept;
  for (auto const& moment : moments) {
    if (kept.empty() || moment.instant - kept.back().instant > rounding_of(moment.instant)) {
      kept.push_back(moment);
      continue;
    }
    ++twice;
    auto const written = [](Moment const& m) { return std::pair(m.file, m.time); };
    if (written(moment) > written(kept.back())) kept.back() = moment;
  }
  return kept;
}

}  // namespace ulpine::verification::consistency
