// SPDX-License-Identifier: Apache-2.0
#include "core/model/short_steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/exec/host.hpp"
#include "core/model/not_solved.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;

constexpr auto never = std::numeric_limits<double>::infinity();

class ShortStepsTest : public testing::Test {
 protected:
  ShortStepsTest() { u.view()[4] = -3.5; }
  /// Takes a step that begins where the last one ended; what is wrong with it.
  std::string take(double length, double latest = never) {
    auto const begin = time;
    time = length < latest - begin ? begin + length : latest;
    ++step;
    try {
      steps.look_at(table, step, begin, time, latest);
      return "";
    } catch (NotSolved const& problem) {
      return problem.what();
    }
  }

  FieldTable table;
  FieldOf<double, Host>& u = table.add<double>(Host{},
                                               {.name = "u",
                                                .units = "m s-1",
                                                .role = FieldRole::prognostic,
                                                .dimensions = {"y", "x"},
                                                .range = at_most(10)},
                                               Layout::dense(2, 3));
  FieldOf<double, Host>& theta = table.add<double>(
      Host{}, {.name = "theta", .units = "K", .role = FieldRole::prognostic, .dimensions = {"y", "x"}},
      Layout::dense(2, 3));
  ShortSteps steps;
  double time = 0;
  std::int64_t step = 0;
};

TEST_F(ShortStepsTest, ThatShrinkBelowABillionthOfTheLongestEndTheRunAtTheSecond) {
  theta.view()[1] = 300;
  for (double const length : {20., 1., 1e-3, 1e-6, 2.1e-8, 1.9e-8}) EXPECT_EQ(take(length), "") << length;
  auto const words = take(1.9e-8);
  EXPECT_TRUE(words.starts_with("step 7 is ")) << words;
  EXPECT_NE(words.find("the fastest is u (1, 1) = -3.5 m s-1"), std::string::npos) << words;
}

TEST_F(ShortStepsTest, ThatAreTenThousandMillionBeforeTheNextStopEndIt) {
  EXPECT_EQ(take(5e-9, 60), "");
  EXPECT_NE(take(5e-9, 60), "");
  ShortStepsTest::steps = {};
  for (int k = 0; k < 20; ++k) EXPECT_EQ(take(7e-9, 60), "");
}

TEST_F(ShortStepsTest, MayBeAsShortAsWhatIsLeft) {
  EXPECT_EQ(take(20), "");
  for (int k = 0; k < 5; ++k) EXPECT_EQ(take(20, time + 1e-13), "");
  EXPECT_EQ(take(20), "") << "nor does that make others short";
}

TEST_F(ShortStepsTest, OneAloneIsNotTheEnd) {
  EXPECT_EQ(take(20), "");
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(take(1e-9), "");
    EXPECT_EQ(take(20), "");
  }
}

TEST_F(ShortStepsTest, HaveTheStateLookedAtWhenTheyAreHalfAsLongAsEver) {
  EXPECT_EQ(take(20), "");
  u.view()[2] = 11;
  EXPECT_EQ(take(11), "") << "an output will tell";
  auto const words = take(5);
  EXPECT_NE(words.find("step 3 is 5 s long (it begins at 31 s: u (0, 2) = 11 m s-1 is outside -10 to 10)"),
            std::string::npos)
      << words;
}

TEST_F(ShortStepsTest, OfNoLengthAreRefused) {
  EXPECT_EQ(take(20), "");
  for (auto const* reason : {"the fastest is u (1, 1) = -3.5 m s-1", "u (0, 0) is NaN"}) {
    auto const words = test::message_of<InputError>([&] { steps.look_at(table, 2, 20, 20, 60); });
    EXPECT_NE(words.find("step 2 took no time (it begins and ends at 20 s: " + std::string(reason)),
              std::string::npos)
        << words;
    u.view()[0] = std::nan("");
  }
}

}  // namespace
