// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/error_ratios.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random_values.hpp"
#include "verification/statistics/equivalence.hpp"

namespace ulpine::verification {
namespace {

using test::RandomValues;

/// Distances of members: norms of normal vectors of `freedom` components, of mean square 1.
std::vector<double> distances(RandomValues& random, int members, int freedom) {
  std::vector<double> result;
  for (int m = 0; m < members; ++m) {
    double sum = 0;
    for (int i = 0; i < freedom; ++i) {
      auto const x = random.normal();
      sum += x * x;
    }
    result.push_back(std::sqrt(sum / freedom));
  }
  return result;
}

TEST(ErrorRatios, AreThoseOfHandCalculation) {
  // Squares 1, 4, 7: mean 4, standard deviation 3, so a scatter of 3/4.
  std::vector<double> const spread = {1, 2, std::sqrt(7.0)};
  auto const found = error_ratio(1, spread);
  EXPECT_EQ(found.members, 3);
  EXPECT_NEAR(found.ratio, 0.5, 1e-15);
  EXPECT_NEAR(found.scatter, 0.75, 1e-15);
  // Student's t of 2 degrees of freedom at 0.975 is 4.302653, and P(T < t) = 1/2 + t / (2 sqrt(2 + t^2)).
  auto const half = 4.302653 * 0.75 / std::sqrt(3.0) / 2;
  EXPECT_NEAR(found.low, 0.5 * std::exp(-half), 1e-7);
  EXPECT_NEAR(found.high, 0.5 * std::exp(half), 1e-6);
  auto const cdf = [](double t) { return 0.5 + t / (2 * std::sqrt(2 + t * t)); };
  EXPECT_NEAR(found.inside, cdf(2 * std::log(2) / (0.75 / std::sqrt(3.0))), 1e-12);
  EXPECT_NEAR(found.outside, cdf(2 * std::log(2) / (0.75 * std::sqrt(4.0 / 3))), 1e-12);
  EXPECT_NEAR(error_ratio(8, spread).outside, cdf(-4 * std::log(2) / (0.75 * std::sqrt(4.0 / 3))), 1e-12);
}

TEST(ErrorRatios, HaveLimits) {
  EXPECT_EQ(error_ratio(0, std::vector<double>{1.0, 2, 3}).ratio, 0);
  EXPECT_EQ(error_ratio(0, std::vector<double>{1.0, 2, 3}).inside, 1);
  EXPECT_EQ(error_ratio(0.5, std::vector<double>{1.0, 1, 1}).inside, 1) << "no scatter";
  EXPECT_EQ(error_ratio(2, std::vector<double>{1.0, 1, 1}).outside, 0);
  EXPECT_DOUBLE_EQ(error_ratio(1e-200, std::vector<double>{1e-200, 2e-200, 3e-200}).ratio,
                   error_ratio(1, std::vector<double>{1.0, 2, 3}).ratio)
      << "squares would vanish";
  EXPECT_DOUBLE_EQ(error_ratio(1, std::vector<double>{0.0, 0, 1}).ratio, std::sqrt(3.0));
}

// An error that is a member's own: called outside in no more than the nominal share, whatever the number of
// components; an interval of the spread alone would call every fourth so.
TEST(ErrorRatios, CallAMembersDistanceOutsideInFivePerCentAtMost) {
  for (int const freedom : {3, 10, 100}) {
    for (int const members : {4, 24}) {
      RandomValues random(91);
      constexpr int studies = 4000;
      int outside = 0, by_the_mean = 0;
      for (int study = 0; study < studies; ++study) {
        auto const spread = distances(random, members, freedom);
        auto const found = error_ratio(distances(random, 1, freedom)[0], spread);
        outside += found.outside <= 0.05 ? 1 : 0;
        by_the_mean += found.inside <= 0.05 ? 1 : 0;
      }
      // Three standard errors of 0.34 %. Logarithms of squares have a longer tail downwards than upwards.
      EXPECT_LE(double(outside) / studies, 0.0604) << freedom << " " << members;
      EXPECT_GT(double(by_the_mean) / studies, members == 24 ? 0.2 : 0.1) << freedom << " " << members;
    }
  }
}

TEST(ErrorRatios, CallInsideWronglyInFivePerCentAtMost) {
  RandomValues random(92);
  for (int const members : {8, 24}) {
    constexpr int studies = 4000;
    int inside = 0;
    for (int study = 0; study < studies; ++study) {
      inside += error_ratio(1, distances(random, members, 30)).inside >= 0.95 ? 1 : 0;
    }
    // An error of just the spread; 0.34 % standard error, three of them, and the delta method's skewness.
    EXPECT_LE(double(inside) / studies, 0.07) << members;
    EXPECT_GE(double(inside) / studies, 0.02) << members;
  }
}

TEST(ErrorRatios, SayHowManyMembersWouldDecide) {
  ErrorRatio found;
  found.ratio = 0.9;
  found.scatter = 0.5;
  found.members = 8;
  auto const n = members_to_decide(found);
  ASSERT_GT(n, 8);
  ASSERT_LT(n, most_pairs);
  RandomValues random(93);
  constexpr int studies = 400;
  int answered = 0;
  // Squares of 8 normal numbers scatter by sqrt(2/8) = 0.5.
  for (int study = 0; study < studies; ++study) {
    answered += error_ratio(0.9, distances(random, int(n), 8)).inside >= 0.95 ? 1 : 0;
  }
  EXPECT_NEAR(double(answered) / studies, 0.8, 0.07) << n;
  found.ratio = 1.1;
  EXPECT_EQ(members_to_decide(found), most_pairs + 1);
}

}  // namespace
}  // namespace ulpine::verification
