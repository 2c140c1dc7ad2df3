// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/last_bits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace ulpine::verification::consistency {
namespace {

constexpr std::size_t fewest_members = 3;
constexpr double roundings = 4;  // units in the last place that a few operations make
constexpr int statistics_of_level = 3;
constexpr std::int64_t values_at_once = std::int64_t{1} << 20;  // values of a run held at once

double statistic_of(LevelSummary const& level, int number) {
  return number == 0 ? level.min : number == 1 ? level.mean : level.max;
}

/// The distance of members from each other, and of a new run from all of them, at one time.
struct Apart {
  double tolerance = 0;
  double members = 0;  ///< the largest difference between two
  std::vector<double>
      new_runs;  ///< the largest distance of each from all members; infinite: other points missing
};

/// Values of the members at one place, and how far others are from them.
class Range {
 public:
  void add(double value) {
    (std::isnan(value) ? missing_ : known_) = true;
    least_ = std::fmin(least_, value);
    most_ = std::fmax(most_, value);
  }
  /// Infinite where some have a value and others none.
  double width() const {
    return missing_ && known_ ? std::numeric_limits<double>::infinity() : known_ ? most_ - least_ : 0;
  }
  double distance(double value) const {
    if (std::isnan(value) != !known_) return std::numeric_limits<double>::infinity();
    return known_ ? std::max({value - most_, least_ - value, 0.0}) : 0;
  }

 private:
  bool missing_ = false, known_ = false;
  double least_ = std::numeric_limits<double>::quiet_NaN(), most_ = least_;
};

void widen(double& largest, double value) { largest = std::max(largest, value); }

/// The distances that the runs' summaries show.
Apart apart_in_summaries(EnsembleSummary const& ensemble, EnsembleSummary const& tests, std::size_t variable,
                         std::size_t time) {
  auto const& info = ensemble.variables[variable];
  Apart apart;
  apart.new_runs.resize(tests.members.size());
  double size = 0;
  for (std::size_t k = 0; k < std::size_t(info.levels); ++k) {
    auto const level_of = [&](RunSummary const& run) -> LevelSummary const& {
      return run.variables[variable][time].levels[k];
    };
    for (int number = 0; number < statistics_of_level; ++number) {
      Range range;
      for (auto const& run : ensemble.members) {
        auto const value = statistic_of(level_of(run), number);
        range.add(value);
        if (std::isfinite(value)) widen(size, std::abs(value));
        if (std::isinf(value)) widen(apart.members, std::numeric_limits<double>::infinity());
      }
      widen(apart.members, range.width());
      for (std::size_t run = 0; run < tests.members.size(); ++run)
        widen(apart.new_runs[run], range.distance(statistic_of(level_of(tests.members[run]), number)));
    }
  }
  auto const packed = info.type.step > 0 && info.type.step != 1;
  apart.tolerance =
      roundings * info.type.relative_rounding * size + (packed ? info.type.step * (1 + 1e-9) : 0);
  return apart;
}

/// Adds the distances of points to those of the summaries.
void add_points(Request const& request, std::size_t variable, std::size_t time, Apart& apart) {
  if (request.ensemble.fields == nullptr || request.tests.fields == nullptr) return;
  auto const& info = request.ensemble.summary->variables[variable];
  auto const size = info.levels * info.points;
  std::vector<double> values;
  for (std::int64_t first = 0; first < size; first += values_at_once) {
    values.resize(std::size_t(std::min(values_at_once, size - first)));
    std::vector<Range> ranges(values.size());
    for (std::size_t run = 0; run < request.ensemble.summary->members.size(); ++run) {
      request.ensemble.fields->read(run, variable, time, first, values);
      for (std::size_t i = 0; i < values.size(); ++i) ranges[i].add(values[i]);
    }
    for (auto const& range : ranges) widen(apart.members, range.width());
    if (apart.members > apart.tolerance) return;
    for (std::size_t run = 0; run < apart.new_runs.size(); ++run) {
      request.tests.fields->read(run, variable, time, first, values);
      for (std::size_t i = 0; i < values.size(); ++i)
        widen(apart.new_runs[run], ranges[i].distance(values[i]));
    }
  }
}

}  // namespace

bool differ_by_last_bits(EnsembleSummary const& ensemble, std::size_t variable, std::size_t time) {
  auto const apart = apart_in_summaries(ensemble, EnsembleSummary{}, variable, time);
  return apart.members <= apart.tolerance;
}

LastBits last_bits_of(Request const& request) {
  auto const& ensemble = *request.ensemble.summary;
  auto const& tests = *request.tests.summary;
  LastBits found;
  found.at_end.resize(ensemble.variables.size());
  found.always.resize(ensemble.variables.size());
  if (ensemble.members.size() < fewest_members) return found;
  for (std::size_t v = 0; v < ensemble.variables.size(); ++v) {
    auto const& variable = ensemble.variables[v];
    if (variable.type.name.empty()) continue;
    std::vector<Finding> findings;
    bool same = true, agree = true, at_end = false;
    double worst = 0;
    for (auto t = ensemble.times.size(); agree && t-- > 0;) {
      auto apart = apart_in_summaries(ensemble, tests, v, t);
      if (apart.members <= apart.tolerance) add_points(request, v, t, apart);
      agree = apart.members <= apart.tolerance;
      if (!agree) break;
      at_end = true;
      same = same && apart.members == 0;
      for (std::size_t run = 0; run < tests.members.size(); ++run) {
        auto const distance = apart.new_runs[run];
        widen(worst, distance);
        if (distance <= apart.tolerance) continue;
        auto const time = ensemble.time_text(t);
        Finding finding;
        finding.subject = variable.name + ", " + tests.members[run].name;
        finding.limit = apart.tolerance;
        finding.rejected = true;
        if (std::isfinite(distance)) finding.value = distance;
        finding.note = fmt::format("{} members, which agree to the last bit of {}{}{}",
                                   finding.value ? fmt::format("{:.3g} away from all", distance)
                                                 : std::string("other points are missing than in"),
                                   variable.type.name, time.empty() ? "" : ", at ", time);
        findings.push_back(std::move(finding));
      }
    }
    if (!at_end || (same && worst == 0)) continue;
    found.at_end[v] = true;
    found.always[v] = agree;
    auto const how = same ? std::string("are the same")
                          : fmt::format("differ by no more than the last bit of {}", variable.type.name);
    found.notes.push_back(fmt::format("{}: members {}{}, left out of pca, twosample, outliers{} fieldwise{}",
                                      variable.name, how, agree ? "" : " at the last time",
                                      agree ? ", tolerance," : " and", agree ? ", timestep and growth" : ""));
    found.reason += fmt::format("{}{}: members {}", found.reason.empty() ? "" : "; ", variable.name, how);
    std::ranges::stable_sort(findings, std::greater<>(), [](Finding const& f) {
      return f.value.value_or(std::numeric_limits<double>::infinity());
    });
    // One of each run: the worst time.
    for (auto& finding : findings) {
      if (std::ranges::find(found.findings, finding.subject, &Finding::subject) == found.findings.end())
        found.findings.push_back(std::move(finding));
    }
  }
  return found;
}

SelectedRuns::SelectedRuns(Runs const& runs, std::vector<bool> const& left_out) : given_{runs} {
  if (runs.summary == nullptr) return;
  fields_.given = runs.fields;
  for (std::size_t v = 0; v < left_out.size(); ++v) {
    if (left_out[v]) continue;
    fields_.kept.push_back(v);
    summary_.variables.push_back(runs.summary->variables[v]);
  }
  summary_.times = runs.summary->times;
  summary_.scale = runs.summary->scale;
  auto const selected = [&](RunSummary const& run) {
    RunSummary kept{run.name, {}};
    for (auto const v : fields_.kept) kept.variables.push_back(run.variables[v]);
    return kept;
  };
  for (auto const& run : runs.summary->members) summary_.members.push_back(selected(run));
  if (runs.summary->unperturbed) summary_.unperturbed = selected(*runs.summary->unperturbed);
}

}  // namespace ulpine::verification::consistency
