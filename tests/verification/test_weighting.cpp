// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/weighting.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
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

/// Numbers on cells, edges and vertices as MPAS has them and a profile, with the measures that are named, and
/// their mesh.
void write_mesh(std::filesystem::path const& path, std::vector<std::string> const& measures, bool fields,
                double change) {
  NetcdfWriting file{path};
  auto const cells = file.dimension("nCells", 3), edges = file.dimension("nEdges", 4),
             vertices = file.dimension("nVertices", 2), levels = file.dimension("lev", 2);
  std::vector<std::pair<int, Values>> content;
  auto const add = [&](std::string const& name, int dimension, Values const& values) {
    content.emplace_back(file.variable(name.c_str(), NC_DOUBLE, {dimension}), values);
  };
  for (auto const& name : measures) {
    if (name == "areaCell") add(name, cells, {1, 2, 5});
    if (name == "dvEdge") add(name, edges, {1, 2, 3, 4});
    if (name == "dcEdge") add(name, edges, {5, 1, 2, 1});
    if (name == "areaTriangle") add(name, vertices, {1, 3});
  }
  if (fields) {
    add("theta", cells, {1 + change, 1, 1});
    add("u", edges, {1, 1 + change, 1, 1 - change});
    add("vorticity", vertices, {1, 1 + change});
    add("profile", levels, {1, 2});
  }
  for (auto const& [variable, values] : content) file.values(variable, values);
}

TEST(Weighting, IsThatOfCellsEdgesAndVerticesEachByItsDimension) {
  Folder const folder;
  auto const all = std::vector<std::string>{"areaCell", "dvEdge", "dcEdge", "areaTriangle"};
  auto const expect = [&](std::string const& weights, std::string const& prefix) {
    auto const comparison = folder.compared(weights);
    EXPECT_DOUBLE_EQ(bias(comparison, "theta"), 1 / 8.);
    EXPECT_DOUBLE_EQ(bias(comparison, "u"), (2 - 4) / 17.);
    EXPECT_DOUBLE_EQ(bias(comparison, "vorticity"), 3 / 4.);
    std::vector<std::string> names;
    for (auto const& variable : comparison.variables) names.push_back(variable.weights);
    auto const has = [&](std::string const& name) {
      return std::ranges::find(names, prefix + name) != names.end();
    };
    EXPECT_TRUE(has("areaCell") && has("dvEdge*dcEdge") && has("areaTriangle")) << weights;
  };
  write_mesh(folder / "y.nc", all, true, 0);
  write_mesh(folder / "x.nc", all, true, 1);
  expect("", "");
  write_mesh(folder / "y.nc", {}, true, 0);
  write_mesh(folder / "x.nc", {}, true, 1);
  EXPECT_EQ(
      folder.compared("").notes,
      (std::vector<std::string>{"no weights: theta lies on a mesh (nCells); --weights may name the file "
                                "that has its areas"}));
  write_mesh(folder / "mesh.nc", all, false, 0);
  auto const mesh = (folder / "mesh.nc").string();
  expect(mesh, mesh + ":");
  // One length of an edge is no area of it: edges count alike, and that is told.
  write_mesh(folder / "mesh.nc", {"areaCell", "dvEdge", "areaTriangle"}, false, 0);
  auto const comparison = folder.compared(mesh);
  EXPECT_DOUBLE_EQ(bias(comparison, "theta"), 1 / 8.);
  EXPECT_DOUBLE_EQ(bias(comparison, "u"), 0);
  EXPECT_EQ(comparison.notes,
            (std::vector<std::string>{"u: points count alike: no measure has their dimensions"}));
}

/// F(nlat, nlon) on the corners of POP's cells, as `coordinates` says.
TEST(Weighting, IsThatOfCornersWhereAVariableLiesThere) {
  Folder const folder;
  auto const write = [&](std::string const& name, std::string const& coordinates, bool has_corners,
                         Values const& values) {
    NetcdfWriting file{folder / name};
    auto const row = file.dimension("nlat", 1), column = file.dimension("nlon", 2);
    auto const f = file.variable("F", NC_DOUBLE, {row, column});
    file.text(f, "coordinates", coordinates);
    auto const cells = file.variable("TAREA", NC_DOUBLE, {row, column});
    auto const corners = has_corners ? file.variable("UAREA", NC_DOUBLE, {row, column}) : -1;
    file.values(f, values);
    file.values(cells, {1, 3});
    if (has_corners) file.values(corners, {1, 1});
  };
  auto const found = [&](std::string const& coordinates, bool has_corners) {
    write("y.nc", coordinates, has_corners, {0, 0});
    write("x.nc", coordinates, has_corners, {0, 1});
    return bias(folder.compared(""), "F");
  };
  EXPECT_DOUBLE_EQ(found("TLONG TLAT", true), 3 / 4.);
  EXPECT_DOUBLE_EQ(found("ULONG ULAT", true), 1 / 2.);
  EXPECT_DOUBLE_EQ(found("ULONG ULAT", false), 3 / 4.);
}

/// T(lev, x) of 3 x 2, where the file says how thick its levels are.
struct Levels {
  Values bounds = {};             ///< of `lev`
  Values a = {}, b = {};          ///< hybrid coefficients of interfaces
  Values volumes = {};            ///< of all cells
  std::string dimension = "lev";  ///< its name
};

void write_levels(std::filesystem::path const& path, Levels const& levels, Values const& values) {
  NetcdfWriting file{path};
  auto const lev = file.dimension(levels.dimension.c_str(), 3), ilev = file.dimension("ilev", 4),
             x = file.dimension("x", 2), two = file.dimension("nv", 2);
  auto const coordinate = file.variable(levels.dimension.c_str(), NC_DOUBLE, {lev});
  int bounds = -1, a = -1, b = -1;
  if (!levels.bounds.empty()) {
    file.text(coordinate, "bounds", "lev_bnds");
    bounds = file.variable("lev_bnds", NC_DOUBLE, {lev, two});
  }
  if (!levels.a.empty()) {
    a = file.variable("hyai", NC_DOUBLE, {ilev});
    b = file.variable("hybi", NC_DOUBLE, {ilev});
  }
  auto const t = file.variable("T", NC_DOUBLE, {lev, x});
  auto const volume = levels.volumes.empty() ? -1 : file.variable("cell_volume", NC_DOUBLE, {lev, x});
  if (volume >= 0) file.values(volume, levels.volumes);
  file.values(coordinate, {1, 2, 3});
  if (bounds >= 0) file.values(bounds, levels.bounds);
  if (a >= 0) file.values(a, levels.a);
  if (b >= 0) file.values(b, levels.b);
  file.values(t, values);
}

TEST(Weighting, CountsLevelsByTheirThickness) {
  Folder const folder;
  auto const found = [&](Levels const& levels, std::string const& weights = "",
                         std::int64_t most_bytes = slab_bytes) {
    write_levels(folder / "y.nc", levels, {0, 0, 0, 0, 0, 0});
    write_levels(folder / "x.nc", levels, {1, 1, 0, 2, 4, 0});
    ComparisonOptions how;
    how.most_bytes = most_bytes;
    if (!weights.empty()) how.weighting = Weighting(weights);
    return compare(io::InputFile(folder / "y.nc"), io::InputFile(folder / "x.nc"), how);
  };
  auto const weights_of = [](Comparison const& comparison) {
    auto const t = std::ranges::find(comparison.variables, "T", &VariableComparison::name);
    return t == comparison.variables.end() ? "no T" : t->weights;
  };
  auto const alike = 8 / 6., by_thickness = (2 * 1 + 2 * 3 + 4 * 6) / 20.;
  Levels const bounds{.bounds = {0, 1, 1, 4, 10, 4}}, share{.a = {0, 0.1, 0.1, 0}, .b = {0, 0, 0.3, 1}},
      pascal{.a = {0, 1e4, 1e4, 0}, .b = {0, 0, 0.3, 1}};
  auto const by_share = (2 * 0.1 + 2 * 0.3 + 4 * 0.6) / 2;
  for (auto const most_bytes : {slab_bytes, std::int64_t{8}}) {
    EXPECT_DOUBLE_EQ(bias(found(bounds, "", most_bytes), "T"), by_thickness);
    EXPECT_DOUBLE_EQ(bias(found(share, "", most_bytes), "T"), by_share);
    EXPECT_DOUBLE_EQ(bias(found(pascal, "", most_bytes), "T"), by_share);
  }
  EXPECT_EQ(weights_of(found(bounds)), "thickness(lev_bnds)");
  EXPECT_EQ(found(bounds).notes,
            (std::vector<std::string>{"levels count by their thickness, as lev_bnds tells"}));
  EXPECT_EQ(weights_of(found(share)), "thickness(hyai+hybi)");
  // Volumes have the thickness in them.
  auto const volumes = found({.bounds = bounds.bounds, .volumes = {1, 1, 1, 1, 2, 2}});
  EXPECT_DOUBLE_EQ(bias(volumes, "T"), (2 + 2 + 2 * 4) / 8.);
  EXPECT_EQ(weights_of(volumes), "cell_volume");
  // Nothing tells of levels, one has no thickness or no end, or nothing is to be weighted.
  EXPECT_DOUBLE_EQ(bias(found({}), "T"), alike);
  EXPECT_DOUBLE_EQ(bias(found({.bounds = {0, 1, 1, 1, 1, 4}}), "T"), alike);
  EXPECT_DOUBLE_EQ(bias(found({.bounds = {0, 1, 1, 4, 4, HUGE_VAL}}), "T"), alike);
  EXPECT_DOUBLE_EQ(bias(found({.bounds = bounds.bounds, .dimension = "band"}), "T"), alike);
  EXPECT_DOUBLE_EQ(bias(found(bounds, "none"), "T"), alike);
  EXPECT_TRUE(found(bounds, "none").notes.empty());
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
