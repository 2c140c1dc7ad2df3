// SPDX-License-Identifier: Apache-2.0
// Own files that were altered must never be believed, and never take a study down.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include "ensembles/runs/files.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/restart.hpp"
#include "verification/results/results.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// One to three bytes flipped, some lost, some added, or the end cut off; never the same text.
std::string mutated(std::string const& text, std::mt19937_64& random) {
  auto altered = text;
  auto const place = [&] { return random() % altered.size(); };
  switch (random() % 4) {
    case 0:
      for (auto flips = 1 + random() % 3; flips > 0; --flips)
        altered[place()] ^= static_cast<char>(1 + random() % 255);
      break;
    case 1:
      altered.erase(place(), 1 + random() % 20);
      break;
    case 2:
      altered.insert(place(), 1 + random() % 20, static_cast<char>(random()));
      break;
    default:
      altered.resize(place());
  }
  return altered;
}

class AlteredFiles : public testing::Test {
 protected:
  void SetUp() override {
    source = {folder.write("case.toml", test::toy_case())};
    run_study(source, plan, study, {});
    write_results(study);
  }
  static void put(fs::path const& path, std::string const& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  /// Calls `check` with 300 mutants of the file in its place, then puts it back.
  template <class Check>
  void with_mutants(fs::path const& path, Check check) {
    auto const whole = read_text(path);
    std::mt19937_64 random{11};
    for (int trial = 0; trial < 300; ++trial) {
      auto const altered = mutated(whole, random);
      if (altered == whole) continue;
      put(path, altered);
      check(trial);
    }
    put(path, whole);
  }
  template <class Action>
  static std::string refusal(Action action) {
    try {
      action();
      return "";
    } catch (InputError const& error) {
      std::string const message = error.what();
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message;
    }
  }
  RunState state_of(std::string const& id, std::string* reason = nullptr) {
    auto manifest = read_manifest(study);
    refresh_states(study, manifest);
    for (auto const& entry : manifest.entries) {
      if (entry.run.id == id && reason != nullptr) *reason = entry.reason;
      if (entry.run.id == id) return entry.state;
    }
    ADD_FAILURE() << id;
    return RunState::planned;
  }
  std::map<std::string, std::string> hashes() {
    std::map<std::string, std::string> list;
    for (auto const& entry : read_manifest(study).entries) list[entry.run.id] = entry.hash;
    return list;
  }

  test::TemporaryFolder folder;
  CaseSource source;
  StudyPlan plan = make_plan(test::toy_study());
  fs::path study = folder / "study";
  fs::path member = study / "members/fp32-deterministic/eps-2p-7/m01";
  std::string const member_id = "fp32/deterministic/eps=2^-7/m01";
};

TEST_F(AlteredFiles, NoAlteredRecordOfARunIsBelieved) {
  ASSERT_EQ(state_of(member_id), RunState::done);
  with_mutants(member / "run.json",
               [&](int trial) { EXPECT_NE(refusal([&] { read_run(member / "run.json"); }), "") << trial; });
  put(member / "run.json", read_text(member / "run.json") + " ");
  std::string reason;
  EXPECT_EQ(state_of(member_id, &reason), RunState::planned);
  EXPECT_NE(reason.find("run.json: was altered"), std::string::npos) << reason;
}

TEST_F(AlteredFiles, NoAlteredManifestIsBelievedAndTheRemedyWorks) {
  with_mutants(study / "manifest.json",
               [&](int trial) { EXPECT_NE(refusal([&] { read_manifest(study); }), "") << trial; });
  auto const before = hashes();
  put(study / "manifest.json", read_text(study / "manifest.json") + "\n");
  auto const message = refusal([&] { run_study(source, plan, study, {.resume = true}); });
  ASSERT_NE(message.find("delete it and repeat `ulpine ensemble ... --resume`"), std::string::npos)
      << message;
  fs::remove(study / "manifest.json");
  auto const outcome = run_study(source, plan, study, {.resume = true});
  EXPECT_EQ(outcome.kept, 16);
  EXPECT_EQ(outcome.done, 0);
  EXPECT_EQ(hashes(), before);
}

TEST_F(AlteredFiles, ALostManifestIsNotReplacedByThatOfAnotherStudy) {
  fs::remove(study / "manifest.json");
  auto const kept = read_text(member / "run.json");
  auto options = test::toy_study();
  options.seed = 5;
  auto const other_seed = refusal([&] { run_study(source, make_plan(options), study, {.resume = true}); });
  EXPECT_NE(other_seed.find("its noise is not that of --seed 5"), std::string::npos) << other_seed;
  options = test::toy_study();
  options.until = 60;
  auto const other_end = refusal([&] { run_study(source, make_plan(options), study, {.resume = true}); });
  EXPECT_NE(other_end.find("end was 720, now 60"), std::string::npos) << other_end;
  EXPECT_EQ(read_text(member / "run.json"), kept);
  EXPECT_FALSE(fs::exists(study / "manifest.json"));
}

TEST_F(AlteredFiles, NoAlteredResultsAreBelieved) {
  EXPECT_EQ(refusal([&] { verification::read_results(study / "results.json"); }), "");
  with_mutants(study / "results.json", [&](int trial) {
    EXPECT_NE(refusal([&] { verification::read_results(study / "results.json"); }), "") << trial;
  });
}

TEST_F(AlteredFiles, NoAlteredOutputIsBelievedByARecordNorByItself) {
  auto const record = read_run(member / "run.json");
  EXPECT_FALSE(output_problem(member, record));
  auto const whole = read_text(member / "output.nc");
  with_mutants(member / "output.nc", [&](int trial) {
    auto const problem = output_problem(member, record);
    ASSERT_TRUE(problem) << trial;
    EXPECT_EQ(problem->find('\n'), std::string::npos);
    auto const message = refusal([&] {
      io::InputFile const file(member / "output.nc");
      for (auto const& name : file.variables()) file.read(name);
    });
    // A cut that takes exactly the seal leaves what HDF5 wrote.
    auto const unsealed = read_text(member / "output.nc").size() == whole.size() - 16;
    EXPECT_TRUE(!message.empty() || unsealed) << trial;
  });
}

TEST_F(AlteredFiles, ADamagedOrForeignOutputIsRunAgainByResumeAndFailsItsRunInTheReport) {
  auto const before = hashes();
  auto const whole = read_text(member / "output.nc");
  auto const other = read_text(study / "members/fp32-deterministic/eps-2p-7/m02/output.nc");
  auto flipped = whole;
  flipped[flipped.size() / 2] ^= 1;
  for (auto const& content : {flipped, other, whole.substr(0, whole.size() - 100), std::string{}}) {
    put(member / "output.nc", content);
    auto const results = write_results(study);
    auto const* const run = results.find_run(member_id);
    ASSERT_NE(run, nullptr);
    ASSERT_TRUE(run->failed);
    EXPECT_NE(run->failed->find("output.nc: is not the file that the run wrote"), std::string::npos)
        << *run->failed;
    EXPECT_EQ(run->failed->find('\n'), std::string::npos);
    EXPECT_TRUE(run->metrics.empty());
    EXPECT_FALSE(results.find_run("fp32/deterministic")->failed) << "the others are judged";

    auto const outcome = run_study(source, plan, study, {.resume = true});
    EXPECT_EQ(outcome.kept, 15);
    EXPECT_EQ(outcome.done, 1);
    EXPECT_EQ(hashes(), before);
    EXPECT_EQ(io::InputFile(member / "output.nc").read("siu").values.size(), 480u);
  }
}

TEST_F(AlteredFiles, AWholeFolderOfAnotherRunIsNotBelieved) {
  auto const other = study / "members/fp32-deterministic/eps-2p-7/m02";
  fs::copy(other, member, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::string reason;
  EXPECT_EQ(state_of(member_id, &reason), RunState::planned);
  EXPECT_NE(reason.find("is of another run (its id was"), std::string::npos) << reason;
}

TEST_F(AlteredFiles, AShareChecksItsOwnRunsAlone) {
  put(member / "output.nc", "");
  auto manifest = read_manifest(study);
  auto position = 0;
  while (manifest.entries[static_cast<std::size_t>(position)].run.id != member_id) ++position;
  refresh_states(study, manifest, nullptr, {(position + 1) % 16, 16});
  EXPECT_EQ(manifest.entries[static_cast<std::size_t>(position)].state, RunState::done) << "as stored";
  refresh_states(study, manifest, nullptr, {position, 16});
  EXPECT_EQ(manifest.entries[static_cast<std::size_t>(position)].state, RunState::planned);
}

TEST_F(AlteredFiles, AnEditedCaseIsRefusedButForItsTolerances) {
  auto const planned = read_text(study / "case.toml");
  put(study / "case.toml", planned + "verify.siu.rmse = 1.0\n");
  EXPECT_EQ(refusal([&] { write_results(study); }), "");
  EXPECT_EQ(refusal([&] { run_study(source, plan, study, {.resume = true}); }), "");
  auto edited = planned;
  auto const place = edited.find("toy.forcing = ");
  ASSERT_NE(place, std::string::npos) << planned;
  edited.replace(place, edited.find('\n', place) - place, "toy.forcing = 7.25");
  put(study / "case.toml", edited);
  for (auto const& message : {refusal([&] { write_results(study); }),
                              refusal([&] { run_study(source, plan, study, {.resume = true}); })}) {
    EXPECT_EQ(message.find((study / "case.toml").string() + ":"), 0u) << message;
    EXPECT_NE(message.find("toy.forcing: is the number 7.25, was the number "), std::string::npos) << message;
  }
}

TEST_F(AlteredFiles, RestartsThatMakeNoSenseAreRefusedThoughSealed) {
  auto const path = member / "restart.nc";
  io::StoredState const state{io::RestartFile{path}};
  std::vector<std::pair<std::int64_t, double>> const senseless = {
      {3, 720}, {12, 719}, {std::int64_t{1} << 62, 720}};
  for (auto const& [step, time] : senseless) {
    auto other = state;
    other.header().step = step;
    other.header().time = time;
    io::write_restart(folder / "other.nc", other, {});
    RunRequest request{source, {.policy = "fp32"}, folder / "b"};
    request.restart = folder / "other.nc";
    request.until = 1440;
    auto const message = refusal([&] { run(request); });
    EXPECT_NE(message.find("other.nc: makes no sense (step " + std::to_string(step)), std::string::npos)
        << message;
  }
}

}  // namespace
}  // namespace ulpine::ensembles
