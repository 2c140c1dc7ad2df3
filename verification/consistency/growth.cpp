// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/consistency/distances.hpp"
#include "verification/consistency/method.hpp"
#include "verification/statistics/distributions.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification::consistency {

GrowthRate growth_rate(std::span<double const> times, std::span<double const> differences, double largest) {
  GrowthRate growth;
  std::size_t first = 0;
  while (first < times.size() && !(differences[first] > 0)) ++first;
  auto last = first;
  while (last < times.size() && differences[last] > 0 && differences[last] < largest) ++last;
  if (last - first < 3) return growth;
  auto const count = double(last - first);
  double mean_time = 0, mean_log = 0;
  for (auto i = first; i < last; ++i) {
    mean_time += times[i] / count;
    mean_log += std::log(differences[i]) / count;
  }
  double product = 0, square = 0;
  for (auto i = first; i < last; ++i) {
    product += (times[i] - mean_time) * (std::log(differences[i]) - mean_log);
    square += (times[i] - mean_time) * (times[i] - mean_time);
  }
  growth.rate = product / square;
  growth.offset = std::log(differences[first]);
  growth.first = first;
  growth.last = last - 1;
  growth.known = true;
  return growth;
}

namespace {

constexpr char const* growth_method = "growth";

/// Root mean square differences of runs to the unperturbed one, of one variable: [run][time].
std::vector<std::vector<double>> differences_of(Runs const& runs, Runs const& ensemble,
                                                std::size_t variable) {
  auto const& info = ensemble.summary->variables[variable];
  std::vector<std::vector<double>> differences;
  for (std::size_t run = 0; run < runs.summary->members.size(); ++run) {
    auto& series = differences.emplace_back();
    for (std::size_t time = 0; time < ensemble.summary->times.size(); ++time) {
      series.push_back(rms_difference(
          info.levels * info.points,
          [&](std::int64_t first, std::span<double> values) {
            runs.fields->read(run, variable, time, first, values);
          },
          [&](std::int64_t first, std::span<double> values) {
            ensemble.fields->read_unperturbed(variable, time, first, values);
          },
          [&](std::int64_t first, std::span<double> weights) {
            ensemble.fields->read_weights(variable, first, weights);
          }));
    }
  }
  return differences;
}

void add_lines(Figure& figure, std::vector<std::vector<double>> const& differences,
               std::vector<double> const& times, std::string const& kind, EnsembleSummary const& runs) {
  for (std::size_t run = 0; run < differences.size(); ++run)
    figure.lines.push_back({runs.members[run].name, kind, times, differences[run]});
}

}  // namespace

Outcome perturbation_growth(Task const& task) {
  auto& parameters = task.parameters;
  auto const saturation = parameters.number("saturation", 0.1, 1e-6, 1);
  auto const faster = parameters.number("factor", 10, 1, 1e6);
  auto const doubt = parameters.number("doubt", doubtful, 0, 1);
  parameters.reject_unknown();
  auto const& request = task.request;
  auto const& ensemble = *request.ensemble.summary;
  auto const& tests = *request.tests.summary;
  if (request.ensemble.fields == nullptr || request.tests.fields == nullptr)
    return not_applied(growth_method, "a summary file has no fields (name the folder of the files instead)");
  if (!ensemble.unperturbed)
    return not_applied(growth_method, "there is no run without noise (name it by --unperturbed)");
  if (ensemble.times.size() < 4)
    return not_applied(growth_method,
                       fmt::format("{} output times (a rate of growth needs 4)", ensemble.times.size()));
  constexpr std::size_t fewest = 4;
  if (ensemble.members.size() < fewest) {
    return without_power(growth_method,
                         fmt::format("{} members ({} are the least whose rates have a spread)",
                                     ensemble.members.size(), fewest),
                         fewest, "members");
  }

  Outcome outcome;
  outcome.method = growth_method;
  outcome.nominal_rate = task.rate;
  auto const comparisons = double(ensemble.variables.size() * tests.members.size());
  auto const n = double(ensemble.members.size());
  auto const factor = student_quantile(1 - task.rate / comparisons, n - 1) * std::sqrt(1 + 1 / n);
  std::string told;
  double least_adjusted = 1;
  for (std::size_t v = 0; v < ensemble.variables.size(); ++v) {
    auto const& name = ensemble.variables[v].name;
    auto const of_members = differences_of(request.ensemble, request.ensemble, v);
    auto const of_tests = differences_of(request.tests, request.ensemble, v);
    double largest = 0;
    for (auto const& series : of_members) largest = std::max(largest, *std::ranges::max_element(series));
    std::vector<double> rates, offsets;
    for (auto const& series : of_members) {
      if (auto const growth = growth_rate(ensemble.times, series, saturation * largest); growth.known) {
        rates.push_back(growth.rate);
        offsets.push_back(growth.offset);
      }
    }
    Figure figure{"growth_" + name,
                  "Root mean square difference to the run without noise: " + name,
                  "time (s)",
                  ensemble.variables[v].units,
                  "linear",
                  "log",
                  {},
                  {}};
    add_lines(figure, of_members, ensemble.times, "ensemble", ensemble);
    add_lines(figure, of_tests, ensemble.times, "test", tests);
    outcome.figures.push_back(std::move(figure));
    if (rates.size() < fewest) {
      outcome.findings.push_back({.subject = name,
                                  .note = "left out: members have no phase of growth before they saturate "
                                          "(output more often, or smaller noise)"});
      continue;
    }
    auto const [mean, sd, count] = moments(rates);
    auto const mean_offset = moments(offsets).mean;
    // Two rates that are nearer than their own errors of fit are not told apart: a hundredth is added.
    auto const error = std::hypot(sd, 0.01 * std::abs(mean));
    auto const limit = mean + factor * error;
    auto const half = student_quantile(0.975, double(count) - 1) * sd / std::sqrt(double(count));
    for (std::size_t run = 0; run < of_tests.size(); ++run) {
      auto const growth = growth_rate(ensemble.times, of_tests[run], saturation * largest);
      Finding finding;
      finding.subject = name + ", " + tests.members[run].name;
      finding.limit = limit;
      if (growth.known) {
        finding.value = growth.rate;
        finding.rejected = growth.rate > limit;
        finding.p =
            distributions::student_t_above((growth.rate - mean) / (error * std::sqrt(1 + 1 / n)), n - 1);
        finding.adjusted_p = task.adjusted(std::min(1.0, *finding.p * comparisons));
        least_adjusted = std::min(least_adjusted, *finding.adjusted_p);
        finding.note = fmt::format("members {:.4g} +- {:.2g} 1/s; begins {:.3g} times as large as theirs",
                                   mean, half, std::exp(growth.offset - mean_offset));
      } else {
        // No phase of growth of its own: equal bits, or saturated from the start.
        auto const first = of_tests[run][0] > 0
                               ? of_tests[run][0]
                               : of_tests[run][std::min<std::size_t>(1, of_tests[run].size() - 1)];
        finding.rejected = first > faster * std::max(saturation * largest, std::exp(mean_offset));
        finding.note = std::ranges::all_of(of_tests[run], [](double x) { return x == 0; })
                           ? "same values as the run without noise"
                           : "larger than the ensemble's growth from the start";
      }
      outcome.findings.push_back(std::move(finding));
    }
    if (told.empty()) told = fmt::format("{}: members grow by {:.4g} +- {:.2g} 1/s", name, mean, half);
  }
  if (told.empty())
    return without_power(growth_method, "no variable of the members grows from small differences",
                         std::int64_t(fewest), "members with smaller noise");
  auto const rejected = std::ranges::count_if(outcome.findings, &Finding::rejected);
  std::ranges::stable_sort(outcome.findings, std::greater<>(), [](Finding const& f) {
    return f.value && f.limit ? *f.value / std::max(*f.limit, 1e-300) : (f.rejected ? 1e300 : -1);
  });
  outcome.answer = rejected > 0              ? Answer::different
                   : least_adjusted <= doubt ? Answer::undecided
                                             : Answer::consistent;
  outcome.statement = fmt::format(
      "{} of {} differences grow faster than those of members ({}; limit {:.3g} standard deviations)",
      rejected, outcome.findings.size(), told, factor);
  if (outcome.answer == Answer::undecided) {
    outcome.members_needed = std::int64_t(2 * ensemble.members.size());
    outcome.needed_of = "members";
    outcome.statement += fmt::format(
        "; adjusted p = {:.2g}, more than chance often makes, too little to be called a difference: {} "
        "members "
        "would probably decide",
        least_adjusted, *outcome.members_needed);
  }
  outcome.parameters = parameters.used();
  return outcome;
}

}  // namespace ulpine::verification::consistency
