// SPDX-License-Identifier: Apache-2.0
// What conditions a case's names of sides put on the triangles of a mesh.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "core/fem/setup.hpp"
#include "core/mesh/gmsh.hpp"
#include "core/mesh/tetra_box.hpp"
#include "core/mesh/ugrid.hpp"
#include "io/error.hpp"
#include "support/gmsh_writing.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using test::GmshModel;

/// A box of 3 x 2 x 2 cells, 30 x 20 x 16 m. All sides are in `walls`; inflow, outflow and the lid also in
/// groups of their own; the ground is in one without a name, south and north in two groups of one name.
GmshModel model() {
  auto model = test::gmsh_model(box_mesh({3, 2, 2, {30, 20, 16}}));
  model.names = {{2, 1, "walls"}, {2, 2, "in flow"}, {2, 3, "out_flow"}, {2, 4, "lid"},
                 {2, 6, "along"}, {2, 7, "along"},   {2, 8, "roof"},     {2, 9, "interface"}};
  auto& groups = model.groups_of_surface;
  groups[100 + BoxSide::inflow] = {1, 2};
  groups[100 + BoxSide::outflow] = {3, 1};
  groups[100 + BoxSide::lid] = {1, 4};
  groups[100 + BoxSide::ground] = {1, 5};
  groups[100 + BoxSide::south] = {6, 1};
  groups[100 + BoxSide::north] = {1, 7};
  model.triangles.push_back({{1, 5, 17}, 900, 300});  // at x = 10
  groups[300] = {9};
  return model;
}

class SidesOfElements : public testing::Test {
 protected:
  SidesOfElements() { test::write_file(folder_ / "walls.msh", test::write_gmsh(model())); }

  fem::Setup read(std::string const& rest) const {
    return fem::read_case(io::CaseFile::parse(
        "core = 'fem'\n[mesh]\nkind = 'gmsh'\nfile = '" + (folder_ / "walls.msh").string() + "'\n" + rest,
        "case.toml"));
  }
  /// The same case on the generator's box, whose sides have one name each.
  static fem::Setup box(std::string const& rest) {
    return fem::read_case(io::CaseFile::parse(
        "core = 'fem'\n[mesh]\nnx = 3\nny = 2\nnz = 2\nlength = [30.0, 20.0, 16.0]\n" + rest, "case.toml"));
  }
  std::string refusal(std::string const& rest) const {
    try {
      read(rest);
    } catch (InputError const& error) {
      return error.what();
    }
    return {};
  }

  test::TemporaryFolder const folder_;
};

TEST_F(SidesOfElements, AreFixedByAnyOfTheirNames) {
  auto const same = [&](std::string const& names, std::string const& of_box) {
    auto const got = read("[boundary]\nfixed = " + names + "\n").fixed;
    EXPECT_EQ(got, box("[boundary]\nfixed = " + of_box + "\n").fixed) << names;
    EXPECT_GT(std::ranges::count(got, 1), 0) << names;
  };
  same("['walls']", "['inflow', 'outflow', 'lid', 'ground', 'south', 'north']");
  same("['in flow']", "['inflow']");
  same("['out_flow', 'in flow']", "['inflow', 'outflow']");
  same("['along']", "['south', 'north']");
  same("['5']", "['ground']");
  same("['7']", "['north']");  // a group with a name has a number too
  same("['lid', 'walls']", "['inflow', 'outflow', 'lid', 'ground', 'south', 'north']");
}

TEST_F(SidesOfElements, AreOpenByAnyOfTheirNamesAndOnce) {
  auto const area = [](fem::Setup const& setup) { return setup.open_area; };
  auto const expected = area(box("[boundary]\nopen = ['outflow', 'inflow']\n"));
  EXPECT_EQ(area(read("[boundary]\nopen = ['out_flow', 'in flow']\n")), expected);
  EXPECT_EQ(area(read("[boundary]\nopen = ['out_flow', 'in flow', '3', 'in flow']\n")), expected);
  EXPECT_GT(*std::ranges::max_element(expected), 0);
}

TEST_F(SidesOfElements, AreRefusedWhereConditionsContradictEachOther) {
  auto const got = refusal("[boundary]\nfixed = ['in flow', 'walls']\nopen = ['along', 'out_flow']\n");
  EXPECT_NE(got.find("boundary.open[0]: 'along' has triangles of 'walls'"), std::string::npos) << got;
  EXPECT_EQ(refusal("[boundary]\nfixed = ['in flow']\nopen = ['out_flow']\n"), "");
}

TEST_F(SidesOfElements, AreRefusedWithoutATriangle) {
  auto got = refusal("[boundary]\nfixed = ['in flow', 'roof']\n");
  EXPECT_NE(got.find("boundary.fixed[1]: no triangle of the mesh's boundary is on the side 'roof'"),
            std::string::npos)
      << got;
  EXPECT_NE(got.find("(known are walls, in flow, out_flow, lid, along, 5)"), std::string::npos) << got;
  got = refusal("[boundary]\nopen = ['interface']\n");
  EXPECT_NE(got.find("'interface'; it is empty, or lies within the domain"), std::string::npos) << got;
  got = refusal("[boundary]\nopen = ['11']\n");
  EXPECT_NE(got.find("boundary.open[0]: no side of the mesh is called '11'"), std::string::npos) << got;
}

TEST_F(SidesOfElements, AreRefusedByANameThatIsAnothersNumber) {
  auto numbered = model();
  std::get<2>(numbered.names[1]) = "5";  // as the ground's number
  test::write_file(folder_ / "walls.msh", test::write_gmsh(numbered));
  auto const got = refusal("[boundary]\nfixed = ['lid', '5']\n");
  EXPECT_NE(got.find("boundary.fixed[1]: '5' is the name of one group and the number of another"),
            std::string::npos)
      << got;
  EXPECT_EQ(refusal("[boundary]\nfixed = ['lid', 'out_flow']\n"), "");
}

TEST_F(SidesOfElements, CalledGroundHaveTheDrag) {
  auto lifted = model();
  lifted.names.push_back({2, 5, "ground"});
  // The lid's nodes stay: a ramp has an area along x.
  for (std::size_t i = 0; i < lifted.position.size(); i += 3) {
    lifted.position[i + 2] += (1 - lifted.position[i + 2] / 16) * lifted.position[i] / 10;
  }
  test::write_file(folder_ / "walls.msh", test::write_gmsh(lifted));
  auto const area = read("").ground;
  double sum = 0;
  for (auto const one : area) sum += one;
  EXPECT_NEAR(sum, 3 * 20, 1e-12);  // rises by 3 m over the width of 20 m, towards the ground: +x
}

TEST_F(SidesOfElements, KeepTheirNamesInTheOutputWhichIsAMeshAgain) {
  auto mesh = read_gmsh((folder_ / "walls.msh").string());
  write_ugrid(folder_ / "walls.nc", mesh);
  auto const again = read_ugrid(folder_ / "walls.nc");
  for (auto const* name : {"walls", "in flow", "out_flow", "lid", "along", "roof", "5", "7"}) {
    EXPECT_EQ(faces_of(again, name), faces_of(mesh, name)) << name;
  }
  EXPECT_EQ(again.group, mesh.group);
}

TEST_F(SidesOfElements, LieWhereTheUnitOfTheFileSays) {
  auto const setup = read("unit = 'km'\n"), plain = read("");
  ASSERT_EQ(setup.mesh.position.size(), plain.mesh.position.size());
  for (std::size_t i = 0; i < setup.mesh.position.size(); ++i) {
    EXPECT_EQ(setup.mesh.position[i], 1000 * plain.mesh.position[i]);
  }
  EXPECT_NE(refusal("unit = 'ft'\n").find("mesh.unit"), std::string::npos);
}

}  // namespace
