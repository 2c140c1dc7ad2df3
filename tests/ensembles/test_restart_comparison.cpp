// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ensembles/restart_comparison.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"

namespace ulpine::ensembles {
namespace {

class RestartComparison : public testing::Test {
 protected:
  RestartRequest request() {
    RestartRequest request{{folder.write("case.toml", test::toy_case())}, folder / "restart"};
    request.spinup = 300;
    request.until = 720;
    request.reference = parse_configuration("cpu/fp64/deterministic");
    request.tests = {parse_configuration("cpu/fp64/deterministic", {.threads = 2}),
                     parse_configuration("cpu/fp64/atomic"), parse_configuration("cpu/fp32/deterministic")};
    return request;
  }
  static verification::Metrics const& metrics_of(RestartTestResult const& test, std::string const& field) {
    for (auto const& variable : test.comparison.variables) {
      if (variable.name == field) return variable.metrics.back();
    }
    throw std::out_of_range(field);
  }
  test::TemporaryFolder folder;
};

TEST_F(RestartComparison, AllStartFromOneFileAndAreComparedAtTheEnd) {
  auto const result = compare_restarts(request());
  EXPECT_EQ(result.restart_exact, true);
  ASSERT_EQ(result.tests.size(), 3u);
  for (auto const* name : {"reference", "cpu-fp64-atomic", "cpu-fp32-deterministic"}) {
    auto const times = io::InputFile(folder / ("restart/" + std::string(name) + "/output.nc")).times("siu");
    EXPECT_EQ(times, (std::vector<double>{0, 180, 420}))
        << "from the restart at 300 s: outputs at 300, 480 and 720 s";
  }
  EXPECT_TRUE(result.tests[0].same_bits);
  EXPECT_TRUE(result.tests[0].comparison.equal());
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
  EXPECT_NE(table(result).find("failed"), std::string::npos);
}

TEST_F(RestartComparison, RefusesAnEndBeforeTheSpinUp) {
  auto wanted = request();
  wanted.until = 300;
  EXPECT_THROW(compare_restarts(wanted), InputError);
}

}  // namespace
}  // namespace ulpine::ensembles
