// SPDX-License-Identifier: Apache-2.0
// Methods that judge each point or each time of fields.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "consistency/judging.hpp"
#include "verification/consistency/consistency.hpp"
#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {
namespace {

using judging::outcome_of;

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
    auto const says_none =
        outcome.statement.find("no farther from the ensemble than relabelled runs") != std::string::npos;
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

TEST(FieldByField, DoubtsEqualRunsAsOftenAsItsAdjustedChanceSays) {
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
  // Beside others it has a part of the rate, and its chance counts so much less.
  auto const ensemble = noise(12, 0, 1), tests = noise(8, 0, 2);
  auto const accepted = summary_of(ensemble, {0}), tested = summary_of(tests, {0});
  Request request;
  request.ensemble = {&accepted, &ensemble};
  request.tests = {&tested, &tests};
  request.parameters = {{"fieldwise.relabellings", "2000"}};
  request.methods = {"fieldwise"};
  auto const alone = judge(request);
  request.methods = {"fieldwise", "twosample"};
  auto const beside = judge(request);
  auto const &one = outcome_of(alone, "fieldwise"), &other = outcome_of(beside, "fieldwise");
  EXPECT_NEAR(other.nominal_rate, one.nominal_rate / 4, 1e-12);
  EXPECT_NEAR(*other.findings.front().adjusted_p, std::min(1.0, 4 * *one.findings.front().adjusted_p), 0.1);
}

/// A field mirrored in all new runs: most points reject, and so do they in some relabelled runs.
TEST(FieldByField, FindsAMirroredFieldHoweverManyRunsShowIt) {
  auto const runs = [](std::size_t count, bool mirrored, std::uint64_t seed) {
    auto memory = noise(count, 0, seed);
    for (auto& run : memory.runs) {
      auto& values = run[0][0];
      for (std::size_t p = 0; p < values.size(); ++p) values[p] += 3 * (double(p % 8) - 3.5);
      if (!mirrored) continue;
      for (std::size_t p = 0; p < values.size(); p += 8)
        std::reverse(values.begin() + std::ptrdiff_t(p), values.begin() + std::ptrdiff_t(p) + 8);
    }
    return memory;
  };
  auto const ensemble = runs(30, false, 81);
  for (auto const count : {std::size_t{3}, std::size_t{10}, std::size_t{24}}) {
    auto const mirrored = judged_fields(ensemble, runs(count, true, 82), {0}, "fieldwise");
    EXPECT_EQ(mirrored.answer, Answer::different) << count << mirrored.statement;
    EXPECT_NE(judged_fields(ensemble, runs(count, false, 83), {0}, "fieldwise").answer, Answer::different);
  }
}

/// A point of a single run that no extreme shows, at a time that is not the last.
TEST(Outliers, AreLookedForAtEveryPointAndTime) {
  auto const runs = [](std::size_t count, std::uint64_t seed) {
    Memory memory;
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::vector<double>> series;
      for (int t = 0; t < 3; ++t) {
        auto& values = series.emplace_back(400);
        for (std::size_t p = 0; p < values.size(); ++p) values[p] = 100 * double(p) + normal(random);
      }
      memory.runs.push_back({series});
    }
    return memory;
  };
  std::vector<double> const times = {0, 3600, 7200};
  auto const ensemble = runs(20, 91);
  auto tests = runs(12, 92);
  EXPECT_EQ(judged_fields(ensemble, tests, times, "outliers").answer, Answer::consistent);
  tests.runs[4][0][1][137] += 80;
  auto const verdict = judged_fields(ensemble, tests, times, "outliers");
  EXPECT_EQ(verdict.answer, Answer::different);
  EXPECT_NE(verdict.statement.find("run4"), std::string::npos) << verdict.statement;
  EXPECT_NE(verdict.statement.find("u, point 137, at 3600 s"), std::string::npos) << verdict.statement;
}

/// Values that are read, and how often.
class Counted final : public FieldSource {
 public:
  explicit Counted(Memory const& memory) : memory_{memory} {}
  mutable std::int64_t values = 0;
  void read(std::size_t run, std::size_t variable, std::size_t time, std::int64_t first,
            std::span<double> into) const override {
    values += std::int64_t(into.size());
    memory_.read(run, variable, time, first, into);
  }
  void read_unperturbed(std::size_t variable, std::size_t time, std::int64_t first,
                        std::span<double> into) const override {
    memory_.read_unperturbed(variable, time, first, into);
  }
  void read_weights(std::size_t variable, std::int64_t first, std::span<double> weights) const override {
    memory_.read_weights(variable, first, weights);
  }

 private:
  Memory const& memory_;
};

TEST(Points, AreReadOnceForAllMethods) {
  auto const ensemble = noise(30, 0, 1), tests = noise(24, 0, 2);
  auto const accepted = summary_of(ensemble, {0}), tested = summary_of(tests, {0});
  Counted const of_ensemble(ensemble), of_tests(tests);
  Request request;
  request.ensemble = {&accepted, &of_ensemble};
  request.tests = {&tested, &of_tests};
  request.methods = {"fieldwise", "outliers"};
  judge(request);
  EXPECT_EQ(of_ensemble.values, 30 * 64);
  EXPECT_EQ(of_tests.values, 24 * 64);
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
