// SPDX-License-Identifier: Apache-2.0
#include "verification/digits/significant_digits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/random_values.hpp"

namespace ulpine::verification {
namespace {

using test::RandomValues;
using Samples = std::vector<double>;

TEST(SignificantDigits, ParkerIsTheRatioOfSpreadToMean) {
  // Mean 8, sd (n - 1) sqrt(2): log2(8/sqrt 2) = 2.5.
  EXPECT_NEAR(parker_bits(Samples{7, 9}).number(), 2.5, 1e-15);
  EXPECT_NEAR(parker_bits(Samples{-7, -9}).number(), 2.5, 1e-15);
  EXPECT_EQ(parker_bits(Samples{0.1, 0.1, 0.1}).number(), 53);
  EXPECT_EQ(parker_bits(Samples{0.1, 0.1, 0.1}, 24).number(), 24);
  EXPECT_FALSE(parker_bits(Samples{-1, 1}).defined());
  EXPECT_FALSE(parker_bits(Samples{1}).defined());
  EXPECT_TRUE(parker_bits(Samples{1, std::nan("")}).failed());
}

// Expected values: scipy 1.10.1, chi2.ppf and norm.ppf.
TEST(SignificantDigits, PenaltyIsTheOneOfChiSquaredAndNormalQuantiles) {
  EXPECT_NEAR(normal_hypothesis_penalty(5), 2.4936641252814686, 1e-12);
  EXPECT_NEAR(normal_hypothesis_penalty(30), 1.3976985667429174, 1e-12);
  EXPECT_NEAR(normal_hypothesis_penalty(100), 1.1870339659439537, 1e-12);
  EXPECT_NEAR(normal_hypothesis_penalty(30, 0.51), -0.10781474660462675, 1e-12);
  EXPECT_NEAR(normal_hypothesis_penalty(30, 0.99, 0.9), 1.7208478856157272, 1e-12);
}

TEST(SignificantDigits, NormalHypothesisTakesThePenaltyOffTheSpread) {
  // Z = +-2^-20 in turn: population sd 2^-20 exactly.
  Samples samples;
  for (int i = 0; i < 30; ++i) {
    samples.push_back(3 * (1 + (i % 2 == 0 ? 0x1p-20 : -0x1p-20)));
  }
  double const penalty = normal_hypothesis_penalty(30);
  EXPECT_NEAR(normal_hypothesis_bits(samples, 3).number(), 20 - penalty, 1e-9);
  EXPECT_NEAR(normal_hypothesis_bits(samples, 3, ErrorKind::absolute).number(), 20 - std::log2(3) - penalty,
              1e-9);
  EXPECT_NEAR(normal_hypothesis_bits(Samples(30, 3.0), 3).number(), 53 - penalty, 1e-12);
  EXPECT_FALSE(normal_hypothesis_bits(Samples{0, 1}, 0).defined());
  EXPECT_TRUE(normal_hypothesis_bits(Samples{0, 1}, 0, ErrorKind::absolute).defined());
  EXPECT_FALSE(normal_hypothesis_bits(Samples{1}, 1).defined());
}

TEST(SignificantDigits, NormalHypothesisHoldsItsProbability) {
  // With the bits claimed at confidence 0.95, normal errors stay below 2^-bits with probability >= 0.95 in
  // most trials.
  RandomValues random(31);
  auto const normal = [&] {
    double const radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(6.283185307179586 * random.uniform());
  };
  int held = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Samples samples;
    for (int i = 0; i < 30; ++i) {
      samples.push_back(1 + 1e-6 * normal());
    }
    double const bound = std::exp2(-normal_hypothesis_bits(samples, 1).number());
    held += std::erf(bound / 1e-6 / std::sqrt(2.0)) >= 0.95 ? 1 : 0;
  }
  // The bound is two-sided at 0.95, so the lower side holds in 97.5 % of trials; four standard errors are 2
  // %.
  EXPECT_GE(held, 955);
  EXPECT_LE(held, 995);
}

// Expected values: scipy 1.10.1, chi2.ppf.
TEST(SignificantDigits, PenaltyOfContributingBitsIsTheOneOfSohierEtAl) {
  EXPECT_NEAR(contributing_penalty(30), -3.8912367025326366, 1e-12);
  EXPECT_NEAR(contributing_penalty(5, 0.6, 0.9), 0.25014030172342494, 1e-12);
}

TEST(SignificantDigits, AContributingBitIsRightWithItsProbability) {
  // The bit of weight u of |Z| is 0, as in the exact result, where |Z| lies in [2i u, (2i+1) u). The formula
  // is that share to first order in u / sd; the next order is (u / sd)^3 / 30, here 4e-6.
  double const sd = 1;
  double const of_few_samples = normal_hypothesis_penalty(30) - std::log2(1.959963984540054);
  double const u = std::exp2(contributing_penalty(30) - of_few_samples) * sd;
  double share = 0;
  for (int i = 0; 2 * i * u < 40 * sd; ++i) {
    share += std::erf((2 * i + 1) * u / sd / std::sqrt(2.0)) - std::erf(2 * i * u / sd / std::sqrt(2.0));
  }
  EXPECT_NEAR(share, 0.51, 1e-5);
}

TEST(SignificantDigits, BernoulliCountsBitsThatAllSamplesShare) {
  EXPECT_EQ(bernoulli_bits(Samples{1 + 0x1p-10, 1 - 0x1p-12}, 1).number(), 10);
  EXPECT_EQ(bernoulli_bits(Samples{1 + 0x1.8p-10}, 1).number(), 9);
  EXPECT_EQ(bernoulli_bits(Samples{std::nextafter(1.0, 2.0)}, 1).number(), 52);
  EXPECT_EQ(bernoulli_bits(Samples{1, 1}, 1).number(), 53);
  EXPECT_EQ(bernoulli_bits(Samples{3, 1}, 1).number(), -1);
  EXPECT_EQ(bernoulli_bits(Samples{1e-3, -1e-3}, 0, ErrorKind::absolute).number(), 9);
  EXPECT_FALSE(bernoulli_bits(Samples{}, 1).defined());
  EXPECT_FALSE(bernoulli_bits(Samples{1}, 0).defined());
  EXPECT_TRUE(bernoulli_bits(Samples{std::numeric_limits<double>::infinity()}, 1).failed());
}

TEST(SignificantDigits, BernoulliNeeds59SamplesFor95Percent) {
  EXPECT_EQ(bernoulli_samples(0.95, 0.95), 59);
  EXPECT_EQ(bernoulli_samples(0.5, 0.75), 2);
  EXPECT_EQ(bernoulli_samples(0.9, 0.95), 29);
}

TEST(SignificantDigits, BernoulliProbabilityIsThatOfItsNumberOfSamples) {
  EXPECT_NEAR(bernoulli_probability(30), 0.90497, 5e-6);
  EXPECT_GE(bernoulli_probability(bernoulli_samples()), 0.95);
  EXPECT_LT(bernoulli_probability(bernoulli_samples() - 1), 0.95);
}

// Expected values: the statistic of scipy 1.10.1 (stats.anderson), and the published approximation in numpy.
TEST(Normality, IsTheTestOfAndersonAndDarling) {
  EXPECT_NEAR(normality(Samples{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).value(), 0.9566579384676905, 1e-12);
  EXPECT_NEAR(normality(Samples{0, 0, 0, 0, 0, 0, 0, 1, 2, 9}).value(), 3.5212560112793687e-06, 1e-15);
  EXPECT_NEAR(normality(Samples{-1.5, -1.1, -.8, -.4, -.1, .2, .3, .7, 1.2, 1.6, .05}).value(),
              0.9830407451031111, 1e-12);
  EXPECT_NEAR(normality(Samples{1, 2, 2.5, 3, 3.2, 3.4, 3.7, 4, 4.6, 6.5, 9}).value(), 0.14415425339889973,
              1e-12);
  EXPECT_FALSE(normality(Samples{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_FALSE(normality(Samples(30, 0.1)));
}

TEST(Normality, IsRejectedAsOftenAsItsLevelSays) {
  RandomValues random(17);
  int rejected = 0, seen = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Samples samples(30), skewed(30);
    for (auto& sample : samples) sample = 5 + 3 * random.normal();
    rejected += normality(samples).value() < 0.01 ? 1 : 0;
    if (trial >= 1000) continue;
    for (auto& sample : skewed) sample = -std::log(1 - random.uniform());
    seen += normality(skewed).value() < 0.01 ? 1 : 0;
  }
  // The approximation's own rate is 0.0099 (400,000 trials of numpy); four standard errors of this count.
  EXPECT_NEAR(rejected, 198, 4 * std::sqrt(198.0));
  EXPECT_GT(seen, 700);  // 81 % of exponential samples (4000 trials of numpy)
}

}  // namespace
}  // namespace ulpine::verification
