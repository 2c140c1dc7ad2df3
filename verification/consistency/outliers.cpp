// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "verification/consistency/beyond.hpp"
#include "verification/consistency/points.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr char const* outliers_method = "outliers";
constexpr std::size_t fewest = 5;
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();  // of values
constexpr double farthest = 1e300;

/// Mean and sum of squares about it, of members.
struct Spread {
  double mean = 0, squares = 0, largest = 0;

  explicit Spread(std::span<double const> members) {
    for (auto const value : members) {
      mean += value / double(members.size());
      largest = std::max(largest, std::abs(value));
    }
    for (auto const value : members) squares += (value - mean) * (value - mean);
  }
  double deviation(std::size_t members) const { return std::sqrt(squares / (double(members) - 1)); }
  /// Distance of a member from the mean of the others, in their standard deviations; `more` is added to
  /// these.
  double of_member(double value, std::size_t members, double more) const {
    auto const n = double(members), apart = value - mean;
    auto const others = std::max(squares - apart * apart * n / (n - 1), 0.0) / (n - 2);
    return std::abs(apart) * n / (n - 1) / (std::sqrt(others) + more);
  }
  double of_run(double value, std::size_t members, double more) const {
    return std::min(std::abs(value - mean) / (deviation(members) + more), farthest);
  }
};

/// Where a run is farthest from members.
struct Farthest {
  double distance = 0;
  std::string place;
};

/// Whether half of the values or more are one and the same, as those of a field that is clipped are.
bool is_clipped(std::vector<double> values) {
  std::ranges::sort(values);
  auto const half = values.size() / 2;
  for (std::size_t i = 0; i + half < values.size(); ++i) {
    if (values[i] == values[i + half]) return true;
  }
  return false;
}

/// The farthest of all checks of one kind, of each run.
class Distances {
 public:
  Distances(std::size_t members, std::size_t runs) : members_(members, 0), runs_(runs) {}
  std::span<double> members() { return members_; }
  std::vector<Farthest>& runs() { return runs_; }
  bool any() const {
    return std::ranges::any_of(members_, [](double d) { return d > 0; });
  }
  BeyondTail judged(double rate) const {
    std::vector<double> distances;
    for (auto const& run : runs_) distances.push_back(run.distance);
    return beyond_tail(members_, distances, rate);
  }
  /// One check: the values of all runs, and what is added to the members' standard deviation.
  template <class Place>
  void add(std::span<double const> members, std::span<double const> runs, double more, Place const& place) {
    Spread const spread(members);
    more += rounding * spread.largest;
    for (std::size_t i = 0; i < members.size(); ++i)
      members_[i] = std::max(members_[i], spread.of_member(members[i], members.size(), more));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!std::isfinite(runs[i])) continue;  // `values` has told it
      auto const distance = spread.of_run(runs[i], members.size(), more);
      if (distance > runs_[i].distance) runs_[i] = {distance, place()};
    }
  }

 private:
  std::vector<double> members_;
  std::vector<Farthest> runs_;
};

class Outliers final : public PointMethod {
 public:
  explicit Outliers(Task const& task)
      : task_{task},
        doubt_{task.parameters.number("doubt", doubtful, 0, 1)},
        ensemble_{*task.request.ensemble.summary},
        tests_{*task.request.tests.summary},
        of_fields_(ensemble_.members.size(), tests_.members.size()),
        of_points_(ensemble_.members.size(), tests_.members.size()) {
    task.parameters.reject_unknown();
  }
  bool wants_points() const override {
    return ensemble_.members.size() >= fewest && task_.request.ensemble.fields != nullptr &&
           task_.request.tests.fields != nullptr;
  }
  void end_variable(std::size_t) override {}
  void look_at(PointBlock const& block) override;
  Outcome outcome() override;

 private:
  std::string place_of(std::size_t variable, std::optional<std::size_t> time, std::string const& what) const {
    auto const& name = ensemble_.variables[variable].name;
    auto const at = time ? ensemble_.time_text(*time) : std::string("all times in the mean");
    return name + what + (at.empty() ? "" : ", at " + at);
  }
  void look_at_summaries();
  void add_levels(std::size_t variable, std::size_t time);
  void add_totals(std::size_t variable, std::span<std::size_t const> times, std::optional<std::size_t> time);

  Task const& task_;
  double doubt_;
  EnsembleSummary const& ensemble_;
  EnsembleSummary const& tests_;
  Distances of_fields_, of_points_;
  std::vector<double> deviations_, means_, values_;  ///< of a block's points
};

/// Minimum, mean and maximum of each level.
void Outliers::add_levels(std::size_t variable, std::size_t time) {
  static constexpr char const* names[] = {"minimum", "mean", "maximum"};
  auto const& info = ensemble_.variables[variable];
  auto const values_of = [&](std::vector<RunSummary> const& runs, std::size_t k, int number) {
    std::vector<double> values;
    for (auto const& run : runs) {
      auto const& level = run.variables[variable][time].levels[k];
      values.push_back(number == 0 ? level.min : number == 1 ? level.mean : level.max);
    }
    return values;
  };
  for (std::size_t k = 0; k < std::size_t(info.levels); ++k) {
    std::vector<double> members[3];
    double widest = 0;
    for (int number = 0; number < 3; ++number) {
      members[number] = values_of(ensemble_.members, k, number);
      if (std::ranges::all_of(members[number], [](double x) { return std::isfinite(x); }))
        widest = std::max(widest, Spread(members[number]).deviation(members[number].size()));
    }
    if (widest == 0) continue;
    for (int number = 0; number < 3; ++number) {
      auto const& values = members[number];
      if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) continue;
      of_fields_.add(values, values_of(tests_.members, k, number), is_clipped(values) ? widest : 0, [&] {
        auto const level = info.levels > 1 ? fmt::format(" level {}", k) : std::string();
        return place_of(variable, time, fmt::format("{}, {}", level, names[number]));
      });
    }
  }
}

/// The mean over all levels, at one time or over all.
void Outliers::add_totals(std::size_t variable, std::span<std::size_t const> times,
                          std::optional<std::size_t> time) {
  auto const values_of = [&](std::vector<RunSummary> const& runs) {
    std::vector<double> values;
    for (auto const& run : runs) {
      double sum = 0;
      for (auto const t : times) sum += run.variables[variable][t].mean / double(times.size());
      values.push_back(sum);
    }
    return values;
  };
  auto const members = values_of(ensemble_.members);
  if (!std::ranges::all_of(members, [](double x) { return std::isfinite(x); }) || is_clipped(members)) return;
  of_fields_.add(members, values_of(tests_.members), 0, [&] { return place_of(variable, time, ", mean"); });
}

void Outliers::look_at_summaries() {
  for (std::size_t v = 0; v < ensemble_.variables.size(); ++v) {
    auto const times = judged_times(task_.request, v);
    if (!task_.request.mean_alone) {
      for (auto const& time : times) {
        add_levels(v, time);
        if (ensemble_.variables[v].levels > 1) add_totals(v, std::span(&time, 1), time);
      }
    }
    if (times.size() > 1 || task_.request.mean_alone) add_totals(v, times, {});
  }
}

void Outliers::look_at(PointBlock const& block) {
  auto const n = ensemble_.members.size(), m = tests_.members.size();
  means_.assign(block.points, 0);
  deviations_.assign(block.points, 0);
  for (std::size_t i = 0; i < n; ++i) {
    auto const* values = block.run(i);
    for (std::size_t p = 0; p < block.points; ++p) means_[p] += values[p] / double(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    auto const* values = block.run(i);
    for (std::size_t p = 0; p < block.points; ++p)
      deviations_[p] += (values[p] - means_[p]) * (values[p] - means_[p]);
  }
  // Half of what points of the level have in the mean is added to each: one that hardly varies, as rain in
  // a desert, would else decide alone.
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t p = 0; p < block.points; ++p) {
    if (!std::isfinite(deviations_[p])) continue;
    sum += std::sqrt(deviations_[p] / (double(n) - 1));
    ++count;
  }
  if (!(sum > 0)) return;
  auto const more = sum / double(count) / 2;
  auto const factor = double(n) / (double(n) - 1);
  auto members = of_points_.members();
  for (std::size_t i = 0; i < n; ++i) {
    auto const* values = block.run(i);
    double worst = members[i];
    for (std::size_t p = 0; p < block.points; ++p) {
      auto const apart = std::abs(values[p] - means_[p]) * factor;
      // NaN compares as false.
      if (!(apart > worst * more)) continue;
      auto const others = std::max(deviations_[p] - apart * apart / factor, 0.0) / (double(n) - 2);
      worst = std::max(worst, apart / (std::sqrt(others) + more));
    }
    members[i] = worst;
  }
  for (std::size_t i = 0; i < m; ++i) {
    auto const* values = block.run(n + i);
    auto& run = of_points_.runs()[i];
    for (std::size_t p = 0; p < block.points; ++p) {
      auto const apart = std::abs(values[p] - means_[p]);
      if (!(apart > run.distance * more) || !std::isfinite(apart)) continue;
      auto const distance = apart / (std::sqrt(deviations_[p] / (double(n) - 1)) + more);
      if (!(distance > run.distance)) continue;
      auto const number = block.first + std::int64_t(p);
      auto const of_level = ensemble_.variables[block.variable].points;
      auto const level = ensemble_.variables[block.variable].levels > 1
                             ? fmt::format(" level {}", number / of_level)
                             : std::string();
      run = {std::min(distance, farthest),
             place_of(block.variable, block.time, fmt::format("{}, point {}", level, number % of_level))};
    }
  }
}

Outcome Outliers::outcome() {
  auto const n = ensemble_.members.size(), m = tests_.members.size();
  if (n < fewest) {
    return without_power(
        outliers_method,
        fmt::format("{} members ({} are the least that tell how far one may lie from the others)", n, fewest),
        std::int64_t(fewest), "members");
  }
  look_at_summaries();
  if (!of_fields_.any() && !of_points_.any())
    return not_applied(outliers_method, "no variable varies within the ensemble");
  Outcome outcome;
  outcome.method = outliers_method;
  outcome.nominal_rate = task_.rate;
  auto const both = of_fields_.any() && of_points_.any();
  BeyondTail least;
  Farthest worst;
  std::string worst_run;
  for (auto* distances : {&of_fields_, &of_points_}) {
    if (!distances->any()) continue;
    auto beyond = distances->judged(task_.rate / (both ? 2 : 1));
    beyond.p = std::min(1.0, beyond.p * (both ? 2 : 1));
    for (std::size_t i = 0; i < m; ++i) {
      auto const& run = distances->runs()[i];
      Finding finding;
      finding.subject =
          tests_.members[i].name + (distances == &of_points_ ? ", points" : ", extremes and means");
      finding.value = run.distance;
      finding.limit = beyond.limit_of_one;
      finding.rejected = run.distance > beyond.limit_of_one;
      finding.note = "standard deviations of members: " + run.place;
      outcome.findings.push_back(std::move(finding));
    }
    if (beyond.p < least.p || worst_run.empty()) {
      least = beyond;
      auto const farthest_run =
          std::ranges::max_element(distances->runs(), {}, [](Farthest const& run) { return run.distance; });
      worst = *farthest_run;
      worst_run = tests_.members[std::size_t(farthest_run - distances->runs().begin())].name;
    }
  }
  std::ranges::stable_sort(outcome.findings, std::greater<>(),
                           [](Finding const& f) { return *f.value / *f.limit; });
  auto const p = task_.adjusted(least.p);
  outcome.findings.front().adjusted_p = p;
  auto const how =
      least.beyond == 1
          ? fmt::format("{} is {:.3g} standard deviations from members ({}; adjusted p = {:.2g})", worst_run,
                        worst.distance, worst.place, p)
          : fmt::format(
                "each of {} new runs is {:.3g} standard deviations from members or more "
                "(farthest: {} of {}; adjusted p = {:.2g})",
                least.beyond, least.value, worst.place, worst_run, p);
  if (least.p <= task_.rate) {
    outcome.answer = Answer::different;
    outcome.statement =
        how + fmt::format(": beyond the {:.3g} that members among themselves allow", least.limit);
  } else if (p <= doubt_) {
    outcome.answer = Answer::undecided;
    outcome.members_needed = std::int64_t(2 * n);
    outcome.needed_of = "members";
    outcome.statement = how + fmt::format(
                                  ": more than chance often makes, too little to be called a difference; "
                                  "{} members would probably decide",
                                  2 * n);
  } else {
    outcome.answer = Answer::consistent;
    outcome.statement = "no new run by itself is farther from members than they are from each other: " + how;
  }
  outcome.parameters = task_.parameters.used();
  return outcome;
}

}  // namespace

std::unique_ptr<PointMethod> outliers(Task const& task) { return std::make_unique<Outliers>(task); }

}  // namespace ulpine::verification::consistency
