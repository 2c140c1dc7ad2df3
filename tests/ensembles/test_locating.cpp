// SPDX-License-Identifier: Apache-2.0
// Runs with checkpoints: what they keep, that any step can be repeated, and that the place where two diverge
// is found, on Lorenz's model and a small sea-ice case.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/seaice/register.hpp"
#include "core/stage/trace.hpp"
#include "ensembles/reproducibility/bitwise.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/reproducibility/programs.hpp"
#include "ensembles/reproducibility/run_difference.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/restart.hpp"
#include "io/trace_file.hpp"
#include "lorenz96/lorenz.hpp"
#include "support/random_values.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

class Locating : public testing::Test {
 protected:
  void SetUp() override {
    static auto const registered = [] {
      lorenz96::register_lorenz();
      seaice::register_core();
      return true;
    }();
    EXPECT_TRUE(registered);
  }
  CaseSource lorenz() { return {folder.write("lorenz96.toml", lorenz96::lorenz_case())}; }
  CaseSource toy(std::string const& more = "") { return {folder.write("toy.toml", test::toy_case() + more)}; }
  static CaseSource ice() {
    char const* const source = std::getenv("ULPINE_SOURCE_DIR");
    return {fs::path(source == nullptr ? "." : source) / "cases/seaice/cyclone_quick.toml",
            {"grid.nx=6", "grid.ny=6", "time.substeps=3", "output.interval='0 s'"}};
  }

  RunRecord run_case(CaseSource const& source, std::string const& name, std::int64_t steps,
                     std::optional<PlantedFault> const& fault = {}, int checkpoints = 16) {
    RunRequest request{source, {}, folder / name};
    request.steps = steps;
    request.checkpoints = checkpoints;
    request.fault = fault;
    return run(request);
  }
  io::HashLog log(std::string const& name) { return io::read_hash_log(checkpoint_log(folder / name)); }
  /// Between runs `a` and `b`, of which `b` has the fault.
  std::optional<RunDifference> difference(std::string const& a, std::string const& b,
                                          PlantedFault const& fault) {
    return first_difference(
        {folder / a, folder / b},
        [&](std::size_t run, ReplayRequest request) {
          if (run == 1) request.fault = fault;
          replay(request);
        },
        folder / "scratch");
  }
  std::string refused(fs::path const& run, std::int64_t step, std::optional<std::int64_t> record = {}) {
    return test::message_of<InputError>(
        [&] { replay({.run = run, .step = step, .output = folder / "again", .record = record}); });
  }
  test::TemporaryFolder folder;
};

TEST_F(Locating, CheckpointsDoubleTheirSpacingAndStayFew) {
  for (std::int64_t steps = 0; steps < 5000; ++steps) {
    for (int const most : {2, 3, 16, 100}) {
      auto const spacing = checkpoint_spacing(steps, most);
      EXPECT_LE(steps / spacing + 1, most);
      EXPECT_TRUE(spacing == 1 || steps / (spacing / 2) + 1 > most) << "no wider than needed";
      EXPECT_LE(spacing * most, std::max<std::int64_t>(2 * steps, most))
          << "two parts of `most` at the worst";
    }
  }
  run_case(lorenz(), "a", 100, {}, 5);
  EXPECT_EQ(checkpoint_steps(folder / "a"), (std::vector<std::int64_t>{0, 32, 64, 96}));
}

TEST_F(Locating, LogHoldsTheStateOfEveryStep) {
  auto const record = run_case(lorenz(), "a", 40);
  auto const hashes = log("a");
  EXPECT_TRUE(hashes.whole);
  ASSERT_EQ(hashes.hashes.size(), 41u);
  auto const case_file = lorenz().load();
  auto const model = make_model(case_file, {});
  for (std::int64_t step = 0; step <= 40; ++step, model->advance(1)) {
    EXPECT_EQ(hashes.at(step), model->state_hash()) << step;
  }
  EXPECT_EQ(io::hex(hashes.hashes.back()), record.hash);
  EXPECT_EQ(hashes.attribute("configuration"), "cpu:1/fp64/deterministic");
}

TEST_F(Locating, ARunWithoutCheckpointsLeavesNoneOfAnEarlierOne) {
  run_case(lorenz(), "a", 4);
  run_case(lorenz(), "a", 4, {}, 0);
  EXPECT_FALSE(fs::exists(checkpoint_folder(folder / "a")));
}

TEST_F(Locating, StepsAreCountedWhereTheyVaryToo) {
  auto const source = toy("[toy]\nadaptive = true\n");
  EXPECT_EQ(run_case(source, "a", 7).steps, 7);
  EXPECT_EQ(run_case(lorenz(), "b", 7).steps, 7);
}

// The trace of a repeated step is that of a run that was traced from its start, but for what its stages leave
// of a field as they find it, which no restart has: the cells beyond the edges before Lorenz's model
// exchanges them.
TEST_F(Locating, ARepeatedStepIsTheStepOfTheRun) {
  for (auto const& source : {lorenz(), ice(), toy(), toy("[toy]\nadaptive = true\n")}) {
    RunRequest request{source, {}, folder / "a"};
    request.checkpoints = 4;
    request.trace = true;
    request.until = source.path.stem() == "toy" ? 720 : source.path.stem() == "lorenz96" ? 3 : 2400;
    auto const steps = run(request).steps;
    ASSERT_GE(steps, 10);
    auto const whole = io::read_trace(folder / "a/trace.bin");
    for (std::int64_t step = 1; step <= steps; ++step) {
      replay({.run = folder / "a", .step = step, .output = folder / "again"});
      auto const trace = io::read_trace(folder / "again/trace.bin");
      auto wanted = whole;
      std::erase_if(wanted.records,
                    [&](auto const& record) { return record.position.front().index != step; });
      ASSERT_EQ(trace.records.size(), wanted.records.size());
      for (std::size_t i = 0; i < trace.records.size(); ++i) {
        auto const& stage = trace.header.stages[trace.records[i].stage].name;
        if (stage != "lorenz96.copy") {
          EXPECT_EQ(trace.records[i].hash, wanted.records[i].hash) << stage << ", step " << step;
        }
        EXPECT_EQ(trace.records[i].position, wanted.records[i].position);
      }
    }
  }
}

TEST_F(Locating, ReplayRefusesWhatIsNotTheRuns) {
  run_case(lorenz(), "a", 40);
  EXPECT_NE(refused(folder / "a", 41).find("has no step 41 (its log has steps 1 to 40)"), std::string::npos);
  EXPECT_NE(refused(folder / "a", 0).find("has no step 0"), std::string::npos);
  EXPECT_NE(refused(folder / "b", 1).find("--checkpoints"), std::string::npos);
  EXPECT_NE(refused(folder / "a", 3, 18).find("has no record 18 (it has 18)"), std::string::npos);
  auto const case_path = checkpoint_folder(folder / "a") / "case.toml";
  auto const text = test::read_file(case_path);
  auto other_forcing = text;
  auto const forcing = text.find("lorenz.forcing = 8");
  ASSERT_NE(forcing, std::string::npos) << text;
  other_forcing.replace(forcing, 18, "lorenz.forcing = 9");
  test::write_file(case_path, other_forcing);
  EXPECT_NE(refused(folder / "a", 3).find("is not the case of the run"), std::string::npos);
  test::write_file(case_path, text);
  // A checkpoint of another run, whole and of the right shape.
  RunRequest other{lorenz(), {}, folder / "other"};
  other.steps = 40;
  other.checkpoints = 16;
  other.perturbations = {{"u", {1, 1, 1e-3}}};
  run(other);
  fs::copy_file(checkpoint_file(folder / "other", 8), checkpoint_file(folder / "a", 8),
                fs::copy_options::overwrite_existing);
  EXPECT_NE(refused(folder / "a", 10).find("step-8.nc: is not the state that the log tells"),
            std::string::npos);
  for (auto const step : checkpoint_steps(folder / "a")) fs::remove(checkpoint_file(folder / "a", step));
  EXPECT_NE(refused(folder / "a", 3).find("no checkpoint before step 3"), std::string::npos);
}

TEST_F(Locating, ARunThatDoesNotRepeatItselfIsToldSo) {
  run_case(lorenz(), "a", 12, {}, 2);
  for (std::int64_t const step : {10, 11}) {
    ReplayRequest other{.run = folder / "a", .step = 11, .output = folder / "again"};
    other.fault = PlantedFault{"lorenz96.finish", "u", StagePosition(step), 5};
    auto const message = test::message_of<RunFailed>([&] { replay(other); });
    EXPECT_NE(message.find(step == 10 ? "the state before step 11" : "the state after step 11"),
              std::string::npos)
        << message;
  }
  run_case(toy("[toy]\nforgetful_restart = true\n"), "b", 12);
  EXPECT_NE(refused(folder / "b", 7).find("the model does not restore it exactly"), std::string::npos);
}

TEST_F(Locating, RunsWithOtherCheckpointsAreRepeatedFromCommonOnes) {
  run_case(lorenz(), "a", 60, {}, 16);
  PlantedFault const fault{"lorenz96.finish", "u", StagePosition(45), 5};
  run_case(lorenz(), "b", 60, fault, 4);
  auto const part = difference("a", "b", fault);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->place, "step 45, stage lorenz96.finish, field u");
  EXPECT_EQ(part->element.element, 5);
  EXPECT_NE(test::message_of<InputError>([&] {
              replay({.run = folder / "b", .step = 45, .output = folder / "again", .from = 44});
            }).find("no checkpoint of step 44"),
            std::string::npos);
  for (auto const step : checkpoint_steps(folder / "b")) fs::remove(checkpoint_file(folder / "b", step));
  EXPECT_NE(difference("a", "b", fault)->note.find("no checkpoint of the same step"), std::string::npos);
}

/// Every stage and field that a step writes, with the places where they do and the number of elements.
struct Place {
  StagePosition position;
  std::string stage, field;
  std::int64_t count;
};
std::vector<Place> places_of(CaseSource const& source, std::int64_t step) {
  auto const case_file = source.load();
  auto const model = make_model(case_file, {});
  std::vector<StageRecord> records;
  auto const recorder = make_trace_recorder(records);
  model->observe(recorder.get());
  model->advance(step);
  recorder->flush();
  model->observe(nullptr);
  std::map<std::string, Place> places;  // of each stage and field the first place in the step
  for (auto const& record : records) {
    if (record.position.step() == step) {
      places.try_emplace(record.stage + "/" + record.field,
                         Place{record.position, record.stage, record.field, record.record.count});
    }
  }
  std::vector<Place> list;
  for (auto const& [name, place] : places) list.push_back(place);
  return list;
}

/// What a fault of one ulp turns a number into.
double one_ulp_on(double value) { return std::nextafter(value, std::copysign(INFINITY, value)); }

// A fault that the state never shows is found by watching all outputs alone.
TEST_F(Locating, AFaultOfOneUlpAtAnyStageIsFoundAndNamed) {
  test::RandomValues random(73);
  for (auto const& source : {lorenz(), ice()}) {
    constexpr std::int64_t steps = 24, step = 21;
    run_case(source, "a", steps);
    auto in_the_state = 0;
    auto const places = places_of(source, step);
    ASSERT_GE(places.size(), 5u);
    for (auto const& place : places) {
      PlantedFault const fault{
          place.stage, place.field, place.position,
          static_cast<std::int64_t>(random.below(static_cast<std::size_t>(place.count)))};
      auto const where = place.position.text() + ", stage " + place.stage + ", field " + place.field;
      SCOPED_TRACE(where);

      BitwiseRequest watched{source, {Configuration{}, Configuration{}}};
      watched.steps = step + 1;
      watched.fault = {1, fault.stage, fault.field, fault.position, fault.element};
      auto const result = compare_bitwise(watched);
      EXPECT_FALSE(result.identical);
      ASSERT_TRUE(result.outcomes[1].divergence);
      auto const& found = *result.outcomes[1].divergence;
      EXPECT_EQ(found.position, fault.position);
      EXPECT_EQ(found.stage, fault.stage);
      EXPECT_EQ(found.field, fault.field);
      EXPECT_EQ(found.element, fault.element);
      EXPECT_EQ(found.differing, 1);
      EXPECT_EQ(found.value, one_ulp_on(found.reference));

      auto const record = run_case(source, "b", steps, fault);
      auto const part = difference("a", "b", fault);
      if (log("a").hashes == log("b").hashes) {
        EXPECT_FALSE(part);
        continue;
      }
      ++in_the_state;
      ASSERT_TRUE(part);
      EXPECT_EQ(part->states.step, step);
      EXPECT_EQ(part->place, where);
      EXPECT_EQ(part->element.element, fault.element);
      EXPECT_EQ(part->element.differing, 1);
      EXPECT_EQ(part->element.value, one_ulp_on(part->element.reference));
      EXPECT_NE(describe(*part).find(where), std::string::npos);
    }
    EXPECT_GE(in_the_state,
              1);  // of Lorenz's model one: places are those of the first part of the step alone
  }
}

TEST_F(Locating, FaultsOfAnyStepAreFound) {
  test::RandomValues random(74);
  run_case(lorenz(), "a", 300);
  for (int trial = 0; trial < 20; ++trial) {
    PlantedFault const fault{"lorenz96.finish", "u",
                             StagePosition(1 + static_cast<std::int64_t>(random.below(300))),
                             static_cast<std::int64_t>(random.below(40))};
    run_case(lorenz(), "b", 300, fault, 2 + static_cast<int>(random.below(20)));
    auto const part = difference("a", "b", fault);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->states.step, fault.position.step());
    EXPECT_EQ(part->element.element, fault.element);
  }
}

TEST_F(Locating, ADifferenceThatHealsIsToldWithItsEnd) {
  auto const source = lorenz();
  CaseSource rounded{source.path,
                     {"lorenz.coarser=4194304"}};  // two bits are left: one ulp goes with the next rounding
  run_case(rounded, "a", 60);
  // After its rounding at the end of step 20 the state has the fault until step 21 rounds it off, or never
  // again.
  PlantedFault const fault{"lorenz96.finish", "u", StagePosition(20), 3};
  run_case(rounded, "b", 60, fault);
  auto const part = difference("a", "b", fault);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->states.step, 20);
  EXPECT_EQ(part->element.element, 3);
  ASSERT_TRUE(part->states.same_from);
  EXPECT_EQ(part->states.differing, *part->states.same_from - 20);
  EXPECT_NE(describe(*part).find("the same again from step " + std::to_string(*part->states.same_from)),
            std::string::npos);

  BitwiseRequest watched{rounded, {Configuration{}, Configuration{}}};
  watched.steps = 60;
  watched.fault = {1, fault.stage, fault.field, fault.position, fault.element};
  auto const result = compare_bitwise(watched);
  ASSERT_TRUE(result.outcomes[1].same_from);
  EXPECT_GE(*result.outcomes[1].same_from, *part->states.same_from);
  EXPECT_FALSE(result.outcomes[1].equal);
  EXPECT_NE(table(result).find("gives the same outputs again from step"), std::string::npos);
}

TEST_F(Locating, RunsThatStartApartAreToldByTheirStates) {
  run_case(lorenz(), "a", 20);
  RunRequest other{lorenz(), {}, folder / "b"};
  other.steps = 20;
  other.checkpoints = 16;
  other.perturbations = {{"u", {1, 1, 1e-9}}};
  run(other);
  auto const part = difference("a", "b", {});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->states.step, 0);
  EXPECT_EQ(part->place, "step 0, field u");
  EXPECT_EQ(part->element.element, 0);
  EXPECT_EQ(part->element.differing, 40);
}

TEST_F(Locating, RunsOfOtherLengthsOrTypesAreTold) {
  run_case(lorenz(), "a", 20);
  run_case(lorenz(), "b", 22);
  auto part = difference("a", "b", {});
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->states.one_alone);
  EXPECT_EQ(part->states.step, 21);
  RunRequest other{lorenz(), {}, folder / "c"};
  other.steps = 20;
  other.checkpoints = 16;
  other.options.policy = "fp32";
  run(other);
  part = difference("a", "c", {});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->states.step, 0);
  EXPECT_NE(part->note.find("different fields or types"), std::string::npos);
}

TEST_F(Locating, AStoppedRunGoesOnWithItsLog) {
  run_case(lorenz(), "whole", 100);
  std::atomic<bool> cancel{false};
  RunRequest first{lorenz(), {}, folder / "part"};
  first.steps = 100;
  first.checkpoints = 16;
  first.cancel = &cancel;
  first.progress = [&](RunProgress const& now) { cancel = now.step >= 1; };
  ASSERT_TRUE(run(first).interrupted);
  auto const stopped = log("part");
  EXPECT_TRUE(stopped.whole) << "stopped in order";
  ASSERT_LT(stopped.last(), 100);
  RunRequest rest{lorenz(), {}, folder / "part"};
  rest.restart = folder / "part/restart.nc";
  rest.steps = 100 - stopped.last();
  rest.checkpoints = 16;
  run(rest);
  EXPECT_EQ(log("part").hashes, log("whole").hashes);
  EXPECT_EQ(checkpoint_steps(folder / "part"), checkpoint_steps(folder / "whole"));
  EXPECT_FALSE(difference("whole", "part", {}));
}

TEST_F(Locating, AKilledRunGoesOnFromItsLastCheckpoint) {
  run_case(lorenz(), "whole", 100);
  run_case(lorenz(), "part", 90);
  // As a kill leaves it: the log ends within a group, restart and record are missing.
  auto const path = checkpoint_log(folder / "part");
  auto const bytes = test::read_file(path);
  test::write_file(path, bytes.substr(0, bytes.size() - 20));
  fs::remove(folder / "part/restart.nc");
  EXPECT_NE(test::message_of<InputError>([&] { difference("whole", "part", {}); }).find("cut short"),
            std::string::npos);
  RunRequest rest{lorenz(), {}, folder / "part"};
  auto const kept = checkpoint_steps(folder / "part");
  auto const from = kept[kept.size() - 2];  // hashes behind it are made anew
  rest.restart = checkpoint_file(folder / "part", from);
  rest.steps = 100 - from;
  rest.checkpoints = 16;
  run(rest);
  EXPECT_EQ(log("part").last(), 100);
  EXPECT_FALSE(difference("whole", "part", {}));
}

TEST_F(Locating, NoCheckpointIsAheadOfItsLog) {
  RunRequest request{lorenz(), {}, folder / "a"};
  request.steps = 60;
  request.checkpoints = 16;
  int looked = 0;
  request.progress = [&](RunProgress const& now) {
    if (now.step == 0) return;
    ++looked;
    // As a kill would leave it now.
    EXPECT_GE(log("a").last(), checkpoint_steps(folder / "a").back()) << now.step;
  };
  run(request);
  EXPECT_GT(looked, 1);
}

TEST_F(Locating, AnotherRunsLogIsNotGoneOnWith) {
  run_case(lorenz(), "a", 50);
  RunRequest other{lorenz(), {}, folder / "a"};
  other.restart = folder / "a/restart.nc";
  other.steps = 10;
  other.checkpoints = 16;
  other.perturbations = {{"u", {1, 1, 1e-9}}};
  run(other);
  EXPECT_EQ(log("a").first, 50);
  EXPECT_EQ(log("a").last(), 60);
  EXPECT_EQ(checkpoint_steps(folder / "a").front(), 50);
  // The same state and case, in another configuration.
  other.restart = folder / "a/restart.nc";
  other.perturbations.clear();
  other.options.threads = 2;
  run(other);
  EXPECT_EQ(log("a").first, 60);
  EXPECT_EQ(log("a").attribute("configuration"), "cpu:2/fp64/deterministic");
}

TEST_F(Locating, ComparisonKeepsNoMoreForMoreSteps) {
  // 64 steps a turn: what lies within one, ends with one and comes after several is found alike.
  for (std::int64_t const step : {1, 63, 64, 65, 128, 129, 300}) {
    BitwiseRequest request{lorenz(), {Configuration{}, Configuration{}, Configuration{}}};
    request.steps = 300;
    request.fault = {2, "lorenz96.finish", "u", StagePosition(step), 39};
    auto const result = compare_bitwise(request);
    EXPECT_TRUE(result.outcomes[1].equal);
    ASSERT_TRUE(result.outcomes[2].divergence);
    EXPECT_EQ(result.outcomes[2].divergence->position, StagePosition(step));
    EXPECT_EQ(result.outcomes[2].divergence->element, 39);
    EXPECT_EQ(result.outcomes[2].records, 300 * 18);
  }
}

TEST_F(Locating, ProgramsAreNamedOnceAndExist) {
  auto const refused = [](std::vector<std::string> const& texts) {
    return test::message_of<InputError>([&] { parse_programs(texts); });
  };
  EXPECT_EQ(parse_programs({"a=/bin/sh", "b=/bin/sh"})[1].name, "b");
  EXPECT_NE(refused({"/bin/sh"}).find("no NAME=PATH"), std::string::npos);
  EXPECT_NE(refused({"=/bin/sh"}).find("no NAME=PATH"), std::string::npos);
  EXPECT_NE(refused({"a=/bin/sh", "a=/bin/true"}).find("is there twice"), std::string::npos);
  EXPECT_NE(refused({"a=/bin"}).find("is no program"), std::string::npos);
  EXPECT_NE(refused({"a=/absent"}).find("is no program"), std::string::npos);
}

// A program's own words and exit code are what is told.
TEST_F(Locating, AProgramThatFailsIsToldByItsOwnWords) {
  for (auto const& [code, word] : {std::pair{1, "blown up"}, {2, "bad case"}, {3, "no disk"}, {7, ""}}) {
    auto const path = folder.write("fails", "#!/bin/sh\necho first >&2\necho '" + std::string(word) +
                                                "' >&2\nexit " + std::to_string(code) + "\n");
    fs::permissions(path, fs::perms::owner_all);
    ProgramsRequest request{lorenz(), parse_programs({"one=" + path.string(), "two=" + path.string()})};
    request.scratch = folder / "scratch";
    auto const what = [&] {
      try {
        compare_programs(request);
      } catch (RunFailed const& error) {
        EXPECT_EQ(code, 1);
        return std::string(error.what());
      } catch (InputError const& error) {
        EXPECT_EQ(code, 2);
        return std::string(error.what());
      } catch (EnvironmentError const& error) {
        EXPECT_TRUE(code == 3 || code == 7);
        return std::string(error.what());
      }
      return std::string();
    }();
    EXPECT_EQ(what, std::string("one: ") + (code == 7 ? "first" : word));
    request.programs.resize(1);
    EXPECT_THROW(compare_programs(request), InputError);
  }
}

TEST_F(Locating, AnInterruptEndsTheProgramsToo) {
  std::atomic<bool> cancel{false};
  auto const path = folder.write("sleeps", "#!/bin/sh\nexec sleep 60\n");
  fs::permissions(path, fs::perms::owner_all);
  ProgramsRequest request{lorenz(), parse_programs({"one=" + path.string(), "two=" + path.string()})};
  request.scratch = folder / "scratch";
  request.cancel = &cancel;
  request.progress = [&](std::string const&, double) { cancel = true; };
  EXPECT_THROW(compare_programs(request), Interrupted);
}

}  // namespace
}  // namespace ulpine::ensembles
