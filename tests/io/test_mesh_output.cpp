// SPDX-License-Identifier: Apache-2.0
// Unstructured meshes by the conventions CF-1.11 and UGRID-1.0.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "io/netcdf.hpp"
#include "support/cf_check.hpp"
#include "support/temporary_folder.hpp"
#include "support/ugrid_check.hpp"

namespace ulpine::io {
namespace {

using test::TemporaryFolder;
using Problems = std::vector<std::string>;

/// Nodes and elements of a mesh; what an UnstructuredMesh gives out.
struct Mesh {
  std::vector<double> x, y, z, centre_x, centre_y;
  std::vector<std::int32_t> nodes;

  UnstructuredMesh topology(int dimension) const {
    UnstructuredMesh mesh;
    mesh.name = dimension == 2 ? "surface" : "air";
    mesh.dimension = dimension;
    mesh.nodes_per_element = dimension + 1;
    mesh.nodes = static_cast<std::int64_t>(x.size());
    mesh.elements = static_cast<std::int64_t>(nodes.size()) / mesh.nodes_per_element;
    mesh.node_coordinates = {{"projection_x_coordinate", "x of nodes", "m", slabs_of(x)},
                             {"projection_y_coordinate", "y of nodes", "m", slabs_of(y)}};
    if (!z.empty()) mesh.node_coordinates.push_back({"height", "height of nodes", "m", slabs_of(z)});
    if (!centre_x.empty()) {
      mesh.element_coordinates = {{"projection_x_coordinate", "x of centres", "m", slabs_of(centre_x)},
                                  {"projection_y_coordinate", "y of centres", "m", slabs_of(centre_y)}};
    }
    mesh.connectivity = slabs_of(nodes);
    return mesh;
  }
};

/// The rectangle of 3 x 2 unit squares, each cut in two triangles, anticlockwise.
Mesh triangles() {
  Mesh mesh;
  for (int j = 0; j <= 2; ++j) {
    for (int i = 0; i <= 3; ++i) mesh.x.push_back(i), mesh.y.push_back(j);
  }
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 3; ++i) {
      int const a = 4 * j + i, b = a + 1, c = a + 5, d = a + 4;
      for (auto const node : {a, b, c, a, c, d}) mesh.nodes.push_back(node);
      mesh.centre_x.insert(mesh.centre_x.end(), {i + 2. / 3, i + 1. / 3});
      mesh.centre_y.insert(mesh.centre_y.end(), {j + 1. / 3, j + 2. / 3});
    }
  }
  return mesh;
}

/// The unit cube cut in six tetrahedra around a diagonal (Kuhn), in VTK's order: the fourth node is on the
/// side from which the first three are seen anticlockwise.
Mesh tetrahedra() {
  Mesh mesh;
  for (int node = 0; node < 8; ++node) {
    mesh.x.push_back(node & 1), mesh.y.push_back(node >> 1 & 1), mesh.z.push_back(node >> 2 & 1);
  }
  for (auto const& [a, b] : {std::pair{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}}) {
    for (auto const node : {0, a, b, 7}) mesh.nodes.push_back(node);
  }
  return mesh;
}

FieldInfo on(UnstructuredMesh const& mesh, std::string const& name, std::string const& location,
             std::string const& units = "K") {
  auto const of_nodes = location == "node";
  FieldInfo info{name,
                 "",
                 name,
                 units,
                 {of_nodes ? mesh.node_dimension() : mesh.element_dimension()},
                 {of_nodes ? mesh.nodes : mesh.elements},
                 ""};
  info.mesh = mesh.name;
  info.location = location;
  return info;
}

/// Temperature at the nodes, wind at the elements, one record of their numbers, and the elements' measure.
void write(std::filesystem::path const& path, UnstructuredMesh const& mesh) {
  auto const measure = on(mesh, mesh.dimension == 2 ? "cell_area" : "cell_volume", mesh.element(),
                          mesh.dimension == 2 ? "m2" : "m3");
  auto wind = on(mesh, "wind", mesh.element(), "m s-1");
  wind.dimensions.insert(wind.dimensions.begin(), "level");
  wind.shape.insert(wind.shape.begin(), 2);
  OutputFile file{path,
                  "A mesh",
                  {{"level", "height", "", "m", "Z", {1, 2}}},
                  {on(mesh, "temperature", "node"), on(mesh, "rain", mesh.element(), "m"), wind},
                  {measure},
                  build_provenance(),
                  "",
                  {},
                  "2000-01-01 00:00:00",
                  {mesh}};
  auto const numbers = [](std::int64_t first, std::int64_t count, void* values) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<double*>(values)[i] = static_cast<double>(first + i);
  };
  file.write_static(measure.name, numbers);
  file.begin_time(0);
  for (auto const* name : {"temperature", "rain", "wind"}) file.write(name, numbers);
  file.finish_time();
  file.close();
}

TEST(MeshOutput, IsCfAndUgrid) {
  TemporaryFolder const folder;
  auto const faces = triangles(), volumes = tetrahedra();
  for (auto const& mesh : {faces.topology(2), volumes.topology(3)}) {
    auto const path = folder / (mesh.name + ".nc");
    write(path, mesh);
    EXPECT_EQ(test::cf_problems(path), Problems{});
    EXPECT_EQ(test::UgridCheck{path}.problems(), Problems{});
    test::NetcdfFile const file{path};
    auto const text = [&](std::string const& variable, char const* name) {
      return file.text(file.variable(variable).id, name);
    };
    EXPECT_EQ(text("temperature", "location"), "node");
    EXPECT_EQ(text("temperature", "cell_measures"), "");
    if (mesh.dimension == 2) {
      EXPECT_EQ(text("temperature", "coordinates"), "surface_node_x surface_node_y");
      EXPECT_EQ(text("wind", "coordinates"), "surface_face_x surface_face_y");
      EXPECT_EQ(text("wind", "cell_measures"), "area: cell_area") << "levels have the area of their column";
    } else {
      EXPECT_EQ(text("temperature", "coordinates"), "air_node_x air_node_y air_node_z");
      EXPECT_EQ(text("rain", "cell_measures"), "volume: cell_volume");
      EXPECT_EQ(text("air_node_z", "positive"), "up");
      EXPECT_EQ(file.values(file.variable("air_volume_types")), std::vector<double>(6, 0));
    }
    EXPECT_EQ(file.values(file.variable("rain"))[1], 1);
  }
}

/// Of the rectangle, with heights: VTK takes the last of node_coordinates for y.
TEST(MeshOutput, HasHeightsOfFacesAsAFieldOnThem) {
  TemporaryFolder const folder;
  auto faces = triangles();
  for (auto const x : faces.x) faces.z.push_back(10 * x);
  faces.centre_x.clear();
  auto const mesh = faces.topology(2);
  write(folder / "a.nc", mesh);
  EXPECT_EQ(test::cf_problems(folder / "a.nc"), Problems{});
  EXPECT_EQ(test::UgridCheck{folder / "a.nc"}.problems(), Problems{});
  test::NetcdfFile const file{folder / "a.nc"};
  auto const text = [&](std::string const& variable, char const* name) {
    return file.text(file.variable(variable).id, name);
  };
  EXPECT_EQ(text("surface", "node_coordinates"), "surface_node_x surface_node_y");
  EXPECT_EQ(text("surface_node_z", "mesh"), "surface");
  EXPECT_EQ(text("surface_node_z", "location"), "node");
  EXPECT_EQ(file.values(file.variable("surface_node_z")), faces.z);
}

/// Whether the system's Python has that module, with a class of it where `name` is not empty.
bool python_has(std::string const& module, std::string const& name) {
  auto const command = "/usr/bin/python3 -c 'from " + module + " import " + name + "' 2>/dev/null";
  return std::filesystem::exists("/usr/bin/python3") && std::system(command.c_str()) == 0;
}

TEST(MeshOutput, VtkShowsFacesWithTheirFields) {
  if (!python_has("vtkmodules.vtkIONetCDF", "vtkNetCDFUGRIDReader")) {
    GTEST_SKIP() << "no VTK of Python with a reader of UGRID (Debian: apt-get install python3-paraview)";
  }
  TemporaryFolder const folder;
  write(folder / "triangles.nc", triangles().topology(2));
  auto squares = triangles();
  squares.nodes.clear();
  squares.centre_x.clear();
  for (int a : {0, 1, 2, 4, 5, 6}) {
    for (int const node : {a, a + 1, a + 5, a + 4}) squares.nodes.push_back(node);
  }
  auto mesh = squares.topology(2);
  mesh.nodes_per_element = 4;
  mesh.elements = 6;
  write(folder / "squares.nc", mesh);
  test::write_file(folder / "check.py", R"(
import sys
from vtkmodules.vtkIONetCDF import vtkNetCDFUGRIDReader
for name, cells, area in (("triangles", 12, 0.5), ("squares", 6, 1)):
    reader = vtkNetCDFUGRIDReader()
    reader.SetFileName(sys.argv[1] + "/" + name + ".nc")
    reader.UpdateInformation()
    reader.SetCellArrayStatus("wind", 0)  # fields of levels are beyond it
    reader.Update()
    mesh = reader.GetOutput()
    assert (mesh.GetNumberOfCells(), mesh.GetNumberOfPoints()) == (cells, 12), mesh
    assert mesh.GetBounds() == (0, 3, 0, 2, 0, 0), mesh.GetBounds()
    for cell in range(cells):
        assert mesh.GetCell(cell).ComputeArea() == area if cells == 12 else mesh.GetCell(cell).GetLength2() == 2
    temperature, rain = mesh.GetPointData().GetArray("temperature"), mesh.GetCellData().GetArray("rain")
    assert [temperature.GetValue(k) for k in range(12)] == list(range(12))
    assert [rain.GetValue(k) for k in range(cells)] == list(range(cells))
)");
  auto const command = "/usr/bin/python3 " + (folder / "check.py").string() + " " + (folder / "").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(MeshOutput, HasAnXdmfFileBesideItThatIsWholeAfterEachTime) {
  TemporaryFolder const folder;
  auto const volumes = tetrahedra();
  auto const mesh = volumes.topology(3);
  OutputFile file{folder / "a&b.nc", "t",   {}, {on(mesh, "rain", "volume", "m")}, {}, {}, "", {},
                  "2000-01-01",      {mesh}};
  auto const text = [&] { return test::read_file(folder / "a&b.xdmf"); };
  auto const count = [&](std::string const& what) {
    int found = 0;
    auto const all = text();
    for (auto at = all.find(what); at != std::string::npos; at = all.find(what, at + 1)) ++found;
    return found;
  };
  std::vector<double> const rain(6, 1);
  int times = 0;
  for (double const time : {0.0, 0.5, 0.5, 1234.5}) {
    file.begin_time(time);
    file.write("rain", slabs_of(rain));
    file.finish_time();
    times += time == 0.5 && times == 2 ? 0 : 1;
    EXPECT_EQ(count("<Time Value="), times) << "a time given again replaces its record";
    EXPECT_EQ(count("</Xdmf>"), 1);
    EXPECT_TRUE(text().ends_with("</Xdmf>\n"));
  }
  EXPECT_EQ(count("<Time Value=\"1234.5\"/>"), 1) << text();
  EXPECT_EQ(count(">a&amp;b.nc:/rain<"), 3);
  EXPECT_EQ(count("TopologyType=\"Tetrahedron\" NumberOfElements=\"6\""), 3);
}

TEST(MeshOutput, TellsTheShapeOfItsVolumes) {
  TemporaryFolder const folder;
  auto cube = tetrahedra();
  cube.nodes = {0, 1, 3, 2, 4, 5, 7, 6};
  auto mesh = cube.topology(3);
  mesh.nodes_per_element = 8;
  mesh.elements = 1;
  write(folder / "a.nc", mesh);
  EXPECT_EQ(test::UgridCheck{folder / "a.nc"}.problems(), Problems{});
  test::NetcdfFile const file{folder / "a.nc"};
  auto const kind = file.values(file.variable("air_volume_types")).at(0);
  EXPECT_EQ(
      file.words(file.variable("air_volume_types").id, "flag_meanings").at(static_cast<std::size_t>(kind)),
      "hexahedron");
}

/// Applies an edit to a file.
void edit(std::filesystem::path const& path,
          std::function<void(int, std::function<int(char const*)>)> const& change) {
  int file = -1;
  ASSERT_EQ(nc_open(path.c_str(), NC_WRITE, &file), NC_NOERR);
  nc_redef(file);
  change(file, [file](char const* name) {
    int variable = -1;
    EXPECT_EQ(nc_inq_varid(file, name, &variable), NC_NOERR) << name;
    return variable;
  });
  ASSERT_EQ(nc_close(file), NC_NOERR);
}

TEST(MeshOutput, TheChecksSeePlantedFaults) {
  TemporaryFolder const folder;
  auto const mesh = tetrahedra();
  auto const text = [](char const* variable, char const* name, std::string const& value) {
    return [=](int file, std::function<int(char const*)> const& id) {
      nc_put_att_text(file, id(variable), name, value.size(), value.c_str());
    };
  };
  std::vector<std::pair<std::function<void(int, std::function<int(char const*)>)>, std::string>> const
      faults = {{text("air_volume_nodes", "cf_role", "face_node_connectivity"),
                 "air_volume_nodes: has another cf_role"},
                {text("air", "node_coordinates", "air_node_x nowhere"),
                 "air: node_coordinates names no variable of one dimension: nowhere"},
                {text("air", "volume_node_connectivity", "none"), "air: no volume_node_connectivity"},
                {text("air", "volume_dimension", "nair_node"),
                 "air: volume_dimension is not that of air_volume_nodes"},
                {text("air", "volume_shape_type", ""), "air: no volume_shape_type"},
                {text("air_volume_types", "flag_meanings", "wedge pyramid tetrahedron hexahedron"),
                 "air_volume_types: is not of the shape that its nodes make"},
                {text("temperature", "location", "volume"),
                 "temperature: has not the dimension of its location alone"},
                {text("temperature", "mesh", "sea"), "temperature: mesh names no mesh: sea"},
                {[](int file, auto const& id) {
                   int const two = 2;
                   nc_put_att_int(file, id("air_volume_nodes"), "start_index", NC_INT, 1, &two);
                 },
                 "air_volume_nodes: start_index is not 0 or 1"},
                {[](int file, auto const& id) {
                   nc_enddef(file);
                   std::size_t const place[] = {5, 3};
                   int const node = 8;
                   nc_put_var1_int(file, id("air_volume_nodes"), place, &node);
                 },
                 "air_volume_nodes: names no node: 8.000000"}};
  for (auto const& [fault, problem] : faults) {
    write(folder / "a.nc", mesh.topology(3));
    edit(folder / "a.nc", fault);
    auto found = test::UgridCheck{folder / "a.nc"}.problems();
    found.resize(1);  // one fault may lead to others
    EXPECT_EQ(found[0], problem);
  }
  for (auto const& [fault, problem] :
       {std::pair{text("rain", "cell_measures", "volume: cell_volume area:"),
                  "rain: cell_measures is no list of measures and variables"},
        {text("cell_volume", "units", "m2"), "rain: cell_volume has no units of an volume:"},
        {text("temperature", "cell_measures", "volume: cell_volume"),
         "temperature: has not all dimensions of cell_volume"},
        {text("air_volume_types", "flag_meanings", "tetrahedron"),
         "air_volume_types: flag_values and flag_meanings do not belong together"},
        {text("air_node_z", "positive", "north"), "air_node_z: positive north"}}) {
    write(folder / "a.nc", mesh.topology(3));
    edit(folder / "a.nc", fault);
    EXPECT_EQ(test::cf_problems(folder / "a.nc"), Problems{problem});
  }
}

TEST(MeshOutput, RefusesWhatIsNoMesh) {
  TemporaryFolder const folder;
  auto const faces = triangles(), volumes = tetrahedra();
  auto const refused = [&](UnstructuredMesh const& mesh) {
    EXPECT_THROW(write(folder / "a.nc", mesh), std::invalid_argument);
  };
  auto mesh = volumes.topology(3);
  mesh.nodes_per_element = 7;
  refused(mesh);
  mesh = volumes.topology(3);
  mesh.node_coordinates.pop_back();
  refused(mesh);
  mesh = faces.topology(2);
  mesh.nodes_per_element = 2;
  refused(mesh);
  mesh = faces.topology(2);
  mesh.dimension = 1;
  refused(mesh);
  auto lost = on(faces.topology(2), "lost", "volume");
  EXPECT_THROW(
      (OutputFile{folder / "a.nc", "t", {}, {lost}, {}, {}, "", {}, "2000-01-01", {faces.topology(2)}}),
      std::invalid_argument);
  lost = on(faces.topology(2), "lost", "face");
  EXPECT_THROW((OutputFile{folder / "a.nc", "t", {}, {lost}, {}, {}, ""}), std::invalid_argument);
}

TEST(MeshOutput, XarrayAndNetcdf4FindTheSameAreasAndVolumes) {
  if (!std::filesystem::exists("/usr/bin/python3") ||
      std::system("/usr/bin/python3 -c 'import xarray, netCDF4' 2>/dev/null") != 0) {
    GTEST_SKIP() << "no /usr/bin/python3 with xarray and netCDF4";
  }
  TemporaryFolder const folder;
  auto const faces = triangles(), volumes = tetrahedra();
  write(folder / "surface.nc", faces.topology(2));
  write(folder / "air.nc", volumes.topology(3));
  test::write_file(folder / "check.py", R"(
import sys, netCDF4, numpy, xarray

def corners(d, mesh):
    topology = d[mesh].attrs
    element = "face" if topology["topology_dimension"] == 2 else "volume"
    nodes = d[topology[element + "_node_connectivity"]]
    assert nodes.dims[0] == topology[element + "_dimension"]
    points = numpy.stack([d[name].values for name in topology["node_coordinates"].split()], axis=-1)
    return points[nodes.values - nodes.attrs["start_index"]]

d = xarray.open_dataset(sys.argv[1] + "/surface.nc")
p = corners(d, d.temperature.attrs["mesh"])
edges = p[:, 1:] - p[:, :1]
areas = numpy.linalg.det(edges) / 2
assert (areas > 0).all(), "not anticlockwise"
assert areas.sum() == 6 and len(areas) == 12, areas
assert d.wind.dims == ("time", "level", "nsurface_face"), d.wind
centres = numpy.stack([d[name].values for name in d.rain.attrs.get("coordinates", "").split()] or
                      [d[name].values for name in ("surface_face_x", "surface_face_y")], axis=-1)
assert numpy.allclose(p.mean(axis=1), centres)

d = xarray.open_dataset(sys.argv[1] + "/air.nc")
p = corners(d, d.temperature.attrs["mesh"])
volumes = numpy.linalg.det(p[:, 1:] - p[:, :1]) / 6
assert (volumes > 0).all() and abs(volumes.sum() - 1) < 1e-15, volumes

raw = netCDF4.Dataset(sys.argv[1] + "/air.nc")
assert "UGRID-1.0" in raw.Conventions and raw["air"].cf_role == "mesh_topology"
kinds = raw["air_volume_types"]
assert [kinds.flag_meanings.split()[k] for k in kinds[:]] == ["tetrahedron"] * 6
assert (raw["temperature"][0] == numpy.arange(8)).all()
)");
  auto const command = "/usr/bin/python3 " + (folder / "check.py").string() + " " + (folder / "").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace ulpine::io
