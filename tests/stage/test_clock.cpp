// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/stage/clock.hpp"

namespace {

using namespace ulpine;

TEST(StageClock, CountsAlwaysAndTimesWhileEnabledOnly) {
  StageClock clock;
  auto const fast = clock.add_stage("fast"), slow = clock.add_stage("slow");
  clock.measure(Host{}, fast, 100, [] {});
  clock.enable(true);
  for (int i = 0; i < 3; ++i) {
    clock.measure(Host{}, slow, 8, [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
    clock.measure(Host{}, fast, 100, [] {});
  }
  clock.enable(false);
  clock.measure(Host{}, slow, 8, [] {});
  auto const times = clock.times();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].name, "fast");
  EXPECT_EQ(times[0].launches, 4);
  EXPECT_EQ(times[0].timed, 3);
  EXPECT_EQ(times[0].bytes, 400);
  EXPECT_EQ(times[1].launches, 4);
  EXPECT_EQ(times[1].timed, 3);
  EXPECT_EQ(times[1].bytes, 32);
  EXPECT_GE(times[1].seconds, 0.015);  // a sleep is never shorter than asked for
  EXPECT_GE(times[0].seconds, 0);
}

TEST(StageClock, CountsRepetitions) {
  StageClock clock;
  clock.add_stage("a");
  auto const b = clock.add_stage("b");
  clock.measure(Host{}, b, 4, [] {});
  auto const once = clock.counts();
  clock.repeat(once);
  clock.repeat(once);
  EXPECT_EQ(clock.times()[0].launches, 0);
  EXPECT_EQ(clock.times()[1].launches, 3);
  EXPECT_EQ(clock.times()[1].bytes, 12);
}

}  // namespace
