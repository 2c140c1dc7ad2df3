// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/reading.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "io/error.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"
#include "verification/consistency/places.hpp"
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
  std::string time_units = "hours since 2000-01-01", calendar = "";
  std::vector<double> x = {};  ///< a coordinate, where there is one
  bool empty = false;          ///< all values missing
  bool swapped = false;        ///< dimensions time, x, lev
};
constexpr std::size_t levels = 3, columns = 4;

void write(fs::path const& path, MadeFile const& made) {
  fs::create_directories(path.parent_path());
  test::NetcdfWriting file(path);
  auto const time = file.dimension("time", NC_UNLIMITED), lev = file.dimension("lev", levels),
             x = file.dimension("x", columns);
  auto const clock = file.variable("time", NC_DOUBLE, {time});
  if (!made.time_units.empty()) file.text(clock, "units", made.time_units);
  if (!made.calendar.empty()) file.text(clock, "calendar", made.calendar);
  auto const place = made.x.empty() ? -1 : file.variable("x", NC_FLOAT, {x});
  auto const level = file.variable("lev", NC_DOUBLE, {lev});
  file.text(level, "axis", "Z");
  auto const field = file.variable(made.variable.c_str(), made.packed ? NC_SHORT : NC_DOUBLE,
                                   made.swapped ? std::vector{time, x, lev} : std::vector{time, lev, x});
  file.text(field, "units", made.units);
  if (made.packed) {
    file.number(field, "scale_factor", NC_DOUBLE, {0.5});
    file.number(field, "_FillValue", NC_SHORT, {-32767});
  } else {
    file.number(field, "_FillValue", NC_DOUBLE, {-999});
  }
  nc_enddef(file.file());
  if (place >= 0) nc_put_var_double(file.file(), place, made.x.data());
  for (std::size_t t = 0; t < made.hours.size(); ++t) {
    std::size_t const start[] = {t, 0, 0}, count[] = {1, levels, columns};
    nc_put_vara_double(file.file(), clock, start, count, &made.hours[t]);
    std::vector<double> values;
    for (std::size_t k = 0; k < levels; ++k) {
      for (std::size_t i = 0; i < columns; ++i) {
        auto const value = 100 * made.hours[t] + 10 * double(k) + double(i) + made.offset;
        values.push_back(made.empty || (k == 1 && i == 2) ? (made.packed ? -32767 : -999)
                         : made.packed                    ? value / 0.5
                                                          : value);
      }
    }
    std::size_t const turned[] = {1, columns, levels};
    nc_put_vara_double(file.file(), field, start, made.swapped ? turned : count, values.data());
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

TEST_F(Reading, RunsLieWhereTheFirstLies) {
  write(path("e") / "a.nc", {.x = {0, 1, 2, 3}});
  write(path("same") / "b.nc", {.x = {0, 1, 2, 3.0000002}});  // within four roundings of float
  write(path("flipped") / "c.nc", {.x = {3, 2, 1, 0}});
  write(path("elsewhere") / "d.nc", {.x = {0, 1, 2, 4}});
  write(path("swapped") / "f.nc", {.x = {0, 1, 2, 3}, .swapped = true});
  EXPECT_EQ(refusal({list("e"), list("same")}), "");
  auto const flipped = refusal({list("same"), list("e"), list("flipped")});
  for (auto const* word : {"c.nc: T: coordinate x runs the other way", "b.nc", "--variables"})
    EXPECT_NE(flipped.find(word), std::string::npos) << flipped;
  EXPECT_NE(refusal({list("e"), list("elsewhere")}).find("d.nc: T: coordinate x differs: 4 against 3"),
            std::string::npos);
  EXPECT_NE(refusal({list("e"), list("swapped")}).find("f.nc: T: "), std::string::npos);
  // A run's own files are held to its first as well.
  write(path("runs") / "m" / "1.nc", {.x = {0, 1, 2, 3}});
  write(path("runs") / "m" / "2.nc", {.hours = {2}, .x = {0, 1, 2, 4}});
  EXPECT_NE(refusal({list("runs")}).find("2.nc: T: coordinate x differs"), std::string::npos);
}

TEST_F(Reading, DatesOfOtherCalendarsAreRefused) {
  write(path("e") / "a.nc", {.calendar = "noleap"});
  write(path("standard") / "b.nc", {});
  write(path("gregorian") / "c.nc", {.calendar = "proleptic_gregorian"});
  auto const problem = refusal({list("e"), list("standard")});
  for (auto const* word : {"b.nc: T: calendars differ: standard against noleap", "a.nc"})
    EXPECT_NE(problem.find(word), std::string::npos) << problem;
  EXPECT_EQ(refusal({list("standard"), list("gregorian")}), "") << "the same dates after 1582";
  // One run whose files count otherwise.
  write(path("runs") / "m" / "1.nc", {.calendar = "noleap"});
  write(path("runs") / "m" / "2.nc", {.hours = {2}});
  EXPECT_NE(refusal({list("runs")}).find("2.nc: T: calendars differ"), std::string::npos);
}

TEST_F(Reading, DatesThatCannotBeReadAreRefusedBesideOthers) {
  write(path("e") / "a.nc", {});
  write(path("odd") / "b.nc", {.time_units = "hours since the flood"});
  write(path("odd2") / "c.nc", {.time_units = "hours since the flood"});
  write(path("odd3") / "d.nc", {.time_units = "hours since the fire"});
  auto const problem = refusal({list("e"), list("odd")});
  EXPECT_NE(
      problem.find("b.nc: T: its times ('hours since the flood', calendar 'standard') cannot be read as "
                   "dates"),
      std::string::npos)
      << problem;
  EXPECT_EQ(refusal({list("odd"), list("odd2")}), "") << "in the same words";
  EXPECT_NE(refusal({list("odd"), list("odd3")}).find("cannot be read as dates"), std::string::npos);
  write(path("none") / "e.nc", {.time_units = ""});
  write(path("counted") / "f.nc", {.time_units = "h"});
  EXPECT_NE(refusal({list("counted"), list("none")}).find("its times have no units"), std::string::npos);
}

TEST_F(Reading, TimesWithoutDateAreTheRunsOwn) {
  write(path("e") / "a.nc", {.hours = {0, 1, 2}, .time_units = "h"});
  write(path("e") / "b.nc", {.hours = {60, 120}, .time_units = "minutes"});
  auto const runs = list("e");
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  EXPECT_EQ(grid.instants, (std::vector<double>{3600, 7200}));
  auto const summary = RunGroup(runs, grid).summary(nothing);
  EXPECT_EQ(summary.time_text(0), "3600 s");
  EXPECT_EQ(summary.members[0].variables[0][0].levels[0].min, 100);
  EXPECT_EQ(summary.members[1].variables[0][0].levels[0].min, 6000);
  ASSERT_EQ(grid.notes.size(), 1u);
  EXPECT_EQ(grid.notes[0], "1 times left out: b.nc has none of them (0 s)");
}

TEST_F(Reading, OfATimeThatStandsTwiceTheLaterWritingCounts) {
  // A restart from 1 h, in the next file and in the same one.
  write(path("e") / "m1" / "1.nc", {.offset = 0, .hours = {0, 1, 2}});
  write(path("e") / "m1" / "2.nc", {.offset = 7, .hours = {1, 2, 3}});
  write(path("e") / "m2" / "1.nc", {.offset = 5, .hours = {0, 1, 2, 3}});
  auto const runs = list("e");
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  EXPECT_EQ(grid.times, (std::vector<double>{0, 3600, 7200, 10800}));
  ASSERT_EQ(grid.notes.size(), 1u);
  EXPECT_EQ(grid.notes[0], "2 times written twice, of which the later writing counts, in m1");
  auto const summary = RunGroup(runs, grid).summary(nothing);
  EXPECT_EQ(summary.time_text(1), "2000-01-01 01:00:00");
  std::vector<double> least;
  for (auto const& time : summary.members[0].variables[0]) least.push_back(time.levels[0].min);
  EXPECT_EQ(least, (std::vector<double>{0, 107, 207, 307}));
  write(path("f") / "n.nc", {.hours = {0, 3, 3}});
  auto const twice = list("f");
  EXPECT_EQ(common_grid({&twice}, {}, false, {}, nothing).times, (std::vector<double>{0, 10800}));
}

TEST_F(Reading, ARunThatWentOnFromARestartIsOneWithAllItsParts) {
  for (auto const* folder : {"e/m1", "f"}) {
    write(path(folder) / "output-1.nc", {.offset = 0, .hours = {0, 1}});
    write(path(folder) / "output-2.nc", {.offset = 3, .hours = {1, 2}});
    write(path(folder) / "output.nc", {.offset = 7, .hours = {2, 3}});
    write(path(folder) / "restart.nc", {.hours = {3}});
    write(path(folder) / "restart-1.nc", {.hours = {1}});
  }
  write(path("e") / "m2" / "1.nc", {.offset = 5, .hours = {0, 1, 2, 3}});
  for (auto const* folder : {"e", "f"}) {
    auto const runs = list(folder);
    ASSERT_EQ(runs.members.size(), folder[0] == 'e' ? 2u : 1u);
    EXPECT_EQ(runs.members[0].files,
              (std::vector<fs::path>{path(folder[0] == 'e' ? "e/m1" : "f") / "output-1.nc",
                                     path(folder[0] == 'e' ? "e/m1" : "f") / "output-2.nc",
                                     path(folder[0] == 'e' ? "e/m1" : "f") / "output.nc"}));
    auto const grid = common_grid({&runs}, {}, false, {}, nothing);
    EXPECT_EQ(grid.times, (std::vector<double>{0, 3600, 7200, 10800}));
    auto const summary = RunGroup(runs, grid).summary(nothing);
    std::vector<double> least;
    for (auto const& time : summary.members[0].variables[0]) least.push_back(time.levels[0].min);
    EXPECT_EQ(least, (std::vector<double>{0, 103, 207, 307}));
  }
}

TEST_F(Reading, ARunIsWhatItsFirstBytesSay) {
  write(path("e") / "wrfout_d01_2000-01-01_00:00:00", {});
  write(path("e") / "b.nc", {});
  write(path("e") / ".hidden.nc", {});
  fs::create_directories(path("e"));
  test::write_file(path("e") / "notes.txt", "CDF of a lognormal variable");
  auto const runs = list("e").members;
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].name, "wrfout_d01_2000-01-01_00:00:00");
  // What is named NetCDF and is not is not passed over.
  test::write_file(path("e") / "a.nc", "");
  EXPECT_NE(refusal({list("e")}).find("a.nc"), std::string::npos);
  write(path("f") / ".trash" / "a.nc", {});
  EXPECT_THROW(list("f"), InputError);
}

TEST_F(Reading, AnEmptyFieldAmongOthersIsNamed) {
  for (auto const* name : {"a.nc", "b.nc", "c.nc"}) write(path("e") / name, {.empty = name[0] == 'b'});
  auto const runs = list("e");
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  RunGroup const group(runs, grid);
  auto const summary = group.summary(nothing);
  std::string problem;
  try {
    group.require_values(summary);
  } catch (InputError const& error) {
    problem = error.what();
  }
  for (auto const* word : {"b.nc: T at 2000-01-01 00:00:00: all values are missing", "--variables"})
    EXPECT_NE(problem.find(word), std::string::npos) << problem;
  // Where no run has values nothing is said.
  write(path("none") / "a.nc", {.empty = true});
  auto const none = list("none");
  RunGroup const empty(none, common_grid({&none}, {}, false, {}, nothing));
  empty.require_values(empty.summary(nothing));
}

TEST_F(Reading, NewRunsAreHeldToTheGridOfASummary) {
  write(path("e") / "a.nc", {.calendar = "noleap", .x = {0, 1, 2, 3}});
  auto const runs = list("e");
  auto const grid = common_grid({&runs}, {}, false, {}, nothing);
  auto const file = path("summary.nc");
  write_summary(file, RunGroup(runs, grid).summary(nothing), grid, runs);
  auto const stored = read_summary(file);
  ASSERT_EQ(stored.places.coordinates.size(), 2u);
  EXPECT_EQ(stored.places.coordinates[1].values, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(stored.places.coordinates[1].mean, 1.5);
  EXPECT_EQ(stored.places.variables[0].dimensions, (std::vector<std::string>{"lev", "x"}));
  EXPECT_EQ(stored.grid.variables[0].type.name, "double");
  EXPECT_EQ(stored.summary.time_text(1), "2000-01-01 01:00:00");
  auto const problem_of = [&](std::string const& folder, MadeFile const& made) -> std::string {
    write(path(folder) / "n.nc", made);
    auto const tests = list(folder);
    auto found = common_grid({&tests}, {}, false, {}, nothing);
    try {
      hold_to_summary(stored, file, tests, found);
    } catch (InputError const& error) {
      return error.what();
    }
    EXPECT_EQ(found.instants, grid.instants);
    return "";
  };
  EXPECT_EQ(problem_of("same", {.calendar = "noleap", .x = {0, 1, 2, 3.0000002}}), "");
  EXPECT_EQ(problem_of("longer", {.hours = {-1, 0, 1, 2}, .calendar = "noleap", .x = {0, 1, 2, 3}}), "");
  auto const flipped = problem_of("flipped", {.calendar = "noleap", .x = {3, 2, 1, 0}});
  for (auto const* word : {"n.nc: T: coordinate x runs the other way", "summary.nc"})
    EXPECT_NE(flipped.find(word), std::string::npos) << flipped;
  EXPECT_NE(
      problem_of("far", {.calendar = "noleap", .x = {0, 1, 2, 4}}).find("differs: 4 against 3 at element 3"),
      std::string::npos);
  EXPECT_NE(problem_of("standard", {.x = {0, 1, 2, 3}}).find("calendars differ: standard against noleap"),
            std::string::npos);
  EXPECT_NE(problem_of("late", {.hours = {1, 2}, .calendar = "noleap", .x = {0, 1, 2, 3}})
                .find("has 1 of the 2 times"),
            std::string::npos);
  EXPECT_NE(problem_of("undated", {.time_units = "h", .x = {0, 1, 2, 3}}).find("cannot be read as dates"),
            std::string::npos);
}

TEST_F(Reading, ALargeGridIsKnownByAPartOfItsPlacesAndTheirMean) {
  constexpr std::size_t cells = 10000;
  auto const write_cells = [&](std::string const& name, std::vector<double> const& lon) {
    {
      test::NetcdfWriting file(path(name));
      auto const cell = file.dimension("cell", cells);
      auto const place = file.variable("lon", NC_DOUBLE, {cell}),
                 field = file.variable("T", NC_FLOAT, {cell});
      file.text(field, "coordinates", "lon");
      file.values(place, lon);
      file.values(field, std::vector<double>(cells, 1.0));
    }
    return places_of({path(name)}, {{.name = "T", .units = "", .levels = 1, .points = cells}}, 1024);
  };
  std::vector<double> lon(cells);
  for (std::size_t i = 0; i < cells; ++i) lon[i] = double(i * 7919 % cells) * 0.036;
  auto const kept = write_cells("a.nc", lon);
  ASSERT_EQ(kept.coordinates.size(), 1u);
  auto const& coordinate = kept.coordinates[0];
  ASSERT_EQ(coordinate.values.size(), 4096u);
  EXPECT_EQ(coordinate.values.front(), lon.front());
  EXPECT_EQ(coordinate.values.back(), lon.back());
  for (std::size_t k : {std::size_t(1), std::size_t(2047), std::size_t(4000)})
    EXPECT_EQ(coordinate.values[k], lon[std::size_t(coordinate.position(k))]);
  EXPECT_EQ(coordinate.largest, 9999 * 0.036);
  EXPECT_NEAR(coordinate.mean, 9999 * 0.018, 1e-12);
  EXPECT_EQ(difference_of_places(kept, write_cells("b.nc", lon), 0), "");
  auto moved = lon;
  moved[1] += 1;  // between the places that are kept
  EXPECT_NE(
      difference_of_places(kept, write_cells("c.nc", moved), 0).find("coordinate lon differs: its mean"),
      std::string::npos);
  std::ranges::reverse(lon);
  EXPECT_NE(difference_of_places(kept, write_cells("d.nc", lon), 0).find("runs the other way"),
            std::string::npos);
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
  // What earlier versions wrote says nothing of places.
  auto const old = path("old.nc");
  io::OutputFile(old, "Summary of an ensemble", {}, {}, {}, io::build_provenance(), "",
                 {{"ulpine_summary", R"({"schema": "ulpine.ensemble-summary/1"})"}})
      .close();
  try {
    read_summary(old);
    ADD_FAILURE() << "read";
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("write it anew with --write-summary"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ulpine::verification::consistency
