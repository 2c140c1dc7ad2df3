// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "core/exec/device.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/hash_log.hpp"
#include "io/netcdf.hpp"
#include "io/restart.hpp"
#include "io/trace_file.hpp"

namespace ulpine::ensembles {
namespace {

class Run : public testing::Test {
 protected:
  RunRequest request(std::string const& name) {
    RunRequest request{{folder.write("case.toml", test::toy_case())}, {}, folder / name};
    return request;
  }
  std::string bytes(std::filesystem::path const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  test::TemporaryFolder folder;
};

TEST_F(Run, WritesTheStartEveryIntervalAndTheEnd) {
  auto wanted = request("a");
  wanted.until = 11 * 60;
  auto const record = run(wanted);
  io::InputFile const output(folder / "a/output.nc");
  EXPECT_EQ(output.times("siu"), (std::vector<double>{0, 240, 480, 660}));
  EXPECT_EQ(record.steps, 11);
  EXPECT_EQ(record.end_s, 660);
}

TEST_F(Run, StepsThatVaryEndAtTheTimesOfOutput) {
  auto wanted = request("a");
  wanted.source.overrides = {"toy.adaptive=true"};
  // Of 66, 72 and 60 s in turn none ends at 240, 480 or 720 s by itself: three are cut short.
  auto const record = run(wanted);
  EXPECT_EQ(io::InputFile(folder / "a/output.nc").times("siu"), (std::vector<double>{0, 240, 480, 720}));
  EXPECT_EQ(record.end_s, 720);
  EXPECT_EQ(record.steps, 12);
}

TEST_F(Run, EndsAsTheModelItself) {
  auto const record = run(request("a"));
  auto const case_file = CaseSource{folder / "case.toml"}.load();
  auto const model = make_model(case_file, {});
  model->advance(12);
  EXPECT_EQ(record.hash, io::hex(model->state_hash()));
  std::vector<double> siu(24 * 20);
  model->read("siu", siu);
  EXPECT_EQ(io::InputFile(folder / "a/output.nc").read("siu").values, siu);
}

TEST_F(Run, SparesThreadsThatHaveNoCellsWorthWaitingFor) {
  // 480 cells, and 48 x 64 = 3 x 1024.
  auto const threads = [&](std::string const& name, bool spare, std::vector<std::string> overrides) {
    auto wanted = request(name);
    wanted.options.threads = 4;
    wanted.spare_threads = spare;
    wanted.source.overrides = std::move(overrides);
    auto const record = run(wanted);
    auto const found =
        std::ranges::find(record.provenance, "threads", &std::pair<std::string, std::string>::first);
    return found == record.provenance.end() ? "" : found->second + " " + record.hash;
  };
  auto const few = threads("a", true, {});
  EXPECT_EQ(few.substr(0, 2), "1 ");
  EXPECT_EQ(threads("b", false, {}), "4" + few.substr(1));
  EXPECT_EQ(threads("c", true, {"grid.nx=48", "grid.ny=64"}).substr(0, 2), "3 ");
  EXPECT_EQ(threads("d", true, {"grid.nx=80", "grid.ny=64"}).substr(0, 2), "4 ");
}

TEST_F(Run, RecordIsReadBackAsWritten) {
  auto wanted = request("a");
  wanted.id = "fp64/deterministic/eps=2^-23/m03";
  wanted.epsilon = std::ldexp(1.0, -23);
  wanted.member = 3;
  wanted.perturbations = {{"sivol", {1, 3, *wanted.epsilon}}};
  auto const record = run(wanted);
  auto const read = read_run(folder / "a/run.json");
  EXPECT_EQ(read.id, wanted.id);
  EXPECT_EQ(read.epsilon, wanted.epsilon);
  EXPECT_EQ(read.member, 3);
  EXPECT_EQ(read.core, "toy");
  EXPECT_EQ(read.case_name, "two waves");
  EXPECT_EQ(read.hash, record.hash);
  EXPECT_EQ(read.case_hash, record.case_hash);
  EXPECT_EQ(read.steps, 12);
  EXPECT_EQ(read.cells, 480);
  EXPECT_EQ(read.memory_bytes, 480 * (4 * 8 + 8 + 1 + 8 + 8)) << "state, shear, mask, area and scratch";
  EXPECT_GT(read.peak_rss_bytes, 1 << 20);
  EXPECT_EQ(read.wall_s, record.wall_s);
  ASSERT_EQ(read.stages.size(), 3u);
  EXPECT_EQ(read.stages[0].name, "toy.momentum");
  EXPECT_EQ(read.stages[0].launches, 2 * 2 * 12) << "two sweeps in each of two sub-steps";
  EXPECT_EQ(read.stages[1].launches, 2 * 12);
  ASSERT_EQ(read.initial.size(), 1u);
  EXPECT_EQ(read.initial[0].value, record.initial[0].value);
  EXPECT_EQ(read.final[0].value, record.final[0].value);
  EXPECT_FALSE(read.failed);
  EXPECT_EQ(read.provenance, record.provenance);
}

TEST_F(Run, InterruptedAndRestartedEndsWithTheBitsOfAnUndisturbedRun) {
  for (auto const* policy : {"fp64", "fp32", "tf32"}) {
    auto whole = request("whole");
    whole.options.policy = policy;
    auto const undisturbed = run(whole);

    std::atomic<bool> cancel{false};
    auto first = request("parts");
    first.options.policy = policy;
    first.cancel = &cancel;
    std::filesystem::remove_all(first.folder);
    first.progress = [&](RunProgress const&) { cancel = true; };  // within the first steps
    auto const interrupted = run(first);
    EXPECT_TRUE(interrupted.interrupted);
    EXPECT_GT(interrupted.steps, 0);
    EXPECT_LT(interrupted.steps, 12);
    EXPECT_FALSE(std::filesystem::exists(first.folder / "run.json"));

    auto second = request("parts");
    second.options.policy = policy;
    second.restart = first.folder / "restart.nc";
    auto const finished = run(second);
    EXPECT_EQ(interrupted.steps + finished.steps, 12);
    EXPECT_EQ(finished.hash, undisturbed.hash) << policy;
    EXPECT_TRUE(std::filesystem::exists(first.folder / "output-1.nc")) << "the first part's output is kept";
    io::StoredState const end{io::RestartFile{whole.folder / "restart.nc"}},
        same{io::RestartFile{first.folder / "restart.nc"}};
    ASSERT_EQ(end.header().arrays, same.header().arrays);
    for (std::size_t i = 0; i < end.header().arrays.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(end.bytes(i), same.bytes(i))) << end.header().arrays[i].name;
    }
  }
}

TEST_F(Run, BlowUpIsAnErrorThatTheRecordNames) {
  folder.write("case.toml", test::toy_case() + "[toy]\nblow_up_policy = \"fp32\"\nblow_up_step = 6\n");
  for (auto const trap : {false, true}) {
    RunRequest wanted{{folder / "case.toml"}, {}, folder / (trap ? "trap" : "plain")};
    wanted.options.policy = "fp32";
    wanted.trap_nonfinite = trap;
    EXPECT_THROW(run(wanted), RunFailed);
    auto const record = read_run(wanted.folder / "run.json");
    ASSERT_TRUE(record.failed);
    EXPECT_EQ(record.steps, trap ? 6 : 8) << "found in the step itself or at the next output";
    EXPECT_NE(record.failed->find("step " + std::to_string(record.steps)), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(wanted.folder / "restart.nc"));
    EXPECT_EQ(io::InputFile(wanted.folder / "output.nc").times("siu"), (std::vector<double>{0, 240}));
  }
}

TEST_F(Run, AFiniteValueOutsideTheRangeOfItsFieldIsABlowUp) {
  folder.write("case.toml", test::toy_case() + "[toy]\nblow_up_policy = \"fp32\"\nblow_up_step = 7\n");
  auto const failure = [&](std::string const& value, bool trap) {
    RunRequest wanted{{folder / "case.toml", {"toy.blow_up_value=" + value}}, {}, folder / "out"};
    wanted.options.policy = "fp32";
    wanted.trap_nonfinite = trap;
    auto const words = test::message_of<RunFailed>([&] { run(wanted); });
    EXPECT_FALSE(std::filesystem::exists(wanted.folder / "restart.nc"));
    EXPECT_NE(words.find(read_run(wanted.folder / "run.json").failed.value_or("none")), std::string::npos);
    return words;
  };
  auto const place = std::string(": siu (0, 5) = 2500000 m s-1 is outside -1e+06 to 1e+06");
  EXPECT_NE(failure("2500000", true).find("invalid after step 7 (420 s)" + place + " ("), std::string::npos);
  // The outputs are after steps 4 and 8: which step it was is not known then.
  auto const later = failure("1e30", false);
  EXPECT_NE(later.find("invalid after step 8 (480 s): siu (0, "), std::string::npos) << later;
  EXPECT_NE(later.find("one of steps 5 to 8 made it so"), std::string::npos) << later;
  RunRequest fine{{folder / "case.toml", {"toy.blow_up_value=-1e6", "toy.still=true"}}, {}, folder / "fine"};
  fine.options.policy = "fp32";
  EXPECT_FALSE(run(fine).failed) << "the ends belong to the range";
}

TEST_F(Run, WhoseStepFailsHasARecordAndItsOutputUpToThere) {
  auto const look = [&](std::string const& name, std::string const& reason, double end, auto const& attempt) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(attempt());
    auto const record = read_run(folder / name / "run.json");
    EXPECT_NE(record.failed.value_or("").find(reason), std::string::npos) << record.failed.value_or("none");
    EXPECT_EQ(record.steps, 5);
    EXPECT_EQ(record.end_s, end) << "s, at the end of the last whole step";
    EXPECT_EQ(io::InputFile(folder / name / "output.nc").times("sivol"), (std::vector<double>{0, 240}));
    EXPECT_FALSE(std::filesystem::exists(folder / name / "restart.nc"));
  };
  auto wanted = request("unsolved");
  wanted.source.overrides = {"toy.unsolved_policy=fp64", "toy.unsolved_step=6"};
  wanted.checkpoints = 2;
  look("unsolved", "was not solved", 300, [&] {
    auto const words = test::message_of<RunFailed>([&] { run(wanted); });
    return words.ends_with("see " + (folder / "unsolved/run.json").string());
  });
  EXPECT_EQ(io::read_hash_log(folder / "unsolved/checkpoints/hashes.bin").last(), 5)
      << "no step is in it that failed";
  wanted = request("stuck");
  wanted.source.overrides = {"toy.stuck_step=6", "toy.adaptive=true"};
  look("stuck", "took no time", 312,
       [&] { return !test::message_of<InputError>([&] { run(wanted); }).empty(); });
}

TEST_F(Run, BlowUpInTheStepOfAnInterruptIsABlowUp) {
  folder.write("case.toml", test::toy_case() + "[toy]\nblow_up_policy = \"fp32\"\nblow_up_step = 1\n");
  std::atomic<bool> const cancel{true};
  RunRequest wanted{{folder / "case.toml"}, {}, folder / "both"};
  wanted.options.policy = "fp32";
  wanted.trap_nonfinite = true;
  wanted.cancel = &cancel;
  EXPECT_THROW(run(wanted), RunFailed);
  EXPECT_TRUE(read_run(wanted.folder / "run.json").failed);
}

TEST_F(Run, NoiseDependsOnSeedMemberAndAmplitudeOnly) {
  auto const hash_of = [&](std::uint64_t seed, std::uint32_t member, double amplitude, int threads) {
    auto wanted = request("noise");
    wanted.options.threads = threads;
    wanted.perturbations = {{"sivol", {seed, member, amplitude}}, {"siconc", {seed, member, amplitude}}};
    return run(wanted).hash;
  };
  auto const hash = hash_of(1, 0, 1e-3, 1);
  EXPECT_EQ(hash, hash_of(1, 0, 1e-3, 1));
  EXPECT_EQ(hash, hash_of(1, 0, 1e-3, 2));
  EXPECT_NE(hash, hash_of(2, 0, 1e-3, 1));
  EXPECT_NE(hash, hash_of(1, 1, 1e-3, 1));
  EXPECT_NE(hash, hash_of(1, 0, 2e-3, 1));
  EXPECT_EQ(hash_of(1, 0, 0, 1), run(request("plain")).hash);
}

TEST_F(Run, TracingChangesNoBit) {
  auto traced = request("traced");
  traced.trace = true;
  auto const hash = run(traced).hash;
  EXPECT_EQ(hash, run(request("plain")).hash);
  auto const trace = io::read_trace(folder / "traced/trace.bin");
  EXPECT_EQ(trace.records.size(), 12u * 6);
  EXPECT_EQ(trace.header.stages, (std::vector<io::TraceEntry>{{"toy.momentum"}, {"toy.transport"}}));
  EXPECT_EQ(trace.records.back().position, (std::vector<io::LoopIndex>{{"step", 12}}));
}

TEST_F(Run, TimesThatAreNoWholeStepsAreRefused) {
  auto wanted = request("a");
  wanted.until = 90;
  EXPECT_THROW(run(wanted), InputError);
  wanted.until = {};
  wanted.source.overrides = {"output.interval=\"100 s\""};
  EXPECT_THROW(run(wanted), InputError);
  wanted.source.overrides = {"output.interval=\"1e-15 s\""};
  EXPECT_NE(test::message_of<InputError>([&] { run(wanted); }).find("output.interval: is less than 1e-9 s"),
            std::string::npos);
  EXPECT_EQ(whole_steps(3 * 0.1, 0.1, "x"), 3) << "decimal times are no multiples in binary";
  EXPECT_EQ(whole_steps(0, 60, "x"), 0);
  EXPECT_THROW(whole_steps(-60, 60, "x"), InputError);
  EXPECT_THROW(whole_steps(std::nan(""), 60, "x"), InputError);
}

TEST_F(Run, RestartsOfAnotherCaseOrPolicyAreRefused) {
  run(request("a"));
  auto wanted = request("b");
  wanted.restart = folder / "a/restart.nc";
  wanted.source.overrides = {"toy.forcing=9"};
  for (auto const convert : {false, true}) {
    wanted.convert_restart = convert;
    auto const other = test::message_of<InputError>([&] { run(wanted); });
    EXPECT_TRUE(other.starts_with((folder / "a/restart.nc").string() + ": is the restart of another case"))
        << other;
  }
  wanted.convert_restart = false;
  wanted.source.overrides = {"time.end=\"20 min\"", "output.interval=\"10 min\""};
  EXPECT_EQ(run(wanted).steps, 8) << "another end and other output are the same case";
  wanted.options.policy = "fp32";
  auto const refusal = test::message_of<InputError>([&] { run(wanted); });
  EXPECT_TRUE(refusal.starts_with((folder / "a/restart.nc").string() + ": ")) << refusal;
  wanted.convert_restart = true;
  EXPECT_EQ(run(wanted).steps, 8);
}

TEST_F(Run, MissingEndAndUnknownKeysAreNamed) {
  folder.write("case.toml", "core = \"toy\"\n[time]\nstep = \"60 s\"\n");
  RunRequest wanted{{folder / "case.toml"}, {}, folder / "a"};
  try {
    run(wanted);
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("time.end"), std::string::npos) << error.what();
  }
  wanted.until = 60;
  EXPECT_EQ(run(wanted).steps, 1);
  wanted.source.overrides = {"grid.nxx=3"};
  EXPECT_THROW(run(wanted), InputError);
  wanted.source.overrides = {"lkf.parameters=\"dog51\""};
  EXPECT_THROW(run(wanted), InputError);
  wanted.source.overrides = {"core=\"toi\""};
  try {
    run(wanted);
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'toy'"), std::string::npos) << error.what();
  }
}

TEST_F(Run, OfANewStartLeavesNoFileOfTheEarlierRun) {
  auto earlier = request("a");
  earlier.trace = true;
  earlier.checkpoints = 4;
  run(earlier);
  auto later = request("a");
  later.options.policy = "fp32";
  auto const hash = run(later).hash;
  std::set<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder / "a")) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"output.nc", "restart.nc", "run.json"}));
  EXPECT_EQ(read_run(folder / "a/run.json").hash, hash);
  EXPECT_EQ(output_problem(folder / "a", read_run(folder / "a/run.json")), std::nullopt);
}

/// Every file below the folder with its bytes.
std::map<std::string, std::string> contents(std::filesystem::path const& folder) {
  std::map<std::string, std::string> found;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    found[entry.path().lexically_relative(folder).string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return found;
}

TEST_F(Run, ThatCannotStartLeavesTheEarlierRunAsItWas) {
  auto earlier = request("a");
  earlier.trace = true;
  earlier.checkpoints = 4;
  run(earlier);
  auto const before = contents(folder / "a");
  ASSERT_GE(before.size(), 6u);
  auto const refused = [&](void (*change)(RunRequest&)) {
    auto wanted = request("a");
    wanted.trace = true;
    wanted.checkpoints = 4;
    change(wanted);
    try {
      run(wanted);
      return false;
    } catch (std::runtime_error const&) {
      return contents(folder / "a") == before;
    }
  };
  EXPECT_TRUE(refused([](RunRequest& wanted) { wanted.source.overrides = {"grid.nx=-1"}; }));
  EXPECT_TRUE(refused([](RunRequest& wanted) { wanted.options.policy = "fp63"; }));
  EXPECT_TRUE(refused([](RunRequest& wanted) { wanted.options.device = "cuda:9"; }));
  EXPECT_TRUE(refused([](RunRequest& wanted) { wanted.until = 90; }));
  EXPECT_TRUE(refused([](RunRequest& wanted) { wanted.restart = "absent.nc"; }));
  EXPECT_TRUE(refused([](RunRequest& wanted) { wanted.perturbations = {{"absent", {1, 0, 1e-3}}}; }));
}

TEST_F(Run, GoingOnKeepsTheFilesOfTheEarlierPartUnderANumber) {
  auto first = request("a");
  first.trace = true;
  first.checkpoints = 4;
  first.until = 240;
  run(first);
  auto const before = contents(folder / "a");
  auto second = request("a");
  second.restart = folder / "a/restart.nc";
  run(second);
  auto const after = contents(folder / "a");
  for (auto const& [old, name] : {std::pair{"output.nc", "output-1.nc"},
                                  {"run.json", "run-1.json"},
                                  {"trace.bin", "trace-1.bin"},
                                  {"checkpoints/hashes.bin", "checkpoints-1/hashes.bin"}}) {
    ASSERT_TRUE(after.contains(name)) << name;
    EXPECT_EQ(after.at(name), before.at(old));
  }
  EXPECT_FALSE(after.contains("trace.bin")) << "the second part wrote none";
  EXPECT_FALSE(after.contains("checkpoints/hashes.bin"));
  EXPECT_FALSE(after.contains("restart-1.nc"))
      << "the command that goes on from restart.nc can be given again";
  // A new run beside them could be taken for a part.
  auto const refusal = test::message_of<InputError>([&] { run(request("a")); });
  EXPECT_NE(refusal.find("output-1.nc"), std::string::npos) << refusal;
  EXPECT_EQ(contents(folder / "a"), after);
}

TEST_F(Run, IsRefusedAmongTheResultsOfAStudy) {
  for (auto const* name : {"manifest.json", "search.json", "digits.json"}) {
    auto wanted = request(std::string("of-") + name);
    std::filesystem::create_directories(wanted.folder);
    std::ofstream(wanted.folder / name) << "{}";
    auto const refusal = test::message_of<InputError>([&] { run(wanted); });
    EXPECT_NE(refusal.find(name), std::string::npos) << refusal;
    EXPECT_FALSE(std::filesystem::exists(wanted.folder / "output.nc"));
  }
}

TEST_F(Run, OfACoreWhoseStatisticHasTheNameOfAFieldIsRefused) {
  auto text = test::toy_case();
  text.replace(text.find("toy"), 3, "doubled_toy");
  RunRequest const wanted{{folder.write("doubled.toml", text)}, {}, folder / "a"};
  auto const refusal = test::message_of<InputError>([&] { run(wanted); });
  EXPECT_TRUE(
      refusal.starts_with("core 'doubled_toy' has a field and an evaluation [evaluate.sivol] of one name"))
      << refusal;
}

TEST(Registry, NamesWhatIsMissing) {
  auto const case_file = io::CaseFile::parse(test::toy_case(), "toy.toml");
  EXPECT_THROW(make_model(case_file, {.policy = "fp63"}), InputError);
  EXPECT_THROW(make_model(case_file, {.threads = 0}), InputError);
  EXPECT_THROW(make_model(case_file, {.device = "gpu"}), InputError);
  EXPECT_THROW(make_model(case_file, {.device = "cuda:x"}), InputError);
  EXPECT_THROW(make_model(case_file, {.device = "cuda:", .block = 256}), InputError);
  EXPECT_THROW(make_model(case_file, {.device = "cuda", .block = 100}), InputError);
  EXPECT_THROW(make_model(case_file, {.device = "cuda:" + std::to_string(devices().size())}),
               EnvironmentError);
}

}  // namespace
}  // namespace ulpine::ensembles
