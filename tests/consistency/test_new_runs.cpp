// SPDX-License-Identifier: Apache-2.0
// New runs against accepted ones alone: single ones, all together, and at all times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "consistency/judging.hpp"
#include "consistency/trials.hpp"
#include "io/error.hpp"
#include "verification/consistency/beyond.hpp"
#include "verification/consistency/explained.hpp"
#include "verification/consistency/time_choice.hpp"

namespace ulpine::verification::consistency {
namespace {

using consistency_trials::draw, consistency_trials::Drawn, consistency_trials::tally,
    consistency_trials::Tail, consistency_trials::Trial;
using judging::judged, judging::outcome_of;

/// The logarithms 0, 1, 2, 3: two excesses, of 1 and 2, over 1, to which 10 of 1/3 come for one run and 5 for
/// several.
TEST(TailOfMembers, HasTheChanceOfUncertainExponentialTails) {
  std::vector<double> const members = {1, std::exp(1), std::exp(2), std::exp(3)};
  consistency::Tail const tail(members);
  std::mt19937_64 random(41);
  constexpr int draws = 400000;
  struct {
    double logarithm;
    std::size_t runs, beyond;
    double supposed, choices;
  } const cases[] = {{2, 1, 1, 10, 1}, {1.5, 3, 3, 5, 1}, {1.8, 3, 2, 5, 3}};
  for (auto const& [logarithm, runs, beyond, supposed, choices] : cases) {
    std::gamma_distribution<double> decay(2 + supposed, 1 / (3 + supposed / 3)), above(3), below(2);
    double sum = 0, squares = 0;
    for (int k = 0; k < draws; ++k) {
      auto const a = above(random), share = a / (a + below(random));
      auto const chance = choices * std::pow(share * std::exp(-decay(random) * (logarithm - 1)), beyond);
      sum += chance;
      squares += chance * chance;
    }
    auto const mean = sum / draws, error = std::sqrt((squares / draws - mean * mean) / draws);
    EXPECT_NEAR(tail.chance(std::exp(logarithm), runs, beyond), mean, 5 * error) << runs << ' ' << beyond;
  }
  EXPECT_EQ(tail.chance(std::exp(0.9), 1, 1), 1);
  EXPECT_NEAR(tail.chance(tail.limit(1e-4, 24, 1), 24, 1), 1e-4, 1e-8);
}

class SingleRunMethods : public testing::TestWithParam<std::pair<Tail, double>> {};

TEST_P(SingleRunMethods, RejectEqualRunsAtMostAtTheirRate) {
  auto const [tail, correlation] = GetParam();
  for (auto const* method : {"outliers", "tolerance", "pca"}) {
    for (auto const& [members, runs] : {std::pair{30, 24}, std::pair{24, 3}}) {
      Trial const trial{.population = {12, correlation, tail},
                        .fault = {.name = "equal"},
                        .members = std::size_t(members),
                        .runs = std::size_t(runs)};
      auto const verdict = tally(trial, 200, 51, 2, {method}, {{"rate", "0.05"}}).front();
      // More than 28 of 200 come in less than 10^-6 where the rate is 5 %.
      EXPECT_LE(verdict.different, 28) << method << ' ' << members;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Populations, SingleRunMethods,
                         testing::Values(std::pair{Tail::normal, 0.5}, std::pair{Tail::lognormal, 0.9},
                                         std::pair{Tail::student3, 0.0}));

void put_off(RunSummary& run, std::size_t variables, double by) {
  for (std::size_t v = 0; v < variables; ++v) {
    auto& at = run.variables[v].back();
    at.mean += by;
    for (auto& level : at.levels) {
      level.min += by;
      level.mean += by;
      level.max += by;
    }
  }
}

/// One to four broken runs do not hide behind those that are not, nor behind each other.
TEST(BrokenRuns, AreFoundAmongManyThatAreNot) {
  for (std::size_t broken = 1; broken <= 4; ++broken) {
    auto drawn = draw(Trial{}, 61, broken);
    for (std::size_t i = 0; i < broken; ++i)
      put_off(drawn.tests.members[5 + i], 10, i % 2 == 0 ? 1000 : -1000);
    auto const verdict = judged(drawn);
    EXPECT_EQ(verdict.answer, Answer::different) << broken;
    EXPECT_EQ(outcome_of(verdict, "outliers").answer, Answer::different) << broken;
    EXPECT_EQ(outcome_of(verdict, "tolerance").answer, Answer::different) << broken;
    if (broken > 1) continue;
    EXPECT_NE(outcome_of(verdict, "outliers").statement.find("n5"), std::string::npos);
  }
  auto drawn = draw(Trial{}, 61, 9);
  drawn.tests.members[7].variables[3][0].levels[0].max = 1e20;
  EXPECT_EQ(judged(drawn).answer, Answer::different);
}

TEST(ThreeNewRuns, ThatAreFarOffAreDifferent) {
  for (auto const members : {std::size_t{10}, std::size_t{24}, std::size_t{60}}) {
    auto drawn = draw(Trial{.members = members, .runs = 3}, 62, members);
    for (auto& run : drawn.tests.members) put_off(run, 10, 100);
    EXPECT_EQ(judged(drawn).answer, Answer::different) << members;
  }
}

/// A fault that grows is found as well as before, by components and direction alone.
TEST(PrincipalComponents, FindAFaultTheBetterTheLargerItIs) {
  double before = 1;
  for (auto const size : {1.0, 3.0, 10.0, 1000.0}) {
    auto drawn = draw(Trial{.population = {20, 0.5, {}}, .members = 60, .runs = 3}, 63, 0);
    for (auto& run : drawn.tests.members) put_off(run, 10, size);
    auto const verdict = judged(drawn, {"pca"});
    double least = 1;
    for (auto const& finding : outcome_of(verdict, "pca").findings)
      least = std::min(least, finding.adjusted_p.value_or(1));
    EXPECT_LE(least, before) << size;
    before = least;
    if (size >= 3) {
      EXPECT_EQ(verdict.answer, Answer::different) << size;
    }
  }
}

/// Whatever the published rules find at their own limits is not called consistent.
TEST(Verdicts, AreNotConsistentWhereAPublishedRuleRejects) {
  int rejected = 0, doubted = 0;
  for (int number = 0; number < 60; ++number) {
    Trial const trial{
        .population = {12, 0, {}}, .fault = {.name = "", .shift = 0.6}, .members = 60, .runs = 60};
    auto const drawn = draw(trial, 64, std::uint64_t(number));
    auto const ks = judged(drawn, {"twosample"},
                           {{"twosample.test", "ks"},
                            {"twosample.correction", "benjamini-yekutieli"},
                            {"twosample.rate", "0.05"}});
    if (ks.answer != Answer::different) continue;
    ++rejected;
    auto const verdict = judged(drawn);
    EXPECT_NE(verdict.answer, Answer::consistent) << number;
    doubted += verdict.statement.find("EVV's rule") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(rejected, 3);
  EXPECT_GT(doubted, 0);
}

/// Two groups on a line: the distance form is that of the means, and the ridges' forms follow from the only
/// eigenvalue.
TEST(Explained, IsWhatRegressionOnTheLabelsExplains) {
  std::vector<double> const column = {1, 2, 4, 3, 9, 8};
  Products products(6);
  products.add(column);
  Explained const explained(products);
  std::vector<std::size_t> const group = {4, 5};
  auto const values = explained(group);
  // Of G over its trace, z z^T / 5: (sum of the group's z)^2 / 5.
  double mean = 27.0 / 6, squares = 0;
  for (auto const value : column) squares += (value - mean) * (value - mean);
  auto const distance = std::pow(9 + 8 - 2 * mean, 2) / squares;
  EXPECT_NEAR(values[0], distance, 1e-12);
  // One eigenvalue, 1: with the ridge c it counts 1 / (1 + c), c in parts of the mean eigenvalue, 1/5.
  EXPECT_NEAR(values[1], distance / (1 + 1.0 / 5), 1e-12);
  EXPECT_NEAR(values[2], distance / (1 + 0.1 / 5), 1e-12);
  // The complement says the same.
  std::vector<std::size_t> const others = {0, 1, 2, 3};
  EXPECT_NEAR(explained(others)[1], values[1], 1e-12);
}

/// Monthly means of 4 variables that have nothing to do with each other.
Drawn months(std::size_t runs, double shift, std::size_t unshifted, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Drawn drawn;
  auto const run = [&](std::string const& name, bool faulty) {
    RunSummary summary{name, {}};
    for (std::size_t v = 0; v < 4; ++v) {
      auto& times = summary.variables.emplace_back();
      for (std::size_t t = 0; t < 12; ++t) {
        auto const value = 10 + normal(random) + (faulty && v == 0 && t != unshifted ? shift : 0.0);
        times.push_back({value, {{value - 1, value, value + 1}}});
      }
    }
    return summary;
  };
  for (auto* group : {&drawn.ensemble, &drawn.tests}) {
    for (std::size_t t = 0; t < 12; ++t) group->times.push_back(double(t) * 2592000);
    for (auto const* name : {"a", "b", "c", "d"}) group->variables.push_back({name, "1", 1, 1});
  }
  for (std::size_t i = 0; i < 30; ++i) drawn.ensemble.members.push_back(run("m" + std::to_string(i), false));
  for (std::size_t i = 0; i < runs; ++i) drawn.tests.members.push_back(run("n" + std::to_string(i), true));
  return drawn;
}

TEST(Times, ThatDifferAreFoundWhereTheLastIsTheSame) {
  // 0.8 of each of eleven months: 2.5 standard deviations of the annual mean.
  auto const drawn = months(24, 0.8, 11, 71);
  auto const verdict = judged(drawn, {"twosample"});
  EXPECT_EQ(verdict.answer, Answer::different);
  EXPECT_NE(verdict.statement.find("a, mean over time"), std::string::npos) << verdict.statement;
  EXPECT_EQ(judged(drawn, {"pca"}).answer, Answer::different);
  // A single month that the annual mean hides.
  auto one = months(24, 0, 0, 72);
  for (auto& run : one.tests.members) {
    run.variables[2][4].mean += 4;
    run.variables[2][5].mean -= 4;
  }
  auto const found = judged(one, {"twosample"});
  EXPECT_EQ(found.answer, Answer::different);
  EXPECT_NE(found.statement.find("c, at "), std::string::npos) << found.statement;
  auto const equal = judged(months(24, 0, 0, 73), {"twosample"});
  EXPECT_EQ(equal.answer, Answer::consistent) << equal.statement;
  EXPECT_NE(outcome_of(equal, "twosample").statement.find("at any time or in the mean over time"),
            std::string::npos);
}

TEST(Times, OfTheMeanAloneHaveAColumnForEachVariable) {
  auto const drawn = months(6, 0, 0, 74);
  Request request;
  request.ensemble.summary = &drawn.ensemble;
  request.tests.summary = &drawn.tests;
  std::vector<std::string> left_out;
  auto const all = means_of_times(request, left_out);
  EXPECT_EQ(all.ensemble.columns(), 4u * 13);
  EXPECT_EQ(all.of_times.size(), 4u * 12);
  EXPECT_EQ(all.over_time().tests.columns(), 4u);
  request.mean_alone = true;
  auto const alone = means_of_times(request, left_out);
  ASSERT_EQ(alone.ensemble.columns(), 4u);
  double sum = 0;
  for (auto const& at : drawn.ensemble.members[3].variables[1]) sum += at.mean;
  EXPECT_NEAR(alone.ensemble.rows[3][1], sum / 12, 1e-12);
}

/// Members that agree but for rounding at the first time say nothing about means there.
TEST(Times, AtWhichMembersAgreeToTheLastBitAreNotJudgedByMeans) {
  auto drawn = months(6, 0, 0, 75);
  for (auto* group : {&drawn.ensemble, &drawn.tests}) {
    for (auto& variable : group->variables) variable.type = {"float", 0x1p-23, 0};
    double count = 0;
    for (auto& run : group->members)
      run.variables[0][0] = {280, {{279, 280 + 0x1p-18 * (count += 1 / 64.), 281}}};
  }
  Request request;
  request.ensemble.summary = &drawn.ensemble;
  request.tests.summary = &drawn.tests;
  auto const times = judged_times(request, 0);
  EXPECT_EQ(times.size(), 11u);
  EXPECT_EQ(times.front(), 1u);
  EXPECT_EQ(judged_times(request, 1).size(), 12u);
}

TEST(TimeChoices, NameNumbersDatesAndRanges) {
  std::vector<std::string> const times = {"2000-01-16 12:00:00", "2000-02-15", "2000-03-16", "2001-01-16"};
  using Numbers = std::vector<std::size_t>;
  EXPECT_EQ(TimeChoice("all").of(times), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(TimeChoice("last").of(times), Numbers{3});
  EXPECT_EQ(TimeChoice("0,2").of(times), (Numbers{0, 2}));
  EXPECT_EQ(TimeChoice("-2..last").of(times), (Numbers{2, 3}));
  EXPECT_EQ(TimeChoice("2000").of(times), (Numbers{0, 1, 2}));
  EXPECT_EQ(TimeChoice("2000-02..2001").of(times), (Numbers{1, 2, 3}));
  EXPECT_FALSE(TimeChoice("all").mean_alone());
  EXPECT_TRUE(TimeChoice("mean").mean_alone());
  EXPECT_EQ(TimeChoice("mean").of(times).size(), 4u);
  EXPECT_EQ(TimeChoice("mean,0..1").of(times), (Numbers{0, 1}));
  EXPECT_TRUE(TimeChoice("0..1,mean").mean_alone());
  EXPECT_THROW(TimeChoice("7").of(times), InputError);
  EXPECT_THROW(TimeChoice("1999").of(times), InputError);
  EXPECT_THROW(TimeChoice("2..1").of(times), InputError);
  EXPECT_THROW(TimeChoice("1,,2"), InputError);
  EXPECT_THROW(TimeChoice("..2"), InputError);
}

TEST(TimeChoices, LeaveTheOthersOutOfSummaries) {
  auto drawn = months(3, 0, 0, 76);
  auto const before = drawn.ensemble.members[2].variables[1][4].mean;
  keep_times(drawn.ensemble, {4, 7});
  EXPECT_EQ(drawn.ensemble.times, (std::vector<double>{0, 3 * 2592000.0}));
  EXPECT_EQ(drawn.ensemble.scale.first, 4 * 2592000.0);
  ASSERT_EQ(drawn.ensemble.members[2].variables[1].size(), 2u);
  EXPECT_EQ(drawn.ensemble.members[2].variables[1][0].mean, before);
}

TEST(LabellingsOfFewRuns, ComeOnceEach) {
  Labellings labellings(5, 2, 3);
  ASSERT_EQ(labellings.count(7000), 20);  // C(7, 2) but the true one
  std::set<std::set<std::size_t>> seen;
  for (int k = 0; k < 20; ++k) {
    auto const order = labellings(k);
    EXPECT_EQ((std::set<std::size_t>(order.begin(), order.end()).size()), 7u);
    auto const fresh = order.last(2);
    seen.insert({fresh.begin(), fresh.end()});
  }
  EXPECT_EQ(seen.size(), 20u);
  EXPECT_FALSE(seen.contains({5, 6}));
}

}  // namespace
}  // namespace ulpine::verification::consistency
