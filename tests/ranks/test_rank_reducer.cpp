// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/exec/reduce_emulated.hpp"
#include "core/ranks/rank_reducer.hpp"
#include "precision/bits.hpp"
#include "precision/quad.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;

template <class T>
View<T const> view(std::vector<T> const& values) {
  return {values.data(), static_cast<std::int64_t>(values.size())};
}

/// Numbers of all sizes that cancel, zeros of both signs and subnormal ones.
template <class T>
std::vector<T> ugly(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  auto const most = std::numeric_limits<T>::max_exponent / 2 - 12;
  std::uniform_int_distribution<int> exponent(-most, most), kind(0, 9);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::vector<T> values;
  while (values.size() < count) {
    auto const value = static_cast<T>(std::ldexp(mantissa(random), exponent(random)));
    switch (kind(random)) {
      case 0:
        values.push_back(T(-0.0));
        break;
      case 1:
        values.push_back(T(0));
        break;
      case 2:
        values.push_back(std::numeric_limits<T>::denorm_min());
        break;
      case 3:
        values.push_back(values.empty() ? value : -values.back());
        break;
      default:
        values.push_back(value);
    }
  }
  return values;
}

template <class T>
struct Results {
  T sum, dot, max, min;
};

/// sum, dot, max and min of what lies from `begin` to `end`.
template <class T, class Reduce>
Results<T> reduce(Reduce& reducer, std::vector<T> const& x, std::vector<T> const& y, std::size_t begin,
                  std::size_t end) {
  auto const part = [&](std::vector<T> const& all) {
    return View<T const>{all.data() + begin, static_cast<std::int64_t>(end - begin)};
  };
  Scalar<T, Host> sum(Host{}), dot(Host{}), max(Host{}), min(Host{});
  reducer.sum_to(part(x), sum);
  reducer.dot_to(part(x), part(y), dot);
  reducer.max_to(part(x), max);
  reducer.min_to(part(x), min);
  return {sum.value(), dot.value(), max.value(), min.value()};
}

/// Where the parts of `ranks` of so many values begin and end; some have none.
std::vector<std::size_t> ends_of_parts(int ranks, std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> ends(static_cast<std::size_t>(ranks) - 1);
  for (auto& end : ends) end = random() % (count + 1);
  std::ranges::sort(ends);
  ends.insert(ends.begin(), 0);
  ends.push_back(count);
  return ends;
}

/// Every rank gets what one has.
template <class T>
void expect_the_bits_of_one(std::vector<T> const& x, int ranks, std::uint64_t seed) {
  auto y = x;
  std::mt19937_64 random(seed);
  std::shuffle(y.begin(), y.end(), random);
  Reducer<Host> alone(Host{});
  auto const expected = reduce<T>(alone, x, y, 0, x.size());
  auto const ends = ends_of_parts(ranks, x.size(), random);
  on_thread_ranks(ranks, [&](std::shared_ptr<Ranks> const& team) {
    Link<Host> link(Host{}, team);
    RankReducer<Host> reducer(Host{}, link);
    auto const rank = static_cast<std::size_t>(team->rank());
    // Twice: nothing is left of the first.
    for (int time = 0; time < 2; ++time) {
      auto const found = reduce<T>(reducer, x, y, ends[rank], ends[rank + 1]);
      EXPECT_EQ(to_bits(found.sum), to_bits(expected.sum));
      EXPECT_EQ(to_bits(found.dot), to_bits(expected.dot));
      EXPECT_EQ(to_bits(found.max), to_bits(expected.max));
      EXPECT_EQ(to_bits(found.min), to_bits(expected.min));
    }
  });
}

template <class T>
class RankReducerOf : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(RankReducerOf, Types);

TYPED_TEST(RankReducerOf, HasTheBitsOfOneRank) {
  using T = TypeParam;
  for (int const ranks : {1, 2, 3, 8}) {
    for (std::size_t const count : {0u, 1u, 2u, 7u, 1000u}) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, " << count << " values");
      expect_the_bits_of_one(ugly<T>(count + static_cast<std::size_t>(ranks), count), ranks, count);
    }
  }
}
TYPED_TEST(RankReducerOf, HasThemOfInfinitiesAndNaN) {
  using T = TypeParam;
  auto const infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (auto const& odd : std::vector<std::vector<T>>{{infinity},
                                                     {-infinity},
                                                     {infinity, -infinity},
                                                     {nan},
                                                     {-nan, infinity},
                                                     {T(-0.0), T(0)},
                                                     {T(-0.0)}}) {
    auto x = ugly<T>(5, 20);
    if (odd[0] == T(0)) x.clear();
    for (auto const value : odd) x.insert(x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), value);
    expect_the_bits_of_one(x, 3, 11);
  }
}

TYPED_TEST(RankReducerOf, HasSeveralProductsAtOnce) {
  using T = TypeParam;
  using Product = InnerProduct<T, T>;
  auto const x = ugly<T>(1, 50), y = ugly<T>(2, 50);
  auto const products = [&](std::size_t begin, std::size_t end, T* results) {
    auto const part = [&](std::vector<T> const& all) {
      return View<T const>{all.data() + begin, static_cast<std::int64_t>(end - begin)};
    };
    return std::vector<Product>{{part(x), part(y), results}, {part(y), part(y), results + 1}};
  };
  T expected[2];
  Reducer<Host> alone(Host{});
  for (auto const& product : products(0, x.size(), expected)) alone.dot_to(product.x, product.y, product);
  std::mt19937_64 random(3);
  for (int const ranks : {1, 2, 3, 8}) {
    auto const ends = ends_of_parts(ranks, x.size(), random);
    on_thread_ranks(ranks, [&](std::shared_ptr<Ranks> const& team) {
      Link<Host> link(Host{}, team);
      RankReducer<Host> reducer(Host{}, link, 2);
      auto const rank = static_cast<std::size_t>(team->rank());
      T found[2];
      auto wanted = products(ends[rank], ends[rank + 1], found);
      for (int time = 0; time < 2; ++time) {
        found[0] = found[1] = -7;
        reducer.dots_to(std::span<Product const>(wanted));
        EXPECT_EQ(to_bits(found[0]), to_bits(expected[0]));
        EXPECT_EQ(to_bits(found[1]), to_bits(expected[1]));
      }
      if (ranks == 1) return;
      wanted.push_back(wanted.front());
      EXPECT_THROW(reducer.dots_to(std::span<Product const>(wanted)), std::logic_error);
    });
  }
}

/// Sums that any single rounding in between would change, against 113 bits.
TEST(RankReducer, RoundsOnce) {
  std::vector<double> const x{1, 0x1p-53, 0x1p-60, -0x1p40, 0x1p40, 0x1p-53};
  float128 exact = 0;
  for (auto const value : x) exact += float128(value);
  on_thread_ranks(3, [&](std::shared_ptr<Ranks> const& team) {
    Link<Host> link(Host{}, team);
    RankReducer<Host> reducer(Host{}, link);
    Scalar<double, Host> sum(Host{});
    reducer.sum_to(View<double const>{x.data() + 2 * team->rank(), 2}, sum);
    EXPECT_EQ(sum.value(), static_cast<double>(exact));
  });
}
TEST(RankReducer, RefusesWhatHasNoExactSum) {
  std::vector<float128> const x{1, 2};
  on_thread_ranks(2, [&](std::shared_ptr<Ranks> const& team) {
    Link<Host> link(Host{}, team);
    RankReducer<Host> reducer(Host{}, link);
    Scalar<float128, Host> sum(Host{});
    EXPECT_THROW(reducer.sum_to(view(x), sum), std::logic_error);
    float128 product;
    std::vector<InnerProduct<float128, float128>> const products{{view(x), view(x), &product}};
    EXPECT_THROW(reducer.dots_to(std::span(products)), std::logic_error);
  });
}

}  // namespace
