// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/run_times.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ulpine::ensembles {
namespace {

TEST(RunTimes, NothingIsKnownBeforeARunHasGoneOn) {
  RunTimes times;
  times.add("fp64");
  EXPECT_TRUE(std::isinf(times.remaining(1)));
  times.waited(0, 100);
  EXPECT_TRUE(std::isinf(times.remaining(1)));
  EXPECT_FALSE(times.overdue(0, 10));
  times.went_on(0, 100, 1. / 4);
  EXPECT_EQ(times.remaining(1), 300);
  times.waited(0, 120);
  EXPECT_EQ(times.remaining(1), 280) << "without a step since";
  times.ended(0, 390);
  EXPECT_EQ(times.remaining(1), 0);
}

TEST(RunTimes, ALastRunThatIsLongerThanTheRestCountsWithItsOwnPace) {
  RunTimes times;
  for (int i = 0; i < 9; ++i) times.add("fp64");
  times.add("quad");
  for (std::size_t i = 0; i < 9; ++i) times.ended(i, 10);
  // A share of the runs would let expect 10 s more; the run itself is a hundredth through after 20 s.
  times.went_on(9, 20, 0.01);
  EXPECT_DOUBLE_EQ(times.remaining(1), 1980);
  EXPECT_DOUBLE_EQ(times.remaining(8), 1980) << "no run is shared";
}

TEST(RunTimes, OpenRunsTakeWhatTheirKindTakes) {
  RunTimes times;
  for (auto const* kind : {"fp64", "fp32", "fp64", "fp64", "fp32", "mixed"}) times.add(kind);
  times.ended(0, 100);
  times.ended(1, 40);
  // Two of 100 s, one of 40 s, and of mixed nothing is known: the mean of the others, 70 s.
  EXPECT_DOUBLE_EQ(times.remaining(1), 310);
  EXPECT_DOUBLE_EQ(times.remaining(2), 155);
  EXPECT_DOUBLE_EQ(times.remaining(100), 100);
  times.dropped(2);
  EXPECT_DOUBLE_EQ(times.remaining(1), 210);
}

TEST(RunTimes, ARunIsOverdueByItsKindThenByItsPaceThenByTheLongest) {
  RunTimes times;
  for (auto const* kind : {"fp64", "fp64", "fp32", "fp32"}) times.add(kind);
  times.went_on(0, 6, 0.06);  // 100 s as it seems
  times.waited(0, 1000);
  EXPECT_FALSE(times.overdue(0, 10));
  times.went_on(0, 1001, 0.07);
  ASSERT_TRUE(times.overdue(0, 10));
  EXPECT_DOUBLE_EQ(times.overdue(0, 10)->expected_s, 100);
  EXPECT_EQ(times.overdue(0, 10)->taken_s, 1001);
  times.ended(0, 200);
  EXPECT_FALSE(times.overdue(0, 10)) << "it is over";
  times.waited(1, 2001);
  EXPECT_EQ(times.overdue(1, 10)->expected_s, 200);
  EXPECT_FALSE(times.overdue(1, 11));
  times.waited(2, 2001);
  EXPECT_EQ(times.overdue(2, 10)->expected_s, 200) << "the longest of another kind";
  times.ended(3, 500);
  EXPECT_FALSE(times.overdue(2, 10));
}

TEST(RunTimes, AShortRunIsNotOverdue) {
  RunTimes times;
  times.add("fp64");
  times.add("fp64");
  times.ended(0, 0.01);
  times.waited(1, 9.9);
  EXPECT_FALSE(times.overdue(1, 10));
  times.waited(1, 10);
  EXPECT_TRUE(times.overdue(1, 10));
}

}  // namespace
}  // namespace ulpine::ensembles
