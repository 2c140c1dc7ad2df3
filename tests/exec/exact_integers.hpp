// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

/// Sums in whole numbers, to hold the exact sums against.
namespace exec_test {

using Integer = boost::multiprecision::cpp_int;

/// x as a multiple of 2^-2148, the unit of products of doubles.
inline Integer exact(double x) {
  int exponent = 0;
  auto const mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  return x == 0                      ? Integer(0)
         : exponent - 53 + 2148 >= 0 ? Integer(mantissa) << (exponent - 53 + 2148)
                                     : Integer(mantissa) >> (53 - exponent - 2148);
}

/// Whether `result` is the number of its type nearest to `sum`, ties to even, or the infinity that IEEE 754
/// rounds it to; decided by whole numbers alone.
template <class T>
void expect_nearest(T result, Integer const& sum) {
  using Limits = std::numeric_limits<T>;
  Integer const most = exact(Limits::max());
  if (abs(sum) >= most + (most - exact(std::nextafter(Limits::max(), T(0)))) / 2) {
    EXPECT_EQ(result, sum < 0 ? -Limits::infinity() : Limits::infinity());
    return;
  }
  ASSERT_TRUE(std::isfinite(result));
  Integer const error = abs(sum - exact(result));
  for (T const neighbour :
       {std::nextafter(result, -Limits::infinity()), std::nextafter(result, Limits::infinity())}) {
    if (std::isfinite(neighbour)) {
      Integer const other = abs(sum - exact(neighbour));
      EXPECT_LE(error, other);
      if (error == other) {
        int exponent;
        auto const last_place = std::ldexp(std::frexp(result, &exponent), Limits::digits);
        EXPECT_EQ(std::fmod(last_place, T(2)), 0) << "tie not to even";
      }
    }
  }
}

}  // namespace exec_test
