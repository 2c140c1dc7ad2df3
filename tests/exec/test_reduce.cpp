// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "core/exec/reduce.hpp"
#include "exec/exact_integers.hpp"
#include "exec/number_zoo.hpp"
#include "precision/quad.hpp"

namespace {

using namespace ulpine;
using exec_test::exact;
using exec_test::expect_nearest;
using exec_test::Integer;
using exec_test::number_zoo;

template <class T>
View<T const> view(std::vector<T> const& values) {
  return {values.data(), static_cast<std::int64_t>(values.size())};
}

template <class T>
class Sum : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Sum, Scalars);

TYPED_TEST(Sum, IsTheExactSumRoundedOnce) {
  for (auto const& [name, values] : number_zoo<TypeParam>()) {
    Integer expected = 0;
    for (auto const value : values) {
      expected += exact(value);
    }
    SCOPED_TRACE(name + ", " + std::to_string(values.size()));
    auto const sum = Reducer<Host>(Host{}).sum(view(values));
    expect_nearest(sum.to_double(), expected);
    expect_nearest(sum.to_float(), expected);
  }
}

TYPED_TEST(Sum, HasTheSameBitsForAnyOrderThreadsAndPartition) {
  std::mt19937_64 engine(11);
  for (auto& [name, values] : number_zoo<TypeParam>()) {
    SCOPED_TRACE(name + ", " + std::to_string(values.size()));
    auto const bits = to_bits(Reducer<Host>(Host{}).sum(view(values)).to_double());
    for (int const threads : {1, 2, 3, 8}) {
      auto shuffled = values;
      std::shuffle(shuffled.begin(), shuffled.end(), engine);
      EXPECT_EQ(to_bits(Reducer<Host>(Host{threads}).sum(view(shuffled)).to_double()), bits);
    }
    ExactSum merged;
    auto const size = static_cast<std::int64_t>(values.size());
    for (std::int64_t begin = 0; begin < size;) {
      auto const length =
          std::min<std::int64_t>(size - begin, std::uniform_int_distribution<std::int64_t>(0, 300)(engine));
      merged.merge(Reducer<Host>(Host{}).sum(View<TypeParam const>(values.data() + begin, length)));
      begin += length;
    }
    EXPECT_EQ(to_bits(merged.to_double()), bits);
  }
}

TYPED_TEST(Sum, AddsInfinitiesAndNaNsAsIeeeDoes) {
  auto const infinity = std::numeric_limits<TypeParam>::infinity(),
             nan = std::numeric_limits<TypeParam>::quiet_NaN();
  auto const sum = [](std::vector<TypeParam> const& values) {
    return Reducer<Host>(Host{}).sum(view(values)).to_double();
  };
  EXPECT_EQ(sum({1, infinity, 2}), infinity);
  EXPECT_EQ(sum({1, -infinity, -infinity}), -infinity);
  EXPECT_TRUE(std::isnan(sum({infinity, 1, -infinity})));
  EXPECT_TRUE(std::isnan(sum({1, nan})));
  EXPECT_TRUE(std::isnan(sum({-nan, infinity})));
  EXPECT_FALSE(std::signbit(sum({})));
  EXPECT_FALSE(std::signbit(sum({TypeParam(-0.), TypeParam(-0.)})));
}

TEST(SumOfDoubles, SurvivesOverflowOnTheWayAndOverflowsLikeRounding) {
  auto const most = std::numeric_limits<double>::max();
  auto const sum = [](std::vector<double> const& values) { return Reducer<Host>(Host{}).sum(view(values)); };
  EXPECT_EQ(sum({most, most, most, -most, -most}).to_double(), most);
  EXPECT_EQ(sum({most, most}).to_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum({-most, -most}).to_double(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum({most, 0x1p969}).to_double(), most);  // less than half a unit
  EXPECT_EQ(sum({most, 0x1p970}).to_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum({1e39}).to_float(), std::numeric_limits<float>::infinity());
}

TEST(SumOfDoubles, BreaksTiesToEvenAndRoundsOnce) {
  auto const sum = [](std::vector<double> const& values) { return Reducer<Host>(Host{}).sum(view(values)); };
  EXPECT_EQ(sum({1, 0x1p-53}).to_double(), 1);
  EXPECT_EQ(sum({1, 0x1p-53, 0x1p-1074}).to_double(), 1 + 0x1p-52);
  EXPECT_EQ(sum({1, 0x1p-53, -0x1p-1074}).to_double(), 1);
  EXPECT_EQ(sum({1 + 0x1p-52, 0x1p-53}).to_double(), 1 + 0x1p-51);
  EXPECT_EQ(sum({-1, -0x1p-53, -0x1p-1074}).to_double(), -1 - 0x1p-52);
  EXPECT_EQ(sum({1, 0x1p-24, 0x1p-60}).to_float(), 1 + 0x1p-23f);  // through double it would be a tie, and 1
  EXPECT_EQ(sum({0x1p-150, 0x1p-1000}).to_float(), 0x1p-149f);
  EXPECT_EQ(sum({0x1p-150}).to_float(), 0);
}

TEST(SumOfDoubles, LosesNothingInTheLastPlaceOfManyAdditions) {
  std::vector<double> values(1 << 20, 0.1);
  EXPECT_EQ(Reducer<Host>(Host{2}).sum(view(values)).to_double(), 0.1 * (1 << 20));
  values.push_back(1e300);
  values.push_back(0x1p-1074);
  values.push_back(-1e300);
  values.insert(values.end(), 1 << 20, -0.1);
  EXPECT_EQ(Reducer<Host>(Host{3}).sum(view(values)).to_double(), 0x1p-1074);
}

TYPED_TEST(Sum, OfProductsIsExactAndFreeOfOrder) {
  std::mt19937_64 engine(7);
  for (std::size_t const size : {0, 1, 3, 4, 5, 1001, 20011}) {
    auto x = exec_test::scattered<TypeParam>(size, 20, 1), y = exec_test::scattered<TypeParam>(size, 20, 2);
    for (std::size_t i = 0; i + 2 < size; i += 3) {  // cancels to the error of one product
      x[i + 1] = x[i];
      y[i + 1] = -y[i];
    }
    Integer expected = 0;
    for (std::size_t i = 0; i < size; ++i) {
      expected += exact(x[i]) * exact(y[i]) >> 2148;
    }
    auto const bits = to_bits(Reducer<Host>(Host{}).dot(view(x), view(y)).to_double());
    expect_nearest(from_bits(bits), expected);
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int const threads : {1, 2, 5}) {
      std::shuffle(order.begin(), order.end(), engine);
      std::vector<TypeParam> a, b;
      for (auto const i : order) {
        a.push_back(x[i]);
        b.push_back(y[i]);
      }
      EXPECT_EQ(to_bits(Reducer<Host>(Host{threads}).dot(view(a), view(b)).to_double()), bits);
    }
  }
}

TEST(Dot, MeetsInfinitiesAndOverflow) {
  auto const dot = [](std::vector<double> const& x, std::vector<double> const& y) {
    return Reducer<Host>(Host{}).dot(view(x), view(y)).to_double();
  };
  auto const infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(dot({1e200, 1}, {1e200, 1}), infinity);
  EXPECT_EQ(dot({-1e200}, {1e200}), -infinity);
  EXPECT_EQ(dot({infinity, 3}, {2, 3}), infinity);
  EXPECT_TRUE(std::isnan(dot({infinity}, {0})));
  EXPECT_TRUE(std::isnan(dot({1e200, -1e200}, {1e200, 1e200})));
  EXPECT_EQ(dot({1e150, 1e-150, 1e150}, {1e150, 1e-150, -1e150}), 1e-150 * 1e-150);
}

TYPED_TEST(Sum, ExtremesTellSignsOfZeroAndNaN) {
  using Limits = std::numeric_limits<TypeParam>;
  TypeParam const zero = 0;
  auto const max = [](std::vector<TypeParam> const& values) {
    return Reducer<Host>(Host{2}).max(view(values));
  };
  auto const min = [](std::vector<TypeParam> const& values) {
    return Reducer<Host>(Host{2}).min(view(values));
  };
  EXPECT_EQ(max({}), -Limits::infinity());
  EXPECT_EQ(min({}), Limits::infinity());
  EXPECT_EQ(max({3, -7, 5, 2}), 5);
  EXPECT_EQ(min({3, -7, 5, 2}), -7);
  EXPECT_EQ(max({-3, -7}), -3);
  EXPECT_EQ(min({Limits::denorm_min(), Limits::min()}), Limits::denorm_min());
  for (auto const& order : {std::vector{zero, -zero}, std::vector{-zero, zero}}) {
    EXPECT_FALSE(std::signbit(max(order)));
    EXPECT_TRUE(std::signbit(min(order)));
  }
  for (auto const nan : {Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(max({1, nan, Limits::infinity()})));
    EXPECT_TRUE(std::isnan(min({nan, 1, -Limits::infinity()})));
  }
  EXPECT_EQ(max({-Limits::infinity(), Limits::infinity()}), Limits::infinity());
  EXPECT_EQ(min({Limits::infinity(), -Limits::infinity()}), -Limits::infinity());
}

TYPED_TEST(Sum, ExtremesAgreeWithTheStandardLibrary) {
  for (std::size_t const size : {1, 2, 100, 10007}) {
    auto const values = exec_test::scattered<TypeParam>(size, 60, 5);
    for (int const threads : {1, 3}) {
      EXPECT_EQ(Reducer<Host>(Host{threads}).max(view(values)),
                *std::max_element(values.begin(), values.end()));
      EXPECT_EQ(Reducer<Host>(Host{threads}).min(view(values)),
                *std::min_element(values.begin(), values.end()));
    }
  }
}

TEST(PairwiseSum, AgreesWithTheExactSumInTheWideType) {
  auto const values = exec_test::scattered<double>(5003, 10, 3);
  std::vector<float128> const wide(values.begin(), values.end());
  EXPECT_EQ(static_cast<double>(pairwise_sum(view(wide))),
            Reducer<Host>(Host{}).sum(view(values)).to_double());
  EXPECT_EQ(pairwise_sum(View<float128 const>()), 0);
}

}  // namespace
