// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "core/field/hash.hpp"
#include "field/layouts.hpp"
#include "io/trace_file.hpp"
#include "precision/quad.hpp"
#include "support/raw_field.hpp"

namespace {

using ulpine::field_hash;
using ulpine::float128;
using ulpine::test::raw;

template <class T>
std::vector<T> random_values(std::size_t size, unsigned seed = 1) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(size);
  for (auto& value : values) {
    value = static_cast<T>(normal(engine));
  }
  return values;
}

template <class T>
class FieldHash : public testing::Test {};
using Scalars = testing::Types<float, double, float128>;
TYPED_TEST_SUITE(FieldHash, Scalars);

TYPED_TEST(FieldHash, IsTheSameForAnyNumberOfThreadsAndBlocksSumToIt) {
  for (std::size_t const size : {0, 1, 2, 255, 256, 257, 1000, 65537}) {
    auto const values = random_values<TypeParam>(size);
    auto const hash = field_hash(raw(values));
    for (int const threads : {1, 2, 3, 7}) {
      std::vector<std::uint64_t> blocks(
          static_cast<std::size_t>(ulpine::hash_blocks(static_cast<std::int64_t>(size))), 99);
      EXPECT_LE(blocks.size(), 256u);
      EXPECT_EQ(field_hash(raw(values, threads), blocks), hash) << size;
      EXPECT_EQ(std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}), hash) << size;
    }
  }
}

TYPED_TEST(FieldHash, SeesEveryBitOfEveryElementAndPointsToItsBlock) {
  auto values = random_values<TypeParam>(1001);
  auto const hash = field_hash(raw(values));
  std::vector<std::uint64_t> before(251), after(251);
  ASSERT_EQ(ulpine::hash_blocks(1001), 251);
  field_hash(raw(values), before);
  for (std::size_t const element : {0, 3, 4, 500, 1000}) {
    for (std::size_t bit = 0; bit < 8 * sizeof(TypeParam) - 20; ++bit) {  // below the exponent: stays finite
      auto* const byte = reinterpret_cast<unsigned char*>(&values[element]) + bit / 8;
      *byte = static_cast<unsigned char>(*byte ^ (1u << bit % 8));
      EXPECT_NE(field_hash(raw(values), after), hash);
      for (std::size_t block = 0; block < after.size(); ++block) {
        EXPECT_EQ(after[block] != before[block], block == element / 4);
      }
      *byte = static_cast<unsigned char>(*byte ^ (1u << bit % 8));
    }
  }
  EXPECT_EQ(field_hash(raw(values)), hash);
}

TYPED_TEST(FieldHash, SeesExchangesShiftsAndLength) {
  auto values = random_values<TypeParam>(500);
  auto const hash = field_hash(raw(values));
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    std::swap(values[i], values[i + 1]);
    EXPECT_NE(field_hash(raw(values)), hash) << i;
    std::swap(values[i], values[i + 1]);
  }
  values.push_back(0);
  EXPECT_NE(field_hash(raw(values)), hash);
  std::set<std::uint64_t> shifts;
  for (std::size_t place = 0; place < 64; ++place) {  // one value wandering through zeros
    std::vector<TypeParam> lone(64);
    lone[place] = 1;
    shifts.insert(field_hash(raw(lone)));
  }
  EXPECT_EQ(shifts.size(), 64u);
}

TYPED_TEST(FieldHash, TellsSignsOfZeroApartButNotNaNs) {
  TypeParam const zero = 0;
  std::vector<TypeParam> positive{zero}, negative{-zero};
  EXPECT_NE(field_hash(raw(positive)), field_hash(raw(negative)));
  auto const nan = std::numeric_limits<TypeParam>::quiet_NaN();
  std::vector<TypeParam> one{nan}, other{nan}, infinite{std::numeric_limits<TypeParam>::infinity()};
  auto* const bytes = reinterpret_cast<unsigned char*>(&other[0]);
  bytes[0] = 0x5a;                       // another payload
  bytes[sizeof(TypeParam) - 1] ^= 0x80;  // the other sign
  EXPECT_EQ(field_hash(raw(one)), field_hash(raw(other)));
  EXPECT_NE(field_hash(raw(one)), field_hash(raw(infinite)));
  bytes[sizeof(TypeParam) - 1] ^= 0x80;
  EXPECT_EQ(field_hash(raw(one)), field_hash(raw(other)));
}

TYPED_TEST(FieldHash, OfPartsByGlobalIndexSumsInAnyOrder) {
  if constexpr (!std::is_same_v<TypeParam, float128>) {
    auto const values = random_values<TypeParam>(777);
    std::vector<std::int64_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    std::uint64_t sum = 0;
    for (auto const i : order) {
      sum += ulpine::detail::element_hash(i, ulpine::to_bits(values[static_cast<std::size_t>(i)]));
    }
    EXPECT_EQ(sum, field_hash(raw(values)));
  }
}

/// The definition, point by point.
template <class T>
std::uint64_t hash_of_points(std::vector<T> const& values, std::vector<std::int64_t> const& dense) {
  std::uint64_t sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if constexpr (std::is_same_v<T, float128>) {
      std::uint64_t halves[2];
      std::memcpy(halves, &values[n], sizeof halves);
      sum += ulpine::detail::mix(ulpine::detail::mix(halves[0] ^ ulpine::detail::index_key(dense[n])) ^
                                 halves[1]);
    } else {
      sum += ulpine::detail::element_hash(dense[n], ulpine::to_bits(values[n]));
    }
  }
  return sum;
}

TYPED_TEST(FieldHash, SeesTheDenseIndexOnlyWhateverTheMemory) {
  ulpine::test::RandomValues random(6);
  for (int trial = 0; trial < 60; ++trial) {
    auto const plan = ulpine::test::random_plan(random, 1 + random.below(4), trial % 2 == 1);
    ulpine::test::LaidOut const dense(plan);
    auto const values = random_values<TypeParam>(dense.memory.size(), static_cast<unsigned>(trial));
    auto const wanted = hash_of_points(values, dense.dense);
    std::vector<std::uint64_t> blocks(
        static_cast<std::size_t>(ulpine::hash_blocks(dense.layout.global_count())));
    for (int shape = 0; shape < 4; ++shape) {
      ulpine::test::Stored<TypeParam> field(ulpine::test::LaidOut(plan.elsewhere(random, shape % 2 == 1)),
                                            values, TypeParam(9));
      field.threads = trial < 5 ? 1 + shape : 1;
      EXPECT_EQ(field_hash(field.raw(), blocks), wanted);
      EXPECT_EQ(std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}), wanted);
    }
  }
}

TYPED_TEST(FieldHash, OfPartsOfADomainAddUpToThatOfTheWholeBlockByBlock) {
  ulpine::test::RandomValues random(7);
  auto const whole = ulpine::test::MemoryPlan::dense({7, 11, 13});  // blocks of 4 values, which parts cut
  auto const values = random_values<TypeParam>(7 * 11 * 13);
  std::vector<std::uint64_t> wanted(static_cast<std::size_t>(ulpine::hash_blocks(7 * 11 * 13))), part(wanted);
  auto const hash = field_hash(raw(values), wanted);
  for (std::int64_t const cut : {1, 5, 10}) {
    std::vector<std::uint64_t> sum(wanted.size());
    std::uint64_t total = 0;
    for (int const side : {0, 1}) {
      for (int const end : {0, 1}) {
        auto plan = whole;
        plan.begin = {0, side == 0 ? 0 : cut, end == 0 ? 0 : cut};
        plan.size = {7, side == 0 ? cut : 11 - cut, end == 0 ? cut : 13 - cut};
        ulpine::test::LaidOut const place(plan.elsewhere(random, true));
        std::vector<TypeParam> own;
        for (auto const index : place.dense) own.push_back(values[static_cast<std::size_t>(index)]);
        ulpine::test::Stored<TypeParam> field(place, own, TypeParam(9));
        field.threads = 2;
        total += field_hash(field.raw(), part);
        for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += part[b];
      }
    }
    EXPECT_EQ(total, hash);
    EXPECT_EQ(sum, wanted);
  }
}

// Avalanche: each flipped input bit flips each output bit with a frequency near one half.
TEST(ElementHash, MixesEveryInputBitIntoEveryOutputBit) {
  std::mt19937_64 engine(3);
  constexpr int trials = 2000;
  for (int in = 0; in < 64; ++in) {
    std::vector<int> flips(64);
    for (int trial = 0; trial < trials; ++trial) {
      std::uint64_t const bits =
          engine() & 0xbfefffffffffffffull;  // bits 52 and 62 clear: finite whichever bit flips
      auto const index = static_cast<std::int64_t>(engine() >> 24);
      auto const flipped = bits ^ std::uint64_t{1} << in;
      auto const change =
          ulpine::detail::element_hash(index, bits) ^ ulpine::detail::element_hash(index, flipped);
      for (std::size_t out = 0; out < 64; ++out) {
        flips[out] += static_cast<int>(change >> out & 1);
      }
    }
    for (int const count : flips) {
      EXPECT_NEAR(count, trials / 2, 6 * std::sqrt(trials / 4.)) << "input bit " << in;
    }
  }
}

TEST(HashBlocks, AreTheFewestThatTheTraceFormatAllows) {
  EXPECT_EQ(ulpine::io::trace_block_size(256), 1);
  EXPECT_EQ(ulpine::io::trace_block_size(257), 2);
  EXPECT_EQ(ulpine::io::trace_block_size(1 << 22), 1 << 14);
  EXPECT_EQ(ulpine::hash_blocks(0), 0);
  EXPECT_EQ(ulpine::hash_blocks(257), 129);
}

}  // namespace
