// SPDX-License-Identifier: Apache-2.0
// Reductions over numbers of two floats.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/exec/host.hpp"
#include "core/exec/pair_terms.hpp"
#include "core/exec/reduce.hpp"
#include "core/exec/rounded.hpp"
#include "core/exec/scalar.hpp"
#include "precision/double_float_operands.hpp"

namespace {

using namespace ulpine;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

View<DoubleFloat const> view(std::vector<DoubleFloat> const& values) {
  return {values.data(), std::ssize(values)};
}
bool same(DoubleFloat a, DoubleFloat b) {
  return (a != a && b != b) || (to_bits(a.hi()) == to_bits(b.hi()) && to_bits(a.lo()) == to_bits(b.lo()));
}
DoubleFloat sum_of(std::vector<DoubleFloat> const& values, int threads = 1) {
  Scalar<DoubleFloat, Host> sum(Host{});
  Reducer<Host>(Host{threads}).sum_to(view(values), sum);
  return sum.value();
}
DoubleFloat dot_of(std::vector<DoubleFloat> const& x, std::vector<DoubleFloat> const& y, int threads = 1) {
  Scalar<DoubleFloat, Host> dot(Host{});
  Reducer<Host>(Host{threads}).dot_to(view(x), view(y), dot);
  return dot.value();
}
std::vector<DoubleFloat> numbers(std::size_t count, int exponents, std::uint64_t seed) {
  precision_test::Operands operands(seed);
  std::vector<DoubleFloat> values(count);
  for (auto& value : values) value = operands.any_exponent(-exponents, exponents);
  return values;
}
/// What `exact` is rounded to: a pair off by at most 2^-48 of it.
void expect_rounded(DoubleFloat got, ExactSum exact) {
  auto const size = std::abs(exact.to_double());
  EXPECT_EQ(got.hi() + got.lo(), got.hi());
  exact.add(-static_cast<double>(got.hi()));
  exact.add(-static_cast<double>(got.lo()));
  EXPECT_LE(std::abs(exact.to_double()), 0x1p-48 * size);
}

TEST(ReducerOfPairs, AddsExactlyAndRoundsOnce) {
  EXPECT_TRUE(same(sum_of({DoubleFloat::of(1, 0x1p-60f), 0x1p100f, -1, -0x1p100f}), 0x1p-60f));
  EXPECT_TRUE(same(sum_of({1, 0x1p-30f, 0x1p-47f}), DoubleFloat::of(1, 0x1p-30f + 0x1p-47f)));
  EXPECT_TRUE(same(sum_of({}), 0));
  for (std::size_t const count : {1, 2, 7, 1000, 10001}) {
    auto values = numbers(count, 30, count);
    ExactSum exact;
    for (auto const value : values) {
      exact.add(static_cast<double>(value.hi()));
      exact.add(static_cast<double>(value.lo()));
    }
    auto const sum = sum_of(values);
    expect_rounded(sum, exact);
    std::shuffle(values.begin(), values.end(), std::mt19937(3));
    EXPECT_TRUE(same(sum_of(values, 3), sum)) << count;
  }
}

TEST(ReducerOfPairs, AddsProductsExactlyAndRoundsOnce) {
  auto const a = DoubleFloat::of(1, 0x1p-40f);
  EXPECT_TRUE(same(dot_of({a, -1, DoubleFloat(-0x1p-39f)}, {a, 1, 1}), 0x1p-80f)) << "(1 + d)^2 - 1 - 2 d";
  for (std::size_t const count : {1, 2, 7, 1000, 10001}) {
    auto const x = numbers(count, 20, count), y = numbers(count, 20, count + 1);
    ExactSum exact;
    for (std::size_t i = 0; i < count; ++i) {
      for (float const p : {x[i].hi(), x[i].lo()}) {
        for (float const q : {y[i].hi(), y[i].lo()})
          exact.add(static_cast<double>(p) * static_cast<double>(q));
      }
    }
    auto const dot = dot_of(x, y);
    expect_rounded(dot, exact);
    EXPECT_TRUE(same(dot_of(y, x, 3), dot)) << count;
  }
}

TEST(ReducerOfPairs, PassesInfinitiesAndNan) {
  EXPECT_TRUE(same(sum_of({1, infinity, DoubleFloat(0.1)}), infinity));
  EXPECT_TRUE(same(sum_of({1, infinity, -infinity}), nan));
  EXPECT_TRUE(same(sum_of({DoubleFloat(0.1), nan}), nan));
  EXPECT_TRUE(same(sum_of({0x1p127f, 0x1p127f}), infinity));
  EXPECT_TRUE(same(dot_of({infinity, 2}, {DoubleFloat(0.1), 1}), infinity)) << "not infinity times a low 0";
  EXPECT_TRUE(same(dot_of({DoubleFloat(0.1)}, {-infinity}), -infinity));
  EXPECT_TRUE(same(dot_of({0}, {infinity}), nan));
  EXPECT_TRUE(same(dot_of({0x1p100f, 0x1p100f}, {0x1p100f, -0x1p100f}), 0)) << "exact beyond a float's range";
}

TEST(ReducerOfPairs, FindsExtremesByBothFloats) {
  Reducer<Host> const reducer(Host{2});
  auto const above = DoubleFloat::of(1, 0x1p-30f), below = DoubleFloat::of(1, -0x1p-30f);
  EXPECT_TRUE(same(reducer.max(view({below, 1, above})), above));
  EXPECT_TRUE(same(reducer.min(view({1, below, above})), below));
  EXPECT_TRUE(same(reducer.max(view({-above, -below})), -below));
  EXPECT_TRUE(same(reducer.min(view({-below, -above})), -above));
  EXPECT_TRUE(same(reducer.max(view({-0.0f, 0})), 0));
  EXPECT_TRUE(same(reducer.min(view({0, -0.0f})), -0.0f));
  EXPECT_TRUE(same(reducer.max(view({1, nan, infinity})), nan));
  EXPECT_TRUE(same(reducer.min(view({-infinity, -nan})), nan));
  EXPECT_TRUE(same(reducer.min(view({3, -infinity})), -infinity));
  EXPECT_TRUE(same(reducer.max(view({3, infinity})), infinity));
  EXPECT_TRUE(same(reducer.max(view({-infinity, -infinity})), -infinity));
  EXPECT_TRUE(reducer.max(view({})) == -infinity);
  EXPECT_TRUE(reducer.min(view({})) == infinity);
  auto const values = numbers(5000, 40, 8);
  EXPECT_TRUE(same(reducer.max(view(values)), *std::max_element(values.begin(), values.end())));
  EXPECT_TRUE(same(reducer.min(view(values)), *std::min_element(values.begin(), values.end())));
}

TEST(ReducerOfPairs, SharesSumsAndExtremes) {
  auto const values = numbers(100, 10, 9);
  Reducer<Host> const reducer(Host{});
  std::uint64_t words[detail::shared_sum_words];
  Scalar<DoubleFloat, Host> result(Host{});
  reducer.share_sum(view(values), words);
  reducer.take_shared_sum(words, result);
  EXPECT_TRUE(same(result.value(), sum_of(values)));
  for (bool const largest : {false, true}) {
    std::int64_t key = 0;
    reducer.share_extreme(view(values), largest, &key);
    reducer.take_shared_extreme(&key, largest, result);
    EXPECT_TRUE(same(result.value(), largest ? reducer.max(view(values)) : reducer.min(view(values))));
  }
}

/// A superaccumulator's words as a device has them.
struct Words {
  std::array<std::int64_t, detail::sum_words> words{};

  struct Target {
    std::int64_t* words;
    void add(int limb, std::int64_t amount) const { words[limb] += amount; }
    void mark(detail::Special special) const { words[detail::special_word] |= special; }
  };
  Target target() { return {words.data()}; }
  bool operator==(Words const&) const = default;
};

/// Floats of all kinds, zeros, subnormal and largest ones, infinities and NaN among them.
std::vector<float> all_kinds() {
  std::vector<float> values{0.0f, -0.0f, 1, -1, infinity, -infinity, nan, 0x1p-149f, -0x1p-149f, 0x1p-126f};
  values.push_back(std::numeric_limits<float>::max());
  values.push_back(std::nextafter(0x1p-126f, 0.0f));
  precision_test::Operands operands(5);
  for (int exponent = -149; exponent < 128; ++exponent) {
    for (int n = 0; n < 4; ++n) values.push_back(operands.any_exponent(exponent, exponent).hi());
  }
  return values;
}

TEST(SumsWithoutDoubles, WidenFloatsOfAllKinds) {
  for (auto const x : all_kinds()) {
    if (x != x) {
      EXPECT_NE(detail::widened(x), detail::widened(x));
    } else {
      EXPECT_EQ(to_bits(detail::widened(x)), to_bits(static_cast<double>(x))) << x;
    }
  }
}

TEST(SumsWithoutDoubles, DepositProductsOfFloatsAsDoublesAre) {
  auto const values = all_kinds();
  for (auto const a : values) {
    for (auto const b : values) {
      Words found, expected;
      detail::deposit_product(found.target(), a, b);
      detail::deposit(expected.target(), static_cast<double>(a) * static_cast<double>(b));
      EXPECT_TRUE(found == expected) << a << ' ' << b;
    }
  }
}

TEST(SumsWithoutDoubles, TakeProductsOfPairsApartExactly) {
  precision_test::Operands operands(6);
  for (int n = 0; n < 200000; ++n) {
    auto const a = n % 16 == 1 ? DoubleFloat(infinity) : operands.any();
    auto const b = n % 2 == 0 ? operands.any() : operands.any_exponent(-30, 30);
    Words found, expected;
    int terms = 0;
    detail::for_floats_of_product(
        a, b,
        [&](float term) {
          EXPECT_LT(std::abs(term), detail::most_in_expansion<float>);
          detail::deposit(found.target(), term);
          ++terms;
        },
        [&](float p, float q) { detail::deposit_product(found.target(), p, q); });
    EXPECT_LE(terms, 8);
    detail::for_terms_of_product(a, b, [&](double term) { detail::deposit(expected.target(), term); });
    for (auto* const words : {&found, &expected}) detail::resolve_carries(words->words.data());
    EXPECT_TRUE(found == expected) << a.hi() << " + " << a.lo() << ", " << b.hi() << " + " << b.lo();
  }
}

/// Integers, which take longer, are for numbers far from 1.
TEST(SumsWithoutDoubles, TakeFloatsForProductsOfOrdinaryNumbers) {
  precision_test::Operands operands(7);
  for (int n = 0; n < 1000; ++n) {
    auto const number = [&] { return DoubleFloat::of(operands.uniform(1, 2).hi(), 0x1p-26f); };
    detail::for_floats_of_product(
        number(), number(), [](float) {}, [](float p, float q) { ADD_FAILURE() << p << ' ' << q; });
  }
}

TEST(AtomicAdditionOfPairs, LosesNothingAmongThreads) {
  DoubleFloat sum = 0;
  for_each(Host{4}, std::int64_t{100000}, [&sum](std::int64_t i) {
    Host::atomic_add(sum, DoubleFloat::of(static_cast<float>(i % 7), 0x1p-30f));
  });
  std::int64_t whole = 0;
  for (int i = 0; i < 100000; ++i) whole += i % 7;
  EXPECT_TRUE(sum == DoubleFloat(whole) + DoubleFloat(100000) * DoubleFloat(0x1p-30f));
}

TEST(RoundedValues, OfDoublesHaveBothFloats) {
  std::vector<double> const values{1 / 75.0, -303.1488, 0x1p-30, 0};
  auto const rounded = rounded_to<DoubleFloat>(values);

  ASSERT_EQ(rounded.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_LE(std::abs(static_cast<double>(rounded[i]) - values[i]), 0x1p-48 * std::abs(values[i]));
  }
  EXPECT_NE(rounded[0].lo(), 0);
  EXPECT_EQ(rounded_to<float>(values)[0], 1 / 75.0f);
}

}  // namespace
