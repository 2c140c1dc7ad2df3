// SPDX-License-Identifier: Apache-2.0
// What a run tells to the probe, and the trace that comes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "io/error.hpp"
#include "io/trace_file.hpp"
#include "probe/source/hash.hpp"
#include "probe/source/launch.hpp"
#include "probe/source/run.hpp"
#include "support/random_values.hpp"
#include "support/temporary_folder.hpp"

namespace {

namespace probe = ulpine::probe;
namespace io = ulpine::io;
using ulpine::test::RandomValues;

class EngineRun : public testing::Test {
 protected:
  std::string trace_name() const { return (folder_.path() / "trace.bin").string(); }
  std::unique_ptr<probe::Run> run(probe::Launch launch = {}) {
    probe::Settings settings;
    settings.trace = trace_name();
    return run_of(settings, launch);
  }
  std::unique_ptr<probe::Run> run_of(probe::Settings const& settings, probe::Launch launch = {}) {
    return std::make_unique<probe::Run>(settings, launch,
                                        [this](std::string const& line) { lines_.push_back(line); });
  }
  io::Trace trace() const { return io::read_trace(trace_name()); }

  ulpine::test::TemporaryFolder folder_;
  std::vector<std::string> lines_;
};

ulpine_array array_of(std::vector<double> const& values) {
  ulpine_array array{};
  array.data = const_cast<double*>(values.data());
  array.type = ULPINE_F64;
  array.rank = 1;
  array.extent[0] = static_cast<std::int64_t>(values.size());
  return array;
}
probe::Part part_of(ulpine_array const& array) { return probe::part_of("t", 1, array); }
probe::Part part_of(std::vector<double> const& values) { return part_of(array_of(values)); }
/// Elements first to end of a domain.
ulpine_array piece_of(std::vector<double> const& values, std::size_t first, std::size_t end) {
  auto array = array_of(values);
  array.data = const_cast<double*>(values.data()) + first;
  array.extent[0] = static_cast<std::int64_t>(end - first);
  array.first[0] = static_cast<std::int64_t>(first);
  array.whole[0] = static_cast<std::int64_t>(values.size());
  return array;
}

std::uint64_t hash_of(std::vector<double> const& values) {
  probe::BlockSums sums(static_cast<std::int64_t>(values.size()));
  probe::add_hashes(part_of(values), sums);
  std::vector<std::uint64_t> blocks(static_cast<std::size_t>(sums.blocks()));
  sums.add_to(blocks);
  return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0});
}

/// "step 1, sub 2: stage field" of each record.
std::vector<std::string> places(io::Trace const& trace) {
  std::vector<std::string> texts;
  for (auto const& record : trace.records) {
    texts.push_back(io::text_of(record.position) + ": " + trace.header.stages[record.stage].name + " " +
                    trace.header.fields[record.field].name);
  }
  return texts;
}

using Records =
    std::map<std::string,
             std::tuple<std::int64_t, std::int64_t, std::uint64_t, std::vector<std::uint64_t>, bool>>;
Records records_of(io::Trace const& trace) {
  Records records;
  auto const at = places(trace);
  for (std::size_t n = 0; n < at.size(); ++n) {
    auto const& record = trace.records[n];
    EXPECT_TRUE(
        records
            .try_emplace(at[n], record.count, record.missing, record.hash, record.blocks, record.replicated)
            .second)
        << at[n];
  }
  return records;
}

/// Records of ranks, summed as merging does it.
void add(Records& sum, Records const& share) {
  for (auto const& [place, record] : share) {
    auto const [found, is_new] = sum.try_emplace(place, record);
    if (is_new) continue;
    auto& [count, missing, hash, blocks, replicated] = found->second;
    ASSERT_EQ(count, std::get<0>(record));
    missing -= count - std::get<1>(record);
    hash += std::get<2>(record);
    for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] += std::get<3>(record)[b];
  }
}

TEST_F(EngineRun, NamesEachStageByItsStepAndLoopsAndCountsItsCallsThere) {
  std::vector<double> const t(10, 1.5);
  auto const told = part_of(t);
  auto const run_ = run();
  run_->step(7);
  run_->field("t", told, false);
  run_->stage("a");
  run_->field("t", told, false);
  for (int i = 1; i <= 2; ++i) {
    run_->enter("sub", i);
    run_->stage("b");
    run_->field("t", told, false);
    run_->enter("iteration", -3);
    run_->stage("b");
    run_->field("t", told, true);
    run_->leave();
    run_->stage("b");
    run_->field("t", told, false);
  }
  run_->leave();
  run_->field("t", told, false);
  run_->enter("sub", 2);
  run_->stage("b");
  run_->field("t", told, false);
  run_->step(9);
  run_->stage("a");
  run_->field("t", told, false);
  run_->stage("a");
  run_->field("t", told, false);
  run_->close();
  EXPECT_EQ(places(trace()),
            (std::vector<std::string>{"step 7: start t", "step 7: a t", "step 7, sub 1: b t",
                                      "step 7, sub 1, iteration -3: b t", "step 7, sub 1, call 2: b t",
                                      "step 7, sub 2: b t", "step 7, sub 2, iteration -3: b t",
                                      "step 7, sub 2, call 2: b t", "step 7, call 2: start t",
                                      "step 7, sub 2, call 3: b t", "step 9: a t", "step 9, call 2: a t"}));
}

TEST_F(EngineRun, WritesHashesShapesAndWhoWrote) {
  std::vector<double> t(24);
  std::iota(t.begin(), t.end(), 0.5);
  auto array = array_of(t);
  array.rank = 3;
  array.extent[0] = 2;
  array.extent[1] = 3;
  array.extent[2] = 4;
  auto fortran = array;
  fortran.flags = ULPINE_FASTEST_FIRST;
  auto complex = array;
  complex.rank = 2;
  complex.extent[1] = 6;
  complex.extent[2] = 0;
  complex.type = ULPINE_C64;
  auto const run_ = run();
  run_->unit("t", "K");
  run_->step(1);
  run_->stage("a");
  run_->field("t", part_of(array), false);
  run_->field("f", part_of(fortran), false);
  run_->field("z", part_of(complex), false);
  run_->unit("t", "K");
  run_->step(2);
  run_->unit("t", "K");  // as it is
  run_->close();
  auto const found = trace();
  ASSERT_EQ(found.records.size(), 3u);
  EXPECT_EQ(found.records[0].hash, hash_of(t));
  EXPECT_EQ(found.records[0].blocks.size(), 24u);
  EXPECT_EQ(std::accumulate(found.records[0].blocks.begin(), found.records[0].blocks.end(), std::uint64_t{0}),
            hash_of(t));
  EXPECT_EQ(found.records[1].hash, hash_of(t));
  EXPECT_EQ(found.records[2].hash, hash_of(t));
  EXPECT_EQ(found.records[2].count, 24);
  using Attributes = io::TraceAttributes;
  EXPECT_EQ(found.header.fields[0].attributes,
            (Attributes{{"type", "float64"}, {"shape", "2,3,4"}, {"indices", "c"}, {"unit", "K"}}));
  EXPECT_EQ(found.header.fields[1].attributes,
            (Attributes{{"type", "float64"}, {"shape", "4,3,2"}, {"indices", "fortran"}}));
  EXPECT_EQ(found.header.fields[2].attributes,
            (Attributes{{"type", "complex64"}, {"shape", "2,6"}, {"indices", "c"}}));
  EXPECT_EQ(found.header.provenance.ranks, 1);
  EXPECT_FALSE(found.header.provenance.version.empty());
}

TEST_F(EngineRun, OfRanksInAnyDecompositionSumsToThatOfOne) {
  RandomValues random(1);
  std::vector<double> t = random.uniform(1000, -1, 1), scalar = {3.5};
  Records expected;
  for (int const ranks : {1, 2, 3, 7}) {
    std::vector<std::size_t> cuts = {0, t.size()};
    for (int r = 1; r < ranks; ++r) cuts.push_back(random.below(t.size()));
    std::ranges::sort(cuts);
    Records sum;
    for (int rank = 0; rank < ranks; ++rank) {
      // Around the rank's own elements lies what the others may have left there.
      auto own = random.uniform(t.size(), -9, 9);
      auto const begin = cuts[static_cast<std::size_t>(rank)], end = cuts[static_cast<std::size_t>(rank) + 1];
      std::copy(t.begin() + static_cast<std::ptrdiff_t>(begin), t.begin() + static_cast<std::ptrdiff_t>(end),
                own.begin() + static_cast<std::ptrdiff_t>(begin));
      auto replicated = array_of(scalar);
      replicated.flags = ULPINE_REPLICATED;
      auto const run_ = run({rank, ranks, "42"});
      for (int step = 1; step <= 2; ++step) {
        run_->step(step);
        run_->stage("a");
        run_->field("t", part_of(piece_of(own, begin, end)), false);
        run_->field("s", part_of(replicated), false);
      }
      run_->close();
      auto const name =
          ranks == 1
              ? trace_name()
              : (folder_.path() / ("trace." + std::to_string(rank) + "-of-" + std::to_string(ranks) + ".bin"))
                    .string();
      auto const share = io::read_trace(name);
      EXPECT_EQ(share.header.provenance.ranks, ranks);
      auto records = records_of(share);
      for (auto const* const place : {"step 1: a s", "step 2: a s"}) {
        EXPECT_EQ(std::get<1>(records.at(place)), 0);
        EXPECT_TRUE(std::get<4>(records.at(place)));
        EXPECT_EQ(std::get<2>(records.at(place)), hash_of(scalar));
        records.erase(place);
      }
      add(sum, records);
    }
    EXPECT_EQ(std::get<1>(sum.at("step 1: a t")), 0);
    if (ranks == 1) {
      EXPECT_EQ(std::get<2>(sum.at("step 1: a t")), hash_of(t));
      expected = sum;
    }
    EXPECT_EQ(sum, expected) << ranks;
  }
}

TEST_F(EngineRun, TellsWhatIsMissing) {
  std::vector<double> const t(100, 2);
  auto const run_ = run();
  run_->step(1);
  run_->stage("a");
  run_->field("t", part_of(piece_of(t, 0, 60)), false);
  run_->stage("b");
  run_->field("t", part_of(piece_of(t, 0, 60)), false);
  run_->field("t", part_of(piece_of(t, 60, 100)), false);
  run_->close();
  auto const found = trace();
  EXPECT_EQ(found.records[0].missing, 40);
  EXPECT_EQ(found.records[1].missing, 0);
  auto const& attributes = found.header.fields[0].attributes;
  EXPECT_EQ(attributes.back().first, "places");
  auto const other = run();
  other->step(1);
  other->stage("a");
  other->field("t", part_of(piece_of(t, 30, 60)), false);
  other->field("t", part_of(piece_of(t, 0, 30)), false);
  other->close();
  EXPECT_EQ(trace().header.fields[0].attributes, attributes);  // the same elements in other parts
  EXPECT_EQ(trace().records[0].hash, found.records[0].hash);
}

TEST_F(EngineRun, AddsPartsOfThreadsAtOnce) {
  RandomValues random(2);
  auto const t = random.uniform(20000, -1, 1);
  for (int repetition = 0; repetition < 20; ++repetition) {
    auto const run_ = run();
    run_->step(1);
    run_->stage("a");
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t part = thread; part < 200; part += 8) {
          run_->field("t", part_of(piece_of(t, 100 * part, 100 * part + 100)), false);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    run_->close();
    auto const found = trace();
    ASSERT_EQ(found.records.size(), 1u);
    EXPECT_EQ(found.records[0].hash, hash_of(t));
    EXPECT_EQ(found.records[0].missing, 0);
  }
}

TEST_F(EngineRun, LooksAtWatchedFieldsAfterEveryStageAsTheyAreThen) {
  std::vector<double> t = {1, 2, 3}, q = {4, 5};
  std::vector<std::int64_t> numbers = {2, 0, 1};
  auto array = array_of(t);
  array.numbers = numbers.data();
  auto const run_ = run();
  run_->watch("t", part_of(array));
  std::ranges::fill(numbers, -1);  // they were taken when they were told
  run_->watch("q", part_of(q));
  run_->step(1);
  run_->stage("a");
  t[0] = 9;
  run_->stage("b");
  run_->unwatch("q");
  std::vector<double> const moved = {7, 7, 7};
  run_->watch("t", part_of(moved));
  run_->enter("sub", 1);
  run_->stage("c");
  run_->close();
  auto const found = trace();
  EXPECT_EQ(places(found), (std::vector<std::string>{"step 1: a t", "step 1: a q", "step 1: b t",
                                                     "step 1: b q", "step 1, sub 1: c t"}));
  EXPECT_EQ(found.records[0].hash, hash_of({2, 3, 1}));
  EXPECT_EQ(found.records[1].hash, hash_of(q));
  EXPECT_EQ(found.records[2].hash, hash_of({2, 3, 9}));
  EXPECT_EQ(found.records[4].hash, hash_of(moved));
}

TEST_F(EngineRun, TracesTheStepsAndFieldsAskedForWithoutBlocksAndWithEqualZeros) {
  probe::Settings settings;
  settings.trace = trace_name();
  settings.every = 2;
  settings.steps = {3, 8};
  settings.only = {{probe::Pattern{"*.t"}}};
  settings.blocks = false;
  settings.zeros_equal = true;
  std::vector<double> const t = {0.0, -0.0}, zeros = {0.0, 0.0};
  auto const run_ = run_of(settings);
  for (int step = 1; step <= 10; ++step) {
    run_->step(step);
    run_->stage("a");
    run_->field("t", part_of(t), false);
    run_->field("u", part_of(t), false);
  }
  run_->close();
  auto const found = trace();
  EXPECT_EQ(places(found), (std::vector<std::string>{"step 4: a t", "step 6: a t", "step 8: a t"}));
  EXPECT_TRUE(found.records[0].blocks.empty());
  EXPECT_EQ(found.records[0].hash, hash_of(zeros));
}

/// The message that `act` is refused with.
template <class Error = probe::UseError>
std::string refusal(std::function<void()> const& act) {
  try {
    act();
  } catch (Error const& error) {
    return error.what();
  }
  return "not refused";
}

TEST_F(EngineRun, RefusesEachWrongUse) {
  std::vector<double> const t(10, 1.0);
  std::vector<float> const single(10, 1.0f);
  auto const told = part_of(t);
  auto of_single = array_of(t);
  of_single.type = ULPINE_F32;
  auto const run_ = run();
  EXPECT_EQ(refusal([&] { run_->stage("a"); }),
            "stage 'a' comes before the first step (its place is not known) call ulpine_step before it");
  EXPECT_EQ(refusal([&] { run_->field("t", told, false); }),
            "stage 'start' comes before the first step (its place is not known) call ulpine_step before it");
  EXPECT_EQ(refusal([&] { run_->enter("sub", 1); }),
            "loop 'sub' comes before the first step (its place is not known) call ulpine_step before it");
  EXPECT_EQ(refusal([&] { run_->leave(); }),
            "ulpine_leave outside of loops (no ulpine_enter before it) take it out, or enter the loop");
  EXPECT_EQ(
      refusal([&] { run_->rank(3, 3); }),
      "ulpine_rank(3, 3) (ranks are counted from 0) give it the process's number and how many there are");
  EXPECT_EQ(
      refusal([&] { run_->rank(-1, 3); }),
      "ulpine_rank(-1, 3) (ranks are counted from 0) give it the process's number and how many there are");
  run_->step(5);
  EXPECT_EQ(refusal([&] { run_->step(5); }),
            "ulpine_step(5) follows step 5 (steps rise) give it the number of the step");
  EXPECT_EQ(refusal([&] { run_->step(4); }),
            "ulpine_step(4) follows step 5 (steps rise) give it the number of the step");
  EXPECT_EQ(refusal([&] { run_->rank(1, 2); }),
            "ulpine_rank comes after the first step (files have the rank in their names) call it before");
  run_->rank(0, 1);  // as it is
  EXPECT_EQ(refusal([&] { run_->leave(); }),
            "ulpine_leave outside of loops (no ulpine_enter before it) take it out, or enter the loop");
  run_->stage("a");
  run_->field("t", told, false);
  EXPECT_EQ(refusal([&] { run_->field("t", told, false); }),
            "field 't': is told twice in one stage (20 elements of a domain of 10) tell each element once, "
            "or name another stage");
  EXPECT_EQ(refusal([&] { run_->field("t", part_of(of_single), false); }),
            "field 't': is of float32 here and of float64 before (a name has one type) tell them by "
            "different names");
  run_->field("p", part_of(piece_of(t, 0, 4)), false);
  std::vector<double> const longer(11, 1.0);
  EXPECT_EQ(refusal([&] { run_->field("p", part_of(piece_of(longer, 4, 6)), false); }),
            "field 'p': its parts have different domains in one stage (10 and 11, slowest axis first, or "
            "some alone are replicated) give all the same extents of the domain");
  auto replicated = piece_of(t, 4, 6);
  replicated.flags = ULPINE_REPLICATED;
  EXPECT_NE(refusal([&] { run_->field("p", part_of(replicated), false); }), "not refused");
  EXPECT_EQ(refusal([&] { run_->unwatch("w"); }),
            "ulpine_unwatch: field 'w' is not watched (no ulpine_watch of that name) mend the name");
  run_->watch("w", told);
  run_->stage("b");
  EXPECT_EQ(refusal([&] { run_->field("w", told, false); }),
            "field 'w': is told and watched (after every stage) take this call out, or call ulpine_unwatch "
            "before it");
  EXPECT_EQ(refusal([&] { run_->unit("t", "K"); }),
            "field 't': unit comes after its first record is written (it stands before it) call ulpine_unit "
            "before the first step");
  run_->step(6);
  for (char loop = 'a'; loop < 'h'; ++loop) run_->enter(std::string{loop}, 1);
  EXPECT_EQ(refusal([&] { run_->enter("h", 1); }),
            "loop 'h' is the 8th within each other (a trace has 7) call ulpine_leave where a loop ends");
  run_->enter("g", 2);
  run_->stage("c");
  run_->stage("c");
  run_->field("t", told, false);
  run_->close();
  EXPECT_EQ(places(trace()).back(), "step 6, a 1, b 1, c 1, d 1, e 1, f 1, g 2, call 2: c t");
}

TEST_F(EngineRun, RefusesAPartOfAStageThatHasEnded) {
  std::vector<double> const t(10, 1.0);
  probe::Field field("t");
  probe::Stage stage({{"step", 1}}, "a", true);
  auto const part = part_of(t);
  probe::BlockSums sums(10);
  stage.close();
  EXPECT_EQ(refusal([&] { stage.add(field, part, sums, 0); }),
            "field 't': is told after stage 'a' has ended (another thread went on) call ulpine_stage, "
            "ulpine_step, ulpine_enter and ulpine_leave once all threads have told their fields");
}

TEST_F(EngineRun, ForgetsTheLaunchOfOtherRanks) {
  auto const run_ = run({0, 2, "launch"});
  run_->rank(1, 3);
  run_->step(1);
  run_->close();
  EXPECT_EQ(io::read_trace(folder_.path() / "trace.1-of-3.bin").header.share.run, "");
}

TEST_F(EngineRun, RefusesEachArrayThatCannotBe) {
  std::vector<double> t(100);
  std::vector<std::int64_t> numbers(10);
  std::iota(numbers.begin(), numbers.end(), 0);
  ulpine_array good{};
  good.data = t.data();
  good.type = ULPINE_F64;
  good.rank = 2;
  good.extent[0] = good.extent[1] = 10;
  auto const message = [&](std::function<void(ulpine_array&)> const& change) {
    auto array = good;
    change(array);
    return refusal([&] { part_of(array); });
  };
  EXPECT_EQ(message([](auto&) {}), "not refused");
  EXPECT_EQ(message([](auto& a) { a.type = 0; }),
            "field 't': type is 0 (no member of enum ulpine_type) set type, e.g. to ULPINE_F64");
  EXPECT_EQ(message([](auto& a) { a.type = 12; }),
            "field 't': type is 12 (no member of enum ulpine_type) set type, e.g. to ULPINE_F64");
  EXPECT_EQ(message([](auto& a) { a.rank = 8; }),
            "field 't': rank is 8 (an array has 0 to 7 axes) tell slices of fewer axes");
  EXPECT_EQ(message([](auto& a) { a.rank = -1; }),
            "field 't': rank is -1 (an array has 0 to 7 axes) tell slices of fewer axes");
  EXPECT_EQ(message([](auto& a) { a.flags = 8; }),
            "field 't': flags are 8 (not of enum ulpine_flag) set the whole ulpine_array to zero before its "
            "members");
  for (auto const member :
       {&ulpine_array::extent, &ulpine_array::stride, &ulpine_array::first, &ulpine_array::whole}) {
    EXPECT_EQ(message([member](auto& a) { (a.*member)[2] = 1; }),
              "field 't': axis 3 is set, and rank is 2 (members beyond rank must be zero) set the whole "
              "ulpine_array to zero before its members");
  }
  EXPECT_EQ(message([](auto& a) { a.data = nullptr; }),
            "field 't': data is null (there is no array) tell it once it is allocated");
  EXPECT_EQ(message([](auto& a) { a.data = nullptr, a.extent[1] = 0; }), "not refused");
  EXPECT_EQ(message([](auto& a) { a.extent[1] = -1; }),
            "field 't': axis 2 has extent -1, first place 0, whole -1 (no extent is negative, and places are "
            "counted from 0) mend them");
  EXPECT_EQ(message([](auto& a) { a.whole[0] = 20, a.whole[1] = 10, a.first[0] = -1; }),
            "field 't': axis 1 has extent 10, first place -1, whole 20 (no extent is negative, and places "
            "are counted from 0) mend them");
  EXPECT_EQ(message([](auto& a) { a.whole[0] = 20, a.whole[1] = 10, a.first[0] = 11; }),
            "field 't': axis 1 has elements 11 to 20 of 20 (places are counted from 0 in the whole domain) "
            "mend the first place, or the domain's extent");
  EXPECT_EQ(message([](auto& a) { a.whole[0] = 20, a.whole[1] = 10, a.first[0] = 10; }), "not refused");
  EXPECT_EQ(message([](auto& a) { a.whole[0] = 20; }),
            "field 't': axis 2 has elements 0 to 9 of 0 (places are counted from 0 in the whole domain) mend "
            "the first place, or the domain's extent");
  EXPECT_EQ(message([](auto& a) { a.first[1] = 1; }),
            "field 't': axis 2 has elements 1 to 10 of 10 (places are counted from 0 in the whole domain) "
            "mend the first place, or the domain's extent");
  EXPECT_EQ(message([&](auto& a) { a.numbers = numbers.data(), a.numbered = 2; }),
            "field 't': numbered is 2 (axes are counted from 0 to rank - 1) name the axis of numbers");
  EXPECT_EQ(message([&](auto& a) { a.numbers = numbers.data(), a.numbered = -1; }),
            "field 't': numbered is -1 (axes are counted from 0 to rank - 1) name the axis of numbers");
  EXPECT_EQ(
      message([&](auto& a) { a.numbers = numbers.data(), a.first[0] = 1, a.whole[0] = 30, a.whole[1] = 10; }),
      "field 't': axis 1 has numbers, and its first place is 1 (numbers say the places) make it 0");
  EXPECT_EQ(message([&](auto& a) { a.numbers = numbers.data(); }), "not refused");
  numbers[7] = 10;
  EXPECT_EQ(message([&](auto& a) { a.numbers = numbers.data(); }),
            "field 't': axis 1 has number 10 at element 7 (numbers are from 0 to 9, the domain's places) "
            "mend the numbers, or the domain's extent");
  numbers[7] = -1;
  EXPECT_EQ(message([&](auto& a) { a.numbers = numbers.data(); }),
            "field 't': axis 1 has number -1 at element 7 (numbers are from 0 to 9, the domain's places) "
            "mend the numbers, or the domain's extent");
  auto const large = std::int64_t{1} << 31;
  EXPECT_EQ(message([large](auto& a) { a.extent[0] = a.extent[1] = 2 * large; }),
            "field 't': the array has more than 2^62 elements (no memory holds them) mend the extents");
  EXPECT_EQ(message([large](auto& a) { a.type = ULPINE_C64, a.extent[0] = a.extent[1] = large; }),
            "field 't': the array has more than 2^62 elements (no memory holds them) mend the extents");
  EXPECT_EQ(message([large](auto& a) { a.extent[0] = a.extent[1] = 2 * large, a.rank = 3; }),
            "not refused");  // of none
  EXPECT_EQ(message([large](auto& a) { a.whole[0] = 4 * large, a.whole[1] = large; }),
            "field 't': the domain has more than 2^62 elements (no memory holds them) mend the extents");
  EXPECT_EQ(message([](auto& a) { a.stride[0] = -(std::int64_t{1} << 60); }),
            "field 't': strides lead out of memory (they are bytes) mend them");
}

TEST_F(EngineRun, ReplacesTracesAndNothingElse) {
  std::vector<double> const t(10, 1.0);
  auto const first = run();
  first->step(1);
  EXPECT_TRUE(std::filesystem::exists(trace_name()));
  // Another process would find it locked; the same one has it open twice.
  EXPECT_EQ(refusal<ulpine::InputError>([&] { run(); }),
            trace_name() +
                ": another process writes this trace (a second run, or a rank whose launcher does not tell "
                "its number) give each run a name of its own, and ranks theirs by ulpine_rank");
  first->close();
}

TEST_F(EngineRun, RemovesWhatAnEarlierRunLeftBeforeTheFirstStep) {
  {
    auto const first = run();
    first->step(1);
    first->close();
  }
  ASSERT_TRUE(std::filesystem::exists(trace_name()));
  {
    auto const second = run();
    EXPECT_FALSE(std::filesystem::exists(trace_name()));
    second->rank(1, 2);
    second->step(1);
    second->close();
  }
  EXPECT_FALSE(std::filesystem::exists(trace_name()));
  auto const share = folder_.path() / "trace.1-of-2.bin";
  EXPECT_TRUE(std::filesystem::exists(share));
  auto const third = run();
  third->rank(1, 2);
  EXPECT_FALSE(std::filesystem::exists(share));
}

TEST_F(EngineRun, LeavesATraceThatWasGivenUpUnfinished) {
  std::vector<double> const t(10, 1.0);
  auto const run_ = run();
  run_->step(1);
  run_->stage("a");
  run_->field("t", part_of(t), false);
  run_->step(2);
  run_->abandon();
  EXPECT_NE(refusal<ulpine::InputError>([&] { trace(); }).find("cut short after 1 records"),
            std::string::npos);
}

TEST(EngineLaunch, IsWhatTheLauncherSays) {
  using Variables = std::map<std::string, std::string>;
  auto const launch = [](Variables const& variables) {
    return probe::launch_of([&variables](char const* name) -> char const* {
      auto const found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_EQ(launch({}), (probe::Launch{0, 1, ""}));
  EXPECT_EQ(launch({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"PMIX_NAMESPACE", "991"}}),
            (probe::Launch{3, 8, "991"}));
  EXPECT_EQ(launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), (probe::Launch{0, 2, ""}));
  Variables slurm = {{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}, {"SLURM_JOB_ID", "77"}};
  EXPECT_EQ(launch(slurm), (probe::Launch{0, 1, ""}));  // the script of a job
  slurm["SLURM_STEP_ID"] = "2";
  EXPECT_EQ(launch(slurm), (probe::Launch{5, 6, "77.2"}));
  slurm["SLURM_NTASKS"] = "9";  // of the job; the step has fewer
  slurm["SLURM_STEP_NUM_TASKS"] = "6";
  EXPECT_EQ(launch(slurm), (probe::Launch{5, 6, "77.2"}));
  slurm["OMPI_COMM_WORLD_RANK"] = "1";
  slurm["OMPI_COMM_WORLD_SIZE"] = "2";
  EXPECT_EQ(launch(slurm).rank, 1);  // mpirun within a step
  for (auto const* const wrong : {"", "x", "-1", "2", "1x", "99999999999"}) {
    EXPECT_EQ(launch({{"PMI_RANK", wrong}, {"PMI_SIZE", "2"}}), (probe::Launch{0, 1, ""})) << wrong;
  }
}

}  // namespace
