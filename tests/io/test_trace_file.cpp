// SPDX-License-Identifier: Apache-2.0
#include "io/trace_file.hpp"

#include <netcdf.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>

#include "io/error.hpp"
#include "io/seal.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

TraceRecord record(std::int64_t step, std::size_t blocks) {
  std::mt19937_64 random{static_cast<std::uint64_t>(step)};
  TraceRecord record;
  record.position = {{"step", step}};
  if (step % 3 > 0) record.position.push_back({"tracer", step % 3});
  if (step % 3 > 1) record.position.push_back({"substep", -step * 1000});
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
    EXPECT_EQ(got.position, want.position);
    EXPECT_EQ(got.count, want.count);
    EXPECT_EQ(got.hash, want.hash);
    EXPECT_EQ(got.blocks, want.blocks);
    EXPECT_EQ(trace.header.stages.at(got.stage).name, i % 2 == 0 ? "strain" : "stress");
    EXPECT_EQ(trace.header.fields.at(got.field).name, std::string{"f"}.append(std::to_string(i % 5)));
  }
}

TEST(TraceFile, ReadsBackWhatWasWritten) {
  TemporaryFolder const folder;
  write(folder / "trace.bin");
  auto const trace = read_trace(folder / "trace.bin");
  expect_first(trace, records);
  EXPECT_EQ(trace.header.loops, (std::vector<std::string>{"step", "tracer", "substep"}));
  EXPECT_EQ(trace.header.case_text, "core = \"x\"\n");
  EXPECT_EQ(trace.header.provenance.policy, "mixed");
  EXPECT_EQ(trace.header.provenance.threads, 7);
  EXPECT_EQ(trace.header.provenance.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(trace.header.provenance.items()[4], build_provenance().items()[4]);
}

TEST(TraceFile, KeepsPlacesOfAnyDepthAndIndex) {
  using Limits = std::numeric_limits<std::int64_t>;
  TemporaryFolder const folder;
  std::vector<std::vector<LoopIndex>> places;
  std::vector<LoopIndex> deep{{"step", 1}};
  for (auto const index : {Limits::max(), Limits::min(), std::int64_t{-1}, std::int64_t{0}, std::int64_t{63},
                           std::int64_t{64}, std::int64_t{8191}, std::int64_t{1}}) {
    places.push_back({{"step", index}});
    deep.push_back({std::string{"loop"}.append(std::to_string(deep.size())), index});
  }
  ASSERT_EQ(deep.size(), deepest_position);
  places.push_back(deep);
  {
    TraceWriter writer{folder / "trace.bin", {}, ""};
    for (auto const& place : places) writer.append("s", "f", {place});
    auto const refused = [&](std::vector<LoopIndex> const& place) {
      EXPECT_THROW(writer.append("s", "f", {place}), std::invalid_argument) << text_of(place);
    };
    refused({});
    refused({{"tracer", 1}});
    deep.push_back({"tenth", 1});
    refused(deep);
    writer.close();
  }
  auto const trace = read_trace(folder / "trace.bin");
  ASSERT_EQ(trace.records.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(trace.records[i].position, places[i]);
  EXPECT_EQ(text_of({{"step", 3}, {"tracer", 1}, {"stage", -2}}), "step 3, tracer 1, stage -2");
}

TEST(TraceFile, APlaceCostsFewBytes) {
  TemporaryFolder const folder;
  auto const size = [&](std::vector<LoopIndex> const& place, int count) {
    TraceWriter writer{folder / "trace.bin", {}, ""};
    for (int i = 0; i < count; ++i) writer.append("s", "f", {place});
    writer.close();
    return std::filesystem::file_size(folder / "trace.bin");
  };
  std::vector<LoopIndex> const flat{{"step", 1}},
      deep{{"step", 1000}, {"tracer", 1}, {"stage", 2}, {"substep", 17}};
  auto const each = [&](auto const& place) { return size(place, 101) - size(place, 100); };
  // Kind, length, stage, field, count, hash and number of blocks are 29 bytes.
  EXPECT_EQ(each(flat), 29u + 3);
  EXPECT_EQ(each(deep), 29u + 1 + 3 + 3 * 2);
}

TEST(TraceFile, SaysOfStagesAndFieldsWhatItWasTold) {
  TemporaryFolder const folder;
  TraceAttributes const stage{{"policy", "fp32"}, {"guarantee", "bitwise"}},
      field{{"units", "m s-1"}, {"", "a=b\n"}};
  {
    TraceWriter writer{folder / "trace.bin", {}, ""};
    writer.describe_field("unused", {});
    writer.describe_stage("stress", stage);
    writer.append("stress", "u", record(1, 0));
    writer.append("other", "s11", record(2, 0));
    writer.describe_stage("stress", stage);
    writer.describe_field("v", field);
    EXPECT_THROW(writer.describe_stage("stress", field), std::logic_error);
    EXPECT_THROW(writer.describe_field("u", field), std::logic_error) << "it has records already";
    writer.close();
  }
  auto const header = read_trace(folder / "trace.bin").header;
  EXPECT_EQ(header.stages, (std::vector<TraceEntry>{{"stress", stage}, {"other"}}));
  EXPECT_EQ(header.fields, (std::vector<TraceEntry>{{"unused"}, {"u"}, {"s11"}, {"v", field}}));
}

/// The chunks of a trace behind its header, without checksums: kind and content.
std::vector<std::pair<char, std::string>> chunks_of(std::string const& bytes, std::size_t header) {
  std::vector<std::pair<char, std::string>> chunks;
  for (auto at = header; at < bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at + 1, sizeof length);
    if (bytes[at] != 4 && bytes[at] != 5) chunks.emplace_back(bytes[at], bytes.substr(at + 5, length));
    at += 5 + length;
  }
  return chunks;
}

/// A trace of these chunks whose checksum fits.
std::string with_checksum(std::string bytes, std::vector<std::pair<char, std::string>> const& chunks) {
  auto const put = [&](auto value) { bytes.append(reinterpret_cast<char const*>(&value), sizeof value); };
  for (auto const& [kind, content] : chunks) {
    put(kind);
    put(static_cast<std::uint32_t>(content.size()));
    bytes += content;
  }
  StreamHash hash;
  hash.add(bytes);
  put(char{5});
  put(std::uint32_t{8});
  put(hash.value());
  return bytes;
}

TEST(TraceFile, WhatMakesNoSenseIsRefusedThoughItsChecksumFits) {
  TemporaryFolder const folder;
  TraceWriter{folder / "empty.bin", {}, ""}.flush();
  auto const header_size = test::read_file(folder / "empty.bin").size() - 13;  // behind it one checksum
  {
    TraceWriter writer{folder / "trace.bin", {}, ""};
    for (int i = 0; i < 6; ++i) writer.append("strain", "f", record(i, 2));
    writer.close();
  }
  auto const whole = test::read_file(folder / "trace.bin");
  auto const chunks = chunks_of(whole, header_size);
  auto const start = whole.substr(0, header_size);
  auto const path = folder / "altered.bin";
  test::write_file(path, with_checksum(start, chunks));
  ASSERT_EQ(read_trace(path).records.size(), 6u);

  std::mt19937_64 random{4};
  int refused = 0, read = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    auto altered = chunks;
    auto& [kind, content] = altered[random() % altered.size()];
    switch (random() % 4) {
      case 0:
        content[random() % content.size()] = static_cast<char>(random());
        break;
      case 1:
        content.resize(random() % content.size());
        break;
      case 2:
        content.insert(random() % content.size(), 1 + random() % 9, static_cast<char>(random()));
        break;
      default:
        kind = static_cast<char>(random() % 9);
    }
    test::write_file(path, with_checksum(start, altered));
    auto const message = test::refusal_of<InputError>(path, [&] {
      for (auto const& found : read_trace(path).records) {
        EXPECT_EQ(found.position.at(0).loop, "step");
        EXPECT_LE(found.position.size(), deepest_position);
      }
    });
    (message.empty() ? read : refused) += 1;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 100) << "counts, hashes and names may be any";
}

std::string refusal(std::filesystem::path const& path) {
  return test::refusal_of<InputError>(path, [&] { read_trace(path); });
}

TEST(TraceFile, ARecordNamesOnlyLoopsStagesAndFieldsThatAreKnownBeforeIt) {
  TemporaryFolder const folder;
  TraceWriter{folder / "empty.bin", {}, ""}.flush();
  auto const header_size = test::read_file(folder / "empty.bin").size() - 13;  // behind it one checksum
  {
    TraceWriter writer{folder / "trace.bin", {}, ""};
    for (auto const* name : {"a", "b"}) writer.describe_stage(name, {});
    for (auto const* name : {"u", "v", "w"}) writer.describe_field(name, {});
    writer.append("a", "u", {{{"step", 1}}});
    writer.close();
  }
  auto const whole = test::read_file(folder / "trace.bin");
  auto const chunks = chunks_of(whole, header_size);
  // One level, its loop and its index take a byte each; stage and field, two bytes each, follow.
  constexpr std::size_t loop = 1, stage = 3, field = 5;
  auto const known = [&](std::size_t place, char number) {
    auto altered = chunks;
    auto& record = altered.back().second;
    EXPECT_EQ(record.at(place), 0);
    record.at(place) = number;
    test::write_file(folder / "altered.bin", with_checksum(whole.substr(0, header_size), altered));
    return refusal(folder / "altered.bin").empty();
  };
  EXPECT_TRUE(known(loop, 0));
  EXPECT_FALSE(known(loop, 1));
  EXPECT_TRUE(known(stage, 1));
  EXPECT_FALSE(known(stage, 2)) << "there are more fields than stages";
  EXPECT_TRUE(known(field, 2)) << "there are fewer stages than fields";
  EXPECT_FALSE(known(field, 3));
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
  ASSERT_EQ(bytes[8], 3) << "the version";
  for (char const version : {'\1', '\2', '\4'}) {
    bytes[8] = version;
    test::write_file(folder / "trace.bin", bytes);
    EXPECT_NE(refusal(folder / "trace.bin")
                  .find("of another format (version " + std::to_string(version) +
                        ", not 3) record it again with this version of Ulpine"),
              std::string::npos);
  }
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

/// 3000 records of 2 KiB: several times what is buffered.
void append_much(TraceWriter& writer) {
  for (int i = 0; i < 3000; ++i) writer.append("strain", "f", record(i, 256));
}

TEST(TraceFile, HoldsRecordsOfManyBuffersInTheirOrder) {
  TemporaryFolder const folder;
  {
    TraceWriter writer{folder / "long.bin", {}, ""};
    append_much(writer);
    writer.close();
  }
  auto const trace = read_trace(folder / "long.bin");
  ASSERT_EQ(trace.records.size(), 3000u);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(trace.records[static_cast<std::size_t>(i)].blocks, record(i, 256).blocks) << i;
  }
}

TEST(TraceFile, ADiskThatFillsOnTheWayIsAnErrorOfWhateverIsWrittenNext) {
  TemporaryFolder const folder;
  auto const path = folder / "long.bin";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_DFL);  // which ends a program that writes further
  auto limited = before;
  limited.rlim_cur = 3 << 20;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  auto const message = message_of<EnvironmentError>([&] {
    TraceWriter writer{path, {}, ""};
    append_much(writer);
    writer.close();
  });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("trace cannot be written (File too large)"), std::string::npos) << message;
  EXPECT_THROW(read_trace(path), InputError);
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

TEST(Provenance, NamesTheLibrariesAsTheyAreLoaded) {
  auto const found = library_versions();
  std::string const loaded = nc_inq_libvers();
  EXPECT_NE(found.find("netCDF " + loaded.substr(0, loaded.find(' ')) + ", "), std::string::npos) << found;
  EXPECT_NE(found.find("xxHash 0."), std::string::npos) << found;
  EXPECT_EQ(build_provenance().libraries, found);
}

TEST(Provenance, NamesTheBuildTheProcessorAndTheTime) {
  auto const provenance = build_provenance();
  EXPECT_FALSE(provenance.version.empty());
  EXPECT_FALSE(provenance.compiler.empty());
  EXPECT_FALSE(provenance.host_cpu.empty());
  ASSERT_EQ(provenance.created.size(), 20u);
  EXPECT_EQ(provenance.created[10], 'T');
  EXPECT_EQ(provenance.created.back(), 'Z');
  EXPECT_EQ(provenance.items().size(), 16u);
  EXPECT_EQ(hex(0), "0000000000000000");
  EXPECT_EQ(hex(0xfedcba9876543210), "fedcba9876543210");
}

/// SOURCE_DATE_EPOCH set, and as it was before at the end.
class DateOfSources {
 public:
  explicit DateOfSources(char const* value) { setenv("SOURCE_DATE_EPOCH", value, 1); }
  ~DateOfSources() {
    if (before_) {
      setenv("SOURCE_DATE_EPOCH", before_->c_str(), 1);
    } else {
      unsetenv("SOURCE_DATE_EPOCH");
    }
  }

 private:
  static std::optional<std::string> now() {
    auto const* const value = std::getenv("SOURCE_DATE_EPOCH");
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  std::optional<std::string> before_ = now();
};

TEST(Provenance, HasTheTimeThatItsUserGives) {
  // As GNU date has them: date -u -d @SECONDS.
  std::pair<char const*, char const*> const dates[] = {{"0", "1970-01-01T00:00:00Z"},
                                                       {"951827696", "2000-02-29T12:34:56Z"},
                                                       {"4102444800", "2100-01-01T00:00:00Z"},
                                                       {"253402300799", "9999-12-31T23:59:59Z"}};
  for (auto const& [seconds, date] : dates) {
    DateOfSources const given{seconds};
    EXPECT_EQ(build_provenance().created, date);
  }
  for (auto const* const text :
       {"", " 1", "1 ", "1.5", "-1", "+1", "now", "0x10", "1e9", "253402300800", "99999999999999999999"}) {
    DateOfSources const given{text};
    EXPECT_THROW(build_provenance(), InputError) << '\'' << text << '\'';
  }
}

}  // namespace
}  // namespace ulpine::io
