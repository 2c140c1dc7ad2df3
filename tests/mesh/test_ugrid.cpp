// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/ugrid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/mesh/tetra_box.hpp"
#include "io/error.hpp"
#include "support/cf_check.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"
#include "support/ugrid_check.hpp"

namespace ulpine {
namespace {

using test::TemporaryFolder;
using Problems = std::vector<std::string>;

TetraMesh random_box(std::uint64_t seed) {
  auto const n = static_cast<std::int32_t>(seed);
  auto mesh = box_mesh({1 + n % 4, 1 + n % 3, 1 + n % 5, {1.1, 2.3, 0.7}, 1.3, 0.125, seed});
  mesh.group = {{ground, "ground"}, {lid, "lid"}};
  renumber(mesh);
  return mesh;
}

TEST(Ugrid, RoundTripsKeepAllBits) {
  TemporaryFolder const folder;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    auto const mesh = random_box(seed);
    write_ugrid(folder / "mesh.nc", mesh);
    auto const got = read_ugrid(folder / "mesh.nc");
    EXPECT_EQ(got.position, mesh.position);
    EXPECT_EQ(got.element, mesh.element);
    EXPECT_EQ(got.face, mesh.face);
    EXPECT_EQ(got.face_id, mesh.face_id);
    EXPECT_EQ(got.group, mesh.group);
    for (std::int64_t n = 0; n < got.nodes(); ++n) {
      ASSERT_EQ(got.node_number[static_cast<std::size_t>(n)], n);
    }
    for (std::int64_t e = 0; e < got.elements(); ++e) {
      ASSERT_EQ(got.element_number[static_cast<std::size_t>(e)], e);
    }
  }
}

TEST(Ugrid, FilesAreCfAndUgrid) {
  TemporaryFolder const folder;
  auto mesh = random_box(7);
  mesh.group[1].second = "the lid";
  write_ugrid(folder / "mesh.nc", mesh);
  EXPECT_EQ(test::cf_problems(folder / "mesh.nc"), Problems{});
  EXPECT_EQ(test::UgridCheck{folder / "mesh.nc"}.problems(), Problems{});
  EXPECT_EQ(read_ugrid(folder / "mesh.nc").group, mesh.group);
}

/// What a variable's attribute has, word by word.
std::vector<std::string> words(std::filesystem::path const& path, std::string const& variable,
                               char const* attribute) {
  test::NetcdfFile const file{path};
  int number = 0;
  if (nc_inq_varid(file.id(), variable.c_str(), &number) != NC_NOERR) return {"no variable"};
  return file.words(number, attribute);
}

TEST(Ugrid, NamesOfSidesAreKeptAndTheirWordsDiffer) {
  TemporaryFolder const folder;
  auto mesh = random_box(7);
  mesh.group = {{ground, "in flow"},   {lid, "in_flow"},   {inflow, "Ausla\u00df \"Ost\""},
                {outflow, "in\tflow"}, {south, "in flow"}, {north, ""}};
  write_ugrid(folder / "mesh.nc", mesh);
  EXPECT_EQ(
      words(folder / "mesh.nc", "mesh_boundary_id", "flag_meanings"),
      (std::vector<std::string>{"in_flow_2", "in_flow", "Ausla___Ost_", "in_flow_3", "in_flow_4", "_"}));
  EXPECT_EQ(test::cf_problems(folder / "mesh.nc"), Problems{});
  auto const got = read_ugrid(folder / "mesh.nc");
  EXPECT_EQ(got.group, mesh.group);
  EXPECT_EQ(faces_of(got, "in flow").size(), faces_of(mesh, "in flow").size());
}

TEST(Ugrid, TrianglesKeepAllTheirGroups) {
  TemporaryFolder const folder;
  std::mt19937 random(3);
  for (std::int32_t const groups : {2, 31, 32, 70}) {
    auto mesh = random_box(11);
    mesh.group.clear();
    for (std::int32_t g = 1; g <= groups; ++g) {
      if (g % 5 != 0) mesh.group.push_back({g, "side " + std::to_string(g % 4 == 0 ? g - 1 : g)});
    }
    for (std::int32_t f = 0; f < mesh.faces(); ++f) {
      auto& first = mesh.face_id[static_cast<std::size_t>(f)];
      first = 1 + static_cast<std::int32_t>(random() % static_cast<unsigned>(groups));
      for (auto g = first + 1; g <= groups; ++g) {
        if (random() % 8 == 0) mesh.more_groups.push_back({f, g});
      }
    }
    write_ugrid(folder / "mesh.nc", mesh);
    EXPECT_EQ(test::cf_problems(folder / "mesh.nc"), Problems{});
    EXPECT_EQ(test::UgridCheck{folder / "mesh.nc"}.problems(), Problems{});
    // Others read the bits alone: group k of the flags has bit k, and the first group has one too.
    test::NetcdfFile const file{folder / "mesh.nc"};
    auto const bits = file.variable("mesh_boundary_groups");
    auto const numbers = file.numbers(bits.id, "group_numbers"), masks = file.numbers(bits.id, "flag_masks");
    auto const values = file.values(bits);
    for (std::size_t f = 0; f < values.size(); ++f) {
      for (std::size_t k = 0; k < masks.size(); ++k) {
        auto const group = static_cast<std::int32_t>(numbers[k]);
        std::pair const further{static_cast<std::int32_t>(f), group};
        bool const within = mesh.face_id[f] == group ||
                            std::ranges::find(mesh.more_groups, further) != mesh.more_groups.end();
        ASSERT_EQ((static_cast<std::int32_t>(values[f]) & static_cast<std::int32_t>(masks[k])) != 0, within);
      }
    }
    auto const got = read_ugrid(folder / "mesh.nc");
    EXPECT_EQ(got.face_id, mesh.face_id);
    EXPECT_EQ(got.more_groups, mesh.more_groups);
    EXPECT_EQ(got.group, mesh.group);
  }
}

/// A file of another writer's, and what may be wrong in it.
struct Foreign {
  TetraMesh mesh = random_box(5);
  double start = 1, dimension = 3, shape = 4, id_of_first = 1, first_node = -1;
  std::string units = "m", positive = "up", role = "mesh_topology";
  std::string connectivity = "cells", coordinates = "px py pz", boundary = "sides", sides = "sets";
  std::string prefix = "p";  ///< of the coordinates' names, before x, y and z
  std::size_t width = 4;     ///< of the table of volumes
  double padding = -999;     ///< in what is behind the fourth
  bool across = false;       ///< volumes along the second dimension
  std::string along = "nc";  ///< which is said to count volumes; empty: it is not said

  void write(std::filesystem::path const& path) const {
    test::NetcdfWriting file{path};
    auto const size = [](auto n) { return static_cast<std::size_t>(n); };
    auto const elements = size(mesh.elements()), faces = size(mesh.faces());
    auto const node = file.dimension("points", size(mesh.nodes())), three = file.dimension("three", 3),
               cell = file.dimension("nc", elements), corner = file.dimension("corner", width),
               side = file.dimension("ns", faces);
    auto const topology = file.variable("grid", NC_INT, {});
    file.text(topology, "cf_role", role);
    file.number(topology, "topology_dimension", NC_INT, {dimension});
    file.text(topology, "node_coordinates", coordinates);
    file.text(topology, "volume_node_connectivity", connectivity);
    file.text(topology, "volume_shape_type", "shapes");
    if (!along.empty()) file.text(topology, "volume_dimension", along);
    if (!boundary.empty()) file.text(topology, "boundary_node_connectivity", boundary);
    if (!sides.empty()) file.text(topology, "boundary_id", sides);
    std::vector<int> place;
    for (auto const* letter : {"x", "y", "z"}) {
      auto const name = prefix + letter;
      place.push_back(file.variable(name.c_str(), NC_DOUBLE, {node}));
      file.text(place.back(), "units", units);
    }
    file.text(place[2], "positive", positive);
    auto const cells =
        file.variable("cells", NC_INT, across ? std::vector{corner, cell} : std::vector{cell, corner});
    file.number(cells, "_FillValue", NC_INT, {-999});
    if (start != 0) file.number(cells, "start_index", NC_INT, {start});
    auto const shapes = file.variable("shapes", NC_INT, {cell});
    file.number(shapes, "flag_values", NC_INT, {4, 8});
    file.text(shapes, "flag_meanings", "tetrahedron hexahedron");
    auto const triangles = file.variable("sides", NC_INT, {side, three});
    auto const ids = file.variable("sets", NC_INT, {side});
    file.number(ids, "_FillValue", NC_INT, {-999});
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<double> along;
      for (std::size_t n = d; n < mesh.position.size(); n += 3) along.push_back(mesh.position[n]);
      file.values(place[d], along);
    }
    std::vector<double> table(elements * width, padding);
    for (std::size_t e = 0; e < elements; ++e) {
      for (std::size_t i = 0; i < std::min<std::size_t>(width, 4); ++i) {
        table[across ? i * elements + e : e * width + i] = mesh.element[4 * e + i] + start;
      }
    }
    if (first_node != -1) table[0] = first_node;
    file.values(cells, table);
    std::vector<double> types(elements, 4);
    types.back() = shape;
    file.values(shapes, types);
    file.values(triangles, {mesh.face.begin(), mesh.face.end()});
    std::vector<double> all(mesh.face_id.begin(), mesh.face_id.end());
    all[0] = id_of_first;
    file.values(ids, all);
  }
  TetraMesh read() const {
    TemporaryFolder const folder;
    write(folder / "foreign.nc");
    return read_ugrid(folder / "foreign.nc");
  }
  std::string complaint() const {
    try {
      read();
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  }
};

TEST(Ugrid, CoordinatesThatAreCalledByTheirAxisAreReadInAnyOrder) {
  Foreign file;
  file.prefix = "";
  auto const expected = Foreign{}.read();
  for (auto const* order : {"x y z", "z y x", "y z x"}) {
    file.coordinates = order;
    auto const got = file.read();
    EXPECT_EQ(got.position, expected.position) << order;
    EXPECT_EQ(got.element, expected.element) << order;
  }
}

TEST(Ugrid, OthersWaysOfWritingAreRead) {
  Foreign plain;
  plain.id_of_first = plain.mesh.face_id[0];
  for (double const start : {0., 1.}) {
    for (std::size_t const width : {4U, 8U}) {
      for (bool const across : {false, true}) {
        auto foreign = plain;
        foreign.start = start, foreign.width = width, foreign.across = across;
        auto const got = foreign.read();
        EXPECT_EQ(got.position, plain.mesh.position);
        EXPECT_EQ(got.element, plain.mesh.element);
        EXPECT_EQ(got.face, plain.mesh.face);
        EXPECT_EQ(got.face_id, plain.mesh.face_id);
        EXPECT_EQ(got.node_number[0], static_cast<std::int64_t>(start));
      }
    }
  }
  auto inverted = plain;
  std::swap(inverted.mesh.element[2], inverted.mesh.element[3]);
  EXPECT_EQ(inverted.read().element, plain.mesh.element);
  auto in_km = plain;
  in_km.units = "km";
  for (auto& x : in_km.mesh.position) x *= 0x1p-10;
  auto metres = in_km.mesh.position;
  for (auto& x : metres) x *= 1000;
  EXPECT_EQ(in_km.read().position, metres);
}

TEST(Ugrid, BoundariesThatAreNotGivenAreThoseOfTheTetrahedra) {
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    Foreign foreign;
    foreign.mesh = random_box(seed);
    foreign.boundary = foreign.sides = "";
    std::swap(foreign.mesh.element[2], foreign.mesh.element[3]);  // inverted
    auto const got = foreign.read();
    // The triangles of the generator, which knows its sides, in the order of renumber().
    auto wanted = random_box(seed);
    wanted.face_id.assign(wanted.face_id.size(), 1);
    renumber(wanted);
    EXPECT_EQ(got.face, wanted.face);
    EXPECT_EQ(got.face_id, wanted.face_id);
    EXPECT_EQ(got.element, wanted.element);
    EXPECT_EQ(got.group, (decltype(got.group){{1, "boundary"}}));
  }
}

TEST(Ugrid, WithoutBoundariesTetrahedraThatOverlapAreStillRefused) {
  Foreign foreign;
  foreign.boundary = "";
  auto& element = foreign.mesh.element;
  element.insert(element.end(), element.begin(), element.begin() + 4);
  EXPECT_NE(foreign.complaint().find("foreign.nc: "), std::string::npos);
}

TEST(Ugrid, WhatIsNoSuchMeshIsRefusedInOneLine) {
  auto const expect = [](std::function<void(Foreign&)> const& change, std::string const& wanted) {
    Foreign foreign;
    change(foreign);
    auto const got = foreign.complaint();
    EXPECT_NE(got.find(wanted), std::string::npos) << wanted << "\n" << got;
    EXPECT_NE(got.find("foreign.nc: "), std::string::npos) << got;
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;
  };
  expect([](auto& f) { f.role = "mesh"; }, "no mesh of volumes");
  expect([](auto& f) { f.dimension = 2; }, "no mesh of volumes");
  expect([](auto& f) { f.connectivity = "none"; }, "none: no such variable");
  expect([](auto& f) { f.coordinates = "px py"; }, "names 2 variables");
  expect([](auto& f) { f.units = "degrees"; }, "px has units 'degrees'");
  expect([](auto& f) { f.positive = "down"; }, "pz counts downwards");
  expect([](auto& f) { f.boundary = "none"; }, "none: no such variable");
  expect([](auto& f) { f.sides = ""; }, "grid has no boundary_id");
  expect([](auto& f) { f.start = 2; }, "cells has another start_index");
  expect([](auto& f) { f.first_node = 0; }, "cells: no node 0 (row 0)");
  expect([](auto& f) { f.first_node = f.mesh.nodes() + 1; }, "cells: no node ");
  expect([](auto& f) { f.first_node = -999; }, "cells: nodes of row 0 are no tetrahedra");
  expect([](auto& f) { f.width = 5, f.padding = 1; }, "cells: nodes of row 0 are no tetrahedra");
  expect([](auto& f) { f.width = 3; }, "cells: its rows are no tetrahedra");
  expect([](auto& f) { f.across = true, f.along = ""; }, "grid has no volume_dimension");
  expect([](auto& f) { f.across = true, f.along = ""; }, "the dimension that counts tetrahedra");
  expect([](auto& f) { f.along = "ns"; }, "cells has no dimension 'ns'");
  expect([](auto& f) { f.shape = 8; }, "shapes: not all volumes are tetrahedra");
  expect([](auto& f) { f.id_of_first = -999; }, "sets is missing");
  expect([](auto& f) { f.sides = "shapes"; }, "boundary triangles");
  expect([](auto& f) { f.mesh.position[0] = std::numeric_limits<double>::infinity(); }, "");
  EXPECT_THROW(read_ugrid("/no/such/file.nc"), InputError);
}

}  // namespace
}  // namespace ulpine
