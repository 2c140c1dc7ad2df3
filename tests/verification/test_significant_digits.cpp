// SPDX-License-Identifier: Apache-2.0
#include "verification/significant_digits.hpp"

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

}  // namespace
}  // namespace ulpine::verification
