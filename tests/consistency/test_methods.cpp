// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "consistency/trials.hpp"
#include "io/error.hpp"
#include "verification/consistency/consistency.hpp"
#include "verification/consistency/joint.hpp"
#include "verification/consistency/margins.hpp"
#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {
namespace {

using consistency_trials::draw;
using consistency_trials::Drawn;
using consistency_trials::Trial;

/// Fields in memory: [run][variable][time][point].
class Memory final : public FieldSource {
 public:
  std::vector<std::vector<std::vector<std::vector<double>>>> runs;
  std::vector<std::vector<std::vector<double>>> without_noise;

  void read(std::size_t run, std::size_t variable, std::size_t time, std::int64_t first,
            std::span<double> values) const override {
    copy(runs.at(run).at(variable).at(time), first, values);
  }
  void read_unperturbed(std::size_t variable, std::size_t time, std::int64_t first,
                        std::span<double> values) const override {
    copy(without_noise.at(variable).at(time), first, values);
  }
  void read_weights(std::size_t, std::int64_t, std::span<double> weights) const override {
    std::ranges::fill(weights, 1.0);
  }

 private:
  static void copy(std::vector<double> const& from, std::int64_t first, std::span<double> values) {
    std::copy_n(from.begin() + first, values.size(), values.begin());
  }
};

/// One variable "u" in several runs; summaries follow from the fields.
EnsembleSummary summary_of(Memory const& memory, std::vector<double> const& times) {
  EnsembleSummary summary;
  auto const points = memory.runs.front().front().front().size();
  summary.variables = {{"u", "m s-1", 1, std::int64_t(points)}};
  summary.times = times;
  auto const summarise = [&](std::vector<std::vector<std::vector<double>>> const& fields,
                             std::string const& name) {
    RunSummary run{name, {{}}};
    for (auto const& values : fields.front()) {
      VariableSummary at_time;
      LevelSummary level;
      level.min = std::ranges::min(values);
      level.max = std::ranges::max(values);
      level.mean = 0;
      for (auto const value : values) level.mean += value / double(points);
      at_time.mean = level.mean;
      at_time.levels = {level};
      run.variables.front().push_back(at_time);
    }
    return run;
  };
  for (std::size_t i = 0; i < memory.runs.size(); ++i)
    summary.members.push_back(summarise(memory.runs[i], "run" + std::to_string(i)));
  if (!memory.without_noise.empty()) summary.unperturbed = summarise(memory.without_noise, "unperturbed");
  return summary;
}

Verdict judged(Drawn const& drawn, std::vector<std::string> methods = {},
               std::vector<std::pair<std::string, std::string>> parameters = {}, std::uint64_t seed = 1) {
  Request request;
  request.ensemble.summary = &drawn.ensemble;
  request.tests.summary = &drawn.tests;
  request.methods = std::move(methods);
  request.parameters = std::move(parameters);
  request.seed = seed;
  return judge(request);
}

/// Ensemble and new runs as tables of one column for each variable.
Means means_in(Drawn const& drawn, bool by_level = false) {
  Request request;
  request.ensemble.summary = &drawn.ensemble;
  request.tests.summary = &drawn.tests;
  request.by_level = by_level;
  std::vector<std::string> left_out;
  return means_of(request, left_out);
}

Outcome const& outcome_of(Verdict const& verdict, std::string const& method) {
  auto const found = std::ranges::find(verdict.outcomes, method, &Outcome::method);
  EXPECT_NE(found, verdict.outcomes.end()) << method;
  return *found;
}

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
  constexpr std::size_t n = 5, m = 2;
  std::vector<int> drawn(n + m, 0);
  Labellings labellings(n, m, 3);
  constexpr int draws = 7000;
  for (int k = 0; k < draws; ++k) {
    auto const order = labellings(k);
    EXPECT_NE(order[n], order[n + 1]);
    for (auto const run : order.last(m)) ++drawn[run];
  }
  // Of 2 in 7 each: five standard errors.
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

TEST(Verdicts, AreRepeatableFromTheSeed) {
  auto const drawn = draw(Trial{}, 6, 0);
  auto const first = judged(drawn), second = judged(drawn), other = judged(drawn, {}, {}, 2);
  EXPECT_EQ(first.statement, second.statement);
  EXPECT_EQ(*outcome_of(first, "twosample").findings.front().adjusted_p,
            *outcome_of(second, "twosample").findings.front().adjusted_p);
  EXPECT_NE(*outcome_of(first, "twosample").findings.front().adjusted_p,
            *outcome_of(other, "twosample").findings.front().adjusted_p);
}

TEST(Verdicts, SayWhatWouldGivePower) {
  std::vector<std::pair<std::string, std::string>> const one_deviation = {{"twosample.margin", "1"}};
  auto const few = judged(draw(Trial{.members = 20, .runs = 12}, 7, 0), {"twosample"}, one_deviation);
  EXPECT_EQ(few.answer, Answer::no_power);
  auto const& outcome = outcome_of(few, "twosample");
  ASSERT_TRUE(outcome.members_needed);
  auto const needed = std::size_t(*outcome.members_needed);
  EXPECT_GT(needed, 20u);
  auto const members = outcome.needed_of == "new runs" ? 20 : needed;
  auto const enough = judged(draw(Trial{.members = members + members / 4, .runs = needed + needed / 4}, 7, 0),
                             {"twosample"}, one_deviation);
  EXPECT_NE(enough.answer, Answer::no_power);
}

TEST(Verdicts, AreNotConsistentByMethodsThatShowNothingOfMeansAndSpreads) {
  auto const drawn = draw(Trial{.members = 24, .runs = 3}, 14, 0);
  auto const all = judged(drawn);
  EXPECT_EQ(outcome_of(all, "twosample").answer, Answer::no_power);
  EXPECT_EQ(outcome_of(all, "tolerance").answer, Answer::consistent);
  EXPECT_EQ(all.answer, Answer::undecided);
  EXPECT_NE(all.statement.find("new runs are needed"), std::string::npos) << all.statement;
  EXPECT_EQ(judged(drawn, {"tolerance"}).answer, Answer::consistent);
}

TEST(Verdicts, AreUndecidedWhereTheMarginIsNotExcluded) {
  auto const drawn = draw(Trial{}, 15, 0);
  EXPECT_EQ(judged(drawn, {"twosample"}).answer, Answer::consistent);
  auto const narrow = judged(drawn, {"twosample"}, {{"twosample.spread_margin", "1.2"}});
  EXPECT_EQ(narrow.answer, Answer::undecided);
  auto const& outcome = outcome_of(narrow, "twosample");
  EXPECT_NE(outcome.statement.find("1.2 times"), std::string::npos) << outcome.statement;
  EXPECT_GT(*outcome.members_needed, 24);
}

/// Of three new runs Welch's test has 2 degrees of freedom at best: a mean that is far off is not rejected.
TEST(Verdicts, OfPublishedTestsAreConsistentOnlyWhereTheMarginIsExcluded) {
  auto const drawn = draw(Trial{.fault = {.name = "", .shift = 4}, .members = 24, .runs = 3}, 21, 0);
  auto const blind = judged(drawn, {"twosample"}, {{"twosample.test", "welch"}, {"twosample.rate", "1e-5"}});
  EXPECT_EQ(blind.answer, Answer::undecided) << blind.statement;
  EXPECT_NE(blind.statement.find("0 of 12 variables rejected by welch"), std::string::npos)
      << blind.statement;
  EXPECT_NE(blind.statement.find("would probably decide"), std::string::npos) << blind.statement;
  EXPECT_GT(*outcome_of(blind, "twosample").members_needed, 3);
  auto const equal = draw(Trial{}, 15, 0);
  for (auto const* const test : {"ks", "mann-whitney", "student", "welch", "cramer-von-mises"}) {
    auto const asked = std::pair<std::string, std::string>{"twosample.test", test};
    EXPECT_EQ(judged(equal, {"twosample"}, {asked}).answer, Answer::consistent) << test;
    // All equal runs are in doubt where the least p that is none is 1.
    auto const doubted = judged(equal, {"twosample"}, {asked, {"twosample.doubt", "1"}});
    EXPECT_EQ(doubted.answer, Answer::undecided) << test;
    EXPECT_NE(doubted.statement.find("more than chance often makes"), std::string::npos) << doubted.statement;
  }
}

TEST(Verdicts, SeeALevelThatTheMeanOfAllHides) {
  auto drawn = draw(Trial{.population = {2, 0, {}}}, 16, 0);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (auto* runs : {&drawn.ensemble, &drawn.tests}) {
    runs->variables[1].levels = 2;
    for (auto& run : runs->members) {
      auto& levels = run.variables[1][0].levels;
      levels.resize(2, levels.front());
      levels[0].mean = normal(random) + (runs == &drawn.tests ? 3.0 : 0.0);
      levels[1].mean = 2 * run.variables[1][0].mean - levels[0].mean;
    }
  }
  auto const means = means_in(drawn, true);
  EXPECT_EQ(means.ensemble.names, (std::vector<std::string>{"v0", "v1 level 0", "v1 level 1"}));
  EXPECT_EQ(means.tests.rows[4][2], drawn.tests.members[4].variables[1][0].levels[1].mean);
  EXPECT_GT(joint_test(means_in(drawn).ensemble, means_in(drawn).tests, 0.01, 1).p, 0.01);
  EXPECT_LE(joint_test(means.ensemble, means.tests, 0.01, 1).p, 0.01);
}

TEST(Verdicts, AreUndecidedWhereADifferenceIsTooWeakToCall) {
  int undecided = 0, different = 0, consistent = 0;
  for (int number = 0; number < 40; ++number) {
    auto const drawn =
        draw(Trial{.population = {12, 0, {}}, .fault = {.name = "", .shift = 1.0}}, 8, std::uint64_t(number));
    auto const verdict = judged(drawn, {"twosample"});
    undecided += verdict.answer == Answer::undecided ? 1 : 0;
    different += verdict.answer == Answer::different ? 1 : 0;
    consistent += verdict.answer == Answer::consistent ? 1 : 0;
    if (verdict.answer == Answer::undecided) {
      auto const& outcome = outcome_of(verdict, "twosample");
      EXPECT_GT(*outcome.findings.front().adjusted_p, 0.004);
      // Either a difference is doubtful, or a larger one is not excluded.
      if (*outcome.findings.front().adjusted_p > 0.05) {
        EXPECT_NE(outcome.statement.find("is not excluded"), std::string::npos) << outcome.statement;
      }
      EXPECT_GT(*outcome.members_needed, 24);
    }
  }
  EXPECT_GT(undecided, 3);
  EXPECT_GT(different, 3);
  EXPECT_GT(consistent, 0);
}

TEST(Verdicts, RefuseWhatTheyCannotRead) {
  auto const drawn = draw(Trial{}, 9, 0);
  EXPECT_THROW(judged(drawn, {"twosmple"}), InputError);
  EXPECT_THROW(judged(drawn, {"pca"}, {{"pca.sigmas", "2"}}), InputError);
  EXPECT_THROW(judged(drawn, {"pca"}, {{"pca.sigma", "two"}}), InputError);
  EXPECT_THROW(judged(drawn, {"pca"}, {{"tolerance.factor", "2"}}), InputError);
  EXPECT_THROW(judged(drawn, {"twosample"}, {{"twosample.test", "kss"}}), InputError);
}

TEST(Verdicts, AreDifferentWhereOtherPointsAreMissing) {
  auto drawn = draw(Trial{}, 10, 0);
  drawn.tests.members[3].variables[5][0].levels[0].missing = 1;
  auto const verdict = judged(drawn);
  EXPECT_EQ(verdict.answer, Answer::different);
  EXPECT_NE(verdict.statement.find("v5, n3"), std::string::npos);
}

TEST(PrincipalComponents, FindThreeRunsThatAreOffInAllVariables) {
  auto drawn = draw(Trial{.members = 60, .runs = 3}, 11, 0);
  EXPECT_EQ(judged(drawn, {"pca"}).answer, Answer::consistent);
  std::mt19937_64 random(1);
  for (auto& run : drawn.tests.members) {
    for (std::size_t v = 0; v < run.variables.size(); ++v) run.variables[v][0].mean += v % 2 == 0 ? 4 : -4;
  }
  auto const off = judged(drawn, {"pca"});
  // One direction is off: one component alone, so that the rule of three does not see it; with one it does.
  EXPECT_EQ(off.answer, Answer::consistent);
  EXPECT_EQ(judged(drawn, {"pca"}, {{"pca.min_pc_fail", "1"}}).answer, Answer::different);
  for (auto& run : drawn.tests.members) {
    for (auto& variable : run.variables)
      variable[0].mean = 10 + 8 * std::normal_distribution<double>()(random);
  }
  EXPECT_EQ(judged(drawn, {"pca"}).answer, Answer::different);
  EXPECT_EQ(judged(drawn, {"pca"}, {{"pca.rule", "published"}}).answer, Answer::different);
}

TEST(PrincipalComponents, NeedThreeRunsAndMembersToRelabel) {
  auto const two = judged(draw(Trial{.members = 60, .runs = 2}, 12, 0), {"pca"});
  EXPECT_EQ(two.answer, Answer::no_power);
  EXPECT_EQ(outcome_of(two, "pca").needed_of, "new runs");
  auto const few = judged(draw(Trial{.members = 8, .runs = 3}, 12, 0), {"pca"});
  EXPECT_EQ(few.answer, Answer::no_power);
  EXPECT_GT(*outcome_of(few, "pca").members_needed, 8);
}

TEST(Tolerances, FindARunFarBeyondAllMembers) {
  auto drawn = draw(Trial{.members = 20, .runs = 1}, 13, 0);
  EXPECT_EQ(judged(drawn, {"tolerance"}).answer, Answer::consistent);
  auto& level = drawn.tests.members[0].variables[2][0].levels[0];
  level.max += 1e4;
  auto const verdict = judged(drawn, {"tolerance"});
  EXPECT_EQ(verdict.answer, Answer::different);
  EXPECT_NE(outcome_of(verdict, "tolerance").findings.front().subject.find("v2 max"), std::string::npos);
  level.max = not_a_number;
  EXPECT_EQ(judged(drawn, {"tolerance"}).answer, Answer::different);
}

/// 8 x 8 fields of noise about `offset` in the first quarter.
Memory noise(std::size_t runs, double offset, std::uint64_t seed) {
  Memory memory;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < runs; ++i) {
    std::vector<double> values(64);
    for (std::size_t p = 0; p < values.size(); ++p) values[p] = normal(random) + (p < 16 ? offset : 0);
    memory.runs.push_back({{values}});
  }
  return memory;
}

Verdict judged_fields(Memory const& ensemble, Memory const& tests, std::vector<double> const& times,
                      std::string const& method,
                      std::vector<std::pair<std::string, std::string>> parameters = {},
                      Memory const* truth = nullptr) {
  auto const accepted = summary_of(ensemble, times), tested = summary_of(tests, times);
  EnsembleSummary shorter;
  Request request;
  request.ensemble = {&accepted, &ensemble};
  request.tests = {&tested, &tests};
  if (truth != nullptr) {
    shorter = summary_of(*truth, times);
    request.truth = {&shorter, truth};
  }
  request.methods = {method};
  request.parameters = std::move(parameters);
  return judge(request);
}

/// Share of the points whose 20 and 12 runs differ at 5 %, by Student's t or by the deviate of the rank sum.
double share_of_points(Memory const& ensemble, Memory const& tests, bool of_ranks) {
  auto const n = double(ensemble.runs.size()), m = double(tests.runs.size()), all = n + m;
  auto const points = ensemble.runs[0][0][0].size();
  int rejected = 0;
  for (std::size_t p = 0; p < points; ++p) {
    std::vector<double> a, b;
    for (auto const& run : ensemble.runs) a.push_back(run[0][0][p]);
    for (auto const& run : tests.runs) b.push_back(run[0][0][p]);
    if (of_ranks) {
      double above = 0;  // pairs, of which no values are equal
      for (auto const x : a) above += double(std::ranges::count_if(b, [&](double y) { return y > x; }));
      rejected += std::abs(above - n * m / 2) > 1.959963984540054 * std::sqrt(n * m * (all + 1) / 12) ? 1 : 0;
    } else {
      auto const mean = [](auto const& x) {
        return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size());
      };
      double squares = 0;
      for (auto const* group : {&a, &b}) {
        for (auto const value : *group) squares += (value - mean(*group)) * (value - mean(*group));
      }
      auto const t = (mean(b) - mean(a)) / std::sqrt(squares / (all - 2) * (1 / n + 1 / m));
      rejected += std::abs(t) > 2.0422724563012373 ? 1 : 0;  // 30 degrees of freedom
    }
  }
  return rejected / double(points);
}

TEST(FieldByField, CountsThePointsThatDiffer) {
  for (std::uint64_t seed = 1; seed < 20; seed += 2) {
    auto const ensemble = noise(20, 0, seed);
    for (auto const offset : {0.0, 0.7, 1.5}) {
      auto const tests = noise(12, offset, seed + 1);
      for (std::string const test : {"student", "mann-whitney"}) {
        auto const verdict = judged_fields(ensemble, tests, {0}, "fieldwise", {{"fieldwise.test", test}});
        EXPECT_NEAR(*outcome_of(verdict, "fieldwise").findings.front().value,
                    share_of_points(ensemble, tests, test != "student"), 1e-12)
            << test << ' ' << offset << ' ' << seed;
      }
    }
  }
}

TEST(FieldByField, FindsAShiftInAQuarterOfTheField) {
  for (auto const* test : {"student", "mann-whitney"}) {
    auto const ensemble = noise(20, 0, 1);
    EXPECT_EQ(judged_fields(ensemble, noise(12, 0, 2), {0}, "fieldwise", {{"fieldwise.test", test}}).answer,
              Answer::consistent);
    auto const verdict =
        judged_fields(ensemble, noise(12, 1.5, 3), {0}, "fieldwise", {{"fieldwise.test", test}});
    EXPECT_EQ(verdict.answer, Answer::different);
    // A quarter of the points rejects, and 5 % of the others do by chance.
    EXPECT_NEAR(*outcome_of(verdict, "fieldwise").findings.front().value, 0.25 * 0.95 + 0.75 * 0.05, 0.1);
  }
}

TEST(FieldByField, TellsTheShareOfControlRunsBeside) {
  auto const ensemble = noise(20, 0, 1), tests = noise(12, 0, 2), control = noise(12, 1.5, 3);
  auto const accepted = summary_of(ensemble, {0}), tested = summary_of(tests, {0}),
             other = summary_of(control, {0});
  Request request;
  request.ensemble = {&accepted, &ensemble};
  request.tests = {&tested, &tests};
  request.control = {&other, &control};
  request.methods = {"fieldwise"};
  auto const verdict = judge(request);
  auto const as_tests = judged_fields(ensemble, control, {0}, "fieldwise");
  auto const share = *outcome_of(as_tests, "fieldwise").findings.front().value;
  auto const& note = outcome_of(verdict, "fieldwise").findings.front().note;
  EXPECT_NE(note.find(fmt::format("{:.3g} in control runs", share)), std::string::npos) << note;
}

TEST(FieldByField, IsUndecidedBetweenItsRateAndItsDoubt) {
  int undecided = 0;
  auto const ensemble = noise(12, 0, 1);
  for (std::uint64_t seed = 2; seed < 42; ++seed) {
    auto const verdict = judged_fields(ensemble, noise(8, seed % 2 == 0 ? 0.7 : 0.9, seed), {0}, "fieldwise");
    auto const& outcome = outcome_of(verdict, "fieldwise");
    auto const p = *outcome.findings.front().adjusted_p;
    EXPECT_EQ(outcome.answer, p <= 0.004  ? Answer::different
                              : p <= 0.05 ? Answer::undecided
                                          : Answer::consistent)
        << p;
    auto const says_none = outcome.statement.find("no more than relabelled runs") != std::string::npos;
    EXPECT_EQ(says_none, outcome.answer == Answer::consistent) << outcome.statement;
    if (outcome.answer != Answer::undecided) continue;
    ++undecided;
    EXPECT_GT(outcome.members_needed.value_or(0), 12) << outcome.statement;
    EXPECT_EQ(verdict.answer, Answer::undecided);
  }
  EXPECT_GT(undecided, 0);
  auto const sure = judged_fields(ensemble, noise(8, 0.6, 2), {0}, "fieldwise", {{"fieldwise.doubt", "0"}});
  EXPECT_NE(sure.answer, Answer::undecided);
}

TEST(FieldByField, DoubtsEqualRunsAsOftenAsItsPartOfTheRate) {
  constexpr int trials = 400;
  int doubted = 0;
  for (int trial = 0; trial < trials; ++trial) {
    auto const verdict =
        judged_fields(noise(12, 0, std::uint64_t(2 * trial + 1)), noise(8, 0, std::uint64_t(2 * trial + 2)),
                      {0}, "fieldwise", {{"fieldwise.relabellings", "500"}});
    doubted += verdict.answer == Answer::undecided ? 1 : 0;
  }
  // The expected share is 4.6 %; more than 36 or fewer than 5 of 400 come in less than 10^-4 each.
  EXPECT_LE(doubted, 36);
  EXPECT_GE(doubted, 5);
  auto const ensemble = noise(12, 0, 1), tests = noise(8, 0, 2);
  auto const accepted = summary_of(ensemble, {0}), tested = summary_of(tests, {0});
  Request request;
  request.ensemble = {&accepted, &ensemble};
  request.tests = {&tested, &tests};
  request.methods = {"fieldwise", "twosample"};
  auto const all = judge(request);
  auto const& parameters = outcome_of(all, "fieldwise").parameters;
  auto const found = std::ranges::find(parameters, "doubt", [](auto const& entry) { return entry.first; });
  ASSERT_NE(found, parameters.end());
  EXPECT_EQ(found->second, "0.0125") << "a quarter of 5 %";
}

/// Runs of 64 points about 300 that differ by `steps` units in the last place of float there.
Memory at_last_bits(std::size_t runs, double steps, double offset, std::uint64_t seed) {
  Memory memory;
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> flip(0, 1);
  constexpr double last_place = 0x1p-15;  // of floats from 256 to 512
  for (std::size_t i = 0; i < runs; ++i) {
    std::vector<double> values(64);
    for (std::size_t p = 0; p < values.size(); ++p)
      values[p] = 300 + double(p) + steps * last_place * flip(random) + (p == 17 ? offset : 0);
    memory.runs.push_back({{values}});
  }
  return memory;
}

Verdict judged_at_last_bits(Memory const& ensemble, Memory const& tests, io::StoredType const& type,
                            bool with_fields = true) {
  auto accepted = summary_of(ensemble, {0}), tested = summary_of(tests, {0});
  accepted.variables[0].type = tested.variables[0].type = type;
  Request request;
  request.ensemble = {&accepted, with_fields ? &ensemble : nullptr};
  request.tests = {&tested, with_fields ? &tests : nullptr};
  return judge(request);
}

TEST(LastBits, OfTheFilesTypeAreNoSpread) {
  io::StoredType const of_float{"float", 0x1p-23, 0}, of_double{"double", 0x1p-52, 0};
  auto const ensemble = at_last_bits(30, 1, 0, 1), equal = at_last_bits(24, 1, 0, 2);
  auto const verdict = judged_at_last_bits(ensemble, equal, of_float);
  EXPECT_EQ(verdict.answer, Answer::no_power);
  EXPECT_NE(verdict.statement.find("u: members differ by no more than the last bit of float"),
            std::string::npos)
      << verdict.statement;
  ASSERT_EQ(verdict.notes.size(), 1u);
  EXPECT_NE(verdict.notes[0].find("left out of pca, twosample"), std::string::npos) << verdict.notes[0];
  // In double the same spread is one.
  EXPECT_TRUE(judged_at_last_bits(ensemble, equal, of_double).notes.empty());
  // 303 to 363 in float: four roundings are 4 x 363 x 2^-23 = 1.73e-4, or five and a half units of 2^-15.
  EXPECT_TRUE(judged_at_last_bits(at_last_bits(30, 6, 0, 1), equal, of_float).notes.empty());
  // Packed: no more than a step.
  EXPECT_EQ(judged_at_last_bits(ensemble, equal, {"short", 0, 0x1p-15}).notes.size(), 1u);
  EXPECT_TRUE(judged_at_last_bits(ensemble, equal, {"short", 0, 0x1p-16}).notes.empty());
  // Whole numbers are counts and masks.
  EXPECT_TRUE(judged_at_last_bits(ensemble, equal, {"int", 0, 1}).notes.empty());
}

TEST(LastBits, ThatNewRunsLeaveAreADifference) {
  io::StoredType const of_float{"float", 0x1p-23, 0};
  auto const ensemble = at_last_bits(30, 1, 0, 1);
  for (auto const offset : {0.01, -0.01}) {
    auto const verdict = judged_at_last_bits(ensemble, at_last_bits(3, 1, offset, 2), of_float);
    EXPECT_EQ(verdict.answer, Answer::different);
    auto const& values = outcome_of(verdict, "values");
    ASSERT_EQ(values.findings.size(), 3u);
    EXPECT_NEAR(*values.findings[0].value, 0.01, 0x1p-14);
    EXPECT_NE(verdict.statement.find("agree to the last bit of float"), std::string::npos)
        << verdict.statement;
  }
  // Means alone show it in a summary where it is large enough.
  EXPECT_EQ(judged_at_last_bits(ensemble, at_last_bits(3, 1, 1, 2), of_float, false).answer,
            Answer::different);
  EXPECT_EQ(judged_at_last_bits(ensemble, at_last_bits(3, 1, 0, 2), of_float, false).answer,
            Answer::no_power);
}

/// A point that differs is not hidden by smallest, mean and largest that agree.
TEST(LastBits, AreLookedForAtEveryPoint) {
  auto ensemble = at_last_bits(30, 1, 0, 1);
  for (std::size_t i = 0; i < 30; ++i) {
    ensemble.runs[i][0][0][20] += 0.1 * double(i % 2);
    ensemble.runs[i][0][0][30] -= 0.1 * double(i % 2);
  }
  io::StoredType const of_float{"float", 0x1p-23, 0};
  auto const tests = at_last_bits(24, 1, 0, 2);
  EXPECT_TRUE(judged_at_last_bits(ensemble, tests, of_float).notes.empty());
  EXPECT_EQ(judged_at_last_bits(ensemble, tests, of_float, false).notes.size(), 1u);
}

TEST(LastBits, AConstantThatBecameAnotherIsADifference) {
  io::StoredType const of_float{"float", 0x1p-23, 0};
  auto const constant = at_last_bits(30, 0, 0, 1);
  EXPECT_EQ(judged_at_last_bits(constant, at_last_bits(3, 0, 0.5, 2), of_float).answer, Answer::different);
  EXPECT_TRUE(judged_at_last_bits(constant, at_last_bits(3, 0, 0, 2), of_float).notes.empty());
}

/// Members that vary in one direction but for 10^-5, whose square is rounding: one component is left.
TEST(PrincipalComponents, NeedAsManyComponentsAsHaveToFail) {
  Drawn drawn = draw({.members = 40, .runs = 3}, 5, 1);
  for (auto* runs : {&drawn.ensemble, &drawn.tests}) {
    for (auto& run : runs->members) {
      for (std::size_t v = 1; v < run.variables.size(); ++v)
        run.variables[v][0].mean = run.variables[0][0].mean + 1e-5 * run.variables[v][0].mean;
    }
  }
  for (auto const* rule : {"calibrated", "published"}) {
    auto const verdict = judged(drawn, {"pca"}, {{"pca.rule", rule}, {"rate", "0.05"}});
    auto const& outcome = outcome_of(verdict, "pca");
    EXPECT_EQ(outcome.answer, Answer::not_applied) << outcome.statement;
    EXPECT_NE(outcome.statement.find("1 components of 12 variables are more than rounding"),
              std::string::npos)
        << outcome.statement;
  }
}

TEST(Tolerances, SayOfAMissingValueThatThereIsNone) {
  auto const drawn = [] {
    Drawn made = draw({.members = 12, .runs = 3}, 6, 1);
    made.tests.members[1].variables[2][0] = {not_a_number, {{}}};
    return made;
  }();
  auto const verdict = judged(drawn, {"tolerance"});
  auto const& outcome = outcome_of(verdict, "tolerance");
  EXPECT_EQ(outcome.answer, Answer::different);
  EXPECT_NE(outcome.statement.find("n1 has no finite value there"), std::string::npos) << outcome.statement;
  EXPECT_EQ(outcome.statement.find("inf"), std::string::npos) << outcome.statement;
  // A member without one tolerates nothing: the level counts for nothing.
  auto other = draw({.members = 12, .runs = 3}, 6, 1);
  other.ensemble.members[4].variables[2][0] = {not_a_number, {{}}};
  auto const without = judged(other, {"tolerance"});
  EXPECT_EQ(outcome_of(without, "tolerance").statement.find("inf"), std::string::npos);
  EXPECT_EQ(outcome_of(without, "tolerance").statement.find("nan"), std::string::npos);
}

TEST(FieldByField, SaysHowManyMembersRelabellingTakes) {
  auto const verdict = judged_fields(noise(4, 0, 1), noise(3, 0, 2), {0}, "fieldwise");
  EXPECT_EQ(verdict.answer, Answer::no_power);
  auto const needed = *outcome_of(verdict, "fieldwise").members_needed;
  EXPECT_TRUE(can_relabel(std::size_t(needed), 3, 0.004));
  EXPECT_FALSE(can_relabel(std::size_t(needed) - 2, 3, 0.004));
}

/// Differences to a run of zeros that grow at `rate` from `first`, in runs of `points` values.
Memory growing(std::size_t runs, double rate, double first, std::vector<double> const& times,
               std::uint64_t seed) {
  Memory memory;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.95, 1.05);
  for (std::size_t i = 0; i < runs; ++i) {
    auto const own = rate * uniform(random);
    std::vector<std::vector<double>> series;
    for (auto const time : times) series.emplace_back(8, std::min(1.0, first * std::exp(own * time)));
    memory.runs.push_back({series});
  }
  memory.without_noise = {std::vector<std::vector<double>>(times.size(), std::vector<double>(8, 0.0))};
  return memory;
}

TEST(PerturbationGrowth, TellsAFasterGrowthFromALargerBeginning) {
  std::vector<double> times;
  for (int k = 0; k < 12; ++k) times.push_back(k);
  auto const ensemble = growing(10, 1, 1e-12, times, 1);
  auto const larger =
      judged_fields(ensemble, growing(1, 1, 1e-8, times, 2), times, "growth", {{"growth.saturation", "1"}});
  EXPECT_EQ(larger.answer, Answer::consistent);
  EXPECT_NE(outcome_of(larger, "growth").findings.front().note.find("1e+04 times"), std::string::npos);
  auto const faster = judged_fields(ensemble, growing(1, 1.6, 1e-12, times, 3), times, "growth",
                                    {{"growth.saturation", "1"}});
  EXPECT_EQ(faster.answer, Answer::different);
  EXPECT_NEAR(*outcome_of(faster, "growth").findings.front().value, 1.6, 0.1);
}

TEST(TimeStepConvergence, TellsAnErrorThatTheReferenceDoesNotHave) {
  std::vector<double> const times = {1, 2, 3, 4, 5, 6};
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  auto const runs = [&](double error) {
    Memory memory;
    for (int i = 0; i < 12; ++i) {
      std::vector<std::vector<double>> series;
      for (auto const time : times)
        series.emplace_back(8, i + time + error * time * (1 + 0.01 * normal(random)));
      memory.runs.push_back({series});
    }
    return memory;
  };
  auto const truth = runs(0), reference = runs(0.1);
  EXPECT_EQ(judged_fields(reference, runs(0.1), times, "timestep", {}, &truth).answer, Answer::consistent);
  auto const worse = judged_fields(reference, runs(0.15), times, "timestep", {}, &truth);
  EXPECT_EQ(worse.answer, Answer::different);
  // Errors are half as large again as the reference's at each time; relative to its mean over times.
  EXPECT_NEAR(*outcome_of(worse, "timestep").findings.front().value, 0.5 * 6 / 3.5, 0.5 * 2 / 3.5);
}

}  // namespace
}  // namespace ulpine::verification::consistency
