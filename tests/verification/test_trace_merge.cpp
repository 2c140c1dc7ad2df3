// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/trace_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "io/error.hpp"
#include "io/seal.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "verification/comparison/trace_diff.hpp"
#include "verification/comparison/trace_report.hpp"

namespace ulpine::verification {
namespace {

using test::message_of;
using test::TemporaryFolder;
using Kind = MergeFlaw::Kind;
namespace fs = std::filesystem;

constexpr std::int64_t elements = 1000;
constexpr int steps = 4;

/// 64 bits of an element of a field at a step, the same on every rank: splitmix64 of the three.
std::uint64_t bits(std::int64_t step, int field, std::int64_t element) {
  auto x = static_cast<std::uint64_t>(step * 100000 + field * 10000 + element) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Which elements of `elements` a rank has.
using Owner = std::function<bool(std::int64_t element)>;

io::TraceRecord record(std::vector<io::LoopIndex> position, int field, Owner const& owns) {
  io::TraceRecord result;
  auto const step = position[0].index;
  result.position = std::move(position);
  result.count = elements;
  result.blocks.assign(static_cast<std::size_t>((elements + 3) / io::trace_block_size(elements)), 0);
  for (std::int64_t element = 0; element < elements; ++element) {
    if (!owns(element)) {
      ++result.missing;
      continue;
    }
    auto const value = bits(step, field, element);
    result.hash += value;
    result.blocks[static_cast<std::size_t>(element / io::trace_block_size(elements))] += value;
  }
  return result;
}

struct Rank {
  io::TraceShare share;
  Owner owns = [](std::int64_t) { return true; };
  bool calls_second_stage = true;
};

/// A trace of two stages with three fields: u and v in parts, c of every rank.
void write(fs::path const& path, Rank const& rank, std::string const& shape = "20,50") {
  io::TraceWriter writer{path, {}, "", rank.share};
  auto const describe = [&](std::string const& field) {
    writer.describe_field(field, {{"type", "float64"}, {"shape", shape}, {"indices", "fortran"}});
  };
  for (auto const* field : {"u", "v", "c"}) describe(field);
  for (std::int64_t step = 1; step <= steps; ++step) {
    writer.append("flow", "u", record({{"step", step}, {"sub", 1}}, 0, rank.owns));
    if (rank.calls_second_stage) {
      writer.append("heat", "v", record({{"step", step}}, 1, rank.owns));
    }
    auto of_all = record({{"step", step}}, 2, [](std::int64_t) { return true; });
    of_all.replicated = rank.share.ranks > 1;
    writer.append("clock", "c", of_all);
    writer.flush();
  }
  writer.close();
}

/// Which rank has each element, at random.
std::vector<int> owners(int ranks, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<int> result(elements);
  for (auto& owner : result) owner = static_cast<int>(random() % static_cast<std::uint64_t>(ranks));
  return result;
}

fs::path name_of(fs::path const& folder, int rank, int ranks) {
  return folder / ("trace." + std::to_string(rank) + "-of-" + std::to_string(ranks) + ".bin");
}

void write_ranks(fs::path const& folder, int ranks, std::string const& run = "") {
  auto const of = owners(ranks, 17);
  for (int rank = 0; rank < ranks; ++rank) {
    write(name_of(folder, rank, ranks), {{rank, ranks, run}, [&of, rank](std::int64_t element) {
                                           return of[static_cast<std::size_t>(element)] == rank;
                                         }});
  }
}

/// Equal but for what only the trace of one of several ranks has.
void expect_same(MergedTrace const& found, MergedTrace const& whole) {
  EXPECT_TRUE(found.flaws.empty());
  ASSERT_LE(found.trace.records.size(), whole.trace.records.size());
  for (std::size_t i = 0; i < found.trace.records.size(); ++i) {
    auto const &a = found.trace.records[i], &b = whole.trace.records[i];
    EXPECT_EQ(a.position, b.position) << i;
    EXPECT_EQ(found.trace.header.stages[a.stage], whole.trace.header.stages[b.stage]) << i;
    EXPECT_EQ(found.trace.header.fields[a.field], whole.trace.header.fields[b.field]) << i;
    EXPECT_EQ(a.count, b.count) << i;
    EXPECT_EQ(a.missing, 0) << i;
    EXPECT_EQ(a.hash, b.hash) << i;
    EXPECT_EQ(a.blocks, b.blocks) << i;
  }
}

TEST(TraceMerge, TheTracesOfRanksAddUpToThatOfOne) {
  TemporaryFolder const folder;
  write(folder / "serial.bin", {});
  MergedTrace const serial{io::read_trace(folder / "serial.bin")};
  for (int const ranks : {1, 2, 3, 7}) {
    TemporaryFolder const runs;
    if (ranks == 1) {
      write(runs / "trace.bin", {});
    } else {
      write_ranks(runs.path(), ranks, "launch");
    }
    auto const merged = read_merged_trace(runs / "trace.bin");
    EXPECT_EQ(merged.ranks, ranks);
    EXPECT_EQ(merged.trace.header.loops, (std::vector<std::string>{"step", "sub"}));
    ASSERT_EQ(merged.trace.records.size(), 3u * steps);
    expect_same(merged, serial);
    EXPECT_FALSE(first_divergence(serial, merged)) << ranks;
    EXPECT_EQ(merged.trace.header.provenance.ranks, ranks);
    EXPECT_EQ(merged.trace.header.share, io::TraceShare{});
  }
}

TEST(TraceMerge, TakesAnyNameOfALaunch) {
  TemporaryFolder const folder;
  write_ranks(folder.path(), 3);
  test::write_file(folder / "trace.5-of-3.bin", "of no rank");
  for (auto const* name : {"trace.bin", "trace.0-of-3.bin", "trace.2-of-3.bin"}) {
    EXPECT_EQ(read_merged_trace(folder / name).ranks, 3) << name;
  }
  for (int rank = 0; rank < 3; ++rank) {
    fs::copy_file(name_of(folder.path(), rank, 3), folder / ("my-" + std::to_string(rank) + ".trace"));
  }
  EXPECT_EQ(read_merged_trace(folder / "my-{rank}.trace").ranks, 3);
  auto const refusal = [&](char const* name) {
    return test::refusal_of<InputError>(folder / name, [&] { read_merged_trace(folder / name); });
  };
  EXPECT_NE(refusal("my-1.trace").find("is of rank 1 of 3"), std::string::npos);
  EXPECT_NE(refusal("other.bin").find("no such trace"), std::string::npos);
  EXPECT_NE(refusal("other-{rank}.bin").find("no such trace"), std::string::npos);
  EXPECT_NE(refusal("trace.3-of-3.bin").find("no such trace"), std::string::npos);
  write_ranks(folder.path(), 2);
  EXPECT_NE(refusal("trace.bin").find("launches of 2 and of 3 ranks"), std::string::npos);
  EXPECT_EQ(read_merged_trace(folder / "trace.1-of-2.bin").ranks, 2);
  write(folder / "trace.bin", {});
  EXPECT_EQ(read_merged_trace(folder / "trace.bin").ranks, 1) << "the name itself comes first";
}

TEST(TraceMerge, RefusesRanksOfOtherLaunches) {
  TemporaryFolder const folder;
  write_ranks(folder.path(), 3, "monday");
  write(name_of(folder.path(), 1, 3), {{1, 3, "tuesday"}});
  auto const refusal = [&] {
    return message_of<InputError>([&] { read_merged_trace(folder / "trace.bin"); });
  };
  EXPECT_NE(refusal().find("trace.1-of-3.bin: is of another launch"), std::string::npos) << refusal();
  fs::copy_file(name_of(folder.path(), 2, 3), name_of(folder.path(), 1, 3),
                fs::copy_options::overwrite_existing);
  EXPECT_NE(refusal().find("trace.1-of-3.bin: is of rank 2 of 3"), std::string::npos) << refusal();
  write(name_of(folder.path(), 1, 3), {});
  EXPECT_NE(refusal().find("trace.1-of-3.bin: is of rank 0 of 1"), std::string::npos) << refusal();
}

/// The line that tells where the ranks' traces part from that of one.
std::string told(fs::path const& folder) {
  write(folder / "serial.bin", {});
  auto const serial = read_merged_trace(folder / "serial.bin"),
             merged = read_merged_trace(folder / "trace.bin");
  auto const found = first_divergence(serial, merged);
  if (!found) return "";
  EXPECT_EQ(found->kind, Divergence::Kind::parts);
  return describe(*found);
}

TEST(TraceMerge, TellsOfMissingPartsWhoseTheyAre) {
  TemporaryFolder const folder;
  write_ranks(folder.path(), 4);
  auto const of = owners(4, 17);
  auto const owned_by = [&of](int rank) {
    return [&of, rank](std::int64_t element) { return of[static_cast<std::size_t>(element)] == rank; };
  };
  write(name_of(folder.path(), 2, 4), {{2, 4}, owned_by(2), false});
  auto const lost = std::to_string(std::ranges::count(of, 2));
  EXPECT_EQ(told(folder.path()), "step 1, stage heat, field v: in the second run " + lost +
                                     " of 1000 elements are missing (rank 2 tells nothing of it); 1 records "
                                     "before it are equal");
  write(name_of(folder.path(), 1, 4), {{1, 4}, owned_by(1), false});
  EXPECT_NE(told(folder.path()).find("(ranks 1, 2 tell nothing of it)"), std::string::npos);
  // Every rank tells of the field, and one element is of none.
  write_ranks(folder.path(), 4);
  write(name_of(folder.path(), of[7], 4),
        {{of[7], 4}, [&](std::int64_t element) { return element != 7 && owned_by(of[7])(element); }});
  EXPECT_EQ(told(folder.path()),
            "step 1, sub 1, stage flow, field u: in the second run 1 of 1000 elements are missing; 0 records "
            "before "
            "it are equal");
}

TEST(TraceMerge, TellsOfRanksWithoutATrace) {
  TemporaryFolder const folder;
  write_ranks(folder.path(), 4);
  fs::remove(name_of(folder.path(), 3, 4));
  EXPECT_NE(told(folder.path()).find("(rank 3 tells nothing of it)"), std::string::npos);
  auto const serial = read_merged_trace(folder / "serial.bin"),
             merged = read_merged_trace(folder / "trace.bin");
  EXPECT_EQ(merged.absent, (RankRanges{{3, 3}}));
  auto const notes = reservations(merged, "b");
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(
      notes[0].find("b has 8 of 12 records without all elements, the first at step 1, sub 1, stage flow"),
      std::string::npos)
      << notes[0];
  EXPECT_EQ(notes[1], "b has no trace of rank 3 of 4");
  // Equal gaps on both sides are no difference, but told.
  EXPECT_FALSE(first_divergence(merged, merged));
}

TEST(TraceMerge, TellsOfElementsThatTwoRanksHave) {
  TemporaryFolder const folder;
  write_ranks(folder.path(), 2);
  auto const of = owners(2, 17);
  auto const other = of[7] == 0 ? 1 : 0;
  write(name_of(folder.path(), other, 2), {{other, 2}, [&](std::int64_t element) {
                                             return element == 7 ||
                                                    of[static_cast<std::size_t>(element)] == other;
                                           }});
  EXPECT_EQ(told(folder.path()),
            "step 1, sub 1, stage flow, field u: in the second run ranks 0, 1 tell of 1 elements more than "
            "the 1000 "
            "that there are; 0 records before it are equal");
}

TEST(TraceMerge, ComparesFieldsOfEveryRank) {
  TemporaryFolder const folder;
  write_ranks(folder.path(), 3);
  auto const path = name_of(folder.path(), 1, 3);
  auto trace = io::read_trace(path);
  auto const alter = [&](auto change) {
    io::TraceWriter writer{path, {}, "", trace.header.share};
    for (auto const& field : trace.header.fields) writer.describe_field(field.name, field.attributes);
    for (auto altered : trace.records) {
      auto const &stage = trace.header.stages[altered.stage].name,
                 &field = trace.header.fields[altered.field].name;
      if (field == "c" && altered.position[0].index >= 3) change(altered);
      writer.append(stage, field, altered);
    }
    writer.close();
  };
  alter([](io::TraceRecord& altered) { altered.hash += 1; });
  EXPECT_EQ(
      told(folder.path()),
      "step 3, stage clock, field c: in the second run every rank has it, and on rank 1 it differs from the "
      "first; 8 records before it are equal");
  alter([](io::TraceRecord& altered) { altered.replicated = false; });
  EXPECT_NE(told(folder.path())
                .find("step 3, stage clock, field c: in the second run type, shape or kind on rank 1"),
            std::string::npos);
  alter([](io::TraceRecord& altered) { altered.count += 1; });
  EXPECT_NE(told(folder.path()).find("it does not have 1000 elements on rank 1, as on the first"),
            std::string::npos);
}

TEST(TraceMerge, ADifferenceBeforeWhatRanksDisagreeOnComesFirst) {
  TemporaryFolder const folder;
  write_ranks(folder.path(), 2);
  auto ranks = read_merged_trace(folder / "trace.bin"), altered = ranks;
  altered.trace.records[4].hash += 1;
  for (std::size_t const record : {3, 4, 5}) {
    ranks.flaws = {{Kind::other_bits, record, 0, {{1, 1}}}};
    auto const found = first_divergence(ranks, altered);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->records_equal, std::min<std::int64_t>(static_cast<std::int64_t>(record), 4));
    EXPECT_EQ(found->kind, record == 5 ? Divergence::Kind::values : Divergence::Kind::parts);
  }
}

TEST(TraceMerge, ComparesWhatRanksSayOfAField) {
  TemporaryFolder const folder;
  write_ranks(folder.path(), 2);
  auto const of = owners(2, 17);
  write(name_of(folder.path(), 1, 2),
        {{1, 2}, [&](std::int64_t element) { return of[static_cast<std::size_t>(element)] == 1; }}, "50,20");
  EXPECT_NE(told(folder.path()).find("type, shape or kind on rank 1 is not that of the first"),
            std::string::npos);
}

// What only some ranks run stays where it is on these.
TEST(TraceMerge, KeepsTheOrderOfRanksThatSkipStages) {
  TemporaryFolder const folder;
  auto const nothing = [](std::int64_t) { return false; };
  write(name_of(folder.path(), 0, 2), {{0, 2}, nothing, false});
  write(name_of(folder.path(), 1, 2), {{1, 2}});
  write(folder / "serial.bin", {});
  expect_same(read_merged_trace(folder / "trace.bin"), read_merged_trace(folder / "serial.bin"));
}

TEST(TraceMerge, RecordsOfOneNameStayApart) {
  TemporaryFolder const folder;
  for (int rank = 0; rank < 2; ++rank) {
    io::TraceWriter writer{name_of(folder.path(), rank, 2), {}, "", {rank, 2}};
    for (std::uint64_t i = 1; i <= 3; ++i) {
      io::TraceRecord one{{{"step", 1}}, 0, 0, 2, i * (rank == 0 ? 10 : 1), {}};
      one.missing = 1;
      writer.append("s", "f", one);
    }
    writer.close();
  }
  auto const records = read_merged_trace(folder / "trace.bin").trace.records;
  ASSERT_EQ(records.size(), 3u);
  for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_EQ(records[i - 1].hash, 11 * i);
}

// However much each rank's run had written: what is merged is the beginning of the whole.
TEST(TraceMerge, PartsOfTracesMergeToTheBeginningOfTheWhole) {
  TemporaryFolder const folder;
  write(folder / "serial.bin", {});
  auto const serial = read_merged_trace(folder / "serial.bin");
  write_ranks(folder.path(), 3);
  std::vector<std::string> wholes;
  for (int rank = 0; rank < 3; ++rank) wholes.push_back(test::read_file(name_of(folder.path(), rank, 3)));
  std::mt19937_64 random{3};
  std::vector<int> found(3 * steps + 1);
  for (int trial = 0; trial < 200; ++trial) {
    for (int rank = 0; rank < 3; ++rank) {
      auto const& whole = wholes[static_cast<std::size_t>(rank)];
      auto const length = 600 + random() % (whole.size() - 600);
      test::write_file(name_of(folder.path(), rank, 3), random() % 4 == 0 ? whole : whole.substr(0, length));
    }
    auto const merged = read_merged_trace(folder / "trace.bin", {.partial = true});
    expect_same(merged, serial);
    EXPECT_FALSE(first_divergence(serial, merged));
    EXPECT_FALSE(first_divergence(merged, serial));
    auto const count = merged.trace.records.size();
    EXPECT_EQ(merged.trace.end == io::TraceEnd::whole,
              count == 3u * steps && merged.trace.end == io::TraceEnd::whole);
    ++found[count];
    if (count == serial.trace.records.size()) continue;
    auto const notes = reservations(merged, "b");
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0].find(count == 0 ? "b has no record" : "b ends with step "), 0u) << notes[0];
  }
  for (auto const count : {0, 3, 6, 9}) EXPECT_GT(found[static_cast<std::size_t>(count)], 0) << count;
}

TEST(TraceMerge, ADifferenceBeforeTheEndOfAPartIsTold) {
  TemporaryFolder const folder;
  write(folder / "a.bin", {});
  write(folder / "b.bin", {{}, [](std::int64_t element) { return element != 3; }});
  auto const bytes = test::read_file(folder / "a.bin");
  test::write_file(folder / "a.bin", bytes.substr(0, bytes.size() - 1));
  EXPECT_TRUE(first_divergence(read_merged_trace(folder / "a.bin", {.partial = true}),
                               read_merged_trace(folder / "b.bin", {.partial = true})));
}

// Alterations with checksums that fit: each is told in one line, or read as what it says.
TEST(TraceMerge, AThousandAlteredTracesAreReadOrRefusedInALine) {
  TemporaryFolder const folder;
  write(folder / "serial.bin", {});
  auto const serial = read_merged_trace(folder / "serial.bin");
  write_ranks(folder.path(), 3);
  auto const path = name_of(folder.path(), 1, 3);
  auto const whole = test::read_file(path);
  std::mt19937_64 random{6};
  int refused = 0, different = 0, equal = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    auto bytes = whole;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      auto const place = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[place] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(place, 1 + random() % 30);
          break;
        case 2:
          bytes.insert(place, 1 + random() % 9, static_cast<char>(random()));
          break;
        default:
          bytes[place] ^= static_cast<char>(1 << random() % 8);
      }
    }
    if (trial % 2 == 0) {  // checksums that fit what was made of the rest
      for (std::size_t at = 0; at + 13 <= bytes.size(); ++at) {
        if ((bytes[at] != 4 && bytes[at] != 5) || bytes.compare(at + 1, 4, std::string{"\x8\0\0\0", 4}) != 0)
          continue;
        io::StreamHash hash;
        hash.add(std::string_view{bytes}.substr(0, at));
        auto const value = hash.value();
        bytes.replace(at + 5, 8, std::string{reinterpret_cast<char const*>(&value), 8});
      }
    }
    test::write_file(path, bytes);
    try {
      auto const merged = read_merged_trace(folder / "trace.bin", {.partial = trial % 4 < 2});
      auto const found = first_divergence(serial, merged);
      EXPECT_EQ(found ? describe(*found).find('\n') : std::string::npos, std::string::npos);
      auto const json = to_json(found, records_in_common(serial, merged), reservations(merged, "b"));
      EXPECT_EQ(json.at("kind") == "none", !found);
      (found ? different : equal) += 1;
    } catch (InputError const& error) {
      std::string const message = error.what();
      EXPECT_EQ(message.find(path.string()), 0u) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      ++refused;
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(different, 0);
  EXPECT_GT(equal, 20);
}

TEST(FieldIndices, AreThoseOfTheModelsLanguage) {
  auto const field = [](std::string const& type, std::string const& shape, std::string const& indices) {
    return io::TraceEntry{"f", {{"type", type}, {"shape", shape}, {"indices", indices}}};
  };
  auto const text = [](std::optional<FieldIndices> const& indices, std::int64_t first, std::int64_t last) {
    return indices ? indices_text(*indices, first, last) : "none";
  };
  // real(8) :: f(20, 30, 4): element i - 1 + 20 (j - 1) + 600 (k - 1); double f[4][30][20]: the same.
  auto const fortran = indices_of(field("float64", "4,30,20", "fortran"), 2400),
             c = indices_of(field("float64", "4,30,20", "c"), 2400);
  EXPECT_EQ(text(fortran, 0, 2399), "(i, j, k) = (1, 1, 1) to (20, 30, 4)");
  EXPECT_EQ(text(fortran, 6 + 20 * 7 + 600 * 2, 6 + 20 * 7 + 600 * 2), "(i, j, k) = (7, 8, 3)");
  EXPECT_EQ(text(c, 6 + 20 * 7 + 600 * 2, 2399), "[2, 7, 6] to [3, 29, 19]");
  EXPECT_EQ(indices_at(*c, 6 + 20 * 7 + 600 * 2), (std::vector<std::int64_t>{2, 7, 6}));
  EXPECT_EQ(indices_at(*fortran, 6 + 20 * 7 + 600 * 2), (std::vector<std::int64_t>{7, 8, 3}));
  EXPECT_EQ(text(indices_of(field("int32", "9", "fortran"), 9), 2, 4), "i = 3 to 5");
  EXPECT_EQ(text(indices_of(field("int32", "9", "c"), 9), 2, 2), "[2]");
  auto const complex = indices_of(field("complex64", "3,2", "fortran"), 12);
  EXPECT_EQ(text(complex, 5, 5), "(i, j) = (1, 2) imaginary part");
  EXPECT_EQ(text(complex, 4, 4), "(i, j) = (1, 2) real part");
  EXPECT_EQ(text(complex, 4, 5), "(i, j) = (1, 2)");
  EXPECT_EQ(text(indices_of(field("float64", "", "fortran"), 1), 0, 0), "");
  for (auto const* shape :
       {"4,30,21", "4,30", "0,2400", "-4,-30,20", "4,30,20,", ",4,30,20", "4 30 20", "a", ""}) {
    EXPECT_FALSE(indices_of(field("float64", shape, "c"), 2400)) << shape;
  }
  EXPECT_FALSE(indices_of(field("float64", "2400", "pascal"), 2400));
  EXPECT_FALSE(indices_of({"f", {{"indices", "c"}}}, 1)) << "no shape is no scalar";
}

}  // namespace
}  // namespace ulpine::verification
