// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "ensembles/reproducibility/restart_comparison.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/slabs.hpp"

namespace ulpine::ensembles {
namespace {

class RestartComparison : public testing::Test {
 protected:
  RestartRequest request() {
    RestartRequest request{{folder.write("case.toml", test::toy_case())}, folder / "restart"};
    request.spinup = 300;
    request.until = 720;
    request.reference = parse_configuration("cpu/fp64/deterministic");
    request.tests = {parse_configuration("cpu:2/fp64/deterministic"), parse_configuration("cpu/fp64/atomic"),
                     parse_configuration("cpu/fp32/deterministic")};
    return request;
  }
  static verification::Metrics const& metrics_of(RestartTestResult const& test, std::string const& field) {
    for (auto const& variable : test.comparison.variables) {
      if (variable.name == field) return variable.times.back().metrics;
    }
    throw std::out_of_range(field);
  }
  test::TemporaryFolder folder;
};

TEST_F(RestartComparison, RestoresFieldsLongerThanThePiecesInWhichTheyAreRead) {
  CaseSource const source{folder.write("long.toml", test::toy_case()), {"grid.nx=2200", "grid.ny=2000"}};
  static_assert(2200 * 2000 * sizeof(double) > io::slab_bytes);
  auto const model = make_model(source.load(), {}), other = make_model(source.load(), {});
  model->perturb("siconc", {7, 1, 0.25});
  EXPECT_NE(other->state_hash(), model->state_hash());
  other->restore(*model->state());
  EXPECT_EQ(other->state_hash(), model->state_hash());
}

TEST_F(RestartComparison, AllStartFromOneFileAndAreComparedAtTheEnd) {
  auto const result = compare_restarts(request());
  EXPECT_TRUE(result.restart_exact);
  EXPECT_TRUE(result.passed()) << "other bits of other assemblies and policies are no failure";
  EXPECT_NE(table(result).find("The restart is exact"), std::string::npos);
  ASSERT_EQ(result.tests.size(), 3u);
  for (auto const* name : {"reference", "cpu-fp64-atomic", "cpu-fp32-deterministic"}) {
    auto const times = io::InputFile(folder / ("restart/" + std::string(name) + "/output.nc")).times("siu");
    EXPECT_EQ(times, (std::vector<double>{0, 180, 420}))
        << "from the restart at 300 s: outputs at 300, 480 and 720 s";
  }
  EXPECT_TRUE(result.tests[0].same_bits);
  EXPECT_EQ(result.tests[0].comparison.equal(), verification::Equality::yes);
  EXPECT_FALSE(result.tests[1].same_bits) << "another order of sums";
  EXPECT_FALSE(result.tests[2].same_bits);
  auto const atomic = metrics_of(result.tests[1], "siu")["l2_relative"].number();
  auto const single = metrics_of(result.tests[2], "siu")["l2_relative"].number();
  EXPECT_GT(atomic, 0);
  EXPECT_LT(atomic, 1e-11);
  EXPECT_GT(single, 1e-9) << "fp32 parts further";
  EXPECT_LT(single, 1e-3);
  EXPECT_GT(metrics_of(result.tests[2], "speed(siu,siv)")["l2_relative"].number(), 0);
}

TEST_F(RestartComparison, TellsThatNothingHappenedAfterTheSpinUp) {
  auto wanted = request();
  wanted.tests.resize(1);
  auto const moved = compare_restarts(wanted);
  EXPECT_FALSE(moved.unchanged);
  EXPECT_EQ(table(moved).find("Nothing happened"), std::string::npos);
  folder.write("case.toml", test::toy_case() + "[toy]\nstill = true\n");
  auto const still = compare_restarts(wanted);
  EXPECT_TRUE(still.unchanged);
  EXPECT_TRUE(still.restart_exact);
  EXPECT_NE(table(still).find("Nothing happened after the spin-up"), std::string::npos);
}

TEST_F(RestartComparison, ThreadsThatAreNotNamedAreSparedOnASmallGrid) {
  auto wanted = request();
  wanted.threads = 4;
  wanted.spare_threads = true;
  wanted.tests.resize(2);
  EXPECT_TRUE(compare_restarts(wanted).passed());
  auto const threads = [&](std::string const& name) {
    auto const provenance = read_run(folder / ("restart/" + name + "/run.json")).provenance;
    return std::ranges::find(provenance, "threads", &std::pair<std::string, std::string>::first)->second;
  };
  EXPECT_EQ(threads("reference"), "1");
  EXPECT_EQ(threads("cpu-2-fp64-deterministic"), "2");
  EXPECT_EQ(threads("cpu-fp64-atomic"), "1");
}

TEST_F(RestartComparison, FailedTestIsReportedAndTheOthersGoOn) {
  folder.write("case.toml", test::toy_case() + "[toy]\nblow_up_policy = \"fp32\"\nblow_up_step = 8\n");
  RestartRequest wanted{{folder / "case.toml"}, folder / "restart"};
  wanted.spinup = 300;
  wanted.until = 720;
  wanted.reference = parse_configuration("cpu/fp64/deterministic");
  wanted.tests = {parse_configuration("cpu/fp32/deterministic"),
                  parse_configuration("cpu/fp64/deterministic")};
  auto const result = compare_restarts(wanted);
  ASSERT_EQ(result.tests.size(), 2u);
  EXPECT_TRUE(result.tests[0].failed);
  EXPECT_FALSE(result.tests[0].same_bits);
  EXPECT_TRUE(result.tests[1].same_bits);
  EXPECT_FALSE(result.passed()) << "though the restart is exact";
  EXPECT_TRUE(result.restart_exact);
  EXPECT_NE(table(result).find("cpu/fp32/deterministic: failed: the state is invalid"), std::string::npos);
}

TEST_F(RestartComparison, InexactRestartFailsAndIsCalledSo) {
  auto wanted = request();
  folder.write("case.toml", test::toy_case() + "[toy]\nforgetful_restart = true\n");
  auto const result = compare_restarts(wanted);
  EXPECT_FALSE(result.restart_exact);
  EXPECT_TRUE(result.must_be_exact);
  EXPECT_FALSE(result.passed());
  EXPECT_NE(table(result).find("The restart is NOT exact"), std::string::npos) << table(result);
}

TEST_F(RestartComparison, AtomicReferenceNeedNotAgreeAndIsCalledSo) {
  for (auto const forgetful : {false, true}) {
    auto wanted = request();
    folder.write("case.toml", test::toy_case() + (forgetful ? "[toy]\nforgetful_restart = true\n" : ""));
    wanted.reference = parse_configuration("cpu/fp64/atomic");
    wanted.tests.resize(1);
    auto const result = compare_restarts(wanted);
    EXPECT_EQ(result.restart_exact, !forgetful) << "the toy's atomic sums have an order, only another one";
    EXPECT_FALSE(result.must_be_exact);
    EXPECT_TRUE(result.passed());
    auto const text = table(result);
    EXPECT_NE(text.find(forgetful ? "other bits with and without" : "the same bits with and without"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("need not agree"), std::string::npos) << text;
  }
}

TEST_F(RestartComparison, RefusesAnEndBeforeTheSpinUp) {
  auto wanted = request();
  wanted.until = 300;
  EXPECT_THROW(compare_restarts(wanted), InputError);
}

}  // namespace
}  // namespace ulpine::ensembles
