// SPDX-License-Identifier: Apache-2.0
#include "precision/double_float.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "precision/double_float_kernels.hpp"
#include "precision/double_float_operands.hpp"

namespace precision_test {
namespace {

using namespace ulpine;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr int tries = 2000000;

bool same(DoubleFloat a, DoubleFloat b) {
  return (std::isnan(a.hi()) && std::isnan(b.hi())) || std::memcmp(&a, &b, sizeof a) == 0;
}
/// hi is the float nearest to the sum, and lo is 0 where hi is no number.
bool normal(DoubleFloat x) {
  return std::isfinite(x.hi()) ? x.hi() + x.lo() == x.hi() : to_bits(x.lo()) == 0;
}

std::string shown(DoubleFloat x) {
  char text[80];
  std::snprintf(text, sizeof text, "%a + %a", static_cast<double>(x.hi()), static_cast<double>(x.lo()));
  return text;
}

/// The largest error in u^2 = 2^-48 of `scale`, with the operands that have it.
class Worst {
 public:
  void take(DoubleFloat got, float128 const& exact, float128 const& scale, DoubleFloat a, DoubleFloat b) {
    if (!normal(got)) ADD_FAILURE() << shown(got) << " is not normal: of " << shown(a) << " and " << shown(b);
    auto const error =
        scale == 0 ? (wide(got) == 0 ? 0.0 : HUGE_VAL)
                   : static_cast<double>(math::abs(float128(wide(got) - exact)) / math::abs(scale)) * 0x1p48;
    if (!(error <= error_)) {
      error_ = error;
      operands_ = shown(a) + " and " + shown(b);
    }
  }
  void expect_at_most(char const* what, double bound) const {
    std::cout << what << ": at most " << error_ << " u^2, bound " << bound << std::endl;
    testing::Test::RecordProperty(what, std::to_string(error_));
    EXPECT_LE(error_, bound) << what << " of " << operands_;
    EXPECT_GT(error_, bound / 8) << what << ": do the operands tell anything?";
  }

 private:
  double error_ = 0;
  std::string operands_;
};

TEST(DoubleFloats, AddWithinTheProvedBound) {
  Operands operands(1);
  Worst worst;
  for (int i = 0; i < tries; ++i) {
    auto const a = operands.any_exponent(-20, 20);
    auto const b = i % 3 == 0 ? operands.nearly_opposite(a)
                   : i % 3 == 1
                       ? operands.any_exponent(-20, 20)
                       : operands.with_low(-0.5f * a.hi() * (1 + static_cast<float>(i % 64) * 0x1p-6f));
    worst.take(a + b, wide(a) + wide(b), wide(a) + wide(b), a, b);
    worst.take(a - b, wide(a) - wide(b), wide(a) - wide(b), a, b);
  }
  worst.expect_at_most("sum", 3 + 13 * 0x1p-24);
}

TEST(DoubleFloats, AddWithinTheBoundAmongSubnormals) {
  Operands operands(2);
  for (int i = 0; i < tries; ++i) {
    auto const a = operands.any_exponent(-149, -100);
    auto const b = i % 2 == 0 ? operands.nearly_opposite(a) : operands.any_exponent(-149, -100);
    auto const exact = wide(a) + wide(b);
    auto const got = a + b;
    ASSERT_TRUE(normal(got));
    ASSERT_LE(math::abs(float128(wide(got) - exact)), math::abs(exact) * (3 + 0x1p-20) * 0x1p-48)
        << shown(a) << " and " << shown(b);
  }
}

/// Operands of which no part of a product, a quotient or a root underflows.
DoubleFloat moderate(Operands& operands, int i) {
  return i % 4 == 0   ? operands.uniform(1, 2)
         : i % 4 == 1 ? operands.with_low(1 + static_cast<float>(operands.integer(0, 4096)) * 0x1p-23f)
         : i % 4 == 2 ? operands.any_exponent(-45, 45)
                      : operands.with_low(2 - static_cast<float>(operands.integer(1, 4096)) * 0x1p-23f);
}

TEST(DoubleFloats, MultiplyWithinTheProvedBound) {
  Operands operands(3);
  Worst worst;
  for (int i = 0; i < tries; ++i) {
    auto const a = moderate(operands, i), b = moderate(operands, i / 4);
    worst.take(a * b, wide(a) * wide(b), wide(a) * wide(b), a, b);
  }
  worst.expect_at_most("product", 4);
}

TEST(DoubleFloats, DivideWithinTheProvedBound) {
  Operands operands(4);
  Worst worst;
  for (int i = 0; i < tries; ++i) {
    auto const a = moderate(operands, i), b = moderate(operands, i / 4);
    worst.take(a / b, wide(a) / wide(b), wide(a) / wide(b), a, b);
  }
  worst.expect_at_most("quotient", 11 + 0x1p-16);
}

TEST(DoubleFloats, TakeRootsWithinTheProvedBound) {
  Operands operands(5);
  Worst worst;
  for (int i = 0; i < tries; ++i) {
    auto const a = math::abs(i % 2 == 0 ? operands.any_exponent(-90, 127) : moderate(operands, i / 2));
    auto const exact = math::sqrt(wide(a));
    worst.take(math::sqrt(a), exact, exact, a, a);
  }
  worst.expect_at_most("root", 25.0 / 8);
}

TEST(DoubleFloats, FuseWithinTheBoundOfProductAndSum) {
  Operands operands(6);
  Worst worst;
  for (int i = 0; i < tries; ++i) {
    auto const a = moderate(operands, i), b = moderate(operands, i / 4);
    auto const c = i % 3 == 0 ? operands.nearly_opposite(a * b) : operands.any_exponent(-20, 20);
    auto const product = wide(a) * wide(b);
    auto const exact = product + wide(c);
    worst.take(math::fma(a, b, c), exact,
               (4 * math::abs(product) + 3 * math::abs(exact)) * float128(1 + 0x1p-20), a, b);
  }
  worst.expect_at_most("fma, in parts of its bound", 1);
}

TEST(DoubleFloats, AreOffByLessThanTheLastSubnormalsWhereProductsUnderflow) {
  Operands operands(7);
  for (int i = 0; i < tries; ++i) {
    auto const a = operands.any_exponent(-149, -20), b = operands.any_exponent(-149, 20);
    auto const product = a * b;
    auto const exact = wide(a) * wide(b);
    ASSERT_TRUE(normal(product));
    ASSERT_LE(math::abs(float128(wide(product) - exact)),
              ldexp(math::abs(exact), -46) + ldexp(float128(3), -149))
        << shown(a) << " and " << shown(b);
  }
}

TEST(DoubleFloats, AreInfiniteWhereFloatsAre) {
  auto const big = DoubleFloat::of(largest, std::nextafter(0x1p103f, 0.0f));
  for (auto const& [what, got] : {std::pair{"largest doubled", big + big},
                                  {"largest and half a unit", big + DoubleFloat(0x1p103f)},
                                  {"largest and less than the rest of a unit", big + DoubleFloat(0x1p80f)},
                                  {"two halves", DoubleFloat(0x1p127f) - DoubleFloat(-0x1p127f)},
                                  {"infinity and 1", DoubleFloat(infinity) + 1},
                                  {"1 and infinity", DoubleFloat(1) + DoubleFloat(infinity)},
                                  {"infinity twice", DoubleFloat(infinity) + DoubleFloat(infinity)},
                                  {"product", DoubleFloat(0x1p64f) * DoubleFloat(0x1p64f)},
                                  {"product just above", big * DoubleFloat::of(1, 0x1p-24f)},
                                  {"infinity times a number", DoubleFloat(infinity) * DoubleFloat(0.1)},
                                  {"1 / 0", DoubleFloat(1) / 0},
                                  {"quotient", DoubleFloat(0x1p100f) / DoubleFloat(0x1p-30f)},
                                  {"quotient just above", big / DoubleFloat::of(1, -0x1p-25f)},
                                  {"infinity / number", DoubleFloat(infinity) / DoubleFloat(0.1)},
                                  {"infinity / 0", DoubleFloat(infinity) / 0},
                                  {"root", math::sqrt(DoubleFloat(infinity))},
                                  {"magnitude", math::abs(DoubleFloat(-infinity))},
                                  {"-(-infinity)", -DoubleFloat(-infinity)},
                                  {"of a double", DoubleFloat(1e300)},
                                  {"of the first double beyond", DoubleFloat(0x1.ffffffp127)}}) {
    EXPECT_TRUE(same(got, infinity)) << what << ": " << shown(got);
  }
  EXPECT_TRUE(same(-big - big, -infinity));
  EXPECT_TRUE(same(-big * big, -infinity));
  EXPECT_TRUE(same(big + DoubleFloat(0), big));
  EXPECT_TRUE(same(big * DoubleFloat(1), big));
  EXPECT_TRUE(same(big / DoubleFloat(1), big));
  EXPECT_TRUE(same(big - big, 0));
}

TEST(DoubleFloats, AreNanWhereFloatsAre) {
  DoubleFloat const inf = infinity, none = nan;
  for (auto const& [what, got] : {std::pair{"inf - inf", inf - inf},
                                  {"inf + -inf", inf + -inf},
                                  {"0 inf", DoubleFloat(0) * inf},
                                  {"inf 0", inf * DoubleFloat(0)},
                                  {"0 / 0", DoubleFloat(0) / 0},
                                  {"inf / inf", inf / inf},
                                  {"root of -1", math::sqrt(DoubleFloat(-1))},
                                  {"root of -inf", math::sqrt(-inf)},
                                  {"sum", none + 1},
                                  {"difference", DoubleFloat(1) - none},
                                  {"product", none * DoubleFloat(0)},
                                  {"quotient", none / inf},
                                  {"divisor", inf / none},
                                  {"fma", math::fma(inf, DoubleFloat(1), -inf)},
                                  {"root", math::sqrt(none)},
                                  {"magnitude", math::abs(none)},
                                  {"negative", -none},
                                  {"of a double", DoubleFloat(std::nan(""))}}) {
    EXPECT_TRUE(std::isnan(got.hi()) && to_bits(got.lo()) == 0) << what << ": " << shown(got);
  }
}

TEST(DoubleFloats, KeepTheSignOfZeroAsFloatsDo) {
  auto const sign = [](DoubleFloat x) {
    return x.hi() == 0 && x.lo() == 0 ? (std::signbit(x.hi()) ? -1 : 1) : 0;
  };
  DoubleFloat const zero = 0, minus = -0.0f;
  EXPECT_EQ(sign(-zero), -1);
  EXPECT_EQ(sign(-minus), 1);
  EXPECT_EQ(sign(math::abs(minus)), 1);
  EXPECT_EQ(sign(math::sqrt(minus)), -1);
  EXPECT_EQ(sign(math::sqrt(zero)), 1);
  EXPECT_EQ(sign(minus * DoubleFloat(3)), -1);
  EXPECT_EQ(sign(zero * DoubleFloat(-3)), -1);
  EXPECT_EQ(sign(minus * minus), 1);
  EXPECT_EQ(sign(DoubleFloat(-1e-30f) * DoubleFloat(1e-30f)), -1) << "underflow";
  EXPECT_EQ(sign(minus / DoubleFloat(3)), -1);
  EXPECT_EQ(sign(DoubleFloat(1) / DoubleFloat(-infinity)), -1);
  EXPECT_EQ(sign(DoubleFloat(1) / DoubleFloat(infinity)), 1);
  EXPECT_TRUE(same(DoubleFloat(1) / minus, -infinity));
  EXPECT_EQ(sign(zero - zero), 1);
  EXPECT_EQ(sign(DoubleFloat(0.1) - DoubleFloat(0.1)), 1);
  EXPECT_EQ(sign(DoubleFloat(-0.0)), -1);
  EXPECT_TRUE(std::signbit(static_cast<double>(DoubleFloat(-0.0))));
}

TEST(DoubleFloats, CompareAsTheirValues) {
  Operands operands(8);
  for (int i = 0; i < tries / 4; ++i) {
    auto const a = operands.any_exponent(-30, 30);
    auto const b = i % 3 == 0   ? operands.with_low(a.hi())
                   : i % 3 == 1 ? -operands.nearly_opposite(a)
                                : operands.any_exponent(-30, 30);
    auto const x = wide(a), y = wide(b);
    ASSERT_EQ(a == b, x == y) << shown(a) << ", " << shown(b);
    ASSERT_EQ(a != b, x != y) << shown(a) << ", " << shown(b);
    ASSERT_EQ(a < b, x < y) << shown(a) << ", " << shown(b);
    ASSERT_EQ(a <= b, x <= y) << shown(a) << ", " << shown(b);
    ASSERT_EQ(a > b, x > y) << shown(a) << ", " << shown(b);
    ASSERT_EQ(a >= b, x >= y) << shown(a) << ", " << shown(b);
    ASSERT_TRUE(same(math::max(a, b), x > y ? a : b));
    ASSERT_TRUE(same(math::min(a, b), x < y ? a : b));
  }
  for (DoubleFloat const b : {DoubleFloat(1), DoubleFloat(infinity), DoubleFloat(nan)}) {
    DoubleFloat const a = nan;
    EXPECT_FALSE(a == b || a < b || a <= b || a > b || a >= b || b < a || b <= a);
    EXPECT_TRUE(a != b);
  }
  EXPECT_TRUE(DoubleFloat(infinity) > DoubleFloat(largest));
  EXPECT_TRUE(DoubleFloat(0) == DoubleFloat(-0.0f));
}

TEST(DoubleFloats, EqualOnesHaveEqualBits) {
  Operands operands(9);
  for (int i = 0; i < tries / 4; ++i) {
    auto const a = operands.any_exponent(-30, 30);
    auto const b = DoubleFloat(a.hi());
    for (auto const x : {a, b}) {
      ASSERT_TRUE(same(-(-x), x)) << shown(x);
      ASSERT_TRUE(same(x + DoubleFloat(0), x)) << shown(x);
      ASSERT_TRUE(same(x - DoubleFloat(0), x)) << shown(x);
      ASSERT_TRUE(same(DoubleFloat(0) - x, -x)) << shown(x);
      ASSERT_TRUE(same(x * DoubleFloat(1), x)) << shown(x);
      ASSERT_TRUE(same(x / DoubleFloat(1), x)) << shown(x);
      ASSERT_TRUE(same(x * DoubleFloat(-1), -x)) << shown(x);
      ASSERT_TRUE(same(math::abs(-x), math::abs(x))) << shown(x);
    }
  }
}

TEST(DoubleFloats, KeepLowPartsFarBelow) {
  auto const x = DoubleFloat::of(5, -0x1p-149f);
  EXPECT_TRUE(same(x - 5, -0x1p-149f));
  EXPECT_TRUE(same(DoubleFloat(5) - x, 0x1p-149f));
  EXPECT_TRUE(x < 5 && 5 > x && x != 5);
  EXPECT_EQ(static_cast<std::int64_t>(x), 4);
  EXPECT_EQ(static_cast<std::int64_t>(-x), -4);
  EXPECT_TRUE(same(x * DoubleFloat(2), DoubleFloat::of(10, -0x1p-148f)));
}

TEST(DoubleFloats, AddInEitherOrder) {
  Operands operands(10);
  for (int i = 0; i < tries / 4; ++i) {
    auto const a = operands.any(), b = i % 2 == 0 ? operands.any() : operands.nearly_opposite(a);
    ASSERT_TRUE(same(a + b, b + a)) << shown(a) << ", " << shown(b);
    ASSERT_TRUE(same(a - b, -(b - a)) || a == b) << shown(a) << ", " << shown(b);
  }
}

TEST(DoubleFloats, AreMadeOfDoublesWhenCompiled) {
  constexpr DoubleFloat tenth(0.1);
  static_assert(tenth.hi() == 0.1f && tenth.lo() == static_cast<float>(0.1 - static_cast<double>(0.1f)));
  static_assert(DoubleFloat(1) + DoubleFloat(0x1p-40f) == DoubleFloat(1 + 0x1p-40));
  static_assert(DoubleFloat(3) - 1 == 2 && -DoubleFloat(3) < 0 && DoubleFloat(7) >= 7);
  static_assert(static_cast<int>(DoubleFloat(-2.75)) == -2 && static_cast<float>(tenth) == 0.1f);
  static_assert(DoubleFloat{} == 0);
  EXPECT_LE(std::abs(static_cast<double>(tenth) - 0.1), 0x1p-49 * 0.1);
}

TEST(DoubleFloats, AreMadeOfDoublesToTwiceFloatsRoundoff) {
  Arguments<double> random(11);
  for (int i = 0; i < tries; ++i) {
    double const x = i % 8 == 0 ? std::ldexp(random.uniform(1, 2), 127) : random.any_exponent(-100, 126);
    DoubleFloat const got(x);
    if (std::isinf(got.hi())) {
      ASSERT_GE(x, 0x1.ffffff0000000p127);
      continue;
    }
    ASSERT_TRUE(normal(got)) << shown(got);
    ASSERT_LE(std::abs(static_cast<double>(got) - x), std::abs(x) * 0x1p-48) << std::hexfloat << x;
  }
  // The rest, rounded, is half a unit of an odd hi.
  for (double const x : {0x1.0000030000000p0 - 0x1p-53, 0x1.0000010000000p0 - 0x1p-53, 0x1.fffffefffffffp0}) {
    EXPECT_TRUE(normal(DoubleFloat(x))) << std::hexfloat << x;
    EXPECT_LE(std::abs(static_cast<double>(DoubleFloat(x)) - x), x * 0x1p-48);
  }
}

TEST(DoubleFloats, GoThroughDoublesWhereAllBitsAreWithin53) {
  Operands operands(12);
  for (int i = 0; i < tries; ++i) {
    auto const x = operands.any();
    auto const through = DoubleFloat(static_cast<double>(x));
    if (!std::isfinite(x.hi()) || float128(static_cast<double>(x)) == wide(x)) {
      ASSERT_TRUE(same(through, x)) << shown(x);
    } else {
      ASSERT_LE(math::abs(float128(wide(through) - wide(x))), ldexp(math::abs(wide(x)), -47)) << shown(x);
    }
  }
  for (float const x :
       {0.0f, -0.0f, 0x1p-149f, -0x1p-149f, 0x1p-126f, largest, -largest, infinity, -infinity, nan}) {
    EXPECT_TRUE(same(DoubleFloat(static_cast<double>(DoubleFloat(x))), x)) << x;
  }
  auto const big = DoubleFloat::of(largest, std::nextafter(0x1p103f, 0.0f));
  EXPECT_TRUE(same(DoubleFloat(static_cast<double>(big)), big));
  EXPECT_FALSE(
      same(DoubleFloat(static_cast<double>(DoubleFloat::of(1, 0x1p-54f))), DoubleFloat::of(1, 0x1p-54f)))
      << "a low part below a double's last bit is rounded away";
}

TEST(DoubleFloats, AreMadeOfIntegersAndBack) {
  Arguments<float> random(13);
  auto const expect_near = [](auto x) {
    DoubleFloat const got = x;
    float128 const exact = x;
    ASSERT_TRUE(normal(got)) << x;
    ASSERT_LE(math::abs(float128(wide(got) - exact)), ldexp(math::abs(exact), -48)) << x;
  };
  auto const expect_exact = [](auto x) {
    ASSERT_EQ(wide(DoubleFloat(x)), float128(x)) << x;
    ASSERT_EQ(static_cast<decltype(x)>(DoubleFloat(x)), x);
  };
  for (int i = 0; i < tries / 4; ++i) {
    auto const bits =
        random.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    auto const x = bits >> random.integer(0, 62);
    expect_near(x);
    expect_near(static_cast<std::uint64_t>(bits));
    expect_exact(bits >> 15);
    expect_exact(static_cast<std::int32_t>(bits));
    expect_exact(static_cast<std::uint32_t>(bits));
    expect_exact(static_cast<std::int16_t>(bits));
    expect_exact(static_cast<std::uint8_t>(bits));
  }
  for (auto const x : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                       std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 48) + 1}) {
    expect_near(x);
  }
  expect_near(std::numeric_limits<std::uint64_t>::max());
  expect_exact(std::numeric_limits<std::int32_t>::min());
  expect_exact(std::numeric_limits<std::int32_t>::max());
  EXPECT_TRUE(static_cast<bool>(DoubleFloat(0.25f)));
  EXPECT_FALSE(static_cast<bool>(DoubleFloat(-0.0f)));
  EXPECT_TRUE(same(DoubleFloat(true), 1));
}

TEST(DoubleFloats, LoseTheirFractionTowardZero) {
  Operands operands(14);
  for (int i = 0; i < tries / 4; ++i) {
    auto const x = i % 2 == 0 ? operands.any_exponent(-10, 60)
                              : operands.with_low(static_cast<float>(operands.integer(-40, 40)));
    ASSERT_EQ(float128(static_cast<std::int64_t>(x)), trunc(wide(x))) << shown(x);
  }
}

TEST(DoubleFloats, ChangeInPlaceAsTheirOperatorsDo) {
  DoubleFloat const a(0.7), b(-0.3);
  auto x = a;
  EXPECT_TRUE(same(x += b, a + b));
  x = a;
  EXPECT_TRUE(same(x -= b, a - b));
  x = a;
  EXPECT_TRUE(same(x *= b, a * b));
  x = a;
  EXPECT_TRUE(same(x /= b, a / b));
  EXPECT_TRUE(same(+a, a));
  EXPECT_TRUE(same(a * 2, a + a));
}

TEST(DoubleFloats, HaveARoundoffThoughLowPartsLieAnyDistanceBelow) {
  EXPECT_EQ(static_cast<double>(DoubleFloat::roundoff), std::ldexp(1.0, -48));
  EXPECT_TRUE(DoubleFloat(1) + DoubleFloat(0x1p-100f) != 1);
}

TEST(DoubleFloats, AreStoredAsTwoFloats) {
  static_assert(value_type_of<DoubleFloat> == ValueType::float32_pair &&
                bytes_of(ValueType::float32_pair) == 8);
  DoubleFloat const x(0.1);
  float parts[2];
  std::memcpy(parts, &x, sizeof x);
  EXPECT_EQ(parts[0], x.hi());
  EXPECT_EQ(parts[1], x.lo());
}

}  // namespace
}  // namespace precision_test
