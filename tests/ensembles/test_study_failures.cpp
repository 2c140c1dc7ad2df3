// SPDX-License-Identifier: Apache-2.0
// Runs of a study that fail or are given up, and what is told of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ensembles/runs/files.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "ensembles/toy_studies.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
using toy_studies::Study;

TEST_F(Study, FailedMemberIsRecordedAndDoesNotStopTheOthers) {
  auto const outcome = run_study(source("[toy]\nblow_up_policy = \"fp32\"\n"), make_plan(test::toy_study()),
                                 folder / "study", {.jobs = 2});
  EXPECT_EQ(outcome.failed, 8);
  EXPECT_EQ(outcome.done, 8);
  for (auto const& entry : read_manifest(folder / "study").entries) {
    EXPECT_EQ(entry.state, entry.run.configuration.policy == "fp32" ? RunState::failed : RunState::done);
    EXPECT_EQ(entry.reason.empty(), entry.run.configuration.policy != "fp32");
  }
  auto const results = write_results(folder / "study");
  EXPECT_FALSE(results.passed());
  ASSERT_NE(results.find_run("fp32/atomic"), nullptr);
  EXPECT_NE(results.find_run("fp32/atomic")->failed.value_or("").find("invalid after step"),
            std::string::npos);
  EXPECT_FALSE(results.find_run("fp64/atomic")->failed);
}

/// What is said of the failed configuration fp32 is the same in all places, and nothing is called missing.
void expect_told(fs::path const& study, std::string const& reason) {
  for (auto const& entry : read_manifest(study).entries) {
    auto const lost = entry.run.configuration.policy == "fp32";
    EXPECT_EQ(entry.state, lost ? RunState::failed : RunState::done) << entry.run.id;
    EXPECT_EQ(entry.reason.find(reason) != std::string::npos, lost) << entry.run.id << ": " << entry.reason;
    if (lost) {
      EXPECT_EQ(read_run(study / entry.run.path / "run.json").failed, entry.reason);
    }
  }
  auto const results = write_results(study);
  EXPECT_EQ(results.answer, verification::Answer::different);
  EXPECT_EQ(results.missing.runs, 0);
  EXPECT_EQ(results.runs.size(), 16u);
  auto const* run = results.find_run("fp32/atomic");
  ASSERT_NE(run, nullptr);
  EXPECT_NE(run->failed.value_or("").find(reason), std::string::npos) << run->failed.value_or("none");
  auto const junit = read_text(study / "junit.xml"), summary = read_text(study / "summary.md");
  for (auto const* name : {"fp32/deterministic", "fp32/atomic", "fp32/deterministic/eps=2^-7/m00"}) {
    EXPECT_NE(junit.find(fmt::format("<testcase classname=\"{}\" name=\"completed\" time=\"0.0", name)),
              std::string::npos)
        << name;
  }
  EXPECT_NE(junit.find("<failure message=\"the run failed: "), std::string::npos);
  EXPECT_NE(summary.find(reason), std::string::npos);
  for (auto const& text : {junit, summary}) EXPECT_EQ(text.find("--resume"), std::string::npos) << text;
}

TEST_F(Study, EveryWayToFailIsToldInAllPlaces) {
  auto const plan = make_plan(test::toy_study());
  auto const run = [&](char const* name, std::string const& keys, std::string const& reason) {
    SCOPED_TRACE(name);
    auto const outcome = run_study(source("[toy]\n" + keys), plan, folder / name, {.jobs = 2});
    EXPECT_EQ(outcome.failed, 8);
    expect_told(folder / name, reason);
  };
  run("nan", "blow_up_policy = \"fp32\"\n", "is NaN");
  run("step", "unsolved_policy = \"fp32\"\n", "was not solved");
  run("start", "unsolved_policy = \"fp32\"\nunsolved_step = 0\n", "was not solved");
}

TEST_F(Study, SharesLeaveFailuresToWhoeverEvaluates) {
  auto const plan = make_plan(test::toy_study());
  auto const text = source("[toy]\nunsolved_policy = \"fp32\"\nunsolved_step = 0\n");
  prepare_study(text, plan, folder / "study", false);
  run_study(text, plan, folder / "study", {.resume = true, .only = Share{0, 2}});
  run_study(text, plan, folder / "study", {.resume = true, .only = Share{1, 2}});
  // Who has had the shares done tries none again; a later call does.
  auto const rest = run_study(text, plan, folder / "study", {.resume = true, .keep_failed = true});
  EXPECT_EQ(rest.kept, 16);
  EXPECT_EQ(rest.failed, 0);
  EXPECT_EQ(run_study(text, plan, folder / "study", {.resume = true}).failed, 8);
  auto const results = write_results(folder / "study");
  EXPECT_EQ(results.missing.runs, 0);
  EXPECT_EQ(std::ranges::count_if(results.runs, [](auto const& run) { return run.failed.has_value(); }), 8);
}

TEST_F(Study, ACaseThatFailsAtOnceIsPlannedAndToldOfAsAnyOther) {
  auto options = test::toy_study();
  options.quad_until.reset();  // for want of a cost of its steps there is no run in quad
  run_study(source("[toy]\nunsolved_policy = \"fp64\"\nunsolved_step = 1\nquad = true\n"), make_plan(options),
            folder / "study", {});
  auto const results = write_results(folder / "study");
  EXPECT_EQ(results.answer, verification::Answer::different);
  EXPECT_TRUE(results.find_run("fp64/deterministic")->failed);
  EXPECT_TRUE(std::ranges::any_of(results.notes, [](std::string const& note) {
    return note.find("its case fails in fp64: the toy's system was not solved") != note.npos;
  }));
}

/// A study whose clock shows, from the second member of fp32 on, 1000 s for each of its looks.
StudyOutcome run_slow_study(CaseSource const& source, fs::path const& folder, double give_up,
                            std::vector<std::string>& events) {
  StudyOptions options = test::toy_study();
  options.assemblies = {"deterministic"};
  options.epsilons = {"2^-7"};
  options.members_for = {"fp32"};
  auto seconds = 0., step = 0.01;
  StudyExecution execution;
  execution.give_up = give_up;
  execution.clock = [&] { return seconds += step; };
  execution.progress = [&](StudyProgress const& now) {
    if (now.done == 3) step = 1000;  // fp64, fp32 and its first member are done
    if (!now.event.empty()) events.push_back(now.event);
  };
  return run_study(source, make_plan(options), folder, execution);
}

TEST_F(Study, TellsOfARunThatTakesTenTimesWhatIsExpectedOfIt) {
  std::vector<std::string> events;
  EXPECT_EQ(run_slow_study(source(), folder / "study", 0, events).done, 5);
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(events.front().starts_with("fp32/deterministic/eps=2^-7/m01 has taken ")) << events.front();
  EXPECT_NE(events.front().find("(0 s were expected)"), std::string::npos) << events.front();
  auto const manifest = read_manifest(folder / "study");
  EXPECT_EQ(manifest.entries[3].state, RunState::done);
  EXPECT_EQ(manifest.entries[3].run.id + " " + manifest.entries[3].reason, events.front());
  EXPECT_EQ(manifest.entries[2].reason, "");
}

TEST_F(Study, RunThatIsGivenUpHasFailed) {
  std::vector<std::string> events;
  auto const outcome = run_slow_study(source(), folder / "study", 20, events);
  EXPECT_EQ(outcome.done, 3);
  EXPECT_EQ(outcome.failed, 2);
  auto const results = write_results(folder / "study");
  EXPECT_EQ(results.find_run("fp32/deterministic/eps=2^-7/m01")->failed.value_or("").substr(0, 14),
            "given up after");
  EXPECT_EQ(results.answer, verification::Answer::different);
}

TEST_F(Study, FailedReferenceIsToldWithAllResults) {
  auto options = test::toy_study();
  options.control = true;
  auto const study = folder / "study";
  auto const text = source("[verify.sivol]\nl2_relative = 0.1\n[toy]\nunsolved_policy = \"fp64\"\n");
  run_study(text, make_plan(options), study, {.jobs = 2});
  auto const results = write_results(study);
  EXPECT_EQ(results.answer, verification::Answer::different);
  EXPECT_EQ(results.runs.size(), 22u);
  EXPECT_NE(results.find_run("fp64/deterministic")->failed.value_or("").find("was not solved"),
            std::string::npos);
  EXPECT_FALSE(results.find_run("fp32/atomic")->failed);
  ASSERT_EQ(results.verdicts.size(), 3u);
  for (auto const& verdict : results.verdicts) {
    EXPECT_EQ(verdict.answer,
              verdict.policy == "fp64" ? verification::Answer::different : verification::Answer::undecided)
        << verdict.configuration;
  }
  for (auto const& gate : results.gates) {
    if (gate.run == "fp32/atomic") {
      EXPECT_EQ(gate.skipped, "the reference failed") << gate.name;
    }
  }
  auto const junit = read_text(study / "junit.xml"), summary = read_text(study / "summary.md");
  EXPECT_NE(
      summary.find("**14 of 22 runs failed, the reference among them: nothing can be held against it**"),
      summary.npos)
      << summary;
  EXPECT_NE(junit.find("<failure message=\"the run failed: the toy's system was not solved"), junit.npos);
  for (auto const& words : {junit, summary}) EXPECT_EQ(words.find("--resume"), std::string::npos) << words;
}

}  // namespace
}  // namespace ulpine::ensembles
