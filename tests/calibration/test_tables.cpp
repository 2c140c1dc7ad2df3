// SPDX-License-Identifier: Apache-2.0
// The rules of others in simulation (benchmarks/calibration), against formulas.
#include <gtest/gtest.h>

#include <cmath>

#include "calibration/report.hpp"
#include "calibration/tables.hpp"

namespace ulpine::calibration {
namespace {

/// Four standard errors: one of 16 000 honest runs is beyond; seeds are fixed.
double bound(double rate, std::int64_t trials) { return 4 * std::sqrt(rate * (1 - rate) / double(trials)); }

TEST(ComponentsRule, HasThePublishedRatesByFormula) {
  EXPECT_NEAR(formula_of_components(26, 2), 0.0005, 0.00005);
  EXPECT_NEAR(formula_of_components(128, 2), 0.043, 0.0005);
  EXPECT_NEAR(formula_of_components(128, 2.23), 0.0021, 0.00005);
}

TEST(ComponentsRule, IsSimulatedAsTheFormulaSays) {
  constexpr std::int64_t trials = 20000;
  auto const formula = formula_of_components(128, 2);
  EXPECT_NEAR(rate_of_components(128, 2, trials, 1), formula, bound(formula, trials));
  EXPECT_EQ(rate_of_components(2, 0.1, 100, 1), 0) << "two components never make three";
}

TEST(ToleranceRule, FailsOnceInElevenWhereTheFactorIsOne) {
  // The largest of eleven equal draws is the last in one of eleven, whatever the distribution.
  constexpr std::int64_t trials = 20000;
  for (auto const tail : {Tail::half_normal, Tail::lognormal_1, Tail::lognormal_2}) {
    EXPECT_NEAR(rate_of_tolerance(tail, 10, 1, 1, trials, 2), 1 / 11.0, bound(1 / 11.0, trials));
  }
}

TEST(ToleranceRule, FailsMoreOftenWithHeavierTailsAndMoreChecks) {
  auto const rate = [](Tail tail, int checks) { return rate_of_tolerance(tail, 10, 5, checks, 2000, 3); };
  EXPECT_LT(rate(Tail::half_normal, 100), rate(Tail::lognormal_1, 100));
  EXPECT_LT(rate(Tail::lognormal_1, 100), rate(Tail::lognormal_2, 100));
  // Of a hundred independent checks 1 - (1 - p)^100 fail.
  constexpr double one = 0.020;
  EXPECT_NEAR(rate(Tail::lognormal_2, 100), 1 - std::pow(1 - one, 100), 0.05);
}

TEST(FamilyRules, KeepTheirRatesWhereTheyDo) {
  constexpr std::int64_t trials = 150;
  auto const few = rates_of_families(5, 0, 120, trials, 4);
  EXPECT_EQ(few.hochberg, 0) << "five members cannot reject among 120 variables";
  auto const alike = rates_of_families(24, 0.9, 120, trials, 5);
  EXPECT_LE(alike.hochberg, 0.05 + bound(0.05, trials));
  EXPECT_LE(alike.yekutieli, alike.hochberg);
  // Of one variable all three are one test at 5 % (the exact test a little less), of which 13 never fail.
  auto const one = rates_of_families(24, 0, 1, 2000, 6);
  EXPECT_EQ(one.hochberg, one.yekutieli);
  EXPECT_NEAR(one.hochberg, 0.033, 0.018) << "0.033: P(D >= 10/24), exact";
  EXPECT_EQ(one.uncorrected, 0);
}

TEST(FamilyRules, RejectTogetherWhereVariablesAreCorrelated) {
  constexpr std::int64_t trials = 150;
  EXPECT_GT(rates_of_families(24, 0.9, 120, trials, 7).uncorrected,
            rates_of_families(24, 0, 120, trials, 7).uncorrected);
}

TEST(PublishedRates, AreAllThereWhateverTheThreads) {
  auto const one = published_rates(0.005, 1), three = published_rates(0.005, 3);
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(one[0].size(), 5u);
  EXPECT_EQ(one[1].size(), 30u);
  EXPECT_EQ(one[2].size(), 33u);
  EXPECT_EQ(to_markdown(one), to_markdown(three));
  EXPECT_NE(to_markdown(one).find("| lognormal, sigma 2, 10 members, factor 5, 100 checks | 87 % |"),
            std::string::npos);
}

}  // namespace
}  // namespace ulpine::calibration
