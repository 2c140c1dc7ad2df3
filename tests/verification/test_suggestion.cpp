// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/suggestion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ulpine::verification {
namespace {

/// Errors that begin at `first` and grow by e in `scale` s, to saturation at 1, as a field of that resolution
/// shows them.
NoiseGrowth exponential(double first, double scale, double resolution, int outputs = 60) {
  NoiseGrowth growth{.field = "x", .resolution = resolution, .saturation = 1};
  for (int t = 0; t < outputs; ++t) {
    growth.time_s.push_back(t);
    growth.error.push_back(std::max(std::min(first * std::exp(t / scale), 1.0), t > 0 ? resolution : 0.0));
  }
  return growth;
}

TEST(Suggestion, FindsTheExponentOfAnExponential) {
  for (double const scale : {0.7, 2.0, 5.0}) {
    auto const rate = growth_rate(exponential(1e-12, scale, 1e-16, 100));
    ASSERT_TRUE(rate);
    EXPECT_NEAR(rate->per_s, 1 / scale, 1e-12);
    EXPECT_GE(rate->begin_s, 0);
  }
}

TEST(Suggestion, LooksAtNeitherTheLastBitNorSaturation) {
  // Before 10 times the resolution and after a tenth of saturation it is flat.
  auto const growth = exponential(1e-9, 2, 6e-8);
  auto const rate = growth_rate(growth);
  ASSERT_TRUE(rate);
  EXPECT_NEAR(rate->per_s, 0.5, 1e-12);
  EXPECT_GT(growth.error[static_cast<std::size_t>(rate->begin_s)], 10 * growth.resolution);
  EXPECT_LT(growth.error[static_cast<std::size_t>(rate->end_s)], 0.1);
}

TEST(Suggestion, SaysNothingOfWhatDoesNotGrow) {
  auto flat = exponential(1e-6, 1e9, 0);
  for (auto& error : flat.error) error = 1e-6;
  EXPECT_FALSE(growth_rate(flat));
  auto falling = exponential(1e-3, -3, 0);
  EXPECT_FALSE(growth_rate(falling));
  EXPECT_FALSE(growth_rate(exponential(1e-6, 0.05, 0, 3)));  // too few outputs before saturation
  auto const suggestion = suggest({flat}, 1e-6);
  EXPECT_FALSE(suggestion.until_s);
  EXPECT_EQ(suggestion.amplitude, 1e-6);
}

TEST(Suggestion, RaisesAnAmplitudeThatFilesHide) {
  // At the first output after the start the error is that of the last bit, 6e-8: a hundred times more is
  // wanted.
  auto const suggestion = suggest({exponential(1e-12, 1e9, 6e-8)}, 1e-10);
  EXPECT_NEAR(suggestion.amplitude, 1e-8, 1e-20);
  // In double the same noise is seen at once, and stays.
  EXPECT_EQ(suggest({exponential(1e-12, 1e9, 1e-16)}, 1e-10).amplitude, 1e-10);
}

TEST(Suggestion, DoesNotRaiseItBeyondLinearGrowth) {
  // The error at the first output may become a hundredth of saturation, and the amplitude with it.
  auto const growth = exponential(1e-3, 1e9, 2e-4);
  EXPECT_NEAR(suggest({growth}, 1e-6).amplitude, 1e-6 * 0.01 / growth.error[1], 1e-12);
}

TEST(Suggestion, EndsWhereTrajectoriesPart) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    auto const scale = std::uniform_real_distribution(1.0, 4.0)(random);
    auto const first = std::pow(10, std::uniform_real_distribution(-12.0, -6.0)(random));
    auto const suggestion = suggest({exponential(first, scale, 1e-16)}, 1e-5);
    ASSERT_TRUE(suggestion.until_s);
    EXPECT_NEAR(*suggestion.until_s, scale * std::log(0.5 / first), 1e-6) << scale << " " << first;
  }
}

TEST(Suggestion, TakesTheSlowestField) {
  auto fast = exponential(1e-9, 1, 1e-16), slow = exponential(1e-9, 3, 1e-16);
  EXPECT_NEAR(*suggest({fast, slow}, 1e-6).until_s, 3 * std::log(0.5e9), 1e-6);
}

TEST(Suggestion, TellsOfFieldsThatTheNoiseDoesNotReach) {
  NoiseGrowth still{.field = "mask", .time_s = {0, 1, 2}, .error = {0, 0, 0}, .saturation = 1};
  auto const suggestion = suggest({still}, 1e-6);
  ASSERT_FALSE(suggestion.reasons.empty());
  EXPECT_NE(suggestion.reasons.front().find("mask: noise of 1e-06 does not show"), std::string::npos);
}

// Simulated: so many members of each of two equal ensembles, and how often two one-sided t tests show that
// their means are within the margin.
TEST(Suggestion, NeedsAsManyMembersAsTheTestDoes) {
  EXPECT_EQ(members_for_equivalence(1), 22);
  EXPECT_EQ(members_for_equivalence(0.5), 87);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  auto const members = members_for_equivalence(1);
  int shown = 0;
  constexpr int trials = 4000;
  for (int trial = 0; trial < trials; ++trial) {
    double mean[2] = {0, 0};
    for (auto& one : mean) {
      for (int m = 0; m < members; ++m) one += normal(random) / members;
    }
    // The standard deviation is known to be 1: the normal test.
    shown += std::abs(mean[0] - mean[1]) + 1.6448536269514722 * std::sqrt(2.0 / members) < 1;
  }
  EXPECT_NEAR(shown / double(trials), 0.9, 0.02);
}

}  // namespace
}  // namespace ulpine::verification
