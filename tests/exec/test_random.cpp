// SPDX-License-Identifier: Apache-2.0
#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "core/exec/random.hpp"

namespace {

using ulpine::name_key;
using ulpine::philox_block;
using ulpine::uniform_symmetric;
using Block = ulpine::PhiloxCounter;

// The known answers that the authors of Philox publish with Random123 (kat_vectors, philox4x32 with 10
// rounds).
TEST(Philox, GivesTheAuthorsKnownAnswers) {
  EXPECT_EQ(philox_block({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_block({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, HasTheBitsOfRandom123) {
  std::mt19937_64 engine(4);
  r123::Philox4x32 const philox;
  for (int i = 0; i < 1000000; ++i) {
    auto const a = engine(), b = engine(), k = engine();
    Block const counter{static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32),
                        static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(b >> 32)};
    ulpine::PhiloxKey const key{static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32)};
    auto const expected = philox({{counter.words[0], counter.words[1], counter.words[2], counter.words[3]}},
                                 {{key.words[0], key.words[1]}});
    ASSERT_EQ(philox_block(counter, key), (Block{expected[0], expected[1], expected[2], expected[3]})) << i;
  }
}

TEST(Philox, IsAConstantExpression) {
  static_assert(philox_block({0, 0, 0, 0}, {0, 0}).words[0] == 0x6627e8d5);
  static_assert(uniform_symmetric(1, 2, 3, 4) != uniform_symmetric(1, 2, 3, 5));
}

// The 32-bit FNV-1a values of the empty word, "a" and "foobar" published with the function (Fowler, Noll,
// Vo).
TEST(NameKey, IsFnv1a) {
  EXPECT_EQ(name_key(""), 0x811c9dc5u);
  EXPECT_EQ(name_key("a"), 0xe40c292cu);
  EXPECT_EQ(name_key("foobar"), 0xbf9cf968u);
}

TEST(UniformSymmetric, IsTheSignedUpper54BitsOfTheBlock) {
  auto const [words] = philox_block({5, 1, 7, name_key("h")}, {0x89abcdef, 0x01234567});
  auto const bits = static_cast<std::int64_t>(std::uint64_t{words[1]} << 32 | words[0]);
  EXPECT_EQ(uniform_symmetric(0x0123456789abcdef, 7, name_key("h"), (std::int64_t{1} << 32) + 5),
            std::ldexp(static_cast<double>(bits >> 10), -53));
}

TEST(UniformSymmetric, IsUniform) {
  constexpr int bins = 64, per_bin = 4096;
  std::vector<int> counts(bins);
  double sum = 0, squares = 0, neighbours = 0, last = 0;
  for (std::int64_t i = 0; i < bins * per_bin; ++i) {
    auto const x = uniform_symmetric(1, 0, name_key("ice"), i);
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 1);
    ++counts[static_cast<std::size_t>((x + 1) * (bins / 2))];
    sum += x, squares += x * x, neighbours += x * last, last = x;
  }
  double chi_square = 0;
  for (int const count : counts) {
    chi_square += (count - per_bin) * double(count - per_bin) / per_bin;
  }
  // 63 degrees of freedom: outside [29, 117] with probability 1e-4 (fixed numbers, so it cannot fail by
  // chance).
  EXPECT_GT(chi_square, 29);
  EXPECT_LT(chi_square, 117);
  double const n = bins * per_bin;
  EXPECT_LT(std::abs(sum / n), 4 * std::sqrt(1 / 3. / n));                // standard error of the mean
  EXPECT_LT(std::abs(squares / n - 1 / 3.), 4 * std::sqrt(4 / 45. / n));  // variance of x^2: 4/45
  EXPECT_LT(std::abs(neighbours / n), 4 * std::sqrt(1 / 9. / n));         // no correlation of neighbours
}

TEST(UniformSymmetric, DependsOnEveryPartOfTheKeyAndOnNothingElse) {
  auto const x = uniform_symmetric(3, 2, name_key("a"), 10);
  std::set<double> const others{uniform_symmetric(3 + (1ull << 32), 2, name_key("a"), 10),
                                uniform_symmetric(4, 2, name_key("a"), 10),
                                uniform_symmetric(3, 3, name_key("a"), 10),
                                uniform_symmetric(3, 2, name_key("b"), 10),
                                uniform_symmetric(3, 2, name_key("a"), 11),
                                uniform_symmetric(3, 2, name_key("a"), 10 + (std::int64_t{1} << 32))};
  EXPECT_EQ(others.size(), 6u);
  EXPECT_FALSE(others.contains(x));
  EXPECT_EQ(uniform_symmetric(3, 2, name_key("a"), 10), x);
}

}  // namespace
