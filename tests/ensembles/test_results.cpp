// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "ensembles/runs/errors.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/cases.hpp"
#include "ensembles/study/controls.hpp"
#include "ensembles/study/manifest.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "ensembles/written_run.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/lkf/orientations.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// A study of two policies and two members each on 2 x 2 cells and two times, its files written by hand.
class TinyStudy : public testing::Test {
 protected:
  void SetUp() override {
    StudyOptions options;
    options.policies = {"fp64", "fp32"};
    options.assemblies = {"deterministic"};
    options.epsilons = {"2^-7"};
    options.members = 2;
    options.perturb = {"sivol"};
    manifest.plan = make_plan(options);
    manifest.core = "plain_toy";
    manifest.case_name = "tiny";
    manifest.case_text = case_text("0.1");
    manifest.case_hash = "00000000000000aa";
    for (auto const& run : manifest.plan.runs) manifest.entries.push_back({run});
    write_manifest(folder.path(), manifest);
    folder.write("case.toml", manifest.case_text);
    write_run("fp64/deterministic", {1, 2, 3, 4});
    write_run("fp32/deterministic", {1, 2, 3, 5});
    write_run("fp64/deterministic/eps=2^-7/m00", {1, 2, 3, 4.5});
    write_run("fp64/deterministic/eps=2^-7/m01", {1, 2, 3, 3});
    write_run("fp32/deterministic/eps=2^-7/m00", {1, 2, 3, 5});
    write_run("fp32/deterministic/eps=2^-7/m01", {1, 2, 5, 5});
  }

  static std::string case_text(std::string const& limit) {
    return "core = \"plain_toy\"\nname = \"tiny\"\ntime.end = \"60 s\"\n[verify.sivol]\nl2_relative = " +
           limit + "\nrmse = 0.6\n";
  }

  fs::path folder_of(std::string const& id) const {
    for (auto const& entry : manifest.entries) {
      if (entry.run.id == id) return folder.path() / entry.run.path;
    }
    throw std::out_of_range(id);
  }

  void write_run(std::string const& id, std::vector<double> const& last) {
    auto const path = folder_of(id);
    fs::create_directories(path);
    io::FieldInfo sivol;
    sivol.name = "sivol", sivol.units = "m", sivol.dimensions = {"y", "x"}, sivol.shape = {2, 2};
    io::OutputFile output(path / "output.nc", "tiny", {}, {sivol}, {}, io::build_provenance(), "");
    output.begin_time(0);
    output.write("sivol", io::slabs_of(std::vector<double>{1, 1, 1, 1}));
    output.finish_time();
    output.begin_time(60);
    output.write("sivol", io::slabs_of(last));
    output.finish_time();
    output.close();
    auto const hash = id == "fp64/deterministic" ? "0123456789abcdef" : "fedcba9876543210";
    auto const entry = std::find_if(manifest.entries.begin(), manifest.entries.end(),
                                    [&](ManifestEntry const& candidate) { return candidate.run.id == id; });
    test::write_run_record(folder.path(), manifest, entry->run, hash, 60, last[3] + 6);
  }

  test::TemporaryFolder folder;
  Manifest manifest;
};

TEST_F(TinyStudy, MetricsAgreeWithHandCalculation) {
  auto const results = compute_results(folder.path());
  ASSERT_EQ(results.runs.size(), 6u);
  auto const& run = *results.find_run("fp32/deterministic");
  auto const metric = [&](char const* name) { return run.metrics.at("sivol").at(name).number(); };
  EXPECT_DOUBLE_EQ(metric("l2_relative"), 1 / std::sqrt(30.0));
  EXPECT_EQ(metric("linf"), 1);
  EXPECT_EQ(metric("rmse"), 0.5);
  EXPECT_EQ(metric("bias"), 0.25);
  ASSERT_TRUE(run.series);
  EXPECT_EQ(run.series->time_s, (std::vector<double>{0, 60}));
  EXPECT_EQ(run.series->fields.at("sivol").linf, (std::vector<double>{0, 1}));
  EXPECT_DOUBLE_EQ(run.series->fields.at("sivol").l2_relative[1], 1 / std::sqrt(30.0));
  EXPECT_EQ(run.integrals.at("ice_volume").final, 11);
  EXPECT_EQ(run.cells, 4);
  EXPECT_EQ(run.path, "runs/fp32-deterministic");
  EXPECT_TRUE(run.statistics.empty()) << "nothing is declared";
  EXPECT_EQ(results.find_run("fp64/deterministic")->metrics.at("sivol").at("l2_relative").number(), 0);
}

TEST_F(TinyStudy, EnsembleStatisticsAgreeWithHandCalculation) {
  auto const results = compute_results(folder.path(), {.threads = 3});
  ASSERT_EQ(results.ensembles.size(), 2u);
  auto const& reference = results.ensembles[0];
  EXPECT_EQ(reference.policy, "fp64");
  EXPECT_EQ(reference.members, 2);
  EXPECT_EQ(reference.epsilon_text, "2^-7");
  // Errors 0.5 and 1 over |(1, 2, 3, 4)| = sqrt(30).
  EXPECT_DOUBLE_EQ(reference.spread.at("sivol").l2_relative_mean, 0.75 / std::sqrt(30.0));
  EXPECT_DOUBLE_EQ(reference.spread.at("sivol").l2_relative_sd, 0.25 * std::sqrt(2.0) / std::sqrt(30.0));
  auto const& single = results.ensembles[1];
  EXPECT_DOUBLE_EQ(single.spread.at("sivol").l2_relative_mean, (1 + std::sqrt(5.0)) / 2 / std::sqrt(30.0));
  // Growth is against fp32's own unperturbed run (1, 2, 3, 5): errors 0 and 2 over sqrt(39).
  ASSERT_TRUE(single.growth);
  auto const& growth = single.growth->fields.at("sivol");
  EXPECT_EQ(single.growth->time_s, (std::vector<double>{0, 60}));
  EXPECT_EQ(growth.mean[0], 0);
  EXPECT_DOUBLE_EQ(growth.mean[1], 1 / std::sqrt(39.0));
  EXPECT_DOUBLE_EQ(growth.sd[1], std::sqrt(2.0) / std::sqrt(39.0));
}

TEST_F(TinyStudy, GatesJudgeUnperturbedRunsOnly) {
  auto const results = compute_results(folder.path());
  ASSERT_EQ(results.gates.size(), 2u);
  for (auto const& gate : results.gates) {
    EXPECT_EQ(gate.run, "fp32/deterministic");
    EXPECT_EQ(gate.passed, gate.name == "sivol.rmse") << gate.name;
  }
  EXPECT_EQ(results.answer, verification::Answer::different);
  EXPECT_TRUE(results.notes.empty());
}

TEST_F(TinyStudy, LoosenedToleranceIsNoted) {
  folder.write("case.toml", case_text("0.3"));
  auto const results = compute_results(folder.path());
  EXPECT_EQ(results.answer, verification::Answer::undecided) << "gates passed, but there is no test";
  EXPECT_FALSE(results.passed());
  ASSERT_EQ(results.notes.size(), 1u);
  EXPECT_EQ(results.notes[0], "tolerance sivol.l2_relative = 0.3 was 0.1 when the study was planned");
}

TEST_F(TinyStudy, ToleranceThatNoLongerHoldsForARunIsNoted) {
  folder.write("case.toml",
               "core = \"plain_toy\"\nname = \"tiny\"\ntime.end = \"60 s\"\n[verify.sivol]\nrmse = 0.6\n"
               "l2_relative = {limit = 0.1, runs = [\"mixed\", \"fp32\"]}\n");
  EXPECT_EQ(compute_results(folder.path()).notes,
            (std::vector<std::string>{
                "tolerance sivol.l2_relative = 0.1 for mixed, fp32 was 0.1 when the study was planned"}));
}

TEST_F(TinyStudy, EqualHashesOfDifferentPoliciesAreNoGroup) {
  auto const entry =
      std::find_if(manifest.entries.begin(), manifest.entries.end(),
                   [](ManifestEntry const& candidate) { return candidate.run.id == "fp32/deterministic"; });
  test::write_run_record(folder.path(), manifest, entry->run, "0123456789abcdef", 60, 11);
  auto const results = compute_results(folder.path());
  ASSERT_EQ(results.bitwise.size(), 2u);
  EXPECT_EQ(results.bitwise[0].runs, (std::vector<std::string>{"fp64/deterministic"}));
  EXPECT_EQ(results.bitwise[1].runs, (std::vector<std::string>{"fp32/deterministic"}));
}

TEST_F(TinyStudy, InWhichNothingHappensHasNoVerdict) {
  folder.write("case.toml", case_text("0.3"));
  // With the reference's hash, which makes a configuration equal, whatever else.
  auto const write = [&](std::string const& id, std::vector<double> const& last) {
    write_run(id, last);
    auto const entry = std::find_if(manifest.entries.begin(), manifest.entries.end(),
                                    [&](ManifestEntry const& candidate) { return candidate.run.id == id; });
    test::write_run_record(folder.path(), manifest, entry->run, "0123456789abcdef", 60, last[3] + 6);
  };
  write("fp64/deterministic", {1, 1, 1, 1});
  write("fp32/deterministic", {1, 1, 1, 1});
  auto const still = compute_results(folder.path());
  EXPECT_EQ(still.answer, verification::Answer::undecided);
  EXPECT_FALSE(still.passed());
  ASSERT_EQ(still.verdicts.size(), 1u);
  EXPECT_EQ(still.verdicts[0].answer, verification::Answer::undecided);
  EXPECT_EQ(still.verdicts[0].evidence.back().reason.find("nothing happened"), 0u);
  EXPECT_NE(still.verdicts[0].would_decide.find("a case in which something happens"), std::string::npos);
  EXPECT_EQ(still.would_decide, still.verdicts[0].would_decide);
  EXPECT_NE(still.notes.back().find("nothing happened"), std::string::npos);

  // One value of one run that changes by its last bit is something.
  auto const moved = 1 + 0x1p-52;
  write("fp64/deterministic", {1, 1, 1, moved});
  write("fp32/deterministic", {1, 1, 1, moved});
  auto const moving = compute_results(folder.path());
  EXPECT_EQ(moving.verdicts[0].answer, verification::Answer::equal);
  EXPECT_EQ(moving.answer, verification::Answer::equal);
  write("fp32/deterministic", {1, 1, 1, 1});
  EXPECT_EQ(compute_results(folder.path()).verdicts[0].answer, verification::Answer::equal);

  // A reference at rest and a run that is not: what is judged is what moves.
  write("fp64/deterministic", {1, 1, 1, 1});
  write("fp32/deterministic", {1, 1, 1, moved});
  auto const judged = compute_results(folder.path());
  EXPECT_TRUE(std::ranges::none_of(judged.verdicts[0].evidence, [](auto const& item) {
    return item.reason.starts_with("nothing happened");
  }));
}

TEST_F(TinyStudy, RunsThatHaveNotBeenDoneLeaveItUndecidedAndAreNotAveraged) {
  folder.write("case.toml", case_text("0.3"));
  fs::remove(folder_of("fp32/deterministic/eps=2^-7/m01") / "run.json");
  auto results = compute_results(folder.path(), {.program = "mine"});
  EXPECT_EQ(results.answer, verification::Answer::undecided);
  EXPECT_EQ(results.find_run("fp32/deterministic/eps=2^-7/m01"), nullptr);
  EXPECT_EQ(results.runs.size(), 5u);
  EXPECT_EQ(results.missing.runs, 1);
  EXPECT_EQ(results.missing.of, 6);
  auto const path = folder.path().string();
  EXPECT_EQ(results.missing.command, "mine ensemble " + path + "/case.toml -o " + path +
                                         " --policies fp64,fp32 --assemblies deterministic --epsilons 2^-7 "
                                         "--members 2 --perturb sivol --resume");
  EXPECT_TRUE(results.would_decide.starts_with("1 of 6 runs have not been done, which `mine ensemble "))
      << results.would_decide;
  EXPECT_EQ(results.ensembles[1].members, 1);
  EXPECT_DOUBLE_EQ(results.ensembles[1].spread.at("sivol").l2_relative_mean, 1 / std::sqrt(30.0));
  for (auto const& gate : results.gates) EXPECT_TRUE(gate.passed) << gate.run;

  // Neither the first member nor the unperturbed run hides the ensemble of the others.
  write_run("fp32/deterministic/eps=2^-7/m01", {1, 2, 5, 5});
  fs::remove(folder_of("fp32/deterministic/eps=2^-7/m00") / "run.json");
  fs::remove(folder_of("fp32/deterministic") / "run.json");
  results = compute_results(folder.path());
  EXPECT_EQ(results.missing.runs, 2);
  EXPECT_TRUE(results.gates.empty()) << "there is nothing to hold a tolerance against";
  EXPECT_EQ(results.answer, verification::Answer::undecided);
  ASSERT_EQ(results.ensembles.size(), 2u);
  EXPECT_EQ(results.ensembles[1].policy, "fp32");
  EXPECT_EQ(results.ensembles[1].members, 1);
  EXPECT_FALSE(results.ensembles[1].growth) << "without the run that it has grown from";

  // A member whose files are of something else is no missing one.
  fs::resize_file(folder_of("fp32/deterministic/eps=2^-7/m01") / "output.nc", 900);
  results = compute_results(folder.path());
  EXPECT_EQ(results.missing.runs, 2);
  EXPECT_EQ(results.answer, verification::Answer::different);
}

TEST_F(TinyStudy, TruncatedOutputFailsThatRunOnly) {
  fs::resize_file(folder_of("fp32/deterministic") / "output.nc", 900);
  auto const results = compute_results(folder.path());
  EXPECT_EQ(results.answer, verification::Answer::different);
  EXPECT_TRUE(results.find_run("fp32/deterministic")->failed);
  EXPECT_FALSE(results.find_run("fp64/deterministic")->failed);
  for (auto const& gate : results.gates) EXPECT_FALSE(gate.passed);
}

TEST_F(TinyStudy, MissingReferenceIsAnErrorThatSaysWhatToDo) {
  fs::remove(folder_of("fp64/deterministic") / "run.json");
  try {
    compute_results(folder.path());
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("--resume"), std::string::npos);
  }
  EXPECT_THROW(compute_results(folder / "nothing"), InputError);
}

TEST_F(TinyStudy, FilesAreWrittenAndReadBack) {
  auto const results = write_results(folder.path());
  auto const json = nlohmann::json::parse(read_text(folder / "results.json"));
  EXPECT_EQ(json["schema"], "ulpine.results/1");
  EXPECT_EQ(json["passed"], results.passed());
  EXPECT_EQ(json["runs"].size(), 6u);
  EXPECT_NE(read_text(folder / "junit.xml").find("sivol.l2_relative"), std::string::npos);
  EXPECT_EQ(json["answer"], "different");
  EXPECT_NE(read_text(folder / "summary.md").find("**different**: 1 different"), std::string::npos);
}

/// The toy model on a grid large enough for features.
class ShearStudy : public testing::Test {
 protected:
  ShearStudy() {
    auto options = test::toy_study();
    options.assemblies = {"deterministic"};
    CaseSource const source{folder.write("case.toml", test::toy_case()), {"grid.nx=40", "grid.ny=36"}};
    run_study(source, make_plan(options), folder / "study", {});
  }
  /// At the last time, in day-1.
  std::vector<double> framed_shear(std::string const& run) {
    auto shear = io::InputFile(folder / "study/runs" / run / "output.nc").read("shear").values;
    constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
    for (int j = 0; j < 36; ++j) {
      for (int i = 0; i < 40; ++i) {
        auto& value = shear[static_cast<std::size_t>(j * 40 + i)];
        auto const frame = i < 2 || j < 2 || i >= 38 || j >= 34;
        auto const land = i == 3 && j == 3;
        value = frame || land ? nan : value * 86400;
      }
    }
    return shear;
  }
  test::TemporaryFolder folder;
};

TEST_F(ShearStudy, FeaturesAreThoseOfTheDetectorOnTheFramedField) {
  auto const results = compute_results(folder / "study");
  auto const shear = framed_shear("fp32-deterministic");
  auto const expected =
      lkf::summarise(lkf::detect({36, 40, shear}, lkf::named_parameters("dog15"), lkf::Rules::repaired), 4.0);
  ASSERT_GT(expected.count, 0);
  auto const& run = *results.find_run("fp32/deterministic");
  EXPECT_EQ(run.statistics.at("lkf_count"), static_cast<double>(expected.count));
  EXPECT_EQ(run.statistics.at("lkf_total_length_km"), expected.total_length_km.value());
  auto const& series = run.series->statistics.at("lkf_count");
  EXPECT_EQ(series.back(), static_cast<double>(expected.count));
  EXPECT_EQ(series.size(), run.series->time_s.size());
}

TEST_F(ShearStudy, TellsWhatFeaturesOweToTheOrientationOfTheReferencesGrid) {
  auto const results = compute_results(folder / "study");
  auto const shear = framed_shear("fp64-deterministic");
  auto const expected =
      lkf::over_orientations({36, 40, shear}, lkf::named_parameters("dog15"), lkf::Rules::repaired, 4.0);
  ASSERT_GT(expected.total_length_km.value().width(), 0);
  for (auto const& statistic : results.statistics) {
    auto const is_count = statistic.name == "lkf_count";
    auto const width = is_count ? double(expected.count.width()) : expected.total_length_km->width();
    EXPECT_EQ(statistic.orientation_spread, width) << statistic.name;
    auto const told = std::ranges::count_if(results.notes, [&](std::string const& note) {
      return note.starts_with(statistic.name + " of the reference differs by ");
    });
    EXPECT_EQ(told, width > 0 ? 1 : 0);
  }
}

TEST_F(ShearStudy, SpectraControlsTestsAndSpeedsAreThere) {
  auto const results = compute_results(folder / "study", {.threads = 2});
  auto const& run = *results.find_run("fp32/deterministic");
  auto const& spectrum = run.curves.at("shear_spectrum");
  EXPECT_EQ(results.curves.at(0).long_name, "power spectral density of log10(shear)");
  EXPECT_EQ(spectrum.x.size(), 20u) << "1 to L/2 for L = 40";
  EXPECT_DOUBLE_EQ(spectrum.x[0], 1 / (40 * 4000.0));
  EXPECT_TRUE(run.metrics.contains("speed(siu,siv)"));
  ASSERT_EQ(results.ensembles.size(), 4u);
  for (auto const& ensemble : results.ensembles) {
    EXPECT_EQ(ensemble.members, 3);
    EXPECT_EQ(ensemble.statistics.size(), 2u);
    EXPECT_EQ(ensemble.controls.size(), 2u);
    EXPECT_TRUE(ensemble.curves.contains("shear_spectrum"));
    ASSERT_TRUE(ensemble.growth);
    EXPECT_GT(ensemble.growth->fields.at("sivol").mean[0], 0) << "the noise itself, at the start";
  }
  // Noise of 2^-7 in thickness is 2^16 times that of 2^-23, but for the chance of 3 x 480 numbers each: 1.7 %
  // is the standard deviation of the ratio.
  auto const start = [&](std::size_t i) { return results.ensembles[i].growth->fields.at("sivol").mean[0]; };
  EXPECT_NEAR(start(1) / start(0) / 65536, 1, 0.08);
  ASSERT_EQ(results.controls.size(), 2u);
  EXPECT_EQ(results.controls[1].policy, "fp32");
  EXPECT_EQ(results.controls[1].noise, std::ldexp(1.0, -24));
  // The toy's noise moves no feature, and three members are too few for statistics.
  ASSERT_EQ(results.statistics.size(), 2u);
  EXPECT_EQ(results.statistics[0].resolution, 1);
  EXPECT_EQ(results.statistics[1].resolution, 4) << "one cell, in km";
  ASSERT_EQ(results.verdicts.size(), 1u);
  // Errors can be judged by three members, of the one field that the noise reaches.
  auto const& evidence = results.verdicts[0].evidence;
  auto const thickness = std::find_if(evidence.begin(), evidence.end(),
                                      [](auto const& item) { return item.subject == "sivol"; });
  ASSERT_NE(thickness, evidence.end());
  EXPECT_EQ(*thickness->answer, verification::Answer::equivalent);
  EXPECT_EQ(results.verdicts[0].answer, verification::Answer::undecided);
  EXPECT_EQ(results.verdicts[0].would_decide,
            "a gate on shear; a gate on siu; a gate on siv; a gate on speed(siu,siv); at least 8 members");
}

TEST_F(ShearStudy, ResultsDependNeitherOnThreadsNorOnTheOrderOfWork) {
  auto const one = verification::to_json(compute_results(folder / "study", {.threads = 1}));
  auto const three = verification::to_json(compute_results(folder / "study", {.threads = 3}));
  EXPECT_EQ(one, three);
}

TEST(DetectorControl, NoiseIsTheRoundoffOfEachPolicysCoarsestFormat) {
  test::TemporaryFolder const folder;
  auto options = test::toy_study();
  options.policies = {"fp64", "fp32", "mixed", "tf32", "bf16", "fp16"};
  options.assemblies = {"deterministic"};
  options.epsilons = {"2^-7"};
  options.members = 1;
  CaseSource const source{folder.write("case.toml", test::toy_case())};
  run_study(source, make_plan(options), folder / "study", {});
  auto const results = compute_results(folder / "study");
  std::map<std::string, double> noise;
  for (auto const& control : results.controls) noise[control.policy] = control.noise;
  // Half the distance from 1 to the next number: TF32 and binary16 store 10 bits of the significand,
  // bfloat16 stores 7.
  EXPECT_EQ(noise, (std::map<std::string, double>{{"fp64", std::numeric_limits<double>::epsilon() / 2},
                                                  {"fp32", std::numeric_limits<float>::epsilon() / 2},
                                                  {"mixed", std::numeric_limits<float>::epsilon() / 2},
                                                  {"tf32", 1.0 / 2048},
                                                  {"fp16", 1.0 / 2048},
                                                  {"bf16", 1.0 / 256}}));
}

TEST(Errors, AgreeWithTheExactlySummedMetrics) {
  std::minstd_rand random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t const count : {1, 7, 1000}) {
    std::vector<double> test(count), reference(count), weights(count);
    for (std::size_t i = 0; i < count; ++i) {
      reference[i] = uniform(random), test[i] = reference[i] + 1e-6 * uniform(random),
      weights[i] = 1.5 + uniform(random);
      if (i % 5 == 3) test[i] = reference[i] = nan;
    }
    for (auto const& w : {std::vector<double>{}, weights}) {
      auto const metrics = verification::compute_metrics(test, reference, w);
      auto const errors = errors_of(test, reference, w);
      EXPECT_NEAR(errors.l2_relative / metrics["l2_relative"].number(), 1, 1e-12);
      EXPECT_EQ(errors.linf, metrics["linf"].number());
    }
  }
  std::vector<double> const one = {1}, two = {2}, zero = {0}, missing = {nan}, infinite = {INFINITY};
  EXPECT_EQ(errors_of(zero, zero, {}).l2_relative, 0);
  EXPECT_TRUE(std::isnan(errors_of(one, zero, {}).l2_relative));
  EXPECT_EQ(errors_of(one, zero, {}).linf, 1);
  for (auto const& bad : {missing, infinite}) {
    EXPECT_TRUE(std::isnan(errors_of(bad, one, {}).l2_relative) && std::isnan(errors_of(bad, one, {}).linf));
    EXPECT_TRUE(std::isnan(errors_of(one, bad, {}).l2_relative) && std::isnan(errors_of(one, bad, {}).linf));
  }
  EXPECT_TRUE(std::isnan(errors_of(one, std::vector<double>{1, 2}, {}).linf));
  EXPECT_EQ(errors_of(two, one, {}).l2_relative, 1);
}

TEST(Noise, IsBoundedRelativeAndReproducible) {
  std::vector<double> const shear = {1, 2, 0, 4};
  auto const a = noisy(shear, 0.5, 7, 3, "lkf");
  EXPECT_EQ(a, noisy(shear, 0.5, 7, 3, "lkf"));
  EXPECT_NE(a, noisy(shear, 0.5, 7, 4, "lkf"));
  EXPECT_NE(a, noisy(shear, 0.5, 8, 3, "lkf"));
  EXPECT_NE(a, noisy(shear, 0.5, 7, 3, "other"));
  EXPECT_EQ(noisy(shear, 0, 7, 3, "lkf"), shear);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LE(std::abs(a[i] - shear[i]), 0.5 * shear[i]);
}

TEST(Cases, AreListedWithTheirDescription) {
  test::TemporaryFolder folder;
  fs::create_directories(folder / "toy");
  folder.write("toy/waves.toml", "core = \"toy\"\ndescription = \"two waves\"\n");
  folder.write("toy/a_part.toml", "core = \"toy\"\n");
  folder.write("toy/notes.txt", "no case");
  auto const cases = shipped_cases(folder.path());
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].name, "waves");
  EXPECT_EQ(cases[0].core, "toy");
  EXPECT_EQ(cases[0].description, "two waves");
  EXPECT_TRUE(shipped_cases(folder / "nothing").empty());

  // A broken one does not hide the others.
  folder.write("toy/broken.toml", "core = \"toy\ndescription = \"cut\"\n");
  auto const some = shipped_cases(folder.path());
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].name, "broken");
  EXPECT_NE(some[0].problem.find("broken.toml:1: not valid TOML"), std::string::npos) << some[0].problem;
  EXPECT_EQ(some[1].name, "waves");
  EXPECT_EQ(some[1].problem, "");
}

}  // namespace
}  // namespace ulpine::ensembles
