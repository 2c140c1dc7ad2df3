// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/two_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace ulpine::verification {
namespace {

// What scipy 1.10.1 (numpy 1.24.2, Python 3.11.2; 2026-11-23) says of these samples and arguments:
//   D of ks_2samp and kstwobign.sf(D sqrt(n m / (n + m))); cramervonmises_2samp with method "exact" and
//   "asymptotic"; levene(center="median").
std::vector<double> const a = {0.11, 0.52, -1.3, 2.4, 0.9, 1.7, -0.25, 0.33, 1.05, -0.7, 0.61, 1.9};
std::vector<double> const b = {1.2, 2.9, 3.3, 0.95, 1.44, 4.1, 2.05, -0.4, 2.2};
std::vector<double> const x = {-0.801931, -1.324359, -0.248362, 0.420445,  1.136047,  0.109706,
                               -0.552647, -0.78478,  0.748746,  1.634783,  0.272769,  -1.233329,
                               -0.958265, 1.600019,  0.202882,  -1.732135, -0.083696, -1.163226,
                               -0.629288, -0.488006, -0.713313, 0.553378,  -0.063086, -0.589431,
                               0.409638,  0.829855,  -1.643023, -0.25673,  -0.980747, -0.173155};
std::vector<double> const y = {-0.889419, 0.42069,   0.362114,  0.095662,  -0.647927, 0.00381,
                               -0.691329, -0.955209, 0.624786,  -0.70935,  1.570296,  1.116588,
                               -1.597817, 0.672129,  -0.701717, 0.433057,  0.443632,  -1.58843,
                               0.166577,  0.14421,   1.362001,  -0.781447, 1.138042,  -0.698973};

constexpr double rounding = 1e-12;  // relative, of some hundred operations in double on either side

void expect_near(std::optional<double> value, double expected, double relative = rounding) {
  ASSERT_TRUE(value.has_value());
  EXPECT_NEAR(*value, expected, relative * std::abs(expected));
}

TEST(KolmogorovSmirnovAsymptotic, AgreesWithScipy) {
  auto const test = kolmogorov_smirnov_asymptotic(a, b);
  expect_near(test.statistic, 0.55555555555555558);
  expect_near(test.p, 0.083615272731782014);
}

TEST(KolmogorovSmirnovAsymptotic, ApproachesTheExactTestInLargeSamples) {
  // The limit is off by a term of order 1/sqrt(n) = 3 %; of p itself some tenths of that (Stephens 1970).
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> s(1000), t(900);
  for (auto& value : s) value = normal(random);
  for (auto& value : t) value = normal(random) + 0.08;
  auto const exact = kolmogorov_smirnov(s, t), limit = kolmogorov_smirnov_asymptotic(s, t);
  EXPECT_NEAR(*limit.p / *exact.p, 1, 0.1);
}

TEST(CramerVonMises, AgreesWithScipysExactDistribution) {
  auto const test = cramer_von_mises(a, b);
  expect_near(test.statistic, 0.57936507936507953);
  expect_near(test.p, 0.025012758139693125);
}

TEST(CramerVonMises, AgreesWithScipysLimitInLargeSamplesAndWithTies) {
  auto const large = cramer_von_mises(x, y);
  expect_near(large.statistic, 0.12777777777777821, 1e-11);  // U - its least value cancels two digits
  expect_near(large.p, 0.47844714688356149, 1e-9);  // scipy sums its series until terms are below 1e-7 or so
  auto const tied = cramer_von_mises(std::vector<double>{1, 2, 2, 3, 3, 3, 4, 5},
                                     std::vector<double>{2, 3, 3, 4, 4, 5, 5, 6});
  expect_near(tied.statistic, 0.265625);
  expect_near(tied.p, 0.17783586396802054, 1e-9);
}

TEST(CramerVonMises, CountsEveryOrderingOfSmallSamples) {
  // 3 against 4: all 35 choices of places, the statistic by its definition.
  std::vector<double> const values = {1, 2, 3, 4, 5, 6, 7};
  auto const statistic = [&](std::vector<int> const& first) {
    double sum = 0, f = 0, g = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      first[i] == 1 ? f += 1.0 / 3 : g += 1.0 / 4;
      sum += (f - g) * (f - g);
    }
    return 12.0 / 49 * sum;
  };
  std::vector<int> labels = {1, 1, 0, 1, 0, 0, 0};
  auto const observed = statistic(labels);
  std::vector<double> first, second;
  for (std::size_t i = 0; i < values.size(); ++i) (labels[i] == 1 ? first : second).push_back(values[i]);
  std::ranges::sort(labels);
  int as_large = 0, all = 0;
  do {
    ++all;
    as_large += statistic(labels) >= observed - 1e-12 ? 1 : 0;
  } while (std::ranges::next_permutation(labels).found);
  EXPECT_EQ(all, 35);
  auto const test = cramer_von_mises(first, second);
  expect_near(test.statistic, observed);
  expect_near(test.p, double(as_large) / 35);
}

TEST(BrownForsythe, AgreesWithScipysLeveneAboutMedians) {
  auto const test = brown_forsythe(a, b);
  expect_near(*test.statistic * *test.statistic, 0.45058441363398288);
  expect_near(test.p, 0.51013679161099024);
}

TEST(TwoSampleTests, SayWhyThereIsNoVerdict) {
  std::vector<double> const few = {1, 2}, odd = {1, 2, 3, std::numeric_limits<double>::quiet_NaN(), 5};
  for (auto const test : {kolmogorov_smirnov_asymptotic, cramer_von_mises, brown_forsythe}) {
    EXPECT_FALSE(test(few, a).p.has_value());
    EXPECT_NE(test(few, a).reason.find("2 and 12"), std::string::npos);
    EXPECT_NE(test(odd, a).reason.find("not finite"), std::string::npos);
  }
}

TEST(AdjustedP, RejectsWhatTheStepUpRulesReject) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> p(1 + trial % 15);
    for (auto& value : p) value = std::pow(uniform(random), 3);
    auto const hochberg = adjusted_p(p, Correction::benjamini_hochberg),
               yekutieli = adjusted_p(p, Correction::benjamini_yekutieli);
    auto const by_hochberg = benjamini_hochberg(p, 0.07), by_yekutieli = benjamini_yekutieli(p, 0.07);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_EQ(hochberg[i] <= 0.07, by_hochberg[i]);
      EXPECT_EQ(yekutieli[i] <= 0.07, by_yekutieli[i]);
    }
  }
}

TEST(AdjustedP, IsTheClosureOfBonferroniForHolm) {
  // A hypothesis is rejected where Bonferroni rejects every set of hypotheses that it is in (Marcus, Peritz
  // and Gabriel 1976): its adjusted p is the largest of size x least p over these sets.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> p(8);
    for (auto& value : p) value = std::pow(uniform(random), 3);
    auto const adjusted = adjusted_p(p, Correction::holm);
    for (std::size_t i = 0; i < p.size(); ++i) {
      double largest = 0;
      for (unsigned set = 0; set < 256; ++set) {
        if ((set >> i & 1) == 0) continue;
        double least = 1, size = 0;
        for (std::size_t j = 0; j < p.size(); ++j) {
          if ((set >> j & 1) == 0) continue;
          ++size;
          least = std::min(least, p[j]);
        }
        largest = std::max(largest, std::min(1.0, size * least));
      }
      EXPECT_NEAR(adjusted[i], largest, rounding);
    }
  }
}

TEST(AdjustedP, CountsTestsWithoutVerdictIntoTheFamily) {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  auto const adjusted = adjusted_p(std::vector<double>{0.01, nan, nan}, Correction::holm);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_TRUE(std::isnan(adjusted[1]));
}

}  // namespace
}  // namespace ulpine::verification
