// SPDX-License-Identifier: Apache-2.0
// The run in quad that a study's reference is held against, and what is made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ensembles/runs/run.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/metrics/metrics.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// Studies of a toy that can run in quad: 12 min, outputs every 4.
class ReferenceErrorStudy : public testing::Test {
 protected:
  CaseSource source(std::string const& more = "quad = true\n") {
    return {folder.write("case.toml", test::toy_case() + "[toy]\n" + more)};
  }

  static StudyOptions options() {
    auto options = test::toy_study();
    options.epsilons = {"2^-7"};
    options.members = 1;
    options.quad_until.reset();
    return options;
  }

  std::vector<PlannedRun> planned(StudyOptions const& options, CaseSource const& from) {
    fs::remove_all(folder / "planned");
    std::vector<PlannedRun> runs;
    manifest = prepare_study(from, make_plan(options), folder / "planned", false);
    for (auto const& entry : manifest.entries) runs.push_back(entry.run);
    return runs;
  }

  std::string refusal(StudyOptions const& options, CaseSource const& from) {
    try {
      planned(options, from);
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  }

  static bool has_note(verification::StudyResults const& results, std::string const& words) {
    return std::any_of(results.notes.begin(), results.notes.end(),
                       [&](std::string const& note) { return note.find(words) != std::string::npos; });
  }

  test::TemporaryFolder folder;
  Manifest manifest;
};

TEST_F(ReferenceErrorStudy, RunsInQuadUntilTheFirstOutputByItself) {
  auto const runs = planned(options(), source());
  ASSERT_EQ(runs.size(), 7u);
  EXPECT_EQ(runs.back().id, "quad/deterministic");
  EXPECT_EQ(runs.back().path, "runs/quad-deterministic");
  EXPECT_EQ(runs.back().configuration, parse_configuration("cpu/quad/deterministic"));
  EXPECT_EQ(runs.back().until, 240);
  EXPECT_EQ(runs.back().seed, 0u);
  EXPECT_EQ(manifest.quad_note, "");
  auto const plain = make_plan(options());
  for (std::size_t i = 0; i < plain.runs.size(); ++i) EXPECT_EQ(runs[i].id, plain.runs[i].id) << "as without";

  auto asked = options();
  asked.until = 120;
  EXPECT_EQ(planned(asked, source()).back().until, 120) << "the end, where that comes first";
  asked = options();
  asked.quad_until = 480;
  EXPECT_EQ(planned(asked, source()).back().until, 480);
  asked.quad_until = 0;
  EXPECT_EQ(planned(asked, source()).size(), 6u);
  EXPECT_EQ(manifest.quad_note, "");
  asked = options();
  asked.devices = {"cuda"};
  EXPECT_EQ(planned(asked, source()).back().configuration, parse_configuration("cpu/quad/deterministic"))
      << "a GPU has no such numbers";
  asked.devices = {"cpu", "cuda"};
  EXPECT_EQ(planned(asked, source()).back().id, "cpu/quad/deterministic");
}

TEST_F(ReferenceErrorStudy, SaysWhyThereIsNone) {
  EXPECT_EQ(planned(options(), source("quad = false\n")).size(), 6u);
  EXPECT_NE(manifest.quad_note.find("is not known (the toy model has no policy quad)"), std::string::npos)
      << manifest.quad_note;
  auto asked = options();
  asked.reference = "quad";
  for (auto const& run : planned(asked, source())) EXPECT_FALSE(run.until) << run.id;
  EXPECT_NE(manifest.quad_note.find("it is in quad"), std::string::npos);
  // A million cells, 42,000 steps: weeks, which need not be measured.
  planned(options(),
          CaseSource{source().path,
                     {"grid.nx=1000", "grid.ny=1000", "output.interval=\"700 h\"", "time.end=\"700 h\""}});
  EXPECT_FALSE(manifest.entries.back().run.until);
  EXPECT_NE(manifest.quad_note.find("would take more than 37 h 55 min"), std::string::npos)
      << manifest.quad_note;
  EXPECT_NE(manifest.quad_note.find("--quad-until \"2520000 s\" asks for it"), std::string::npos)
      << manifest.quad_note;
  // 40,000 cells, 500 steps: 65 s if a step of a cell took 5 ns, which it does not.
  planned(options(),
          CaseSource{source().path,
                     {"grid.nx=200", "grid.ny=200", "output.interval=\"30000 s\"", "time.end=\"30000 s\""}});
  EXPECT_FALSE(manifest.entries.back().run.until);
  EXPECT_EQ(manifest.quad_note.find("more than"), std::string::npos) << manifest.quad_note;
  EXPECT_NE(manifest.quad_note.find("--quad-until \"30000 s\" asks for it"), std::string::npos)
      << manifest.quad_note;
}

TEST_F(ReferenceErrorStudy, RefusesEndsThatAreNoneOfItsOutputs) {
  for (double const until : {60., 239., 780.}) {
    auto asked = options();
    asked.quad_until = until;
    EXPECT_NE(refusal(asked, source()).find("--quad-until"), std::string::npos) << until;
  }
  auto asked = options();
  asked.quad_until = 240;
  EXPECT_NE(refusal(asked, source("quad = false\n")).find("no policy quad"), std::string::npos);
}

TEST_F(ReferenceErrorStudy, IsTheDifferenceOfTheFilesAtTheirCommonTimes) {
  auto const study = folder / "study";
  auto asked = options();
  asked.quad_until = 600;  // between outputs
  EXPECT_EQ(run_study(source(), make_plan(asked), study, {}).done, 7);
  auto const results = write_results(study);
  auto const read = verification::read_results(study / "results.json");
  for (auto const* one : {&results, &read}) {
    ASSERT_TRUE(one->reference_error);
    EXPECT_EQ(one->reference_error->configuration, "quad/deterministic");
    EXPECT_EQ(one->reference_error->time_s, (std::vector<double>{0, 240, 480}));
    EXPECT_EQ(one->find_run("quad/deterministic"), nullptr) << "not judged";
    EXPECT_EQ(one->runs.size(), 6u);
    for (auto const& verdict : one->verdicts)
      EXPECT_EQ(verdict.configuration.find("quad"), std::string::npos);
  }
  io::InputFile const reference(study / "runs/fp64-deterministic/output.nc"),
      wider(study / "runs/quad-deterministic/output.nc");
  for (auto const* field : {"siu", "sivol", "shear"}) {
    auto const& errors = read.reference_error->fields.at(field);
    ASSERT_EQ(errors.l2_relative.size(), 3u);
    for (int time = 0; time < 3; ++time) {
      auto const metrics = verification::compute_metrics(
          reference.read(field, time).values, wider.read(field, time).values, reference.weights(field));
      auto const expected = metrics["l2_relative"].number();
      EXPECT_NEAR(errors.l2_relative.at(std::size_t(time)), expected, 1e-12 * expected) << field << time;
    }
  }
  // fp64 is wrong by roundings of 2^-53 that grow in a chaotic flow, and fp32 by far more.
  auto const own = read.reference_error->fields.at("siu").l2_relative;
  EXPECT_GT(own[2], 1e-17);
  EXPECT_LT(own[2], 1e-12);
  EXPECT_GT(read.find_run("fp32/deterministic")->series->fields.at("siu").l2_relative[2], 1e3 * own[2]);
}

TEST_F(ReferenceErrorStudy, TakesAQuadThatIsAmongTheStudysRuns) {
  auto asked = options();
  asked.policies = {"fp64", "quad"};
  asked.assemblies = {"deterministic"};
  asked.members_for = {"fp64"};
  auto const study = folder / "study";
  EXPECT_EQ(run_study(source(), make_plan(asked), study, {}).done, 3);
  auto const results = compute_results(study);
  ASSERT_TRUE(results.reference_error);
  EXPECT_EQ(results.reference_error->time_s, (std::vector<double>{0, 240, 480, 720}));
  auto const& judged = *results.find_run("quad/deterministic");
  auto const error = judged.series->fields.at("siu").l2_relative.back();
  EXPECT_NEAR(results.reference_error->fields.at("siu").l2_relative.back(), error, 1e-9 * error)
      << "but for whose norm it is in parts of";
}

TEST_F(ReferenceErrorStudy, IsAPlannedRunLikeTheOthers) {
  auto const study = folder / "study";
  auto const case_source = source();
  auto const plan = make_plan(options());
  prepare_study(case_source, plan, study, false);
  auto done = 0;
  for (int i = 0; i < 6; ++i) {
    done += run_study(case_source, plan, study, {.resume = true, .only = Share{i, 7}}).done;
  }
  EXPECT_EQ(done, 6);
  auto results = compute_results(study);
  EXPECT_EQ(results.missing.runs, 1);
  EXPECT_FALSE(results.reference_error);
  EXPECT_EQ(run_study(case_source, plan, study, {.resume = true, .only = Share{6, 7}}).done, 1);
  results = compute_results(study);
  EXPECT_EQ(results.missing.runs, 0);
  EXPECT_TRUE(results.reference_error);
  EXPECT_EQ(run_study(case_source, plan, study, {.resume = true}).kept, 7);

  // What was decided stays so where nothing is said, and is refused where it is said otherwise.
  auto asked = options();
  asked.quad_until = 0;
  try {
    prepare_study(case_source, make_plan(asked), study, true);
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("--quad-until was 240 s, now 0 s"), std::string::npos)
        << error.what();
  }
  prepare_study(case_source, make_plan(asked), folder / "without", false);
  EXPECT_EQ(prepare_study(case_source, plan, folder / "without", true).entries.size(), 6u);
  auto const of_study = read_manifest(study).plan.options;
  EXPECT_NE(resume_command("ulpine", study, of_study).find("--quad-until '240 s'"), std::string::npos)
      << resume_command("ulpine", study, of_study);

  // A record that ends elsewhere is of another run.
  fs::copy(study / "runs/fp64-deterministic/run.json", study / "runs/quad-deterministic/run.json",
           fs::copy_options::overwrite_existing);
  EXPECT_EQ(run_study(case_source, plan, study, {.resume = true}).done, 1);
}

TEST_F(ReferenceErrorStudy, FailsWhereItsRunFails) {
  auto const study = folder / "study";
  auto const outcome = run_study(source("quad = true\nblow_up_policy = \"quad\"\nblow_up_step = 2\n"),
                                 make_plan(options()), study, {});
  EXPECT_EQ(outcome.failed, 1);
  auto const results = compute_results(study);
  EXPECT_FALSE(results.reference_error);
  auto const gate = std::find_if(results.gates.begin(), results.gates.end(),
                                 [](auto const& candidate) { return candidate.run == "quad/deterministic"; });
  ASSERT_NE(gate, results.gates.end());
  EXPECT_NE(gate->reason.find("is NaN"), std::string::npos);
  EXPECT_FALSE(results.passed());
}

TEST_F(ReferenceErrorStudy, NoteIsInTheResults) {
  auto const study = folder / "study";
  run_study(source("quad = false\n"), make_plan(options()), study, {});
  EXPECT_TRUE(has_note(compute_results(study), "the toy model has no policy quad"));
}

}  // namespace
}  // namespace ulpine::ensembles
