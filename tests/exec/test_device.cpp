// SPDX-License-Identifier: Apache-2.0
#include "core/exec/device.hpp"

#include <gtest/gtest.h>

#include "core/exec/stream.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;

TEST(RunsOn, FollowsTheRulesOfBinaryAndPortableCode) {
  EXPECT_TRUE(runs_on("90", 90));
  EXPECT_TRUE(runs_on("90", 100));  // by the driver, from portable code
  EXPECT_FALSE(runs_on("90", 80));
  EXPECT_TRUE(runs_on("80,90", 80));
  EXPECT_TRUE(runs_on("80-real", 86));
  EXPECT_FALSE(runs_on("80-real", 90));
  EXPECT_FALSE(runs_on("86-real", 80));
  EXPECT_TRUE(runs_on("80-virtual", 90));
  EXPECT_TRUE(runs_on("90a", 90));
  EXPECT_FALSE(runs_on("90a", 100));
  EXPECT_FALSE(runs_on("100f", 120));
  EXPECT_TRUE(runs_on("native", 75));
  EXPECT_FALSE(runs_on("", 90));
}

TEST(Device, RefusesWhatIsNotThere) {
  EXPECT_THROW(Stream(1000), EnvironmentError);
  EXPECT_THROW(Stream(-1), EnvironmentError);
  EXPECT_NO_THROW(host_cpu_check());
}

}  // namespace
