// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "io/multiples.hpp"

namespace ulpine::io {
namespace {

constexpr auto infinite = std::numeric_limits<double>::infinity();

/// An interval as somebody writes it: `digits` times 10^`exponent` s.
struct Written {
  std::int64_t digits;
  int exponent;
  std::string text() const { return std::to_string(digits) + "e" + std::to_string(exponent); }
  double value() const { return std::strtod(text().c_str(), nullptr); }
};

/// Of 1 to `most_digits` digits, of some microseconds to some months.
Written random_interval(std::mt19937_64& random, int most_digits = 15) {
  auto const count = std::uniform_int_distribution<int>{1, most_digits}(random);
  auto const least = static_cast<std::int64_t>(std::llround(std::pow(10.0, count - 1)));
  auto const digits = std::uniform_int_distribution<std::int64_t>{least, 10 * least - 1}(random);
  return {digits, std::uniform_int_distribution<int>{-6, 6}(random) - (count - 1)};
}

/// Whether no double is nearer to `digits` times 10^`exponent` than `found`, in 113 bits: whole numbers up to
/// 10^34 and powers of ten up to 10^48 are exact in them, so that the decimal is off by a part in 2^112.
bool is_nearest(double found, std::int64_t digits, std::int64_t factor, int exponent) {
  __float128 wanted = static_cast<__float128>(digits) * static_cast<__float128>(factor), power = 1;
  for (int k = 0; k < std::abs(exponent); ++k) power *= 10;
  wanted = exponent < 0 ? wanted / power : wanted * power;
  auto const distance = [&](double value) {
    auto const difference = static_cast<__float128>(value) - wanted;
    return difference < 0 ? -difference : difference;
  };
  return distance(found) <= distance(std::nextafter(found, infinite)) &&
         distance(found) <= distance(std::nextafter(found, -infinite));
}

TEST(Multiples, AreTheDoublesNearestToMultiplesOfTheDecimal) {
  std::mt19937_64 random{40};
  for (int trial = 0; trial < 10000; ++trial) {
    auto const written = random_interval(random);
    Multiples const multiples(written.value());
    for (auto const most : {std::int64_t{10}, std::int64_t{1000}, std::int64_t{1'000'000'000'000}}) {
      auto const k = std::uniform_int_distribution<std::int64_t>{1, most}(random);
      ASSERT_TRUE(is_nearest(multiples.at(k), written.digits, k, written.exponent))
          << written.text() << " " << k;
    }
  }
}

TEST(Multiples, AreReadAsTheDecimalsThemselves) {
  std::mt19937_64 random{41};
  for (int trial = 0; trial < 10000; ++trial) {
    auto const written = random_interval(random, 9);
    Multiples const multiples(written.value());
    auto const k = std::uniform_int_distribution<std::int64_t>{0, 1'000'000'000}(random);
    ASSERT_EQ(multiples.at(k), (Written{written.digits * k, written.exponent}.value()))
        << written.text() << " " << k;
  }
  EXPECT_NE(3 * 0.7, 2.1) << "products of the double miss them";
  EXPECT_EQ(Multiples(0.7).at(3), 2.1);
}

TEST(Multiples, FollowEachOtherWhereverOneIsAmongThem) {
  std::mt19937_64 random{42};
  for (int trial = 0; trial < 10000; ++trial) {
    auto const written = random_interval(random);
    Multiples const multiples(written.value());
    auto const k = std::uniform_int_distribution<std::int64_t>{1, 1'000'000'000'000}(random);
    auto const time = multiples.at(k), next = multiples.at(k + 1);
    ASSERT_GT(next, time) << written.text() << " " << k;
    ASSERT_EQ(multiples.count(time), k) << written.text();
    ASSERT_EQ(multiples.next_after(time), next) << written.text() << " " << k;
    ASSERT_EQ(multiples.next_after(std::nextafter(time, 0)), time) << written.text() << " " << k;
    ASSERT_EQ(multiples.next_after(time + (next - time) / 3), next) << written.text() << " " << k;
    ASSERT_EQ(multiples.next_after(std::nextafter(time, infinite)), next) << written.text() << " " << k;
  }
}

TEST(Multiples, OfTwoIntervalsMeetWhereTheDecimalsDo) {
  std::mt19937_64 random{43};
  for (int trial = 0; trial < 10000; ++trial) {
    auto const written = random_interval(random, 9);
    auto const a = std::uniform_int_distribution<std::int64_t>{1, 999}(random),
               b = std::uniform_int_distribution<std::int64_t>{1, 999}(random);
    Multiples const first((Written{written.digits * a, written.exponent}.value())),
        second((Written{written.digits * b, written.exponent}.value()));
    ASSERT_EQ(first.at(7 * b), second.at(7 * a)) << written.text() << " " << a << " " << b;
  }
}

TEST(Multiples, OfWhatIsNoShortDecimalAreProductsOfTheDouble) {
  EXPECT_EQ(Multiples(1.0 / 3).at(3), 1);
  EXPECT_EQ(Multiples(0x1p-30).at(std::int64_t{1} << 32), 4);
}

TEST(Multiples, EndWhereDoubleNoLongerTellsThemApart) {
  constexpr auto last = std::int64_t{1} << 53;
  Multiples const seconds(1);
  EXPECT_EQ(seconds.at(last), 0x1p53);
  EXPECT_EQ(seconds.next_after(0x1p53 - 1), 0x1p53);
  EXPECT_EQ(seconds.next_after(0x1p53), infinite);
  EXPECT_EQ(seconds.count(infinite), last);
  EXPECT_EQ(Multiples(1e300).at(last), infinite) << "too large";
}

}  // namespace
}  // namespace ulpine::io
