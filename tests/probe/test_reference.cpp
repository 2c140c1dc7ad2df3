// SPDX-License-Identifier: Apache-2.0
#include "probe/source/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/next.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "core/field/hash.hpp"
#include "io/error.hpp"
#include "probe/source/element_text.hpp"
#include "probe/source/fields_file.hpp"
#include "probe/source/rank_name.hpp"
#include "probe/told_array.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::probe {
namespace {

using test::array_of;
using test::at_step;
using test::Where;
using ulpine::test::message_of;
using ulpine::test::read_file;
using ulpine::test::TemporaryFolder;
using ulpine::test::write_file;

/// A piece [first, last) of a one-dimensional field, of one rank.
struct Piece {
  std::int64_t first, last;
};

/// The record of those elements of a field that a rank has.
io::TraceRecord record_of(std::vector<double> const& values, Piece piece,
                          std::vector<io::LoopIndex> const& position) {
  io::TraceRecord record;
  record.position = position;
  record.count = static_cast<std::int64_t>(values.size());
  record.missing = record.count - (piece.last - piece.first);
  auto const size = io::trace_block_size(record.count);
  record.blocks.resize(static_cast<std::size_t>((record.count + size - 1) / size));
  for (auto i = piece.first; i < piece.last; ++i) {
    auto const hash = ulpine::detail::element_hash(i, to_bits(values[static_cast<std::size_t>(i)]));
    record.hash += hash;
    record.blocks[static_cast<std::size_t>(i / size)] += hash;
  }
  return record;
}

Part part_of(std::vector<double>& values, Piece piece, int flags = ULPINE_FASTEST_FIRST) {
  auto array = array_of(values, {piece.last - piece.first});
  array.data = values.data() + piece.first;
  array.first[0] = piece.first;
  array.whole[0] = static_cast<std::int64_t>(values.size());
  array.flags = flags;
  return test::part_of(array);
}

/// A run that is compared, of one rank of some.
class Comparison {
 public:
  Comparison(Settings settings, int rank = 0, int ranks = 1)
      : reference_{std::move(settings), rank, ranks, told.tell()} {}

  /// Tells a piece and closes its record. Whether it differs.
  bool tell(Where const& where, std::vector<double> values, Piece piece) {
    reference_.check(where.place(), part_of(values, piece));
    return reference_.check(where.place(), record_of(values, piece, where.position));
  }
  bool tell(Where const& where, std::vector<double> const& values) {
    return tell(where, values, {0, static_cast<std::int64_t>(values.size())});
  }
  std::vector<std::string> summary() const { return reference_.summary(); }
  Reference& reference() { return reference_; }

  test::Lines told;

 private:
  Reference reference_;
};

class ProbeReference : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string const trace = (folder / "trace.bin").string();
  std::string const fields = (folder / "fields.bin").string();
  std::vector<double> const values = [] {
    std::vector<double> some(1000);
    for (std::size_t i = 0; i < some.size(); ++i) some[i] = 1 + static_cast<double>(i) / 7;
    return some;
  }();
  std::vector<Where> const wheres = {
      at_step(1, "a"), at_step(1, "b"), {{{"step", 2}, {"sub", 3}}, "a", "x"}, at_step(2, "b", "y")};

  /// The trace, and values where asked for, of a run of as many ranks as there are pieces.
  void write(std::vector<Piece> const& pieces, bool with_values = false, io::TraceAttributes attributes = {},
             bool close = true) {
    auto const ranks = static_cast<int>(pieces.size());
    for (int rank = 0; rank < ranks; ++rank) {
      auto const piece = pieces[static_cast<std::size_t>(rank)];
      io::TraceWriter writer{rank_name(trace, rank, ranks), {}, "", {rank, ranks, ""}};
      Settings settings;
      settings.fields = fields;
      settings.record.push_back({What{{Pattern{with_values ? "*" : "none.*"}}}, {}});
      FieldsWriter recorder{settings, rank, ranks, {}};
      for (auto const& where : wheres) {
        auto said = attributes;
        said.emplace_back("type", "float64");
        auto own = values;
        auto const part = part_of(own, piece);
        if (ranks > 1) said.emplace_back("places", io::hex(places_of(part)));
        writer.describe_field(where.field, said);
        writer.append(where.stage, where.field, record_of(values, piece, where.position));
        if (with_values) recorder.add(where.place(), part, 0, "");
      }
      if (close) writer.close();
      if (with_values) recorder.close();
    }
  }
  Settings settings(std::string const& more = "") const {
    return parse_settings("[compare]\nwith = \"" + trace + "\"\n" + more, "probe.toml");
  }
  std::vector<double> changed(std::size_t index, double value) const {
    auto copy = values;
    copy[index] = value;
    return copy;
  }
};

TEST_F(ProbeReference, SaysThatAllIsEqual) {
  for (auto const with_values : {false, true}) {
    write({{0, 1000}}, with_values);
    Comparison run{settings()};
    for (auto const& where : wheres) EXPECT_FALSE(run.tell(where, values));
    EXPECT_TRUE(run.told.lines.empty());
    EXPECT_EQ(run.summary(),
              (std::vector<std::string>{"compared 4 records with " + trace + ": no difference"}));
  }
}

TEST_F(ProbeReference, NamesPlaceElementValuesAndDistanceOfTheFirstDifference) {
  write({{0, 1000}}, true);
  Comparison run{settings()};
  auto const there = values[41], here = std::nextafter(std::nextafter(there, 100), 100);
  auto different = changed(41, here);
  different[900] = 5;
  EXPECT_FALSE(run.tell(wheres[0], values));
  EXPECT_FALSE(run.tell(wheres[1], values));
  EXPECT_TRUE(run.tell(wheres[2], different));
  EXPECT_TRUE(run.tell(wheres[3], changed(3, 0)));
  // 1 + 41/7 = 48/7 = 6.857142857142857 = 0x401b6db6db6db6db + 1/7 of a unit.
  EXPECT_EQ(
      run.told.lines,
      (std::vector<std::string>{
          "first difference from " + trace +
          ": step 2, sub 3, stage a, field x, i = 42: 6.8571428571428585e+00 (0x401b6db6db6db6dd) here, "
          "6.8571428571428568e+00 (0x401b6db6db6db6db) there, 2 units in the last place apart; 2 elements "
          "differ"}));
  EXPECT_EQ(run.summary(), (std::vector<std::string>{"2 of 4 records differ from " + trace}));
}

TEST_F(ProbeReference, NamesTheBlockWhereTheReferenceHasHashesAlone) {
  write({{0, 1000}});
  Comparison run{settings()};
  // 1000 elements have blocks of 4.
  EXPECT_TRUE(run.tell(wheres[0], changed(41, 0)));
  EXPECT_EQ(run.told.lines,
            (std::vector<std::string>{"first difference from " + trace +
                                      ": step 1, stage a, field x, within i = 41 to i = 44 (values are told "
                                      "where the reference has them: [[record]])"}));
}

TEST_F(ProbeReference, TakesAFolderForItsTraceAndValues) {
  write({{0, 1000}}, true);
  auto in_folder = settings();
  in_folder.compare->with = folder.path().string();
  Comparison run{in_folder};
  EXPECT_TRUE(run.tell(wheres[0], changed(41, 0)));
  EXPECT_NE(run.told.lines.at(0).find("i = 42: 0.0000000000000000e+00 (0x0000000000000000) here"),
            std::string::npos)
      << run.told.lines[0];
}

TEST_F(ProbeReference, TakesValuesAlone) {
  write({{0, 1000}}, true);
  Comparison run{parse_settings("[compare]\nvalues = \"" + fields + "\"\n", "p")};
  EXPECT_FALSE(run.tell(wheres[0], values));
  EXPECT_FALSE(run.tell(at_step(7), values));
  EXPECT_TRUE(run.tell(wheres[1], changed(41, 0)));
  EXPECT_EQ(run.summary(), (std::vector<std::string>{
                               "1 of 2 records differs from " + fields,
                               "1 record not in " + fields + ", the first: step 7, stage stage, field x"}));
}

/// The values of any division are compared with those of any other.
TEST_F(ProbeReference, ComparesRanksByValuesWhateverTheirParts) {
  write({{0, 300}, {300, 1000}}, true);
  for (int rank = 0; rank < 3; ++rank) {
    Piece const piece{rank * 333, rank == 2 ? 1000 : (rank + 1) * 333};
    Comparison run{settings(), rank, 3};
    EXPECT_FALSE(run.tell(wheres[0], values, piece));
    auto const found = run.tell(wheres[1], changed(400, 7), piece);
    EXPECT_EQ(found, rank == 1);
    ASSERT_EQ(run.told.lines.size(), rank == 1 ? 1u : 0u);
    if (rank != 1) continue;
    EXPECT_NE(run.told.lines[0].find("step 1, stage b, field x, i = 401: 7.0000000000000000e+00"),
              std::string::npos)
        << run.told.lines[0];
  }
}

TEST_F(ProbeReference, SaysThatOtherPartsNeedValues) {
  write({{0, 300}, {300, 1000}});
  Comparison run{settings(), 1, 3};
  EXPECT_FALSE(run.tell(wheres[0], values, {333, 666}));
  EXPECT_FALSE(run.tell(wheres[1], values, {333, 666}));
  EXPECT_EQ(run.told.lines,
            (std::vector<std::string>{"not compared with " + trace +
                                      ": parts of fields on 3 ranks need a reference of as many ranks or "
                                      "with recorded values, this one is of 2 ranks"}));
}

TEST_F(ProbeReference, ComparesAWholeFieldWithTheSumOfRanks) {
  write({{0, 300}, {300, 1000}});
  Comparison run{settings()};
  EXPECT_FALSE(run.tell(wheres[0], values));
  EXPECT_TRUE(run.tell(wheres[1], changed(999, 7)));
  EXPECT_EQ(run.told.lines,
            (std::vector<std::string>{"first difference from " + trace +
                                      ": step 1, stage b, field x, within i = 997 to i = 1000 (values are "
                                      "told where the reference has them: [[record]])"}));
}

TEST_F(ProbeReference, ComparesPartsOfRanksThatAreTheSame) {
  write({{0, 300}, {300, 1000}});
  for (int rank = 0; rank < 2; ++rank) {
    Piece const piece = rank == 0 ? Piece{0, 300} : Piece{300, 1000};
    Comparison run{settings(), rank, 2};
    EXPECT_FALSE(run.tell(wheres[0], values, piece));
    EXPECT_EQ(run.tell(wheres[1], changed(400, 7), piece), rank == 1);
    EXPECT_EQ(run.told.lines.size(), rank == 1 ? 1u : 0u);
  }
}

/// As where a field is gathered on one rank.
TEST_F(ProbeReference, ComparesAFieldThatOneRankHasAsAWholeWithTheSumOfRanks) {
  write({{0, 300}, {300, 1000}});
  Comparison run{settings(), 1, 2};
  EXPECT_FALSE(run.tell(wheres[0], values));
  EXPECT_TRUE(run.tell(wheres[1], changed(4, 7)));
  EXPECT_EQ(run.summary().front(), "1 of 2 records differs from " + trace);
}

/// As many elements, but others: the hash of a part would call them different.
TEST_F(ProbeReference, DoesNotCompareOtherPartsByHashes) {
  write({{0, 500}, {500, 1000}});
  Comparison run{settings(), 0, 2};
  EXPECT_FALSE(run.tell(wheres[0], values, {500, 1000}));
  EXPECT_FALSE(run.tell(wheres[1], changed(600, 7), {500, 1000}));
  EXPECT_EQ(run.told.lines,
            (std::vector<std::string>{"not compared with " + trace +
                                      ": this rank has other elements of field x than in the reference"}));
  EXPECT_EQ(run.summary().front(), "nothing was compared with " + trace);
  EXPECT_EQ(run.summary().at(1),
            "2 records could not be compared with " + trace + ", the first: step 1, stage a, field x");
}

TEST_F(ProbeReference, SaysWhatIsInOneOfBothAlone) {
  write({{0, 1000}});
  Comparison run{settings()};
  EXPECT_FALSE(run.tell(wheres[0], values));
  EXPECT_FALSE(run.tell(at_step(1, "new"), values));
  EXPECT_FALSE(run.tell(wheres[3], values));
  EXPECT_EQ(run.summary(),
            (std::vector<std::string>{
                "compared 2 records with " + trace + ": no difference",
                "1 record not in " + trace + ", the first: step 1, stage new, field x",
                "2 records of " + trace + " did not come, the first: step 1, stage b, field x"}));
  // What the settings leave out is not missed.
  Comparison chosen{
      settings("").compare
          ? parse_settings("only = \"a.*\"\nsteps = 1\n[compare]\nwith = \"" + trace + "\"\n", "p")
          : Settings{}};
  EXPECT_FALSE(chosen.tell(wheres[0], values));
  EXPECT_EQ(chosen.summary(),
            (std::vector<std::string>{"compared 1 record with " + trace + ": no difference"}));
}

TEST_F(ProbeReference, SaysWhatCannotBeComparedOnce) {
  write({{0, 1000}});
  Comparison run{settings()};
  std::vector<double> const shorter(10, 1.0);
  EXPECT_FALSE(run.tell(wheres[0], shorter));
  EXPECT_FALSE(run.tell(wheres[1], shorter));
  std::vector<float> narrow(1000);
  run.reference().check(wheres[3].place(), test::part_of(narrow, {1000}));
  EXPECT_FALSE(run.reference().check(wheres[3].place(), record_of(values, {0, 1000}, wheres[3].position)));
  EXPECT_EQ(run.told.lines,
            (std::vector<std::string>{
                "not compared with " + trace + ": field x has 10 elements here and 1000 there",
                "not compared with " + trace + ": field y is of type float32 here and float64 there"}));
  write({{0, 1000}}, true);
  Comparison with_values{settings()};
  with_values.reference().check(wheres[0].place(), test::part_of(narrow, {1000}));
  EXPECT_EQ(with_values.told.lines,
            (std::vector<std::string>{"values of field x cannot be compared (type or shape are others in " +
                                      fields + ") they are left out"}));
}

TEST_F(ProbeReference, KeepsZerosAsTheSettingsHaveThem) {
  write({{0, 1000}}, false, {{"zeros", "equal"}});
  Comparison apart{settings()};
  EXPECT_FALSE(apart.tell(wheres[0], values));
  EXPECT_EQ(
      apart.told.lines,
      (std::vector<std::string>{"not compared with " + trace +
                                ": -0 and 0 are told apart in one of the two runs only (key `zeros`)"}));
  Comparison equal{parse_settings("zeros = \"equal\"\n[compare]\nwith = \"" + trace + "\"\n", "p")};
  EXPECT_FALSE(equal.tell(wheres[0], values));
  EXPECT_TRUE(equal.told.lines.empty());
}

TEST_F(ProbeReference, FindsTheFirstElementWhicheverThreadTellsIt) {
  write({{0, 1000}}, true);
  Comparison run{settings()};
  auto different = changed(700, 1);
  different[200] = 2, different[201] = 3;
  std::vector<std::thread> threads;
  for (int t = 9; t >= 0; --t) {
    threads.emplace_back([&, t] {
      run.reference().check(wheres[0].place(), part_of(different, {t * 100, t * 100 + 100}));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(run.reference().check(wheres[0].place(), record_of(different, {0, 1000}, wheres[0].position)));
  EXPECT_NE(run.told.lines.at(0).find("i = 201: 2.0000000000000000e+00"), std::string::npos)
      << run.told.lines[0];
  EXPECT_NE(run.told.lines.at(0).find("; 3 elements differ"), std::string::npos) << run.told.lines[0];
}

TEST_F(ProbeReference, FindsTheFirstElementInWhateverOrderPartsCome) {
  write({{0, 1000}}, true);
  for (auto const ascending : {true, false}) {
    Comparison run{settings()};
    auto different = changed(700, 1);
    different[200] = 2;
    for (int t = 0; t < 10; ++t) {
      auto const first = (ascending ? t : 9 - t) * 100;
      run.reference().check(wheres[0].place(), part_of(different, {first, first + 100}));
    }
    EXPECT_TRUE(
        run.reference().check(wheres[0].place(), record_of(different, {0, 1000}, wheres[0].position)));
    EXPECT_NE(run.told.lines.at(0).find("i = 201: 2.0000000000000000e+00"), std::string::npos)
        << run.told.lines[0];
  }
}

TEST_F(ProbeReference, CountsReplicatedFieldsOfTheReferenceOnce) {
  for (int rank = 0; rank < 2; ++rank) {
    io::TraceWriter writer{rank_name(trace, rank, 2), {}, "", {rank, 2, ""}};
    auto record = record_of(values, {0, 1000}, wheres[0].position);
    record.replicated = true;
    writer.append("a", "x", record);
    writer.close();
  }
  Comparison run{settings()};
  EXPECT_FALSE(run.tell(wheres[0], values));
  EXPECT_EQ(run.summary().front(), "compared 1 record with " + trace + ": no difference");
}

TEST_F(ProbeReference, LeavesOutElementsThatWereNotRecorded) {
  Settings recording;
  recording.fields = fields;
  recording.record.push_back({What{{Pattern{"*"}}}, {}});
  FieldsWriter recorder{recording, 0, 1, {}};
  auto own = values;
  recorder.add(wheres[0].place(), part_of(own, {0, 300}), 0, "");
  recorder.close();
  Comparison run{parse_settings("[compare]\nvalues = \"" + fields + "\"\n", "p")};
  EXPECT_FALSE(run.tell(wheres[0], changed(400, 7)));
  EXPECT_EQ(run.told.lines,
            (std::vector<std::string>{"some values of field x cannot be compared (they are not in " + fields +
                                      ") they are left out"}));
}

TEST_F(ProbeReference, TakesATraceThatWasCutAsFarAsItGoes) {
  write({{0, 1000}}, false, {}, false);
  Comparison run{settings()};
  EXPECT_EQ(run.told.lines,
            (std::vector<std::string>{
                trace +
                ": trace cut short after 4 records (its run was stopped) it is compared as far as it goes"}));
  EXPECT_FALSE(run.tell(wheres[0], values));
}

TEST_F(ProbeReference, RefusesWhatIsNoReference) {
  EXPECT_EQ(
      message_of<InputError>([&] { Comparison{settings()}; }),
      trace +
          ": no such trace (the run is to be compared with it) give compare.with a trace of a probed run");
  write({{0, 1000}});
  auto bytes = read_file(trace);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(trace, bytes);
  EXPECT_EQ(message_of<InputError>([&] { Comparison{settings()}; }).find(trace + ": damaged trace"), 0u);
  write_file(trace, "notes");
  EXPECT_EQ(message_of<InputError>([&] { Comparison{settings()}; }).find(trace + ": not a trace"), 0u);
  EXPECT_EQ(message_of<InputError>([&] {
              Comparison{parse_settings("[compare]\nvalues = \"" + fields + "\"\n", "p")};
            }).find(fields + ": no such file of values"),
            0u);
}

template <class T>
std::string difference(ulpine_type type, T here, T there) {
  std::byte a[sizeof(T)], b[sizeof(T)];
  std::memcpy(a, &here, sizeof here);
  std::memcpy(b, &there, sizeof there);
  return difference_text(type, a, b);
}
template <class T>
bool same(ulpine_type type, T a, T b, bool zeros_equal = false) {
  std::byte x[sizeof(T)], y[sizeof(T)];
  std::memcpy(x, &a, sizeof a);
  std::memcpy(y, &b, sizeof b);
  return same_element(type, zeros_equal, x, y);
}

TEST(ProbeElements, HaveTheDistanceOfBoost) {
  std::mt19937_64 random{5};
  for (int i = 0; i < 1000; ++i) {
    auto const a = std::bit_cast<double>(random()),
               b = i % 2 == 0 ? a * (1 + 1e-14) : std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(a) || !std::isfinite(b) || a == b || std::fabs(a) < 1e-300 || std::fabs(b) < 1e-300 ||
        std::signbit(a) != std::signbit(b))
      continue;
    auto const distance = std::fabs(boost::math::float_distance(a, b));
    if (distance > 0x1p53) continue;
    auto const text = difference(ULPINE_F64, a, b);
    EXPECT_NE(text.find(" there, " + std::to_string(static_cast<std::uint64_t>(distance)) + " unit"),
              std::string::npos)
        << text << " " << distance;
  }
  EXPECT_EQ(
      difference(ULPINE_F32, 1.0f, std::nextafter(1.0f, 2.0f)),
      "1.00000000e+00 (0x3f800000) here, 1.00000012e+00 (0x3f800001) there, 1 unit in the last place apart");
  EXPECT_EQ(difference(ULPINE_F64, 0.0, -0.0),
            "0.0000000000000000e+00 (0x0000000000000000) here, -0.0000000000000000e+00 (0x8000000000000000) "
            "there, 1 unit in the last place apart");
  EXPECT_EQ(difference(ULPINE_F64, 5e-324, -5e-324).find("4.9406564584124654e-324"), 0u);
  EXPECT_EQ(difference(ULPINE_F64, 1.0, std::numeric_limits<double>::infinity()),
            "1.0000000000000000e+00 (0x3ff0000000000000) here, inf (0x7ff0000000000000) there");
  EXPECT_EQ(difference(ULPINE_F32, std::bit_cast<float>(0x7fc00000u), 1.0f),
            "nan (0x7fc00000) here, 1.00000000e+00 (0x3f800000) there");
  EXPECT_EQ(difference<std::int8_t>(ULPINE_I8, -5, 7), "-5 here, 7 there");
  EXPECT_EQ(difference<std::int64_t>(ULPINE_I64, std::numeric_limits<std::int64_t>::min(), 7),
            "-9223372036854775808 here, 7 there");
  EXPECT_EQ(difference<std::int32_t>(ULPINE_L32, 0, -1), "false here, true there");
}

TEST(ProbeElements, AreTheSameAsTheirHashSeesThem) {
  auto const nan = [](std::uint64_t payload) { return std::bit_cast<double>(0x7ff8000000000000u | payload); };
  EXPECT_TRUE(same(ULPINE_F64, nan(1), nan(2)));
  EXPECT_TRUE(same(ULPINE_F64, nan(1), std::bit_cast<double>(0xfff0000000000001u)));
  EXPECT_FALSE(same(ULPINE_F64, nan(1), std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(same(ULPINE_F64, 0.0, -0.0));
  EXPECT_TRUE(same(ULPINE_F64, 0.0, -0.0, true));
  EXPECT_TRUE(same(ULPINE_F32, 0.0f, -0.0f, true));
  EXPECT_FALSE(same(ULPINE_F64, 0.0, 5e-324, true));
  EXPECT_FALSE(same(ULPINE_F64, 1.0, -1.0, true));
  EXPECT_TRUE(same(ULPINE_F32, std::bit_cast<float>(0x7fc00001u), std::bit_cast<float>(0xffc00000u)));
  EXPECT_FALSE(same<std::int32_t>(ULPINE_I32, 0x7fc00001, 0x7fc00002)) << "no NaN among integers";
  EXPECT_TRUE(same<std::int32_t>(ULPINE_L32, 1, -1));
  EXPECT_FALSE(same<std::int64_t>(ULPINE_L64, 0, std::int64_t{1} << 40));
  EXPECT_FALSE(same<std::int8_t>(ULPINE_L8, 0, 2));
  EXPECT_FALSE(same<std::int16_t>(ULPINE_I16, 256, 0));
}

}  // namespace
}  // namespace ulpine::probe
