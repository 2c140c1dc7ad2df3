// SPDX-License-Identifier: Apache-2.0
// The statistics under the joint test of means and spreads, relabelling, and the margins of a verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "consistency/judging.hpp"
#include "consistency/trials.hpp"
#include "verification/consistency/consistency.hpp"
#include "verification/consistency/joint.hpp"
#include "verification/consistency/margins.hpp"
#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {
namespace {

using consistency_trials::draw, consistency_trials::Trial;
using judging::means_in;

TEST(Matrices, EigenvectorsRebuildTheMatrixAndAreOrthonormal) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  constexpr std::size_t n = 17;
  std::vector<double> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix[i * n + j] = matrix[j * n + i] = normal(random);
  }
  auto const eigen = eigen_of_symmetric(matrix, n);
  constexpr double bound = 1e-13;  // n eps times the norm, about 6
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double rebuilt = 0, product = 0;
      for (std::size_t k = 0; k < n; ++k) {
        rebuilt += eigen.values[k] * eigen.vectors[k][i] * eigen.vectors[k][j];
        product += eigen.vectors[i][k] * eigen.vectors[j][k];
      }
      EXPECT_NEAR(rebuilt, matrix[i * n + j], bound);
      EXPECT_NEAR(product, i == j ? 1 : 0, bound);
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(eigen.values, std::greater<>()));
}

TEST(Matrices, InverseTimesMatrixIsTheUnitMatrix) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  constexpr std::size_t n = 9;
  std::vector<double> root(n * n), matrix(n * n, 0);
  for (auto& value : root) value = normal(random);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) matrix[i * n + j] += root[i * n + k] * root[j * n + k];
      if (i == j) matrix[i * n + j] += 1;
    }
  }
  auto const inverse = inverse_of_definite(matrix, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < n; ++k) product += matrix[i * n + k] * inverse[k * n + j];
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12);
    }
  }
  EXPECT_TRUE(inverse_of_definite({1, 1, 1, 1}, 2).empty());
}

TEST(Deviates, AreExceededAsOftenAsTheStatisticsTheyStandFor) {
  // Student's t of 12 degrees beyond 3.0545 and F(7, 9) beyond 3.2927 have 1 % and 5 % (tables of Fisher and
  // Yates).
  EXPECT_NEAR(deviate_of_t(3.0545, 12), 2.5758, 0.01);
  EXPECT_NEAR(deviate_of_t(-3.0545, 12), -2.5758, 0.01);
  EXPECT_NEAR(deviate_of_ratio(3.2927, 7, 9), 1.6449, 0.01);
}

TEST(Deviates, OfSumsOfSquaresAreFiniteWhereOneIsZero) {
  EXPECT_EQ(deviate_of_squares(21, 7, 27, 9), deviate_of_ratio(1, 9, 7));
  EXPECT_GE(deviate_of_squares(0, 7, 27, 9), deviate_of_ratio(1e6, 9, 7));
  EXPECT_LE(deviate_of_squares(21, 7, 0, 9), deviate_of_ratio(1e-6, 9, 7));
  EXPECT_EQ(deviate_of_squares(0, 7, 0, 9), 0);
}

TEST(NormalScores, AreThoseOfVanDerWaerden) {
  // scipy 1.10: norm.ppf(rankdata(x, "ordinal") / 9), the mean of tied ones.
  std::vector<double> const values = {3, 1, 4, 1, 5, 9, 2, 6};
  double const expected[] = {-0.13971029888186212, -0.9926750113168685, 0.13971029888186212,
                             -0.9926750113168685,  0.43072729929545744, 1.2206403488473496,
                             -0.43072729929545756, 0.7647096737863871};
  auto const scores = normal_scores(values);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(scores[i], expected[i], 1e-14);
}

/// A difference that one family sees, beside another whose statistics are all the same but for rare huge
/// ones.
TEST(Relabelling, GivesEachFamilyItsShareHoweverHeavyTheTailOfAnother) {
  constexpr std::size_t n = 30, m = 20;
  std::mt19937_64 random(21);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  for (std::size_t i = 0; i < n + m; ++i) values.push_back(normal(random) + (i >= n ? 2.0 : 0.0));
  auto const difference = [&](std::span<std::size_t const> order) {
    double sum = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      sum += i < n ? -values[order[i]] / n : values[order[i]] / m;
    return std::abs(sum);
  };
  Labellings labellings(n, m, 1);
  auto const alone = relabel(labellings, 0.01, difference);
  auto const both =
      relabel(labellings, 0.01, 2, [&](std::span<std::size_t const> order, std::span<double> largest) {
        largest[0] = difference(order);
        largest[1] = std::pow(10.0, double(order.back() % 10));
      });
  EXPECT_LE(alone.p, 0.01);
  EXPECT_LE(both.p, 0.01);
  EXPECT_EQ(both.p, both.share_of(difference(labellings.given())));
  EXPECT_GT(both.limit_of(1), 100 * both.limit_of(0));
}

/// p of relabelling is at most x with chance x, also of two families of which neither knows of the other.
TEST(Relabelling, RejectsEqualRunsAtItsRate) {
  constexpr std::size_t n = 7, m = 5;
  std::mt19937_64 random(22);
  std::student_t_distribution<double> heavy(2);
  int rejected = 0;
  constexpr int trials = 1000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(n + m);
    for (auto& value : values) value = heavy(random);
    Labellings labellings(n, m, std::uint64_t(trial));
    auto const test =
        relabel(labellings, 0.1, 2, [&](std::span<std::size_t const> order, std::span<double> largest) {
          double sum = 0, squares = 0;
          for (auto const run : order.last(m)) {
            sum += values[run];
            squares += values[run] * values[run];
          }
          largest[0] = std::abs(sum);
          largest[1] = squares;
        });
    rejected += test.p <= 0.1 ? 1 : 0;
  }
  // Five standard errors of a binomial count of 1000 at 10 %.
  EXPECT_NEAR(rejected, 100, 5 * std::sqrt(1000 * 0.1 * 0.9));
}

TEST(Relabelling, DrawsEveryRunAsOftenIntoTheNewOnes) {
  constexpr std::size_t n = 25, m = 10;
  std::vector<int> drawn(n + m, 0);
  Labellings labellings(n, m, 3);
  constexpr int draws = 7000;
  for (int k = 0; k < draws; ++k) {
    auto const order = labellings(k);
    EXPECT_NE(order[n], order[n + 1]);
    for (auto const run : order.last(m)) ++drawn[run];
  }
  // Of 10 in 35 each: five standard errors.
  for (auto const count : drawn) EXPECT_NEAR(count, 2000, 5 * std::sqrt(draws * 2.0 / 7 * 5 / 7));
}

/// 20 and 12 runs of 3 variables.
Means waves() {
  Means means;
  for (int i = 0; i < 32; ++i) {
    auto const a = std::sin(1.7 * i + 0.3), b = std::cos(2.3 * i) + 0.5 * a, c = std::sin(0.9 * i * i);
    (i < 20 ? means.ensemble : means.tests).rows.push_back({a + (i < 20 ? 0 : 0.8), b, c});
  }
  means.ensemble.names = means.tests.names = {"a", "b", "c"};
  return means;
}

TEST(JointTest, ComparesAsScipyAndRegressionDo) {
  // numpy 1.24, scipy 1.10: ttest_ind; lstsq on the other variables and the label, t of the label; of ranks
  // the same of norm.ppf(rankdata(x) / 33); ratios of variances; of residuals of lstsq in the first group
  // alone, the second's divided by 1 + 2 / 17.
  struct {
    char const* what;
    double expected[3];
  } const all[] = {
      {"mean", {2.763138518439161, -0.32690973828007086, -0.769539371626608}},
      {"mean given the others", {2.958416908912671, -1.4797869511751158, 0.45088202948532313}},
      {"location by ranks", {2.8688848431619354, -0.432275518754422, -0.996371189672413}},
      {"location by ranks given the others", {2.874033984171252, -1.3539413359557164, 0.09767113534214478}},
      {"spread",
       {deviate_of_ratio(0.9723773050045221, 11, 19), deviate_of_ratio(0.9656142184211243, 11, 19),
        deviate_of_ratio(1.1240281317639094, 11, 19)}},
      {"spread by ranks",
       {deviate_of_ratio(1.0980058979200884, 11, 19), deviate_of_ratio(0.8380440128904834, 11, 19),
        deviate_of_ratio(1.0081956499530662, 11, 19)}},
      {"spread given the others",
       {deviate_of_ratio(0.6044295532589238, 11, 17), deviate_of_ratio(0.8989969034820167, 11, 17),
        deviate_of_ratio(0.9282430382863373, 11, 17)}}};
  auto const means = waves();
  auto const test = joint_test(means.ensemble, means.tests, 0.05, 1);
  ASSERT_EQ(test.findings.size(), 21u);
  for (auto const& [what, expected] : all) {
    for (std::size_t v = 0; v < 3; ++v) {
      auto const found = std::ranges::find_if(test.findings, [&](JointFinding const& finding) {
        return finding.what == what && finding.variable == means.ensemble.names[v];
      });
      ASSERT_NE(found, test.findings.end()) << what;
      EXPECT_NEAR(found->deviate, expected[v], 1e-9) << what << " of " << found->variable;
    }
  }
}

TEST(JointTest, LeavesConditionsOutWhereVariablesDependOnEachOther) {
  auto means = waves();
  for (auto* table : {&means.ensemble, &means.tests}) {
    table->names.push_back("sum");
    for (auto& row : table->rows) row.push_back(row[0] + row[1]);
  }
  auto const test = joint_test(means.ensemble, means.tests, 0.05, 1);
  for (auto const& finding : test.findings) {
    // Scores of a sum are no sum of scores.
    if (finding.what == "mean given the others" || finding.what == "spread given the others") {
      EXPECT_EQ(finding.deviate, 0) << finding.what;
    }
  }
}

/// One variable of heavy or light tails.
Table column_of(std::size_t runs, double shift, double factor, bool heavy, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> student(5);
  Table table{{"a"}, {}};
  for (std::size_t i = 0; i < runs; ++i)
    table.rows.push_back({factor * (heavy ? student(random) * std::sqrt(0.6) : normal(random)) + shift});
  return table;
}

class MarginsAt : public testing::TestWithParam<bool> {};

TEST_P(MarginsAt, AreSeldomExcludedWhereTheyAreTrue) {
  std::mt19937_64 random(31);
  constexpr int trials = 400;
  struct {
    double shift, factor;
    char const* what;
  } const all[] = {{1.5, 1, "a mean higher"},
                   {-1.5, 1, "a mean lower"},
                   {0, 3, "times as large"},
                   {0, 1 / 3., "times as small"}};
  for (auto const& [shift, factor, what] : all) {
    int excluded = 0;
    for (int trial = 0; trial < trials; ++trial) {
      auto const ensemble = column_of(12, 0, 1, GetParam(), random),
                 tests = column_of(12, shift, factor, GetParam(), random);
      auto const open = not_excluded(ensemble, tests, {}, 0.05, std::uint64_t(trial));
      excluded += std::ranges::none_of(
                      open, [&](Unexcluded const& one) { return one.what.find(what) != std::string::npos; })
                      ? 1
                      : 0;
    }
    // 5 %, and 2 % for what is of first order: the ensemble's own standard deviation, a median that is
    // estimated; three standard errors of 400 trials.
    EXPECT_LE(excluded, 400 * 0.07 + 3 * std::sqrt(400 * 0.07 * 0.93)) << what;
  }
}
INSTANTIATE_TEST_SUITE_P(Tails, MarginsAt, testing::Bool());

TEST(Margins, AreAllExcludedByEnoughEqualRunsAndNoneByFew) {
  std::mt19937_64 random(32);
  auto const ensemble = column_of(60, 0, 1, false, random);
  EXPECT_TRUE(not_excluded(ensemble, column_of(60, 0, 1, false, random), {}, 0.05, 1).empty());
  auto const open = not_excluded(ensemble, column_of(60, 1.8, 1, false, random), {}, 0.05, 1);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open.front().what, "a mean higher by 1.5 standard deviations");
  EXPECT_GT(open.front().p, 0.05);
  auto const few =
      not_excluded(column_of(5, 0, 1, false, random), column_of(3, 0, 1, false, random), {}, 0.05, 1);
  ASSERT_FALSE(few.empty());
  for (auto const& difference : few) EXPECT_GT(difference.runs_needed, 3);
}

TEST(JointTest, DoesNotDependOnUnitsOrOrder) {
  auto const drawn = draw(Trial{.population = {}, .fault = {.name = "", .shift = 1}}, 5, 0);
  auto const means = means_in(drawn);
  auto const plain = joint_test(means.ensemble, means.tests, 0.01, 1);
  auto scaled = means;
  for (auto* table : {&scaled.ensemble, &scaled.tests}) {
    for (auto& row : table->rows) {
      for (auto& value : row) value *= 1024;
    }
  }
  auto const in_other_units = joint_test(scaled.ensemble, scaled.tests, 0.01, 1);
  EXPECT_EQ(in_other_units.p, plain.p);
  EXPECT_EQ(in_other_units.findings.front().deviate, plain.findings.front().deviate);
  std::ranges::reverse(scaled.ensemble.rows);
  auto const reversed = joint_test(scaled.ensemble, scaled.tests, 0.01, 1);
  EXPECT_NEAR(reversed.findings.front().deviate, plain.findings.front().deviate, 1e-9);
}

TEST(JointTest, SeesAConstantThatBecameAnother) {
  Table ensemble{{"a", "b"}, {}}, tests{{"a", "b"}, {}};
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 12; ++i) {
    ensemble.rows.push_back({normal(random), 1});
    tests.rows.push_back({normal(random), 2});
  }
  auto const test = joint_test(ensemble, tests, 0.01, 1);
  EXPECT_EQ(test.findings.front().variable, "b");
  EXPECT_LE(test.p, 0.01);
  // By its mean as by its ranks.
  for (auto const* what : {"mean", "location by ranks"}) {
    auto const found = std::ranges::find_if(
        test.findings, [&](auto const& finding) { return finding.what == what && finding.variable == "b"; });
    ASSERT_NE(found, test.findings.end());
    EXPECT_GT(found->deviate, found->limit) << what;
  }
}

TEST(JointTest, SeesAFallAsItSeesARise) {
  auto const means = waves();
  auto mirrored = means;
  for (auto* table : {&mirrored.ensemble, &mirrored.tests}) {
    for (auto& row : table->rows) {
      for (auto& value : row) value = -value;
    }
  }
  auto const rises = joint_test(means.ensemble, means.tests, 0.05, 1),
             falls = joint_test(mirrored.ensemble, mirrored.tests, 0.05, 1);
  ASSERT_EQ(falls.findings.size(), rises.findings.size());
  for (auto const& rise : rises.findings) {
    auto const fall = std::ranges::find_if(falls.findings, [&](auto const& finding) {
      return finding.what == rise.what && finding.variable == rise.variable;
    });
    ASSERT_NE(fall, falls.findings.end());
    EXPECT_NEAR(std::abs(fall->deviate), std::abs(rise.deviate), 1e-9) << rise.what;
    EXPECT_NEAR(fall->limit, rise.limit, 1e-9) << rise.what;
    EXPECT_EQ(fall->p, rise.p) << rise.what;
  }
}

}  // namespace
}  // namespace ulpine::verification::consistency
