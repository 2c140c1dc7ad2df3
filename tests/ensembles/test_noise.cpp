// SPDX-License-Identifier: Apache-2.0
// The noise of a study's members, and the control ensemble, which is the reference with other noise.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "ensembles/runs/run.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

class StudyNoise : public testing::Test {
 protected:
  CaseSource source() { return {folder.write("case.toml", test::toy_case())}; }

  static std::map<std::string, std::string> hashes(fs::path const& study) {
    std::map<std::string, std::string> list;
    for (auto const& entry : read_manifest(study).entries) list[entry.run.id] = entry.hash;
    return list;
  }

  test::TemporaryFolder folder;
};

TEST_F(StudyNoise, IsTheSameForEveryPolicyAndDiffersAmongMembersAndAmplitudes) {
  auto options = test::toy_study();
  options.control = true;
  run_study(source(), make_plan(options), folder / "study", {});
  auto const start = [&](std::string const& path) {
    return io::InputFile(folder / "study/members" / path / "output.nc").read("sivol", 0).values;
  };
  auto const double_start = start("fp64-deterministic/eps-2p-7/m01");
  auto const single_start = start("fp32-deterministic/eps-2p-7/m01");
  auto const plain =
      io::InputFile(folder / "study/runs/fp64-deterministic/output.nc").read("sivol", 0).values;
  auto largest = 0.0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    auto const noise = double_start[i] - plain[i];
    largest = std::max(largest, std::abs(noise));
    EXPECT_NEAR(single_start[i], double_start[i], 1e-7);
  }
  EXPECT_LE(largest, 1.0 / 128);
  EXPECT_GT(largest, 0.9 / 128);

  // Patterns, in parts of their amplitude: 480 independent numbers correlate by 0.046, so that 0.25 is
  // reached for a chance of 1e-7 in all.
  std::map<std::string, std::vector<double>> patterns;
  for (std::string const ensemble : {"fp64-deterministic", "control"}) {
    for (std::string const epsilon : {"23", "7"}) {
      for (std::string const member : {"m00", "m01", "m02"}) {
        auto& pattern = patterns[ensemble + " 2^-" + epsilon + " " + member];
        pattern = start(ensemble + "/eps-2p-" + epsilon + "/" + member);
        for (std::size_t i = 0; i < pattern.size(); ++i) {
          pattern[i] = (pattern[i] - plain[i]) * std::ldexp(1, std::stoi(epsilon));
        }
      }
    }
  }
  ASSERT_EQ(patterns.size(), 12u);
  auto const product = [](std::vector<double> const& a, std::vector<double> const& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  for (auto const& [name, pattern] : patterns) {
    EXPECT_GT(product(pattern, pattern) / static_cast<double>(pattern.size()), 0.2) << "a third on average";
    for (auto const& [other_name, other] : patterns) {
      if (name != other_name) {
        EXPECT_LT(std::abs(product(pattern, other)),
                  0.25 * std::sqrt(product(pattern, pattern) * product(other, other)))
            << name << ", " << other_name;
      }
    }
  }
}

TEST_F(StudyNoise, IsNoOtherBesideMoreAmplitudesAndAControl) {
  auto options = test::toy_study();
  options.epsilons = {"2^-7"};
  run_study(source(), make_plan(options), folder / "one", {});
  options.epsilons = {"2^-23", "2^-7", "2^-10"};
  options.control = true;
  run_study(source(), make_plan(options), folder / "three", {});
  auto const more = hashes(folder / "three");
  for (auto const& [id, hash] : hashes(folder / "one")) EXPECT_EQ(more.at(id), hash) << id;
}

TEST_F(StudyNoise, IsRepeatedFromTheRecordOfTheRun) {
  auto options = test::toy_study();
  options.control = true;
  run_study(source(), make_plan(options), folder / "study", {});
  for (auto const& entry : read_manifest(folder / "study").entries) {
    auto const record = read_run(folder / "study" / entry.run.path / "run.json");
    EXPECT_EQ(record.seed, entry.run.seed) << entry.run.id;
    if (!entry.run.epsilon) continue;
    // All that the model was told.
    auto const model = make_model(
        CaseSource{folder / "study/case.toml"}.load(),
        model_options(parse_configuration(record.policy + "/" + record.assembly, entry.run.configuration)));
    for (auto const& field : record.perturbed) {
      model->perturb(field,
                     {record.seed, static_cast<std::uint32_t>(*record.member), record.epsilon.value()});
    }
    auto const start =
        io::InputFile(folder / "study" / entry.run.path / "output.nc").read("siconc", 0).values;
    std::vector<double> again(start.size());
    model->read("siconc", 0, static_cast<std::int64_t>(again.size()), ValueType::float64, again.data());
    auto const land = std::size_t{3 * 24 + 3};
    again[land] = start[land];  // missing in the file
    for (std::size_t i = 0; i < start.size(); ++i) {
      ASSERT_EQ(again[i], start[i]) << entry.run.id;
    }
  }
}

TEST_F(StudyNoise, OfTheControlMakesAnEnsembleOfItsOwn) {
  auto options = test::toy_study();
  options.control = true;
  auto const study = folder / "study";
  EXPECT_EQ(run_study(source(), make_plan(options), study, {}).done, 16 + 6);
  auto const results = write_results(study);
  auto const read = verification::read_results(study / "results.json");
  auto ensembles = 0;
  for (auto const& ensemble : results.ensembles) {
    if (ensemble.configuration != "control") continue;
    ++ensembles;
    EXPECT_EQ(ensemble.policy, "fp64");
    EXPECT_EQ(ensemble.members, 3);
    EXPECT_EQ(ensemble.statistics.size(), results.statistics.size());
    // It grows away from the reference: its growth is its members' error against it.
    double error = 0;
    for (auto const* number : {"m00", "m01", "m02"}) {
      auto const* run = read.find_run("control/eps=" + ensemble.epsilon_text + "/" + number);
      ASSERT_NE(run, nullptr);
      EXPECT_TRUE(run->control);
      EXPECT_EQ(run->ensemble, "control");
      error += run->series->fields.at("sivol").l2_relative.back() / 3;
    }
    EXPECT_GT(error, 0);
    EXPECT_NEAR(ensemble.growth->fields.at("sivol").mean.back(), error, 1e-14 * error);
  }
  EXPECT_EQ(ensembles, 2);
  for (auto const& run : results.runs) EXPECT_EQ(run.control, run.id.starts_with("control/")) << run.id;

  options.control = false;
  try {
    prepare_study(source(), make_plan(options), study, true);
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("it has a control ensemble, now none was asked for"),
              std::string::npos)
        << error.what();
  }
  options.control = true;
  fs::remove(study / "members/control/eps-2p-7/m01/run.json");
  auto const again = run_study(source(), make_plan(options), study, {.resume = true});
  EXPECT_EQ(again.done, 1);
  EXPECT_EQ(again.kept, 21);
}

}  // namespace
}  // namespace ulpine::ensembles
