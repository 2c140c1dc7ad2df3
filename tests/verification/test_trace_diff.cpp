// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/trace_diff.hpp"

#include <gtest/gtest.h>

#include "io/error.hpp"
#include "support/random_values.hpp"

namespace ulpine::verification {
namespace {

using test::RandomValues;
using Kind = Divergence::Kind;

/// A record of `count` elements whose blocks hash to 1, 2, ... and sum to the whole.
io::TraceRecord record(std::int64_t step, std::int64_t substep, std::uint16_t stage, std::uint16_t field,
                       std::int64_t count) {
  io::TraceRecord result{{{"step", step}, {"tracer", 1}, {"substep", substep}}, stage, field, count, 0, {}};
  std::int64_t const size = io::trace_block_size(count);
  for (std::int64_t first = 0; first < count; first += size) {
    result.blocks.push_back(std::uint64_t(result.blocks.size()) + 1);
    result.hash += result.blocks.back();
  }
  return result;
}

void alter(io::TraceRecord& record, std::size_t block) {
  record.blocks[block] += 1000;
  record.hash += 1000;
}

/// Two steps of two stages with three sub-steps.
io::Trace trace() {
  io::Trace result;
  result.header.stages = {{"seaice.stress"}, {"seaice.velocity", {{"policy", "fp32"}}}};
  result.header.fields = {{"s11"}, {"u"}};
  for (std::int64_t step = 1; step <= 2; ++step) {
    for (std::int64_t substep = 1; substep <= 3; ++substep) {
      result.records.push_back(record(step, substep, 0, 0, 1000));
      result.records.push_back(record(step, substep, 1, 1, 65 * 65));
    }
  }
  return result;
}

TEST(TraceDiff, OfEqualTracesIsNone) {
  EXPECT_FALSE(first_divergence(trace(), trace()));
  EXPECT_FALSE(first_divergence(io::Trace{}, io::Trace{}));
}

TEST(TraceDiff, ComparesNamesNotNumbers) {
  auto other = trace();
  other.header.stages = {{"other"}, {"seaice.velocity"}, {"seaice.stress"}};
  other.header.fields = {{"u"}, {"s11"}};
  for (auto& record : other.records) {
    record.stage = record.stage == 0 ? 2 : 1;
    record.field = record.field == 0 ? 1 : 0;
  }
  EXPECT_FALSE(first_divergence(trace(), other));
}

// Equal numbers in other loops, or in loops in another order, are other places.
TEST(TraceDiff, ComparesPlacesByTheirLoops) {
  auto const a = trace();
  for (auto const& place : {std::vector<io::LoopIndex>{{"step", 1}, {"stage", 1}, {"substep", 2}},
                            {{"step", 1}, {"substep", 1}, {"tracer", 2}},
                            {{"step", 1}, {"tracer", 1}},
                            {{"step", 1}, {"tracer", 1}, {"substep", 2}, {"iteration", 0}}}) {
    auto b = trace();
    b.records[2].position = place;
    auto const found = first_divergence(a, b);
    ASSERT_TRUE(found) << io::text_of(place);
    EXPECT_EQ(found->kind, Kind::missing_record);
    EXPECT_EQ(found->records_equal, 2);
  }
}

TEST(TraceDiff, FindsTheFirstRecordAndBlock) {
  RandomValues random(71);
  for (int trial = 0; trial < 100; ++trial) {
    auto const a = trace();
    auto b = trace();
    std::size_t const at = random.below(b.records.size());
    auto& altered = b.records[at];
    std::size_t const block = random.below(altered.blocks.size());
    alter(altered, block);
    if (block + 1 < altered.blocks.size()) {
      alter(altered, altered.blocks.size() - 1);
    }
    for (std::size_t later = at + 1; later < b.records.size(); ++later) {
      alter(b.records[later], 0);
    }
    auto const found = first_divergence(a, b);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, Kind::values);
    EXPECT_EQ(found->position, altered.position);
    EXPECT_EQ(found->field, altered.field == 0 ? "s11" : "u");
    EXPECT_EQ(found->stage, altered.stage == 0 ? "seaice.stress" : "seaice.velocity");
    auto const size = io::trace_block_size(altered.count);
    EXPECT_EQ(found->first, std::int64_t(block) * size);
    EXPECT_EQ(found->last, std::min(found->first + size, altered.count) - 1);
    EXPECT_EQ(found->blocks, std::int64_t(altered.blocks.size()));
    EXPECT_EQ(found->blocks_differing, block + 1 < altered.blocks.size() ? 2 : 1);
    EXPECT_EQ(found->records_equal, std::int64_t(at));
    auto const mirrored = first_divergence(b, a);
    EXPECT_EQ(mirrored->first, found->first);
  }
}

TEST(TraceDiff, TellsMissingExtraAndReorderedRecords) {
  auto const a = trace();
  auto b = trace();
  b.records.erase(b.records.begin() + 3);
  auto found = first_divergence(a, b);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::missing_record);
  EXPECT_EQ(io::text_of(found->position), "step 1, tracer 1, substep 2");
  EXPECT_EQ(found->field, "u");
  EXPECT_EQ(found->count_a, 65 * 65);
  EXPECT_EQ(found->count_b, 0);
  found = first_divergence(b, a);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::extra_record);
  EXPECT_EQ(found->position[2].index, 2);
  EXPECT_EQ(found->records_equal, 3);

  b = trace();
  std::swap(b.records[4], b.records[5]);
  found = first_divergence(a, b);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::order);
  EXPECT_EQ(found->stage, "seaice.stress");
}

TEST(TraceDiff, TellsATraceThatStopsEarly) {
  auto const a = trace();
  auto b = trace();
  b.records.resize(7);
  auto const found = first_divergence(a, b);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::missing_record);
  EXPECT_EQ(io::text_of(found->position), "step 2, tracer 1, substep 1");
  EXPECT_EQ(found->records_equal, 7);
  EXPECT_EQ(first_divergence(b, a)->kind, Kind::extra_record);
  EXPECT_EQ(first_divergence({}, a)->kind, Kind::extra_record);
}

TEST(TraceDiff, TellsDifferentShapes) {
  auto const a = trace();
  auto b = trace();
  b.records[2] = record(1, 2, 0, 0, 999);
  auto const found = first_divergence(a, b);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::shape);
  EXPECT_EQ(found->count_a, 1000);
  EXPECT_EQ(found->count_b, 999);
  EXPECT_NE(describe(*found).find("1000 elements against 999"), std::string::npos);
}

TEST(TraceDiff, TakesTheWholeFieldWhereBlocksDoNotTell) {
  auto const a = trace();
  auto b = trace();
  b.records[0].hash += 1;
  b.records[0].blocks.clear();
  auto const found = first_divergence(a, b);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 0);
  EXPECT_EQ(found->last, 999);
}

TEST(TraceDiff, RefusesRecordsWithoutANamedStage) {
  auto broken = trace();
  broken.records[1].stage = 9;
  EXPECT_THROW(first_divergence(broken, trace()), InputError);
}

TEST(TraceDiff, SaysWhereInOneLine) {
  auto b = trace();
  alter(b.records[1], 2);
  auto const text = describe(*first_divergence(trace(), b));
  EXPECT_EQ(
      text.find(
          "step 1, tracer 1, substep 1, stage seaice.velocity, field u: differs within elements 64 to 95"),
      0u)
      << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace ulpine::verification
