// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <vector>

#include "core/field/hash.hpp"
#include "core/stage/trace.hpp"
#include "io/error.hpp"
#include "precision/double_float.hpp"
#include "support/positions.hpp"
#include "support/raw_field.hpp"

namespace {

using ulpine::test::at;
using ulpine::test::raw;

TEST(TraceRecorder, KeepsNamesPositionsAndHashesInTheOrderOfReports) {
  std::vector<double> const a{1, 2, 3};
  std::vector<float> const b(1000, 0.5f);
  std::vector<ulpine::StageRecord> records;
  {
    auto const recorder = ulpine::make_trace_recorder(records);
    recorder->stage_done(at(1), "advect", "a", raw(a));
    recorder->stage_done(at(1, {{"substep", 7}}), "stress", "b", raw(b, 2));
  }
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].stage, "advect");
  EXPECT_EQ(records[0].field, "a");
  EXPECT_EQ(records[0].position, at(1));
  ASSERT_EQ(records[0].record.position.size(), 1u);
  EXPECT_EQ(records[0].record.position[0].index, 1);
  EXPECT_EQ(records[0].record.count, 3);
  EXPECT_EQ(records[0].record.hash, ulpine::field_hash(raw(a)));
  EXPECT_EQ(records[0].record.blocks.size(), 3u);
  EXPECT_EQ(records[1].stage, "stress");
  EXPECT_EQ(records[1].position, at(1, {{"substep", 7}}));
  ASSERT_EQ(records[1].record.position.size(), 2u);
  EXPECT_EQ(records[1].record.position[1].loop, "substep");
  EXPECT_EQ(records[1].record.position[1].index, 7);
  EXPECT_EQ(records[1].record.hash, ulpine::field_hash(raw(b)));
  EXPECT_EQ(records[1].record.blocks.size(), 250u);
}

TEST(TraceRecorder, WritesWhatItRecords) {
  auto const path = std::filesystem::path(testing::TempDir()) / "ulpine_test_exec_trace";
  std::vector<double> const a{1, 2, 3};
  {
    ulpine::io::TraceWriter writer(path, {}, "");
    auto const recorder = ulpine::make_trace_recorder(writer);
    recorder->stage_done(at(4, {{"substep", 2}}), "advect", "a", raw(a));
    recorder->flush();
    writer.close();
  }
  auto const trace = ulpine::io::read_trace(path);
  std::filesystem::remove(path);
  ASSERT_EQ(trace.records.size(), 1u);
  EXPECT_EQ(trace.header.stages.at(trace.records[0].stage).name, "advect");
  EXPECT_EQ(trace.header.fields.at(trace.records[0].field).name, "a");
  EXPECT_EQ(trace.records[0].position, (std::vector<ulpine::io::LoopIndex>{{"step", 4}, {"substep", 2}}));
  EXPECT_EQ(trace.records[0].hash, ulpine::field_hash(raw(a)));
}

TEST(FieldCapture, KeepsTheFirstFieldAtItsPositionOnly) {
  std::vector<double> const before{1, 2}, wanted{3, std::nan("")}, after{5, 6};
  ulpine::FieldCapture capture(at(2, {{"substep", 3}}), "stress", "s11");
  capture.stage_done(at(2, {{"substep", 2}}), "stress", "s11", raw(before));
  capture.stage_done(at(2, {{"substep", 3}}), "strain", "s11", raw(before));
  capture.stage_done(at(2, {{"substep", 3}}), "stress", "s12", raw(before));
  EXPECT_FALSE(capture.found());
  capture.stage_done(at(2, {{"substep", 3}}), "stress", "s11", raw(wanted));
  capture.stage_done(at(2, {{"substep", 3}}), "stress", "s11", raw(after));
  ASSERT_TRUE(capture.found());
  EXPECT_EQ(capture.type(), ulpine::ValueType::float64);
  ASSERT_EQ(capture.bytes().size(), 16u);
  EXPECT_EQ(std::memcmp(capture.bytes().data(), wanted.data(), 16), 0);
}

template <class T>
class AddOneUlp : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(AddOneUlp, Scalars);

TYPED_TEST(AddOneUlp, MovesOneElementToTheNextNumberAwayFromZero) {
  using Limits = std::numeric_limits<TypeParam>;
  std::vector<TypeParam> const start{
      1, -1, 0, TypeParam(-0.), Limits::denorm_min(), TypeParam(1.5), Limits::min(), -Limits::max() / 2};
  for (std::size_t i = 0; i < start.size(); ++i) {
    auto values = start;
    ulpine::add_one_ulp(raw(values), static_cast<std::int64_t>(i));
    for (std::size_t j = 0; j < start.size(); ++j) {
      auto const away = std::copysign(Limits::infinity(), start[j]);
      EXPECT_EQ(values[j], i == j ? std::nextafter(start[j], away) : start[j]);
    }
  }
}

/// The 48th bit of a sum of two floats is its last.
TEST(AddOneUlpToAPair, MovesItsLowPartAwayFromZero) {
  using ulpine::DoubleFloat;
  float const largest = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  std::vector<DoubleFloat> const start{1,         -1,      0,        DoubleFloat::of(1.5f, -0x1p-25f),
                                       0x1p-149f, largest, infinity, std::nanf("")};
  auto values = start;
  auto const field = ulpine::raw_values(values.data(), std::ssize(values), ulpine::ValueType::float32_pair);
  for (std::int64_t i = 0; i < 6; ++i) ulpine::add_one_ulp(field, i);
  EXPECT_TRUE(values[0] == DoubleFloat::of(1, 0x1p-47f));
  EXPECT_TRUE(values[1] == DoubleFloat::of(-1, -0x1p-47f));
  EXPECT_TRUE(values[2] == 0x1p-149f);
  EXPECT_TRUE(values[3] == DoubleFloat::of(1.5f, -0x1p-25f + 0x1p-47f));
  EXPECT_TRUE(values[4] == 0x1p-148f);
  EXPECT_TRUE(values[5] == DoubleFloat::of(largest, 0x1p80f));
  EXPECT_THROW(ulpine::add_one_ulp(field, 6), ulpine::InputError);
  EXPECT_THROW(ulpine::add_one_ulp(field, 7), ulpine::InputError);
  values[0] = DoubleFloat::of(largest, std::nextafter(0x1p103f, 0.0f));
  ulpine::add_one_ulp(field, 0);
  EXPECT_TRUE(values[0] < DoubleFloat::of(largest, std::nextafter(0x1p103f, 0.0f)) && values[0] > largest);
}

TYPED_TEST(AddOneUlp, NeverLeavesTheFiniteNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  std::vector<TypeParam> values{Limits::max(), Limits::lowest(), Limits::infinity(), Limits::quiet_NaN()};
  ulpine::add_one_ulp(raw(values), 0);
  ulpine::add_one_ulp(raw(values), 1);
  EXPECT_EQ(values[0], std::nextafter(Limits::max(), TypeParam(0)));
  EXPECT_EQ(values[1], std::nextafter(Limits::lowest(), TypeParam(0)));
  for (std::int64_t const bad : {2, 3, 4, -1}) {
    EXPECT_THROW(ulpine::add_one_ulp(raw(values), bad), ulpine::InputError);
  }
}

}  // namespace
