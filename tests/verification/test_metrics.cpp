// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/float128.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "precision/bits.hpp"
#include "support/random_values.hpp"

namespace ulpine::verification {
namespace {

using boost::multiprecision::float128;
using test::RandomValues;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
using Field = std::vector<double>;

double number(Metrics const& metrics, char const* name) {
  auto const& value = metrics[name];
  EXPECT_TRUE(value.defined()) << name << ": " << value.reason();
  return value.defined() ? value.number() : nan;
}

void expect_close(double value, double expected, double relative) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

/// Every value as bits, undefined ones as 0.
std::vector<std::uint64_t> bits_of(Metrics const& metrics) {
  std::vector<std::uint64_t> bits;
  for (auto const& [name, value] : metrics.values) {
    bits.push_back(value.defined() ? to_bits(value.number()) : 0);
  }
  return bits;
}

// Expected values: Python's fractions and 50-digit decimal, no other library.
TEST(Metrics, OfFourPointsAreTheRationalOnes) {
  Field const x = {1, 2, 3, 5}, y = {1, 2.5, 2.75, 4};
  auto const metrics = compute_metrics(x, y);
  EXPECT_EQ(metrics.points, 4);
  expect_close(number(metrics, "l2_relative"), 0.2063888293594916, 1e-15);
  EXPECT_EQ(number(metrics, "linf"), 1);
  expect_close(number(metrics, "rmse"), 0.57282196186948, 1e-15);
  EXPECT_EQ(number(metrics, "mae"), 7.0 / 16);
  EXPECT_EQ(number(metrics, "bias"), 3.0 / 16);
  expect_close(number(metrics, "nmse"), 21.0 / 451, 1e-15);
  expect_close(number(metrics, "fb"), 6.0 / 85, 1e-15);
  expect_close(number(metrics, "r"), 0.96115010472325487, 1e-15);
  expect_close(number(metrics, "one_minus_r"), 0.038849895276745127, 1e-14);
  EXPECT_EQ(number(metrics, "fac2"), 1);
  expect_close(number(metrics, "mg"), 0.97848204263355703, 1e-15);
  expect_close(number(metrics, "vg"), 1.0271513254573847, 1e-15);
  expect_close(number(metrics, "significant_bits"), -std::log2(0.2063888293594916), 1e-14);
  expect_close(number(metrics, "log10_l2_relative"), std::log10(0.2063888293594916), 1e-14);
  EXPECT_EQ(number(metrics, "log10_linf"), 0);
}

TEST(Metrics, WeighByArea) {
  Field const x = {1, 2, 3, 5}, y = {1, 2.5, 2.75, 4}, area = {1, 2, 3, 2};
  auto const metrics = compute_metrics(x, y, area);
  expect_close(number(metrics, "l2_relative"), 0.1985280388714614, 1e-15);
  expect_close(number(metrics, "rmse"), 0.5796011559684815, 1e-15);
  EXPECT_EQ(number(metrics, "mae"), 15.0 / 32);
  EXPECT_EQ(number(metrics, "bias"), 7.0 / 32);
  expect_close(number(metrics, "nmse"), 43.0 / 1068, 1e-15);
  expect_close(number(metrics, "fb"), 14.0 / 185, 1e-15);
  expect_close(number(metrics, "r"), 0.95795853038497133, 1e-15);
  expect_close(number(metrics, "one_minus_r"), 0.042041469615028666, 1e-14);
  expect_close(number(metrics, "mg"), 0.96789732516944194, 1e-15);
  expect_close(number(metrics, "vg"), 1.0281238533041123, 1e-15);
}

TEST(Metrics, OfEqualFieldsArePerfectEvenWhereTheReferenceIsZero) {
  for (Field const& y : {Field{3, -1, 7e-300, 4e300}, Field{0, 0, 0}, Field{5}, Field{-0.0, 0.0}}) {
    auto const metrics = compute_metrics(y, y);
    EXPECT_TRUE(metrics.equal());
    for (char const* name : {"l2_relative", "linf", "rmse", "mae", "bias", "max_ulp"}) {
      EXPECT_EQ(number(metrics, name), 0) << name;
    }
    EXPECT_EQ(number(metrics, "fac2"), 1);
    EXPECT_EQ(number(metrics, "significant_bits"), 53);
    EXPECT_FALSE(metrics["log10_l2_relative"].defined());
  }
  EXPECT_EQ(number(compute_metrics(Field{1, 2, 4}, Field{1, 2, 4}), "one_minus_r"), 0);
}

TEST(Metrics, SayWhyTheyAreUndefined) {
  auto const zero = compute_metrics(Field{1, 2}, Field{0, 0});
  EXPECT_FALSE(zero["l2_relative"].defined());
  EXPECT_FALSE(zero["l2_relative"].failed());
  EXPECT_NE(zero["l2_relative"].reason().find("zero"), std::string::npos);
  EXPECT_FALSE(zero["significant_bits"].defined());
  EXPECT_EQ(number(zero, "rmse"), std::sqrt(2.5));
  EXPECT_EQ(number(zero, "fac2"), 0);

  auto const signs = compute_metrics(Field{1, 2}, Field{-1, -2});
  for (char const* name : {"nmse", "fb", "mg", "vg"}) {
    EXPECT_FALSE(signs[name].defined()) << name;
  }
  expect_close(number(signs, "r"), -1, 1e-15);

  // 0.1 summed and divided is not 0.1, but the field is constant all the same.
  auto const constant = compute_metrics(Field{1, 2, 3}, Field{0.1, 0.1, 0.1});
  EXPECT_FALSE(constant["r"].defined());
  EXPECT_FALSE(constant["one_minus_r"].defined());

  EXPECT_FALSE(compute_metrics(Field{}, Field{})["rmse"].defined());
  EXPECT_FALSE(compute_metrics(Field{nan}, Field{nan})["rmse"].defined());
  EXPECT_FALSE(compute_metrics(Field{1, 2}, Field{1, 3}, Field{0, 0})["rmse"].defined());
  EXPECT_FALSE(compute_metrics(Field{1}, Field{1})["no_such_metric"].defined());
}

TEST(Metrics, LeaveOutWhatIsMissingOnBothSides) {
  auto const metrics =
      compute_metrics(Field{1, nan, 3, nan, 5}, Field{2, nan, 3, nan, 4}, Field{1, nan, 2, -1, 3});
  auto const kept = compute_metrics(Field{1, 3, 5}, Field{2, 3, 4}, Field{1, 2, 3});
  EXPECT_EQ(metrics.points, 3);
  EXPECT_EQ(metrics.missing, 2);
  EXPECT_EQ(bits_of(metrics), bits_of(kept));
}

TEST(Metrics, FailRatherThanDropBrokenInput) {
  struct Broken {
    Field test, reference, weights;
    char const* says;
  };
  for (auto const& broken :
       {Broken{{1, nan}, {1, 2}, {}, "NaN only in the test at element 1"},
        Broken{{1, 2}, {nan, 2}, {}, "NaN only in the reference at element 0"},
        Broken{{1, infinity}, {1, infinity}, {}, "infinite"},
        Broken{{1, 2}, {1, -infinity}, {}, "infinite value in the reference"},
        Broken{{nan, 2}, {infinity, 2}, {}, "NaN only in the test"}, Broken{{1, 2}, {1}, {}, "sizes differ"},
        Broken{{1, 2}, {1, 2}, {1}, "weights"}, Broken{{1, 2}, {1, 2}, {1, -1}, "weight"},
        Broken{{1, 2}, {1, 2}, {nan, 1}, "weight"}, Broken{{1e308, 1}, {-1e308, 1}, {}, "range"}}) {
    auto const metrics = compute_metrics(broken.test, broken.reference, broken.weights);
    EXPECT_NE(metrics.failure.find(broken.says), std::string::npos) << metrics.failure;
    EXPECT_FALSE(metrics.equal());
    EXPECT_EQ(metrics.values.size(), compute_metrics(Field{1}, Field{1}).values.size());
    for (auto const& [name, value] : metrics.values) {
      EXPECT_TRUE(value.failed()) << name;
      EXPECT_EQ(value.reason(), metrics.failure);
    }
  }
}

TEST(Metrics, DoNotDependOnTheOrderOfPoints) {
  RandomValues random(21);
  for (int trial = 0; trial < 30; ++trial) {
    std::size_t const n = 1 + random.below(300);
    Field x(n), y(n), weights(n);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = trial % 2 == 0 ? random.ugly(-20, 20) : std::abs(random.ugly(-3, 3));
      x[i] = y[i] * random.between(0.4, 2.2);
      weights[i] = random.between(0, 1e10);
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t(0));
    random.shuffle(order);
    Field px, py, pw;
    for (auto const i : order) {
      px.push_back(x[i]);
      py.push_back(y[i]);
      pw.push_back(weights[i]);
    }
    EXPECT_EQ(bits_of(compute_metrics(x, y)), bits_of(compute_metrics(px, py)));
    EXPECT_EQ(bits_of(compute_metrics(x, y, weights)), bits_of(compute_metrics(px, py, pw)));
  }
}

TEST(Metrics, ScaleWithTheUnitsOfTheFieldsToTheEndsOfTheRange) {
  RandomValues random(22);
  auto const y = random.uniform(257, 0.5, 2);
  auto x = y;
  for (double& value : x) {
    value *= 1 + 1e-3 * random.between(-1, 1);
  }
  auto const base = compute_metrics(x, y);
  for (int const power : {-1000, -400, -3, 5, 600, 1020}) {
    auto const scaled_by = [power](Field field) {
      for (double& value : field) {
        value = std::ldexp(value, power);
      }
      return field;
    };
    auto const scaled = compute_metrics(scaled_by(x), scaled_by(y));
    for (char const* name :
         {"l2_relative", "nmse", "fb", "r", "one_minus_r", "fac2", "mg", "vg", "max_ulp"}) {
      expect_close(number(scaled, name), number(base, name), 1e-12);
    }
    for (char const* name : {"linf", "rmse", "mae", "bias"}) {
      expect_close(number(scaled, name), std::ldexp(number(base, name), power), 1e-12);
    }
  }
  // A weight's unit does not matter either.
  auto const weights = random.uniform(257, 1, 3);
  for (int const power : {-600, 600}) {
    auto other = weights;
    for (double& weight : other) {
      weight = std::ldexp(weight, power);
    }
    EXPECT_EQ(bits_of(compute_metrics(x, y, other)), bits_of(compute_metrics(x, y, weights)));
  }
}

TEST(Metrics, EqualWeightsAreNoWeights) {
  RandomValues random(23);
  auto const x = random.uniform(100, 1, 2), y = random.uniform(100, 1, 2);
  auto const plain = compute_metrics(x, y), weighted = compute_metrics(x, y, Field(100, 625e6));
  for (auto const& [name, value] : plain.values) {
    expect_close(number(weighted, name.c_str()), value.number(), 1e-14);
  }
}

TEST(Metrics, CorrelationOfAffineFieldsIsOne) {
  RandomValues random(24);
  for (double const offset : {0.0, 288.0, -1e6}) {
    auto const y = random.uniform(1000, 0, 1);
    Field x, opposed;
    for (double const value : y) {
      x.push_back(offset + 3 * value);
      opposed.push_back(offset - 0.25 * value);
    }
    auto const metrics = compute_metrics(x, y);
    // What is left is the rounding of x itself: (ulp(offset)/sd)^2.
    double const rounding = std::max(1.0, std::abs(offset)) * 0x1p-52;
    EXPECT_LE(number(metrics, "one_minus_r"), rounding * rounding);
    EXPECT_GE(number(metrics, "one_minus_r"), 0);
    EXPECT_EQ(number(metrics, "r"), 1);
    // 1 - r is 2 here, from squares of about a dozen roundings each: 24 * 2^-53.
    EXPECT_NEAR(number(compute_metrics(opposed, y), "r"), -1, 24 * 0x1p-53);
  }
}

/// Powers of two are exact and leave a correlation as it is, but for what rounds.
TEST(Metrics, CorrelationIsOfNoScaleToTheEndsOfTheRange) {
  RandomValues random(11);
  Field x(50), y(50);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = random.between(-1, 1);
    y[i] = 0.75 * x[i] + random.between(-0.1, 0.1);
  }
  auto const expected = number(compute_metrics(x, y), "one_minus_r");
  for (auto const& [up, down] : {std::pair{900, -900}, {-900, 900}, {1023, 1023}, {1023, 0}, {0, 1023}}) {
    auto a = x, b = y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      a[i] = std::ldexp(x[i], up);
      b[i] = std::ldexp(y[i], down);
    }
    expect_close(number(compute_metrics(a, b), "one_minus_r"), expected, 1e-13);
  }
}

TEST(Metrics, CorrelationLeavesOutPointsWithoutWeightHoweverLarge) {
  Field const x = {1, 2, 3, 5, 1e300}, y = {1, 2.5, 2.75, 4, -1e300}, weights = {1, 1, 1, 1, 0};
  // Of OfFourPointsAreTheRationalOnes.
  expect_close(number(compute_metrics(x, y, weights), "one_minus_r"), 0.038849895276745127, 1e-14);
  Field const small = {1e-20, 2e-20, 3e-20, 5e-20, 1e300}, other = {1e-20, 2.5e-20, 2.75e-20, 4e-20, -1e300};
  expect_close(number(compute_metrics(small, other, weights), "one_minus_r"), 0.038849895276745127, 1e-14);
}

TEST(Metrics, OneMinusRAgreesWith113Bits) {
  RandomValues random(25);
  for (double const noise : {1e-1, 1e-4, 1e-8, 1e-12, 1e-15}) {
    std::size_t const n = 500;
    Field x(n), y(n);
    float128 mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = random.between(270, 300);
      x[i] = y[i] * (1 + noise * random.between(-1, 1));
      mean_x += x[i];
      mean_y += y[i];
    }
    mean_x /= n;
    mean_y /= n;
    for (std::size_t i = 0; i < n; ++i) {
      float128 const a = x[i] - mean_x, b = y[i] - mean_y;
      xx += a * a;
      yy += b * b;
      xy += a * b;
    }
    // The wide value itself is good to about 1e-33.
    auto const expected = static_cast<double>(1 - xy / sqrt(xx * yy));
    EXPECT_NEAR(number(compute_metrics(x, y), "one_minus_r"), expected, 1e-13 * expected + 1e-32) << noise;
  }
}

TEST(Metrics, OneMinusRSeesRelativeNoiseAsTheoryDoes) {
  // Independent relative noise of variance e^2: 1 - R is e^2 mean(y^2) / (2 var y).
  RandomValues random(26);
  std::size_t const n = 200000;
  for (double const noise : {5e-4, 1e-7}) {
    auto const y = random.uniform(n, 1, 3);  // mean of squares 13/3, variance 1/3
    auto x = y;
    for (double& value : x) {
      value *= 1 + noise * std::sqrt(3.0) * random.between(-1, 1);  // variance noise^2
    }
    expect_close(number(compute_metrics(x, y), "one_minus_r"), noise * noise * 13 / 2, 0.02);
  }
}

TEST(Metrics, SumsAgreeWith113BitsWhereTermsCancel) {
  RandomValues random(27);
  Field x, y, weights;
  float128 bias = 0, total = 0, squares = 0, norm = 0;
  for (int i = 0; i < 4000; ++i) {
    double const large = random.ugly(20, 30);
    for (double const value : {large, -large * (1 + 1e-13 * random.uniform())}) {
      y.push_back(value);
      x.push_back(value * (1 + 1e-12 * random.between(-1, 1)));
      weights.push_back(random.between(0.9, 1.1));
      float128 const w = weights.back(), d = float128(x.back()) - y.back();
      bias += w * d;
      squares += w * d * d;
      norm += w * float128(value) * value;
      total += w;
    }
  }
  auto const metrics = compute_metrics(x, y, weights);
  expect_close(number(metrics, "bias"), static_cast<double>(bias / total), 1e-15);
  expect_close(number(metrics, "rmse"), static_cast<double>(sqrt(squares / total)), 4e-16);
  expect_close(number(metrics, "l2_relative"), static_cast<double>(sqrt(squares / norm)), 6e-16);
}

TEST(Metrics, Fac2CountsPairsWithinAFactorOfTwo) {
  EXPECT_EQ(number(compute_metrics(Field{1, 2, 4.1, 0.9, -1, -3}, Field{2, 1, 2, 2, -2, -1}), "fac2"),
            3.0 / 6);
  EXPECT_EQ(number(compute_metrics(Field{0, 1, 0, -0.0}, Field{0, 0, 1, 0}), "fac2"), 0.5);
  EXPECT_EQ(number(compute_metrics(Field{1, -1}, Field{-1, 1}), "fac2"), 0);
  double const least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(number(compute_metrics(Field{least, 3 * least, 1.7e308}, Field{2 * least, least, 1e308}), "fac2"),
            2.0 / 3);
  EXPECT_EQ(number(compute_metrics(Field{1, 5}, Field{1, 1}, Field{3, 1}), "fac2"), 0.75);
}

TEST(Metrics, UlpDistanceCountsNeighbours) {
  double const least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(ulp_distance(1, std::nextafter(1, 2)), 1u);
  EXPECT_EQ(ulp_distance(1, std::nextafter(1, 0)), 1u);
  EXPECT_EQ(ulp_distance(0.0, -0.0), 0u);
  EXPECT_EQ(ulp_distance(-least, least), 2u);
  EXPECT_EQ(ulp_distance(1, 2), 1ULL << 52);
  EXPECT_EQ(ulp_distance(-1, 1), 2 * ulp_distance(0, 1));
  EXPECT_EQ(ulp_distance(-infinity, infinity), 2 * ulp_distance(0, infinity));
  RandomValues random(28);
  for (int i = 0; i < 1000; ++i) {
    double const a = random.ugly(-1000, 1000), b = random.ugly(-1000, 1000);
    EXPECT_EQ(ulp_distance(a, b), ulp_distance(b, a));
    EXPECT_EQ(ulp_distance(a, b), ulp_distance(-a, -b));
  }
}

TEST(Metrics, UlpHistogramBinsByPowersOfTwo) {
  double const up = std::nextafter(1.0, 2.0) - 1;
  auto const metrics =
      compute_metrics(Field{1, 1 + up, 1 + 2 * up, 1 + 3 * up, 1 + 4 * up, -1}, Field{1, 1, 1, 1, 1, 1});
  EXPECT_EQ(metrics.ulp_histogram[0], 1);
  EXPECT_EQ(metrics.ulp_histogram[1], 1);
  EXPECT_EQ(metrics.ulp_histogram[2], 2);
  EXPECT_EQ(metrics.ulp_histogram[3], 1);
  EXPECT_EQ(metrics.ulp_histogram[63], 1);
  EXPECT_EQ(std::accumulate(metrics.ulp_histogram.begin(), metrics.ulp_histogram.end(), std::int64_t(0)), 6);
  EXPECT_FALSE(metrics.equal());
}

TEST(Metrics, AreListedOnceWithADirection) {
  auto const metrics = compute_metrics(Field{1, 2}, Field{1, 3});
  std::size_t position = 0;
  for (auto const& info : metric_list()) {
    EXPECT_EQ(find_metric(info.name), &info);
    if (position < metrics.values.size()) {
      EXPECT_EQ(metrics.values[position++].first, info.name);
    }
  }
  EXPECT_EQ(position, metrics.values.size());
  EXPECT_EQ(find_metric("r")->direction, Direction::higher);
  EXPECT_EQ(find_metric("bias")->direction, Direction::zero);
  EXPECT_EQ(find_metric("l2"), nullptr);
}

}  // namespace
}  // namespace ulpine::verification
