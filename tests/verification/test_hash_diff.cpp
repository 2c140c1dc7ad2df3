// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/hash_diff.hpp"

#include <gtest/gtest.h>

#include "io/error.hpp"
#include "support/random_values.hpp"

namespace ulpine::verification {
namespace {

using test::RandomValues;

io::HashLog log_of(std::int64_t first, std::size_t count) {
  io::HashLog log{{}, first, {}};
  for (std::size_t i = 0; i < count; ++i)
    log.hashes.push_back(1000003 * (static_cast<std::uint64_t>(first) + i));
  return log;
}

TEST(HashDiff, OfEqualStatesIsNone) {
  EXPECT_FALSE(first_difference(log_of(0, 100001), log_of(0, 100001)));
  EXPECT_FALSE(first_difference(log_of(5, 1), log_of(5, 1)));
}

// Any set of steps may differ: the first is told, how many, and the step behind the last.
TEST(HashDiff, FindsTheFirstStepAndWhereADifferenceHeals) {
  RandomValues random(72);
  for (int trial = 0; trial < 300; ++trial) {
    auto const count = 1 + random.below(3000);
    auto const a = log_of(0, count);
    auto b = a;
    auto const first = random.below(count), last = first + random.below(count - first);
    std::int64_t differing = 0;
    for (auto step = first; step <= last; ++step) {
      if (step != first && step != last && random.below(2) == 0) continue;
      b.hashes[step] += 1;
      ++differing;
    }
    auto const found = first_difference(a, b);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->step, static_cast<std::int64_t>(first));
    EXPECT_EQ(found->differing, differing);
    EXPECT_EQ(found->common, static_cast<std::int64_t>(count));
    EXPECT_FALSE(found->one_alone);
    EXPECT_EQ(found->same_from.has_value(), last + 1 < count);
    if (found->same_from) {
      EXPECT_EQ(*found->same_from, static_cast<std::int64_t>(last) + 1);
    }
    EXPECT_EQ(first_difference(b, a)->step, found->step);
  }
}

TEST(HashDiff, TellsARunThatGoesOnAlone) {
  auto const found = first_difference(log_of(0, 50), log_of(0, 40));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->one_alone);
  EXPECT_EQ(found->step, 40);
  EXPECT_EQ(found->common, 40);
  EXPECT_EQ(found->differing, 0);
  EXPECT_EQ(describe(*found), "only one run has step 40; all 40 states before it are equal");
  EXPECT_TRUE(first_difference(log_of(0, 40), log_of(0, 50))->one_alone);
}

TEST(HashDiff, OfUnequalLengthsStillFindsADifferentState) {
  auto b = log_of(0, 40);
  b.hashes[30] = 1;
  auto const found = first_difference(log_of(0, 50), b);
  EXPECT_EQ(found->step, 30);
  EXPECT_FALSE(found->one_alone);
  EXPECT_EQ(found->same_from, 31);
}

// A run that went on from a restart has no states before it.
TEST(HashDiff, ComparesTheStepsThatBothHave) {
  EXPECT_FALSE(first_difference(log_of(0, 50), log_of(20, 30)));
  auto later = log_of(20, 30);
  later.hashes[4] = 1;
  auto const found = first_difference(log_of(0, 50), later);
  EXPECT_EQ(found->step, 24);
  EXPECT_EQ(found->common, 30);
  EXPECT_THROW(first_difference(log_of(0, 20), log_of(20, 30)), InputError);
}

TEST(HashDiff, SaysWhereInOneLine) {
  auto b = log_of(0, 10);
  b.hashes[3] = b.hashes[5] = 1;
  EXPECT_EQ(describe(*first_difference(log_of(0, 10), b)),
            "the states differ from step 3 on (2 of 10 common states differ), and are the same again from "
            "step 6 on");
}

}  // namespace
}  // namespace ulpine::verification
