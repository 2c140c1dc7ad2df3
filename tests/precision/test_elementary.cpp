// SPDX-License-Identifier: Apache-2.0
#include "precision/elementary.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <functional>

#include "precision/kernels.hpp"
#include "precision/ulp.hpp"

namespace ulpine {
namespace {

/// Functions by name, for the type under test and for the reference.
struct Exp {
  auto operator()(auto x) const { return math::exp(x); }
};
struct Exp2 {
  auto operator()(auto x) const { return math::exp2(x); }
};
struct Log {
  auto operator()(auto x) const { return math::log(x); }
};
struct Log2 {
  auto operator()(auto x) const { return math::log2(x); }
};
struct Sin {
  auto operator()(auto x) const { return math::sin(x); }
};
struct Cos {
  auto operator()(auto x) const { return math::cos(x); }
};
struct Tan {
  auto operator()(auto x) const { return math::tan(x); }
};
struct Sinh {
  auto operator()(auto x) const { return math::sinh(x); }
};
struct Cosh {
  auto operator()(auto x) const { return math::cosh(x); }
};
struct Tanh {
  auto operator()(auto x) const { return math::tanh(x); }
};
struct Cbrt {
  auto operator()(auto x) const { return math::cbrt(x); }
};
struct Pow {
  auto operator()(auto x, auto y) const { return math::pow(x, y); }
};
struct Atan2 {
  auto operator()(auto y, auto x) const { return math::atan2(y, x); }
};
struct Hypot {
  auto operator()(auto x, auto y) const { return math::hypot(x, y); }
};

template <class T>
class Elementary : public testing::Test {
 protected:
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr int samples = 20000;
  static constexpr int lowest = Arguments<T>::lowest_exponent, highest = Arguments<T>::highest_exponent;
  Arguments<T> arguments{20261121};

  /// No error over the samples of `next` above `bound` ulp.
  template <class Function>
  void bounded(Function function, double bound, std::function<T()> const& next) {
    double worst = 0;
    T at = 0;
    for (int i = 0; i < samples; ++i) {
      T const x = next();
      double const error = error_in_ulp(function(x), function(float128(x)));
      if (error > worst) {
        worst = error, at = x;
      }
    }
    EXPECT_LE(worst, bound) << "at " << std::hexfloat << at;
  }

  template <class Function>
  void bounded_2(Function function, double bound, std::function<std::pair<T, T>()> const& next) {
    double worst = 0;
    std::pair<T, T> at;
    for (int i = 0; i < samples; ++i) {
      auto const [x, y] = next();
      double const error = error_in_ulp(function(x, y), function(float128(x), float128(y)));
      if (error > worst) {
        worst = error, at = {x, y};
      }
    }
    EXPECT_LE(worst, bound) << "at " << std::hexfloat << at.first << ", " << at.second;
  }

  T any() { return arguments.any_exponent(lowest, highest); }
  T uniform(double low, double high) { return arguments.uniform(static_cast<T>(low), static_cast<T>(high)); }
  T near_one() { return T(1) + arguments.any_exponent(is_double ? -52 : -23, -3); }
  /// The float or double next to a multiple of pi / 2: the reduced angle is as small as it gets.
  T near_quarter_turns(int bits) {
    float128 const half_pi = math::atan2(float128(1), float128(0));
    return static_cast<T>(float128(arguments.integer(1, std::int64_t{1} << bits)) * half_pi);
  }
  // Errors that the design promises, as written in docs/explanation/reproducibility.md. float functions other
  // than exp and exp2 are rounded from double: half an ulp and a hair.
  static constexpr double of(double double_bound) { return is_double ? double_bound : 0.5001; }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Elementary, Types);

TYPED_TEST(Elementary, ExpStaysWithinItsBound) {
  double const largest = this->is_double ? 709.78 : 88.72, smallest = this->is_double ? -708.3 : -87.3;
  this->bounded(Exp{}, 0.62, [&] { return this->uniform(smallest, largest); });
  this->bounded(Exp{}, 0.62, [&] { return this->uniform(-1, 1); });
  this->bounded(Exp{}, 0.62, [&] { return this->arguments.any_exponent(this->lowest, 5); });
  this->bounded(Exp{}, 0.80,
                [&] { return this->uniform(smallest * 1.06, smallest); });  // subnormal results round twice
}

TYPED_TEST(Elementary, Exp2StaysWithinItsBound) {
  double const normal = this->is_double ? -1022 : -126;
  this->bounded(Exp2{}, 0.62, [&] { return this->uniform(normal, -normal); });
  this->bounded(Exp2{}, 0.62, [&] { return this->arguments.any_exponent(this->lowest, 3); });
  this->bounded(Exp2{}, 0.80, [&] { return this->uniform(normal - 52, normal); });
}

TYPED_TEST(Elementary, LogStaysWithinItsBound) {
  this->bounded(Log{}, this->of(0.70), [&] { return math::abs(this->any()); });
  this->bounded(Log{}, this->of(0.70), [&] { return this->uniform(0.5, 2); });
  this->bounded(Log{}, this->of(0.70), [&] { return this->near_one(); });
}

TYPED_TEST(Elementary, Log2StaysWithinItsBound) {
  this->bounded(Log2{}, this->of(0.51), [&] { return math::abs(this->any()); });
  this->bounded(Log2{}, this->of(0.51), [&] { return this->uniform(0.5, 2); });
  this->bounded(Log2{}, this->of(0.51), [&] { return this->near_one(); });
}

TYPED_TEST(Elementary, SinStaysWithinItsBound) {
  this->bounded(Sin{}, this->of(0.76), [&] { return this->any(); });
  this->bounded(Sin{}, this->of(0.76), [&] { return this->uniform(-10, 10); });
  this->bounded(Sin{}, this->of(0.76), [&] { return this->uniform(-2e6, 2e6); });
  this->bounded(Sin{}, this->of(0.76), [&] { return this->near_quarter_turns(4); });
  this->bounded(Sin{}, this->of(0.76), [&] { return this->near_quarter_turns(21); });
  this->bounded(Sin{}, this->of(0.76), [&] { return this->near_quarter_turns(60); });
}

TYPED_TEST(Elementary, CosStaysWithinItsBound) {
  this->bounded(Cos{}, this->of(0.76), [&] { return this->any(); });
  this->bounded(Cos{}, this->of(0.76), [&] { return this->uniform(-10, 10); });
  this->bounded(Cos{}, this->of(0.76), [&] { return this->uniform(-2e6, 2e6); });
  this->bounded(Cos{}, this->of(0.76), [&] { return this->near_quarter_turns(4); });
  this->bounded(Cos{}, this->of(0.76), [&] { return this->near_quarter_turns(21); });
  this->bounded(Cos{}, this->of(0.76), [&] { return this->near_quarter_turns(60); });
}

TYPED_TEST(Elementary, TanStaysWithinItsBound) {
  this->bounded(Tan{}, this->of(0.9), [&] { return this->any(); });
  this->bounded(Tan{}, this->of(0.9), [&] { return this->uniform(-10, 10); });
  this->bounded(Tan{}, this->of(0.9), [&] { return this->near_quarter_turns(21); });
  this->bounded(Tan{}, this->of(0.9), [&] { return this->near_quarter_turns(60); });
}

TYPED_TEST(Elementary, SinhStaysWithinItsBound) {
  double const end = this->is_double ? 710.4 : 89.4;
  this->bounded(Sinh{}, this->of(0.75), [&] { return this->arguments.any_exponent(this->lowest, 5); });
  this->bounded(Sinh{}, this->of(0.75), [&] { return this->uniform(-1, 1); });
  this->bounded(Sinh{}, this->of(0.75), [&] { return this->uniform(-end, end); });
}

TYPED_TEST(Elementary, CoshStaysWithinItsBound) {
  double const end = this->is_double ? 710.4 : 89.4;
  this->bounded(Cosh{}, this->of(0.75), [&] { return this->arguments.any_exponent(this->lowest, 5); });
  this->bounded(Cosh{}, this->of(0.75), [&] { return this->uniform(-1, 1); });
  this->bounded(Cosh{}, this->of(0.75), [&] { return this->uniform(-end, end); });
}

TYPED_TEST(Elementary, TanhStaysWithinItsBound) {
  this->bounded(Tanh{}, this->of(0.75), [&] { return this->any(); });
  this->bounded(Tanh{}, this->of(0.75), [&] { return this->uniform(-1, 1); });
  this->bounded(Tanh{}, this->of(0.75), [&] { return this->uniform(-25, 25); });
}

TYPED_TEST(Elementary, CbrtStaysWithinItsBound) {
  this->bounded(Cbrt{}, this->of(0.51), [&] { return this->any(); });
  this->bounded(Cbrt{}, this->of(0.51), [&] { return this->uniform(1, 8); });
}

TYPED_TEST(Elementary, PowStaysWithinItsBound) {
  double const low = this->is_double ? -708 : -87, high = this->is_double ? 709.7 : 88.7;
  auto const reaching = [&](TypeParam x) {  // every size of the result equally often
    return std::pair{x, static_cast<TypeParam>(this->uniform(low, high) / std::log(static_cast<double>(x)))};
  };
  this->bounded_2(Pow{}, this->of(0.8), [&] { return reaching(math::abs(this->any())); });
  this->bounded_2(Pow{}, this->of(0.8), [&] { return reaching(this->near_one()); });
  this->bounded_2(Pow{}, this->of(0.8), [&] {
    return std::pair{this->uniform(0.1, 10), this->uniform(-3, 3)};
  });
  this->bounded_2(Pow{}, this->of(0.8), [&] {
    return std::pair{this->uniform(-20, 20), static_cast<TypeParam>(this->arguments.integer(-9, 9))};
  });
}

TYPED_TEST(Elementary, Atan2StaysWithinItsBound) {
  this->bounded_2(Atan2{}, this->of(0.51), [&] { return std::pair{this->any(), this->any()}; });
  this->bounded_2(Atan2{}, this->of(0.51), [&] {
    return std::pair{this->uniform(-1, 1), this->uniform(-1, 1)};
  });
  this->bounded_2(Atan2{}, this->of(0.51), [&] {
    auto const x = this->any();
    return std::pair{x * this->uniform(-2, 2), x};
  });
}

TYPED_TEST(Elementary, HypotStaysWithinItsBound) {
  this->bounded_2(Hypot{}, this->of(0.51), [&] {
    return std::pair{this->uniform(-1, 1), this->uniform(-1, 1)};
  });
  this->bounded_2(Hypot{}, 0.76, [&] {  // subnormal results round twice
    auto const x = this->any();
    return std::pair{x, x * this->uniform(-2, 2)};
  });
  this->bounded_2(Hypot{}, 0.76, [&] { return std::pair{this->any(), this->any()}; });
}

/// x, y, expected: Annex F of C99 and C11.
TYPED_TEST(Elementary, SpecialValuesAreThoseOfAnnexF) {
  using T = TypeParam;
  T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  T const tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max();
  struct Case1 {
    char const* name;
    std::function<T(T)> function;
    T x, expected;
  };
  auto const f = [](auto function) { return std::function<T(T)>(function); };
  std::vector<Case1> const one = {
      {"exp", f(Exp{}), 0, 1},
      {"exp", f(Exp{}), -T(0), 1},
      {"exp", f(Exp{}), inf, inf},
      {"exp", f(Exp{}), -inf, 0},
      {"exp", f(Exp{}), nan, nan},
      {"exp", f(Exp{}), huge, inf},
      {"exp", f(Exp{}), -huge, 0},
      {"exp", f(Exp{}), tiny, 1},
      {"exp2", f(Exp2{}), 0, 1},
      {"exp2", f(Exp2{}), -T(0), 1},
      {"exp2", f(Exp2{}), inf, inf},
      {"exp2", f(Exp2{}), -inf, 0},
      {"exp2", f(Exp2{}), nan, nan},
      {"exp2", f(Exp2{}), huge, inf},
      {"exp2", f(Exp2{}), -huge, 0},
      {"log", f(Log{}), 0, -inf},
      {"log", f(Log{}), -T(0), -inf},
      {"log", f(Log{}), 1, 0},
      {"log", f(Log{}), inf, inf},
      {"log", f(Log{}), -1, nan},
      {"log", f(Log{}), -inf, nan},
      {"log", f(Log{}), nan, nan},
      {"log", f(Log{}), -tiny, nan},
      {"log2", f(Log2{}), 0, -inf},
      {"log2", f(Log2{}), -T(0), -inf},
      {"log2", f(Log2{}), 1, 0},
      {"log2", f(Log2{}), inf, inf},
      {"log2", f(Log2{}), -1, nan},
      {"log2", f(Log2{}), nan, nan},
      {"log2", f(Log2{}), 8, 3},
      {"log2", f(Log2{}), tiny, T(this->lowest)},
      {"sin", f(Sin{}), 0, 0},
      {"sin", f(Sin{}), -T(0), -T(0)},
      {"sin", f(Sin{}), inf, nan},
      {"sin", f(Sin{}), -inf, nan},
      {"sin", f(Sin{}), nan, nan},
      {"sin", f(Sin{}), tiny, tiny},
      {"sin", f(Sin{}), -tiny, -tiny},
      {"cos", f(Cos{}), 0, 1},
      {"cos", f(Cos{}), -T(0), 1},
      {"cos", f(Cos{}), inf, nan},
      {"cos", f(Cos{}), nan, nan},
      {"tan", f(Tan{}), 0, 0},
      {"tan", f(Tan{}), -T(0), -T(0)},
      {"tan", f(Tan{}), inf, nan},
      {"tan", f(Tan{}), nan, nan},
      {"tan", f(Tan{}), -tiny, -tiny},
      {"sinh", f(Sinh{}), 0, 0},
      {"sinh", f(Sinh{}), -T(0), -T(0)},
      {"sinh", f(Sinh{}), inf, inf},
      {"sinh", f(Sinh{}), -inf, -inf},
      {"sinh", f(Sinh{}), nan, nan},
      {"sinh", f(Sinh{}), -huge, -inf},
      {"sinh", f(Sinh{}), -tiny, -tiny},
      {"cosh", f(Cosh{}), 0, 1},
      {"cosh", f(Cosh{}), -T(0), 1},
      {"cosh", f(Cosh{}), inf, inf},
      {"cosh", f(Cosh{}), -inf, inf},
      {"cosh", f(Cosh{}), nan, nan},
      {"cosh", f(Cosh{}), -huge, inf},
      {"tanh", f(Tanh{}), 0, 0},
      {"tanh", f(Tanh{}), -T(0), -T(0)},
      {"tanh", f(Tanh{}), inf, 1},
      {"tanh", f(Tanh{}), -inf, -1},
      {"tanh", f(Tanh{}), nan, nan},
      {"tanh", f(Tanh{}), -tiny, -tiny},
      {"tanh", f(Tanh{}), huge, 1},
      {"cbrt", f(Cbrt{}), 0, 0},
      {"cbrt", f(Cbrt{}), -T(0), -T(0)},
      {"cbrt", f(Cbrt{}), inf, inf},
      {"cbrt", f(Cbrt{}), -inf, -inf},
      {"cbrt", f(Cbrt{}), nan, nan},
      {"cbrt", f(Cbrt{}), -27, -3},
      {"cbrt", f(Cbrt{}), T(0.125), T(0.5)},
  };
  for (auto const& c : one) {
    T const got = c.function(c.x);
    EXPECT_TRUE(std::isnan(c.expected) ? std::isnan(got) : to_bits(got) == to_bits(c.expected))
        << c.name << "(" << c.x << ") = " << got << ", not " << c.expected;
  }
  struct Case2 {
    char const* name;
    std::function<T(T, T)> function;
    T x, y, expected;
  };
  auto const g = [](auto function) { return std::function<T(T, T)>(function); };
  T const pi = static_cast<T>(3.14159265358979323846L), half = static_cast<T>(1.57079632679489661923L);
  T const quarter = half / 2, three_quarters = static_cast<T>(2.35619449019234492885L);
  std::vector<Case2> const two = {
      {"pow", g(Pow{}), 0, -3, inf},
      {"pow", g(Pow{}), -T(0), -3, -inf},
      {"pow", g(Pow{}), 0, -2, inf},
      {"pow", g(Pow{}), -T(0), -2, inf},
      {"pow", g(Pow{}), -T(0), T(-2.5), inf},
      {"pow", g(Pow{}), 0, -inf, inf},
      {"pow", g(Pow{}), -T(0), -inf, inf},
      {"pow", g(Pow{}), 0, 3, 0},
      {"pow", g(Pow{}), -T(0), 3, -T(0)},
      {"pow", g(Pow{}), -T(0), 2, 0},
      {"pow", g(Pow{}), -T(0), inf, 0},
      {"pow", g(Pow{}), -1, inf, 1},
      {"pow", g(Pow{}), -1, -inf, 1},
      {"pow", g(Pow{}), 1, nan, 1},
      {"pow", g(Pow{}), 1, inf, 1},
      {"pow", g(Pow{}), nan, 0, 1},
      {"pow", g(Pow{}), nan, -T(0), 1},
      {"pow", g(Pow{}), inf, 0, 1},
      {"pow", g(Pow{}), nan, 1, nan},
      {"pow", g(Pow{}), 2, nan, nan},
      {"pow", g(Pow{}), -2, T(0.5), nan},
      {"pow", g(Pow{}), -tiny, T(1.5), nan},
      {"pow", g(Pow{}), T(0.5), -inf, inf},
      {"pow", g(Pow{}), -2, -inf, 0},
      {"pow", g(Pow{}), -T(0.5), inf, 0},
      {"pow", g(Pow{}), 2, inf, inf},
      {"pow", g(Pow{}), -inf, -3, -T(0)},
      {"pow", g(Pow{}), -inf, -2, 0},
      {"pow", g(Pow{}), -inf, T(-0.5), 0},
      {"pow", g(Pow{}), -inf, 3, -inf},
      {"pow", g(Pow{}), -inf, 2, inf},
      {"pow", g(Pow{}), -inf, T(0.5), inf},
      {"pow", g(Pow{}), inf, -1, 0},
      {"pow", g(Pow{}), inf, T(0.1), inf},
      {"pow", g(Pow{}), -3, 3, -27},
      {"pow", g(Pow{}), -3, 4, 81},
      {"pow", g(Pow{}), 2, -1, T(0.5)},
      {"pow", g(Pow{}), huge, 2, inf},
      {"pow", g(Pow{}), -huge, 3, -inf},
      {"pow", g(Pow{}), -tiny, 3, -T(0)},
      {"pow", g(Pow{}), 2, huge, inf},
      {"pow", g(Pow{}), T(0.5), huge, 0},
      {"pow", g(Pow{}), -2, huge, inf},
      {"pow", g(Pow{}), 2, tiny, 1},
      {"pow", g(Pow{}), tiny, 1, tiny},
      {"atan2", g(Atan2{}), 0, -T(0), pi},
      {"atan2", g(Atan2{}), -T(0), -T(0), -pi},
      {"atan2", g(Atan2{}), 0, 0, 0},
      {"atan2", g(Atan2{}), -T(0), 0, -T(0)},
      {"atan2", g(Atan2{}), 0, -1, pi},
      {"atan2", g(Atan2{}), -T(0), -1, -pi},
      {"atan2", g(Atan2{}), 0, 1, 0},
      {"atan2", g(Atan2{}), -T(0), 1, -T(0)},
      {"atan2", g(Atan2{}), -1, 0, -half},
      {"atan2", g(Atan2{}), 1, -T(0), half},
      {"atan2", g(Atan2{}), 1, -inf, pi},
      {"atan2", g(Atan2{}), -1, -inf, -pi},
      {"atan2", g(Atan2{}), 1, inf, 0},
      {"atan2", g(Atan2{}), -1, inf, -T(0)},
      {"atan2", g(Atan2{}), inf, 1, half},
      {"atan2", g(Atan2{}), -inf, -1, -half},
      {"atan2", g(Atan2{}), inf, -inf, three_quarters},
      {"atan2", g(Atan2{}), -inf, inf, -quarter},
      {"atan2", g(Atan2{}), nan, 1, nan},
      {"atan2", g(Atan2{}), 1, nan, nan},
      {"atan2", g(Atan2{}), tiny, tiny, quarter},
      {"atan2", g(Atan2{}), huge, huge, quarter},
      {"atan2", g(Atan2{}), tiny, -huge, pi},
      {"atan2", g(Atan2{}), huge, tiny, half},
      {"atan2", g(Atan2{}), tiny, huge, 0},
      {"atan2", g(Atan2{}), tiny, 1, tiny},
      {"hypot", g(Hypot{}), inf, nan, inf},
      {"hypot", g(Hypot{}), nan, -inf, inf},
      {"hypot", g(Hypot{}), nan, 1, nan},
      {"hypot", g(Hypot{}), -T(0), 0, 0},
      {"hypot", g(Hypot{}), -3, 4, 5},
      {"hypot", g(Hypot{}), 0, -tiny, tiny},
      {"hypot", g(Hypot{}), huge, huge, inf},
      {"hypot", g(Hypot{}), -huge, 0, huge},
      {"hypot", g(Hypot{}), 3 * tiny, 4 * tiny, 5 * tiny},
  };
  for (auto const& c : two) {
    T const got = c.function(c.x, c.y);
    EXPECT_TRUE(std::isnan(c.expected) ? std::isnan(got) : to_bits(got) == to_bits(c.expected))
        << c.name << "(" << c.x << ", " << c.y << ") = " << got << ", not " << c.expected;
  }
}

/// Where results turn infinite or zero, against the exact boundary.
TYPED_TEST(Elementary, OverflowAndUnderflowHappenAtTheRightArgument) {
  using T = TypeParam;
  T const inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min();
  auto const after = [](T x) { return std::nextafter(x, std::numeric_limits<T>::infinity()); };
  T const top = this->is_double ? T(0x1.62e42fefa39efp+9)
                                : T(0x1.62e42ep+6);  // log of the largest number, rounded down
  EXPECT_LT(math::exp(top), inf);
  EXPECT_EQ(math::exp(after(top)), inf);
  T const end = T(this->is_double ? 1024 : 128);
  EXPECT_EQ(math::exp2(end), inf);
  EXPECT_LT(math::exp2(std::nextafter(end, T(0))), inf);
  EXPECT_EQ(math::exp2(T(this->lowest)), tiny);
  EXPECT_EQ(math::exp2(T(this->lowest - 1)), 0);
  EXPECT_EQ(math::exp2(after(T(this->lowest - 1))), tiny);
}

TYPED_TEST(Elementary, PowersOfTwoAndWholePowersAreExact) {
  using T = TypeParam;
  for (int e = this->lowest; e <= this->highest; ++e) {
    T const power = std::ldexp(T(1), e);
    ASSERT_EQ(math::exp2(static_cast<T>(e)), power);
    ASSERT_EQ(math::log2(power), static_cast<T>(e));
    ASSERT_EQ(math::pow(T(2), static_cast<T>(e)), power);
  }
  for (int base = 2; base <= 15; ++base) {
    T power = 1;
    for (int e = 0; power < T(std::uint64_t{1} << std::numeric_limits<T>::digits);
         ++e, power *= static_cast<T>(base)) {
      ASSERT_EQ(math::pow(static_cast<T>(base), static_cast<T>(e)), power) << base << "^" << e;
    }
  }
  for (int root = 1; root < 200; ++root) {
    T const x = static_cast<T>(root);
    ASSERT_EQ(math::cbrt(x * x * x), x);
    ASSERT_EQ(math::hypot(3 * x, -4 * x), 5 * x);
    ASSERT_EQ(math::pow(x * x, T(0.5)), x);
  }
}

TYPED_TEST(Elementary, OddFunctionsAreOddAndEvenOnesEven) {
  for (int i = 0; i < this->samples; ++i) {
    auto const x = i % 2 ? this->any() : this->uniform(-30, 30);
    ASSERT_EQ(math::sin(-x), -math::sin(x));
    ASSERT_EQ(math::cos(-x), math::cos(x));
    ASSERT_EQ(math::tan(-x), -math::tan(x));
    ASSERT_EQ(math::sinh(-x), -math::sinh(x));
    ASSERT_EQ(math::cosh(-x), math::cosh(x));
    ASSERT_EQ(math::tanh(-x), -math::tanh(x));
    ASSERT_EQ(math::cbrt(-x), -math::cbrt(x));
    ASSERT_EQ(math::hypot(x, 1 / x), math::hypot(1 / x, -x));
  }
}

/// Neighbouring arguments around random points and around every seam of the argument reductions.
TYPED_TEST(Elementary, MonotonicFunctionsDoNotStepBack) {
  using T = TypeParam;
  T const inf = std::numeric_limits<T>::infinity();
  std::vector<T> starts;
  for (int k = -40; k <= 40; ++k) {
    starts.push_back(static_cast<T>((k + 0.5) * 0.6931471805599453));
    starts.push_back(static_cast<T>(std::exp2(0.5 * k)));
    starts.push_back(static_cast<T>(0.05 * k));
  }
  for (int i = 0; i < 2000; ++i) {
    starts.push_back(this->uniform(-20, 20));
  }
  for (T const start : starts) {
    T x = start;
    for (int i = 0; i < 8; ++i) {
      T const next = std::nextafter(x, inf);
      ASSERT_LE(math::exp(x), math::exp(next)) << std::hexfloat << x;
      ASSERT_LE(math::exp2(x), math::exp2(next)) << std::hexfloat << x;
      ASSERT_LE(math::sinh(x), math::sinh(next)) << std::hexfloat << x;
      ASSERT_LE(math::tanh(x), math::tanh(next)) << std::hexfloat << x;
      ASSERT_LE(math::cbrt(x), math::cbrt(next)) << std::hexfloat << x;
      ASSERT_LE(math::atan2(x, T(1)), math::atan2(next, T(1))) << std::hexfloat << x;
      if (x > 0) {
        ASSERT_LE(math::log(x), math::log(next)) << std::hexfloat << x;
        ASSERT_LE(math::log2(x), math::log2(next)) << std::hexfloat << x;
        ASSERT_LE(math::cosh(x), math::cosh(next)) << std::hexfloat << x;
        ASSERT_LE(math::pow(x, T(1.75)), math::pow(next, T(1.75))) << std::hexfloat << x;
      }
      x = next;
    }
  }
}

TYPED_TEST(Elementary, ValuesStayInTheRangeOfTheFunction) {
  for (int i = 0; i < this->samples; ++i) {
    auto const x = i % 2 ? this->any() : this->uniform(-30, 30);
    ASSERT_LE(math::abs(math::sin(x)), 1);
    ASSERT_LE(math::abs(math::cos(x)), 1);
    ASSERT_LE(math::abs(math::tanh(x)), 1);
    ASSERT_GE(math::cosh(x), 1);
    ASSERT_GE(math::exp(x), 0);
  }
}

/// A hash of the results of all functions over arguments from a xorshift generator. The expected values were
/// made on 2026-11-21 with g++ 12.2 and clang 14 on x86-64 at -O0 to -O3, with and without FMA and AVX
/// instructions, which all agreed.
template <class T>
std::uint64_t hash_of_all_functions() {
  std::uint64_t hash = 0;
  for (int f = 0; f < precision_test::function_count; ++f) {
    std::uint64_t state = 88172645463325252u, sum = 0;
    auto const next = [&state] {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      return state;
    };
    for (std::uint64_t i = 0; i < 300000; ++i) {
      std::uint64_t const a = next(), b = next();
      T x = 0, y = 0;
      if (i % 2 == 0) {
        x = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(a)) * 0x1p-58);
        y = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(b)) * 0x1p-60);
      } else if constexpr (sizeof(T) == 8) {
        x = from_bits(a), y = from_bits(b);
      } else {
        x = from_bits(static_cast<std::uint32_t>(a)), y = from_bits(static_cast<std::uint32_t>(b));
      }
      T const value = precision_test::evaluate(static_cast<precision_test::Function>(f), x, y);
      std::uint64_t const bits = value != value ? 1 : to_bits(value);
      sum += (bits ^ (bits >> 29)) * 0x9e3779b97f4a7c15u * (2 * i + 1);
    }
    hash = hash * 31 + sum;
  }
  return hash;
}

TEST(ElementaryBits, AreTheSameForEveryCompilerAndProcessor) {
  EXPECT_EQ(hash_of_all_functions<float>(), 0xe3641c41b324b913u);
  EXPECT_EQ(hash_of_all_functions<double>(), 0xb349768c8a529296u);
}

/// The hardest double for the reduction modulo pi / 2 among all exponents: 6381956970095103 2^797
/// lies 4.7e-19 from a multiple (Muller, Elementary Functions, 2nd edition, section 9.3.2).
TEST(ElementaryDouble, TheHardestArgumentOfTrigonometryIsReducedRight) {
  double const x = std::ldexp(6381956970095103.0, 797);
  float128 const cosine = math::cos(float128(x)), sine = math::sin(float128(x));
  ASSERT_LT(abs(cosine), 1e-18);
  EXPECT_LE(error_in_ulp(math::cos(x), cosine), 0.76);
  EXPECT_LE(error_in_ulp(math::sin(x), sine), 0.76);
  EXPECT_LE(error_in_ulp(math::tan(-x), float128(-sine / cosine)), 0.9);
}

/// The everyday reference is itself checked against a wider type of other make.
TEST(Reference, BinaryFloatOf200BitsAgreesWithFloat128) {
  using Wide = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<200, boost::multiprecision::digit_base_2>>;
  Arguments<double> arguments{7};
  auto const agrees = [](float128 const& x, Wide const& wide) {
    return abs(Wide(x) - wide) <= abs(wide) * ldexp(Wide(1), -109);
  };
  for (int i = 0; i < 200; ++i) {
    double const x = arguments.uniform(0.01, 5), y = arguments.uniform(-5, 5);
    EXPECT_TRUE(agrees(math::exp(float128(y)), exp(Wide(y))));
    EXPECT_TRUE(agrees(math::exp2(float128(y)), pow(Wide(2), Wide(y))));
    EXPECT_TRUE(agrees(math::log(float128(x)), log(Wide(x))));
    EXPECT_TRUE(agrees(math::log2(float128(x)), Wide(log(Wide(x)) / log(Wide(2)))));
    EXPECT_TRUE(agrees(math::pow(float128(x), float128(y)), pow(Wide(x), Wide(y))));
    EXPECT_TRUE(agrees(math::sin(float128(y)), sin(Wide(y))));
    EXPECT_TRUE(agrees(math::cos(float128(y)), cos(Wide(y))));
    EXPECT_TRUE(agrees(math::tan(float128(y)), tan(Wide(y))));
    EXPECT_TRUE(agrees(math::atan2(float128(y), float128(x)), atan2(Wide(y), Wide(x))));
    EXPECT_TRUE(agrees(math::sinh(float128(y)), sinh(Wide(y))));
    EXPECT_TRUE(agrees(math::cosh(float128(y)), cosh(Wide(y))));
    EXPECT_TRUE(agrees(math::tanh(float128(y)), tanh(Wide(y))));
    EXPECT_TRUE(agrees(math::cbrt(float128(x)), Wide(exp(Wide(log(Wide(x)) / 3)))));
    EXPECT_TRUE(agrees(math::hypot(float128(x), float128(y)), Wide(sqrt(Wide(Wide(x) * x + Wide(y) * y)))));
  }
}

}  // namespace
}  // namespace ulpine
