// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "fft/naive.hpp"

namespace {

using namespace fft_test;

template <class T>
double const unit = 0;
template <>
double const unit<float> = 0x1p-24;
template <>
double const unit<double> = 0x1p-53;
template <>
double const unit<float128> = 0x1p-113;

bool smooth(std::int32_t n) {
  for (std::int32_t const prime : {2, 3, 5, 7}) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}

/// The error of a product with a rounded factor, in 2-norm: half a unit of each part of the factor, and
/// Higham (2002), lemma 3.5: sqrt(2) gamma_2.
double const product_error = 1 + 2 * std::numbers::sqrt2;

/// Higham (2002), theorem 24.2, generalised: a pass of radix R adds to the relative error that of a product
/// and sqrt(R) gamma_d, where d is the depth of the butterfly's sums (2: 1, 3: 4, 4: 2, 5: 6, 7: 7, 8: 4).
/// All are below 8 log2(R) units, so that the sum over passes is below 8 log2(n).
double of_passes(double n) { return 8 * std::log2(n); }

/// Bluestein: two transforms of length m and three products, enlarged by the largest factor of the filter
/// over the sqrt(n) that the transform itself enlarges by.
double of_bluestein(std::int32_t n) {
  auto const m = std::int32_t(std::bit_ceil(2 * std::uint32_t(n) - 1));
  double largest = 0;
  for (std::int32_t k = 0; k < m; ++k) {
    std::complex<double> sum = 0;
    for (std::int32_t j = 1 - n; j < n; ++j) {
      sum += std::polar(1.0, std::numbers::pi * (double(j) * j / n - 2.0 * j * k / m));
    }
    largest = std::max(largest, std::abs(sum));
  }
  return largest / std::sqrt(n) * (2 * of_passes(m) + 3 * product_error);
}

/// Of a complex line, in unit roundoffs.
double line_error(std::int32_t n) { return smooth(n) ? of_passes(n) : of_bluestein(n); }
double row_error(std::int32_t nx) { return nx % 2 == 0 ? line_error(nx / 2) + of_passes(2) : line_error(nx); }

/// Relative in the 2-norm of the whole spectrum, whose other half is the conjugate of this one.
template <class T>
double distance(Shape shape, std::vector<T> const& y, std::vector<Number> const& expected) {
  float128 error = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    auto const kx = std::int32_t(i % std::size_t(shape.pairs()));
    float128 const weight = kx == 0 || 2 * kx == shape.nx ? 1 : 2;
    Number const difference = Number(float128(y[2 * i]), float128(y[2 * i + 1])) - expected[i];
    error += weight * std::norm(difference);
    norm += weight * std::norm(expected[i]);
  }
  return double(math::sqrt(error / norm));
}

template <class T>
void expect_accurate(Shape shape, std::vector<Number> const& expected, std::uint64_t seed) {
  // Growth of the bound itself, 1 / (1 - bound), is less than a hundredth.
  auto const bound = 1.01 * unit<T> * (row_error(shape.nx) + line_error(shape.ny));
  auto const x = random_planes<T>(shape, seed);
  auto const y = forward(Host{1}, shape, x);
  EXPECT_LE(distance(shape, y, expected), bound)
      << shape.ny << " x " << shape.nx << ", " << sizeof(T) << " bytes";
  // Back again: the same bound once more, relative to the input.
  auto const back = inverse(Host{1}, shape, y);
  float128 error = 0, norm = 0;
  for (std::int32_t j = 0; j < shape.ny; ++j) {
    for (std::int32_t i = 0; i < shape.nx; ++i) {
      auto const at = shape.at(0, j, i);
      float128 const difference = float128(back[at]) / (float128(shape.nx) * shape.ny) - float128(x[at]);
      error += difference * difference;
      norm += float128(x[at]) * float128(x[at]);
    }
  }
  EXPECT_LE(double(math::sqrt(error / norm)), 2 * bound) << shape.ny << " x " << shape.nx << ", back";
}

void expect_accurate(Shape shape) {
  auto const seed = std::uint64_t(shape.nx) * 4099 + std::uint64_t(shape.ny);
  auto const expected = naive_plane(shape, random_planes<float>(shape, seed));
  expect_accurate<float>(shape, expected, seed);
  expect_accurate<double>(shape, expected, seed);
  if (shape.nx <= 256 && shape.ny <= 256) expect_accurate<float128>(shape, expected, seed);
}

TEST(PortableTransform, OfARowIsThatOfTheDefinition) {
  for (auto const n : sizes()) expect_accurate({1, 1, n});
}

TEST(PortableTransform, OfAColumnIsThatOfTheDefinition) {
  for (auto const n : sizes()) expect_accurate({1, n, 3});
}

TEST(PortableTransform, OfAPlaneIsThatOfTheDefinition) {
  for (auto const& shape :
       {Shape{1, 7, 10}, {1, 16, 9}, {1, 11, 26}, {1, 13, 13}, {1, 30, 28}, {1, 33, 34}}) {
    expect_accurate(shape);
  }
}

/// FFTW's own error is of the order of ours.
TEST(PortableTransform, IsThatOfFftw) {
  for (auto const& shape : {Shape{3, 128, 128}, {2, 243, 250}, {2, 77, 169}, {2, 360, 343}, {1, 512, 256}}) {
    auto const bound = 2 * 1.01 * unit<double> * (row_error(shape.nx) + line_error(shape.ny));
    auto const x = random_planes<double>(shape, 5);
    auto const ours = forward(Host{2}, shape, x);
    auto theirs = x;
    make_vendor_transform<double>(Host{1}, shape.planes, shape.ny, shape.nx)->forward(theirs.data());
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      error += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
      norm += theirs[i] * theirs[i];
    }
    // Twice for the weights that this norm leaves out.
    EXPECT_LE(std::sqrt(error / norm), 2 * bound) << shape.ny << " x " << shape.nx;
    auto const back = inverse(Host{2}, shape, theirs);
    make_vendor_transform<double>(Host{1}, shape.planes, shape.ny, shape.nx)->inverse(theirs.data());
    error = norm = 0;
    for (std::int32_t k = 0; k < shape.planes; ++k) {
      for (std::int32_t y = 0; y < shape.ny; ++y) {
        for (std::int32_t i = 0; i < shape.nx; ++i) {
          auto const at = shape.at(k, y, i);
          error += (back[at] - theirs[at]) * (back[at] - theirs[at]);
          norm += theirs[at] * theirs[at];
        }
      }
    }
    EXPECT_LE(std::sqrt(error / norm), 2 * bound) << shape.ny << " x " << shape.nx << ", back";
  }
}

}  // namespace
