// SPDX-License-Identifier: Apache-2.0
#include "core/model/convert.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "io/error.hpp"

namespace {

using namespace ulpine;

template <class T>
io::StateArray array(std::string name, std::vector<T> const& values) {
  io::StateArray result{std::move(name), sizeof(T), {static_cast<std::int64_t>(values.size())}, {}};
  result.data.resize(values.size() * sizeof(T));
  std::memcpy(result.data.data(), values.data(), result.data.size());
  return result;
}

template <class T>
std::vector<T> values(io::StateArray const& source) {
  EXPECT_EQ(source.bytes_per_value, static_cast<std::int32_t>(sizeof(T)));
  std::vector<T> result(source.data.size() / sizeof(T));
  std::memcpy(static_cast<void*>(result.data()), source.data.data(), source.data.size());
  return result;
}

io::Snapshot snapshot(std::string policy, std::vector<io::StateArray> arrays) {
  io::Snapshot result;
  result.core = "sea";
  result.policy = std::move(policy);
  result.case_hash = 7;
  result.step = 11;
  result.time = 1320;
  result.arrays = std::move(arrays);
  return result;
}

// Two arrays of one shape, in another order than the layout's: only their names tell them apart.
TEST(Convert, TakesArraysByNameAndRoundsValueByValue) {
  constexpr double third = 1.0 / 3;
  auto const source =
      snapshot("fp64", {array<double>("u", {third, 1e-50, -1e300}), array<double>("v", {4, 5, 6})});
  auto const layout = snapshot("fp32", {array<float>("v", {0, 0, 0}), array<float>("u", {0, 0, 0})});
  auto const result = convert(source, layout);
  EXPECT_EQ(result.core, "sea");
  EXPECT_EQ(result.policy, "fp32");
  EXPECT_EQ(result.case_hash, 7u);
  EXPECT_EQ(result.step, 11);
  EXPECT_EQ(result.time, 1320);
  ASSERT_EQ(result.arrays.size(), 2u);
  EXPECT_EQ(result.arrays[0].name, "v");
  EXPECT_EQ(values<float>(result.arrays[0]), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(values<float>(result.arrays[1]),
            (std::vector<float>{0x1.555556p-2f, 0, -std::numeric_limits<float>::infinity()}));
}

TEST(Convert, IsExactToWiderTypesAndBack) {
  std::vector<double> const numbers = {1.0 / 3, -0x1p-1074, 1.7976931348623157e308};
  auto const doubles = snapshot("fp64", {array("h", numbers)});
  auto const wide = convert(doubles, snapshot("quad", {array<__float128>("h", {0, 0, 0})}));
  EXPECT_TRUE(values<__float128>(wide.arrays[0])[0] == static_cast<__float128>(numbers[0]));
  EXPECT_EQ(values<double>(convert(wide, doubles).arrays[0]), numbers);
}

TEST(Convert, RefusesAnotherCoreArrayOrShape) {
  auto const source = snapshot("fp64", {array<double>("u", {1, 2})});
  auto layout = snapshot("fp32", {array<float>("u", {1, 2})});
  EXPECT_NO_THROW(convert(source, layout));
  layout.core = "air";
  EXPECT_THROW(convert(source, layout), InputError);
  EXPECT_THROW(convert(source, snapshot("fp32", {array<float>("v", {1, 2})})), InputError);
  EXPECT_THROW(convert(source, snapshot("fp32", {array<float>("u", {1, 2, 3})})), InputError);
  EXPECT_THROW(convert(source, snapshot("fp32", {array<float>("u", {1, 2}), array<float>("v", {1, 2})})),
               InputError);
}

}  // namespace
