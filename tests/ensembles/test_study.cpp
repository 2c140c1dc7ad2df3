// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/slurm.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "ensembles/toy_studies.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
using toy_studies::Study;

std::map<std::string, std::string> hashes(fs::path const& study) {
  std::map<std::string, std::string> list;
  for (auto const& entry : read_manifest(study).entries) list[entry.run.id] = entry.hash;
  return list;
}

/// results.json without what depends on the clock.
nlohmann::json timeless(fs::path const& study) {
  write_results(study);
  auto json = nlohmann::json::parse(read_text(study / "results.json"));
  json["provenance"].erase("created");
  json.erase("seal");
  for (auto& run : json["runs"]) run.erase("wall_s");
  return json;
}

std::string refusal(CaseSource const& source, StudyOptions const& options, fs::path const& study,
                    bool resume) {
  try {
    prepare_study(source, make_plan(options), study, resume);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

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
  options.control = true;
  run_study(source(), make_plan(options), folder / "one", {});
  options.threads = 2;
  run_study(source(), make_plan(options), folder / "three", {.jobs = 3});
  EXPECT_EQ(hashes(folder / "one"), hashes(folder / "three"));
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
  EXPECT_NE(refusal(source(), changed, study, true)
                .find((study / "manifest.json").string() + ": this study was planned otherwise "
                                                           "(policies were fp64,fp32, now fp64,tf32)"),
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
  auto const text = read_text(scripts.arrays.front());
  EXPECT_NE(text.find("#SBATCH --array=0-15\n"), std::string::npos);
  auto const run_with = [](fs::path const& script) {
    auto* const pipe = ::popen(("SLURM_ARRAY_TASK_ID=7 bash '" + script.string() + "'").c_str(), "r");
    std::string output(1000, ' ');
    output.resize(std::fread(output.data(), 1, output.size(), pipe));
    EXPECT_EQ(::pclose(pipe), 0);
    return output;
  };
  EXPECT_EQ(run_with(scripts.arrays.front()), "ensemble it's a case.toml -o x y --resume --only 7/16\n");
  EXPECT_EQ(run_with(scripts.report), "report " + (folder / "a study").string() + "\n");
}

TEST_F(Study, SlurmScriptsHoldNoWordOfAHostileNameAsCommandOrDirective) {
  auto const study = folder / "a $(touch CAUGHT) `touch CAUGHT` 100% ; touch CAUGHT";
  auto manifest = prepare_study(source(), make_plan(test::toy_study()), study, false);
  manifest.case_name = "x\n#SBATCH --uid=0\ntouch CAUGHT; $(touch CAUGHT) `touch CAUGHT` %j";
  auto const scripts =
      write_slurm_scripts(study, manifest, "echo",
                          {"$(touch CAUGHT)'`touch CAUGHT`\n#SBATCH --uid=0\ntouch CAUGHT", "-o", "x y"});
  for (auto const& script : {scripts.arrays.front(), scripts.report}) {
    std::ifstream lines(script);
    std::vector<std::string> directives;
    auto in_head = true;
    for (std::string line; std::getline(lines, line) && in_head;) {
      in_head = line.starts_with('#');  // where sbatch stops looking
      if (line.starts_with("#SBATCH")) directives.push_back(line.substr(0, line.find('=')));
    }
    std::vector<std::string> const known = {"#SBATCH --job-name", "#SBATCH --array", "#SBATCH --ntasks",
                                            "#SBATCH --cpus-per-task", "#SBATCH --output"};
    for (auto const& directive : directives) {
      EXPECT_NE(std::find(known.begin(), known.end(), directive), known.end()) << directive;
    }
    auto const text = read_text(script);
    EXPECT_NE(text.find("#SBATCH --job-name=ulpine-x__SBATCH_--uid_0_touch_CAUGHT"), std::string::npos)
        << text;
    EXPECT_NE(text.find("100%% ; touch CAUGHT/slurm-%"), std::string::npos) << text;
    auto const command = "cd '" + folder.path().string() + "' && SLURM_ARRAY_TASK_ID=7 bash '" +
                         script.string() + "' > output";
    EXPECT_EQ(std::system(("bash -n '" + script.string() + "'").c_str()), 0);
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  EXPECT_FALSE(fs::exists(folder / "CAUGHT"));
  EXPECT_FALSE(fs::exists("CAUGHT"));
  EXPECT_NE(scripts.hint.find("'" + scripts.arrays.front().string() + "'"), std::string::npos)
      << scripts.hint;
}

TEST_F(Study, FoldersThatALineOfSbatchCannotHoldAreRefused) {
  for (auto const* const name : {"a\nb", "a\"b", "a'b", "a\\b", "a\tb"}) {
    auto const manifest = prepare_study(source(), make_plan(test::toy_study()), folder / name, false);
    EXPECT_THROW(write_slurm_scripts(folder / name, manifest, "echo", {}), InputError) << name;
    EXPECT_FALSE(fs::exists(folder / name / "study.sbatch"));
  }
}

TEST_F(Study, ManifestOfManyRunsIsReadBackWhole) {
  auto options = test::toy_study();
  options.members = 500;
  auto manifest = prepare_study(source(), make_plan(options), folder / "study", false);
  ASSERT_EQ(manifest.entries.size(), 4u + 2 * 2 * 500);
  for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
    auto& entry = manifest.entries[i];
    entry.state = static_cast<RunState>(i % 3);
    entry.hash = std::to_string(i);
    entry.wall_s = 0.1 * static_cast<double>(i);
    entry.reason = i % 3 == 2 ? "a \"reason\"\nwith \xff" : "";
  }
  write_manifest(folder / "study", manifest);
  auto const text = read_text(folder / "study/manifest.json");
  auto const json = nlohmann::json::parse(text);  // JSON for any reader
  EXPECT_EQ(json["runs"].size(), manifest.entries.size());
  EXPECT_EQ(json["runs"]["fp32/atomic"]["path"], "runs/fp32-atomic");
  auto const read = read_manifest(folder / "study");
  ASSERT_EQ(read.entries.size(), manifest.entries.size());
  for (std::size_t i = 0; i < read.entries.size(); ++i) {
    EXPECT_EQ(read.entries[i].run.id, manifest.entries[i].run.id);
    EXPECT_EQ(read.entries[i].state, manifest.entries[i].state);
    EXPECT_EQ(read.entries[i].hash, manifest.entries[i].hash);
    EXPECT_EQ(read.entries[i].wall_s, manifest.entries[i].wall_s);
    EXPECT_EQ(read.entries[i].reason, i % 3 == 2 ? "a \"reason\"\nwith \xef\xbf\xbd" : "");
  }
}

/// Cost grows with the number of runs and not with its square: ten times as many may take twenty times as
/// much of the processor (a square makes it a hundred), which others on the machine do not use.
TEST_F(Study, PlanningTakesTimeInProportionToTheRuns) {
  auto const seconds = [&](int members) {
    auto options = test::toy_study();
    options.members = members;
    auto const begin = std::clock();
    auto const plan = make_plan(options);
    auto const study = folder / std::to_string(members);
    prepare_study(source(), plan, study, false);
    prepare_study(source(), plan, study, true);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  seconds(10);
  EXPECT_LT(seconds(20000), 20 * std::max(seconds(2000), 0.01));
}

TEST_F(Study, InterruptedPlanningAndEvaluationSaySo) {
  std::atomic<bool> cancel{true};
  auto const plan = make_plan(test::toy_study());
  EXPECT_THROW(prepare_study(source(), plan, folder / "study", false, &cancel), Interrupted);
  EXPECT_FALSE(fs::exists(folder / "study/manifest.json"));
  run_study(source(), plan, folder / "study", {});
  EXPECT_THROW(prepare_study(source(), plan, folder / "study", true, &cancel), Interrupted);
  EXPECT_THROW(write_results(folder / "study", {.cancel = &cancel}), Interrupted);
  EXPECT_FALSE(fs::exists(folder / "study/results.json"));
  auto after = 0;
  std::atomic<bool> later{false};
  ResultsOptions options{.cancel = &later};
  options.progress = [&](double, std::string const&) { later = ++after == 5; };
  EXPECT_THROW(write_results(folder / "study", options), Interrupted);
  EXPECT_FALSE(fs::exists(folder / "study/results.json"));
  EXPECT_NO_THROW(write_results(folder / "study"));
}

TEST_F(Study, TemporaryFilesOfKilledWritersAreRemovedAndOthersKept) {
  auto const study = folder / "study";
  auto const plan = make_plan(test::toy_study());
  run_study(source(), plan, study, {});
  auto const run = study / "members/fp32-deterministic/eps-2p-7/m00";
  std::vector<fs::path> const left = {study / "manifest.json.ulpine-4711.part",
                                      study / "results.json.ulpine-4711.part",
                                      run / "restart.nc.ulpine-4711.part"};
  std::vector<fs::path> const mine = {study / "notes.part", study / "ulpine-4711.part",
                                      study / "film.mkv.12.part", study / "a.ulpine-4x.part", run / "my.tmp"};
  for (auto const& path : left) std::ofstream(path) << "x";
  for (auto const& path : mine) std::ofstream(path) << "x";
  clear_study(study);
  for (auto const& path : left) EXPECT_FALSE(fs::exists(path)) << path;
  for (auto const& path : mine) EXPECT_TRUE(fs::exists(path)) << path;

  // A share clears the folders of the runs that it does, and nothing else: others may be writing there.
  fs::remove(run / "run.json");
  std::ofstream(left[0]) << "x";
  std::ofstream(left[2]) << "x";
  run_study(source(), plan, study, {.resume = true, .only = Share{0, 1}});
  EXPECT_FALSE(fs::exists(left[2]));
  EXPECT_TRUE(fs::exists(left[0]));
}

class Lock : public testing::Test {
 protected:
  std::string refusal(Use use) const {
    try {
      FolderLock const lock(folder.path(), use);
    } catch (EnvironmentError const& error) {
      return error.what();
    }
    return "";
  }
  test::TemporaryFolder folder;
};

TEST_F(Study, AProcessThatReadsAForeignFileKeepsNoLock) {
  auto const study = folder / "study";
  run_study(source(), make_plan(test::toy_study()), study, {});
  auto const foreign = folder / "foreign.nc";
  fs::copy_file(study / "runs/fp64-deterministic/output.nc", foreign);
  constexpr std::uintmax_t seal = 16;
  fs::resize_file(foreign, fs::file_size(foreign) - seal);
  FolderLock const other(folder.path(), Use::alone);  // has the number that the process' socket gets
  auto lock = std::make_unique<FolderLock>(study, Use::alone);
  io::InputFile const file(foreign);  // its process has what was open when it was started
  lock.reset();
  EXPECT_NO_THROW(FolderLock(study, Use::alone));
  EXPECT_FALSE(file.read("siu").values.empty());
}

TEST_F(Lock, ExcludesOthersUntilItsOwnerEnds) {
  {
    FolderLock const lock(folder.path(), Use::alone);
    for (auto const use : {Use::alone, Use::together}) {
      auto const text = refusal(use);
      EXPECT_NE(text.find("in use (by process " + std::to_string(::getpid()) + " on host "),
                std::string::npos)
          << text;
      EXPECT_EQ(text.find('\n'), std::string::npos);
    }
  }
  EXPECT_EQ(refusal(Use::alone), "");
  EXPECT_TRUE(fs::exists(folder / FolderLock::file_name)) << "and the file blocks nobody";
}

TEST_F(Lock, IsReleasedByTheKernelWhenItsOwnerIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  auto const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    FolderLock const lock(folder.path(), Use::alone);
    [[maybe_unused]] auto const told = ::write(ready[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char letter = 0;
  ASSERT_EQ(::read(ready[0], &letter, 1), 1);
  EXPECT_NE(refusal(Use::alone).find("in use (by process " + std::to_string(child)), std::string::npos);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(refusal(Use::alone), "");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(Lock, IsSharedAmongThoseWhoTakeDifferentItems) {
  FolderLock const one(folder.path(), Use::together);
  FolderLock const other(folder.path(), Use::together);
  EXPECT_NE(refusal(Use::alone), "");
  one.take(3, "run c");
  EXPECT_THROW(other.take(3, "run c"), EnvironmentError);
  EXPECT_NO_THROW(other.take(0, "run a"));
  EXPECT_NO_THROW(other.take(4, "run d"));
  one.release(3);
  EXPECT_NO_THROW(other.take(3, "run c"));
}

TEST_F(Study, ShareLeavesARunThatAnotherProcessDoes) {
  auto const plan = make_plan(test::toy_study());
  auto const study = folder / "study";
  prepare_study(source(), plan, study, false);
  FolderLock const other(study, Use::together), mine(study, Use::together);
  other.take(5, "run");
  StudyExecution execution{.resume = true, .only = Share{5, 16}, .lock = &mine};
  EXPECT_THROW(run_study(source(), plan, study, execution), EnvironmentError);
  EXPECT_FALSE(fs::exists(study / plan.runs[5].path / "run.json"));
  execution.only = Share{6, 16};
  EXPECT_EQ(run_study(source(), plan, study, execution).done, 1);
  other.release(5);
  execution.only = Share{5, 16};
  EXPECT_EQ(run_study(source(), plan, study, execution).done, 1);
  EXPECT_EQ(run_study(source(), plan, study, execution).kept, 1);
}

}  // namespace
}  // namespace ulpine::ensembles
