// SPDX-License-Identifier: Apache-2.0
#include "io/trace_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <random>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

TraceRecord record(std::int64_t step, std::size_t blocks) {
  std::mt19937_64 random{static_cast<std::uint64_t>(step)};
  TraceRecord record;
  record.step = step;
  record.substep = static_cast<std::int32_t>(step % 100);
  record.count = (std::int64_t{1} << 40) + step;
  for (std::size_t i = 0; i < blocks; ++i) {
    record.blocks.push_back(random());
    record.hash += record.blocks.back();
  }
  return record;
}

constexpr int records = 25;

void write(std::filesystem::path const& path) {
  auto provenance = build_provenance();
  provenance.policy = "mixed";
  provenance.threads = 7;
  provenance.seed = std::numeric_limits<std::uint64_t>::max();
  TraceWriter writer{path, provenance, "core = \"x\"\n"};
  for (int i = 0; i < records; ++i) {
    writer.append(i % 2 == 0 ? "strain" : "stress", std::string{"f"}.append(std::to_string(i % 5)),
                  record(i, static_cast<std::size_t>(i % 3) * 16));
  }
  writer.close();
}

void expect_first(Trace const& trace, std::size_t count) {
  ASSERT_EQ(trace.records.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const& got = trace.records[i];
    auto const want = record(static_cast<std::int64_t>(i), i % 3 * 16);
    EXPECT_EQ(got.step, want.step);
    EXPECT_EQ(got.substep, want.substep);
    EXPECT_EQ(got.count, want.count);
    EXPECT_EQ(got.hash, want.hash);
    EXPECT_EQ(got.blocks, want.blocks);
    EXPECT_EQ(trace.header.stages.at(got.stage), i % 2 == 0 ? "strain" : "stress");
    EXPECT_EQ(trace.header.fields.at(got.field), std::string{"f"}.append(std::to_string(i % 5)));
  }
}

TEST(TraceFile, ReadsBackWhatWasWritten) {
  TemporaryFolder const folder;
  write(folder / "trace.bin");
  auto const trace = read_trace(folder / "trace.bin");
  expect_first(trace, records);
  EXPECT_EQ(trace.header.case_text, "core = \"x\"\n");
  EXPECT_EQ(trace.header.provenance.policy, "mixed");
  EXPECT_EQ(trace.header.provenance.threads, 7);
  EXPECT_EQ(trace.header.provenance.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(trace.header.provenance.items()[4], build_provenance().items()[4]);
}

TEST(TraceFile, CutShortItKeepsItsWholeRecords) {
  TemporaryFolder const folder;
  write(folder / "trace.bin");
  auto const whole = test::read_file(folder / "trace.bin");
  std::size_t last = 0, refused = 0;
  for (std::size_t length = 0; length <= whole.size(); length += 1 + length % 7) {
    test::write_file(folder / "cut.bin", whole.substr(0, length));
    try {
      auto const trace = read_trace(folder / "cut.bin");
      expect_first(trace, trace.records.size());
      EXPECT_GE(trace.records.size(), last);
      EXPECT_LE(trace.records.size(), last + 1);
      last = trace.records.size();
    } catch (InputError const& error) {
      EXPECT_EQ(last, 0u) << error.what();
      ++refused;
    }
  }
  EXPECT_GE(last, records - 1u);
  EXPECT_GT(refused, 0u);
}

TEST(TraceFile, AFlushedTraceIsReadableWhileItGrows) {
  TemporaryFolder const folder;
  TraceWriter writer{folder / "trace.bin", {}, ""};
  EXPECT_TRUE(read_trace(folder / "trace.bin").records.empty());
  writer.append("strain", "f0", record(0, 0));
  writer.flush();
  expect_first(read_trace(folder / "trace.bin"), 1);
}

TEST(TraceFile, ForeignAndDamagedFilesAreRefusedInOneLine) {
  TemporaryFolder const folder;
  auto const path = folder / "trace.bin";
  auto const message = [&] { return message_of<InputError>([&] { read_trace(path); }); };
  EXPECT_NE(message().find("no such trace"), std::string::npos);
  EXPECT_THROW(read_trace(folder / ""), InputError);
  for (auto const& bytes : {std::string{}, std::string{"ULPTRAC"}, std::string{"CDF\x01 and more of it"}}) {
    test::write_file(path, bytes);
    EXPECT_NE(message().find("not a trace ("), std::string::npos) << bytes;
  }
  write(path);
  auto const whole = test::read_file(path);
  auto other = whole;
  other[8] = 9;
  test::write_file(path, other);
  EXPECT_NE(message().find("of another format (version 9, not 1)"), std::string::npos);
  // Flipped bytes may go unseen in a hash, but never do more than throw.
  std::mt19937_64 random{1};
  for (int trial = 0; trial < 600; ++trial) {
    auto bytes = whole;
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    test::write_file(path, bytes);
    try {
      read_trace(path);
    } catch (InputError const& error) {
      EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
    }
  }
}

TEST(TraceFile, AFullDiskIsAnEnvironmentError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  auto const message = message_of<EnvironmentError>([] { TraceWriter{"/dev/full", {}, ""}; });
  EXPECT_EQ(message.find("/dev/full: trace cannot be written (No space left on device)"), 0u) << message;
  EXPECT_THROW((TraceWriter{"/nowhere/at/all", {}, ""}), EnvironmentError);
}

TEST(TraceBlockSize, IsTheLeastPowerOfTwoThatLeavesAtMost256Blocks) {
  EXPECT_EQ(trace_block_size(0), 1);
  EXPECT_EQ(trace_block_size(256), 1);
  EXPECT_EQ(trace_block_size(257), 2);
  std::mt19937_64 random{2};
  for (int trial = 0; trial < 1000; ++trial) {
    auto const count = static_cast<std::int64_t>(random() >> (2 + random() % 60));
    auto const size = trace_block_size(count);
    auto const blocks = [&](std::int64_t s) { return count / s + (count % s > 0); };
    EXPECT_EQ(size & (size - 1), 0);
    EXPECT_LE(blocks(size), 256);
    EXPECT_TRUE(size == 1 || blocks(size / 2) > 256) << count;
  }
}

TEST(Provenance, NamesTheBuildTheProcessorAndTheTime) {
  auto const provenance = build_provenance();
  EXPECT_FALSE(provenance.version.empty());
  EXPECT_FALSE(provenance.compiler.empty());
  EXPECT_FALSE(provenance.host_cpu.empty());
  ASSERT_EQ(provenance.created.size(), 20u);
  EXPECT_EQ(provenance.created[10], 'T');
  EXPECT_EQ(provenance.created.back(), 'Z');
  EXPECT_EQ(provenance.items().size(), 14u);
  EXPECT_EQ(hex(0), "0000000000000000");
  EXPECT_EQ(hex(0xfedcba9876543210), "fedcba9876543210");
}

}  // namespace
}  // namespace ulpine::io
