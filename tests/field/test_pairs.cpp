// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/exec/random.hpp"
#include "core/field/hash.hpp"
#include "core/field/operations.hpp"
#include "precision/double_float.hpp"
#include "precision/quad.hpp"

/// Fields of DoubleFloat.
namespace ulpine {
namespace {

RawField field_of(std::vector<DoubleFloat> const& values) {
  return raw_values(values.data(), std::ssize(values), ValueType::float32_pair);
}

std::vector<DoubleFloat> some_pairs() {
  return {DoubleFloat(0.1), DoubleFloat::of(1, 0x1p-60f), -3, DoubleFloat::of(0x1p100f, -0x1p75f), 0, -0.0f};
}

TEST(Pairs, AreReadAsTheNumbersThatTheyAre) {
  auto const values = some_pairs();
  std::vector<double> doubles(values.size());
  std::vector<float> floats(values.size());
  std::vector<float128> wide(values.size());
  std::vector<DoubleFloat> pairs(values.size());
  auto const field = field_of(values);
  read_values(field, 0, 6, ValueType::float64, doubles.data());
  read_values(field, 0, 6, ValueType::float32, floats.data());
  read_values(field, 0, 6, ValueType::binary128, wide.data());
  read_values(field, 0, 6, ValueType::float32_pair, pairs.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const exact = float128(values[i].hi()) + float128(values[i].lo());
    EXPECT_EQ(wide[i], exact) << i;
    EXPECT_EQ(doubles[i], static_cast<double>(exact)) << i;
    EXPECT_EQ(floats[i], values[i].hi()) << i;
    EXPECT_TRUE(pairs[i] == values[i]) << i;
  }
  EXPECT_TRUE(std::signbit(doubles[5]));
}

TEST(Pairs, AreWrittenFromAnyType) {
  std::vector<DoubleFloat> values(3);
  auto const field = field_of(values);
  std::vector<double> const doubles{0.1, 1 + 0x1p-40, 1e300};
  write_values(field, 0, 3, ValueType::float64, doubles.data());
  EXPECT_TRUE(values[0] == DoubleFloat(0.1));
  EXPECT_TRUE(values[1] == DoubleFloat::of(1, 0x1p-40f));
  EXPECT_TRUE(values[2] == std::numeric_limits<float>::infinity());
  std::vector<float128> const wide{float128(1) / 3, float128(1) + ldexp(float128(1), -70), float128(-7)};
  write_values(field, 0, 3, ValueType::binary128, wide.data());
  EXPECT_LE(math::abs(float128(values[0].wide<float128>() - wide[0])), ldexp(wide[0], -48));
  EXPECT_TRUE(values[1] == DoubleFloat::of(1, 0x1p-70f));
  EXPECT_TRUE(values[2] == -7);
  auto const source = some_pairs();
  write_values(field, 0, 3, ValueType::float32_pair, source.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(values[i] == source[i]) << i;
}

TEST(Pairs, AreCopiedBetweenTypes) {
  auto const values = some_pairs();
  std::vector<double> doubles(values.size());
  std::vector<DoubleFloat> again(values.size());
  auto const of_doubles = raw_values(doubles.data(), 6, ValueType::float64);
  copy_values(field_of(values), of_doubles);
  EXPECT_EQ(doubles[0], static_cast<double>(values[0]));
  copy_values(of_doubles, field_of(again));
  EXPECT_TRUE(again[0] == values[0]);
  EXPECT_TRUE(again[1] == 1) << "a double does not hold the rest";
  copy_values(field_of(values), field_of(again));
  EXPECT_TRUE(again[1] == values[1]);
}

TEST(Pairs, ThatAreNoNumbersOrBeyondARangeAreFound) {
  auto values = some_pairs();
  EXPECT_FALSE(first_invalid(field_of(values)));
  auto const found = first_invalid(field_of(values), {-4, 1});
  ASSERT_TRUE(found) << "1 and a little is above 1";
  EXPECT_EQ(found->dense_index, 1);
  EXPECT_EQ(first_invalid(field_of(values), {-4, 2})->dense_index, 3);
  values[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(first_invalid(field_of(values))->dense_index, 2);
  values[1] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(first_invalid(field_of(values))->dense_index, 1);
}

TEST(Pairs, TakeNoiseInTheirOwnArithmetic) {
  std::vector<DoubleFloat> values(3, DoubleFloat::of(1, 0x1p-60f));
  add_noise(field_of(values),
            {.seed = 5, .member = 2, .key = 7, .amplitude = 0x1p-30, .least = 0, .most = 2});
  for (std::size_t i = 0; i < 3; ++i) {
    auto const noise = 0x1p-30 * uniform_symmetric(5, 2, 7, static_cast<std::int64_t>(i));
    EXPECT_TRUE(values[i] == DoubleFloat::of(1, 0x1p-60f) + DoubleFloat(noise)) << i;
  }
  add_noise(field_of(values), {.seed = 5, .amplitude = 1e6, .least = 0.1, .most = 0.1});
  for (auto const value : values) EXPECT_TRUE(value == DoubleFloat(0.1));
}

TEST(Pairs, HaveTheHashesOfTheirNumbers) {
  auto const hash = [](DoubleFloat x) { return field_hash(field_of({x})); };
  float const nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(hash(DoubleFloat::of(1, -0.0f)), hash(1)) << "one number";
  EXPECT_EQ(hash(DoubleFloat::of(-nan, 0)), hash(nan));
  EXPECT_EQ(hash(DoubleFloat::of(nan, 3)), hash(nan));
  EXPECT_NE(hash(1), hash(-1));
  EXPECT_NE(hash(0), hash(-0.0f));
  EXPECT_NE(hash(1), hash(DoubleFloat::of(1, 0x1p-60f))) << "which a double does not tell apart";
  EXPECT_NE(hash(DoubleFloat::of(1, 0x1p-30f)), hash(DoubleFloat::of(1, -0x1p-30f)));
  EXPECT_NE(hash(nan), hash(std::numeric_limits<float>::infinity()));
}

}  // namespace
}  // namespace ulpine
