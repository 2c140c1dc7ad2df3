// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/run_times.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ulpine::ensembles {

void RunTimes::add(std::string kind) { runs_.push_back({std::move(kind)}); }

void RunTimes::waited(std::size_t run, double seconds) {
  runs_.at(run).state = State::running;
  runs_[run].seconds = seconds;
}

void RunTimes::went_on(std::size_t run, double seconds, double fraction) {
  constexpr double early = 0.05;
  waited(run, seconds);
  auto& of = runs_[run];
  of.fraction = fraction;
  of.seen_s = seconds;
  if (of.early_s == 0 && fraction >= early) of.early_s = seconds / fraction;
}

void RunTimes::ended(std::size_t run, double seconds) {
  auto& of_kind = ended_[runs_.at(run).kind];
  of_kind.sum_s += seconds;
  ++of_kind.count;
  longest_s_ = std::max(longest_s_, seconds);
  dropped(run);
}

void RunTimes::dropped(std::size_t run) { runs_.at(run).state = State::over; }

std::optional<double> RunTimes::known_of_kind(std::string const& kind) const {
  if (auto const found = ended_.find(kind); found != ended_.end()) return found->second.mean_s();
  std::optional<double> slowest;
  for (auto const& run : runs_) {
    if (run.state != State::running || run.kind != kind || !(run.fraction > 0)) continue;
    slowest = std::max(slowest.value_or(0), run.seen_s / run.fraction);
  }
  return slowest;
}

double RunTimes::remaining(int together) const {
  // A run of a kind without a known duration is taken to last as long as the mean of the known kinds.
  std::map<std::string, double> known;
  double sum = 0;
  for (auto const& run : runs_) {
    if (known.contains(run.kind)) continue;
    if (auto const seconds = known_of_kind(run.kind)) sum += known[run.kind] = *seconds;
  }
  double work = 0, longest = 0;
  for (auto const& run : runs_) {
    if (run.state == State::over) continue;
    if (known.empty()) return std::numeric_limits<double>::infinity();
    auto const found = known.find(run.kind);
    auto whole = found != known.end() ? found->second : sum / static_cast<double>(known.size());
    if (run.state == State::running && run.fraction > 0) whole = run.seen_s / run.fraction;
    auto const left = std::max(whole - (run.state == State::running ? run.seconds : 0), 0.0);
    work += left;
    longest = std::max(longest, left);
  }
  return std::max(work / std::max(together, 1), longest);
}

std::optional<RunTimes::Overdue> RunTimes::overdue(std::size_t run, double factor) const {
  auto const& of = runs_.at(run);
  if (of.state != State::running) return {};
  auto const found = ended_.find(of.kind);
  auto const expected = found != ended_.end() ? found->second.mean_s()
                        : of.early_s > 0      ? of.early_s
                                              : longest_s_;
  if (!(expected > 0) || of.seconds < least_overdue_s || of.seconds <= factor * expected) return {};
  return Overdue{of.seconds, expected};
}

}  // namespace ulpine::ensembles
