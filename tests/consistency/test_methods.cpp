// SPDX-License-Identifier: Apache-2.0
// Verdicts of drawn ensembles by the methods that judge means over the grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "consistency/judging.hpp"
#include "consistency/trials.hpp"
#include "io/error.hpp"
#include "verification/consistency/consistency.hpp"
#include "verification/consistency/joint.hpp"
#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {
namespace {

using consistency_trials::draw, consistency_trials::Drawn, consistency_trials::Trial;
using judging::judged, judging::means_in, judging::outcome_of;

TEST(Verdicts, AreRepeatableFromTheSeed) {
  auto const drawn = draw(Trial{}, 6, 0);
  auto const first = judged(drawn, {"twosample"}), second = judged(drawn, {"twosample"}),
             other = judged(drawn, {"twosample"}, {}, 2);
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
  EXPECT_EQ(off.answer, Answer::different);
  EXPECT_NE(off.statement.find("components of the ensemble"), std::string::npos) << off.statement;
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

}  // namespace
}  // namespace ulpine::verification::consistency
