// SPDX-License-Identifier: Apache-2.0
// Evaluations that are means over time, in a study whose files are written by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ensembles/study/manifest.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/written_run.hpp"
#include "io/netcdf.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::ensembles {
namespace {

std::vector<double> const times = {0, 10, 20, 30};

/// h of two cells at an output: whole numbers, a run's own besides.
std::vector<double> height(double own, std::size_t time) {
  double const first[] = {100, 50, 2, 6}, second[] = {-7, 60, 4, 0};
  return {first[time] + own, second[time] + own};
}
double own_of(PlannedRun const& run) {
  return (run.configuration.policy == "fp32" ? 1 : 0) + (run.member ? 2 + 4 * *run.member : 0);
}

class TimeMeans : public testing::Test {
 protected:
  TimeMeans() {
    StudyOptions options;
    options.policies = {"fp64", "fp32"};
    options.assemblies = {"deterministic"};
    options.epsilons = {"2^-20"};
    options.members = 2;
    options.perturb = {"h"};
    manifest.plan = make_plan(options);
    manifest.core = "written";
    manifest.case_name = "heights";
    manifest.case_text =
        "core = \"written\"\nname = \"heights\"\ntime.end = \"30 s\"\n"
        "[evaluate.of_mean]\nkind = \"power\"\nfield = \"h\"\nmean_over = \"20 s\"\n"
        "[evaluate.of_values]\nkind = \"power\"\nfield = \"h\"\nmean_over = \"20 s\"\nmean_of = \"values\"\n"
        "[evaluate.from_known]\nkind = \"distance\"\nfield = \"h\"\nfrom = \"known\"\nmean_over = \"20 s\"\n"
        "[evaluate.row]\nkind = \"profile\"\nfield = \"h\"\naxis = \"x\"\nmean_over = \"20 s\"\n"
        "[verify.of_mean]\nmagnitude = 12.0\n[verify.of_values]\nmagnitude = 12.0\n";
    manifest.case_hash = "00000000000000aa";
    for (auto const& run : manifest.plan.runs) manifest.entries.push_back({run});
    write_manifest(folder.path(), manifest);
    folder.write("case.toml", manifest.case_text);
    for (auto const& run : manifest.plan.runs) write(run);
  }
  void write(PlannedRun const& run) {
    auto const path = folder.path() / run.path;
    std::filesystem::create_directories(path);
    auto const info = [](char const* name) {
      io::FieldInfo field;
      field.name = name, field.units = "m", field.dimensions = {"x"}, field.shape = {2};
      return field;
    };
    io::Coordinate x;
    x.name = "x", x.units = "m", x.axis = "X", x.values = {0, 1};
    io::OutputFile output(path / "output.nc", "written", {x}, {info("h")}, {info("known")},
                          io::build_provenance(), "");
    std::vector<double> const known = {3, 4};
    output.write_static("known", io::slabs_of(known));
    for (std::size_t time = 0; time < times.size(); ++time) {
      output.begin_time(times[time]);
      auto const values = height(own_of(run), time);
      output.write("h", io::slabs_of(values));
      output.finish_time();
    }
    output.close();
    test::write_run_record(folder.path(), manifest, run, std::to_string(1000000000000000 + own_of(run)), 30,
                           2);
  }
  test::TemporaryFolder folder;
  Manifest manifest;
};

TEST_F(TimeMeans, AreThoseOfTheLastOutputsOfEveryRun) {
  auto const results = compute_results(folder.path(), {});
  int members = 0;
  for (auto const& run : results.runs) {
    ASSERT_FALSE(run.failed) << *run.failed;
    double const own = (run.policy == "fp32" ? 1 : 0) + (run.member ? 2 + 4 * *run.member : 0);
    members += run.member ? 1 : 0;
    // Means of the outputs at 20 and 30 s: 4 and 2, and the run's own.
    auto const square = [&](double a, double b) {
      return ((a + own) * (a + own) + (b + own) * (b + own)) / 2;
    };
    EXPECT_EQ(run.statistics.at("of_mean"), square(4, 2)) << run.id;
    EXPECT_EQ(run.statistics.at("of_values"), (square(2, 4) + square(6, 0)) / 2) << run.id;
    EXPECT_EQ(run.statistics.at("from_known"),
              std::sqrt(((1 + own) * (1 + own) + (own - 2) * (own - 2)) / 25.0))
        << run.id;
    EXPECT_EQ(run.curves.at("row").y, (std::vector<double>{4 + own, 2 + own})) << run.id;
    if (run.member) continue;
    // In time each output stands for itself.
    auto const& series = run.series->statistics.at("of_mean");
    ASSERT_EQ(series.size(), 4u);
    EXPECT_EQ(series[3], square(6, 0)) << run.id;
    EXPECT_EQ(series[1], square(50, 60)) << run.id;
  }
  EXPECT_EQ(members, 4);
}

TEST_F(TimeMeans, AreGatedByTheirOwnMagnitude) {
  // 10 and 14 of the reference, which nothing else judges; 17 and 21 of fp32.
  auto const results = compute_results(folder.path(), {});
  ASSERT_EQ(results.gates.size(), 4u);
  for (auto const& gate : results.gates) {
    bool const reference = gate.run == results.reference, mean = gate.name == "of_mean.magnitude";
    EXPECT_EQ(gate.value.value(), reference ? (mean ? 10 : 14) : (mean ? 17 : 21)) << gate.name << gate.run;
    EXPECT_EQ(gate.passed, reference && mean) << gate.name << gate.run;
  }
}

TEST_F(TimeMeans, AreWhatControlsDisturb) {
  // Noise of the precision on the mean fields changes the square by no more than twice as much.
  auto const results = compute_results(folder.path(), {});
  ASSERT_FALSE(results.controls.empty());
  for (auto const& control : results.controls) {
    EXPECT_NEAR(control.statistics.at("of_mean").mean, 10, 30 * control.noise) << control.noise;
  }
}

}  // namespace
}  // namespace ulpine::ensembles
