// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/exec/device.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/slurm.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Studies on several devices, against any reference, with members for some.
class MixedStudy : public testing::Test {
 protected:
  CaseSource source() { return {folder.write("case.toml", test::toy_case())}; }

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

/// Two "devices" that this machine has: one and two threads of the host. Their ids tell them apart as those
/// of the host and a GPU.
StudyOptions two_devices() {
  auto options = test::toy_study();
  options.configurations = {"cpu:1/fp64/deterministic", "cpu:1/fp32/deterministic",
                            "cpu:2/fp64/deterministic", "cpu:2/fp32/deterministic", "cpu:2/fp32/atomic"};
  options.epsilons = {"2^-7"};
  return options;
}

TEST_F(MixedStudy, OfSeveralDevicesIsRunAndJudgedByEachDevicesOwnMembers) {
  auto const study = folder / "study";
  auto const plan = make_plan(two_devices());
  ASSERT_EQ(plan.runs.size(), 5u + 4 * 3);
  EXPECT_EQ(run_study(source(), plan, study, {.jobs = 2}).done, 17);
  EXPECT_EQ(read_run(study / "runs/cpu-2-fp32-atomic/run.json").id, "cpu:2/fp32/atomic");
  auto const results = write_results(study);
  EXPECT_EQ(results.reference, "cpu:1/fp64/deterministic");
  ASSERT_EQ(results.verdicts.size(), 4u);
  for (auto const& verdict : results.verdicts) {
    // In deterministic assembly the number of threads changes no bit.
    EXPECT_EQ(verdict.answer == verification::Answer::equal,
              verdict.configuration == "cpu:2/fp64/deterministic")
        << verdict.configuration;
  }
  ASSERT_EQ(results.ensembles.size(), 4u);
  EXPECT_EQ(results.ensembles[3].configuration, "cpu:2/fp32/deterministic");
  EXPECT_EQ(results.ensembles[3].policy, "fp32");
  EXPECT_EQ(results.ensembles[3].members, 3) << "and not those of both";
  EXPECT_TRUE(results.notes.empty() || results.notes[0].find(" of 3 members") == std::string::npos);
  EXPECT_EQ(results.find_run("cpu:2/fp32/deterministic")->ensemble, "cpu:2/fp32/deterministic");
  EXPECT_EQ(results.find_run("cpu:2/fp32/atomic")->ensemble, "") << "members of the other are not its own";
  ASSERT_EQ(results.bitwise.size(), 3u);
  EXPECT_EQ(results.bitwise[0].runs,
            (std::vector<std::string>{"cpu:1/fp64/deterministic", "cpu:2/fp64/deterministic"}));

  // A lost member of one configuration says nothing of the others'.
  auto lost = results;
  for (auto& run : lost.runs) {
    if (run.member && run.ensemble == "cpu:2/fp32/deterministic") run.failed = "lost";
  }
  verification::judge_study(lost);
  for (auto const& verdict : lost.verdicts) {
    auto const told = std::any_of(verdict.evidence.begin(), verdict.evidence.end(), [](auto const& evidence) {
      return evidence.subject == "completed" && evidence.answer == verification::Answer::different;
    });
    EXPECT_EQ(told, verdict.configuration == "cpu:2/fp32/deterministic") << verdict.configuration;
  }
}

TEST_F(MixedStudy, AnyConfigurationCanBeTheReference) {
  auto options = test::toy_study();
  options.reference = "fp32/atomic";
  run_study(source(), make_plan(options), folder / "study", {.jobs = 2});
  auto const results = write_results(folder / "study");
  EXPECT_EQ(results.reference, "fp32/atomic");
  auto const error = [&](char const* run) {
    return results.find_run(run)->metrics.at("siu").at("l2_relative").number();
  };
  EXPECT_EQ(error("fp32/atomic"), 0);
  EXPECT_GT(error("fp64/deterministic"), 1e-9) << "as far as fp32 is from it";
  EXPECT_EQ(results.verdicts.front().configuration, "fp64/deterministic");
  EXPECT_EQ(read_manifest(folder / "study").plan.reference, "fp32/atomic");
}

TEST_F(MixedStudy, OfOneDeviceMayGoOnOnAnotherAndOneOfSeveralMayNot) {
  auto const one = folder / "one", several = folder / "several";
  auto options = test::toy_study();
  EXPECT_EQ(refusal(source(), options, one, false), "");
  options.devices = {"cuda:1"};
  EXPECT_EQ(refusal(source(), options, one, true), "");
  EXPECT_EQ(prepare_study(source(), make_plan(options), one, true).entries[0].run.configuration.device,
            "cuda:1")
      << "the device of the call";
  options.devices = {"cpu", "cuda"};
  EXPECT_NE(refusal(source(), options, one, true).find("configurations were fp64/deterministic,fp64/atomic"),
            std::string::npos);
  EXPECT_EQ(refusal(source(), options, several, false), "");
  EXPECT_EQ(refusal(source(), options, several, true), "");
  options.devices = {"cpu", "cuda:1"};
  EXPECT_NE(refusal(source(), options, several, true).find("now cpu/fp64/deterministic"), std::string::npos);
  options.devices = {"cpu", "cuda"};
  options.reference = "cuda/fp64/deterministic";
  EXPECT_NE(refusal(source(), options, several, true).find("configurations were cpu/fp64/deterministic"),
            std::string::npos);
  options.reference.clear();
  options.members_for = {"cpu"};
  EXPECT_NE(
      refusal(source(), options, several, true)
          .find("configurations with members were cpu/fp64/deterministic,cpu/fp32/deterministic,cuda/fp64"),
      std::string::npos);
  // The same study in other words.
  options.members_for = {"fp64/deterministic", "fp32/deterministic"};
  EXPECT_NE(refusal(source(), options, several, true), "") << "their members come in another order";
  options.members_for = {"cpu/deterministic", "cuda/deterministic"};
  EXPECT_EQ(refusal(source(), options, several, true), "");
}

TEST_F(MixedStudy, AGpuIsAskedForOnlyByTheRunsThatNeedOne) {
  if (!devices().empty()) GTEST_SKIP() << "there is a GPU";
  auto options = test::toy_study();
  options.devices = {"cpu", "cuda"};
  auto const plan = make_plan(options);
  auto const study = folder / "study";
  EXPECT_THROW(run_study(source(), plan, study, {}), EnvironmentError);
  EXPECT_FALSE(fs::exists(study)) << "nothing was begun";
  prepare_study(source(), plan, study, false);
  auto const count = static_cast<int>(plan.runs.size());
  for (int i : {0, 3, 4, count - 1}) {
    StudyExecution const execution{.resume = true, .only = Share{i, count}};
    if (on_gpu(plan.runs[static_cast<std::size_t>(i)].configuration)) {
      EXPECT_THROW(run_study(source(), plan, study, execution), EnvironmentError) << i;
    } else {
      EXPECT_EQ(run_study(source(), plan, study, execution).done, 1) << i;
    }
  }
}

TEST_F(MixedStudy, StagesThatTheCoreCannotOverrideAreRefusedWhenItIsPlanned) {
  auto options = test::toy_study();
  options.configurations = {"fp64/deterministic", "cuda/fp64/deterministic/toy.momentum=fp32"};
  auto const text = refusal(source(), options, folder / "study", false);
  EXPECT_NE(text.find("cannot run stage toy.momentum in fp32"), std::string::npos) << text;
  EXPECT_FALSE(fs::exists(folder / "study"));
}

/// Written by the first version (commit 701828c8893e) but for the case, which is the toy's.
constexpr auto first_manifest = R"json({
 "schema": "ulpine.manifest/1",
 "core": "toy",
 "case": "two waves",
 "case_hash": "CASE_HASH",
 "version": "0.1.0 (701828c8893e)",
               "reference" : "fp64/deterministic",
               "plan" : {
                 "policies" : [ "fp64", "fp32" ],
                 "assemblies" : ["deterministic"],
                 "epsilons" : ["2^-7"],
                 "members" : 1,
                 "seed" : 1,
                 "until_s" : null,
                 "device" : "cpu",
                 "threads" : 1,
                 "block" : 256,
                 "perturb" : [ "sivol", "siconc" ]
               },
               "case_text" : CASE_TEXT,
               "runs" : {
  "fp64/deterministic"
      : {"path" : "runs/fp64-deterministic", "state" : "planned", "hash" : "", "wall_s" : 0, "reason" : ""},
        "fp32/deterministic"
      : {"path" : "runs/fp32-deterministic", "state" : "planned", "hash" : "", "wall_s" : 0, "reason" : ""},
        "fp64/deterministic/eps=2^-7/m00" : {
          "path" : "members/fp64-deterministic/eps-2p-7/m00",
          "state" : "done",
          "hash" : "0123456789abcdef",
          "wall_s" : 0.5,
          "reason" : ""
        },
                                            "fp32/deterministic/eps=2^-7/m00" : {
    "path" : "members/fp32-deterministic/eps-2p-7/m00",
             "state" : "planned",
                       "hash" : "",
                                "wall_s" : 0,
                                "reason" : ""
  }
}
}
)json";

/// A study of both assemblies as the version before wrote it, which gave members to the first of them alone.
TEST_F(MixedStudy, PlannedBeforeMembersWereEachConfigurationsOwnGoesOnAsItWas) {
  auto options = test::toy_study();
  options.members_for.clear();
  options.members_of_first_assembly = true;
  auto const study = folder / "study";
  prepare_study(source(), make_plan(options), study, false);
  auto manifest = nlohmann::ordered_json::parse(read_text(study / "manifest.json"));
  manifest.erase("seal");
  manifest.at("plan").erase("members_of_first_assembly");
  write_atomically(study / "manifest.json", io::sealed_json(manifest.dump(1) + "\n"));

  options.members_of_first_assembly = false;
  auto const plan = make_plan(options);
  EXPECT_EQ(plan.runs.size(), 4u + 4 * 2 * 3);
  EXPECT_EQ(prepare_study(source(), plan, study, true).entries.size(), 4u + 2 * 2 * 3);
}

TEST_F(MixedStudy, OfTheFirstVersionIsReadAndGoneOnWith) {
  auto options = test::toy_study();
  options.assemblies = {"deterministic"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  auto const plan = make_plan(options);
  auto const study = folder / "study";
  auto const now = prepare_study(source(), plan, study, false);
  auto text = std::string(first_manifest);
  text.replace(text.find("CASE_HASH"), 9, now.case_hash);
  text.replace(text.find("CASE_TEXT"), 9, nlohmann::json(now.case_text).dump());
  write_atomically(study / "manifest.json", io::sealed_json(text));
  auto const read = read_manifest(study);
  ASSERT_EQ(read.entries.size(), 4u);
  for (std::size_t i = 0; i < read.entries.size(); ++i) {
    EXPECT_EQ(read.entries[i].run.id, plan.runs[i].id);
    EXPECT_EQ(read.entries[i].run.path, plan.runs[i].path);
    EXPECT_EQ(read.entries[i].run.configuration, plan.runs[i].configuration);
  }
  EXPECT_EQ(read.entries[2].hash, "0123456789abcdef");
  EXPECT_EQ(run_study(source(), plan, study, {.resume = true}).done, 4);
  EXPECT_NE(read_text(study / "manifest.json").find("ulpine.manifest/3"), std::string::npos);
  // Its noise is that of its version, and it says so.
  EXPECT_EQ(read_manifest(study).entries[2].run.seed, 1u);
  EXPECT_EQ(read_run(study / plan.runs[2].path / "run.json").seed, 1u);
  EXPECT_EQ(run_study(source(), plan, study, {.resume = true}).kept, 4);
  auto const notes = compute_results(study).notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](std::string const& note) {
    return note.find("the same noise at every amplitude (the study was planned by 0.1.0 (701828c8893e))") !=
           std::string::npos;
  }));
  auto newer = read_text(study / "manifest.json");
  newer.replace(newer.find("manifest/3"), 10, "manifest/4");
  write_atomically(study / "manifest.json",
                   io::sealed_json(newer.substr(0, newer.rfind(",\n\"seal\"")) + "\n}\n"));
  try {
    read_manifest(study);
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what())
                  .find("has schema \"ulpine.manifest/4\" (this program reads "
                        "ulpine.manifest/3, ulpine.manifest/2 and ulpine.manifest/1)"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(MixedStudy, SlurmSharesRunsByWhatTheirNodesMustHave) {
  auto options = test::toy_study();
  options.devices = {"cpu", "cuda:1"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  options.threads = 3;
  auto const study = folder / "study";
  auto const plan = make_plan(options);
  auto const manifest = prepare_study(source(), plan, study, false);
  auto const scripts = write_slurm_scripts(study, manifest, "echo", {"case.toml"});
  ASSERT_EQ(scripts.arrays, (std::vector<fs::path>{study / "study.sbatch", study / "study-gpu.sbatch"}));
  auto const host = read_text(scripts.arrays[0]), gpu = read_text(scripts.arrays[1]);
  EXPECT_NE(host.find("#SBATCH --array=0-3,8-9\n"), std::string::npos) << host;
  EXPECT_NE(host.find("#SBATCH --cpus-per-task=3\n"), std::string::npos);
  EXPECT_EQ(host.find("gpus"), std::string::npos);
  EXPECT_NE(gpu.find("#SBATCH --array=4-7,10-11\n"), std::string::npos) << gpu;
  EXPECT_NE(gpu.find("#SBATCH --gpus-per-task=2\n"), std::string::npos) << "cuda:1 is the second";
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    EXPECT_EQ(on_gpu(plan.runs[i].configuration), (i >= 4 && i < 8) || i >= 10) << plan.runs[i].id;
  }
  for (auto const& text : {host, gpu}) {
    EXPECT_NE(text.find("echo ensemble case.toml --resume --only \"$SLURM_ARRAY_TASK_ID/12\"\n"),
              std::string::npos);
  }
  EXPECT_EQ(scripts.hint, "array=$(sbatch --parsable " + scripts.arrays[0].string() +
                              ") && gpu_array=$(sbatch --parsable " + scripts.arrays[1].string() +
                              ") && sbatch --dependency=afterany:$array:$gpu_array " +
                              scripts.report.string());

  options.devices = {"mpi:4", "cuda:1x2"};
  auto const ranked = prepare_study(source(), make_plan(options), folder / "ranks", false);
  auto const parallel = write_slurm_scripts(folder / "ranks", ranked, "echo", {});
  ASSERT_EQ(parallel.arrays.size(), 2u);
  EXPECT_NE(read_text(parallel.arrays[0])
                .find("#SBATCH --nodes=1\n#SBATCH --ntasks=4\n#SBATCH --cpus-per-task=3\n"),
            std::string::npos);
  EXPECT_NE(read_text(parallel.arrays[1])
                .find("#SBATCH --nodes=1\n#SBATCH --ntasks=2\n#SBATCH --gpus-per-task=1\n"),
            std::string::npos);

  options.devices = {"cuda"};
  auto const gpus = prepare_study(source(), make_plan(options), folder / "gpus", false);
  auto const alone = write_slurm_scripts(folder / "gpus", gpus, "echo", {});
  ASSERT_EQ(alone.arrays, (std::vector<fs::path>{folder / "gpus/study.sbatch"}));
  EXPECT_NE(
      read_text(alone.arrays[0]).find("#SBATCH --array=0-5\n#SBATCH --ntasks=1\n#SBATCH --gpus-per-task=1\n"),
      std::string::npos);
}

}  // namespace
}  // namespace ulpine::ensembles
