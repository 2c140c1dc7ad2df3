// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/weighting.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"
#include "verification/comparison/compare.hpp"

namespace ulpine::verification {
namespace {

using test::message_of;
using test::NetcdfWriting;
using test::TemporaryFolder;
using Values = std::vector<double>;

/// T(lev, CELLS) of 2 x 3, PS(CELLS) and a number, with the areas `named` of 3 cells where there is a name.
void write_cells(std::filesystem::path const& path, std::string const& cells, std::string const& named,
                 Values const& areas, Values const& values, std::string const& grid = "") {
  NetcdfWriting file{path};
  auto const lev = file.dimension("lev", 2), cell = file.dimension(cells.c_str(), 3);
  if (!grid.empty()) file.text(NC_GLOBAL, "uuidOfHGrid", grid);
  int area = -1;
  if (!named.empty()) {
    area = file.variable(named.c_str(), NC_DOUBLE, {cell});
    file.text(area, "units", "m2");
  }
  if (values.empty()) {
    file.values(area, areas);
    return;
  }
  auto const t = file.variable("T", NC_DOUBLE, {lev, cell}), ps = file.variable("PS", NC_DOUBLE, {cell});
  file.variable("P0", NC_DOUBLE, {});
  if (area >= 0) file.values(area, areas);
  file.values(t, values);
  file.values(ps, {values.begin(), values.begin() + 3});
}

struct Folder : TemporaryFolder {
  Folder() {
    write_cells(*this / "y.nc", "ncells", "", {}, {1, 1, 1, 1, 1, 1}, "a-b-c");
    write_cells(*this / "x.nc", "ncells", "", {}, {2, 1, 1, 1, 1, 4}, "a-b-c");
    write_cells(*this / "grid.nc", "cell", "cell_area", {1, 2, 5}, {}, "a-b-c");
  }
  Comparison compared(std::string const& weights, bool by_level = false) const {
    ComparisonOptions how;
    how.by_level = by_level;
    if (!weights.empty()) how.weighting = Weighting(weights);
    return compare(io::InputFile(*this / "y.nc"), io::InputFile(*this / "x.nc"), how);
  }
};

double bias(Comparison const& comparison, std::string const& name) {
  for (auto const& variable : comparison.variables) {
    if (variable.name == name) return variable.times[0].metrics["bias"].number();
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(Weighting, ComesFromTheFileOfTheGrid) {
  Folder const folder;
  auto const grid = (folder / "grid.nc").string();
  for (auto const& weights : {grid, grid + ":cell_area"}) {
    auto const comparison = folder.compared(weights);
    EXPECT_DOUBLE_EQ(bias(comparison, "T"), (1 * 1 + 3 * 5) / 16.);
    EXPECT_DOUBLE_EQ(bias(comparison, "PS"), 1 / 8.);
    EXPECT_EQ(comparison.variables[0].weights, grid + ":cell_area");
    EXPECT_EQ(comparison.variables[2].weights, "");  // a number has no cells
    EXPECT_TRUE(comparison.notes.empty());
  }
}

TEST(Weighting, IsNoneWhereNothingIsKnownAndSaysWhereItMayBe) {
  Folder const folder;
  auto const comparison = folder.compared("");
  EXPECT_DOUBLE_EQ(bias(comparison, "T"), 4 / 6.);
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_NE(comparison.notes[0].find("uuidOfHGrid says that the grid"), std::string::npos);
  EXPECT_TRUE(folder.compared("none").notes.empty());
}

TEST(Weighting, ByACustomaryNameIsTold) {
  Folder const folder;
  write_cells(folder / "y.nc", "lat", "gw", {1, 2, 5}, {1, 1, 1, 1, 1, 1});
  write_cells(folder / "x.nc", "lat", "", {}, {2, 1, 1, 1, 1, 4});
  auto const found = folder.compared("");
  EXPECT_DOUBLE_EQ(bias(found, "T"), (1 * 1 + 3 * 5) / 16.);
  EXPECT_EQ(found.notes.at(0), "weights gw: known by their usual name, no attribute says what they are");
  EXPECT_DOUBLE_EQ(bias(folder.compared("gw"), "T"), 1);
  EXPECT_TRUE(folder.compared("gw").notes.empty());
  EXPECT_DOUBLE_EQ(bias(folder.compared("none"), "T"), 4 / 6.);
}

TEST(Weighting, RefusesWhatDoesNotFit) {
  Folder const folder;
  auto const refused = [&](std::string const& weights) {
    return message_of<InputError>([&] { folder.compared(weights); });
  };
  auto const grid = (folder / "grid.nc").string(), other = (folder / "other.nc").string();
  EXPECT_NE(refused("area_of_cells").find("y.nc: no variable 'area_of_cells' for weights"),
            std::string::npos);
  EXPECT_NE(refused(other).find("no such file"), std::string::npos);
  EXPECT_NE(refused(other + ":cell_area").find("no such file"), std::string::npos);
  EXPECT_NE(refused(grid + ":cell_aria").find("grid.nc: no variable 'cell_aria'"), std::string::npos);
  EXPECT_NE(refused(grid + ":cell_aria").find("cell_area"), std::string::npos);
  EXPECT_NE(refused("P0").find("fit none of its variables"), std::string::npos);
  EXPECT_NE(refused((folder / "x.nc").string()).find("no areas or volumes of cells"), std::string::npos);
  write_cells(other, "cell", "cell_area", {1, 2, 5}, {}, "d-e-f");
  EXPECT_NE(refused(other).find("is of another grid than"), std::string::npos);
  write_cells(other, "cell", "cell_area", {1, 2, 5}, {});  // says nothing of its grid
  EXPECT_EQ(refused(other), "(nothing thrown)");
}

/// Where two dimensions have the length of the areas', nothing tells which they are of.
TEST(Weighting, TakesNoDimensionByAnAmbiguousLength) {
  Folder const folder;
  for (auto const* name : {"y.nc", "x.nc"}) {
    NetcdfWriting file{folder / name};
    auto const a = file.dimension("a", 3), b = file.dimension("b", 3);
    auto const f = file.variable("f", NC_DOUBLE, {a, b});
    file.values(f, Values(9, 1));
  }
  EXPECT_NE(message_of<InputError>([&] { folder.compared((folder / "grid.nc").string()); }).find("fit none"),
            std::string::npos);
}

TEST(Compare, GivesEachLevelByItself) {
  Folder const folder;
  for (auto const most : {slab_bytes, std::int64_t{8}}) {
    ComparisonOptions how;
    how.by_level = true;
    how.most_bytes = most;
    how.weighting = Weighting((folder / "grid.nc").string());
    auto const comparison = compare(io::InputFile(folder / "y.nc"), io::InputFile(folder / "x.nc"), how);
    std::vector<std::string> names;
    for (auto const& variable : comparison.variables) names.push_back(variable.name);
    EXPECT_EQ(names, (std::vector<std::string>{"T", "T[lev=0]", "T[lev=1]", "PS", "P0"}));
    EXPECT_DOUBLE_EQ(bias(comparison, "T"), 1);
    EXPECT_DOUBLE_EQ(bias(comparison, "T[lev=0]"), 1 / 8.);
    EXPECT_DOUBLE_EQ(bias(comparison, "T[lev=1]"), 15 / 8.);
    EXPECT_EQ(comparison.variables[1].times[0].metrics.points, 3);
  }
}

}  // namespace
}  // namespace ulpine::verification
