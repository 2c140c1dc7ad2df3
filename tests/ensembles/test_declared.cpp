// SPDX-License-Identifier: Apache-2.0
// A study whose statistics, curves and gates are declared by the case and by a program of one's own, from the
// runs to junit.xml.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "ensembles/runs/files.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "verification/evaluators/evaluator.hpp"

namespace ulpine::ensembles {
namespace {

/// Two statistics of one evaluation: how many values exceed a limit, and their share.
class Exceedance final : public verification::Evaluator {
 public:
  explicit Exceedance(verification::EvaluationKeys const& keys)
      : field_{keys.required_text("field")}, limit_{keys.number("limit", 0)} {}
  std::vector<std::string> fields() const override { return {field_}; }
  std::vector<verification::StatisticDescription> describe_statistics(
      verification::FrameLayout const&) const override {
    return {{"number", "cells above", "1", 1}, {"share", "share of cells above", "1", 0}};
  }
  std::vector<double> statistics(verification::Frame const& frame,
                                 verification::FrameLayout const&) const override {
    auto const& values = frame.at(field_);
    auto const count = std::ranges::count_if(values, [&](double x) { return x > limit_; });
    return {static_cast<double>(count), static_cast<double>(count) / static_cast<double>(values.size())};
  }

 private:
  std::string field_;
  double limit_;
};

std::string declared_case() {
  auto text = test::toy_case();
  text.replace(text.find("\"toy\""), 5, "\"plain_toy\"");
  return text +
         "[evaluate.mean_height]\nkind = \"mean\"\nfield = \"sivol\"\n"
         "[evaluate.high]\nkind = \"exceedance\"\nfield = \"sivol\"\nlimit = 0.3\n"
         "[evaluate.rows]\nkind = \"profile\"\nfield = \"siu\"\naxis = \"y\"\n"
         "[verify.mean_height.difference]\nlimit = 1e-30\ntime = \"all\"\nruns = [\"fp32\"]\n"
         "[verify.high]\nnumber_difference = 480\n"
         "[verify.rows]\nl2_relative = 1\n"
         "[verify.ice_volume]\ndrift = 1\n"
         "[figure.rows]\nkind = \"curve\"\ncurve = \"rows\"\n";
}

class DeclaredStudy : public testing::Test {
 protected:
  DeclaredStudy() {
    verification::register_evaluator(
        {"exceedance",
         "cells above a limit",
         [](verification::EvaluationKeys const& keys) -> std::unique_ptr<verification::Evaluator> {
           return std::make_unique<Exceedance>(keys);
         },
         {},
         {"number", "share"}});
    options.members = 8;
    options.epsilons = {"2^-3"};
    options.assemblies = {"deterministic"};
  }
  StudyOptions options = test::toy_study();
  test::TemporaryFolder folder;
};

TEST_F(DeclaredStudy, IsJudgedFromItsOutputToItsReports) {
  CaseSource const source{folder.write("case.toml", declared_case())};
  run_study(source, make_plan(options), folder / "study", {});
  auto const results = write_results(folder / "study", {.threads = 2});

  // By hand from the output: cells of one size, none of them outside but one of the mask.
  auto const output = folder / "study/runs/fp32-deterministic/output.nc";
  auto const values = io::InputFile(output).read("sivol").values;
  auto const& run = *results.find_run("fp32/deterministic");
  auto const outside = 3 * 24 + 3;
  auto const mean = (std::accumulate(values.begin(), values.end(), 0.0) - values[outside]) / (24 * 20 - 1);
  EXPECT_NEAR(run.statistics.at("mean_height"), mean, 480 * 2.3e-16 * std::abs(mean));
  auto const high = std::ranges::count_if(values, [](double x) { return x > 0.3; });
  EXPECT_EQ(run.statistics.at("high_number"), static_cast<double>(high));
  EXPECT_EQ(run.series->statistics.at("high_share").back(), static_cast<double>(high) / 480);
  EXPECT_EQ(run.curves.at("rows").y.size(), 20u);
  EXPECT_EQ(run.curves.at("rows").x.at(1), 6000) << "the coordinate";

  ASSERT_EQ(results.statistics.size(), 3u);
  ASSERT_EQ(results.ensembles.size(), 2u);
  EXPECT_EQ(results.ensembles[0].statistics.size(), 3u);
  EXPECT_GT(results.ensembles[0].statistics.at("mean_height").sd, 0);
  EXPECT_EQ(results.ensembles[0].curves.at("rows").sd.size(), 20u);
  EXPECT_EQ(results.ensembles[0].controls.size(), 3u);

  // Single precision never gives the mean to 1e-30, and the other gates cannot fail.
  ASSERT_EQ(results.gates.size(), 4u);
  for (auto const& gate : results.gates) {
    EXPECT_EQ(gate.passed, gate.name != "mean_height.difference") << gate.name;
    EXPECT_TRUE(gate.skipped.empty()) << gate.name << gate.skipped;
  }
  ASSERT_EQ(results.verdicts.size(), 1u);
  auto const& evidence = results.verdicts[0].evidence;
  for (auto const* subject : {"mean_height", "high_number", "high_share"}) {
    EXPECT_TRUE(std::ranges::any_of(evidence, [&](auto const& item) {
      return item.kind == "statistic" && item.subject == subject && item.pairs == 8;
    })) << subject;
  }
  EXPECT_EQ(results.answer, verification::Answer::different);

  auto const json = nlohmann::json::parse(read_text(folder / "study/results.json"));
  EXPECT_EQ(json["evaluations"][0]["kind"], "exceedance");
  EXPECT_EQ(json["evaluations"][0]["limit"], 0.3);
  EXPECT_EQ(json["runs"][0]["high"]["number"], json["runs"][0]["statistics"]["high_number"]);
  EXPECT_EQ(json["figures"][0]["units"], "m s-1");
  EXPECT_FALSE(json["runs"][0].contains("lkf"));
  EXPECT_NE(read_text(folder / "study/junit.xml").find("mean_height.difference"), std::string::npos);
  EXPECT_NE(read_text(folder / "study/summary.md").find("mean_height.difference"), std::string::npos);
}

TEST_F(DeclaredStudy, OfAFieldThatTheModelLacksIsRefusedBeforeItRuns) {
  CaseSource const source{
      folder.write("case.toml", declared_case() + "[evaluate.more]\nkind = \"mean\"\nfield = \"sivil\"\n")};
  try {
    run_study(source, make_plan(options), folder / "study", {});
    FAIL();
  } catch (InputError const& error) {
    std::string const message = error.what();
    EXPECT_NE(message.find("evaluate.more.field: unknown field 'sivil'"), std::string::npos) << message;
    EXPECT_NE(message.find("did you mean 'sivol'"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "study/runs"));
}

TEST_F(DeclaredStudy, UnderTheNameOfAFieldIsRefusedBeforeItRuns) {
  CaseSource const source{
      folder.write("case.toml", declared_case() + "[evaluate.sivol]\nkind = \"mean\"\nfield = \"sivol\"\n")};
  try {
    run_study(source, make_plan(options), folder / "study", {});
    FAIL();
  } catch (InputError const& error) {
    std::string const message = error.what();
    EXPECT_NE(message.find("'sivol' is the name of something else"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "study/runs"));
}

}  // namespace
}  // namespace ulpine::ensembles
