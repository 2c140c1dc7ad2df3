// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fft/naive.hpp"
// The arithmetic of 113 bits comes first.
#include "core/fft/roots.hpp"

namespace {

using namespace fft_test;
using fft::root;

TEST(Roots, AreThoseOfTheLibrary) {
  for (std::int32_t const n : {1, 2, 3, 5, 8, 24, 97, 1000, 4096}) {
    auto const w = circle(n);
    for (std::int32_t k = 0; k < n; ++k) {
      // The library's angle is off by two units of at most 2 pi, ours by less.
      EXPECT_LE(math::abs(root(k, n).re - w[std::size_t(k)].real()), float128(0x1p-109)) << k << " of " << n;
      EXPECT_LE(math::abs(root(k, n).im - w[std::size_t(k)].imag()), float128(0x1p-109)) << k << " of " << n;
    }
  }
}

TEST(Roots, AreSymmetricToTheLastBit) {
  for (std::int64_t const n : {4, 8, 12, 20, 28, 360, 1024}) {
    for (std::int64_t k = 0; k < n; ++k) {
      auto const w = root(k, n), mirrored = root(n - k, n), opposite = root(k + n / 2, n),
                 quarter = root(k + n / 4, n);
      EXPECT_TRUE(mirrored.re == w.re && mirrored.im == -w.im) << k << " of " << n;
      EXPECT_TRUE(opposite.re == -w.re && opposite.im == -w.im) << k << " of " << n;
      EXPECT_TRUE(quarter.re == w.im && quarter.im == -w.re) << k << " of " << n;
    }
    EXPECT_TRUE(root(n / 4, n).re == 0 && root(n / 4, n).im == -1) << n;
  }
  EXPECT_TRUE(root(1, 8).re == -root(1, 8).im);
}

/// By the sum that defines it.
TEST(Roots, OfAFilterAreTheChirpsTransform) {
  for (std::int32_t const n : {1, 2, 11, 13}) {
    std::int32_t const length = n == 1 ? 1 : n == 2 ? 4 : 32;
    std::vector<Number> chirps(std::size_t(length), Number(0));
    for (std::int32_t j = 1 - n; j < n; ++j) {
      auto const w = circle(2 * n)[std::size_t(j * j % (2 * n))];
      chirps[std::size_t((j + length) % length)] = Number(w.real(), -w.imag());
    }
    auto const expected = naive(chirps, chirps.size());
    auto const filter = fft::chirp_filter(n, length);
    ASSERT_EQ(filter.size(), expected.size());
    for (std::size_t k = 0; k < filter.size(); ++k) {
      // Sums of at most 32 numbers of size 1.
      EXPECT_LE(math::abs(filter[k].re * length - expected[k].real()), float128(0x1p-103)) << n << ": " << k;
      EXPECT_LE(math::abs(filter[k].im * length - expected[k].imag()), float128(0x1p-103)) << n << ": " << k;
    }
  }
}

}  // namespace
