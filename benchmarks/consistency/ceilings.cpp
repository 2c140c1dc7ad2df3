// SPDX-License-Identifier: Apache-2.0
#include "consistency/ceilings.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>
#include <vector>

namespace ulpine::consistency_trials {
namespace {

using boost::math::complement;

/// Of a normal deviate with mean `mean`, beyond the limit of a two-sided test at `level`.
double beyond(double mean, double level) {
  boost::math::normal const normal;
  auto const limit = boost::math::quantile(complement(normal, level / 2));
  return boost::math::cdf(complement(normal, limit - mean)) + boost::math::cdf(normal, -limit - mean);
}

double power_of_t(double freedom, double noncentrality, double level) {
  auto const limit = boost::math::quantile(complement(boost::math::students_t(freedom), level / 2));
  return boost::math::cdf(complement(boost::math::non_central_t(freedom, noncentrality), limit));
}

double error_of(Trial const& trial) { return std::sqrt(1 / double(trial.members) + 1 / double(trial.runs)); }

}  // namespace

double ceiling_of_shift(Trial const& trial, double rate, double comparisons, bool given_others) {
  auto const level = rate / comparisons, effect = trial.fault.shift / error_of(trial);
  auto const freedom = double(trial.members + trial.runs) - 2;
  if (trial.population.tail == Tail::student3) return beyond(std::sqrt(2.0) * effect, level);
  if (!given_others) return power_of_t(freedom, effect, level);
  auto const others = double(trial.population.variables) - 1, r = trial.population.correlation;
  auto const unexplained = (1 - r) * (1 + others * r) / (1 + (others - 1) * r);
  // The others' own T^2 makes the prediction's error larger: the mean over its quantiles.
  constexpr int quantiles = 400;
  auto const left = freedom - others;
  boost::math::fisher_f const f(others, left + 1);
  double power = 0;
  for (int k = 0; k < quantiles; ++k) {
    auto const distance = others / (left + 1) * boost::math::quantile(f, (k + 0.5) / quantiles);
    power += power_of_t(left, effect / std::sqrt(unexplained * (1 + distance)), level) / quantiles;
  }
  return power;
}

double ceiling_of_spread(Trial const& trial, double rate, double comparisons) {
  auto const level = rate / comparisons, factor = trial.fault.spread;
  if (trial.population.tail == Tail::student3)
    return beyond(std::abs(std::log(factor)) / error_of(trial), level);
  boost::math::fisher_f const f(double(trial.runs) - 1, double(trial.members) - 1);
  auto const low = boost::math::quantile(f, level / 2),
             high = boost::math::quantile(complement(f, level / 2));
  auto const square = factor * factor;
  return boost::math::cdf(f, low / square) + boost::math::cdf(complement(f, high / square));
}

void print_ceilings() {
  constexpr double rate = 0.004;
  fmt::print(
      "\nThe most that a test can find at {:g} % false alarms, in %: where it is known which variable may "
      "have changed and how, and as one "
      "of 24 comparisons (12 means, 12 spreads).\n\n"
      "| tails | correlation | fault | variable known | one of 24 |\n| --- | ---: | --- | ---: | ---: |\n",
      100 * rate);
  auto const row = [&](Trial const& trial, char const* fault, auto const& ceiling) {
    fmt::print("| {} | {} | {} | {:.2f} | {:.2f} |\n", name_of(trial.population.tail),
               trial.population.correlation, fault, 100 * ceiling(1.0), 100 * ceiling(24.0));
  };
  for (auto const tail : {Tail::normal, Tail::student3}) {
    for (auto const correlation : {0.0, 0.5, 0.9}) {
      Trial trial{.population = {12, correlation, tail}, .fault = {.name = "", .shift = 1.5}};
      auto const given = correlation > 0;
      if (tail == Tail::student3 && given)
        continue;  // the information of the others is not known in closed form
      row(trial, "shift of 1.5 sd",
          [&](double comparisons) { return ceiling_of_shift(trial, rate, comparisons, given); });
    }
    for (auto const& [factor, name] : {std::pair{3.0, "spread x 3"}, {0.2, "spread / 5"}}) {
      Trial trial{.population = {12, 0, tail}, .fault = {.name = "", .spread = factor}};
      row(trial, name, [&](double comparisons) { return ceiling_of_spread(trial, rate, comparisons); });
    }
  }
  std::fflush(stdout);
}

}  // namespace ulpine::consistency_trials
