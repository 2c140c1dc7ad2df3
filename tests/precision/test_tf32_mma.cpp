// SPDX-License-Identifier: Apache-2.0
#include "precision/tf32_mma.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "precision/formats.hpp"
#include "precision/quad.hpp"
#include "precision/tf32_block.hpp"

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
  int largest = c == 0 ? -133 : exponent(c);
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
  return static_cast<float>(ldexp(trunc(ldexp(sum, -unit)), unit)) + 0.0f;  // zero is +0
}

/// The element `column` of a row's product by tf32_row, all other columns of which hold `rest`.
float by_row(float const (&a)[8], float const* b, float c, int column, float rest) {
  Tf32Matrix matrix;
  for (int k = 0; k < 8; ++k) {
    std::fill_n(matrix.value[k], 8, rest);
    matrix.value[k][column] = b[k];
  }
  float sums[8];
  std::fill_n(sums, 8, rest);
  sums[column] = c;
  tf32_row(a, matrix, sums);
  return sums[column];
}
float by_product(float const (&a)[8], float const* b, float c, int column) {
  Tf32Matrix matrix{};
  for (int k = 0; k < 8; ++k) matrix.value[k][column] = b[k];
  return tf32_product(a, matrix, column, c);
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

TEST_F(Tf32Mma, FollowsItsDefinitionWhereProductsAndSumsUnderflow) {
  for (int trial = 0; trial < 100000; ++trial) {
    float a[8], b[8];
    int const exponent = -20 - trial % 100;
    for (int k = 0; k < 8; ++k) {
      a[k] = Tf32::round(std::ldexp(wide(8), exponent)), b[k] = std::ldexp(wide(8), -130 - exponent);
    }
    float const c = trial % 3 == 0 ? wide(2) * 0x1p-130f : trial % 3 == 1 ? -0.0f : 0.0f;
    ASSERT_EQ(to_bits(mma_block(hopper_mma, a, b, 8, c)), to_bits(by_definition(a, b, c))) << trial;
  }
}

TEST_F(Tf32Mma, GivesTheSubnormalSumsOfAnH200) {  // mma.sync on one H200 (CUDA 13.0), 2026-11-21
  float const a[8] = {-0x1.0cp-73f, -0x1.c7cp-68f, -0x1.e1p-70f,  0x1.4fp-70f,
                      0x1.4c4p-70f, 0x1.96p-74f,   -0x1.2dcp-73f, 0x1.e54p-67f};
  float const b[8] = {0x1.29p-71f,  0x1.1c8p-73f,  0x1.a48p-69f, -0x1.de4p-69f,
                      -0x1.e2p-73f, -0x1.e64p-70f, 0x1.c24p-69f, 0x1.62p-70f};
  EXPECT_EQ(mma_block(hopper_mma, a, b, 8, -0.0f), 0x1.f52p-138f);
  float const far_a[8] = {-0x1.414p-91f, -0x1.3b8p-82f, 0x1.71p-100f, 0x1.90cp-95f,
                          0x1.57cp-96f,  -0x1.b28p-88f, 0x1.c78p-90f, -0x1.b78p-82f};
  float const far_b[8] = {0x1.f6p-59f,  -0x1.5e8p-67f, -0x1.e88p-66f, 0x1.6c8p-58f,
                          0x1.734p-69f, -0x1.35p-58f,  0x1.bfp-54f,   0x1.e1cp-70f};
  EXPECT_EQ(mma_block(hopper_mma, far_a, far_b, 8, -0.0f), 0x1.dp-143f);
}

/// Where the vectors come from stands in the file.
TEST_F(Tf32Mma, GivesTheStoredOutputsOfAnH100) {
  auto const folder =
      std::filesystem::path(std::getenv("ULPINE_SOURCE_DIR")) / "tests" / "precision" / "data";
  std::ifstream file(folder / "tf32_mma_h100.txt");
  ASSERT_TRUE(file.is_open());
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    float value[18];
    std::istringstream words(line);
    for (float& one : value) {
      std::uint32_t bits = 0;
      ASSERT_TRUE(words >> std::hex >> bits) << line;
      one = from_bits(bits);
    }
    float a[8];
    std::copy_n(value, 8, a);
    float const* const b = value + 8;
    float const c = value[16], wanted = value[17];
    ASSERT_EQ(to_bits(mma_block(hopper_mma, a, b, 8, c)), to_bits(wanted)) << line;
    ASSERT_EQ(to_bits(by_row(a, b, c, count % 8, 1.0f)), to_bits(wanted)) << line;
    ASSERT_EQ(to_bits(by_product(a, b, c, count % 8)), to_bits(wanted)) << line;
    ++count;
  }
  EXPECT_EQ(count, 192);
}

TEST_F(Tf32Mma, RowsWithoutBranchesHaveTheBitsOfTheModel) {
  auto const between = [&](int least, int most) {
    return std::ldexp(1 + math::abs(uniform()),
                      least + static_cast<int>(generator() % static_cast<unsigned>(most - least + 1))) *
           (generator() % 2 == 0 ? 1.0f : -1.0f);
  };
  auto const any = [&] { return from_bits(static_cast<std::uint32_t>(generator())); };
  auto const special = [&] {
    return generator() % 40 == 0 ? inf : generator() % 40 == 0 ? -inf : generator() % 60 == 0 ? nan : wide(3);
  };
  auto const operand = [&](int kind, bool of_b) {
    switch (kind) {
      case 0:
        return wide(12);
      case 1:
        return wide(60);
      case 2:
        return between(-80, -60);
      case 3:
        return of_b ? wide(10) : between(-149, -120);
      case 4:
        return between(60, 64);
      case 5:
        return generator() % 3 == 0 ? wide(3) : generator() % 2 == 0 ? 0.0f : -0.0f;
      case 6:
        return special();
      default:
        return any();
    }
  };
  auto const accumulator = [&](int kind) {
    return kind == 0 ? 0.0f : kind == 1 ? wide(30) : kind == 2 ? between(-149, -120) : any();
  };
  for (int kind = 0; kind < 32; ++kind) {
    for (int trial = 0; trial < 10000; ++trial) {
      float a[8], b[8];
      for (int k = 0; k < 8; ++k) {
        a[k] = Tf32::round(operand(kind % 8, false));
        b[k] = Tf32::round(operand(kind % 8, true));
      }
      float const c = accumulator(kind / 8);
      float const wanted = mma_block(hopper_mma, a, b, 8, c), row = by_row(a, b, c, trial % 8, wide(20)),
                  product = by_product(a, b, c, trial % 8);
      if (std::isnan(wanted)) {
        ASSERT_TRUE(std::isnan(row) && std::isnan(product)) << kind << " " << trial;
      } else {
        ASSERT_EQ(to_bits(row), to_bits(wanted)) << kind << " " << trial;
        ASSERT_EQ(to_bits(product), to_bits(wanted)) << kind << " " << trial;
      }
    }
  }
}

TEST_F(Tf32Mma, UnderflowGivesPlusZero) {
  float const a[8] = {-0x1p-80f}, b[8] = {0x1p-70f, 1.0f};
  EXPECT_EQ(to_bits(mma_block(hopper_mma, a, b, 8, -0.0f)), 0u);
  EXPECT_EQ(to_bits(by_row(a, b, -0.0f, 3, 1.0f)), 0u);
  EXPECT_EQ(to_bits(by_product(a, b, -0.0f, 3)), 0u);
  MmaModel signed_zero = hopper_mma;
  signed_zero.underflow_keeps_sign = true;
  EXPECT_EQ(to_bits(mma_block(signed_zero, a, b, 8, -0.0f)), 0x80000000u);
}

TEST_F(Tf32Mma, ARoundedNanStaysNan) {
  float const one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (std::uint32_t const bits : {0x7f800001u, 0xff8017d0u, 0x7fc00000u}) {
    float const a[8] = {Tf32::round(from_bits(bits))};
    EXPECT_TRUE(std::isnan(mma_block(hopper_mma, a, one, 8, 0.0f))) << bits;
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
