// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/stops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpine::ensembles {
namespace {

constexpr auto never = std::numeric_limits<double>::infinity();

/// Limits the ratio of consecutive pauses between stops. The longer one is cut if it is more than twice as
/// many times the shorter one: what is cut off, and what is left, are so many times the shorter one at least,
/// and a pause that is not cut is less than 800 times its neighbour, and so are the steps within.
constexpr double most_ratio = 400;

}  // namespace

Stops::Stops(double step, double interval, double end, std::vector<Recurrence> const& own)
    : step_{step}, interval_{interval}, end_{end} {
  if (step > 0) return;
  if (interval > 0) series_.push_back({io::Multiples(interval), never});
  for (auto const& [every, until] : own) series_.push_back({io::Multiples(every), until});
}

Stops::Stops(Model const& model, double interval, double end)
    : Stops(model.time_step(), interval, end, model.recurrences()) {}

double Stops::next_output(double now) const {
  if (!(interval_ > 0)) return end_;
  if (step_ > 0) {
    auto const steps = std::llround(now / step_), between = std::llround(interval_ / step_);
    return std::min(io::Multiples(step_).at((steps / between + 1) * between), end_);
  }
  return std::min(series_.front().times.next_after(now), end_);
}

double Stops::next(double now) const {
  if (step_ > 0) return next_output(now);
  auto const after = [&](double time) {
    auto const next = first_after(time);
    return end_ > time ? std::min(next, end_) : next;
  };
  auto begin = std::max(latest(now, true), 0.0), end = after(now);
  auto behind = begin - latest(begin, false), ahead = after(end) - end;
  auto const grade = [&](double pause) { return end - begin >= 2 * most_ratio * pause; };
  if (grade(behind) && grade(ahead)) {
    auto const middle = begin + (end - begin) / 2;
    if (now < middle) {
      end = middle;
      ahead = never;
    } else {
      begin = middle;
      behind = never;
    }
  }
  while (grade(ahead)) {
    ahead *= most_ratio;
    auto const cut = end - ahead;
    if (now >= cut) return end;
    end = cut;
  }
  while (grade(behind)) {
    behind *= most_ratio;
    begin += behind;
    if (now < begin) return begin;
  }
  return end;
}

bool Stops::recurs(double time) const { return step_ > 0 || latest(time, true) == time; }

double Stops::latest(double time, bool inclusive) const {
  auto found = -never;
  for (auto const& [times, until] : series_) {
    auto k = times.count(std::min(time, until));
    auto stop = times.at(k);
    if (!inclusive && stop == time) stop = k > 0 ? times.at(k - 1) : -never;
    found = std::max(found, stop);
  }
  return found;
}

double Stops::first_after(double time) const {
  auto found = never;
  for (auto const& [times, until] : series_) {
    if (auto const next = times.next_after(time); next <= until) found = std::min(found, next);
  }
  return found;
}

}  // namespace ulpine::ensembles
