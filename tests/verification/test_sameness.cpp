// SPDX-License-Identifier: Apache-2.0
#include "verification/sameness/sameness.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/random_values.hpp"
#include "verification/sameness/words.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification::sameness {
namespace {

using State = std::vector<double>;
constexpr std::size_t sites = 40;

/// The model of Lorenz (1996) on a ring: dx_i/dt = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F, in steps of 0.025
/// by the classical scheme of Runge and Kutta.
class Lorenz96 {
 public:
  explicit Lorenz96(double forcing = 8) : forcing_{forcing} {}
  /// The states at the start and after every `steps` steps.
  std::vector<State> run(State x, std::size_t outputs, int steps = 4) const {
    std::vector<State> states = {x};
    constexpr double step = 0.025;
    for (std::size_t i = 1; i < outputs; ++i) {
      for (int n = 0; n < steps; ++n) {
        auto const a = tendency(x), b = tendency(along(x, a, step / 2)), c = tendency(along(x, b, step / 2)),
                   d = tendency(along(x, c, step));
        for (std::size_t k = 0; k < sites; ++k) x[k] += step / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
      }
      states.push_back(x);
    }
    return states;
  }

 private:
  State tendency(State const& x) const {
    State result(sites);
    for (std::size_t i = 0; i < sites; ++i) {
      result[i] =
          (x[(i + 1) % sites] - x[(i + sites - 2) % sites]) * x[(i + sites - 1) % sites] - x[i] + forcing_;
    }
    return result;
  }
  static State along(State x, State const& tendency, double by) {
    for (std::size_t i = 0; i < sites; ++i) x[i] += by * tendency[i];
    return x;
  }
  double forcing_;
};

/// Runs of the model as files would show them: outputs every six hours, rounded to float or not.
class Runs {
 public:
  explicit Runs(std::uint64_t seed, bool single = false, std::size_t outputs = 40)
      : random_{seed}, single_{single}, outputs_{outputs} {
    State start(sites);
    for (auto& x : start) x = 8 + random_.between(-1, 1);
    start_ = Lorenz96().run(start, 2, 400).back();
    reference_ = Lorenz96().run(start_, outputs_);
  }
  /// A run whose start has relative noise.
  RunDistance noisy(double amplitude, double forcing = 8) {
    auto start = start_;
    for (auto& x : start) x *= 1 + amplitude * random_.between(-1, 1);
    return distance(Lorenz96(forcing).run(start, outputs_));
  }
  std::vector<RunDistance> members(int count, double amplitude) {
    std::vector<RunDistance> result;
    for (int i = 0; i < count; ++i) result.push_back(noisy(amplitude));
    return result;
  }
  RunDistance distance(std::vector<State> const& states) const {
    RunDistance run;
    run.name = "run";
    Series series;
    series.name = "wave";
    series.in_seconds = true;
    series.type = single_ ? io::StoredType{"float", 0x1p-23, 0} : io::StoredType{"double", 0x1p-52, 0};
    for (std::size_t t = 0; t < states.size(); ++t) series.times.push_back(at(t, states[t]));
    run.variables.push_back(std::move(series));
    run.same_bits = !run.differs();
    run.files = 1;
    return run;
  }

 private:
  double stored(double x) const { return single_ ? double(float(x)) : x; }
  Distance at(std::size_t time, State const& state) const {
    Distance distance;
    distance.time = 21600.0 * double(time);
    distance.text = "hour " + std::to_string(6 * time);
    State x, y;
    for (std::size_t i = 0; i < sites; ++i) {
      x.push_back(stored(state[i]));
      y.push_back(stored(reference_[time][i]));
    }
    auto const metrics = compute_metrics(x, y);
    distance.differing = metrics.differing;
    if (metrics.differing == 0) return distance;
    distance.rms = metrics["rmse"].number();
    distance.rms_reference = distance.rms / metrics["l2_relative"].number();
    distance.largest = metrics["linf"].number();
    distance.one_minus_r = metrics["one_minus_r"].number();
    for (std::size_t i = 0; i < sites; ++i) {
      auto const ulps = single_ ? float_ulp_distance(float(x[i]), float(y[i])) : ulp_distance(x[i], y[i]);
      distance.ulps = std::max(distance.ulps, double(ulps));
    }
    return distance;
  }

  test::RandomValues random_;
  bool single_;
  std::size_t outputs_;
  State start_;
  std::vector<State> reference_;
};

Answer answer(RunDistance const& run, std::vector<RunDistance> const& members = {}) {
  return judge(run, members, "").answer;
}

TEST(Sameness, EqualRunsAreTheSameBits) {
  Runs runs(1);
  EXPECT_EQ(answer(runs.noisy(0)), Answer::bits);
  EXPECT_EQ(answer(runs.noisy(0), runs.members(12, 1e-10)), Answer::bits);
  auto stored = runs.noisy(0);
  stored.same_bits = false;
  stored.stored_otherwise = {"wave"};
  EXPECT_EQ(answer(stored), Answer::values);
}

TEST(Sameness, ADifferenceWithoutNoiseIsNotDecidedAndItsGrowthIsTold) {
  Runs runs(2);
  auto const run = runs.noisy(1e-13);
  auto const verdict = judge(run, {}, "");
  EXPECT_EQ(verdict.answer, Answer::undecided);
  EXPECT_NE(verdict.missing.find("5 runs"), std::string::npos) << verdict.missing;
  ASSERT_TRUE(verdict.growth[0].doubling);
  EXPECT_EQ(*verdict.growth[0].first, 0u);
}

Series series_of(std::vector<double> const& rms, std::vector<double> const& less_correlated = {}) {
  Series series;
  series.name = "h";
  series.in_seconds = true;
  series.type = {"double", 0x1p-52, 0};
  for (std::size_t i = 0; i < rms.size(); ++i) {
    Distance distance;
    distance.time = 3600.0 * double(i);
    distance.text = "hour " + std::to_string(i);
    distance.rms = rms[i];
    distance.differing = rms[i] > 0 ? 1 : 0;
    distance.rms_reference = rms[i] > 0 ? 1 : 0;
    distance.ulps = rms[i] / 0x1p-52;
    distance.one_minus_r = i < less_correlated.size() ? less_correlated[i] : rms[i] * rms[i] / 2;
    series.times.push_back(distance);
  }
  return series;
}

TEST(Sameness, TheVariablesThatDifferFirstAreToldTheFurthestOffAhead) {
  RunDistance run;
  auto const add = [&](char const* name, std::vector<double> const& rms) {
    run.variables.push_back(series_of(rms));
    run.variables.back().name = name;
  };
  add("late", {0, 0, 1e-3, 1e-3});
  add("near", {0, 1e-9, 1e-9, 1e-9});
  add("far", {0, 1e-6, 1e-6, 1e-6});
  add("later", {0, 0, 0, 1});
  add("never", {0, 0, 0, 0});
  auto const verdict = judge(run, {}, "");
  EXPECT_EQ(first_variables(run, verdict.growth), (std::vector<std::size_t>{2, 1}));
  EXPECT_NE(verdict.sentence.find("differ from hour 1 on, first in far, near, by"), std::string::npos)
      << verdict.sentence;
}

TEST(Sameness, DoublingTimeIsThatOfTheLeadingExponent) {
  // 1.68 a unit of time for 40 sites and F = 8; an output here is 0.1 units, called six hours.
  std::vector<double> rates;
  for (std::uint64_t start = 0; start < 40; ++start) {
    Runs runs(100 + start, false, 120);
    auto const growth = growth_of(runs.noisy(1e-12).variables[0]);
    ASSERT_TRUE(growth.doubling);
    rates.push_back(std::log(2.0) / (*growth.doubling / 216000.0));
  }
  auto const [mean, sd, count] = moments(rates);
  auto const error = sd / std::sqrt(double(count));
  EXPECT_LT(error, 0.06);
  EXPECT_NEAR(mean, 1.68, 4 * error);
}

TEST(GrowthOfSeries, IsFittedWhereItIsExponential) {
  // Zero, rounding, doubling every hour, saturation.
  auto const growth = growth_of(series_of({0, 0, 0x1p-53, 0x1p-20, 0x1p-19, 0x1p-18, 0x1p-17, 1, 1, 1}));
  ASSERT_TRUE(growth.doubling);
  EXPECT_NEAR(*growth.doubling, 3600, 1e-6);
  EXPECT_EQ(*growth.first, 2u);
  EXPECT_EQ(growth.words, "doubles in 60 min");
  // In float, differences of its rounding say nothing of growth.
  auto single = series_of({0x1p-25, 0x1p-23, 0x1p-20, 0x1p-18, 0x1p-16, 0x1p-14});
  single.type = {"float", 0x1p-23, 0};
  EXPECT_NEAR(*growth_of(single).doubling, 1800, 1e-6);
}

TEST(GrowthOfSeries, SaysWhyThereIsNone) {
  EXPECT_FALSE(growth_of(series_of({0, 0})).first);
  EXPECT_EQ(growth_of(series_of({0, 1e-8, 1e-8, 1e-8, 1e-8})).words, "does not grow");
  EXPECT_EQ(growth_of(series_of({0, 1e-8, 8e-9, 6e-9, 4e-9})).words, "does not grow");
  EXPECT_EQ(growth_of(series_of({0, 1, 1, 1})).words, "has its full size at once");
  EXPECT_EQ(growth_of(series_of({0x1p-53, 1, 1, 1})).words, "grows too fast for the output times");
  EXPECT_EQ(growth_of(series_of({1e-8, 2e-8})).words, "has fewer than 3 output times in its growth");
  EXPECT_EQ(growth_of(series_of({0x1p-53, 0x1p-53})).words, "stays within the rounding of the file");
}

TEST(Sameness, TheLastBitOfTheFileIsToldByItsType) {
  Runs runs(3, true, 4);
  auto run = runs.noisy(0);
  auto& series = run.variables[0];
  auto& last = series.times.back();
  last.differing = 1;
  last.ulps = 1;
  last.rms = 1e-9;
  last.rms_reference = 1;
  run.same_bits = false;
  auto const verdict = judge(run, {}, "");
  EXPECT_EQ(verdict.answer, Answer::last_bit) << verdict.sentence;
  EXPECT_NE(verdict.sentence.find("within the last bit of the file's float32: 1 of 1"), std::string::npos);
  EXPECT_NE(verdict.missing.find("double"), std::string::npos);
  // Two units are more than the last bit, and so is one of a number that counts.
  last.ulps = 2;
  EXPECT_EQ(answer(run), Answer::undecided);
  last.ulps = 1;
  series.type = {"int", 0, 1};
  EXPECT_EQ(answer(run), Answer::undecided);
  series.type = {"short", 0, 0.01};
  EXPECT_EQ(answer(run), Answer::last_bit);
}

TEST(Sameness, AnotherForcingIsFoundWhateverItsSizeAboveTheNoise) {
  for (auto const forcing : {8 + 1e-7, 8 + 1e-5, 8.001, 8.1, 7.5, 10.0}) {
    Runs runs(4);
    auto const members = runs.members(12, 1e-10);
    auto const verdict = judge(runs.noisy(0, forcing), members, "1e-10");
    EXPECT_EQ(verdict.answer, Answer::different) << forcing << verdict.sentence;
    EXPECT_NE(verdict.sentence.find("noise of 1e-10 (12 runs)"), std::string::npos) << verdict.sentence;
    // It is beyond the noise from the first output on.
    EXPECT_EQ(verdict.noise->first_beyond(runs.noisy(0, forcing))->time, 1u);
  }
}

TEST(Sameness, AForcingBelowTheNoiseIsInsideIt) {
  Runs runs(5);
  auto const members = runs.members(12, 1e-6);
  auto const verdict = judge(runs.noisy(0, 8 + 1e-11), members, "1e-6");
  EXPECT_EQ(verdict.answer, Answer::as_noise) << verdict.sentence;
  // What would have been noticed is said, and is: ten times that is.
  auto const* const sharpest = verdict.noise->sharpest();
  ASSERT_NE(sharpest, nullptr);
  EXPECT_GT(sharpest->least_noticed, 1e-7);
  EXPECT_LT(sharpest->least_noticed, 1e-4);
  EXPECT_EQ(answer(runs.noisy(10 * sharpest->least_noticed), members), Answer::different);
}

TEST(Sameness, ARuleWithoutPowerDecidesNothing) {
  Runs runs(6);
  auto const few = judge(runs.noisy(0, 8.1), runs.members(4, 1e-10), "");
  EXPECT_EQ(few.answer, Answer::undecided);
  EXPECT_EQ(few.missing, "1 more run of the reference with noise");
  // Noise of the size of the fields: every run is as far off as any other.
  auto const grown = judge(runs.noisy(0, 8.1), runs.members(12, 2.0), "");
  EXPECT_EQ(grown.answer, Answer::undecided) << grown.sentence;
  EXPECT_NE(grown.sentence.find("as far from the reference as any other run"), std::string::npos);
  // Noise that a file of single precision hides.
  Runs hidden(7, true, 4);
  auto run = hidden.noisy(1e-9);
  run.variables[0].times.back().ulps = 2;
  auto const unseen = judge(run, hidden.members(12, 1e-9), "");
  EXPECT_EQ(unseen.answer, Answer::undecided) << unseen.sentence;
  EXPECT_NE(unseen.sentence.find("the noise shows in no output"), std::string::npos) << unseen.sentence;
}

TEST(Sameness, WhatNoNoiseMakesIsDifferent) {
  Runs runs(8);
  auto const members = runs.members(12, 1e-10);
  auto run = runs.noisy(1e-12);
  run.variables[0].times[3].one_sided = 2;
  EXPECT_EQ(answer(run, members), Answer::different);
  EXPECT_EQ(answer(run), Answer::different);
  auto moving = members;
  moving[0].variables[0].times[5].one_sided = 1;
  EXPECT_EQ(answer(run, moving), Answer::as_noise);
  run = runs.noisy(1e-12);
  run.other_places = {"lat: is elsewhere"};
  EXPECT_EQ(answer(run, members), Answer::different);
  run = runs.noisy(1e-12);
  run.variables[0].times[3].failure = "infinite values";
  EXPECT_EQ(answer(run, members), Answer::different);
}

TEST(Sameness, WhatCouldNotBeComparedIsNotPassedOver) {
  Runs runs(9);
  auto const members = runs.members(12, 1e-10);
  for (auto const amplitude : {0.0, 1e-12}) {
    auto run = runs.noisy(amplitude);
    run.not_compared = {"T is only in ref.nc"};
    auto const verdict = judge(run, members, "");
    EXPECT_EQ(verdict.answer, Answer::undecided);
    EXPECT_NE(verdict.sentence.find("T is only in ref.nc"), std::string::npos) << verdict.sentence;
    EXPECT_NE(to_text(run, verdict).find("not compared: T is only in ref.nc\n"), std::string::npos);
  }
  // A variable that differs and that noisy runs do not have.
  auto run = runs.noisy(1e-12);
  run.variables.push_back(run.variables[0]);
  run.variables.back().name = "other";
  auto const verdict = judge(run, members, "");
  EXPECT_EQ(verdict.answer, Answer::undecided);
  EXPECT_EQ(verdict.noise->not_held, std::vector<std::string>{"other"});
}

TEST(Sameness, AFieldThatNoiseDoesNotTouchMustStayAsItIs) {
  Runs runs(10);
  auto members = runs.members(12, 1e-10);
  auto run = runs.noisy(1e-12);
  auto mountains = series_of(std::vector<double>(40, 0));
  mountains.name = "mountains";
  for (std::size_t t = 0; t < mountains.times.size(); ++t) mountains.times[t].time = 21600.0 * double(t);
  for (auto& member : members) member.variables.push_back(mountains);
  run.variables.push_back(mountains);
  EXPECT_EQ(answer(run, members), Answer::as_noise);
  run.variables[1].times[7].differing = 1;
  run.variables[1].times[7].rms = 1e-6;
  run.variables[1].times[7].rms_reference = 1;
  EXPECT_EQ(answer(run, members), Answer::different);
}

/// Of runs whose noise is `larger` times that of the members: how many are called different, of how many.
int called_different(int trials, int members, double larger) {
  int found = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Runs runs(1000 + std::uint64_t(trial), false, 16);
    auto const noisy = runs.members(members, 1e-10);
    found += answer(runs.noisy(larger * 1e-10), noisy) == Answer::different ? 1 : 0;
  }
  return found;
}

TEST(Sameness, NoisyRunsOfTheReferenceAreCalledDifferentAtTheRate) {
  // 0.4 % of 400 are 1.6: more than 9 come in less than one of 10,000 tests (binomial).
  EXPECT_LE(called_different(400, 12, 1), 9);
}

TEST(Sameness, NoiseTenTimesAsLargeIsFound) { EXPECT_EQ(called_different(50, 12, 10), 50); }

/// The numbers of docs/results/consistency.md; ULPINE_NOISE_TRIALS says of how many trials.
TEST(Sameness, RatesAreMeasuredWhereThatIsAskedFor) {
  auto const* const wanted = std::getenv("ULPINE_NOISE_TRIALS");
  if (wanted == nullptr) GTEST_SKIP() << "ULPINE_NOISE_TRIALS is not set";
  auto const trials = std::atoi(wanted);
  for (auto const members : {5, 8, 12, 24, 50}) {
    std::printf("%d noisy runs:", members);
    for (auto const larger : {0.01, 1.0, 2.0, 3.0, 5.0, 10.0})
      std::printf("  x %g: %d of %d", larger, called_different(trials, members, larger), trials);
    std::printf("\n");
  }
}

TEST(Words, AreThoseOfTheField) {
  EXPECT_EQ(type_words({"float", 0x1p-23, 0}), "float32");
  EXPECT_EQ(type_words({"double", 0x1p-52, 0}), "float64");
  EXPECT_EQ(type_words({"short", 0, 0.5}), "packed short");
  EXPECT_EQ(type_words({"int", 0, 1}), "int");
  EXPECT_EQ(ulp_words(1), "1 unit in the last place");
  EXPECT_EQ(duration_words(90, true), "90 s");
  EXPECT_EQ(duration_words(7200, true), "2 h");
  EXPECT_EQ(duration_words(5400, true), "90 min");
  EXPECT_EQ(duration_words(259200, true), "3 d");
  EXPECT_EQ(duration_words(2.5, false), "2.5 units of time");
}

}  // namespace
}  // namespace ulpine::verification::sameness
