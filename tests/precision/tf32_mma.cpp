// SPDX-License-Identifier: Apache-2.0
#include "precision/tf32_mma.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "precision/formats.hpp"
#include "precision/quad.hpp"

namespace ulpine {
namespace {

float const inf = HUGE_VALF, nan = std::nanf("");

class Tf32Mma : public testing::Test {
 protected:
  float uniform() { return Tf32::round(std::uniform_real_distribution<float>(-1, 1)(generator)); }
  float wide(int range) {
    return std::ldexp(uniform(),
                      static_cast<int>(generator() % static_cast<unsigned>(2 * range + 1)) - range);
  }
  std::mt19937 generator{5};
};

/// The model written down a second time, from its description, in 113-bit arithmetic (exponents within its
/// reach).
float by_definition(float const* a, float const* b, float c) {
  auto const exponent = [](float x) { return std::max(std::ilogb(x), -126); };
  int largest = c == 0 ? -1000 : exponent(c);
  for (int k = 0; k < 8; ++k) {
    if (a[k] != 0 && b[k] != 0) {
      largest = std::max(largest, exponent(a[k]) + exponent(b[k]));
    }
  }
  float128 sum = trunc(ldexp(float128(c), 25 - largest));
  for (int k = 0; k < 8; ++k) {
    sum += trunc(ldexp(float128(a[k]) * b[k], 25 - largest));
  }
  sum = ldexp(sum, largest - 25);
  int sum_exponent = 0;
  frexp(sum, &sum_exponent);
  int const unit = std::max(sum_exponent - 24, -149);
  return static_cast<float>(ldexp(trunc(ldexp(sum, -unit)), unit));
}

TEST_F(Tf32Mma, FollowsItsDefinitionInWideArithmetic) {
  for (int trial = 0; trial < 100000; ++trial) {
    float a[8], b[8];
    int const range = trial % 3 == 0 ? 0 : trial % 3 == 1 ? 12 : 60;
    for (int k = 0; k < 8; ++k) {
      a[k] = wide(range), b[k] = trial % 5 == 0 && k % 2 == 1 ? -b[k - 1] : wide(range);
      a[k] = trial % 5 == 0 && k % 2 == 1 ? a[k - 1] : a[k];
    }
    float const c = wide(range);
    ASSERT_EQ(to_bits(mma_block(hopper_mma, a, b, 8, c)), to_bits(by_definition(a, b, c))) << trial;
  }
}

TEST_F(Tf32Mma, IsExactWhereNothingHasToBeDropped) {
  for (int trial = 0; trial < 10000; ++trial) {
    float a[8], b[8], expected = static_cast<float>(static_cast<int>(generator() % 2048) - 1024);
    float const c = expected;
    for (int k = 0; k < 8; ++k) {
      a[k] = static_cast<float>(static_cast<int>(generator() % 256) - 128);
      b[k] = static_cast<float>(static_cast<int>(generator() % 256) - 128);
      expected += a[k] * b[k];
    }
    ASSERT_EQ(mma_block(hopper_mma, a, b, 8, c), expected);
  }
}

TEST_F(Tf32Mma, DoesNotDependOnTheOrderWithinABlockButDoesAcrossBlocks) {
  int differ = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    float a[16], b[16], ra[16], rb[16];
    for (int k = 0; k < 16; ++k) {
      a[k] = wide(10), b[k] = wide(10);
    }
    float const c = wide(10);
    std::reverse_copy(a, a + 8, ra);
    std::reverse_copy(b, b + 8, rb);
    ASSERT_EQ(mma_block(hopper_mma, a, b, 8, c), mma_block(hopper_mma, ra, rb, 8, c));
    std::copy(a, a + 8, ra + 8), std::copy(b, b + 8, rb + 8);
    std::copy(a + 8, a + 16, ra), std::copy(b + 8, b + 16, rb);
    differ += mma_dot(hopper_mma, a, b, 16, c) != mma_dot(hopper_mma, ra, rb, 16, c) ? 1 : 0;
  }
  EXPECT_GT(differ, 0);
}

TEST_F(Tf32Mma, TruncationPullsTowardZeroOnAverage) {
  double signed_error = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    float a[8], b[8];
    float128 exact = 0;
    for (int k = 0; k < 8; ++k) {
      a[k] = math::abs(uniform()), b[k] = math::abs(uniform());
      exact += float128(a[k]) * b[k];
    }
    float128 const error = mma_block(hopper_mma, a, b, 8, 0.0f) - exact;
    ASSERT_LE(error, 0);
    ASSERT_GT(error, -exact * 0x1p-21);
    signed_error += static_cast<double>(error / exact);
  }
  EXPECT_LT(signed_error / 20000, -0x1p-26);
}

TEST_F(Tf32Mma, TreatsInfinityAndNanLikeAnExactSum) {
  float const one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  float const with_inf[8] = {1, 1, inf, 1, 1, 1, 1, 1}, both[8] = {1, -inf, inf, 1, 1, 1, 1, 1},
              with_nan[8] = {nan};
  float const zero[8] = {};
  EXPECT_EQ(mma_block(hopper_mma, with_inf, one, 8, -3.0f), inf);
  EXPECT_EQ(mma_block(hopper_mma, one, one, 8, -inf), -inf);
  EXPECT_TRUE(std::isnan(mma_block(hopper_mma, both, one, 8, 0.0f)));
  EXPECT_TRUE(std::isnan(mma_block(hopper_mma, with_inf, one, 8, -inf)));
  EXPECT_TRUE(std::isnan(mma_block(hopper_mma, with_nan, one, 8, 0.0f)));
  EXPECT_TRUE(std::isnan(mma_block(hopper_mma, with_inf, zero, 8, 0.0f)));
  float const huge[8] = {0x1p127f, 0x1p127f};
  EXPECT_EQ(mma_block(hopper_mma, huge, one, 8, 0.0f), inf);
}

TEST_F(Tf32Mma, ReadsOnlyTheBitsOfATf32Number) {
  float const a[8] = {from_bits(0x3f801fffu)}, b[8] = {1.0f};
  EXPECT_EQ(mma_block(hopper_mma, a, b, 8, 0.0f), 1.0f);
}

TEST_F(Tf32Mma, ATileIsItsRowsTimesItsColumns) {
  float a[128], b[64], c[128], d[128];
  std::generate(a, a + 128, [&] { return uniform(); });
  std::generate(b, b + 64, [&] { return uniform(); });
  std::generate(c, c + 128, [&] { return uniform(); });
  mma_m16n8k8(hopper_mma, a, b, c, d);
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      double sum = c[8 * row + column];
      for (int k = 0; k < 8; ++k) {
        sum += static_cast<double>(a[8 * row + k]) * b[8 * k + column];
      }
      ASSERT_NEAR(d[8 * row + column], sum, 2e-6);
    }
  }
}

TEST_F(Tf32Mma, NamesOnlyGenerationsThatWereCompared) {
  EXPECT_EQ(tf32_mma_model(9, 0), hopper_mma);
  EXPECT_EQ(tf32_mma_model(8, 0), std::nullopt);
  EXPECT_EQ(tf32_mma_model(10, 0), std::nullopt);
}

}  // namespace
}  // namespace ulpine
