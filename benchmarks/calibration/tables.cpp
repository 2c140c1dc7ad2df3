// SPDX-License-Identifier: Apache-2.0
#include "calibration/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <functional>

#include "ensembles/runs/parallel.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::calibration {
namespace {

/// Standard normal numbers, the same from every standard library.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : generator_{seed} {}
  double operator()() { return distribution_(generator_); }

 private:
  boost::random::mt19937_64 generator_;
  boost::random::normal_distribution<double> distribution_;
};

double drawn(Tail tail, Normal& normal) {
  auto const z = normal();
  switch (tail) {
    case Tail::half_normal:
      return std::abs(z);
    case Tail::lognormal_1:
      return std::exp(z);
    default:
      return std::exp(2 * z);
  }
}

double standard_error(double share, std::int64_t trials) {
  // Of none (or all) as if there had been one.
  auto const p = std::clamp(share, 1 / double(trials), 1 - 1 / double(trials));
  return std::sqrt(p * (1 - p) / double(trials));
}

}  // namespace

double rate_of_components(int components, double limit, std::int64_t trials, std::uint64_t seed) {
  Normal normal(seed);
  std::int64_t failed = 0;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    auto failing = 0;
    for (int component = 0; component < components; ++component) {
      auto runs = 0;
      for (int run = 0; run < 3; ++run) runs += std::abs(normal()) > limit ? 1 : 0;
      failing += runs >= 2 ? 1 : 0;
    }
    failed += failing >= 3 ? 1 : 0;
  }
  return double(failed) / double(trials);
}

double formula_of_components(int components, double limit) {
  auto const s = 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), limit));
  auto const p = 3 * s * s * (1 - s) + s * s * s;
  return boost::math::cdf(boost::math::complement(boost::math::binomial(components, p), 2));
}

double rate_of_tolerance(Tail tail, int members, double factor, int checks, std::int64_t trials,
                         std::uint64_t seed) {
  Normal normal(seed);
  std::int64_t failed = 0;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    auto fails = false;
    for (int check = 0; check < checks && !fails; ++check) {
      double largest = 0;
      for (int member = 0; member < members; ++member) largest = std::max(largest, drawn(tail, normal));
      fails = drawn(tail, normal) > factor * largest;
    }
    failed += fails ? 1 : 0;
  }
  return double(failed) / double(trials);
}

FamilyRates rates_of_families(int members, double rho, int variables, std::int64_t trials,
                              std::uint64_t seed) {
  Normal normal(seed);
  auto const common = std::sqrt(rho), own = std::sqrt(1 - rho);
  auto const rejected = [](std::vector<bool> const& list) {
    return std::find(list.begin(), list.end(), true) != list.end();
  };
  std::int64_t hochberg = 0, yekutieli = 0, uncorrected = 0;
  std::vector<double> shared(2 * static_cast<std::size_t>(members)), sample(shared.size()),
      p(static_cast<std::size_t>(variables));
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    std::generate(shared.begin(), shared.end(), std::ref(normal));
    for (auto& value : p) {
      for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = common * shared[i] + own * normal();
      auto const both = std::span<double const>(sample);
      value = verification::kolmogorov_smirnov(both.first(sample.size() / 2), both.last(sample.size() / 2))
                  .p.value();
    }
    hochberg += rejected(verification::benjamini_hochberg(p)) ? 1 : 0;
    yekutieli += rejected(verification::benjamini_yekutieli(p)) ? 1 : 0;
    uncorrected += std::count_if(p.begin(), p.end(), [](double x) { return x <= 0.05; }) >= 13 ? 1 : 0;
  }
  auto const n = double(trials);
  return {double(hochberg) / n, double(yekutieli) / n, double(uncorrected) / n};
}

std::vector<std::vector<PublishedRate>> published_rates(double share, int jobs) {
  std::vector<std::vector<PublishedRate>> tables(3);
  std::vector<std::function<void()>> tasks;
  auto const trials_of = [&](double usual) {
    return std::max<std::int64_t>(10, std::llround(usual * share));
  };

  struct Components {
    int components;
    double limit, published;
  };
  auto& components = tables[0];
  components.reserve(5);
  for (auto const& [count, limit, published] : {Components{26, 2, 0.0005},
                                                {50, 2, 0.0035},
                                                {128, 2, 0.043},
                                                {128, 2.23, 0.0021},
                                                {130, 2.237, 0.0020}}) {
    auto& rate = components.emplace_back();
    rate.rule = fmt::format("{} components, {} standard deviations", count, limit);
    rate.published = published;
    tasks.push_back([&rate, count = count, limit = limit, trials = trials_of(200000)] {
      rate.simulated = rate_of_components(count, limit, trials, 5000 + std::uint64_t(count));
      rate.error = standard_error(rate.simulated, trials);
    });
  }

  struct Tolerance {
    Tail tail;
    char const* name;
    double published[10];  ///< one check and a hundred, of each column below; negative: below that
  };
  struct Column {
    int members;
    double factor;
  };
  constexpr Column columns[] = {{10, 1}, {10, 2}, {10, 5}, {50, 5}, {10, 10}};
  auto& tolerances = tables[1];
  tolerances.reserve(30);
  std::uint64_t seed = 6000;
  for (auto const& [tail, name, published] :
       {Tolerance{Tail::half_normal, "half-normal", {0.09, 1, 0.0048, 0.38, -1e-5, 0, 0, 0, 0, 0}},
        {Tail::lognormal_1,
         "lognormal, sigma 1",
         {0.092, 1, 0.026, 0.93, 0.0027, 0.24, 0.0002, 0.018, 0.0004, 0.038}},
        {Tail::lognormal_2,
         "lognormal, sigma 2",
         {0.09, 1, 0.05, 0.99, 0.02, 0.87, 0.0024, 0.21, 0.009, 0.61}}}) {
    auto const* next = published;
    for (auto const& [members, factor] : columns) {
      for (auto const checks : {1, 100}) {
        auto& rate = tolerances.emplace_back();
        rate.rule = fmt::format("{}, {} members, factor {}, {} check{}", name, members, factor, checks,
                                checks == 1 ? "" : "s");
        rate.at_most = *next < 0;
        rate.published = std::abs(*next++);
        tasks.push_back([&rate, tail = tail, members = members, factor = factor, checks, number = ++seed,
                         trials = trials_of(checks == 1 ? 200000 : 2000)] {
          rate.simulated = rate_of_tolerance(tail, members, factor, checks, trials, number);
          rate.error = standard_error(rate.simulated, trials);
        });
      }
    }
  }

  struct Family {
    int members;
    double rho, published[3];
  };
  auto& families = tables[2];
  families.reserve(33);
  for (auto const& [members, rho, published] : {Family{5, 0, {0, 0, 0}},
                                                {5, 0.9, {0.015, 0, 0.022}},
                                                {10, 0, {0.023, 0.001, 0}},
                                                {10, 0.5, {0.028, 0.003, 0.014}},
                                                {10, 0.9, {0.011, 0.004, 0.028}},
                                                {24, 0, {0.041, 0.002, 0}},
                                                {24, 0.5, {0.044, 0.003, 0.061}},
                                                {24, 0.9, {0.016, 0.002, 0.068}},
                                                {30, 0, {0.040, 0.003, 0.001}},
                                                {30, 0.5, {0.032, 0.002, 0.075}},
                                                {30, 0.9, {0.016, 0.002, 0.101}}}) {
    auto* const first = families.data() + families.size();
    auto const* rule = published;
    for (auto const* name : {"Benjamini-Hochberg", "Benjamini-Yekutieli", "13 uncorrected"}) {
      auto& rate = families.emplace_back();
      rate.rule = fmt::format("{} members, correlation {}, {}", members, rho, name);
      rate.published = *rule++;
    }
    tasks.push_back([first, members = members, rho = rho, trials = trials_of(1500)] {
      auto const rates = rates_of_families(members, rho, 120, trials,
                                           7000 + std::uint64_t(members) + std::uint64_t(100 * rho));
      auto const found = {rates.hochberg, rates.yekutieli, rates.uncorrected};
      auto* rate = first;
      for (auto const value : found) {
        rate->simulated = value;
        (rate++)->error = standard_error(value, trials);
      }
    });
  }
  ensembles::parallel_for(tasks.size(), jobs, [&](std::size_t i) { tasks[i](); });
  return tables;
}

}  // namespace ulpine::calibration
