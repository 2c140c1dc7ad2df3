// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "verification/consistency/distances.hpp"
#include "verification/consistency/method.hpp"
#include "verification/statistics/distributions.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr char const* timestep_method = "timestep";

/// Distance of run `run` to the true run of the same number, over time.
std::vector<double> distances_to_truth(Runs const& runs, Runs const& truth, std::size_t run,
                                       std::size_t variable) {
  auto const& info = truth.summary->variables[variable];
  std::vector<double> distances;
  for (std::size_t time = 0; time < truth.summary->times.size(); ++time) {
    distances.push_back(rms_difference(
        info.levels * info.points,
        [&](std::int64_t first, std::span<double> values) {
          runs.fields->read(run, variable, time, first, values);
        },
        [&](std::int64_t first, std::span<double> values) {
          truth.fields->read(run, variable, time, first, values);
        },
        [&](std::int64_t first, std::span<double> weights) {
          truth.fields->read_weights(variable, first, weights);
        }));
  }
  return distances;
}

}  // namespace

Outcome time_step_convergence(Task const& task) {
  auto& parameters = task.parameters;
  auto const inspected = std::size_t(parameters.integer("times", 3, 1, 1000));
  auto const wanted = std::size_t(parameters.integer("min_times", 2, 1, 1000));
  auto const given = parameters.given("p");
  auto p_limit = parameters.number("p", 0.005, 1e-9, 0.5);
  auto const doubt = parameters.number("doubt", doubtful, 0, 1);
  parameters.reject_unknown();
  auto const& request = task.request;
  auto const& ensemble = *request.ensemble.summary;
  auto const& tests = *request.tests.summary;
  if (request.truth.summary == nullptr || request.truth.fields == nullptr)
    return not_applied(timestep_method, "there are no runs with a shorter step (name them by --truth)");
  auto const& truth = *request.truth.summary;
  if (request.ensemble.fields == nullptr || request.tests.fields == nullptr)
    return not_applied(timestep_method,
                       "a summary file has no fields (name the folder of the files instead)");
  auto const n = truth.members.size();
  if (ensemble.members.size() != n || tests.members.size() != n) {
    return not_applied(
        timestep_method,
        fmt::format("{} true runs, {} members and {} new runs (they go together in the order of their names)",
                    n, ensemble.members.size(), tests.members.size()));
  }
  constexpr std::size_t fewest = 4;
  if (n < fewest)
    return without_power(
        timestep_method,
        fmt::format("{} runs of each ({} are the least for a t test of their differences)", n, fewest),
        fewest, "runs of each kind");
  auto const times = truth.times.size();
  if (times < 2 * wanted)
    return not_applied(timestep_method, fmt::format("{} output times ({} are needed)", times, 2 * wanted));

  Outcome outcome;
  outcome.method = timestep_method;
  outcome.nominal_rate = given ? p_limit : task.rate;
  // As published p is that of one test; within a verdict the rate is divided by the variables, as one
  // rejection is enough.
  if (!given) p_limit = std::min(p_limit, task.rate / double(ensemble.variables.size()));
  std::vector<std::size_t> looked_at;
  for (std::size_t k = 0; k < std::min(inspected, times / 2); ++k)
    looked_at.push_back(times - 1 - k * (times / 2) / inspected);
  std::ranges::sort(looked_at);
  std::int64_t failing = 0;
  double least_adjusted = 1;
  for (std::size_t v = 0; v < truth.variables.size(); ++v) {
    std::vector<std::vector<double>> deltas(times);
    for (std::size_t run = 0; run < n; ++run) {
      auto const of_member = distances_to_truth(request.ensemble, request.truth, run, v),
                 of_test = distances_to_truth(request.tests, request.truth, run, v);
      auto const scale = std::accumulate(of_member.begin(), of_member.end(), 0.0) / double(times);
      for (std::size_t t = 0; t < times; ++t)
        deltas[t].push_back(scale > 0 ? (of_test[t] - of_member[t]) / scale : of_test[t] > 0 ? 1 : 0);
    }
    Finding finding;
    finding.subject = truth.variables[v].name;
    finding.limit = p_limit;
    std::size_t rejections = 0;
    double least = 1;
    std::vector<double> at_times;
    for (auto const t : looked_at) {
      auto const [mean, sd, count] = moments(deltas[t]);
      auto const deviate = sd > 0 ? mean / (sd / std::sqrt(double(n))) : mean == 0 ? 0 : 1e9;
      auto const p = 2 * distributions::student_t_above(std::abs(deviate), double(n) - 1);
      rejections += p < p_limit ? 1 : 0;
      at_times.push_back(p);
      if (p < least) {
        least = p;
        finding.value = mean;
        finding.note = fmt::format("largest difference at {}: {:.3g} of the reference's own error",
                                   truth.time_text(t), mean);
      }
    }
    finding.p = least;
    // As many times as have to reject have this p-value or a smaller one.
    std::ranges::sort(at_times);
    auto const deciding = wanted <= at_times.size() ? at_times[wanted - 1] : 1;
    finding.adjusted_p = task.adjusted(std::min(1.0, deciding * double(truth.variables.size())));
    least_adjusted = std::min(least_adjusted, *finding.adjusted_p);
    finding.rejected = rejections >= wanted;
    failing += finding.rejected ? 1 : 0;
    outcome.findings.push_back(std::move(finding));
    Figure figure{"timestep_" + truth.variables[v].name,
                  "Error of new runs beyond that of the reference: " + truth.variables[v].name,
                  "time (s)",
                  "in errors of the reference",
                  "linear",
                  "linear",
                  {},
                  {}};
    for (std::size_t run = 0; run < n; ++run) {
      Line line{tests.members[run].name, "test", truth.times, {}};
      for (std::size_t t = 0; t < times; ++t) line.y.push_back(deltas[t][run]);
      figure.lines.push_back(std::move(line));
    }
    outcome.figures.push_back(std::move(figure));
  }
  std::ranges::stable_sort(outcome.findings, {}, [](Finding const& f) { return f.p.value_or(2); });
  outcome.answer = failing > 0                         ? Answer::different
                   : !given && least_adjusted <= doubt ? Answer::undecided
                                                       : Answer::consistent;
  outcome.statement = fmt::format(
      "{} of {} variables are farther from or nearer to the true runs at {} of {} times or more (worst: {}, "
      "p = {:.2g})",
      failing, outcome.findings.size(), wanted, looked_at.size(), outcome.findings.front().subject,
      *outcome.findings.front().p);
  if (outcome.answer == Answer::undecided) {
    outcome.members_needed = std::int64_t(2 * n);
    outcome.needed_of = "runs of each kind";
    outcome.statement += fmt::format(
        "; adjusted p = {:.2g}, more than chance often makes, too little to be called a difference: {} runs "
        "of "
        "each kind would probably decide",
        least_adjusted, 2 * n);
  }
  outcome.parameters = parameters.used();
  return outcome;
}

}  // namespace ulpine::verification::consistency
