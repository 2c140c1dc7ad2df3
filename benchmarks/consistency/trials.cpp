// SPDX-License-Identifier: Apache-2.0
#include "consistency/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <map>

#include "verification/consistency/method.hpp"

namespace ulpine::consistency_trials {

using namespace verification::consistency;

char const* name_of(Tail tail) {
  static constexpr char const* names[] = {"normal", "lognormal", "Student, 3 degrees"};
  return names[static_cast<std::size_t>(tail)];
}

namespace {

double with_tail(double normal, Tail tail, Draws& draws) {
  switch (tail) {
    case Tail::lognormal:
      return (std::exp(normal) - std::exp(0.5)) / std::sqrt((std::exp(1.0) - 1) * std::exp(1.0));
    case Tail::student3: {
      double squares = 0;
      for (int k = 0; k < 3; ++k) {
        auto const part = draws.normal();
        squares += part * part;
      }
      return normal / std::sqrt(squares / 3) / std::sqrt(3.0);
    }
    default:
      return normal;
  }
}

VariableSummary single(double value) {
  VariableSummary summary;
  LevelSummary level;
  if (std::isnan(value)) {
    level.not_finite = 1;
  } else {
    level.min = level.mean = level.max = value;
  }
  summary.mean = value;
  summary.levels = {level};
  return summary;
}

}  // namespace

Drawn draw(Trial const& trial, std::uint64_t seed, std::uint64_t number) {
  Draws draws(seed, number);
  Drawn drawn;
  auto const& of = trial.population;
  auto const run = [&](std::string const& name, bool faulty) {
    RunSummary summary;
    summary.name = name;
    auto const common = draws.normal();
    for (std::size_t v = 0; v < of.variables; ++v) {
      auto const normal = std::sqrt(of.correlation) * common + std::sqrt(1 - of.correlation) * draws.normal();
      auto value = with_tail(normal, of.tail, draws);
      if (faulty && v == 0) {
        value = trial.fault.not_a_number ? not_a_number : value * trial.fault.spread + trial.fault.shift;
      }
      summary.variables.push_back({single(10 + value)});
    }
    return summary;
  };
  for (auto* runs : {&drawn.ensemble, &drawn.tests}) {
    runs->times = {0};
    for (std::size_t v = 0; v < of.variables; ++v)
      runs->variables.push_back({fmt::format("v{}", v), "1", 1, 1});
  }
  for (std::size_t i = 0; i < trial.members; ++i)
    drawn.ensemble.members.push_back(run(fmt::format("m{}", i), false));
  for (std::size_t i = 0; i < trial.runs; ++i)
    drawn.tests.members.push_back(run(fmt::format("n{}", i), true));
  return drawn;
}

std::vector<Tally> tally(Trial const& trial, std::int64_t trials, std::uint64_t seed, int threads,
                         std::vector<std::string> const& methods,
                         std::vector<std::pair<std::string, std::string>> const& parameters) {
  std::vector<Verdict> verdicts(static_cast<std::size_t>(trials));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t number = 0; number < trials; ++number) {
    auto const drawn = draw(trial, seed, static_cast<std::uint64_t>(number));
    Request request;
    request.ensemble.summary = &drawn.ensemble;
    request.tests.summary = &drawn.tests;
    request.methods = methods;
    request.parameters = parameters;
    request.seed = seed + static_cast<std::uint64_t>(number);
    auto verdict = judge(request);
    for (auto& outcome : verdict.outcomes) outcome.figures.clear();
    verdicts[static_cast<std::size_t>(number)] = std::move(verdict);
  }
  std::vector<Tally> tallies = {{"verdict"}};
  auto const add = [&](std::string const& method, Answer answer) {
    auto found = std::ranges::find(tallies, method, &Tally::method);
    if (found == tallies.end()) found = tallies.insert(tallies.end(), {method});
    ++(answer == Answer::different    ? found->different
       : answer == Answer::consistent ? found->consistent
                                      : found->other);
  };
  for (auto const& verdict : verdicts) {
    add("verdict", verdict.answer);
    for (auto const& outcome : verdict.outcomes) {
      if (outcome.answer != Answer::not_applied) add(outcome.method, outcome.answer);
    }
  }
  return tallies;
}

Interval interval_of(std::int64_t hits, std::int64_t trials) {
  Interval interval;
  auto const k = double(hits), n = double(trials);
  if (hits > 0) interval.low = boost::math::ibeta_inv(k, n - k + 1, 0.025);
  if (hits < trials) interval.high = boost::math::ibeta_inv(k + 1, n - k, 0.975);
  return interval;
}

}  // namespace ulpine::consistency_trials
