// SPDX-License-Identifier: Apache-2.0
// Runs evaluated while others compute, against the same study evaluated afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/ongoing_evaluation.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/seal.hpp"
#include "verification/results/results.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Studies of 13 runs; that of most tests has been done once for all of them, without an evaluation.
class Ongoing : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    done = new test::TemporaryFolder;
    run_study({done->write("case.toml", case_text())}, plan(), *done / "study", {.jobs = 2});
  }
  static void TearDownTestSuite() { delete done; }

  static StudyPlan plan() {
    auto options = test::toy_study();
    options.epsilons = {"2^-7"};
    options.control = true;
    return make_plan(options);
  }
  static std::string case_text() {
    return test::toy_case() + "[evaluate.ice]\nkind = \"mean\"\nfield = \"sivol\"\n";
  }
  CaseSource source(std::string const& more = "") const {
    return {folder.write("case.toml", case_text() + more)};
  }
  StudyOutcome run(CaseSource const& from, StudyExecution execution = {}) {
    execution.evaluation = &evaluation;
    return run_study(from, plan(), study, execution);
  }
  void take_done_study() const { fs::copy(*done / "study", study, fs::copy_options::recursive); }
  /// The runs of `study`, which are done, end one by one.
  void end_all_of(Manifest const& manifest, OngoingEvaluation& of) const {
    of.start(planned(manifest), {});
    for (auto const& entry : manifest.entries) of.ended(entry);
  }
  static Manifest planned(Manifest manifest) {
    for (auto& entry : manifest.entries) entry = ManifestEntry{std::move(entry.run)};
    return manifest;
  }

  /// Until so many runs are evaluated.
  void wait_for(std::size_t count) const {
    for (int k = 0; k < 2000 && evaluation.evaluated() < count; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_GE(evaluation.evaluated(), count);
  }

  /// Of an evaluation afterwards.
  std::string results() const { return verification::to_json(compute_results(study)); }
  /// With what has been found on the way; `afterwards` gets the runs that were evaluated then.
  std::string results_on_the_way() {
    afterwards.clear();
    ResultsOptions options;
    options.threads = 2;
    options.ongoing = &evaluation;
    options.progress = [&](double, std::string const& id) { afterwards.insert(id); };
    return verification::to_json(compute_results(study, options));
  }

  fs::path folder_of(std::string const& id) const {
    for (auto const& known : plan().runs) {
      if (known.id == id) return study / known.path;
    }
    throw std::out_of_range(id);
  }
  /// The output of another run, as if the run had written it.
  void put_in_place_of(std::string const& id, std::string const& other) const {
    auto const place = folder_of(id);
    auto const output = place / "output.nc";
    fs::copy_file(folder_of(other) / "output.nc", output, fs::copy_options::overwrite_existing);
    auto record = read_run(place / "run.json");
    for (auto& file : record.files) {
      if (file.name == "output.nc") file.content = io::content_of(output);
    }
    write_run(place / "run.json", record);
  }

  test::TemporaryFolder folder;
  fs::path study = folder / "study";
  inline static test::TemporaryFolder* done = nullptr;
  static constexpr std::size_t members = 3, runs = 4 + 3 * members;
  OngoingEvaluation evaluation{study, {.threads = 2}};
  std::multiset<std::string> afterwards;
};

TEST_F(Ongoing, GivesWhatAnEvaluationAfterwardsGivesAndLeavesNothingToIt) {
  EXPECT_EQ(run(source(), {.jobs = 2}).done, static_cast<int>(runs));
  wait_for(runs);
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_TRUE(afterwards.empty()) << *afterwards.begin();
  EXPECT_EQ(evaluation.evaluated(), runs) << "each once";
}

TEST_F(Ongoing, WhatItHasNotComeToIsEvaluatedAfterwards) {
  EXPECT_EQ(run(source()).done, static_cast<int>(runs));
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_EQ(evaluation.evaluated() + afterwards.size(), runs);
}

TEST_F(Ongoing, OutputsThatDoNotFitInMemoryTogetherMakeNoDifference) {
  take_done_study();
  OngoingEvaluation narrow{study, {.threads = 2, .shared_bytes = 1}};  // one time after the other
  end_all_of(read_manifest(study), narrow);
  EXPECT_EQ(verification::to_json(compute_results(study, {.shared_bytes = 1})), results());
  EXPECT_EQ(verification::to_json(compute_results(study, {.ongoing = &narrow})), results());
}

TEST_F(Ongoing, MembersWaitForTheirUnperturbedRun) {
  take_done_study();
  auto const manifest = read_manifest(study);
  auto const tell = [&](std::string const& id) {
    for (auto const& entry : manifest.entries) {
      if (entry.run.id == id) evaluation.ended(entry);
    }
  };
  evaluation.start(planned(manifest), {});
  tell("fp32/deterministic/eps=2^-7/m01");
  tell("fp64/deterministic");
  tell("control/eps=2^-7/m00");
  tell("fp64/deterministic/eps=2^-7/m00");
  wait_for(3);
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_EQ(evaluation.evaluated(), 3u) << "the one of fp32 waits";
  EXPECT_EQ(afterwards.size(), runs - 3);
  EXPECT_TRUE(afterwards.contains("fp32/deterministic/eps=2^-7/m01"));
}

TEST_F(Ongoing, AnUnperturbedRunThatFailedAndIsDoneAgainIsWhatItsMembersAreHeldAgainst) {
  take_done_study();
  auto const manifest = read_manifest(study);
  evaluation.start(planned(manifest), {});
  auto const own = std::find_if(manifest.entries.begin(), manifest.entries.end(),
                                [](auto const& entry) { return entry.run.id == "fp32/deterministic"; });
  auto const record_file = study / own->run.path / "run.json";
  auto const whole = read_text(record_file);
  auto record = read_run(record_file);
  record.failed = "too hot";
  write_run(record_file, record);
  auto failed = *own;
  failed.state = RunState::failed;
  failed.reason = "too hot";
  for (auto const& entry : manifest.entries) {
    if (entry.run.member || entry.run.id == "fp64/deterministic") evaluation.ended(entry);
  }
  evaluation.ended(failed);
  wait_for(1 + 3 * members);
  std::ofstream(record_file) << whole;
  evaluation.ended(*own);
  wait_for(2 + 3 * members);
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_EQ(afterwards.size(), members + 2) << "those that had no growth, and the runs that were not told";
}

TEST_F(Ongoing, FailedRunsHaveFailed) {
  auto const outcome = run(source("[toy]\nblow_up_policy = \"fp32\"\n"), {.jobs = 2});
  EXPECT_EQ(outcome.failed, static_cast<int>(members) + 2);
  wait_for(runs - members - 2);
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_TRUE(afterwards.empty());
}

TEST_F(Ongoing, IsNotBelievedOfAnOutputThatHasChangedSince) {
  take_done_study();
  end_all_of(read_manifest(study), evaluation);
  wait_for(runs);
  auto const output = study / "members/fp32-deterministic/eps-2p-7/m01/output.nc";
  auto text = read_text(output);
  text[text.size() / 2] ^= 1;
  std::ofstream(output, std::ios::binary) << text;
  auto const found = results_on_the_way();
  EXPECT_EQ(found, results());
  EXPECT_NE(found.find("is not the file that the run wrote"), std::string::npos);
  EXPECT_TRUE(afterwards.empty());
}

TEST_F(Ongoing, IsForgottenWhereItIsJudgedOtherwiseNow) {
  take_done_study();
  end_all_of(read_manifest(study), evaluation);
  wait_for(runs);
  std::ofstream(study / "case.toml", std::ios::app)
      << "[evaluate.cover]\nkind = \"mean\"\nfield = \"siconc\"\n";
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_EQ(afterwards.size(), runs);
}

TEST_F(Ongoing, RunsThatHaveBeenDoneAgainSinceAreEvaluatedAgain) {
  take_done_study();
  end_all_of(read_manifest(study), evaluation);
  wait_for(runs);
  // A member, then an unperturbed run, on which its members rest.
  put_in_place_of("fp64/deterministic/eps=2^-7/m01", "fp64/deterministic/eps=2^-7/m02");
  put_in_place_of("fp32/deterministic", "fp64/deterministic/eps=2^-7/m00");
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_EQ(afterwards.size(), 2 + members);
}

TEST_F(Ongoing, AReferenceThatHasBeenDoneAgainSinceMakesAllAnew) {
  take_done_study();
  end_all_of(read_manifest(study), evaluation);
  wait_for(runs);
  put_in_place_of("fp64/deterministic", "fp32/deterministic");
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_EQ(afterwards.size(), runs);
}

TEST_F(Ongoing, RunsKeptFromBeforeAreEvaluatedToo) {
  take_done_study();
  fs::remove(study / "runs/fp32-atomic/run.json");
  fs::remove(study / "members/fp64-deterministic/eps-2p-7/m02/output.nc");
  auto const outcome = run(source(), {.resume = true});
  EXPECT_EQ(outcome.done, 2);
  EXPECT_EQ(outcome.kept, static_cast<int>(runs) - 2);
  wait_for(runs);
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_TRUE(afterwards.empty());
}

TEST_F(Ongoing, SeesWhatOtherProcessesHaveDone) {
  auto const from = source();
  prepare_study(from, plan(), study, false);
  EXPECT_EQ(run(from, {.resume = true, .only = Share{0, 2}}).done, static_cast<int>(runs + 1) / 2);
  run_study(from, plan(), study, {.resume = true, .only = Share{1, 2}});
  wait_for(runs);
  EXPECT_EQ(run(from, {.resume = true}).kept, static_cast<int>(runs));
  EXPECT_EQ(results_on_the_way(), results());
  EXPECT_TRUE(afterwards.empty());
  EXPECT_EQ(evaluation.evaluated(), runs) << "each once";
}

TEST_F(Ongoing, AnInterruptOfItEndsWhatFollows) {
  std::atomic<bool> cancel{false};
  OngoingEvaluation interrupted{study, {.cancel = &cancel}};
  take_done_study();
  end_all_of(read_manifest(study), interrupted);
  ResultsOptions options;
  options.ongoing = &interrupted;
  cancel = true;
  EXPECT_THROW(write_results(study, options), Interrupted);
  EXPECT_FALSE(fs::exists(study / "results.json"));
  cancel = false;
  EXPECT_EQ(verification::to_json(write_results(study)), results()) << "and the study can be evaluated";
}

TEST_F(Ongoing, AStudyWhoseReferenceFailsIsToldSoAfterwards) {
  run(source("[toy]\nblow_up_policy = \"fp64\"\n"));
  EXPECT_NE(results_on_the_way().find("the reference failed"), std::string::npos);
  EXPECT_EQ(evaluation.evaluated(), 0u);
}

}  // namespace
}  // namespace ulpine::ensembles
