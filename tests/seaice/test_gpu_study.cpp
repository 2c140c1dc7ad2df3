// SPDX-License-Identifier: Apache-2.0
// Studies whose runs go side by side on a GPU.
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "core/seaice/register.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/study.hpp"
#include "support/device_test.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;

class StudyOnDevice : public test::DeviceTest {
 protected:
  StudyOnDevice() {
    seaice::register_core();
    test::write_file(
        folder / "case.toml",
        "core = 'seaice'\nname = 'small'\n[grid]\nnx = 40\nny = 28\nlength = 320e3\n[initial]\n"
        "source = 'uniform'\nheight = 1.0\nconcentration = 0.9\n[forcing]\ncyclone_x = 100e3\n"
        "cyclone_y = 120e3\n[time]\nsubsteps = 20\nend = '20 min'\n[output]\ninterval = '8 min'\n");
    options.policies = {"fp64", "fp32", "mixed"};
    options.assemblies = {"deterministic"};
    options.epsilons = {"2^-7"};
    options.members = 3;
  }

  std::map<std::string, ManifestEntry> study(std::string const& name, StudyExecution const& execution) {
    run_study({folder / "case.toml"}, make_plan(options), folder / name, execution);
    std::map<std::string, ManifestEntry> entries;
    for (auto const& entry : read_manifest(folder / name).entries) entries[entry.run.id] = entry;
    return entries;
  }
  static void expect_same(std::map<std::string, ManifestEntry> const& a,
                          std::map<std::string, ManifestEntry> const& b) {
    ASSERT_EQ(a.size(), b.size());
    for (auto const& [id, entry] : a) {
      EXPECT_EQ(entry.state, b.at(id).state) << id;
      EXPECT_EQ(entry.hash, b.at(id).hash) << id;
    }
  }

  test::TemporaryFolder folder;
  StudyOptions options;
};

TEST_F(StudyOnDevice, RunsSideBySideHaveTheBitsThatEachHasAloneAndOnTheHost) {
  auto const host = study("host", {});
  options.devices = {"cuda"};
  auto const alone = study("alone", {.gpu_jobs = 1});
  for (int const runs : {2, 3, 5, 0}) {
    auto const together = study("together" + std::to_string(runs), {.gpu_jobs = runs});
    ASSERT_EQ(together.size(), 12u);
    expect_same(together, alone);
    expect_same(together, host);
  }
  auto const memory = [&](std::string const& name) {
    return read_run(folder / name / "runs/fp64-deterministic/run.json").memory_bytes;
  };
  EXPECT_LT(memory("together3"), memory("alone")) << "resident tiles, and so their memory, are for one alone";
  EXPECT_NE(alone.at("fp64/deterministic/eps=2^-7/m00").hash,
            alone.at("fp64/deterministic/eps=2^-7/m01").hash);
}

TEST_F(StudyOnDevice, RunsThatFailLeaveTheOthersTheirBits) {
  options.devices = {"cuda"};
  options.epsilons = {"2^-7", "1e30"};  // of which stresses overflow in fp32
  auto const alone = study("alone", {.gpu_jobs = 1, .trap_nonfinite = true});
  auto const together = study("together", {.gpu_jobs = 4, .trap_nonfinite = true});
  expect_same(together, alone);
  for (auto const& [id, entry] : alone) {
    auto const before_path = [](std::string const& reason) { return reason.substr(0, reason.find(" see ")); };
    EXPECT_EQ(before_path(entry.reason), before_path(together.at(id).reason)) << id;
  }
  EXPECT_EQ(alone.at("fp32/deterministic/eps=1e30/m01").state, RunState::failed);
  EXPECT_EQ(alone.at("fp32/deterministic/eps=2^-7/m01").state, RunState::done);
}

TEST_F(StudyOnDevice, GoOnWhereTheyWereInterrupted) {
  options.devices = {"cuda"};
  auto const whole = study("whole", {.gpu_jobs = 3});
  std::atomic<bool> cancel{false};
  StudyExecution execution;
  execution.gpu_jobs = 3;
  execution.cancel = &cancel;
  execution.progress = [&](StudyProgress const& progress) { cancel = progress.done >= 4; };
  auto const first = run_study({folder / "case.toml"}, make_plan(options), folder / "parts", execution);
  EXPECT_TRUE(first.interrupted);
  EXPECT_GE(first.done, 4);
  EXPECT_GE(first.planned, 4);
  auto const parts = study("parts", {.gpu_jobs = 3, .resume = true});
  expect_same(parts, whole);
}

TEST_F(StudyOnDevice, AtomicAssemblyAndOtherStepsOfAStageGoSideBySideToo) {
  options.devices = {"cuda"};
  options.configurations = {"fp64/deterministic", "mixed/atomic", "fp32/deterministic/seaice.limit=fp64"};
  options.members = 2;
  auto const alone = study("alone", {.gpu_jobs = 1});
  auto const together = study("together", {.gpu_jobs = 4});
  for (auto const& [id, entry] : alone) {
    EXPECT_EQ(together.at(id).state, RunState::done) << id;
    if (!id.starts_with("mixed/atomic")) {
      EXPECT_EQ(together.at(id).hash, entry.hash) << id;
    }
  }
}

}  // namespace
