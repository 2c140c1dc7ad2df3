// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/reading.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "io/error.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"
#include "verification/consistency/summary_file.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;

void nothing(double, std::string const&) {}

/// T (time, lev, x) with values 100 time + 10 level + x + offset; one point of level 1 missing.
struct MadeFile {
  double offset = 0;
  std::vector<double> hours = {0, 1};
  std::string units = "K";
  std::string variable = "T";
  bool packed = false;
};
constexpr std::size_t levels = 3, columns = 4;

void write(fs::path const& path, MadeFile const& made) {
  fs::create_directories(path.parent_path());
  test::NetcdfWriting file(path);
  auto const time = file.dimension("time", NC_UNLIMITED), lev = file.dimension("lev", levels),
             x = file.dimension("x", columns);
  auto const clock = file.variable("time", NC_DOUBLE, {time});
  file.text(clock, "units", "hours since 2000-01-01");
  auto const level = file.variable("lev", NC_DOUBLE, {lev});
  file.text(level, "axis", "Z");
  auto const field = file.variable(made.variable.c_str(), made.packed ? NC_SHORT : NC_DOUBLE, {time, lev, x});
  file.text(field, "units", made.units);
  if (made.packed) {
    file.number(field, "scale_factor", NC_DOUBLE, {0.5});
    file.number(field, "_FillValue", NC_SHORT, {-32767});
  } else {
    file.number(field, "_FillValue", NC_DOUBLE, {-999});
  }
  nc_enddef(file.file());
  for (std::size_t t = 0; t < made.hours.size(); ++t) {
    std::size_t const start[] = {t, 0, 0}, count[] = {1, levels, columns};
    nc_put_vara_double(file.file(), clock, start, count, &made.hours[t]);
    std::vector<double> values;
    for (std::size_t k = 0; k < levels; ++k) {
      for (std::size_t i = 0; i < columns; ++i) {
        auto const value = 100 * made.hours[t] + 10 * double(k) + double(i) + made.offset;
        values.push_back(k == 1 && i == 2 ? (made.packed ? -32767 : -999)
                         : made.packed    ? value / 0.5
                                          : value);
      }
    }
    nc_put_vara_double(file.file(), field, start, count, values.data());
  }
}

class Reading : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  fs::path path(std::string const& name) const { return folder_.path() / name; }
  RunList list(std::string const& name) const { return {runs_in(path(name)), {}}; }
  std::string refusal(std::vector<RunList> const& lists,
                      std::vector<std::string> const& variables = {}) const {
    std::vector<RunList const*> pointers;
    for (auto const& list : lists) pointers.push_back(&list);
    try {
      common_grid(pointers, variables, false, {}, nothing);
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Reading, SummariesAreThoseOfTheValuesThatAreNotMissing) {
  for (auto const packed : {false, true}) {
    auto const name = packed ? "packed" : "plain";
    write(path(name) / "a.nc", {.offset = 5, .packed = packed});
    auto const runs = list(name);
    auto const grid = common_grid({&runs}, {}, false, {}, nothing);
    auto const summary = RunGroup(runs, grid).summary(nothing);
    ASSERT_EQ(summary.variables.size(), 1u);
    EXPECT_EQ(summary.variables[0].levels, 3);
    EXPECT_EQ(summary.variables[0].points, 4);
    ASSERT_EQ(summary.times, (std::vector<double>{0, 3600}));
    auto const& late = summary.members[0].variables[0][1];
    EXPECT_EQ(late.levels[0].min, 105);
    EXPECT_EQ(late.levels[2].max, 128);
    EXPECT_EQ(late.levels[1].missing, 1);
    EXPECT_DOUBLE_EQ(late.levels[1].mean, 115 + (0. + 1 + 3) / 3);
    EXPECT_DOUBLE_EQ(late.mean, 105 + (4 * 1.5 + 3 * 10 + 4 + 4 * 21.5) / 11);
  }
}

TEST_F(Reading, PointsAreReadFromAnyPlaceOn) {
  write(path("e") / "a.nc", {});
  auto const runs = list("e");
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  RunGroup const group(runs, grid);
  std::vector<double> values(7), weights(7);
  group.read(0, 0, 1, 3, values);
  EXPECT_EQ(values[0], 103);
  EXPECT_EQ(values[1], 110);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_EQ(values[6], 121);
  group.read_weights(0, 3, weights);
  EXPECT_EQ(weights, std::vector<double>(7, 1.0));
}

TEST_F(Reading, ARunMayBeAFolderOfFilesThatFollowEachOther) {
  for (auto const* member : {"m1", "m2"}) {
    write(path("e") / member / "h.0001.nc", {.hours = {0}});
    write(path("e") / member / "h.0002.nc", {.hours = {6, 12}});
  }
  auto const runs = list("e");
  ASSERT_EQ(runs.members.size(), 2u);
  EXPECT_EQ(runs.members[1].name, "m2");
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  EXPECT_EQ(grid.times, (std::vector<double>{0, 6 * 3600, 12 * 3600}));
  auto const summary = RunGroup(runs, grid).summary(nothing);
  EXPECT_EQ(summary.members[0].variables[0][2].levels[0].min, 1200);
  EXPECT_EQ(common_grid({&runs}, {}, true, {}, nothing).times.size(), 1u);
}

TEST_F(Reading, OnlyCommonTimesAndVariablesCount) {
  write(path("e") / "a.nc", {.hours = {0, 1, 2}});
  write(path("e") / "b.nc", {.hours = {1, 2}});
  auto const runs = list("e");
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  EXPECT_EQ(grid.times, (std::vector<double>{0, 3600}));
  EXPECT_FALSE(grid.notes.empty());
  write(path("f") / "c.nc", {.variable = "Q"});
  EXPECT_NE(refusal({runs, list("f")}).find("shares no variable"), std::string::npos);
}

TEST_F(Reading, WhatDoesNotFitIsRefusedInOneLineThatNamesIt) {
  write(path("e") / "a.nc", {});
  write(path("celsius") / "b.nc", {.units = "degC"});
  write(path("late") / "c.nc", {.hours = {50, 51}});
  EXPECT_NE(refusal({list("e"), list("celsius")}).find("in 'degC'"), std::string::npos);
  EXPECT_NE(refusal({list("e"), list("late")}).find("no time in common"), std::string::npos);
  EXPECT_NE(refusal({list("e"), list("e")}).find("stands in two places"), std::string::npos);
  EXPECT_NE(refusal({list("e")}, {"TT"}).find("no variable 'TT'"), std::string::npos);
  fs::create_directories(path("empty"));
  EXPECT_THROW(list("empty"), InputError);
  EXPECT_THROW(list("nowhere"), InputError);
}

TEST_F(Reading, ASummaryFileHasEveryBit) {
  for (int i = 0; i < 3; ++i) write(path("e") / ("m" + std::to_string(i) + ".nc"), {.offset = 0.1 * i});
  write(path("reference.nc"), {.offset = 0.7});
  RunList runs = list("e");
  runs.unperturbed = RunFiles{"reference", {path("reference.nc")}};
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  auto const summary = RunGroup(runs, grid).summary(nothing);
  auto const file = path("summary.nc");
  write_summary(file, summary, grid, runs);
  auto const stored = read_summary(file);
  ASSERT_EQ(stored.summary.members.size(), 3u);
  EXPECT_EQ(stored.grid.instants, grid.instants);
  EXPECT_EQ(stored.summary.times, summary.times);
  EXPECT_EQ(stored.sources.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(stored.summary.members[i].name, summary.members[i].name);
    for (std::size_t t = 0; t < 2; ++t) {
      auto const &a = stored.summary.members[i].variables[0][t], &b = summary.members[i].variables[0][t];
      EXPECT_EQ(a.mean, b.mean);
      for (std::size_t k = 0; k < levels; ++k) {
        EXPECT_EQ(a.levels[k].min, b.levels[k].min);
        EXPECT_EQ(a.levels[k].mean, b.levels[k].mean);
        EXPECT_EQ(a.levels[k].max, b.levels[k].max);
        EXPECT_EQ(a.levels[k].missing, b.levels[k].missing);
      }
    }
  }
  ASSERT_TRUE(stored.summary.unperturbed);
  EXPECT_EQ(stored.summary.unperturbed->variables[0][1].mean, summary.unperturbed->variables[0][1].mean);
}

TEST_F(Reading, AlteredAndForeignSummariesAreRefused) {
  write(path("e") / "a.nc", {});
  auto const runs = list("e");
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  auto const file = path("summary.nc");
  write_summary(file, RunGroup(runs, grid).summary(nothing), grid, runs);
  auto content = test::read_file(file);
  content[content.size() / 2] ^= 1;
  test::write_file(file, content);
  EXPECT_THROW(read_summary(file), InputError);
  EXPECT_THROW(read_summary(path("e") / "a.nc"), InputError);
}

}  // namespace
}  // namespace ulpine::verification::consistency
