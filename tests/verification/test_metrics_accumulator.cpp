// SPDX-License-Identifier: Apache-2.0
// Fields that come in parts, 64-bit integers, weights of zero and the ends of the range of double.
#include "verification/metrics/metrics_accumulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "precision/bits.hpp"
#include "support/random_values.hpp"

namespace ulpine::verification {
namespace {

using boost::multiprecision::cpp_int;
using test::RandomValues;
using Field = std::vector<double>;
using Rational = boost::multiprecision::cpp_rational;
using Wide = boost::multiprecision::cpp_bin_float_50;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least = std::numeric_limits<double>::denorm_min();

double number(Metrics const& metrics, char const* name) {
  auto const& value = metrics[name];
  EXPECT_TRUE(value.defined()) << name << ": " << value.reason();
  return value.defined() ? value.number() : nan;
}

/// Every value as bits (undefined ones as 0), then points, missing and the histogram.
std::vector<std::uint64_t> all_of(Metrics const& metrics) {
  std::vector<std::uint64_t> result;
  for (auto const& [name, value] : metrics.values) {
    result.push_back(value.defined() ? to_bits(value.number()) : 0);
  }
  result.push_back(static_cast<std::uint64_t>(metrics.points));
  result.push_back(static_cast<std::uint64_t>(metrics.missing));
  result.insert(result.end(), metrics.ulp_histogram.begin(), metrics.ulp_histogram.end());
  return result;
}

TEST(MetricsAccumulator, GivesTheSameBitsHoweverTheFieldIsCut) {
  RandomValues random(41);
  for (int trial = 0; trial < 60; ++trial) {
    std::size_t const n = 1 + random.below(400);
    Field x(n), y(n), weights(n);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = trial % 3 == 0 ? random.ugly(-1060, 900) : random.between(270, 300);
      x[i] = y[i] * (1 + 1e-7 * random.between(-1, 1));
      weights[i] = random.uniform() < 0.1 ? 0 : random.between(0, 1e10);
      if (random.uniform() < 0.1) x[i] = y[i] = nan;
    }
    auto const whole = compute_metrics(x, y, weights);
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (std::size_t begin = 0; begin < n;) {
      auto const size = std::min(n - begin, random.below(60));
      parts.emplace_back(begin, size);
      begin += size;
    }
    random.shuffle(parts);
    MetricsAccumulator accumulator;
    for (auto const& [begin, size] : parts) {
      auto const part = [begin = begin, size = size](Field const& field) {
        return std::span(field).subspan(begin, size);
      };
      EXPECT_TRUE(accumulator.add({part(x), part(y), part(weights)}));
    }
    EXPECT_EQ(all_of(accumulator.finish()), all_of(whole));
  }
}

TEST(MetricsAccumulator, NamesThePlaceOfABrokenValue) {
  MetricsAccumulator accumulator, placed;
  Field const good = {1, 2}, broken = {1, nan};
  EXPECT_TRUE(accumulator.add({good, good}));
  EXPECT_FALSE(accumulator.add({broken, good}));
  EXPECT_FALSE(accumulator.add({good, broken}));
  EXPECT_EQ(accumulator.finish().failure, "NaN only in the test at element 3");
  placed.add({broken, good}, [](std::size_t i) { return std::int64_t(100 + i); });
  EXPECT_EQ(placed.finish().failure, "NaN only in the test at element 101");
}

TEST(Metrics, PointsWithoutWeightCountNowhere) {
  Field const x = {1, 2.5, -7, nan, 3, infinity}, y = {1, 2, 1e300, 4, 3, 1}, weights = {1, 3, 0, 0, 2, 0};
  auto const metrics = compute_metrics(x, y, weights);
  auto const kept = compute_metrics(Field{1, 2.5, 3}, Field{1, 2, 3}, Field{1, 3, 2});
  EXPECT_EQ(metrics.points, 3);
  EXPECT_EQ(metrics.missing, 3);
  for (auto const& [name, value] : kept.values) {
    EXPECT_EQ(number(metrics, name.c_str()), value.number()) << name;
  }
  EXPECT_EQ(number(metrics, "linf"), 0.5);
  EXPECT_EQ(number(metrics, "max_ulp"), 0x1p50);
  EXPECT_EQ(std::accumulate(metrics.ulp_histogram.begin(), metrics.ulp_histogram.end(), std::int64_t(0)), 3);
  EXPECT_TRUE(compute_metrics(Field{1, 9}, Field{1, 2}, Field{1, 0}).equal());
  EXPECT_EQ(compute_metrics(Field{9}, Field{2}, Field{0})["rmse"].reason(), "all weights are zero");
}

/// Integers as values, and the same integers times 2^-1074: the quotients are the same, the others scaled.
TEST(Metrics, DoNotUnderflowAmongSubnormalNumbers) {
  RandomValues random(42);
  Field y(200), x(200), weights(200);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = static_cast<double>(1 + random.below(1000000));
    x[i] = y[i] + static_cast<double>(random.below(3));
    weights[i] = random.between(1, 2);
  }
  auto const scaled = [](Field field, int power) {
    for (double& value : field) value = std::ldexp(value, power);
    return field;
  };
  for (int const power : {-1074, -1030, -700, -540}) {
    for (auto const weighted : {false, true}) {
      auto const w = weighted ? weights : Field{};
      auto const metrics = compute_metrics(scaled(x, power), scaled(y, power), w);
      auto const expected = compute_metrics(x, y, w);
      for (char const* name :
           {"l2_relative", "nmse", "fb", "r", "one_minus_r", "fac2", "mg", "vg", "significant_bits"}) {
        EXPECT_EQ(number(metrics, name), number(expected, name)) << name << ' ' << power;
      }
      for (char const* name : {"rmse", "mae", "bias", "linf"}) {
        EXPECT_EQ(number(metrics, name), std::ldexp(number(expected, name), power)) << name << ' ' << power;
      }
    }
  }
  auto const tiny = compute_metrics(Field{1e-310, 2e-310, 3.1e-310}, Field{1e-310, 2e-310, 3e-310});
  EXPECT_NEAR(number(tiny, "l2_relative"), 0.1 / std::sqrt(14), 1e-12);  // numbers near 1e-310 have 44 bits
  EXPECT_NEAR(number(tiny, "nmse"), 0.01 / 3 / (2 * 6.1 / 3), 1e-12);
}

TEST(Metrics, ErrorsOfFieldsThatDifferAreNeverZero) {
  // One of a million points differs, by the smallest step: the mean square is 2^-2168.
  Field y(1000000, 0.0), x = y;
  x[77] = least;
  auto const metrics = compute_metrics(x, y);
  EXPECT_EQ(number(metrics, "rmse"), least);
  EXPECT_EQ(number(metrics, "mae"), least);
  EXPECT_EQ(number(metrics, "max_ulp"), 1);
  y[5] = x[5] = 1e308;
  EXPECT_EQ(number(compute_metrics(x, y), "l2_relative"), least);
  Field const a = {1, 2, 1e-300}, b = {1, 2, 2e-300};
  EXPECT_EQ(number(compute_metrics(a, b), "one_minus_r"), least);
}

TEST(Metrics, OneMinusRIsRoundedFromItsExactValue) {
  RandomValues random(43);
  for (double const noise : {1.5, 1e-2, 1e-8, 1e-15}) {
    for (auto const weighted : {false, true}) {
      Field x, y, weights;
      Rational w = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
      for (int i = 0; i < 100; ++i) {
        y.push_back(random.between(270, 300));
        x.push_back(y.back() * (1 + noise * random.between(-1, 1)));
        weights.push_back(weighted ? random.between(0, 1e6) : 1);
        Rational const u{weights.back()}, a{x.back()}, b{y.back()};
        w += u;
        sx += u * a;
        sy += u * b;
        sxx += u * a * a;
        syy += u * b * b;
        sxy += u * a * b;
      }
      Wide const cov{w * sxy - sx * sy}, root = sqrt(Wide{w * sxx - sx * sx}) * sqrt(Wide{w * syy - sy * sy});
      // 50 digits less the 31 that cancel at the smallest noise; the result is rounded once.
      auto const expected = static_cast<double>(Wide(1 - cov / root));
      auto const metrics = weighted ? compute_metrics(x, y, weights) : compute_metrics(x, y);
      EXPECT_NEAR(number(metrics, "one_minus_r"), expected, 0x1p-52 * expected) << noise;
    }
  }
}

/// A 64-bit integer as a reader gives it: the nearest double and the rest.
void put(std::vector<double>& high, std::vector<double>& low, cpp_int const& value) {
  high.push_back(static_cast<double>(value));
  low.push_back(static_cast<double>(cpp_int(value - cpp_int(high.back()))));
}

TEST(MetricsAccumulator, ComparesIntegersBeyondDoubleExactly) {
  RandomValues random(44);
  auto const most = (cpp_int(1) << 64) - 1;
  for (int trial = 0; trial < 40; ++trial) {
    Field x, x_low, y, y_low;
    Rational error = 0, sum = 0, norm = 0, mae = 0;
    cpp_int largest = 0;
    std::int64_t equal = 0;
    auto const n = 1 + random.below(50);
    for (std::size_t i = 0; i < n; ++i) {
      cpp_int a = (cpp_int(random.below(std::size_t(1) << 30)) << 33) + (cpp_int(1) << 62) +
                  random.below(std::size_t(1) << 33);
      cpp_int b = a + random.below(5) - 2;
      if (i == 0) a = most;
      if (i == 1) a = -(cpp_int(1) << 63), b = a + 1;
      put(x, x_low, a);
      put(y, y_low, b);
      cpp_int const difference = a - b, distance = abs(difference);
      error += difference * difference;
      sum += difference;
      mae += distance;
      norm += b * b;
      largest = std::max(largest, distance);
      equal += a == b;
    }
    MetricsAccumulator accumulator;
    accumulator.add({x, y, {}, x_low, y_low});
    auto const metrics = accumulator.finish();
    EXPECT_EQ(metrics.ulp_histogram[0], equal);
    EXPECT_EQ(metrics.equal(), equal == std::int64_t(n));
    EXPECT_EQ(number(metrics, "linf"), static_cast<double>(largest));
    // The sum and its quotient round, and the root and the quotient of norms.
    auto const near = [&](char const* name, double expected, double roundings) {
      EXPECT_NEAR(number(metrics, name), expected, roundings * 0x1p-53 * std::abs(expected)) << name;
    };
    near("mae", static_cast<double>(Rational(mae / n)), 2);
    near("bias", static_cast<double>(Rational(sum / n)), 2);
    near("l2_relative", std::sqrt(static_cast<double>(Rational(error / norm))), 8);
  }
  // Only the last bits vary, which a double does not hold: -2^62 - k against 2^62 + k.
  Field x, x_low, y, y_low;
  for (int k = 0; k < 20; ++k) {
    cpp_int const value = (cpp_int(1) << 62) + k;
    put(x, x_low, -value);
    put(y, y_low, value);
  }
  MetricsAccumulator opposite;
  opposite.add({x, y, {}, x_low, y_low});
  EXPECT_NEAR(number(opposite.finish(), "r"), -1, 1e-15);
  Field const high = {0x1p60}, one = {1}, none = {0};
  MetricsAccumulator apart, mixed;
  apart.add({high, high, {}, one, none});
  EXPECT_EQ(number(apart.finish(), "max_ulp"), 1);
  EXPECT_EQ(number(apart.finish(), "linf"), 1);
  EXPECT_EQ(number(apart.finish(), "l2_relative"), 0x1p-60);
  mixed.add({high, high, {}, {}, one});  // an integer beside a double
  EXPECT_EQ(number(mixed.finish(), "bias"), -1);
}

TEST(WideSum, IsExactBeyondTheRangeOfDouble) {
  RandomValues random(45);
  for (int trial = 0; trial < 40; ++trial) {
    WideSum sum, backwards;
    Rational exact = 0;
    std::vector<std::array<double, 3>> terms;
    for (int i = 0; i < 30; ++i) {
      terms.push_back({random.ugly(-1074, 1020), random.ugly(-1074, 1020), random.ugly(-1074, 1020)});
    }
    for (auto const& [a, b, c] : terms) {
      sum.add_product(Binary::of(a), Binary::of(b), Binary::of(c));
      exact += Rational{a} * Rational{b} * Rational{c};
    }
    for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
      auto const& [a, b, c] = *term;
      backwards.add_product(Binary::of(c), Binary::of(a), Binary::of(b));
    }
    auto const rounded = sum.rounded();
    Wide const expected = ldexp(Wide{exact}, -rounded.exponent);
    EXPECT_EQ(rounded.mantissa, static_cast<double>(expected));
    EXPECT_GE(std::abs(rounded.mantissa), 0.5);
    EXPECT_LT(std::abs(rounded.mantissa), 1);
    backwards.subtract(sum);
    EXPECT_EQ(backwards.rounded().mantissa, 0);
  }
  // Ties go to even, unless there is anything below.
  WideSum tie;
  tie.add(1);
  tie.add(0x1p-53);
  EXPECT_EQ(tie.rounded().value(), 1);
  tie.add(1, -3000);
  EXPECT_EQ(tie.rounded().value(), 1 + 0x1p-52);
}

TEST(Scaled, CalculatesAsDoublesDoWithinTheirRange) {
  RandomValues random(46);
  for (int i = 0; i < 2000; ++i) {
    double const a = random.ugly(-100, 100), b = random.ugly(-100, 100);
    auto const x = Scaled::of(a), y = Scaled::of(b);
    EXPECT_EQ((x * y).value(), a * b);
    EXPECT_EQ((x / y).value(), a / b);
    EXPECT_EQ((x + y).value(), a + b);
    EXPECT_EQ(x.half().value(), a / 2);
    EXPECT_EQ(square_root(Scaled::of(std::abs(a))).value(), std::sqrt(std::abs(a)));
  }
  auto const small = Scaled::of(least);
  EXPECT_EQ((small * small / small).value(), least);
  EXPECT_EQ((small * small).value(), least);
  EXPECT_EQ((small * Scaled::of(-1e-300)).value(), -least);
  EXPECT_EQ((small + Scaled::of(0)).value(), least);
}

}  // namespace
}  // namespace ulpine::verification
