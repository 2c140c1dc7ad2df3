// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "core/exec/block_window.hpp"
#include "precision/exact_sum.hpp"

namespace {

using ulpine::ExactSum;
using ulpine::detail::BlockWindow;

/// Numbers of both signs whose highest bits lie between 2^least and 2^most.
std::vector<double> numbers(int count, int least, int most, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> exponent(least, most);
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::vector<double> values;
  for (int n = 0; n < count; ++n) {
    values.push_back(
        std::ldexp((random() & 1) != 0 ? -mantissa(random) : mantissa(random), exponent(random)));
  }
  return values;
}

/// Adds the numbers to a window that was opened for `exponent` and takes what is in it, and what it gave
/// back, from their exact sum: nothing is to be left. Returns how many numbers it gave something back of.
template <int parts>
int take_apart(std::vector<double> const& values, int exponent) {
  BlockWindow<parts> window;
  window.open(exponent);
  ExactSum left;
  int given_back = 0;
  for (double const x : values) {
    left.add(x);
    auto const rest = window.add(x);
    left.add(-rest);
    if (rest != 0) ++given_back;
  }
  for (int n = 0; n < parts; ++n) {
    auto const part = window.part(n);
    EXPECT_LE(std::abs(part), std::int64_t{1} << 47) << n;
    EXPECT_GE(window.bit(n), 0) << n;
    left.add(-std::ldexp(static_cast<double>(part), window.bit(n) - 1074));
  }
  EXPECT_EQ(left.to_double(), 0) << "numbers below 2^" << exponent + 1;
  return given_back;
}

TEST(BlockWindow, NothingIsLost) {
  for (int const most : {-1000, -300, 0, 40, 959}) {
    for (int const spread : {0, 10, 60, 400}) {
      auto const least = std::max(most - spread, -1022);
      auto const values = numbers(BlockWindow<3>::most_held, least, most, 7);
      take_apart<3>(values, most);
      take_apart<4>(values, most);
    }
  }
}

TEST(BlockWindow, AProductAndItsErrorAreHeld) {
  for (int const most : {-500, 0, 500}) {
    // Of 106 bits with the error of a product, and 50 binary orders of products.
    auto values = numbers(64, most - 50, most, 11);
    auto const errors = numbers(64, most - 105, most - 53, 13);
    for (double const error : errors)
      values.push_back(std::ldexp(std::round(std::ldexp(error, 110 - most)), most - 110));
    EXPECT_EQ(take_apart<4>(values, most), 0);
  }
}

TEST(BlockWindow, LaterNumbersMayBeLargerByItsMargin) {
  using Window = BlockWindow<4>;
  Window window;
  window.open(5);
  EXPECT_EQ(window.last(), 5 + Window::margin);
  // As many as it holds of the largest that it takes, of one sign: sums are the largest there are.
  std::vector<double> const values(Window::most_held,
                                   std::nextafter(std::ldexp(1.0, window.last() + 1), 0.0));
  EXPECT_EQ(take_apart<4>(values, 5), 0);
}

TEST(BlockWindow, TheSmallestNumbersAreMultiplesOfItsLastUnit) {
  std::vector<double> values = numbers(100, -1074, -1000, 3);
  values.push_back(std::numeric_limits<double>::denorm_min());
  values.push_back(-std::numeric_limits<double>::min());
  EXPECT_EQ(take_apart<3>(values, -1000), 0);
  EXPECT_EQ(take_apart<4>(values, -1000), 0);
  EXPECT_EQ(take_apart<4>({std::numeric_limits<double>::denorm_min()}, -1023), 0);
}

TEST(BlockWindow, WhatIsBelowItsLastUnitComesBack) {
  BlockWindow<3> window;
  window.open(0);
  EXPECT_EQ(window.add(0x1p-300), 0x1p-300);
  EXPECT_EQ(window.add(-0x1.8p-1), 0);
  auto const unit = std::ldexp(1.0, window.bit(2) - 1074);
  EXPECT_EQ(window.add(3 * unit), 0);
  EXPECT_EQ(std::abs(window.add(unit / 2)), unit / 2);
}

}  // namespace
