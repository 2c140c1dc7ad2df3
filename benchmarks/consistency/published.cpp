// SPDX-License-Identifier: Apache-2.0
#include "consistency/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "verification/consistency/method.hpp"
#include "verification/consistency/pca.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::consistency_trials {

using verification::consistency::Draws;

double rate_of_largest(Error error, std::int64_t members, double factor, std::int64_t checks,
                       std::int64_t draws, std::uint64_t seed, int threads) {
  std::int64_t failing = 0;
#pragma omp parallel for reduction(+ : failing) num_threads(threads)
  for (std::int64_t draw = 0; draw < draws; ++draw) {
    Draws numbers(seed, static_cast<std::uint64_t>(draw));
    auto const value = [&] {
      auto const normal = numbers.normal();
      return error == Error::half_normal ? std::abs(normal)
                                         : std::exp((error == Error::lognormal2 ? 2 : 1) * normal);
    };
    bool fails = false;
    for (std::int64_t check = 0; check < checks && !fails; ++check) {
      double largest = 0;
      for (std::int64_t i = 0; i < members; ++i) largest = std::max(largest, value());
      fails = value() > factor * largest;
    }
    failing += fails ? 1 : 0;
  }
  return double(failing) / double(draws);
}

FamilyRates rates_of_family(std::int64_t members, double correlation, std::int64_t variables,
                            std::int64_t trials, std::uint64_t seed, int threads) {
  std::int64_t by_hochberg = 0, by_yekutieli = 0, by_thirteen = 0;
  auto const n = static_cast<std::size_t>(members);
  // p is a function of D alone, and D takes few values.
  std::map<double, double> known;
  for (std::int64_t step = 0; step <= members; ++step) {
    std::vector<double> a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = double(i);
      b[i] = double(i) + double(step) - 0.5;
    }
    auto const test = verification::kolmogorov_smirnov(a, b);
    known[test.statistic.value_or(-1)] = test.p.value_or(1);
  }
#pragma omp parallel for reduction(+ : by_hochberg, by_yekutieli, by_thirteen) num_threads(threads)
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    Draws numbers(seed, static_cast<std::uint64_t>(trial));
    std::vector<std::vector<double>> samples[2];
    for (auto& sample : samples) {
      sample.assign(static_cast<std::size_t>(variables), std::vector<double>(n));
      for (std::size_t i = 0; i < n; ++i) {
        auto const common = numbers.normal();
        for (auto& variable : sample) {
          variable[i] = std::sqrt(correlation) * common + std::sqrt(1 - correlation) * numbers.normal();
        }
      }
    }
    std::vector<double> p;
    for (std::size_t v = 0; v < samples[0].size(); ++v) {
      auto &a = samples[0][v], &b = samples[1][v];
      std::ranges::sort(a);
      std::ranges::sort(b);
      std::int64_t largest = 0;
      for (std::size_t i = 0, j = 0; i < n && j < n;) {
        a[i] < b[j] ? ++i : ++j;
        largest = std::max(largest, std::abs(std::int64_t(i) - std::int64_t(j)));
      }
      p.push_back(std::prev(known.upper_bound(double(largest) / double(n) + 1e-9))->second);
    }
    auto const any = [](std::vector<bool> const& rejected) {
      return std::ranges::find(rejected, true) != rejected.end();
    };
    by_hochberg += any(verification::benjamini_hochberg(p)) ? 1 : 0;
    by_yekutieli += any(verification::benjamini_yekutieli(p)) ? 1 : 0;
    by_thirteen += std::ranges::count_if(p, [](double x) { return x <= 0.05; }) >= 13 ? 1 : 0;
  }
  auto const share = [&](std::int64_t hits) { return double(hits) / double(trials); };
  return {share(by_hochberg), share(by_yekutieli), share(by_thirteen)};
}

void print_published(int threads) {
  fmt::print(
      "\nPrincipal components (at least 3 of them fail in 2 of 3 runs), in theory.\n\n| components | limit | "
      "false alarms |\n| ---: | ---: | ---: |\n");
  for (auto const& [components, sigma] :
       std::vector<std::pair<std::int64_t, double>>{{26, 2}, {50, 2}, {128, 2}, {128, 2.23}, {130, 2.237}}) {
    fmt::print("| {} | {} | {:.2f} % |\n", components, sigma,
               100 * verification::consistency::rate_of_components(sigma, components, 3));
  }
  constexpr std::int64_t draws = 100000, trials = 1500;
  fmt::print("\n\"Beyond F times the largest of n members\", one check and 100, {} and {} draws.\n\n", draws,
             draws / 100);
  fmt::print(
      "| errors | n = 10, F = 1 | n = 10, F = 2 | n = 10, F = 5 | n = 50, F = 5 | n = 10, F = 10 |\n| --- | "
      "---: | ---: | ---: | ---: | ---: |\n");
  for (auto const& [error, name] : {std::pair{Error::half_normal, "half-normal"},
                                    {Error::lognormal1, "lognormal, sigma 1"},
                                    {Error::lognormal2, "lognormal, sigma 2"}}) {
    fmt::print("| {} |", name);
    for (auto const& [members, factor] :
         std::vector<std::pair<std::int64_t, double>>{{10, 1}, {10, 2}, {10, 5}, {50, 5}, {10, 10}}) {
      fmt::print(" {:.3f} % / {:.1f} % |",
                 100 * rate_of_largest(error, members, factor, 1, draws, 3, threads),
                 100 * rate_of_largest(error, members, factor, 100, draws / 100, 4, threads));
    }
    fmt::print("\n");
  }
  fmt::print(
      "\nFamilies of 120 exact Kolmogorov-Smirnov tests at 5 %, {} trials.\n\n| members | correlation | BH, "
      "one or more | BY, one or more | 13 or more uncorrected |\n| ---: | ---: | ---: | ---: | ---: |\n",
      trials);
  for (auto const members : {5, 10, 24, 30}) {
    for (auto const correlation : {0.0, 0.5, 0.9}) {
      auto const rates = rates_of_family(members, correlation, 120, trials, 5, threads);
      fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", members, correlation,
                 100 * rates.benjamini_hochberg, 100 * rates.benjamini_yekutieli, 100 * rates.thirteen);
    }
  }
}

}  // namespace ulpine::consistency_trials
