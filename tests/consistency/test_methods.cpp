// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "consistency/trials.hpp"
#include "io/error.hpp"
#include "verification/consistency/consistency.hpp"
#include "verification/consistency/joint.hpp"
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

TEST(JointTest, DoesNotDependOnUnitsOrOrder) {
  auto const drawn = draw(Trial{.population = {}, .fault = {.name = "", .shift = 1}}, 5, 0);
  std::vector<std::string> left_out;
  auto const means = means_of(drawn.ensemble, drawn.tests, 0, left_out);
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
  std::vector<std::pair<std::string, std::string>> const one_deviation = {{"twosample.detectable", "1"}};
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
      EXPECT_LE(*outcome.findings.front().adjusted_p, 0.05);
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
