// SPDX-License-Identifier: Apache-2.0
#include "io/state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "io/error.hpp"
#include "precision/double_float.hpp"

namespace ulpine::io {
namespace {

struct Numbered {
  std::string name;
  ValueType type;
  std::vector<std::byte> data;
};

template <class T>
Numbered array(std::string const& name, std::vector<T> const& values) {
  Numbered result{name, value_type_of<T>, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(result.data.data(), static_cast<void const*>(values.data()), result.data.size());
  return result;
}

StoredState state(std::string const& policy, std::vector<Numbered> const& arrays) {
  StateHeader header{"sea", policy, 7, 11, 1320, {}};
  for (auto const& [name, type, data] : arrays) {
    header.arrays.push_back({name, type, {static_cast<std::int64_t>(data.size()) / bytes_of(type)}});
  }
  StoredState result{header};
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    std::memcpy(result.bytes(k).data(), arrays[k].data.data(), arrays[k].data.size());
  }
  return result;
}

template <class T>
std::vector<T> values(StateReader const& source, std::size_t array) {
  auto const& info = source.header().arrays.at(array);
  EXPECT_EQ(info.type, value_type_of<T>);
  std::vector<T> result(static_cast<std::size_t>(info.size()));
  source.read(array, 0, info.size(), reinterpret_cast<std::byte*>(result.data()));
  return result;
}

TEST(ValueType, KnowsItsBytes) {
  EXPECT_EQ(bytes_of(value_type_of<std::uint8_t>), 1);
  EXPECT_EQ(bytes_of(value_type_of<float>), 4);
  EXPECT_EQ(bytes_of(value_type_of<double>), 8);
  EXPECT_EQ(bytes_of(value_type_of<__float128>), 16);
  EXPECT_EQ(bytes_of(value_type_of<DoubleFloat>), 8);
}

TEST(StoredState, IsACopyThatIsReadInPieces) {
  auto const source = state("fp64", {array<double>("u", {1, 2, 3, 4, 5}), array<std::uint8_t>("m", {1, 0})});
  StoredState const copy{source};
  EXPECT_EQ(copy.header().arrays, source.header().arrays);
  EXPECT_EQ(copy.header().time, 1320);
  double part[2] = {};
  copy.read(0, 2, 2, reinterpret_cast<std::byte*>(part));
  EXPECT_EQ(part[0], 3);
  EXPECT_EQ(part[1], 4);
  EXPECT_EQ(values<std::uint8_t>(copy, 1), (std::vector<std::uint8_t>{1, 0}));
  auto* const bytes = reinterpret_cast<std::byte*>(part);
  EXPECT_THROW(copy.read(0, 4, 2, bytes), std::out_of_range);
  EXPECT_THROW(copy.read(0, -1, 1, bytes), std::out_of_range);
  EXPECT_THROW(copy.read(2, 0, 1, bytes), std::out_of_range);
}

// Two arrays of one shape, in another order than the layout's: only their names tell them apart.
TEST(Convert, TakesArraysByNameAndRoundsValueByValue) {
  constexpr double third = 1.0 / 3;
  auto const source = state("fp64", {array<double>("u", {third, 1e-50, -1e300, -0.0, std::nan("")}),
                                     array<double>("v", {4, 5, 6, 7, 8})});
  auto layout =
      state("fp32", {array<float>("v", {0, 0, 0, 0, 0}), array<float>("u", {0, 0, 0, 0, 0})}).header();
  layout.step = 0;

  auto const result = convert(source, layout);

  EXPECT_EQ(result->header().core, "sea");
  EXPECT_EQ(result->header().policy, "fp32");
  EXPECT_EQ(result->header().case_hash, 7u);
  EXPECT_EQ(result->header().step, 11);
  EXPECT_EQ(result->header().time, 1320);
  EXPECT_EQ(result->header().arrays, layout.arrays);
  EXPECT_EQ(values<float>(*result, 0), (std::vector<float>{4, 5, 6, 7, 8}));
  auto const u = values<float>(*result, 1);
  EXPECT_EQ(u[0], 0x1.555556p-2f);
  EXPECT_EQ(u[1], 0);
  EXPECT_EQ(u[2], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(u[3] == 0 && std::signbit(u[3]));
  EXPECT_TRUE(std::isnan(u[4]));
}

TEST(Convert, IsExactToWiderTypesAndBack) {
  std::vector<double> const numbers = {1.0 / 3, -0x1p-1074, 1.7976931348623157e308};
  auto const doubles = state("fp64", {array("h", numbers)});
  auto const wide = convert(doubles, state("quad", {array<__float128>("h", {0, 0, 0})}).header());
  EXPECT_TRUE(values<__float128>(*wide, 0)[0] == static_cast<__float128>(numbers[0]));
  EXPECT_EQ(values<double>(*convert(*wide, doubles.header()), 0), numbers);
}

TEST(Convert, TakesPairsOfFloatsForTheNumbersThatTheyAre) {
  std::vector<DoubleFloat> const numbers = {DoubleFloat(0.1), DoubleFloat::of(1, 0x1p-60f), -3};
  auto const pairs = state("df32", {array("h", numbers)});
  auto const doubles = convert(pairs, state("fp64", {array<double>("h", {0, 0, 0})}).header());
  EXPECT_EQ(values<double>(*doubles, 0), (std::vector<double>{static_cast<double>(numbers[0]), 1, -3}));
  EXPECT_TRUE(values<DoubleFloat>(*convert(*doubles, pairs.header()), 0)[0] == numbers[0]);
  auto const wide = convert(pairs, state("quad", {array<__float128>("h", {0, 0, 0})}).header());
  EXPECT_TRUE(values<__float128>(*wide, 0)[1] == 1 + static_cast<__float128>(0x1p-60));
  auto const again = values<DoubleFloat>(*convert(*wide, pairs.header()), 0);
  auto const floats = convert(pairs, state("fp32", {array<float>("h", {0, 0, 0})}).header());
  EXPECT_EQ(values<float>(*floats, 0), (std::vector<float>{0.1f, 1, -3}));
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_TRUE(again[i] == numbers[i]) << i;
}

/// Values that are their own numbers, made as they are asked for.
class Counting : public StateReader {
 public:
  explicit Counting(std::int64_t size)
      : header_{"sea", "quad", 0, 0, 0, {{"n", ValueType::binary128, {size}}}} {}
  StateHeader const& header() const override { return header_; }
  void read(std::size_t, std::int64_t first, std::int64_t count, std::byte* values) const override {
    largest = std::max(largest, count * 16);
    for (std::int64_t i = 0; i < count; ++i) {
      auto const value = static_cast<__float128>(first + i);
      std::memcpy(values + 16 * i, &value, sizeof value);
    }
  }
  mutable std::int64_t largest = 0;

 private:
  StateHeader header_;
};

TEST(Convert, HoldsLittleOfWhatItConverts) {
  constexpr std::int64_t size = 3'000'001;  // 48 MB
  Counting const source{size};
  auto layout = source.header();
  layout.arrays[0].type = ValueType::float32;
  auto const converted = convert(source, layout);
  std::vector<float> values(size - 7);
  converted->read(0, 7, size - 7, reinterpret_cast<std::byte*>(values.data()));
  for (std::int64_t i = 0; i < size - 7; ++i) {
    ASSERT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(i + 7));
  }
  EXPECT_LE(source.largest, 4 << 20);
}

TEST(Convert, RefusesAnotherCoreArrayShapeOrKind) {
  auto const source = state("fp64", {array<double>("u", {1, 2})});
  auto const layout = [](std::vector<Numbered> const& arrays) { return state("fp32", arrays).header(); };
  auto same = layout({array<float>("u", {1, 2})});
  EXPECT_NO_THROW(convert(source, same));
  same.core = "air";
  EXPECT_THROW(convert(source, same), InputError);
  EXPECT_THROW(convert(source, layout({array<float>("v", {1, 2})})), InputError);
  EXPECT_THROW(convert(source, layout({array<float>("u", {1, 2, 3})})), InputError);
  EXPECT_THROW(convert(source, layout({array<float>("u", {1, 2}), array<float>("v", {1, 2})})), InputError);
  EXPECT_THROW(convert(source, layout({array<std::uint8_t>("u", {1, 2})})), InputError);
}

}  // namespace
}  // namespace ulpine::io
