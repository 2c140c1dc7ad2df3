// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "fft/transforms.hpp"
#include "support/strict.hpp"
// The arithmetic of these types comes first.
#include "core/fft/line_plan.hpp"
#include "core/fft/portable_host.hpp"

namespace {

using namespace fft_test;

template <class Format>
double const unit = 0;  // half the spacing of numbers at 1, over 1
template <>
double const unit<Tf32> = 0x1p-11;
template <>
double const unit<Bfloat16> = 0x1p-8;
template <>
double const unit<Binary16> = 0x1p-11;

template <class Format>
class RoundedProducts : public testing::Test {};
using Formats = testing::Types<Tf32, Bfloat16, Binary16>;
TYPED_TEST_SUITE(RoundedProducts, Formats);

struct Pair {
  float re, im;
};

/// The product of a rounded factor and a rounded number, each sum in float.
template <class Format>
Pair times(std::complex<double> factor, Pair x) {
  auto const c = Format::round(float(factor.real())), s = Format::round(float(factor.imag()));
  auto const re = Format::round(x.re), im = Format::round(x.im);
  return {std::fma(c, re, -(s * im)), std::fma(c, im, s * re)};
}

Pair add(Pair a, Pair b) { return {a.re + b.re, a.im + b.im}; }
Pair subtract(Pair a, Pair b) { return {a.re - b.re, a.im - b.im}; }
/// By -i.
Pair turned(Pair a) { return {a.im, -a.re}; }

/// By the definition of decimation in time, with halves, quarters and eighths as the butterflies have them.
template <class Format>
std::vector<Pair> plain(std::vector<Pair> const& x, std::vector<int> radices) {
  auto const n = x.size();
  if (radices.empty()) return x;
  auto const radix = std::size_t(radices.back());
  radices.pop_back();
  auto const part = n / radix;
  std::vector<std::vector<Pair>> parts;
  for (std::size_t r = 0; r < radix; ++r) {
    std::vector<Pair> each;
    for (std::size_t j = 0; j < part; ++j) each.push_back(x[j * radix + r]);
    parts.push_back(plain<Format>(each, radices));
    for (std::size_t p = 0; p < part && r > 0 && part > 1; ++p) {
      auto& value = parts[r][p];
      value = times<Format>(std::polar(1.0, -2 * std::numbers::pi * double(p * r) / double(n)), value);
    }
  }
  std::vector<Pair> y(n);
  auto const four = [](Pair(&v)[4]) {
    auto const a = add(v[0], v[2]), b = subtract(v[0], v[2]), c = add(v[1], v[3]),
               d = turned(subtract(v[1], v[3]));
    v[0] = add(a, c), v[1] = add(b, d), v[2] = subtract(a, c), v[3] = subtract(b, d);
  };
  for (std::size_t p = 0; p < part; ++p) {
    if (radix == 4) {
      Pair v[4] = {parts[0][p], parts[1][p], parts[2][p], parts[3][p]};
      four(v);
      for (std::size_t r = 0; r < 4; ++r) y[p + r * part] = v[r];
    } else {
      Pair even[4], odd[4];
      for (std::size_t r = 0; r < 4; ++r) even[r] = parts[2 * r][p], odd[r] = parts[2 * r + 1][p];
      four(even);
      four(odd);
      float const s = Format::round(float(std::numbers::sqrt2 / 2));
      auto const o1 = odd[1], o2 = turned(odd[2]), o3 = odd[3];
      Pair const q1{Format::round(o1.re + o1.im), Format::round(o1.im - o1.re)};
      Pair const q3{Format::round(o3.im - o3.re), Format::round(-(o3.re + o3.im))};
      auto const scaled = [](float c, Pair q, Pair e) {
        return Pair{std::fma(c, q.re, e.re), std::fma(c, q.im, e.im)};
      };
      y[p] = add(even[0], odd[0]);
      y[p + 4 * part] = subtract(even[0], odd[0]);
      y[p + part] = scaled(s, q1, even[1]);
      y[p + 5 * part] = scaled(-s, q1, even[1]);
      y[p + 2 * part] = add(even[2], o2);
      y[p + 6 * part] = subtract(even[2], o2);
      y[p + 3 * part] = scaled(s, q3, even[3]);
      y[p + 7 * part] = scaled(-s, q3, even[3]);
    }
  }
  return y;
}

/// Of a complex line.
template <class Format>
std::vector<Pair> passes(std::vector<Pair> const& x) {
  fft::LinePlan<float, Format> const plan(fft::LineKind::complex, std::int32_t(x.size()));
  auto const program = plan.program(fft::Direction::forward, plan.table().data());
  constexpr auto width = fft::LaneBuffer<float>::width;
  std::vector<float> values(x.size() * width * 6);
  fft::LaneBuffer<float> buffers[3];
  for (std::size_t i = 0; i < 3; ++i) {
    buffers[i] = {values.data() + 2 * i * x.size() * width, values.data() + (2 * i + 1) * x.size() * width};
  }
  constexpr std::size_t lane = 3;
  for (std::size_t j = 0; j < x.size(); ++j) {
    buffers[0].re[j * width + lane] = x[j].re;
    buffers[0].im[j * width + lane] = x[j].im;
  }
  fft::run_lanes<fft::Products<float, Format>>(program, buffers);
  std::vector<Pair> y;
  for (std::size_t j = 0; j < x.size(); ++j) {
    y.push_back({buffers[0].re[j * width + lane], buffers[0].im[j * width + lane]});
  }
  return y;
}

std::vector<Pair> random_line(std::size_t n) {
  test::RandomValues random(n);
  std::vector<Pair> x;
  for (std::size_t j = 0; j < n; ++j) x.push_back({float(random.normal()), float(random.normal())});
  return x;
}

TYPED_TEST(RoundedProducts, HaveTheBitsOfAPlainEmulation) {
  for (auto const& radices : {std::vector<int>{4}, {8}, {4, 4}, {8, 4}, {8, 8}, {8, 4, 4}, {8, 8, 8}}) {
    std::size_t n = 1;
    for (int const radix : radices) n *= std::size_t(radix);
    auto const x = random_line(n);
    auto const expected = plain<TypeParam>(x, radices), result = passes<TypeParam>(x);
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_EQ(result[k].re, expected[k].re) << n << ": " << k;
      EXPECT_EQ(result[k].im, expected[k].im) << n << ": " << k;
    }
  }
}

/// An odd prime: the operands are sums and differences of pairs, rounded; the rest is as good as float.
TYPED_TEST(RoundedProducts, RoundTheOperandsOfOddRadices) {
  for (std::size_t const n : {3, 5, 7}) {
    auto const x = random_line(n);
    auto const result = passes<TypeParam>(x);
    for (std::size_t k = 1; k < n; ++k) {
      std::complex<double> expected(x[0].re, x[0].im);
      for (std::size_t j = 1; 2 * j < n; ++j) {
        auto const angle = 2 * std::numbers::pi * double(j * k % n) / double(n);
        double const c = TypeParam::round(float(std::cos(angle))),
                     s = TypeParam::round(float(std::sin(angle)));
        auto const sum = add(x[j], x[n - j]), difference = subtract(x[j], x[n - j]);
        expected += c * std::complex<double>(TypeParam::round(sum.re), TypeParam::round(sum.im));
        expected +=
            s * std::complex<double>(TypeParam::round(difference.im), -TypeParam::round(difference.re));
      }
      // At most ten operations on numbers below 16.
      EXPECT_NEAR(result[k].re, expected.real(), 10 * 16 * 0x1p-24) << n << ": " << k;
      EXPECT_NEAR(result[k].im, expected.imag(), 10 * 16 * 0x1p-24) << n << ": " << k;
    }
  }
}

/// Rows of 4: two numbers Z, and X(1) = Re Z(1) - i Im Z(1) with a product by -i, whose operand is rounded.
TYPED_TEST(RoundedProducts, RoundTheOperandsOfTheSplit) {
  std::vector<float> const x{0.3f, 1.7f, -0.2f, 0.9f, 0, 0};
  auto const y = forward<float, TypeParam>(Host{1}, {1, 1, 4}, x);
  float const sum = (x[0] + x[2]) + 0, odd = x[1] + x[3];
  EXPECT_EQ(y[0], 0.5f * (2 * sum + TypeParam::round(2 * odd)));
  EXPECT_EQ(y[2], x[0] - x[2]);
  EXPECT_EQ(y[3], -0.5f * TypeParam::round(2 * (x[1] - x[3])));
  auto const back = inverse<float, TypeParam>(Host{1}, {1, 1, 4}, {1.1f, 0, 0.7f, -0.3f, 2.3f, 0});
  // Z(0) = (X0 + X2) + i (X0 - X2), Z(1) = 2 Re X1 + i (-2 Im X1).
  float const zero_re = 1.1f + 2.3f, zero_im = TypeParam::round(1.1f - 2.3f);
  float const one_re = 0.7f + 0.7f, one_im = TypeParam::round(-0.3f - 0.3f);
  EXPECT_EQ(back[0], zero_re + one_re);
  EXPECT_EQ(back[1], zero_im - one_im);
  EXPECT_EQ(back[2], zero_re - one_re);
  EXPECT_EQ(back[3], zero_im + one_im);
}

/// Between a tenth and ten roundoffs of the format for each doubling of the size, in the 2-norm.
TYPED_TEST(RoundedProducts, CostTheFormatsRoundoff) {
  for (auto const& shape : {Shape{1, 1, 64}, {1, 64, 1}, {1, 48, 60}, {1, 49, 45}, {1, 26, 22}, {1, 1, 34}}) {
    auto const x = random_planes<float>(shape, 43);
    auto const exact = forward<double>(Host{1}, shape, random_planes<double>(shape, 43));
    auto const result = forward<float, TypeParam>(Host{1}, shape, x);
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      error += std::pow(double(result[i]) - exact[i], 2);
      norm += std::pow(exact[i], 2);
    }
    auto const relative = std::sqrt(error / norm);
    EXPECT_GT(relative, 0.1 * unit<TypeParam>) << shape.ny << " x " << shape.nx;
    EXPECT_LT(relative, 10 * unit<TypeParam> * std::log2(shape.nx * shape.ny))
        << shape.ny << " x " << shape.nx;
  }
}

/// Compiles only without a double among the floats.
TEST(LineProgram, ComputesInItsTypeAlone) {
  using Strict = StrictFloat;
  fft::LineProgram<Strict> program;
  fft::LaneBuffer<Strict> const buffers[3];
  fft::run_lanes<fft::Products<Strict, Exact>>(program, buffers);
  EXPECT_EQ(program.count, 0);
}

}  // namespace
