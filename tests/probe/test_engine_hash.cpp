// SPDX-License-Identifier: Apache-2.0
// The probe's hash of arrays: that of core/field for the same data, whatever the memory, the parts and the
// processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/field/hash.hpp"
#include "field/layouts.hpp"
#include "probe/source/hash.hpp"
#include "probe/source/part.hpp"
#include "support/random_values.hpp"
#include "support/raw_field.hpp"

namespace {

using ulpine::probe::add_hashes;
using ulpine::probe::BlockSums;
using ulpine::probe::HashPath;
using ulpine::probe::part_of;
using ulpine::test::RandomValues;

using Blocks = std::vector<std::uint64_t>;

std::vector<HashPath> paths() {
  std::vector<HashPath> found;
  for (auto const path : {HashPath::scalar, HashPath::avx2, HashPath::avx512}) {
    if (ulpine::probe::has(path)) found.push_back(path);
  }
  return found;
}

ulpine_array dense_array(void const* data, int type, std::vector<std::int64_t> const& extents) {
  ulpine_array array{};
  array.data = const_cast<void*>(data);
  array.type = type;
  array.rank = static_cast<int>(extents.size());
  std::ranges::copy(extents, array.extent);
  return array;
}

Blocks blocks_of(std::vector<ulpine_array> const& arrays, HashPath path = ulpine::probe::best_hash_path(),
                 bool zeros_equal = false) {
  Blocks blocks;
  for (auto const& array : arrays) {
    auto const part = part_of("t", 1, array);
    BlockSums sums(part.whole_count());
    add_hashes(part, sums, zeros_equal, path);
    blocks.resize(static_cast<std::size_t>(sums.blocks()));
    sums.add_to(blocks);
  }
  return blocks;
}

template <class T>
Blocks core_blocks(ulpine::RawField const& field) {
  Blocks blocks(static_cast<std::size_t>(ulpine::hash_blocks(field.layout.global_count())));
  ulpine::field_hash(field, blocks);
  return blocks;
}

/// Numbers of all magnitudes, some of them NaN, infinite or zeros of both signs.
template <class T>
std::vector<T> ugly_values(std::size_t size, unsigned seed) {
  RandomValues random(seed);
  std::vector<T> values(size);
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (auto& value : values) {
    auto bits = static_cast<Bits>(random.below(std::uint64_t{1} << 62) * 0x9e3779b97f4a7c15ull >>
                                  (64 - 8 * sizeof(T)));
    switch (random.below(12)) {
      case 0:
        bits |= std::bit_cast<Bits>(
            std::numeric_limits<T>::infinity());  // infinite, or a NaN of any payload and sign
        break;
      case 1:
        bits = static_cast<Bits>(bits << (8 * sizeof(T) - 1));
        break;
      default:
        break;
    }
    value = std::bit_cast<T>(bits);
  }
  return values;
}

template <class T>
constexpr int type_of = std::is_same_v<T, double> ? ULPINE_F64 : ULPINE_F32;

template <class T>
class EngineHash : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(EngineHash, Scalars);

TYPED_TEST(EngineHash, OfDenseArraysIsThatOfCoreOnEveryProcessor) {
  for (std::int64_t const size : {0, 1, 2, 3, 4, 5, 7, 8, 31, 255, 256, 257, 1000, 65537}) {
    auto const values = ugly_values<TypeParam>(static_cast<std::size_t>(size), static_cast<unsigned>(size));
    auto const expected = core_blocks<TypeParam>(ulpine::test::raw(values));
    for (auto const path : paths()) {
      EXPECT_EQ(blocks_of({dense_array(values.data(), type_of<TypeParam>, {size})}, path), expected)
          << size << " elements, path " << static_cast<int>(path);
    }
  }
}

/// The array that a layout of core describes, in C's order of axes or in Fortran's.
template <class T>
ulpine_array array_of(ulpine::Layout const& layout, std::vector<T> const& memory, bool fastest_first) {
  ulpine_array array{};
  array.data = const_cast<T*>(memory.data()) + layout.offset();
  array.type = type_of<T>;
  array.rank = layout.rank();
  array.flags = fastest_first ? ULPINE_FASTEST_FIRST : 0;
  for (int a = 0; a < layout.rank(); ++a) {
    auto const to = fastest_first ? layout.rank() - 1 - a : a;
    auto const& axis = layout.axis(a);
    array.extent[to] = axis.extent;
    array.stride[to] = axis.stride * static_cast<std::int64_t>(sizeof(T));
    array.first[to] = axis.begin;
    array.whole[to] = axis.global_extent;
  }
  return array;
}

TYPED_TEST(EngineHash, OfPartsWithHalosInAnyMemoryIsThatOfCore) {
  RandomValues random(3);
  for (int trial = 0; trial < 200; ++trial) {
    auto const plan = ulpine::test::random_plan(random, 1 + random.below(4), trial % 2 == 1);
    ulpine::test::LaidOut const laid_out(plan);
    auto layout = laid_out.layout;
    if (!laid_out.positions->empty()) continue;  // their numbers are tried below
    auto const memory = ugly_values<TypeParam>(static_cast<std::size_t>(layout.allocated()) + 64,
                                               static_cast<unsigned>(trial));
    auto const expected = core_blocks<TypeParam>(
        {const_cast<TypeParam*>(memory.data()), layout, ulpine::value_type_of<TypeParam>});
    for (auto const fastest_first : {false, true}) {
      EXPECT_EQ(blocks_of({array_of(layout, memory, fastest_first)}), expected) << trial;
    }
  }
}

TYPED_TEST(EngineHash, DoesNotDependOnParts) {
  RandomValues random(4);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<std::int64_t> const extents = {static_cast<std::int64_t>(1 + random.below(9)),
                                               static_cast<std::int64_t>(1 + random.below(40)),
                                               static_cast<std::int64_t>(1 + random.below(30))};
    auto const count = extents[0] * extents[1] * extents[2];
    auto const values = ugly_values<TypeParam>(static_cast<std::size_t>(count), static_cast<unsigned>(trial));
    auto const whole = dense_array(values.data(), type_of<TypeParam>, extents);
    std::vector<ulpine_array> parts;
    // Cuts along each axis; the parts keep the strides of the whole.
    std::vector<std::vector<std::int64_t>> cuts;
    for (auto const extent : extents) {
      std::vector<std::int64_t> cut = {0, extent};
      for (auto n = random.below(4); n > 0; --n)
        cut.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(extent))));
      std::ranges::sort(cut);
      cuts.push_back(cut);
    }
    for (std::size_t k = 0; k + 1 < cuts[0].size(); ++k) {
      for (std::size_t j = 0; j + 1 < cuts[1].size(); ++j) {
        for (std::size_t i = 0; i + 1 < cuts[2].size(); ++i) {
          auto part = whole;
          std::int64_t const first[] = {cuts[0][k], cuts[1][j], cuts[2][i]};
          std::int64_t const end[] = {cuts[0][k + 1], cuts[1][j + 1], cuts[2][i + 1]};
          std::int64_t const stride[] = {extents[1] * extents[2], extents[2], 1};
          auto const* data = values.data();
          for (int a = 0; a < 3; ++a) {
            part.extent[a] = end[a] - first[a];
            part.stride[a] = stride[a] * static_cast<std::int64_t>(sizeof(TypeParam));
            part.first[a] = first[a];
            part.whole[a] = extents[static_cast<std::size_t>(a)];
            data += first[a] * stride[a];
          }
          part.data = const_cast<TypeParam*>(data);
          parts.push_back(part);
        }
      }
    }
    random.shuffle(parts);
    EXPECT_EQ(blocks_of(parts), blocks_of({whole})) << trial;
  }
}

TYPED_TEST(EngineHash, FollowsNegativeStridesAndNumbersAlongAnyAxis) {
  RandomValues random(5);
  std::int64_t const extents[] = {7, 40, 9};
  auto const values = ugly_values<TypeParam>(7 * 40 * 9, 5);
  auto const whole = dense_array(values.data(), type_of<TypeParam>, {7, 40, 9});
  auto const expected = blocks_of({whole});
  for (int axis = 0; axis < 3; ++axis) {
    // Memory in the opposite order along the axis.
    std::int64_t const strides[] = {40 * 9, 9, 1};
    std::vector<TypeParam> mirrored(values.size()), shuffled(values.size());
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(extents[axis]));
    std::iota(numbers.begin(), numbers.end(), 0);
    random.shuffle(numbers);
    std::rotate(numbers.begin(), numbers.begin() + 1, numbers.end());
    for (std::int64_t n = 0; n < 7 * 40 * 9; ++n) {
      auto const at = n / strides[axis] % extents[axis];
      mirrored[static_cast<std::size_t>(n + (extents[axis] - 1 - 2 * at) * strides[axis])] =
          values[static_cast<std::size_t>(n)];
      auto const place = std::ranges::find(numbers, at) - numbers.begin();
      shuffled[static_cast<std::size_t>(n + (place - at) * strides[axis])] =
          values[static_cast<std::size_t>(n)];
    }
    auto array = whole;
    array.data = mirrored.data() + (extents[axis] - 1) * strides[axis];
    for (int a = 0; a < 3; ++a)
      array.stride[a] = strides[a] * static_cast<std::int64_t>(sizeof(TypeParam)) * (a == axis ? -1 : 1);
    EXPECT_EQ(blocks_of({array}), expected) << "axis " << axis << " backwards";
    array = whole;
    array.data = shuffled.data();
    array.numbers = numbers.data();
    array.numbered = axis;
    EXPECT_EQ(blocks_of({array}), expected) << "axis " << axis << " by numbers";
    EXPECT_NE(blocks_of({dense_array(shuffled.data(), type_of<TypeParam>, {7, 40, 9})}), expected);
    // The same as two parts by numbers.
    auto first = array, second = array;
    first.extent[axis] = 3;
    second.extent[axis] -= 3;
    second.data = shuffled.data() + 3 * strides[axis];
    second.numbers = numbers.data() + 3;
    for (auto* const part : {&first, &second}) {
      std::ranges::copy(extents, part->whole);
      for (int a = 0; a < 3; ++a) part->stride[a] = strides[a] * static_cast<std::int64_t>(sizeof(TypeParam));
    }
    EXPECT_EQ(blocks_of({second, first}), expected) << "axis " << axis << " in two parts";
  }
}

TYPED_TEST(EngineHash, TakesDensePartsSingleNumbersAndFortransAxes) {
  auto const values = ugly_values<TypeParam>(6 * 5, 12);
  auto const expected = blocks_of({dense_array(values.data(), type_of<TypeParam>, {6, 5})});
  // Each column, dense in memory of its own, at its number along the fastest axis.
  for (bool const fortran : {false, true}) {
    std::vector<std::vector<TypeParam>> columns;
    std::vector<std::int64_t> const numbers = {0, 1, 2, 3, 4};
    std::vector<ulpine_array> first, numbered;
    for (std::size_t i = 0; i < 5; ++i) {
      auto& column = columns.emplace_back();
      for (std::size_t j = 0; j < 6; ++j) column.push_back(values[5 * j + i]);
      auto array = dense_array(column.data(), type_of<TypeParam>, {6, 1});
      auto const fastest = fortran ? 0 : 1;
      array.flags = fortran ? ULPINE_FASTEST_FIRST : 0;
      array.extent[fastest] = 1;
      array.extent[1 - fastest] = 6;
      array.whole[fastest] = 5;
      array.whole[1 - fastest] = 6;
      numbered.push_back(array);
      numbered.back().numbers = &numbers[i];
      numbered.back().numbered = fastest;
      array.first[fastest] = static_cast<std::int64_t>(i);
      first.push_back(array);
    }
    EXPECT_EQ(blocks_of(first), expected) << fortran;
    EXPECT_EQ(blocks_of(numbered), expected) << fortran;
  }
  std::vector<TypeParam> left, right;
  for (std::size_t n = 0; n < 30; ++n) (n % 5 < 2 ? left : right).push_back(values[n]);
  auto a = dense_array(left.data(), type_of<TypeParam>, {6, 2});
  auto b = dense_array(right.data(), type_of<TypeParam>, {6, 3});
  for (auto* const part : {&a, &b}) {
    part->whole[0] = 6;
    part->whole[1] = 5;
  }
  b.first[1] = 2;
  EXPECT_EQ(blocks_of({a, b}), expected);
}

TYPED_TEST(EngineHash, SeesExchangesSignsOfZeroAndTheLastBitButNotThePayloadOfNaN) {
  using Limits = std::numeric_limits<TypeParam>;
  auto values = ugly_values<TypeParam>(3000, 9);
  values[7] = 1;
  values[2000] = 0;
  values[11] = Limits::quiet_NaN();
  values[12] = 2;
  auto const hash = [&](bool zeros_equal = false) {
    std::vector<Blocks> all;
    for (auto const path : paths())
      all.push_back(blocks_of({dense_array(values.data(), type_of<TypeParam>, {3000})}, path, zeros_equal));
    for (auto const& one : all) EXPECT_EQ(one, all[0]);
    return all[0];
  };
  auto const before = hash(), before_zeros = hash(true);
  std::swap(values[7], values[2000]);
  EXPECT_NE(hash(), before);
  std::swap(values[7], values[2000]);
  values[2000] = -values[2000];
  EXPECT_NE(hash(), before);
  EXPECT_EQ(hash(true), before_zeros);
  values[2000] = Limits::denorm_min();
  EXPECT_NE(hash(true), before_zeros);
  values[2000] = 0;
  values[7] += Limits::epsilon();
  EXPECT_NE(hash(), before);
  auto const now = hash();
  for (std::size_t block = 0; block < now.size(); ++block)
    EXPECT_EQ(now[block] != before[block], block == 0) << block;
  values[7] = 1;
  auto* const bytes = reinterpret_cast<unsigned char*>(&values[11]);
  bytes[0] ^= 0x5a;
  bytes[sizeof(TypeParam) - 1] ^= 0x80;
  EXPECT_EQ(hash(), before);
  values[11] = Limits::infinity();
  EXPECT_NE(hash(), before);
}

/// The definition for integers, element by element: mix(bits ^ key), as unsigned words of 32 or 64 bits.
template <class T>
std::uint64_t hash_of_integers(std::vector<T> const& values) {
  std::uint64_t sum = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    sum += ulpine::detail::mix(static_cast<Word>(values[n]) ^
                               ulpine::detail::index_key(static_cast<std::int64_t>(n)));
  }
  return sum;
}

std::uint64_t sum_of(Blocks const& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
}

template <class T>
std::vector<T> random_integers() {
  RandomValues random(6);
  std::vector<T> values(1003);
  for (auto& value : values)
    value = static_cast<T>(random.below(std::uint64_t{1} << 62) * 0x9e3779b97f4a7c15ull >> 17);
  values[3] = std::numeric_limits<T>::min();
  values[4] = static_cast<T>(-1);
  // The bits of a NaN of the same size: other ones differ.
  if constexpr (sizeof(T) == 8) values[5] = static_cast<T>(0x7ff8000000000001ull);
  if constexpr (sizeof(T) == 4) values[5] = static_cast<T>(0x7fc00001u);
  return values;
}

TEST(EngineHash, OfIntegersIsThatOfTheirBits) {
  auto const check = [](auto const& values, int type) {
    for (auto const path : paths()) {
      EXPECT_EQ(sum_of(blocks_of({dense_array(values.data(), type, {1003})}, path)), hash_of_integers(values))
          << type;
    }
    auto changed = values;
    changed[5] ^= 1;
    EXPECT_NE(blocks_of({dense_array(changed.data(), type, {1003})}),
              blocks_of({dense_array(values.data(), type, {1003})}))
        << type;
  };
  check(random_integers<std::int8_t>(), ULPINE_I8);
  check(random_integers<std::int16_t>(), ULPINE_I16);
  check(random_integers<std::int32_t>(), ULPINE_I32);
  check(random_integers<std::int64_t>(), ULPINE_I64);
  // The same numbers in 8, 16 and 32 bits.
  auto const bytes = random_integers<std::int8_t>();
  std::vector<std::int16_t> const shorts(bytes.begin(), bytes.end());
  std::vector<std::int32_t> const words(bytes.begin(), bytes.end());
  auto const expected = blocks_of({dense_array(bytes.data(), ULPINE_I8, {1003})});
  EXPECT_EQ(blocks_of({dense_array(shorts.data(), ULPINE_I16, {1003})}), expected);
  EXPECT_EQ(blocks_of({dense_array(words.data(), ULPINE_I32, {1003})}), expected);
}

TEST(EngineHash, OfTruthValuesIsThatOfZeroAndOneWhateverTheirSizeAndTrueBits) {
  RandomValues random(7);
  std::vector<std::int32_t> plain(1000);
  std::vector<std::uint8_t> bytes(1000);
  std::vector<std::int32_t> words(1000);
  std::vector<std::int64_t> longs(1000);
  for (std::size_t n = 0; n < plain.size(); ++n) {
    plain[n] = random.below(2) == 1 ? 1 : 0;
    bytes[n] = static_cast<std::uint8_t>(plain[n] * 255);
    words[n] = plain[n] * static_cast<std::int32_t>(0x80000000u >> random.below(32));
    longs[n] = plain[n] * (std::int64_t{1} << random.below(63));
  }
  auto const expected = hash_of_integers(plain);
  EXPECT_EQ(sum_of(blocks_of({dense_array(bytes.data(), ULPINE_L8, {1000})})), expected);
  EXPECT_EQ(sum_of(blocks_of({dense_array(words.data(), ULPINE_L32, {1000})})), expected);
  EXPECT_EQ(sum_of(blocks_of({dense_array(plain.data(), ULPINE_L32, {1000})})), expected);
  EXPECT_EQ(sum_of(blocks_of({dense_array(longs.data(), ULPINE_L64, {1000})})), expected);
}

TEST(EngineHash, OfComplexNumbersIsThatOfTheirPartsOneAfterTheOther) {
  auto const values = ugly_values<double>(600, 8);
  auto const single = ugly_values<float>(600, 8);
  for (auto const flags : {0, int{ULPINE_FASTEST_FIRST}}) {
    auto array = dense_array(values.data(), ULPINE_C64, {30, 10});
    array.flags = flags;
    EXPECT_EQ(blocks_of({array}), core_blocks<double>(ulpine::test::raw(values)));
    array.type = ULPINE_C32;
    array.data = const_cast<float*>(single.data());
    EXPECT_EQ(blocks_of({array}), core_blocks<float>(ulpine::test::raw(single)));
  }
  // Of a field of derived types: every third number of 16 bytes.
  std::vector<double> spread(1800);
  for (std::size_t n = 0; n < 300; ++n) {
    spread[6 * n] = values[2 * n];
    spread[6 * n + 1] = values[2 * n + 1];
  }
  auto array = dense_array(spread.data(), ULPINE_C64, {300});
  array.stride[0] = 48;
  EXPECT_EQ(blocks_of({array}), core_blocks<double>(ulpine::test::raw(values)));
}

TEST(EngineHash, OfSevenAxesIsThatOfThePointsInOrder) {
  auto const values = ugly_values<double>(2 * 3 * 2 * 5 * 1 * 3 * 4, 10);
  auto const expected = core_blocks<double>(ulpine::test::raw(values));
  EXPECT_EQ(blocks_of({dense_array(values.data(), ULPINE_F64, {2, 3, 2, 5, 1, 3, 4})}), expected);
  auto fortran = dense_array(values.data(), ULPINE_F64, {4, 3, 1, 5, 2, 3, 2});
  fortran.flags = ULPINE_FASTEST_FIRST;
  EXPECT_EQ(blocks_of({fortran}), expected);
  EXPECT_EQ(blocks_of({dense_array(values.data(), ULPINE_F64, {})}),
            core_blocks<double>(ulpine::raw_values(values.data(), 1, ulpine::ValueType::float64)));
}

TEST(EngineHash, RowsHaveConsecutivePlaces) {
  RandomValues random(11);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<std::int64_t> memory(4000), seen;
    std::iota(memory.begin(), memory.end(), 0);
    auto array = dense_array(memory.data(), ULPINE_I64, {4, 5, 6});
    std::int64_t const whole[] = {9, 10, 11};
    std::vector<std::int64_t> numbers = {3, 4, 5, 1, 7, 8};
    auto const axis = static_cast<int>(random.below(4));
    for (int a = 0; a < 3; ++a) {
      array.whole[a] = whole[a];
      array.first[a] = a == axis ? 0 : static_cast<std::int64_t>(random.below(4));
      array.stride[a] = static_cast<std::int64_t>(8 * (1 + random.below(100)));
    }
    if (axis < 3) {
      array.numbers = numbers.data();
      array.numbered = axis;
    }
    auto const part = part_of("t", 1, array);
    std::vector<std::pair<std::int64_t, std::int64_t>> expected, found;
    for (std::int64_t k = 0; k < 4; ++k) {
      for (std::int64_t j = 0; j < 5; ++j) {
        for (std::int64_t i = 0; i < 6; ++i) {
          std::int64_t const at[] = {k, j, i};
          std::int64_t index = 0, place = 0;
          for (int a = 0; a < 3; ++a) {
            index = index * whole[a] +
                    (a == axis ? numbers[static_cast<std::size_t>(at[a])] : array.first[a] + at[a]);
            place += at[a] * array.stride[a] / 8;
          }
          expected.emplace_back(index, place);
        }
      }
    }
    ulpine::probe::for_each_row(
        part, [&](std::int64_t index, std::byte* address, std::int64_t count, std::int64_t stride) {
          for (std::int64_t n = 0; n < count; ++n) {
            std::int64_t value = 0;
            std::memcpy(&value, address + n * stride, sizeof value);
            found.emplace_back(index + n, value);
          }
        });
    std::ranges::sort(expected);
    std::ranges::sort(found);
    EXPECT_EQ(found, expected) << trial;
  }
}

}  // namespace
