// SPDX-License-Identifier: Apache-2.0
#include "precision/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/float128.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "precision/bits.hpp"
#include "precision/exact_terms.hpp"
#include "precision/sum_words.hpp"
#include "support/random_values.hpp"

namespace {

using namespace ulpine;
using boost::multiprecision::float128;
using test::RandomValues;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double most = std::numeric_limits<double>::max();

double sum(std::vector<double> const& values) { return exact_sum(values); }

TEST(ExactSum, KeepsWhatDoubleAdditionLoses) {
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({1e100, 1, -1e100}), 1);
  EXPECT_EQ(sum({1e308, 1e308, -1e308}), 1e308);
  EXPECT_EQ(sum({most, least, -most}), least);
  EXPECT_EQ(sum({-most, -least, most}), -least);
  EXPECT_EQ(sum({least, least, least}), 3 * least);
  EXPECT_EQ(sum({std::numeric_limits<double>::min(), -least}), std::numeric_limits<double>::min() - least);
  EXPECT_EQ(sum({0.0, -0.0}), 0);
}

TEST(ExactSum, RoundsOnceToNearestEven) {
  // Half an ulp above 1 ties to even, anything beyond tips it; the same one ulp further up.
  EXPECT_EQ(sum({1, 0x1p-53}), 1);
  EXPECT_EQ(sum({1, 0x1p-53, least}), 1 + 0x1p-52);
  EXPECT_EQ(sum({1, 0x1p-53, -least}), 1);
  EXPECT_EQ(sum({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(sum({-1, -0x1p-53, -least}), -1 - 0x1p-52);
  EXPECT_EQ(sum({0x1p53, 0x1p53 - 1, 1}), 0x1p54);
  EXPECT_EQ(sum({most, std::ldexp(1.0, 969)}), most);
  EXPECT_EQ(sum({most, std::ldexp(1.0, 970)}), infinity);
}

/// Limbs that are 0 on both sides of the others need not be looked at; one more has room for the carry.
TEST(ExactSum, IsRoundedFromTheLimbsThatAreNotZero) {
  std::mt19937_64 random(11);
  for (int n = 0; n < 3000; ++n) {
    std::int64_t limbs[detail::sum_words] = {};
    int const begin = static_cast<int>(random() % 66), count = 1 + static_cast<int>(random() % 4);
    int const end = std::min(begin + count, detail::sum_limbs - 1);
    for (int i = begin; i < end; ++i) {
      auto const size = static_cast<std::int64_t>(random() >> (1 + random() % 62));
      limbs[i] = random() % 2 == 0 ? size : -size;
    }
    std::int64_t copy[detail::sum_words];
    std::copy(std::begin(limbs), std::end(limbs), copy);
    auto const whole = detail::round_words<double>(limbs, 0);
    auto const part = detail::round_words<double>(copy, 0, detail::SumRounding::nearest_even, begin, end + 1);
    EXPECT_EQ(to_bits(part), to_bits(whole)) << begin << ' ' << end;
  }
}

TEST(ExactSum, TreatsInfinitiesAndNanAsAdditionDoes) {
  EXPECT_EQ(sum({1, infinity, -5}), infinity);
  EXPECT_EQ(sum({-infinity, most}), -infinity);
  EXPECT_TRUE(std::isnan(sum({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum({1, std::nan("")})));
}

TEST(ExactSum, KeepsInfinitiesAndNanOfBothSidesOfAMerge) {
  auto const merged = [](double a, double b) {
    ExactSum first, second;
    first.add(a);
    second.add(b);
    first.merge(second);
    return first.to_double();
  };
  EXPECT_EQ(merged(infinity, 1), infinity);
  EXPECT_EQ(merged(1, infinity), infinity);
  EXPECT_EQ(merged(-infinity, -infinity), -infinity);
  EXPECT_TRUE(std::isnan(merged(infinity, -infinity)));
  EXPECT_TRUE(std::isnan(merged(-infinity, infinity)));
  EXPECT_TRUE(std::isnan(merged(std::nan(""), 1)));
  EXPECT_TRUE(std::isnan(merged(1, std::nan(""))));
}

TEST(ExactSum, IsIndependentOfOrderAndGrouping) {
  RandomValues random(11);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> values;
    for (std::size_t n = random.below(400); n > 0; --n) {
      values.push_back(random.ugly(-1060, 1000));
      if (random.uniform() < 0.3) {
        values.push_back(-values[random.below(values.size())]);
      }
    }
    double const expected = sum(values);
    random.shuffle(values);
    EXPECT_EQ(to_bits(sum(values)), to_bits(expected));
    ExactSum first, second;
    for (double const value : values) {
      (random.uniform() < 0.5 ? first : second).add(value);
    }
    first.merge(second);
    EXPECT_EQ(to_bits(first.to_double()), to_bits(expected));
  }
}

TEST(ExactSum, AgreesWith113BitSumsWhereThoseAreExact) {
  // Exponents within 40 and mantissas of 53 bits: up to 1000 terms fit 113 bits without rounding.
  RandomValues random(12);
  for (int trial = 0; trial < 200; ++trial) {
    ExactSum exact;
    float128 wide = 0;
    for (int i = 0; i < 1000; ++i) {
      double const value = random.ugly(-20, 20);
      exact.add(value);
      wide += value;
    }
    EXPECT_EQ(exact.to_double(), static_cast<double>(wide));
  }
}

TEST(ExactSum, AgreesWith113BitDotProducts) {
  RandomValues random(13);
  for (int trial = 0; trial < 200; ++trial) {
    ExactSum exact;
    float128 wide = 0;
    for (int i = 0; i < 16; ++i) {
      double const a = random.ugly(0, 1), b = random.ugly(0, 1);
      exact.add_product(a, b);
      wide += float128(a) * float128(b);
    }
    EXPECT_EQ(exact.to_double(), static_cast<double>(wide));
  }
}

TEST(ExactSum, CarriesThroughManyMerges) {
  ExactSum sum;
  for (double const x : {1.7976931348623157e308 / 0x1p41, -3.3, 0x1p-1074, 1e-300}) {
    sum.add(x);
  }
  auto const once = sum.to_double();
  for (int i = 0; i < 40; ++i) {
    auto const copy = sum;
    sum.merge(copy);
  }
  EXPECT_EQ(sum.to_double(), once * 0x1p40);
}

TEST(ExactSum, TakesAProductThatOverflowsForInfinite) {
  auto const product = [](double a, double b) {
    ExactSum exact;
    exact.add_product(a, b);
    return exact.to_double();
  };
  EXPECT_EQ(product(1e200, 1e200), infinity);
  EXPECT_EQ(product(-1e200, 1e200), -infinity);
  EXPECT_EQ(product(infinity, -2), -infinity);
  EXPECT_TRUE(std::isnan(product(infinity, 0)));
}

TEST(ExactSum, RemovesTermByTermToExactlyZero) {
  RandomValues random(14);
  std::vector<double> values;
  ExactSum exact;
  for (int i = 0; i < 100000; ++i) {
    values.push_back(random.ugly(-1070, 1020));
    exact.add(values.back());
  }
  random.shuffle(values);
  for (double const value : values) {
    exact.add(-value);
  }
  EXPECT_EQ(exact.to_double(), 0);
}

/// Adding terms together is adding each, to the last bit of the state.
void expect_as_each(std::vector<double> const& terms) {
  ExactSum each, together;
  for (auto const term : terms) each.add(term);
  add_terms(together, terms);
  EXPECT_EQ(each.shared_words(), together.shared_words());
  EXPECT_EQ(to_bits(each.to_double()), to_bits(together.to_double()));
}

TEST(ExactTerms, AreAddedAsEachIsWhateverTheirSizesAndNumber) {
  RandomValues random(5);
  for (auto const count : {0, 1, 31, 32, 33, 500, 1023, 1024, 1027, 5000}) {
    for (auto const spread : {0, 3, 29, 30, 31, 60, 200, 900}) {
      std::vector<double> terms;
      for (int i = 0; i < count; ++i) terms.push_back(random.ugly(-spread, spread));
      expect_as_each(terms);
      // All of one sign, and the largest that may be: no carry is lost.
      for (auto& term : terms) term = random.between(1, 2);
      expect_as_each(terms);
      for (auto& term : terms) term = std::nextafter(std::ldexp(1.0, spread + 1), 0);
      expect_as_each(terms);
      for (std::size_t i = 0; i < terms.size(); i += 3) terms[i] = 0;
      expect_as_each(terms);
    }
  }
}

TEST(ExactTerms, AreAddedAsEachIsAtTheEndsOfTheRange) {
  RandomValues random(6);
  for (auto const special : {infinity, -infinity, std::nan(""), most, -most, least, -0.0, 0x1p-1000}) {
    for (std::size_t place = 0; place < 100; place += 9) {
      std::vector<double> terms(100);
      for (auto& term : terms) term = random.normal();
      terms[place] = special;
      expect_as_each(terms);
      std::vector<double> alone(100, 0.0);
      alone[place] = special;
      expect_as_each(alone);
    }
  }
  std::vector<double> tiny(64), huge(64, most);
  for (auto& term : tiny) term = random.ugly(-1074, -1020);
  expect_as_each(tiny);
  expect_as_each(huge);
}

}  // namespace
