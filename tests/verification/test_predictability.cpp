// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/predictability.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "verification/made_study.hpp"

namespace ulpine::verification {
namespace {

/// Errors that grow by e in an hour from `first` on until they are 2.
std::vector<double> growing(double first, int hours = 40) {
  std::vector<double> errors;
  for (int hour = 0; hour <= hours; ++hour) errors.push_back(std::min(2.0, first * std::exp(hour)));
  return errors;
}

/// fp32 from 1e-6 and members of the reference from 1e-12 and 1e-3 on, each a little apart.
test::Study chaotic(int hours = 40) {
  test::Study study({"2^-40", "2^-10"});
  test::Study::set_series(study.add("fp32/deterministic", 1), growing(1e-6, hours));
  study.add_members("fp64", 3, 1, [](int, int) { return 40; });
  for (auto& run : study.results.runs) {
    if (!run.member) continue;
    run.ensemble = "fp64/deterministic";
    auto const first = run.epsilon_text == "2^-40" ? 1e-12 : 1e-3;
    test::Study::set_series(run, growing(first * std::exp(0.05 * (*run.member - 1)), hours));
  }
  return study;
}

TEST(Predictability, IsWhenErrorsReachHalfOfTheirSaturation) {
  auto const found = predictability(chaotic().results);

  ASSERT_EQ(found.size(), 2u);
  auto const& u = found[0];
  EXPECT_EQ(u.field, "sivol" < std::string("siu") ? "sivol" : "siu");
  EXPECT_EQ(u.saturation, 2);
  ASSERT_EQ(u.entries.size(), 3u);
  auto const& run = u.entries[0];
  EXPECT_EQ(run.run, "fp32/deterministic");
  EXPECT_EQ(run.runs, 1);
  // 1e-6 e^h = 1, and what the exponential and two logarithms round of 14 hours.
  EXPECT_NEAR(run.time_s->mean, 3600 * 6 * std::log(10), 1e-9);
  EXPECT_TRUE(std::isnan(run.time_s->sd));
  for (auto const& entry : {u.entries[1], u.entries[2]}) {
    EXPECT_TRUE(entry.run.empty());
    EXPECT_EQ(entry.runs, 3);
    EXPECT_EQ(entry.of, 3);
    EXPECT_NEAR(entry.time_s->mean, 3600 * (entry.epsilon_text == "2^-40" ? 12 : 3) * std::log(10), 1e-8);
    EXPECT_NEAR(entry.time_s->sd, 180, 1e-8) << "a twentieth of an hour to either side";
  }
}

TEST(Predictability, IsNoneWhereErrorsRememberHowLargeTheyWere) {
  EXPECT_TRUE(predictability(chaotic(20).results).empty()) << "the smaller have not grown up";
  auto study = chaotic();
  for (auto& run : study.results.runs) {
    if (run.epsilon_text == "2^-10") run.member.reset(), run.failed = "left out";
  }
  EXPECT_TRUE(predictability(study.results).empty()) << "one amplitude cannot tell";
  auto near = chaotic();
  for (auto& run : near.results.runs) {
    if (run.epsilon_text == "2^-40") test::Study::set_series(run, growing(2e-5));
  }
  EXPECT_TRUE(predictability(near.results).empty()) << "amplitudes too near to forget";
}

TEST(Predictability, LeavesOutControlsAndOtherPoliciesMembersAndSaysWhoNeverGetsThere) {
  auto study = chaotic();
  study.add_members("fp32", 3, 1, [](int, int) { return 40; });
  for (auto& run : study.results.runs) {
    if (run.member && run.policy == "fp32") {
      run.ensemble = "fp32/deterministic";
      test::Study::set_series(run, growing(5));
    } else if (!run.member && run.policy == "fp32") {
      test::Study::set_series(run, std::vector<double>(41, 0.5));
    }
  }
  study.results.runs.push_back(study.results.runs.back());
  auto& control = study.results.runs.back();
  control.control = true, control.ensemble = "fp64/deterministic", control.epsilon_text = "2^-10";

  auto const found = predictability(study.results);
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(found[0].entries.size(), 3u);
  EXPECT_FALSE(found[0].entries[0].time_s);
  EXPECT_EQ(found[0].entries[0].runs, 0);
  EXPECT_EQ(found[0].entries[1].of, 3);
  EXPECT_EQ(found[0].saturation, 2);
  EXPECT_EQ(found[0].entries[0].of, 1);
  EXPECT_EQ(found[0].entries[2].epsilon_text, "2^-40");
  EXPECT_EQ(found[0].entries[2].runs, 3);
  ASSERT_TRUE(found[0].entries[2].time_s);
  EXPECT_NEAR(found[0].entries[2].time_s->mean, 9.947e4, 5);
  EXPECT_NEAR(found[0].entries[2].time_s->sd, 180, 1);
}

/// A perturbation of the last bit may need longer than the study: two others tell what saturation is.
TEST(Predictability, IsKnownWhereSmallerPerturbationsStillGrow) {
  test::Study study({"2^-50", "2^-40", "2^-10"});
  study.add_members("fp64", 3, 1, [](int, int) { return 40; });
  for (auto& run : study.results.runs) {
    if (!run.member) continue;
    run.ensemble = "fp64/deterministic";
    test::Study::set_series(run, growing(run.epsilon_text == "2^-50"   ? 1e-30
                                         : run.epsilon_text == "2^-40" ? 1e-12
                                                                       : 1e-3));
  }
  auto const found = predictability(study.results);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].saturation, 2);
  ASSERT_EQ(found[0].entries.size(), 3u);
  EXPECT_EQ(found[0].entries[2].epsilon_text, "2^-50");
  EXPECT_FALSE(found[0].entries[2].time_s);
  EXPECT_TRUE(found[0].entries[1].time_s);
}

/// A field that is not perturbed itself is so from the second output on.
TEST(Predictability, BeginsWhereAFieldIsReached) {
  auto study = chaotic();
  for (auto& run : study.results.runs) {
    if (run.series) run.series->fields["siu"].l2_relative[0] = 0;
  }
  EXPECT_EQ(predictability(study.results).size(), 2u);
}

}  // namespace
}  // namespace ulpine::verification
