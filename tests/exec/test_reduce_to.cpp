// SPDX-License-Identifier: Apache-2.0
// Reductions into scalars, of values in any layout and of the host's own number types.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/exec/reduce_emulated.hpp"
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
bool same(T a, T b) {
  return to_bits(a) == to_bits(b) || (a != a && b != b);
}

/// What all reductions leave in scalars.
template <class T>
struct Results {
  double sum, dot;
  float sum_as_float;
  T max, min;
  friend bool operator==(Results const& a, Results const& b) {
    return same(a.sum, b.sum) && same(a.dot, b.dot) && same(a.sum_as_float, b.sum_as_float) &&
           same(a.max, b.max) && same(a.min, b.min);
  }
};

template <class T, class X>
Results<T> reduce(Host host, X const& x) {
  Reducer<Host> const reducer(host);
  Scalar<double, Host> sum(host), dot(host);
  Scalar<float, Host> sum_as_float(host);
  Scalar<T, Host> max(host), min(host);
  reducer.sum_to(x, sum);
  reducer.sum_to(x, sum_as_float);
  reducer.dot_to(x, x, dot);
  reducer.max_to(x, max);
  reducer.min_to(x, min);
  return {sum.value(), dot.value(), sum_as_float.value(), max.value(), min.value()};
}

/// The same values in a box of `extent`, with gaps of NaN around and between the points.
template <class T>
struct Spread {
  std::vector<T> memory;
  std::vector<std::int64_t> position;
  Values<T> values;

  Spread(std::vector<T> const& dense, std::array<std::int64_t, 4> extent, std::int64_t pad, bool permuted) {
    Points points;
    std::int64_t stride = pad + 1;
    for (int a = 3; a >= 0; --a) {
      points.extent[a] = extent[static_cast<std::size_t>(a)];
      points.stride[a] = stride;
      stride = stride * extent[static_cast<std::size_t>(a)] + pad;
    }
    points.first = 3 * pad;
    if (permuted) {
      position.resize(static_cast<std::size_t>(extent[3]));
      std::iota(position.begin(), position.end(), 0);
      std::shuffle(position.begin(), position.end(), std::mt19937_64(3));
      points.position = position.data();
    }
    memory.assign(static_cast<std::size_t>(stride + 4 * pad + 1), std::numeric_limits<T>::quiet_NaN());
    for (std::int64_t i = 0; i < points.count(); ++i) {
      auto index = points.first;
      auto rest = i;
      for (int a = 3; a >= 0; --a) {
        auto const at = rest % points.extent[a];
        index += (a == 3 && permuted ? position[static_cast<std::size_t>(at)] : at) * points.stride[a];
        rest /= points.extent[a];
      }
      memory[static_cast<std::size_t>(index)] = dense[static_cast<std::size_t>(i)];
    }
    values = {memory.data(), points};
  }
};

template <class T>
class ReduceTo : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceTo, Scalars);

TYPED_TEST(ReduceTo, RoundsTheExactSumOnceForAnyThreads) {
  for (auto const& [name, values] : number_zoo<TypeParam>()) {
    SCOPED_TRACE(name + ", " + std::to_string(values.size()));
    if (values.size() > 2000) continue;  // whole numbers of 2^-2148 are slow
    auto const results = reduce<TypeParam>(Host{}, view(values));
    Integer sum = 0, dot = 0;
    bool const plain =
        name == "like magnitudes" || name == "twelve decades";  // no product falls below 2^-1074
    for (auto const value : values) {
      sum += exact(value);
      dot += plain ? Integer(exact(value) * exact(value) >> 2148) : Integer(0);
    }
    expect_nearest(results.sum, sum);
    expect_nearest(results.sum_as_float, sum);
    if (plain) {
      expect_nearest(results.dot, dot);
    }
    for (int const threads : {2, 3, 8}) {
      EXPECT_EQ(reduce<TypeParam>(Host{threads}, view(values)), results) << threads;
    }
  }
}

TYPED_TEST(ReduceTo, SeesOnlyThePointsOfALayout) {
  for (std::array<std::int64_t, 4> const extent : {std::array<std::int64_t, 4>{1, 1, 1, 37},
                                                   {1, 1, 5, 7},
                                                   {1, 3, 4, 5},
                                                   {2, 3, 5, 19},
                                                   {7, 1, 3, 1},
                                                   {3, 0, 5, 2}}) {
    auto const count = extent[0] * extent[1] * extent[2] * extent[3];
    auto values = exec_test::scattered<TypeParam>(static_cast<std::size_t>(count), 40, 5);
    auto const expected = reduce<TypeParam>(Host{}, view(values));
    for (std::int64_t const pad : {0, 1, 3}) {
      for (bool const permuted : {false, true}) {
        Spread<TypeParam> const spread(values, extent, pad, permuted);
        for (int const threads : {1, 3}) {
          EXPECT_EQ(reduce<TypeParam>(Host{threads}, spread.values), expected)
              << extent[0] << ' ' << extent[1] << ' ' << extent[2] << ' ' << extent[3] << ", " << pad;
        }
      }
    }
  }
}

TYPED_TEST(ReduceTo, MultipliesPointByPointWhateverTheLayouts) {
  auto const x = exec_test::scattered<TypeParam>(60, 10, 1), y = exec_test::scattered<TypeParam>(60, 10, 2);
  Spread<TypeParam> const a(x, {1, 3, 4, 5}, 2, true), b(y, {1, 1, 6, 10}, 1, false);
  Reducer<Host> const reducer(Host{2});
  auto const bits = to_bits(reducer.dot(view(x), view(y)).to_double());
  EXPECT_EQ(to_bits(reducer.dot(a.values, b.values).to_double()), bits);
  EXPECT_EQ(to_bits(reducer.dot(view(x), b.values).to_double()), bits);
  EXPECT_EQ(to_bits(reducer.dot(a.values, view(y)).to_double()), bits);
}

TYPED_TEST(ReduceTo, PassesInfinitiesNanAndNothing) {
  using Limits = std::numeric_limits<TypeParam>;
  auto const infinity = Limits::infinity();
  auto const results = [](std::vector<TypeParam> const& values) {
    return reduce<TypeParam>(Host{}, view(values));
  };
  auto const none = results({});
  EXPECT_TRUE(same(none.sum, 0.) && same(none.dot, 0.) && same(none.sum_as_float, 0.f));
  EXPECT_EQ(none.max, -infinity);
  EXPECT_EQ(none.min, infinity);
  auto const infinite = results({1, -infinity});
  EXPECT_EQ(infinite.sum, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(infinite.sum_as_float, -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(results({infinity, -infinity}).sum));
  EXPECT_TRUE(std::isnan(results({1, Limits::quiet_NaN()}).sum_as_float));
  EXPECT_TRUE(std::isnan(results({1, -Limits::quiet_NaN()}).max));
}

TEST(Scalar, BeginsAtZeroAndIsReadThroughItsView) {
  Scalar<double, Host> a(Host{}), b(Host{}, 3);
  EXPECT_EQ(a.value(), 0);
  static_assert(std::is_trivially_copyable_v<decltype(a.view())>);
  a.view()[0] = 2;
  EXPECT_EQ(a.value(), 2);
  a.copy_from(b);
  EXPECT_EQ(a.value(), 3);
}

TEST(OddRounding, MarksThatSomethingWasLostAndNeverOverflows) {
  auto const odd = [](std::vector<double> const& values) {
    return Reducer<Host>(Host{}).sum(view(values)).to_odd_double();
  };
  auto const most = std::numeric_limits<double>::max();
  EXPECT_EQ(odd({1, 2}), 3);
  EXPECT_EQ(odd({1, 0x1p-53}), 1 + 0x1p-52);
  EXPECT_EQ(odd({1, 0x1p-200}), 1 + 0x1p-52);
  EXPECT_EQ(odd({1 + 0x1p-52, 0x1p-200}), 1 + 0x1p-52);
  EXPECT_EQ(odd({1, -0x1p-200}), 1 - 0x1p-53);
  EXPECT_EQ(odd({-1, -0x1p-200}), -1 - 0x1p-52);
  EXPECT_EQ(odd({most, most}), most);
  EXPECT_EQ(odd({-most, -most}), -most);
  EXPECT_EQ(odd({0x1p-1074, 0x1p-1073}), 3 * 0x1p-1074);
  EXPECT_EQ(odd({}), 0);
}

struct Emulated {
  explicit Emulated(int precision, Rounding rounding = Rounding::nearest_even)
      : run(NamedFormat{{.precision = precision, .emin = -126, .emax = 127, .rounding = rounding}}) {}
  double sum(std::vector<double> const& values) {
    std::vector<EmulatedNumber> numbers;
    for (auto const value : values) numbers.push_back(EmulatedNumber::of(value));
    Scalar<EmulatedNumber, EmulatingHost> result(host);
    Reducer<EmulatingHost>(host).sum_to(View<EmulatedNumber const>(numbers.data(), std::ssize(numbers)),
                                        result);
    return result.value().value();
  }
  EmulatedRun run;
  EmulatingHost host{{1}, &run};
};

TEST(ReducerOfEmulatedNumbers, RoundsTheExactSumOnceToTheFormat) {
  // In double each sum would be a tie of the format, and go to even.
  EXPECT_EQ(Emulated(8).sum({1, 0x1p-8, 0x1p-70}), 1 + 0x1p-7);
  EXPECT_EQ(Emulated(8).sum({1, 0x1p-8, -0x1p-70}), 1);
  EXPECT_EQ(Emulated(8).sum({1, 0x1p-8}), 1);
  EXPECT_EQ(Emulated(8).sum({1 + 0x1p-7, 0x1p-8, -0x1p-70}), 1 + 0x1p-7);
  EXPECT_EQ(Emulated(8, Rounding::toward_zero).sum({1, -0x1p-70}), 1 - 0x1p-8);
  EXPECT_EQ(Emulated(8, Rounding::toward_zero).sum({1, 0x1p-7, -0x1p-70}), 1);
  EXPECT_EQ(Emulated(53).sum({1, 0x1p-53, 0x1p-200}), 1 + 0x1p-52);
  EXPECT_EQ(Emulated(52).sum({1, 0x1p-52, -0x1p-200}), 1);
  EXPECT_EQ(Emulated(52).sum({1, 0x1p-52, 0x1p-106, -0x1p-200}), 1 + 0x1p-51);
}

TEST(ReducerOfEmulatedNumbers, FindsExtremesAndProducts) {
  Emulated emulated(8);
  std::vector<EmulatedNumber> const numbers{1, -3, 2};
  View<EmulatedNumber const> const x(numbers.data(), 3);
  Scalar<EmulatedNumber, EmulatingHost> result(emulated.host);
  Reducer<EmulatingHost> const reducer(emulated.host);
  reducer.max_to(x, result);
  EXPECT_EQ(result.value().value(), 2);
  reducer.min_to(x, result);
  EXPECT_EQ(result.value().value(), -3);
  reducer.dot_to(x, x, result);
  EXPECT_EQ(result.value().value(), 14);
}

TEST(ReducerOfEmulatedNumbers, RoundsSumsOfBinary64AtRandomByTheirDistance) {
  EmulatedRun run(*parse_format("e11m52-sr3"));
  EmulatingHost const host{{1}, &run};
  std::vector<EmulatedNumber> const numbers{EmulatedNumber::of(1), EmulatedNumber::of(0x1p-54)};
  Scalar<EmulatedNumber, EmulatingHost> result(host);
  Reducer<EmulatingHost> const reducer(host);
  host.begin_stage("sum", 1);
  int up = 0;
  constexpr int tries = 2000;
  for (int i = 0; i < tries; ++i) {
    reducer.sum_to(View<EmulatedNumber const>(numbers.data(), 2), result);
    up += result.value().value() == 1 + 0x1p-52 ? 1 : 0;
  }
  EXPECT_NEAR(up, tries / 4, 5 * std::sqrt(tries * 0.25 * 0.75));
}

TEST(ReducerOfWideNumbers, AgreesWithTheExactSumAndSeesOnlyThePoints) {
  auto const values = exec_test::scattered<double>(60, 10, 3);
  std::vector<float128> const wide(values.begin(), values.end());
  Spread<float128> const spread(wide, {1, 3, 4, 5}, 2, false);
  Reducer<Host> const reducer(Host{});
  Scalar<float128, Host> dense(Host{}), result(Host{});
  auto const check = [&](double expected) {
    EXPECT_EQ(dense.value(), result.value());
    EXPECT_EQ(static_cast<double>(result.value()), expected);
  };
  reducer.sum_to(view(wide), dense);
  reducer.sum_to(spread.values, result);
  check(reducer.sum(view(values)).to_double());
  reducer.dot_to(view(wide), view(wide), dense);
  reducer.dot_to(spread.values, view(wide), result);
  check(reducer.dot(view(values), view(values)).to_double());
  reducer.max_to(view(wide), dense);
  reducer.max_to(spread.values, result);
  check(reducer.max(view(values)));
  reducer.min_to(view(wide), dense);
  reducer.min_to(spread.values, result);
  check(reducer.min(view(values)));
  reducer.max_to(View<float128 const>(), result);
  EXPECT_EQ(static_cast<double>(result.value()), -std::numeric_limits<double>::infinity());
  std::vector<float128> const broken{1, std::numeric_limits<float128>::quiet_NaN(), 2};
  reducer.min_to(view(broken), result);
  EXPECT_TRUE(result.value() != result.value());
}

/// Adds groups of `size` by a window; what leaves it goes to an exact sum.
template <int size, class T>
struct Windowed {
  ExactSum sum;
  int calls = 0;

  explicit Windowed(std::vector<T> const& values) {
    auto const rest = [this](double x) {
      sum.add(x);
      ++calls;
    };
    detail::WindowedSum<T> window;
    for (std::size_t i = 0; i < values.size(); i += size) {
      T group[size] = {};
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i),
                  std::min<std::size_t>(size, values.size() - i), group);
      window.add(group, rest);
    }
    window.flush(rest);
  }
};

/// The windowed sum of `values` is exact: nothing is left of it when they are taken off again. Returns how
/// often something was handed on.
template <int size, class T>
int expect_exact_window(std::vector<T> const& values) {
  Windowed<size, T> windowed(values);
  ExactSum plain;
  for (auto const value : values) {
    plain.add(value);
    windowed.sum.add(-value);
  }
  EXPECT_EQ(windowed.sum.to_double(), 0);
  EXPECT_EQ((Windowed<size, T>(values).sum.to_double()), plain.to_double());
  return windowed.calls;
}

template <class T>
void expect_exact_windows(std::vector<T> const& values) {
  expect_exact_window<1>(values);
  expect_exact_window<4>(values);
  expect_exact_window<16>(values);
}

template <class T>
class WindowedSumOf : public testing::Test {
 protected:
  using Limits = std::numeric_limits<T>;
  /// Numbers that begin a window: all over the range, and where it ends.
  static std::vector<T> firsts() {
    std::vector<T> numbers{1, Limits::denorm_min(), Limits::min(), Limits::max() / 2, Limits::max() / 512};
    for (int exponent = Limits::min_exponent; exponent < Limits::max_exponent; exponent += 20) {
      numbers.push_back(std::ldexp(T(1), exponent));
    }
    return numbers;
  }
};
TYPED_TEST_SUITE(WindowedSumOf, Scalars);

TYPED_TEST(WindowedSumOf, NumbersOfAllSortsIsExact) {
  for (auto const& [name, values] : number_zoo<TypeParam>()) {
    SCOPED_TRACE(name + ", " + std::to_string(values.size()));
    expect_exact_windows(values);
    auto sorted = values;
    std::sort(sorted.begin(), sorted.end(),
              [](TypeParam a, TypeParam b) { return std::abs(a) < std::abs(b); });
    expect_exact_windows(sorted);
    std::reverse(sorted.begin(), sorted.end());
    expect_exact_windows(sorted);
  }
}

TYPED_TEST(WindowedSumOf, TheLargestNumbersOfItsWindowHoldsAsManyAsItMay) {
  using Limits = std::numeric_limits<TypeParam>;
  for (auto const first : this->firsts()) {
    for (int const up : {0, 7, 8, 9}) {  // the window moves at 9
      auto const largest = std::ldexp(first, up);
      if (largest > Limits::max() / 2) continue;
      std::vector<TypeParam> values(2100, std::nextafter(2 * largest, TypeParam(0)));
      values[0] = first;
      expect_exact_windows(values);
      for (auto& value : values) value = -value;
      expect_exact_windows(values);
    }
  }
}

TYPED_TEST(WindowedSumOf, TheSmallestNumbersOfItsWindowLosesNothing) {
  constexpr int lowest = sizeof(TypeParam) == 4 ? 49 : 61;
  for (auto const first : this->firsts()) {
    for (int const down : {lowest - 9, lowest - 1, lowest, lowest + 1, lowest + 2, lowest + 20}) {
      std::vector<TypeParam> values(1100, std::nextafter(std::ldexp(first, -down), TypeParam(1)));
      values[0] = first;
      for (std::size_t i = 1; i < values.size(); i += 2) values[i] = std::nextafter(values[i], TypeParam(0));
      expect_exact_windows(values);
    }
  }
}

TYPED_TEST(WindowedSumOf, ManyNumbersOfOneSignIsEmptiedBeforeItLosesAny) {
  // A window that begins with 1 has a first sum of multiples of 2^-31, and a last one of 2^-72 (float) or
  // 2^-113.
  auto const power = [](int exponent) { return std::ldexp(TypeParam(1), exponent); };
  std::vector<TypeParam> values{1};
  // What the first sum rounds away of these would be 2^53 multiples of the last place of a second one.
  values.insert(values.end(), 5000, TypeParam(0.49) * power(-31));
  // And of these, of which the last bit is the last place of the last sum.
  auto const last_bit =
      sizeof(TypeParam) == 4 ? power(-49) + power(-72) : power(-61) + TypeParam(0.49) * power(-72);
  values.insert(values.end(), 5000,
                sizeof(TypeParam) == 4 ? last_bit : std::nextafter(last_bit, TypeParam(1)));
  expect_exact_windows(values);
}

TYPED_TEST(WindowedSumOf, APlainFieldWithZerosKeepsNearlyAll) {
  auto values = exec_test::scattered<TypeParam>(100000, 8, 9);
  std::mt19937_64 engine(4);
  for (auto& value : values) value = engine() % 3 == 0 ? 0 : value;
  // At most three parts each time that it has held 1024, when it moves, and at the end.
  EXPECT_LE(expect_exact_window<16>(values), 3 * (100000 / 1008 + 4));
}

TYPED_TEST(WindowedSumOf, InfinitiesAndNanHandsThemOn) {
  auto const sum = [](TypeParam odd) {
    std::vector<TypeParam> values(100, 1);
    values[50] = odd;
    return Windowed<16, TypeParam>(values).sum.to_double();
  };
  auto const infinity = std::numeric_limits<TypeParam>::infinity();
  EXPECT_EQ(sum(infinity), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum(-infinity), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(sum(std::numeric_limits<TypeParam>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(Windowed<4, TypeParam>({infinity, 1, -infinity, 0}).sum.to_double()));
  EXPECT_EQ((Windowed<16, TypeParam>(std::vector<TypeParam>(40, TypeParam(-0.))).sum.to_double()), 0);
}

}  // namespace
