// SPDX-License-Identifier: Apache-2.0
// The rules of PyCECT and probtest on numbers whose answers are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"
#include "verification/consistency/numpy_sums.hpp"
#include "verification/consistency/probtest_tables.hpp"
#include "verification/consistency/pycect.hpp"

namespace ulpine::verification::consistency {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Words = std::vector<std::string>;

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}
/// Whether there are as many lines as parts, each of which is in its line.
bool are(Words const& lines, Words const& parts) { return std::ranges::equal(lines, parts, contains); }

TEST(NumpySums, HaveTheBitsOfNumpy) {
  // numpy.sum and numpy.std(ddof=1) of arange(1, 1001)**-1.5, NumPy 1.24.2, November 2026; a sum from left to
  // right ends in other bits.
  std::vector<double> values;
  std::vector<float> singles;
  for (int i = 1; i <= 1000; ++i) {
    values.push_back(std::pow(double(i), -1.5));
    singles.push_back(float(values.back()));
  }
  std::vector<double> scratch(values.size());
  EXPECT_EQ(numpy::sum(std::span<double const>(values)), 0x1.464a6732a2f7dp+1);
  EXPECT_EQ(numpy::sum(std::span<float const>(singles)), 0x1.464a68p+1F);
  EXPECT_EQ(numpy::deviation(values, scratch), 0x1.1b652f513e304p-5);
}

/// `variables` normal means of `members` runs, correlated by a common part.
PycectMeans made_means(std::size_t variables, std::size_t members, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  PycectMeans means{{}, {variables}, std::vector(variables, std::vector<double>(members))};
  for (std::size_t v = 0; v < variables; ++v) means.names.push_back("v" + std::to_string(v));
  for (std::size_t run = 0; run < members; ++run) {
    auto const common = normal(random);
    for (std::size_t v = 0; v < variables; ++v)
      means.means[v][run] = 280 + double(v) * common + normal(random);
  }
  return means;
}

TEST(Pycect, LeavesOutWhatIsConstantHasFewValuesOrDepends) {
  auto means = made_means(6, 100);
  means.parts = {2, 4};
  for (std::size_t run = 0; run < 100; ++run) {
    means.means[1][run] = 3.25;
    means.means[3][run] = double(run % 2);  // 2 values: fewer than 3 % of 100
    means.means[5][run] = 2 * means.means[0][run] - means.means[2][run] + 1;
  }
  std::vector<std::string> notes;
  auto const ensemble = pycect_ensemble(std::move(means), PycectModel::cam, notes);
  EXPECT_EQ(ensemble.names.size(), 3U);
  for (auto const* name : {"v1", "v3"}) EXPECT_EQ(std::ranges::count(ensemble.names, name), 0);
  EXPECT_EQ(ensemble.parts[0], std::size_t(std::ranges::count(ensemble.names, "v0")));
  EXPECT_EQ(ensemble.parts[0] + ensemble.parts[1], 3U);
  EXPECT_TRUE(
      are(notes, {"constant over the ensemble): v1", "fewer distinct values than 3 % of the members): v3",
                  "1 variable left out as PyCECT does (linearly dependent"}));
}

TEST(Pycect, KeepsAVariableOfAsManyValuesAsThreePercent) {
  auto means = made_means(3, 100);
  for (std::size_t run = 0; run < 100; ++run) means.means[1][run] = double(run % 3);
  std::vector<std::string> notes;
  EXPECT_EQ(pycect_ensemble(std::move(means), PycectModel::cam, notes).names, Words({"v0", "v1", "v2"}));
}

TEST(Pycect, ScoresOfMembersAreUncorrelatedWithTheirDeviations) {
  std::vector<std::string> notes;
  auto const ensemble = pycect_ensemble(made_means(7, 60), PycectModel::mpas, notes);
  std::vector<std::vector<double>> scores(7, std::vector<double>(60));
  for (std::size_t k = 0; k < 7; ++k) {
    for (std::size_t run = 0; run < 60; ++run) {
      for (std::size_t v = 0; v < 7; ++v)
        scores[k][run] +=
            ensemble.loadings[v][k] * (ensemble.means[v][run] - ensemble.mean[v]) / ensemble.deviation[v];
    }
  }
  for (std::size_t a = 0; a < 7; ++a) {
    for (std::size_t b = 0; b < 7; ++b) {
      double product = 0;
      for (std::size_t run = 0; run < 60; ++run) product += scores[a][run] * scores[b][run] / 59;
      EXPECT_NEAR(product, a == b ? std::pow(ensemble.score_deviation[a], 2) : 0, 1e-11) << a << ", " << b;
    }
  }
  for (std::size_t k = 1; k < 7; ++k) EXPECT_GE(ensemble.score_deviation[k - 1], ensemble.score_deviation[k]);
}

TEST(Pycect, RefusesMoreVariablesThanMembers) {
  std::vector<std::string> notes;
  EXPECT_THROW(pycect_ensemble(made_means(8, 7), PycectModel::cam, notes), InputError);
}

/// Components that are the variables, of mean 0 and standard deviation 1.
PycectEnsemble plain_ensemble(std::size_t variables) {
  PycectEnsemble ensemble;
  ensemble.loadings.assign(variables, std::vector<double>(variables));
  for (std::size_t v = 0; v < variables; ++v) {
    ensemble.names.push_back("v" + std::to_string(v));
    ensemble.loadings[v][v] = 1;
  }
  ensemble.mean.assign(variables, 0);
  ensemble.deviation = ensemble.score_deviation = std::vector<double>(variables, 1);
  ensemble.parts = {variables};
  return ensemble;
}

/// Runs whose scores are `high` in the components that `failing` names, else 0.
PycectTests made_tests(std::size_t variables, std::vector<std::vector<std::size_t>> const& failing,
                       double high = 9) {
  PycectTests tests;
  tests.means.assign(variables, std::vector<double>(failing.size()));
  for (std::size_t run = 0; run < failing.size(); ++run) {
    tests.runs.push_back("n" + std::to_string(run));
    for (auto const v : failing[run]) tests.means[v][run] = high;
  }
  return tests;
}

Outcome tested(PycectTests const& tests, Pairs const& given, std::vector<std::string>& notes) {
  Parameters parameters("pycect", given);
  return pycect_test(plain_ensemble(tests.means.size()), tests, parameters, 1, notes);
}
Answer answer(PycectTests const& tests, Pairs const& given = {}) {
  std::vector<std::string> notes;
  auto all = given;
  all.emplace_back("pycect.nPC", "5");
  return tested(tests, all, notes).answer;
}

TEST(Pycect, FailsWhereThreeComponentsDoInTwoOfThreeRuns) {
  EXPECT_EQ(answer(made_tests(6, {{0, 1, 2}, {0, 1}, {2}})), Answer::different);
  EXPECT_EQ(answer(made_tests(6, {{0, 1, 2}, {0, 1}, {3}})), Answer::consistent);
  EXPECT_EQ(answer(made_tests(6, {{0, 1, 5}, {0, 1, 5}, {5}})), Answer::consistent);  // 5 is beyond nPC
  EXPECT_EQ(answer(made_tests(6, {{0, 1}, {0, 1}, {}}), {{"pycect.minPCFail", "2"}}), Answer::different);
  EXPECT_EQ(answer(made_tests(6, {{0, 1, 2}, {0, 1, 2}, {}}), {{"pycect.minRunFail", "3"}}),
            Answer::consistent);
}

TEST(Pycect, CountsScoresBeyondTheLimitAlone) {
  std::vector<std::vector<std::size_t>> const all(3, {0, 1, 2});
  EXPECT_EQ(answer(made_tests(6, all, 2.5), {{"pycect.sigMul", "2.5"}}), Answer::consistent);
  EXPECT_EQ(answer(made_tests(6, all, -2.5001), {{"pycect.sigMul", "2.5"}}), Answer::different);
  EXPECT_EQ(answer(made_tests(6, all, 2.22)), Answer::consistent);  // 2.23 for CAM
  EXPECT_EQ(answer(made_tests(6, all, 2.24)), Answer::different);
}

TEST(Pycect, TellsOfFewerComponentsAndOfDrawnRuns) {
  std::vector<std::string> notes;
  auto const outcome = tested(made_tests(6, std::vector<std::vector<std::size_t>>(30)), {}, notes);
  EXPECT_TRUE(
      are(notes, {"4 components in place of the 128", "3 of 30 new runs are judged, drawn at random"}));
  EXPECT_EQ(outcome.findings.size(), 12U);
  EXPECT_THROW(tested(made_tests(6, {{}, {}}), {}, notes), InputError);
}

TEST(Pycect, SaysTheRateOfIndependentNormalScores) {
  std::vector<std::string> notes;
  auto const s = std::erfc(2 / std::numbers::sqrt2), q = 3 * s * s * (1 - s) + s * s * s;
  auto const outcome =
      tested(made_tests(6, {{}, {}, {}}), {{"pycect.nPC", "4"}, {"pycect.sigMul", "2"}}, notes);
  EXPECT_NEAR(outcome.nominal_rate, 4 * q * q * q * (1 - q) + q * q * q * q, 1e-15);
}

/// Choices of 3 runs that fail, gone through one by one.
std::pair<int, int> counted(std::vector<std::vector<std::size_t>> const& failing, std::size_t components) {
  int failed = 0, all = 0;
  for (std::size_t a = 0; a < failing.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t c = 0; c < b; ++c) {
        int twice = 0;
        for (std::size_t k = 0; k < components; ++k) {
          int runs = 0;
          for (auto const run : {a, b, c}) runs += int(std::ranges::count(failing[run], k));
          twice += runs >= 2 ? 1 : 0;
        }
        failed += twice > 2 ? 1 : 0;
        ++all;
      }
    }
  }
  return {failed, all};
}

TEST(ExhaustiveTest, CountsChoicesThatFail) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::vector<std::size_t>> failing(7);
    for (auto& run : failing) {
      for (std::size_t k = 0; k < 70; ++k) {
        if (random() % 100 < 10 + 2 * unsigned(trial)) run.push_back(k);
      }
    }
    Parameters parameters("eet", {{"eet.nPC", "70"}});
    std::vector<std::string> notes;
    auto const outcome = exhaustive_test(plain_ensemble(70), made_tests(70, failing), parameters, 1, notes);
    auto const [failed, all] = counted(failing, 70);
    EXPECT_TRUE(contains(outcome.statement, ": " + std::to_string(failed) + " of " + std::to_string(all) +
                                                " choices of 3 runs fail"));
    EXPECT_EQ(outcome.answer, 10 * failed > all ? Answer::different : Answer::consistent);
  }
}

TEST(ExhaustiveTest, FailsAboveTenPercent) {
  auto const of = [](std::vector<std::vector<std::size_t>> const& failing) {
    Parameters parameters("eet", {{"eet.nPC", "4"}});
    std::vector<std::string> notes;
    return exhaustive_test(plain_ensemble(5), made_tests(5, failing), parameters, 1, notes).answer;
  };
  // Of these runs each pair shares a component, so the three of them fail, 1 of the 10 choices of 5 runs.
  EXPECT_EQ(of({{0, 1}, {0, 2}, {1, 2}, {}, {}}), Answer::consistent);
  EXPECT_EQ(of({{0, 1}, {0, 2}, {1, 2}, {}}), Answer::different);  // 1 of 4
  // Where 4 of n runs fail alike, every choice of two of them fails.
  auto const alike = [&](std::size_t runs) {
    std::vector<std::vector<std::size_t>> failing(runs);
    for (std::size_t run = 0; run < 4; ++run) failing[run] = {0, 1, 2};
    return of(failing);
  };
  EXPECT_EQ(alike(18), Answer::different);   // 88 of 816
  EXPECT_EQ(alike(19), Answer::consistent);  // 94 of 969
}

class Probtest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path write(std::string const& text) const {
    auto const path = folder_.path() / "table.csv";
    std::ofstream(path) << text;
    return path;
  }
  ProbtestTable read(std::string const& text) const { return read_probtest_table(write(text)); }
  /// A table of one variable with two levels and two times; six values of each level in the order of `stats`.
  static std::string stats(std::string const& upper, std::string const& lower, char const* name = "T") {
    return "time,,,0,0,0,1,1,1\nstatistic,,,mean,max,min,mean,max,min\nfile_ID,variable,height,,,,,,\nNetCDF:"
           "*.nc," +
           std::string(name) + ",1.0," + upper + "\nNetCDF:*.nc," + name + ",2.0," + lower + "\n";
  }
};

TEST_F(Probtest, ReadsColumnsInAnyOrderAndWritesThemAsPandasDoes) {
  auto const text = stats("1.0,2.5,-3.0,4.0,5e-17,6.0", "7.0,8.0,9.0,10.0,,12.0");
  auto const table = read(text);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].values, std::vector<double>({2.5, 1, -3, 5e-17, 4, 6}));
  EXPECT_TRUE(std::isnan(table.rows[1].values[3]));
  EXPECT_EQ(to_csv(table), text);
  auto const turned = read(
      "time,,,1,1,1,0,0,0\nstatistic,,,min,mean,max,min,mean,max\nfile_ID,variable,height,,,,,,\n\"a,b\",T,-"
      "1,6,5,"
      "4,3,2,1\n");
  EXPECT_EQ(turned.rows[0].file_id, "a,b");
  EXPECT_EQ(turned.rows[0].values, std::vector<double>({1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(contains(to_csv(turned), "\n\"a,b\",T,-1.0,2.0,1.0,3.0,5.0,4.0,6.0\n"));
}

TEST_F(Probtest, RefusesWhatIsNoTable) {
  for (std::string const text :
       {"", "time,,,0\n", "time,,,x\nstatistic,,,min\nfile_ID,variable,height,\n",
        "time,,,0\nstatistic,,,median\nfile_ID,variable,height,\n",
        "time,,,0\nstatistic,,,min\nfile_ID,variable,height,\na,T,1.0,one\n",
        "time,,,0\nstatistic,,,min\nfile_ID,variable,height,\na,T,1.0\n",
        "time,,,0\nstatistic,,,min\nfile_ID,variable,height,\na,T,1.0,2\na,T,1.0,3\n"}) {
    EXPECT_THROW(read(text), InputError) << text;
  }
}

TEST_F(Probtest, TolerancesAreTheLargestOverLevelsAndMembersAndGrowInTime) {
  auto const reference = read(stats("3.0,0.0,0.0,3.0,0.0,0.0", "-1.0,0.0,0.0,-1.0,0.0,0.0"));
  std::vector<ProbtestTable> const members = {
      read(stats("3.4,0.0,0.0,3.0,0.25,0.0", "-1.0,0.5,0.0,-1.0,0.0,0.0")),
      read(stats("3.0,0.0,0.0,3.0,0.0,0.0", "-1.8,0.0,0.0,-1.0,0.0,0.0"))};
  auto const tolerances = probtest_tolerances(reference, members, 0.001);
  ASSERT_EQ(tolerances.rows.size(), 1U);
  // Of the mean 0.4 / (1 + 3) and 0.8 / (1 + 1); of the maximum 0.5, of which 0.25 falls short later.
  std::vector<double> const expected = {0.5, 0.4, 0.001, 0.5, 0.4, 0.001};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(tolerances.rows[0].values[i], expected[i], 1e-15) << i;
  EXPECT_TRUE(contains(to_csv(tolerances),
                       "time,,0,0,0,1,1,1\nstatistic,,max,mean,min,max,mean,min\nfile_ID,"
                       "variable,,,,,,\nNetCDF:*.nc,T,0.5,"));
}

TEST_F(Probtest, ChecksLargestDifferencesAgainstTheTolerances) {
  auto const reference = read(stats("3.0,0.0,0.0,3.0,0.0,0.0", "-1.0,0.0,0.0,-1.0,,0.0"));
  ProbtestTable const limits{false, {0, 1}, {{"NetCDF:*.nc", "T", 0, {0.1, 0.1, 0.1, 0.1, 0.1, NAN}}}};
  auto const failing = [&](std::string const& upper, std::string const& lower, double factor = 2) {
    Words names;
    for (auto const& value : probtest_check(reference, read(stats(upper, lower)), limits, factor).values) {
      if (value.fails) names.push_back(value.statistic + std::to_string(value.time));
    }
    return names;
  };
  EXPECT_EQ(failing("3.8,0.2,0.0,3.0,0.0,7.0", "-1.0,0.0,0.0,-1.0,,0.0"), Words());  // at the limits
  EXPECT_EQ(failing("3.81,0.0,0.0,3.0,0.0,0.0", "-1.0,0.0,0.21,-1.0,,0.0"), Words({"mean0", "min0"}));
  EXPECT_EQ(failing("3.81,0.0,0.0,3.0,0.0,0.0", "-1.0,0.0,0.0,-1.0,,0.0", 3), Words());
  EXPECT_EQ(failing("3.0,0.0,,3.0,0.0,0.0", "-1.0,0.0,0.0,-1.0,0.0,0.0"), Words({"min0", "max1"}));
}

TEST_F(Probtest, TellsWhatItDoesNotTest) {
  auto const reference = read(stats("3.0,0.0,0.0,3.0,0.0,0.0", "-1.0,0.0,0.0,-1.0,0.0,0.0"));
  ProbtestTable const limits{false, {0}, {{"NetCDF:*.nc", "U", 0, {0.1, 0.1, 0.1}}}};
  auto const check = probtest_check(reference, reference, limits, 1);
  EXPECT_TRUE(check.values.empty());
  EXPECT_TRUE(are(check.notes, {"they have no tolerance: T"}));
  auto const other = read(stats("1.0,1.0,1.0,1.0,1.0,1.0", "1.0,1.0,1.0,1.0,1.0,1.0", "U"));
  EXPECT_THROW(probtest_check(reference, other, limits, 1), InputError);
}

}  // namespace
}  // namespace ulpine::verification::consistency
