// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/planes.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <map>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::verification {
namespace {

using test::message_of;
using test::NetcdfWriting;
using test::TemporaryFolder;
using Shape = std::vector<std::int64_t>;

/// f of the named dimensions, and what their coordinates say ("axis" of CF), where they have some.
io::InputFile field(TemporaryFolder const& folder,
                    std::vector<std::pair<std::string, std::size_t>> const& dimensions,
                    std::map<std::string, std::string> const& axes = {},
                    std::string const& coordinates = "") {
  {
    NetcdfWriting file{folder / "a.nc"};
    std::vector<int> ids;
    for (auto const& [name, length] : dimensions) ids.push_back(file.dimension(name.c_str(), length));
    for (std::size_t d = 0; d < ids.size(); ++d) {
      auto const axis = axes.find(dimensions[d].first);
      if (axis == axes.end()) continue;
      file.text(file.variable(axis->first.c_str(), NC_DOUBLE, {ids[d]}), "axis", axis->second);
    }
    auto const f = file.variable("f", NC_FLOAT, ids);
    for (auto const& [name, standard] : {std::pair{"clon", "longitude"}, std::pair{"clat", "latitude"}}) {
      if (coordinates.empty()) continue;
      file.text(file.variable(name, NC_DOUBLE, {ids.back()}), "standard_name", standard);
      file.text(f, "coordinates", coordinates);
    }
  }
  return io::InputFile(folder / "a.nc");
}

Planes planes(io::InputFile const& file, PlaneChoice const& choice = {}) {
  return planes_of(file, "f", choice, "a.nc: f", "a test wants");
}

std::string refused(io::InputFile const& file, PlaneChoice const& choice = {}) {
  return message_of<InputError>([&] { planes(file, choice); });
}

TEST(Planes, AreOfRowsAndColumnsWhereverTheseStand) {
  TemporaryFolder const folder;
  struct Case {
    std::vector<std::pair<std::string, std::size_t>> dimensions;
    std::map<std::string, std::string> axes;
    std::size_t rows, columns;
    std::int64_t count;
  };
  std::vector<Case> const cases = {
      {{{"y", 4}, {"x", 5}}, {}, 0, 1, 1},
      {{{"time", 2}, {"lev", 3}, {"lat", 4}, {"lon", 5}}, {}, 1, 2, 3},
      {{{"lon", 5}, {"lat", 4}, {"lev", 3}}, {}, 0, 1, 3},
      {{{"ens", 2}, {"time", 3}, {"j", 4}, {"i", 5}}, {}, 1, 2, 2},
      {{{"a", 4}, {"b", 5}, {"c", 3}}, {{"a", "Y"}, {"b", "X"}}, 0, 1, 3},
      {{{"time", 2}, {"z", 3}, {"y", 1}, {"xh", 5}}, {}, 0, 2, 1},  // a section
      {{{"ens", 2}, {"z", 3}, {"y", 4}, {"x", 1}}, {}, 1, 2, 2},    // sections
      {{{"lev", 3}, {"member", 1}, {"lat", 4}, {"lon", 5}}, {}, 2, 3, 3},
      {{{"south_north", 4}, {"west_east_stag", 5}, {"bottom_top", 3}}, {}, 0, 1, 3},
      {{{"p", 1}, {"nj", 1}, {"ni", 1}}, {}, 1, 2, 1},
      {{{"ens", 2}, {"y", 1}, {"x", 5}}, {}, 1, 2, 2},      // single rows
      {{{"y", 5}, {"x", 1}}, {}, 0, 1, 1},                  // a single column
      {{{"lev", 3}, {"lon", 1}}, {}, 0, 1, 1},              // a section of one column
      {{{"pft", 3}, {"lat", 4}, {"lon", 5}}, {}, 1, 2, 3},  // cells of a kind beside rows and columns
      {{{"i", 3}, {"lat", 4}, {"lon", 5}}, {}, 1, 2, 3},    // an index gives way to a place
      {{{"xq", 3}, {"a", 4}, {"b", 5}}, {{"a", "Y"}, {"b", "X"}}, 1, 2, 3},  // and a name to a coordinate
  };
  for (auto const& [dimensions, axes, rows, columns, count] : cases) {
    auto const file = field(folder, dimensions, axes);
    auto const found = planes(file);
    EXPECT_EQ(found.rows, rows) << dimensions[0].first;
    EXPECT_EQ(found.columns, columns) << dimensions[0].first;
    EXPECT_EQ(found.count, count) << dimensions[0].first;
    auto const shape = file.info("f").shape;
    EXPECT_EQ(found.row_count, shape[rows]);
    EXPECT_EQ(found.column_count, shape[columns]);
  }
}

TEST(Planes, AreChosenByLevelAndByName) {
  TemporaryFolder const folder;
  auto const file = field(folder, {{"ens", 2}, {"lev", 3}, {"lat", 4}, {"lon", 5}});
  auto const all = planes(file);
  EXPECT_EQ(all.along, "2 of ens and 3 of lev");
  EXPECT_EQ(all.count, 6);
  EXPECT_EQ(all.box(0).start, (Shape{0, 0, 0, 0}));
  EXPECT_EQ(all.box(1).start, (Shape{0, 1, 0, 0}));
  EXPECT_EQ(all.box(5).start, (Shape{1, 2, 0, 0}));
  EXPECT_EQ(all.box(5).count, (Shape{1, 1, 4, 5}));
  auto const level = planes(file, {-1, {}});
  EXPECT_EQ(level.along, "2 of ens");
  EXPECT_EQ(level.box(1).start, (Shape{1, 2, 0, 0}));
  auto const one = planes(file, {1, {{"ens", -2}}});
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(one.along, "");
  EXPECT_EQ(one.box(0).start, (Shape{0, 1, 0, 0}));
  // Across an axis: a section.
  auto const section = planes(file, {{}, {{"lat", 3}, {"ens", 1}}});
  EXPECT_EQ(section.rows, 1u);
  EXPECT_EQ(section.columns, 3u);
  EXPECT_EQ(section.box(0).start, (Shape{1, 0, 3, 0}));
  EXPECT_EQ(section.box(0).count, (Shape{1, 3, 1, 5}));
}

TEST(Planes, RefuseWhatIsNotThere) {
  TemporaryFolder const folder;
  {
    auto const file = field(folder, {{"ens", 2}, {"lev", 3}, {"lat", 4}, {"lon", 5}});
    EXPECT_NE(refused(file, {3, {}}).find("a.nc: f: no index 3 along lev (it has 3, counted from 0)"),
              std::string::npos);
    EXPECT_NE(refused(file, {-4, {}}).find("no index -4 along lev"), std::string::npos);
    EXPECT_NE(refused(file, {{}, {{"member", 0}}})
                  .find("no dimension 'member' (besides time it has ens, lev, lat, lon)"),
              std::string::npos);
    EXPECT_NE(refused(file, {1, {{"lev", 0}, {"ens", 0}}}).find("no levels"), std::string::npos);
  }
  {
    auto const file = field(folder, {{"y", 4}, {"x", 5}});
    EXPECT_NE(refused(file, {{}, {{"x", 0}}}).find("too little is left"), std::string::npos);
    EXPECT_NE(refused(file, {0, {}}).find("no levels"), std::string::npos);
  }
  EXPECT_NE(
      refused(field(folder, {{"time", 2}, {"x", 5}})).find("has 1 dimension besides time (a test wants two)"),
      std::string::npos);
  auto const why = "lies on cells without rows and columns along cell";
  EXPECT_NE(refused(field(folder, {{"lev", 4}, {"cell", 5}}, {}, "clat clon")).find(why), std::string::npos);
  EXPECT_NE(refused(field(folder, {{"lev", 4}, {"cell", 5}})).find(why), std::string::npos);
  EXPECT_NE(refused(field(folder, {{"y", 4}, {"x", 5}}, {}, "clat clon")).find("columns along x"),
            std::string::npos);
  EXPECT_NE(refused(field(folder, {{"lev", 4}, {"ncol", 5}})).find("along ncol"), std::string::npos);
}

TEST(Planes, AreKnownByTheNamesThatModelsGive) {
  TemporaryFolder const folder;
  for (auto const& [rows, columns] : {std::pair{"yc", "xc"},
                                      {"yh", "xq"},
                                      {"yt_ocean", "xu_ocean"},
                                      {"grid_yt", "grid_xt"},
                                      {"eta_rho", "xi_rho"},
                                      {"eta_v", "xi_v"},
                                      {"eta", "xi"},
                                      {"nlat", "nlon"},
                                      {"nj", "ni"},
                                      {"south_north", "west_east"},
                                      {"YC", "XG"},
                                      {"j_g", "i_g"},
                                      {"yv", "xu"},
                                      {"rows", "columns"},
                                      {"row", "col"},
                                      {"line", "pixel"},
                                      {"ydim", "xdim"},
                                      {"Ydim", "Xdim"},
                                      {"iy", "jx"},
                                      {"rlat", "rlon"},
                                      {"latitude", "longitude"},
                                      {"lat_0", "lon_0"},
                                      {"ny", "nx"},
                                      {"y_grid_T", "x_grid_T"},
                                      {"nrows", "ncols"},
                                      {"nav_lat", "nav_lon"},
                                      {"northing", "easting"},
                                      {"grid_latitude", "grid_longitude"},
                                      {"ROW", "COL"},
                                      {"Yp1", "Xp1"}}) {
    auto const file = field(folder, {{"member", 2}, {columns, 5}, {rows, 4}});
    EXPECT_EQ(refused(file), "(nothing thrown)") << rows;
    auto const found = planes(file);
    EXPECT_EQ(found.rows, 1u) << rows;
    EXPECT_EQ(found.columns, 2u) << rows;
  }
}

TEST(Planes, AreRefusedWhereNoPlacesAreKnown) {
  TemporaryFolder const folder;
  struct Case {
    char const *levels, *other;
  };
  for (auto const& [levels, cells] : {Case{"nz1", "nod2"},
                                      {"nz", "nod3"},
                                      {"nz1", "elem"},
                                      {"nVertLevels", "nCells"},
                                      {"nVertLevels", "nEdges"},
                                      {"nVertLevels", "nVertices"},
                                      {"height", "ncells_2"},
                                      {"height", "ncells_3"},
                                      {"height", "edge"},
                                      {"height", "vertex"},
                                      {"lev", "ncol_d"},
                                      {"levgrnd", "lndgrid"},
                                      {"levgrnd", "column"},
                                      {"levgrnd", "pft"},
                                      {"levgrnd", "landunit"},
                                      {"nSCHISM_vgrid_layers", "nSCHISM_hgrid_node"},
                                      {"siglay", "nele"},
                                      {"mesh2d_nLayers", "mesh2d_nFaces"},
                                      {"nMesh2_layer", "nMesh2_face"},
                                      {"lev", "n2d"},
                                      {"lev", "n_face"},
                                      {"lev", "values"}}) {
    for (auto const& dimensions : {std::pair{levels, cells}, std::pair{cells, levels}}) {
      auto const said = refused(field(folder, {{dimensions.first, 4}, {dimensions.second, 5}}));
      EXPECT_NE(said.find(std::string("cells without rows and columns along ") + cells), std::string::npos)
          << cells << ": " << said;
    }
  }
  EXPECT_EQ(
      refused(field(folder, {{"lev", 4}, {"member", 5}})),
      "a.nc: f: no place is known along member (a test wants rows and columns, and neither a coordinate "
      "nor the name tells that it is one of x, y or the vertical) name rows and columns, as by --plane "
      "lev,member");
  auto const two = refused(field(folder, {{"ens", 2}, {"a", 4}, {"b", 5}}));
  EXPECT_NE(two.find("no place is known along ens, a, b"), std::string::npos) << two;
  EXPECT_NE(two.find("--plane a,b"), std::string::npos) << two;
  for (auto const* name : {"year", "xtime", "latency", "zone", "lonely", "index"}) {
    EXPECT_NE(refused(field(folder, {{name, 4}, {"lon", 5}})).find(std::string("known along ") + name),
              std::string::npos)
        << name;
  }
  auto const twice = refused(field(folder, {{"lat", 3}, {"latitude", 4}, {"lon", 5}}));
  EXPECT_NE(twice.find("which dimensions are rows and columns is not clear (it has lat, latitude, lon"),
            std::string::npos)
      << twice;
}

TEST(Planes, AreWhatIsNamed) {
  TemporaryFolder const folder;
  auto const file = field(folder, {{"ens", 2}, {"a", 4}, {"b", 5}});
  auto const named = planes(file, {{}, {}, {{"b", "a"}}});
  EXPECT_EQ(named.rows, 1u);
  EXPECT_EQ(named.columns, 2u);
  EXPECT_EQ(named.along, "2 of ens");
  auto const other = planes(file, {{}, {{"b", 3}}, {{"ens", "a"}}});
  EXPECT_EQ(other.rows, 0u);
  EXPECT_EQ(other.columns, 1u);
  EXPECT_EQ(other.box(0).start, (Shape{0, 0, 3}));
  EXPECT_NE(refused(file, {{}, {}, {{"a", "a"}}}).find("names a twice"), std::string::npos);
  EXPECT_NE(refused(file, {{}, {}, {{"a", "c"}}}).find("no dimension 'c' (besides time it has ens, a, b)"),
            std::string::npos);
  EXPECT_NE(refused(file, {{}, {{"a", 0}}, {{"a", "b"}}}).find("--at chooses one place along a"),
            std::string::npos);
  // Cells in no order have rows and columns if the user says so.
  TemporaryFolder const beside;
  EXPECT_EQ(
      planes(field(beside, {{"lev", 4}, {"cell", 5}}, {}, "clat clon"), {{}, {}, {{"lev", "cell"}}}).count,
      1);
}

/// f of a dimension twice, and once more of y and x.
io::InputFile twice(TemporaryFolder const& folder) {
  {
    NetcdfWriting file{folder / "a.nc"};
    auto const country = file.dimension("country", 3), y = file.dimension("y", 4), x = file.dimension("x", 5);
    file.variable("f", NC_FLOAT, {country, country, y, x});
    file.variable("g", NC_FLOAT, {country, country});
  }
  return io::InputFile(folder / "a.nc");
}

TEST(Planes, CountDimensionsOfOneName) {
  TemporaryFolder const folder;
  auto const file = twice(folder);
  EXPECT_EQ(planes(file).along, "3 of country and 3 of country");
  auto const first = planes(file, {{}, {{"country:1", 2}}}), second = planes(file, {{}, {{"country:2", -1}}});
  EXPECT_EQ(first.box(1).start, (Shape{2, 1, 0, 0}));
  EXPECT_EQ(second.box(1).start, (Shape{1, 2, 0, 0}));
  EXPECT_EQ(planes(file, {{}, {{"country:1", 2}, {"country:2", 1}}}).count, 1);
  EXPECT_EQ(refused(file, {{}, {{"country", 0}}}),
            "a.nc: f: 'country' is the name of 2 dimensions (it does not say which) write country:1 for the "
            "first of them, country:2 for the second");
  EXPECT_NE(refused(file, {{}, {{"country:3", 0}}}).find("it has country:1, country:2, y, x"),
            std::string::npos);
  EXPECT_NE(refused(file, {{}, {{"y:1", 0}}}).find("no dimension 'y:1'"), std::string::npos);
  auto const square = message_of<InputError>([&] { planes_of(file, "g", {}, "a.nc: g", "a test wants"); });
  EXPECT_NE(square.find("--plane country:1,country:2"), std::string::npos) << square;
  auto const named = planes_of(file, "g", {{}, {}, {{"country:1", "country:2"}}}, "a.nc: g", "a test wants");
  EXPECT_EQ(named.rows, 0u);
  EXPECT_EQ(named.columns, 1u);
}

/// f of (levels, p, q) with the given variables of (p, q) and attribute `coordinates`.
TEST(Planes, AreSpannedByLongitudesAndLatitudesOfAllPoints) {
  TemporaryFolder const folder;
  struct Case {
    char const *longitude, *latitude, *coordinates;
    bool known;
  };
  for (auto const& [longitude, latitude, coordinates, known] :
       {Case{"nav_lon", "nav_lat", "", true},
        {"LONGITUDE", "LATITUDE", "", true},
        {"TLON", "TLAT", "TLAT TLON", true},
        {"east_of", "north_of", "east_of north_of", true},
        {"east_of", "north_of", "", false},
        {"nav_lon", "other", "", false}}) {
    {
      NetcdfWriting file{folder / "a.nc"};
      auto const level = file.dimension("level", 2), p = file.dimension("p", 4), q = file.dimension("q", 5);
      file.text(file.variable(longitude, NC_DOUBLE, {p, q}), "units", "degrees_east");
      file.text(file.variable(latitude, NC_DOUBLE, {p, q}), "units", "degrees_north");
      auto const f = file.variable("f", NC_FLOAT, {level, p, q});
      if (*coordinates != '\0') file.text(f, "coordinates", coordinates);
    }
    io::InputFile const file(folder / "a.nc");
    if (!known) {
      EXPECT_NE(refused(file).find("no place is known along p, q"), std::string::npos) << longitude;
      continue;
    }
    EXPECT_EQ(planes(file).count, 2) << longitude;
    EXPECT_EQ(planes(file).rows, 1u) << longitude;
    EXPECT_EQ(planes(file).columns, 2u) << longitude;
    EXPECT_EQ(planes(file, {{}, {{"p", 1}}}).rows, 0u) << longitude;  // a section
  }
}

/// Attributes tell of cells in no order, whatever their dimension is called.
TEST(Planes, AreNotOfMeshesAndGatheredPoints) {
  TemporaryFolder const folder;
  for (auto const* const how :
       {"location", "coordinates", "connectivity", "dimension", "compress", "CDI_grid_type", "none"}) {
    auto const is = [&](char const* name) { return std::string(how) == name; };
    {
      NetcdfWriting file{folder / "a.nc"};
      auto const y = file.dimension("y", 4), x = file.dimension("x", 5), three = file.dimension("three", 3);
      auto const f = file.variable("f", NC_FLOAT, {y, x});
      if (is("location")) {
        file.text(f, "mesh", "mesh_of_another_file");
        file.text(f, "location", "face");
      }
      if (is("CDI_grid_type")) file.text(f, "CDI_grid_type", "unstructured");
      if (is("compress")) file.text(file.variable("x", NC_INT, {x}), "compress", "lat lon");
      if (is("coordinates") || is("connectivity") || is("dimension")) {
        auto const mesh = file.variable("mesh", NC_INT, {});
        file.text(mesh, "cf_role", "mesh_topology");
        if (is("coordinates")) file.text(mesh, "node_coordinates", "node_x node_y");
        if (is("connectivity")) file.text(mesh, "face_node_connectivity", "faces");
        if (is("dimension")) file.text(mesh, "face_dimension", "x");
        if (is("dimension")) file.text(mesh, "face_node_connectivity", "corners");
        file.variable("node_x", NC_DOUBLE, {x});
        file.variable("node_y", NC_DOUBLE, {x});
        file.variable("faces", NC_INT, {x, three});
        file.variable("corners", NC_INT, {three, x});
      }
    }
    io::InputFile const file(folder / "a.nc");
    if (is("none")) {
      EXPECT_EQ(refused(file), "(nothing thrown)");
      continue;
    }
    EXPECT_NE(refused(file).find("cells without rows and columns along x"), std::string::npos)
        << how << ": " << refused(file);
  }
}

TEST(VerticalDimension, IsWhatACoordinateOrANameSays) {
  TemporaryFolder const folder;
  EXPECT_EQ(vertical_dimension(field(folder, {{"lev", 3}, {"lat", 4}}), "f"), 0u);
  EXPECT_EQ(vertical_dimension(field(folder, {{"lat", 4}, {"height_2", 3}}), "f"), 1u);
  EXPECT_EQ(vertical_dimension(field(folder, {{"k", 3}, {"lat", 4}}, {{"k", "Z"}}), "f"), 0u);
  EXPECT_EQ(vertical_dimension(field(folder, {{"ens", 3}, {"lat", 4}}), "f"), std::nullopt);
}

}  // namespace
}  // namespace ulpine::verification
