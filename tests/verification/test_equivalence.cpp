// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/equivalence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "support/random_values.hpp"

namespace ulpine::verification {
namespace {

struct Members {
  std::vector<double> test, reference;
};

/// Members of spread 1 about 0 in pairs correlated by `correlation`, the test's shifted by `shift`.
Members members(test::RandomValues& random, std::size_t n, double shift, double correlation) {
  Members result;
  for (std::size_t i = 0; i < n; ++i) {
    auto const reference = random.normal();
    auto const own = random.normal();
    result.reference.push_back(reference);
    result.test.push_back(shift + correlation * reference + std::sqrt(1 - correlation * correlation) * own);
  }
  return result;
}

// With n = 3 all is elementary: C is exponential, P(C > c) = exp(-c / 2), and P(T < t) =
// 1/2 + t / (2 sqrt(2 + t^2)).
TEST(ShareInside, IsTheClosedFormsIntegralForThree) {
  auto const cdf = [](double t) { return 0.5 + t / (2 * std::sqrt(2 + t * t)); };
  for (auto const& [difference, error, margin] : {std::array{0.0, 1.0, 1.0},
                                                  {0.3, 0.5, 2.0},
                                                  {-0.3, 0.5, 2.0},
                                                  {2.0, 0.1, 1.5},
                                                  {5.0, 0.01, 1.0},
                                                  {1.0, 1e-3, 1.0},
                                                  {1e-9, 2e-10, 1e-8}}) {
    constexpr int points = 200000;
    double sum = 0;
    for (int i = 0; i < points; ++i) {
      auto const c = -2 * std::log((i + 0.5) / points);
      auto const drawn = margin * std::sqrt(2 / c);
      sum += cdf((difference + drawn) / error) - cdf((difference - drawn) / error);
    }
    // The midpoint rule errs by a point where the integrand steps.
    EXPECT_NEAR(share_inside(difference, error, margin, 3), sum / points, 1e-5)
        << difference << " " << error << " " << margin;
  }
}

TEST(ShareInside, AgreesWithRandomDraws) {
  test::RandomValues random(71);
  constexpr int draws = 20000;
  for (auto const& [n, difference] : {std::pair{8, 0.2}, {8, 0.5}, {24, 0.0}, {24, 0.45}, {24, 0.7}}) {
    constexpr double error = 0.1, margin = 0.5;
    int inside = 0;
    for (int draw = 0; draw < draws; ++draw) {
      double of_t = 0, of_margin = 0;
      for (int i = 1; i < n; ++i) {
        auto const a = random.normal(), b = random.normal();
        of_t += a * a, of_margin += b * b;
      }
      auto const t = random.normal() / std::sqrt(of_t / (n - 1));
      inside += std::abs(difference - t * error) < margin * std::sqrt((n - 1) / of_margin) ? 1 : 0;
    }
    auto const share = share_inside(difference, error, margin, n);
    EXPECT_NEAR(share, double(inside) / draws, 4 * std::sqrt(0.25 / draws)) << n << " " << difference;
  }
}

TEST(ShareInside, DependsOnRatiosAndSizeOnly) {
  test::RandomValues random(72);
  for (int trial = 0; trial < 50; ++trial) {
    auto const difference = random.between(-2, 2), error = random.between(0.01, 1),
               margin = random.between(0.1, 2);
    auto const n = std::int64_t(8 + random.below(60));
    auto const share = share_inside(difference, error, margin, n);
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    EXPECT_NEAR(share_inside(-difference, error, margin, n), share, 1e-12);
    EXPECT_NEAR(share_inside(std::ldexp(difference, 60), std::ldexp(error, 60), std::ldexp(margin, 60), n),
                share, 1e-9);
    EXPECT_GE(share_inside(difference, error, margin * 1.1, n), share - 1e-7) << "a wider margin holds more";
    EXPECT_LE(share_inside(difference * 1.1, error, margin, n), share + 1e-7) << "a larger difference less";
  }
}

TEST(ShareInside, HasLimits) {
  EXPECT_NEAR(share_inside(0.1, 1e-6, 10, 24), 1, 1e-9);
  EXPECT_NEAR(share_inside(100, 1e-6, 1, 24), 0, 1e-9);
  EXPECT_EQ(share_inside(0, 0, 1, 24), 1);
  EXPECT_EQ(share_inside(0, 0, 0, 24), 0);
  // Without an error of the mean it is P(C < (n - 1) M^2 / D^2), exponential for n = 3.
  EXPECT_NEAR(share_inside(2, 0, 1, 3), 1 - std::exp(-0.25), 1e-14);
}

TEST(Equivalence, IsThatOfHandCalculation) {
  // Differences 1, 2, 3, 2, 1, 2, 3, 2: mean 2, variance 4/7; reference 0..7: variance 6.
  std::vector<double> const reference = {0, 1, 2, 3, 4, 5, 6, 7}, test = {1, 3, 5, 5, 5, 7, 9, 9};
  auto const found = test_means(test, reference, 3, {});
  EXPECT_EQ(found.pairs, 8);
  EXPECT_DOUBLE_EQ(found.difference, 2);
  EXPECT_DOUBLE_EQ(found.error, std::sqrt((4.0 / 7 + 9.0 / 12) / 8));
  EXPECT_DOUBLE_EQ(found.spread, std::sqrt(6.0));
  EXPECT_DOUBLE_EQ(found.margin, std::sqrt(6.0) / 2);
  // Student's t of 7 degrees of freedom: 2.364624 at 0.975, 0.896030 at 0.8 (printed tables).
  EXPECT_NEAR(found.interval[0], 2 - 2.364624 * found.error, 1e-6);
  EXPECT_NEAR(found.interval[1], 2 + 2.364624 * found.error, 1e-6);
  EXPECT_NEAR(found.detectable, (2.364624 + 0.896030) * found.error, 1e-6);
  EXPECT_DOUBLE_EQ(found.inside, share_inside(found.difference, found.error, found.margin, 8));
}

TEST(Equivalence, GivesIdenticalFeaturesANarrowInterval) {
  std::vector<double> counts;
  for (int i = 0; i < 24; ++i) counts.push_back(40 + i % 5);
  auto const found = test_means(counts, counts, 1, {});
  EXPECT_EQ(found.difference, 0);
  EXPECT_DOUBLE_EQ(found.error, std::sqrt(1.0 / 12 / 24));
  EXPECT_GT(found.inside, 0.999);
}

// The share of studies that are called equivalent where the true difference is exactly the margin must be the
// nominal 5 %; 4000 studies have a standard error of 0.34 %, three of which are 1 %.
TEST(Equivalence, ErrsInFivePerCentAtTheMargin) {
  for (auto const& [n, correlation] : {std::pair{24, 0.99}, {8, 0.99}}) {
    test::RandomValues random(73);
    constexpr int studies = 4000;
    int wrong = 0;
    for (int study = 0; study < studies; ++study) {
      auto const [test, reference] = members(random, std::size_t(n), usual_margin, correlation);
      wrong += test_means(test, reference, 0, {}).inside >= 0.95 ? 1 : 0;
    }
    auto const rate = double(wrong) / studies;
    EXPECT_LE(rate, 0.06) << n << " " << correlation;
    EXPECT_GE(rate, 0.04) << n << " " << correlation;
  }
}

TEST(PairsToDecide, GiveFourInFiveTheAnswer) {
  for (auto const& [shift, correlation] : {std::pair{0.0, 0.5}, {0.25, 0.9}, {1.0, 0.0}}) {
    test::RandomValues random(74);
    auto const inside = shift < usual_margin;
    // As a study would have found them that met its expectation.
    EquivalenceTest found;
    found.pairs = 8;
    found.difference = shift;
    found.error = std::sqrt((2 - 2 * correlation) / 8);
    found.spread = 1;
    found.margin = usual_margin;
    auto const n = pairs_to_decide(found, 0.05);
    ASSERT_GT(n, 8);
    ASSERT_LE(n, most_pairs);
    constexpr int studies = 300;
    int answered = 0;
    for (int study = 0; study < studies; ++study) {
      auto const [test, reference] = members(random, std::size_t(n), shift, correlation);
      auto const share = test_means(test, reference, 0, {}).inside;
      answered += inside ? share >= 0.95 : share <= 0.05;
    }
    // 80 % where the spreads are known; that they are not, and 300 studies (2.3 %), leave some room.
    EXPECT_GE(double(answered) / studies, 0.7) << shift << " " << n;
    EXPECT_LE(double(answered) / studies, 0.95) << shift << " " << n;
  }
}

TEST(PairsToDecide, AreCapped) {
  EquivalenceTest found;
  found.pairs = 24;
  found.difference = 0.5;
  found.error = 0.1;
  found.spread = 1;
  found.margin = 0.5;
  EXPECT_EQ(pairs_to_decide(found, 0.05), most_pairs + 1) << "a difference of just the margin";
  found.pairs = most_pairs;
  EXPECT_EQ(pairs_to_decide(found, 0.05), most_pairs + 1);
}

// ---- margins that are not estimated ----

TEST(Equivalence, HoldsAFixedMarginAgainstStudentsT) {
  // Differences as above: mean 2, variance 4/7, n = 8. P(T < x) of 7 degrees of freedom from printed tables:
  // 0.95 at 1.894579, 0.975 at 2.364624.
  std::vector<double> const reference = {0, 1, 2, 3, 4, 5, 6, 7}, test = {1, 3, 5, 5, 5, 7, 9, 9};
  auto const error = std::sqrt(4.0 / 7 / 8);
  for (auto const& [t, share] : {std::pair{1.894579, 0.95}, {2.364624, 0.975}}) {
    auto const found = test_means(test, reference, 0, {Margin::Kind::absolute, 2 + t * error, {}});
    EXPECT_DOUBLE_EQ(found.margin, 2 + t * error);
    EXPECT_NEAR(found.inside, share, 1e-6);
    auto const within = test_means(test, reference, 0, {Margin::Kind::absolute, 2 - t * error, {}});
    EXPECT_NEAR(within.inside, 1 - share, 1e-4) << "the far side adds what is left";
  }
  // Far below the margin is as far outside as above.
  EXPECT_LT(test_means(reference, test, 0, {Margin::Kind::absolute, 0.5, {}}).inside, 1e-3);
  EXPECT_LT(test_means(test, reference, 0, {Margin::Kind::absolute, 0.5, {}}).inside, 1e-3);
  // Of the mean 3.5 of the reference 4/7 is 2: the differences d - 4/7 y and -d - 4/7 y.
  auto const found = test_means(test, reference, 0, {Margin::Kind::relative, 4.0 / 7, {}});
  EXPECT_DOUBLE_EQ(found.margin, 2);
  EXPECT_NEAR(found.inside, 0.5, 1e-3) << "the mean of d - 4/7 y is 0, the other side is five errors away";
  auto const negative = [](std::vector<double> values) {
    for (auto& value : values) value = -value;
    return values;
  };
  EXPECT_DOUBLE_EQ(
      test_means(negative(test), negative(reference), 0, {Margin::Kind::relative, 0.8, {}}).inside,
      test_means(test, reference, 0, {Margin::Kind::relative, 0.8, {}}).inside);
}

// The margin is 10 % of a mean that is as uncertain as the members are few, and the true difference is just
// that.
TEST(Equivalence, ErrsInFivePerCentAtARelativeMargin) {
  ulpine::test::RandomValues random(75);
  constexpr int studies = 4000;
  int wrong = 0, fixed = 0;
  for (int study = 0; study < studies; ++study) {
    std::vector<double> test, reference;
    for (int i = 0; i < 12; ++i) {
      reference.push_back(1 + 0.02 * random.normal());
      test.push_back(1.1 + 0.02 * random.normal());
    }
    wrong += test_means(test, reference, 0, {Margin::Kind::relative, 0.1, {}}).inside >= 0.95 ? 1 : 0;
    fixed += test_means(test, reference, 0, {Margin::Kind::absolute, 0.1, {}}).inside >= 0.95 ? 1 : 0;
  }
  // The nominal 5 % with three standard errors of 0.34 %; nothing is lost to the far side, 24 errors away.
  EXPECT_NEAR(double(wrong) / studies, 0.05, 0.0104);
  EXPECT_NEAR(double(fixed) / studies, 0.05, 0.0104);
}

// ---- spreads ----

TEST(Spreads, OfUncorrelatedPairsAreThoseOfPitmanAndMorgan) {
  // Variances 10 and 2.5, correlation 0.8: r(x - y, x + y) = 7.5 / sqrt(12.5^2 - 4 * 16) = 7.5 / sqrt(92.25).
  std::vector<double> const reference = {-2, -1, 0, 1, 2}, test = {-2, -4, 0, 2, 4};
  auto const found = test_spreads(test, reference, 0, 1.5);
  EXPECT_DOUBLE_EQ(found.difference, 2);
  auto const correlation = (4 + 4 + 2 + 8) / 4.0 / 5.0;
  EXPECT_DOUBLE_EQ(found.correlation, correlation);
  // Student's t of 3 degrees of freedom at 0.975: 3.182446.
  auto const k = 1 + 2 * (1 - correlation * correlation) * 3.182446 * 3.182446 / 3;
  auto const wide = std::sqrt(k + std::sqrt(k * k - 1));
  EXPECT_NEAR(found.interval[0], 2 / wide, 1e-6);
  EXPECT_NEAR(found.interval[1], 2 * wide, 1e-5);
  // At a margin that is the upper end of the interval 97.5 % are below it, and nearly all above the lower.
  EXPECT_NEAR(test_spreads(test, reference, 0, found.interval[1]).inside, 0.975, 2e-3);
}

TEST(Spreads, DoNotDependOnUnitsOrPlaces) {
  ulpine::test::RandomValues random(76);
  for (int trial = 0; trial < 20; ++trial) {
    auto [test, reference] = members(random, 10, 1, 0.5);
    auto const found = test_spreads(test, reference, 0, 1.5);
    auto const swapped = test_spreads(reference, test, 0, 1.5);
    EXPECT_NEAR(swapped.difference, 1 / found.difference, 1e-12);
    EXPECT_NEAR(swapped.inside, found.inside, 1e-9) << "up or down";
    for (auto& value : test) value = 3 + 1024 * value;
    for (auto& value : reference) value = -7 + 1024 * value;
    EXPECT_NEAR(test_spreads(test, reference, 0, 1.5).inside, found.inside, 1e-9);
  }
}

TEST(Spreads, OfIdenticalFeaturesAreEqual) {
  std::vector<double> const counts = {40, 41, 42, 40, 41, 42, 40, 41, 42}, same(9, 40);
  EXPECT_GT(test_spreads(counts, counts, 0, 1.5).inside, 0.999);
  EXPECT_GT(test_spreads(counts, counts, 1, 1.5).inside, 0.95);
  EXPECT_DOUBLE_EQ(test_spreads(counts, counts, 1, 1.5).difference, 1);
  EXPECT_EQ(test_spreads(same, same, 0, 1.5).inside, 1);
  EXPECT_EQ(test_spreads(counts, same, 0, 1.5).inside, 0);
  EXPECT_LT(test_spreads(counts, same, 1, 1.5).inside, 0.05) << "spread 0.9 against a resolution of 0.29";
}

TEST(Spreads, ErrInFivePerCentAtTheMargin) {
  for (auto const correlation : {0.0, 0.9}) {
    ulpine::test::RandomValues random(77);
    constexpr int studies = 3000;
    int equivalent = 0, different = 0;
    for (int study = 0; study < studies; ++study) {
      auto [test, reference] = members(random, 24, 0, correlation);
      for (auto& value : test) value *= 1.5;
      auto const found = test_spreads(test, reference, 0, 1.5);
      equivalent += found.inside >= 0.95 ? 1 : 0;
      different += found.inside <= 0.05 ? 1 : 0;
    }
    // Three standard errors of 0.4 %. Uncorrelated pairs of 24 are hardly ever inside on both sides.
    EXPECT_LE(double(equivalent) / studies, 0.062) << correlation;
    EXPECT_GE(double(equivalent) / studies, correlation > 0 ? 0.038 : 0) << correlation;
    EXPECT_NEAR(double(different) / studies, 0.05, 0.012) << correlation;
  }
}

TEST(Spreads, SayHowManyPairsWouldDecide) {
  for (auto const& [ratio, correlation] : {std::pair{1.0, 0.5}, {2.5, 0.5}}) {
    EquivalenceTest found;
    found.pairs = 8;
    found.difference = ratio;
    found.correlation = correlation;
    found.margin = 1.5;
    auto const n = pairs_to_decide_spreads(found, 0.05);
    ASSERT_GT(n, 8);
    ASSERT_LT(n, 200);
    ulpine::test::RandomValues random(78);
    constexpr int studies = 400;
    int answered = 0;
    for (int study = 0; study < studies; ++study) {
      auto [test, reference] = members(random, std::size_t(n), 0, correlation);
      for (auto& value : test) value *= ratio;
      auto const inside = test_spreads(test, reference, 0, 1.5).inside;
      answered += ratio < 1.5 ? inside >= 0.95 : inside <= 0.05;
    }
    // 80 % (2 % standard error); that a spread found is taken for the true one leaves some room.
    EXPECT_GE(double(answered) / studies, 0.7) << ratio << " " << n;
    EXPECT_LE(double(answered) / studies, 0.95) << ratio << " " << n;
  }
}

// ---- distributions ----

TEST(Distributions, AreHeldAgainstAShift) {
  std::vector<double> low, high;
  for (int i = 0; i < 40; ++i) low.push_back(i), high.push_back(100 + i);
  auto const apart = test_distributions(high, low, 0.5);
  EXPECT_EQ(apart.distance, 1);
  EXPECT_NEAR(apart.margin, 0.19741, 1e-5) << "2 Phi(0.25) - 1, Phi(0.25) = 0.598706";
  EXPECT_NEAR(apart.outside, 4 * std::exp(-20 * 0.80259 * 0.80259), 1e-9);
  EXPECT_NEAR(apart.detectable, 0.19741 + std::sqrt(2 * std::log(80) / 40), 1e-5);
  EXPECT_EQ(test_distributions(low, low, 0.5).outside, 1);
}

TEST(Distributions, HaveNoPowerWithFewPairs) {
  // At the largest distance, 1, the bound 4 exp(-n (1 - margin)^2 / 2) is 5 % at n = 2 ln(80) / (1 -
  // margin)^2.
  EXPECT_EQ(pairs_for_distributions(0), 9) << "8.764";
  EXPECT_EQ(pairs_for_distributions(0.19741), 14) << "13.606";
  EXPECT_EQ(pairs_for_distributions(1), std::nullopt);
  EXPECT_EQ(pairs_for_distributions(0.99), std::nullopt) << "87641 pairs";
  for (int pairs = 8; pairs <= 20; ++pairs) {
    std::vector<double> low, high;
    for (int i = 0; i < pairs; ++i) low.push_back(i), high.push_back(100 + i);
    auto const apart = test_distributions(high, low, 0.5);
    EXPECT_EQ(apart.outside <= 0.05, pairs >= 14) << pairs;
    EXPECT_EQ(apart.detectable <= 1, pairs >= 14) << pairs;
  }
}

// Two peaks of the mean and spread of a normal distribution: what means and spreads cannot show.
TEST(Distributions, ShowWhatMeansAndSpreadsHide) {
  ulpine::test::RandomValues random(79);
  int seen = 0, false_alarms = 0;
  constexpr int studies = 200;
  for (int study = 0; study < studies; ++study) {
    std::vector<double> reference, heavy, same;
    for (int i = 0; i < 200; ++i) {
      reference.push_back(random.normal());
      same.push_back(random.normal());
      // One of fifty carries the variance.
      heavy.push_back(random.uniform() < 0.02 ? 7 * random.normal() : 0.14 * random.normal());
    }
    seen += test_distributions(heavy, reference, 0.1).outside <= 0.05 ? 1 : 0;
    false_alarms += test_distributions(same, reference, 0.1).outside <= 0.05 ? 1 : 0;
  }
  EXPECT_GT(seen, studies * 9 / 10);
  EXPECT_LE(false_alarms, 2) << "the bound is no tighter than 5 %";
}

}  // namespace
}  // namespace ulpine::verification
