// SPDX-License-Identifier: Apache-2.0
#include "precision/double_float_functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <numbers>
#include <string>

#include "precision/double_float_kernels.hpp"
#include "precision/double_float_operands.hpp"
#include "precision/kernels.hpp"
#include "precision/quad.hpp"

namespace precision_test {
namespace {

using namespace ulpine;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr int tries = 100000;

bool normal(DoubleFloat x) { return std::isfinite(x.hi()) ? x.hi() + x.lo() == x.hi() : x.lo() == 0; }

/// The largest relative error, as an exponent of 2, over arguments that `next` makes; `scale` divides it.
class Worst {
 public:
  void take(Function function, DoubleFloat x, DoubleFloat y, double scale = 1) {
    auto const got = evaluate(function, x, y);
    float128 const exact = evaluate(function, wide(x), wide(y));
    if (!normal(got)) ADD_FAILURE() << function_names[static_cast<int>(function)] << " is not normal";
    float128 const magnitude = math::abs(exact);
    if (magnitude >= ldexp(float128(1), 128)) {
      EXPECT_EQ(got.hi(), exact > 0 ? infinity : -infinity) << shown(x, y);
      return;
    }
    float128 const error = math::abs(float128(wide(got) - exact));
    if (magnitude < ldexp(float128(1), -100)) {
      EXPECT_LE(error, ldexp(float128(8), -149) + ldexp(magnitude * scale, -44)) << shown(x, y);
      return;
    }
    auto const relative = static_cast<double>(error / magnitude) / scale;
    if (!(relative <= worst_)) {
      worst_ = relative;
      where_ = shown(x, y);
    }
  }
  void expect_below(char const* name, int exponent) const {
    std::cout << name << ": at most 2^" << std::log2(worst_) << ", bound 2^" << exponent << std::endl;
    testing::Test::RecordProperty(name, std::to_string(std::log2(worst_)));
    EXPECT_LT(worst_, std::ldexp(1, exponent)) << name << " of " << where_;
    EXPECT_GT(worst_, std::ldexp(1, exponent - 5)) << name << ": do the arguments tell anything?";
  }

 private:
  static std::string shown(DoubleFloat x, DoubleFloat y) {
    char text[160];
    std::snprintf(text, sizeof text, "%a + %a, %a + %a", static_cast<double>(x.hi()),
                  static_cast<double>(x.lo()), static_cast<double>(y.hi()), static_cast<double>(y.lo()));
    return text;
  }
  double worst_ = 0;
  std::string where_;
};

using Make = std::function<DoubleFloat(Operands&)>;

void expect_below(Function function, int exponent, std::initializer_list<Make> arguments) {
  Worst worst;
  Operands operands(21 + static_cast<std::uint64_t>(function));
  for (auto const& make : arguments) {
    for (int i = 0; i < tries; ++i) worst.take(function, make(operands), 1);
  }
  worst.expect_below(function_names[static_cast<int>(function)], exponent);
}
Make uniform(float low, float high) {
  return [=](Operands& operands) { return operands.uniform(low, high); };
}
Make exponents(int low, int high) {
  return [=](Operands& operands) { return operands.any_exponent(low, high); };
}
Make positive(int low, int high) {
  return [=](Operands& operands) { return math::abs(operands.any_exponent(low, high)); };
}
/// 1 and what is a few units of its last places away.
DoubleFloat near_one(Operands& operands) {
  return operands.with_low(1 + static_cast<float>(operands.integer(-64, 64)) * 0x1p-24f);
}
/// Next to a multiple of pi / 2, as near as two floats come in every second case.
DoubleFloat near_quadrant(Operands& operands) {
  float128 const half_pi = boost::multiprecision::ldexp(float128(1), 0) * atan(float128(1)) * 2;
  float128 const multiple = half_pi * operands.integer(1, std::int64_t{1} << operands.integer(1, 22));
  auto const hi = static_cast<float>(multiple);
  return operands.integer(0, 1) == 0
             ? operands.with_low(hi)
             : DoubleFloat::of(math::fast_two_sum(hi, static_cast<float>(multiple - float128(hi))));
}

TEST(DoubleFloatFunctions, Exp) {
  expect_below(Function::exp, -46, {uniform(-1, 1), uniform(-90, 89), exponents(-30, 6), uniform(-105, -87)});
}
TEST(DoubleFloatFunctions, Exp2) {
  expect_below(Function::exp2, -46,
               {uniform(-1, 1), uniform(-130, 129), exponents(-30, 6), uniform(-152, -125)});
}
TEST(DoubleFloatFunctions, Log) {
  expect_below(Function::log, -44, {uniform(0.5f, 2), positive(-149, 127), near_one, uniform(0.01f, 1000)});
}
TEST(DoubleFloatFunctions, Log2) {
  expect_below(Function::log2, -44, {uniform(0.5f, 2), positive(-149, 127), near_one, uniform(0.01f, 1000)});
}
TEST(DoubleFloatFunctions, Sin) {
  expect_below(Function::sin, -45, {uniform(-1, 1), uniform(-100, 100), exponents(-40, 127), near_quadrant});
}
TEST(DoubleFloatFunctions, Cos) {
  expect_below(Function::cos, -45, {uniform(-1, 1), uniform(-100, 100), exponents(-40, 127), near_quadrant});
}
TEST(DoubleFloatFunctions, Tan) {
  expect_below(Function::tan, -44, {uniform(-1, 1), uniform(-100, 100), exponents(-40, 127), near_quadrant});
}
TEST(DoubleFloatFunctions, Sinh) {
  expect_below(Function::sinh, -44,
               {uniform(-1, 1), uniform(-89, 89), exponents(-40, 7), uniform(0.29f, 0.31f)});
}
TEST(DoubleFloatFunctions, Cosh) {
  expect_below(Function::cosh, -45, {uniform(-1, 1), uniform(-89, 89), exponents(-40, 7)});
}
TEST(DoubleFloatFunctions, Tanh) {
  expect_below(Function::tanh, -44,
               {uniform(-1, 1), uniform(-20, 20), exponents(-40, 7), uniform(0.29f, 0.31f)});
}
TEST(DoubleFloatFunctions, Cbrt) {
  expect_below(Function::cbrt, -44, {uniform(1, 8), exponents(-149, 127), uniform(-1000, 1000)});
}

TEST(DoubleFloatFunctions, Pow) {
  Worst worst, moderate;
  Operands operands(41);
  for (int i = 0; i < 4 * tries; ++i) {
    auto const x = i % 4 == 0   ? math::abs(operands.any_exponent(-149, 127))
                   : i % 4 == 1 ? operands.uniform(0.1f, 10)
                   : i % 4 == 2 ? near_one(operands)
                                : operands.uniform(0.5f, 2);
    auto const y = i % 8 < 4 ? operands.uniform(-10, 10) : operands.any_exponent(-10, 12);
    auto const exponent = static_cast<double>(wide(y) * math::log(wide(x)));
    if (!(std::abs(exponent) < 120)) continue;
    auto const of_y = 0.35 * std::abs(static_cast<double>(y));
    worst.take(Function::pow, x, y, 1 + std::min(of_y, std::abs(exponent)));
    if (of_y < 1) moderate.take(Function::pow, x, y);
  }
  worst.expect_below("pow, divided by its bound's factor", -44);
  moderate.expect_below("pow, for |y| < 2.8", -45);
}

TEST(DoubleFloatFunctions, Atan2) {
  Worst worst;
  Operands operands(42);
  for (int i = 0; i < 4 * tries; ++i) {
    auto const x = i % 2 == 0 ? operands.uniform(-2, 2) : operands.any_exponent(-149, 127);
    auto const y = i % 4 == 0 ? operands.uniform(-2, 2)
                   : i % 4 == 1
                       ? operands.any_exponent(-149, 127)
                       : operands.with_low(x.hi() * static_cast<float>(operands.integer(-16, 16)) * 0.125f);
    if (std::isfinite(y.hi())) worst.take(Function::atan2, y, x);
  }
  worst.expect_below("atan2", -44);
}

TEST(DoubleFloatFunctions, Hypot) {
  Worst worst;
  Operands operands(43);
  for (int i = 0; i < 4 * tries; ++i) {
    auto const x = i % 2 == 0 ? operands.uniform(-2, 2) : operands.any_exponent(-149, 127);
    auto const y = i % 4 < 2 ? operands.uniform(-2, 2) : operands.with_low(x.hi() * 0.7f);
    worst.take(Function::hypot, x, y);
  }
  worst.expect_below("hypot", -45);
}

/// C99, Annex F, and what follows from it for a range of floats.
TEST(DoubleFloatFunctions, HaveTheSpecialValuesOfTheStandard) {
  struct Case {
    Function function;
    float x, y, value;
  };
  using enum Function;
  for (auto const [function, x, y, value] : {Case{exp, 0, 0, 1},
                                             {exp, -0.0f, 0, 1},
                                             {exp, -infinity, 0, 0},
                                             {exp, infinity, 0, infinity},
                                             {exp, 1000, 0, infinity},
                                             {exp, -1e30f, 0, 0},
                                             {exp, 1e30f, 0, infinity},
                                             {exp, nan, 0, nan},
                                             {exp2, 0, 0, 1},
                                             {exp2, -infinity, 0, 0},
                                             {exp2, infinity, 0, infinity},
                                             {exp2, 128, 0, infinity},
                                             {exp2, -149, 0, 0x1p-149f},
                                             {exp2, 127, 0, 0x1p127f},
                                             {exp2, 10, 0, 1024},
                                             {exp2, nan, 0, nan},
                                             {log, 1, 0, 0},
                                             {log, 0, 0, -infinity},
                                             {log, -0.0f, 0, -infinity},
                                             {log, -1, 0, nan},
                                             {log, -infinity, 0, nan},
                                             {log, infinity, 0, infinity},
                                             {log, nan, 0, nan},
                                             {log2, 1, 0, 0},
                                             {log2, 0, 0, -infinity},
                                             {log2, 0x1p-149f, 0, -149},
                                             {log2, 0x1p127f, 0, 127},
                                             {log2, -1, 0, nan},
                                             {log2, infinity, 0, infinity},
                                             {log2, nan, 0, nan},
                                             {sin, 0, 0, 0},
                                             {sin, -0.0f, 0, -0.0f},
                                             {sin, infinity, 0, nan},
                                             {sin, -infinity, 0, nan},
                                             {sin, nan, 0, nan},
                                             {sin, 0x1p-149f, 0, 0x1p-149f},
                                             {cos, 0, 0, 1},
                                             {cos, -0.0f, 0, 1},
                                             {cos, infinity, 0, nan},
                                             {cos, nan, 0, nan},
                                             {tan, 0, 0, 0},
                                             {tan, -0.0f, 0, -0.0f},
                                             {tan, infinity, 0, nan},
                                             {tan, nan, 0, nan},
                                             {sinh, 0, 0, 0},
                                             {sinh, -0.0f, 0, -0.0f},
                                             {sinh, infinity, 0, infinity},
                                             {sinh, -infinity, 0, -infinity},
                                             {sinh, 200, 0, infinity},
                                             {sinh, -200, 0, -infinity},
                                             {sinh, nan, 0, nan},
                                             {cosh, 0, 0, 1},
                                             {cosh, -0.0f, 0, 1},
                                             {cosh, infinity, 0, infinity},
                                             {cosh, -infinity, 0, infinity},
                                             {cosh, 200, 0, infinity},
                                             {cosh, nan, 0, nan},
                                             {tanh, 0, 0, 0},
                                             {tanh, -0.0f, 0, -0.0f},
                                             {tanh, infinity, 0, 1},
                                             {tanh, -infinity, 0, -1},
                                             {tanh, -100, 0, -1},
                                             {tanh, nan, 0, nan},
                                             {cbrt, 0, 0, 0},
                                             {cbrt, -0.0f, 0, -0.0f},
                                             {cbrt, infinity, 0, infinity},
                                             {cbrt, -infinity, 0, -infinity},
                                             {cbrt, 27, 0, 3},
                                             {cbrt, -0x1p-147f, 0, -0x1p-49f},
                                             {cbrt, nan, 0, nan},
                                             {pow, 0, -3, infinity},
                                             {pow, -0.0f, -3, -infinity},
                                             {pow, -0.0f, -2, infinity},
                                             {pow, 0, -infinity, infinity},
                                             {pow, -0.0f, 3, -0.0f},
                                             {pow, -0.0f, 2, 0},
                                             {pow, 0, 0.5f, 0},
                                             {pow, -1, infinity, 1},
                                             {pow, -1, -infinity, 1},
                                             {pow, 1, nan, 1},
                                             {pow, 1, infinity, 1},
                                             {pow, nan, 0, 1},
                                             {pow, infinity, 0, 1},
                                             {pow, -2, 0.5f, nan},
                                             {pow, 0.5f, -infinity, infinity},
                                             {pow, 2, -infinity, 0},
                                             {pow, 0.5f, infinity, 0},
                                             {pow, 2, infinity, infinity},
                                             {pow, -infinity, -3, -0.0f},
                                             {pow, -infinity, -2, 0},
                                             {pow, -infinity, 3, -infinity},
                                             {pow, -infinity, 2, infinity},
                                             {pow, infinity, -1, 0},
                                             {pow, infinity, 1, infinity},
                                             {pow, nan, 1, nan},
                                             {pow, 2, nan, nan},
                                             {pow, 10, 40, infinity},
                                             {pow, 10, -60, 0},
                                             {pow, -10, 41, -infinity},
                                             {atan2, 0, 1, 0},
                                             {atan2, -0.0f, 1, -0.0f},
                                             {atan2, 0, 0, 0},
                                             {atan2, -0.0f, 0, -0.0f},
                                             {atan2, 1, infinity, 0},
                                             {atan2, -1, infinity, -0.0f},
                                             {atan2, nan, 1, nan},
                                             {atan2, 1, nan, nan},
                                             {hypot, infinity, nan, infinity},
                                             {hypot, nan, -infinity, infinity},
                                             {hypot, nan, 1, nan},
                                             {hypot, 0, -0.0f, 0},
                                             {hypot, 3, 4, 5},
                                             {hypot, -0x1p-149f, 0, 0x1p-149f},
                                             {hypot, 0x1.fffffep127f, 0x1.fffffep127f, infinity}}) {
    auto const got = evaluate(function, DoubleFloat(x), DoubleFloat(y));
    auto const what = std::string(function_names[static_cast<int>(function)]) + "(" + std::to_string(x) +
                      ", " + std::to_string(y) + ")";
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(got.hi())) << what;
    } else {
      EXPECT_EQ(got.hi(), value) << what;
      EXPECT_EQ(std::signbit(got.hi()), std::signbit(value)) << what;
      EXPECT_TRUE(got.lo() == 0 || function == cbrt || function == pow) << what;
    }
    EXPECT_TRUE(std::isfinite(got.lo())) << what;
  }
  auto const pi = std::numbers::pi;
  for (auto const& [y, x, angle] : {std::tuple{0.0f, -1.0f, pi},
                                    {-0.0f, -1.0f, -pi},
                                    {0.0f, -0.0f, pi},
                                    {-0.0f, -0.0f, -pi},
                                    {1.0f, 0.0f, pi / 2},
                                    {-1.0f, -0.0f, -pi / 2},
                                    {1.0f, -infinity, pi},
                                    {infinity, 3.0f, pi / 2},
                                    {infinity, infinity, pi / 4},
                                    {-infinity, -infinity, -3 * pi / 4}}) {
    EXPECT_NEAR(static_cast<double>(math::atan2(DoubleFloat(y), DoubleFloat(x))), angle, 0x1p-46)
        << y << ", " << x;
  }
}

TEST(DoubleFloatFunctions, TakePowersOfNegativeNumbersToIntegers) {
  for (int n = -9; n <= 9; ++n) {
    auto const got = static_cast<double>(math::pow(DoubleFloat(-1.5f), DoubleFloat(n)));
    EXPECT_NEAR(got / std::pow(-1.5, n), 1, 0x1p-41) << n;
  }
  auto const large = DoubleFloat::of(0x1p26f, 1);  // odd by its low part
  EXPECT_EQ(math::pow(DoubleFloat(-1), large), -1);
  EXPECT_EQ(math::pow(DoubleFloat(-1), large + 1), 1);
  EXPECT_TRUE(std::isnan(math::pow(DoubleFloat(-1), DoubleFloat::of(0x1p20f, 0x1p-6f)).hi()));
}

/// Every operation and function over pairs of any bits, of moderate size and near each other, by bits that
/// depend on no library. The expected hash was made on 2026-11-29 with g++ 12.2 and clang 14 on x86-64 at -O0
/// to -O3, with and without FMA and AVX instructions, which all agreed.
std::uint64_t hash_of_all() {
  std::uint64_t hash = 0, state = 1;
  auto const next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 32);
  };
  auto const any = [&](bool moderate) {
    float const hi = from_bits(moderate ? (next() & 0x83ffffffu) + 0x3d000000u : next());
    float const lo = hi * from_bits((next() & 0x80ffffffu) + 0x32000000u);  // below 2^-25 of hi
    bool const has_low = hi - hi == 0 && hi + lo == hi && lo != 0;
    return has_low ? DoubleFloat::of(hi, lo) : DoubleFloat(hi);
  };
  auto const take = [&hash](DoubleFloat x) {
    std::uint64_t const bits = x != x ? 1 : std::uint64_t{to_bits(x.hi())} << 32 | to_bits(x.lo());
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (int i = 0; i < 100000; ++i) {
    auto const a = any(i % 2 == 0), b = i % 3 == 0 ? -(a + a * DoubleFloat(0x1p-22f)) : any(i % 5 != 0);
    auto const c = any(i % 7 != 0);
    for (int n = 0; n < operation_count; ++n) take(evaluate(static_cast<Operation>(n), a, b, c));
    for (int f = 0; f < function_count; ++f) take(evaluate(static_cast<Function>(f), a, b));
  }
  return hash;
}

TEST(DoubleFloatBits, AreTheSameForEveryCompilerAndProcessor) {
  EXPECT_EQ(hash_of_all(), 0x28ce66354f9995f4u);
}

}  // namespace
}  // namespace precision_test
