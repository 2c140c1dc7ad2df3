// SPDX-License-Identifier: Apache-2.0
// Traces of one of several processes, and those of runs that ended badly.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

#include "io/error.hpp"
#include "io/seal.hpp"
#include "io/trace_file.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::TemporaryFolder;

std::string refusal(std::filesystem::path const& path, TraceReading reading = {}) {
  return test::refusal_of<InputError>(path, [&] { read_trace(path, reading); });
}

TraceRecord record(std::int64_t step) {
  TraceRecord record;
  record.position = {{"step", step}, {"sub", -step}};
  record.count = 5;
  record.hash = static_cast<std::uint64_t>(7 * step);
  record.blocks = {1, 2, 3};
  return record;
}

TEST(TraceParts, ATraceOfOneProcessHasTheBytesThatItAlwaysHad) {
  TemporaryFolder const folder;
  Provenance provenance;
  provenance.version = "0";
  provenance.ranks = 4;
  provenance.seed = 9;
  {
    TraceWriter writer{folder / "trace.bin", provenance, "core = \"x\"\n"};
    writer.describe_field("u", {{"units", "m s-1"}});
    for (int step = 1; step < 4; ++step) {
      writer.append("s", "u", record(step));
      writer.append("t", "v", record(step));
      if (step == 2) writer.flush();
    }
    writer.close();
  }
  // By the version that knew of no parts.
  EXPECT_EQ(content_of(folder / "trace.bin"), (FileContent{764, 0x3310d80db256e06b}));
  auto const header = read_trace(folder / "trace.bin").header;
  EXPECT_EQ(header.share, TraceShare{});
  EXPECT_EQ(header.provenance.ranks, 4);
}

TEST(TraceParts, ReadBackWhatWasWritten) {
  TemporaryFolder const folder;
  TraceShare const share{3, 8, "launch 17"};
  Provenance provenance;
  provenance.created = "2001-02-03T04:05:06Z";
  auto gap = record(1), every = record(2), whole = record(3), both = record(4);
  gap.missing = 4;
  every.replicated = true;
  both.missing = both.count;
  both.replicated = true;
  {
    TraceWriter writer{folder / "trace.bin", provenance, "", share};
    for (auto const& written : {gap, every, whole, both}) writer.append("s", "u", written);
    writer.close();
  }
  auto const trace = read_trace(folder / "trace.bin");
  EXPECT_EQ(trace.header.share, share);
  EXPECT_EQ(trace.header.provenance.ranks, 1);
  EXPECT_EQ(trace.header.provenance.created, "2001-02-03T04:05:06Z");
  ASSERT_EQ(trace.records.size(), 4u);
  EXPECT_EQ(trace.end, TraceEnd::whole);
  std::size_t i = 0;
  for (auto const& written : {gap, every, whole, both}) {
    auto const& found = trace.records[i++];
    EXPECT_EQ(found.missing, written.missing) << i;
    EXPECT_EQ(found.replicated, written.replicated) << i;
    EXPECT_EQ(found.position, written.position) << i;
    EXPECT_EQ(found.hash, written.hash) << i;
    EXPECT_EQ(found.blocks, written.blocks) << i;
  }
}

TEST(TraceParts, OnlyTheRanksOfALaunchHaveShares) {
  TemporaryFolder const folder;
  for (auto const& share : {TraceShare{-1, 2}, TraceShare{2, 2}, TraceShare{0, 0}, TraceShare{0, -1}}) {
    EXPECT_THROW((TraceWriter{folder / "trace.bin", {}, "", share}), std::invalid_argument);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "trace.bin"));
  for (auto const& share : {TraceShare{0, 1, "run"}, TraceShare{1, 2}}) {
    TraceWriter{folder / "trace.bin", {}, "", share}.close();
    EXPECT_EQ(read_trace(folder / "trace.bin").header.share, share);
  }
}

TEST(TraceParts, NoMoreElementsAreMissingThanThereAre) {
  TemporaryFolder const folder;
  TraceWriter writer{folder / "trace.bin", {}, ""};
  for (auto const missing : {std::int64_t{-1}, std::int64_t{6}, std::numeric_limits<std::int64_t>::min()}) {
    auto bad = record(1);
    bad.missing = missing;
    EXPECT_THROW(writer.append("s", "u", bad), std::invalid_argument);
  }
}

/// `bytes` with a checksum that fits in the place of its last.
std::string with_fitting_end(std::string bytes) {
  bytes.resize(bytes.size() - 13);
  StreamHash hash;
  hash.add(bytes);
  auto const value = hash.value();
  std::uint32_t const length = sizeof value;
  bytes += '\5';
  bytes.append(reinterpret_cast<char const*>(&length), sizeof length);
  bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
  return bytes;
}

TEST(TraceParts, WhatMakesNoSenseIsRefusedThoughItsChecksumFits) {
  TemporaryFolder const folder;
  auto const path = folder / "trace.bin";
  auto gap = record(1);
  gap.missing = 4;
  {
    TraceWriter writer{path, {}, "THE CASE", {1, 2, "launch"}};
    writer.describe_stage("s", {});
    writer.describe_field("u", {});
    writer.append("s", "u", gap);
    writer.close();
  }
  auto const whole = test::read_file(path);
  std::string const gap_bytes{"\4\0\0\0\0\0\0\0\0", 9};
  auto const place = whole.rfind(gap_bytes);
  ASSERT_NE(place, std::string::npos);
  ASSERT_EQ(whole[place - 5], 7) << "the kind is before the length";
  auto const altered = [&](std::size_t at, char byte) {
    auto bytes = whole;
    // The first checksum, after the header, is left out, as it does not fit any more.
    auto const header = whole.find("THE CASE") + 8;
    bytes[at] = byte;
    bytes.erase(header, 13);
    test::write_file(path, with_fitting_end(bytes));
    return refusal(path);
  };
  EXPECT_EQ(altered(place, '\4'), "");
  EXPECT_EQ(altered(place, '\5'), "");
  EXPECT_NE(altered(place, '\6'), "") << "more than there are";
  EXPECT_NE(altered(place + 7, '\x80'), "") << "a negative number";
  EXPECT_EQ(altered(place + 8, '\1'), "");
  EXPECT_NE(altered(place + 8, '\2'), "") << "no such flag";
  EXPECT_NE(altered(place, '\0'), "") << "an ordinary record as a part";
  auto const rank = whole.find(std::string{"rank\1\0\0\0001", 9}) + 8;
  EXPECT_EQ(altered(rank, '0'), "");
  EXPECT_NE(altered(rank, '2'), "") << "no such rank";
}

/// A trace of six flushes, and where each of their checksums ends.
struct Flushed {
  std::string bytes;
  std::vector<std::size_t> ends;
};

Flushed flushed(std::filesystem::path const& path) {
  Flushed result;
  auto const note = [&] { result.ends.push_back(std::filesystem::file_size(path)); };
  TraceWriter writer{path, {}, ""};
  note();
  for (int step = 1; step < 6; ++step) {
    for (int i = 0; i < step; ++i) {
      writer.append("s" + std::to_string(step), "u" + std::to_string(i), record(step));
    }
    step < 5 ? writer.flush() : writer.close();
    note();
  }
  result.bytes = test::read_file(path);
  return result;
}

/// What the first `checksums` of these flushes hold.
void expect_part(std::filesystem::path const& path, std::size_t checksums) {
  auto const trace = read_trace(path, {.partial = true});
  auto const steps = checksums - 1;
  EXPECT_EQ(trace.header.stages.size(), steps);
  EXPECT_EQ(trace.header.fields.size(), steps);
  EXPECT_EQ(trace.header.loops.size(), steps == 0 ? 0u : 2u);
  ASSERT_EQ(trace.records.size(), steps * (steps + 1) / 2);
  for (auto const& found : trace.records) EXPECT_EQ(found.hash, record(found.position[0].index).hash);
}

TEST(TraceParts, ACutTraceIsReadUpToItsLastChecksum) {
  TemporaryFolder const folder;
  auto const [bytes, ends] = flushed(folder / "trace.bin");
  auto const path = folder / "cut.bin";
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    test::write_file(path, bytes.substr(0, length));
    ASSERT_NE(refusal(path), "") << length;
    auto const checksums =
        static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), length) - ends.begin());
    if (checksums == 0) {
      ASSERT_NE(refusal(path, {.partial = true}), "") << length;
      continue;
    }
    expect_part(path, checksums);
    EXPECT_EQ(read_trace(path, {.partial = true}).end, TraceEnd::cut) << length;
  }
  expect_part(folder / "trace.bin", ends.size());
  EXPECT_EQ(read_trace(folder / "trace.bin", {.partial = true}).end, TraceEnd::whole);
}

TEST(TraceParts, NothingThatFollowsAnAlteredByteIsRead) {
  TemporaryFolder const folder;
  auto const [bytes, ends] = flushed(folder / "trace.bin");
  auto const path = folder / "altered.bin";
  std::mt19937_64 random{5};
  for (std::size_t at = ends[0]; at < bytes.size(); ++at) {
    // The kind of the last checksum says that it is the last; the checksum holds without it.
    if (at == bytes.size() - 13) continue;
    auto altered = bytes;
    altered[at] ^= static_cast<char>(1 << random() % 8);
    test::write_file(path, altered);
    ASSERT_NE(refusal(path), "") << at;
    expect_part(path,
                static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin()));
    EXPECT_NE(read_trace(path, {.partial = true}).end, TraceEnd::whole) << at;
  }
  test::write_file(path, bytes + bytes);
  expect_part(path, ends.size());
  EXPECT_EQ(read_trace(path, {.partial = true}).end, TraceEnd::altered);
}

}  // namespace
}  // namespace ulpine::io
