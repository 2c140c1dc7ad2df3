// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "ensembles/files.hpp"
#include "ensembles/results.hpp"
#include "ensembles/run.hpp"
#include "ensembles/study.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

class Study : public testing::Test {
 protected:
  CaseSource source(std::string const& more = "") {
    return {folder.write("case.toml", test::toy_case() + more)};
  }

  static std::map<std::string, std::string> hashes(fs::path const& study) {
    std::map<std::string, std::string> list;
    for (auto const& entry : read_manifest(study).entries) list[entry.run.id] = entry.hash;
    return list;
  }

  /// results.json without what depends on the clock.
  static nlohmann::json timeless(fs::path const& study) {
    write_results(study);
    auto json = nlohmann::json::parse(read_text(study / "results.json"));
    json["provenance"].erase("created");
    json.erase("seal");
    for (auto& run : json["runs"]) run.erase("wall_s");
    return json;
  }

  static std::string refusal(CaseSource const& source, StudyOptions const& options, fs::path const& study,
                             bool resume) {
    try {
      prepare_study(source, make_plan(options), study, resume);
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  }

  test::TemporaryFolder folder;
};

TEST_F(Study, RunsEverythingAndRecordsIt) {
  std::vector<StudyProgress> reports;
  StudyExecution execution;
  execution.progress = [&](StudyProgress const& progress) { reports.push_back(progress); };
  auto const outcome = run_study(source(), make_plan(test::toy_study()), folder / "study", execution);
  EXPECT_EQ(outcome.done, 16);
  EXPECT_EQ(outcome.failed + outcome.kept + outcome.planned, 0);
  EXPECT_FALSE(outcome.interrupted);
  auto const manifest = read_manifest(folder / "study");
  ASSERT_EQ(manifest.entries.size(), 16u);
  for (auto const& entry : manifest.entries) {
    EXPECT_EQ(entry.state, RunState::done) << entry.run.id;
    EXPECT_EQ(read_run(folder / "study" / entry.run.path / "run.json").hash, entry.hash);
  }
  EXPECT_EQ(manifest.case_text, read_text(folder / "study/case.toml"));
  EXPECT_EQ(manifest.plan.options.perturb, (std::vector<std::string>{"sivol", "siconc"}));
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().done, 16);
  EXPECT_EQ(reports.back().fraction, 1);
  for (std::size_t i = 1; i < reports.size(); ++i) {
    EXPECT_GE(reports[i].fraction, reports[i - 1].fraction) << "progress never goes back";
  }
}

TEST_F(Study, JobsAndThreadsChangeNoHash) {
  auto options = test::toy_study();
  run_study(source(), make_plan(options), folder / "one", {});
  options.threads = 2;
  run_study(source(), make_plan(options), folder / "three", {.jobs = 3});
  EXPECT_EQ(hashes(folder / "one"), hashes(folder / "three"));
}

TEST_F(Study, NoiseOfAMemberIsTheSameForEveryPolicyAndDiffersAmongMembers) {
  run_study(source(), make_plan(test::toy_study()), folder / "study", {});
  auto const start = [&](std::string const& path) {
    return io::InputFile(folder / "study/members" / path / "output.nc").read("sivol", 0).values;
  };
  auto const double_start = start("fp64-deterministic/eps-2p-7/m01");
  auto const single_start = start("fp32-deterministic/eps-2p-7/m01");
  auto const small_start = start("fp64-deterministic/eps-2p-23/m01");
  auto const other_member = start("fp64-deterministic/eps-2p-7/m02");
  auto const plain =
      io::InputFile(folder / "study/runs/fp64-deterministic/output.nc").read("sivol", 0).values;
  EXPECT_NE(double_start, other_member);
  auto largest = 0.0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    auto const noise = double_start[i] - plain[i];
    largest = std::max(largest, std::abs(noise));
    EXPECT_NEAR(single_start[i], double_start[i], 1e-7);
    EXPECT_NEAR((small_start[i] - plain[i]) * 65536, noise, 1e-11) << "the same numbers, 2^16 times smaller";
  }
  EXPECT_LE(largest, 1.0 / 128);
  EXPECT_GT(largest, 0.9 / 128);
}

TEST_F(Study, ResumeKeepsFinishedRunsAndRepeatsTheOthers) {
  auto const plan = make_plan(test::toy_study());
  auto const study = folder / "study";
  run_study(source(), plan, study, {});
  auto const before = timeless(study);
  auto const kept = study / "members/fp32-deterministic/eps-2p-7/m00/run.json";
  auto const written = fs::last_write_time(kept);
  fs::remove(study / "runs/fp32-atomic/run.json");
  std::ofstream(study / "members/fp64-deterministic/eps-2p-7/m02/run.json")
      << "{\"schema\": \"ulpine.run/1\"";  // cut short
  fs::remove(study / "members/fp64-deterministic/eps-2p-7/m01/output.nc");
  fs::copy(study / "members/fp64-deterministic/eps-2p-23/m00/run.json",
           study / "members/fp64-deterministic/eps-2p-23/m01/run.json",
           fs::copy_options::overwrite_existing);  // of another member
  auto const outcome = run_study(source(), plan, study, {.resume = true});
  EXPECT_EQ(outcome.kept, 12);
  EXPECT_EQ(outcome.done, 4);
  EXPECT_EQ(fs::last_write_time(kept), written);
  EXPECT_EQ(timeless(study), before);
}

TEST_F(Study, InterruptedStudyIsResumable) {
  auto const plan = make_plan(test::toy_study());
  run_study(source(), plan, folder / "whole", {});
  std::atomic<bool> cancel{false};
  StudyExecution execution;
  execution.cancel = &cancel;
  execution.progress = [&](StudyProgress const& progress) { cancel = progress.done >= 5; };
  auto const outcome = run_study(source(), plan, folder / "parts", execution);
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(outcome.done + outcome.planned, 16);
  EXPECT_GE(outcome.planned, 10);
  auto const rest = run_study(source(), plan, folder / "parts", {.resume = true});
  EXPECT_EQ(rest.kept, outcome.done);
  EXPECT_FALSE(rest.interrupted);
  EXPECT_EQ(timeless(folder / "parts"), timeless(folder / "whole"));
}

TEST_F(Study, KilledStudyResumesToTheResultsOfAnUndisturbedOne) {
  auto const case_source = source("[toy]\nsleep_ms = 2\n");
  auto const plan = make_plan(test::toy_study());
  run_study(case_source, plan, folder / "whole", {.jobs = 2});
  auto const whole = timeless(folder / "whole");
  auto const study = folder / "killed";
  std::minstd_rand random(7);
  std::uniform_int_distribution<int> milliseconds(5, 120);
  auto unfinished = 0;
  for (int kill_number = 0; kill_number < 6; ++kill_number) {
    auto const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::execl("/proc/self/exe", "study", "--run-study", case_source.path.c_str(), study.c_str(), nullptr);
      ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds(random)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    unfinished += WIFSIGNALED(status) ? 1 : 0;
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  }
  EXPECT_GE(unfinished, 2) << "the kills must hit a study at work";
  auto const outcome = run_study(case_source, plan, study, {.jobs = 2, .resume = true});
  EXPECT_EQ(outcome.kept + outcome.done, 16);
  EXPECT_EQ(timeless(study), whole);
}

TEST_F(Study, SharesTogetherAreTheWholeAndLeaveTheManifestAlone) {
  auto const plan = make_plan(test::toy_study());
  auto const study = folder / "shares";
  EXPECT_THROW(run_study(source(), plan, study, {.resume = true, .only = Share{0, 3}}), InputError)
      << "not planned yet";
  prepare_study(source(), plan, study, false);
  auto const planned = read_text(study / "manifest.json");
  auto done = 0;
  for (int i = 0; i < 3; ++i) {
    done += run_study(source(), plan, study, {.resume = true, .only = Share{i, 3}}).done;
  }
  EXPECT_EQ(done, 16);
  EXPECT_EQ(read_text(study / "manifest.json"), planned);
  run_study(source(), plan, folder / "whole", {});
  EXPECT_EQ(timeless(study), timeless(folder / "whole"));
}

TEST_F(Study, FailedMemberIsRecordedAndDoesNotStopTheOthers) {
  auto const outcome = run_study(source("[toy]\nblow_up_policy = \"fp32\"\n"), make_plan(test::toy_study()),
                                 folder / "study", {.jobs = 2});
  EXPECT_EQ(outcome.failed, 8);
  EXPECT_EQ(outcome.done, 8);
  for (auto const& entry : read_manifest(folder / "study").entries) {
    EXPECT_EQ(entry.state, entry.run.policy == "fp32" ? RunState::failed : RunState::done);
    EXPECT_EQ(entry.reason.empty(), entry.run.policy != "fp32");
  }
  auto const results = write_results(folder / "study");
  EXPECT_FALSE(results.passed());
  ASSERT_NE(results.find_run("fp32/atomic"), nullptr);
  EXPECT_NE(results.find_run("fp32/atomic")->failed.value_or("").find("not finite"), std::string::npos);
  EXPECT_FALSE(results.find_run("fp64/atomic")->failed);
}

TEST_F(Study, RefusesAnotherStudyAndNamesTheDifference) {
  auto const study = folder / "study";
  auto options = test::toy_study();
  EXPECT_EQ(refusal(source(), options, study, false), "");
  EXPECT_NE(refusal(source(), options, study, false).find("--resume"), std::string::npos);
  EXPECT_EQ(refusal(source(), options, study, true), "");
  auto changed = options;
  changed.members = 4;
  EXPECT_NE(refusal(source(), changed, study, true).find("members were 3, now 4"), std::string::npos);
  changed = options;
  changed.seed = 9;
  EXPECT_NE(refusal(source(), changed, study, true).find("seed was 1, now 9"), std::string::npos);
  changed = options;
  changed.policies = {"fp64", "tf32"};
  EXPECT_NE(refusal(source(), changed, study, true).find("policies were fp64,fp32, now fp64,tf32"),
            std::string::npos);
  changed = options;
  changed.until = 60;
  EXPECT_NE(refusal(source(), changed, study, true).find("now 60 s"), std::string::npos);
  changed = options;
  changed.perturb = {"siconc"};
  EXPECT_NE(refusal(source(), changed, study, true).find("perturbed fields"), std::string::npos);
  auto const other_case = refusal(source("[toy]\nforcing = 7.5\n"), options, study, true);
  EXPECT_NE(other_case.find("7.5"), std::string::npos) << other_case;
  EXPECT_EQ(other_case.find('\n'), std::string::npos) << "one line";
  changed = options;
  changed.threads = 2;
  EXPECT_EQ(refusal(source(), changed, study, true), "") << "threads do not matter";

  fs::create_directories(folder / "full");
  std::ofstream(folder / "full/notes.txt") << "mine";
  EXPECT_NE(refusal(source(), options, folder / "full", false).find("not empty"), std::string::npos);
  EXPECT_NE(refusal(source(), options, folder / "full", true).find("not empty"), std::string::npos);
}

TEST_F(Study, RefusesFieldsAndTimesThatTheModelDoesNotHave) {
  auto options = test::toy_study();
  options.perturb = {"sivlo"};
  EXPECT_NE(refusal(source(), options, folder / "study", false).find("did you mean 'sivol'"),
            std::string::npos);
  options = test::toy_study();
  options.until = 90;
  EXPECT_NE(refusal(source(), options, folder / "study", false).find("time step"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "study"));
}

TEST_F(Study, SlurmScriptsAreShellThatRunsEveryShare) {
  auto const manifest = prepare_study(source(), make_plan(test::toy_study()), folder / "a study", false);
  auto const scripts =
      write_slurm_scripts(folder / "a study", manifest, "echo", {"it's a case.toml", "-o", "x y"});
  auto const text = read_text(scripts.array);
  EXPECT_NE(text.find("#SBATCH --array=0-15\n"), std::string::npos);
  auto const run_with = [](fs::path const& script) {
    auto* const pipe = ::popen(("SLURM_ARRAY_TASK_ID=7 bash '" + script.string() + "'").c_str(), "r");
    std::string output(1000, ' ');
    output.resize(std::fread(output.data(), 1, output.size(), pipe));
    EXPECT_EQ(::pclose(pipe), 0);
    return output;
  };
  EXPECT_EQ(run_with(scripts.array), "ensemble it's a case.toml -o x y --resume --only 7/16\n");
  EXPECT_EQ(run_with(scripts.report), "report " + (folder / "a study").string() + "\n");
}

}  // namespace
}  // namespace ulpine::ensembles
