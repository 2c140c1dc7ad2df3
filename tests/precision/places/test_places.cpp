// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "precision/places/loops.hpp"

namespace {

using namespace ulpine::precision;

/// Pairs of special values, of ordinary ones and of all exponents; a number that leaves a rest of any vector.
template <class T>
struct Arguments {
  std::vector<T> x, y;

  Arguments() {
    using limits = std::numeric_limits<T>;
    T const special[] = {T(0),
                         -T(0),
                         limits::infinity(),
                         -limits::infinity(),
                         limits::quiet_NaN(),
                         limits::min(),
                         limits::max(),
                         limits::denorm_min(),
                         -limits::max(),
                         T(1),
                         T(-1),
                         T(0.5),
                         T(-2.5),
                         T(-0.5)};
    for (auto const a : special) {
      for (auto const b : special) add(a, b);
    }
    std::mt19937_64 random{20260101};
    std::uniform_real_distribution<T> ordinary{T(0), T(100)}, exponent{T(-4), T(4)}, sign{T(-1), T(1)};
    std::uniform_int_distribution<int> power{limits::min_exponent, limits::max_exponent - 1};
    for (int i = 0; i < 20000; ++i) add(ordinary(random), exponent(random));
    for (int i = 0; i < 2001; ++i)
      add(std::ldexp(sign(random), power(random)), std::ldexp(sign(random), power(random)));
    while (x.size() % 8 != 5) add(T(2), T(3));
  }
  void add(T a, T b) {
    x.push_back(a);
    y.push_back(b);
  }
};

/// Every value of the loop over all arguments is that of the loop over its own argument alone, any NaN for
/// any NaN.
template <class T>
void expect_no_place_to_count(char const* name, Loop<T> loop) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static Arguments<T> const arguments;
  auto const& [x, y] = arguments;
  std::vector<T> together(x.size());
  loop(x.data(), y.data(), together.data(), static_cast<int>(x.size()));
  std::size_t differ = 0, first = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    T alone;
    loop(&x[i], &y[i], &alone, 1);
    if (std::isnan(alone) && std::isnan(together[i])) continue;
    if (std::bit_cast<Bits>(alone) == std::bit_cast<Bits>(together[i])) continue;
    if (differ++ == 0) first = i;
  }
  T alone;
  loop(&x[first], &y[first], &alone, 1);
  EXPECT_EQ(differ, 0u) << name << " of " << sizeof(T) << " bytes: a = " << x[first] << ", b = " << y[first]
                        << " give " << together[first] << " in a loop and " << alone << " alone";
}

TEST(FlagsOfModels, LeaveTheCLibrarysFunctionsTheSameValueInEveryPlaceOfALoop) {
  ASSERT_GT(formulas().size(), 50u);
  for (auto const& formula : formulas()) {
    expect_no_place_to_count(formula.name, formula.in_double);
    expect_no_place_to_count(formula.name, formula.in_double_blocks);
    expect_no_place_to_count(formula.name, formula.in_float);
    expect_no_place_to_count(formula.name, formula.in_float_blocks);
  }
}

}  // namespace
