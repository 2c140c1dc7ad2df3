// SPDX-License-Identifier: Apache-2.0
#include "io/trace_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <random>

#include "io/error.hpp"
#include "support/refusal.hpp"
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

std::string refusal(std::filesystem::path const& path) {
  return test::refusal_of<InputError>(path, [&] { read_trace(path); });
}

TEST(TraceFile, CutShortAnywhereItIsRefused) {
  TemporaryFolder const folder;
  write(folder / "trace.bin");
  auto const whole = test::read_file(folder / "trace.bin");
  EXPECT_EQ(refusal(folder / "trace.bin"), "");
  auto told_as_cut = 0;
  for (std::size_t length = 0; length < whole.size();
       length += length + 64 < whole.size() ? 1 + length % 7 : 1) {
    test::write_file(folder / "cut.bin", whole.substr(0, length));
    auto const message = refusal(folder / "cut.bin");
    EXPECT_NE(message, "") << length;
    told_as_cut += message.find("trace cut short after ") != std::string::npos;
  }
  EXPECT_GT(told_as_cut, 500);
}

TEST(TraceFile, EveryFlippedAddedOrLostByteIsRefused) {
  TemporaryFolder const folder;
  write(folder / "trace.bin");
  auto const whole = test::read_file(folder / "trace.bin");
  std::mt19937_64 random{1};
  for (int trial = 0; trial < 600; ++trial) {
    auto bytes = whole;
    auto const place = random() % bytes.size();
    switch (trial % 3) {
      case 0:
        bytes[place] ^= static_cast<char>(1 << random() % 8);
        break;
      case 1:
        bytes.insert(place, 1 + random() % 40, static_cast<char>(random()));
        break;
      default:
        bytes.erase(place, 1 + random() % 40);
    }
    test::write_file(folder / "bad.bin", bytes);
    EXPECT_NE(refusal(folder / "bad.bin"), "") << "trial " << trial << ", byte " << place;
  }
  test::write_file(folder / "bad.bin", whole + whole);
  EXPECT_NE(refusal(folder / "bad.bin"), "");
}

TEST(TraceFile, OnlyAClosedTraceIsWhole) {
  TemporaryFolder const folder;
  auto const path = folder / "trace.bin";
  {
    TraceWriter writer{path, {}, ""};
    EXPECT_NE(refusal(path).find("trace cut short after 0 records"), std::string::npos);
    writer.append("strain", "f0", record(0, 0));
    writer.flush();
    EXPECT_NE(refusal(path).find("trace cut short after 1 records"), std::string::npos);
    writer.append("stress", "f1", record(1, 16));
  }
  EXPECT_NE(refusal(path).find("trace cut short after 2 records"), std::string::npos);
  {
    TraceWriter writer{path, {}, ""};
    writer.append("strain", "f0", record(0, 0));
    writer.flush();
    writer.flush();
    writer.close();
  }
  expect_first(read_trace(path), 1);
}

/// Two parts of which each is whole by itself are no trace.
TEST(TraceFile, ChecksumsCoverWhatCameBefore) {
  TemporaryFolder const folder;
  auto const write_flushed = [&](char const* name, std::int64_t first) {
    TraceWriter writer{folder / name, {}, ""};
    for (auto step = first; step < first + 3; ++step) {
      writer.append("strain", "f0", record(step, 16));
      writer.flush();
    }
    writer.close();
    return test::read_file(folder / name);
  };
  auto const a = write_flushed("a.bin", 0), b = write_flushed("b.bin", 3);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t length = 1; length < a.size(); ++length) {
    auto const mixed = a.substr(0, length) + b.substr(length);
    if (mixed == a || mixed == b) continue;
    test::write_file(folder / "mixed.bin", mixed);
    EXPECT_NE(refusal(folder / "mixed.bin"), "") << length;
  }
}

TEST(TraceFile, DevicesAndOtherVersionsAreRefused) {
  TemporaryFolder const folder;
  EXPECT_NE(refusal("/dev/null").find("no ordinary file"), std::string::npos);
  write(folder / "trace.bin");
  auto bytes = test::read_file(folder / "trace.bin");
  ASSERT_EQ(bytes[8], 2) << "the version";
  bytes[8] = 1;
  test::write_file(folder / "trace.bin", bytes);
  EXPECT_NE(refusal(folder / "trace.bin").find("of another format (version 1, not 2)"), std::string::npos);
}

TEST(TraceFile, ForeignFilesAreRefused) {
  TemporaryFolder const folder;
  auto const path = folder / "trace.bin";
  auto const message = [&] { return message_of<InputError>([&] { read_trace(path); }); };
  EXPECT_NE(message().find("no such trace"), std::string::npos);
  EXPECT_THROW(read_trace(folder / ""), InputError);
  for (auto const& bytes : {std::string{}, std::string{"ULPTRAC"}, std::string{"CDF\x01 and more of it"}}) {
    test::write_file(path, bytes);
    EXPECT_NE(message().find("not a trace ("), std::string::npos) << bytes;
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
