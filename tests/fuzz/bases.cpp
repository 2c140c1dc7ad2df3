// SPDX-License-Identifier: Apache-2.0
#include "fuzz/bases.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/mesh/tetra_box.hpp"
#include "fuzz/child.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using test::read_file;
using test::write_file;

constexpr char const* case_text = R"(core = "seaice"
name = "small"
description = "Eight by eight cells, two steps"

[grid]
nx = 8
ny = 8
length = 512e3
distortion = 0.05

[discretisation]
cg = 1
dg = 3

[time]
step = "120 s"
end = "4 min"
substeps = 4

[forcing]
wind = "cyclone"
cyclone_x = 256e3
cyclone_y = 256e3
ocean = "gyre"
ocean_speed = 0.01

[output]
interval = "2 min"

[verify.sivol]
l2_relative = 1e-3
[verify.siu]
l2_relative = 1e-2
)";

constexpr char const* other_case_text = R"(core = "seaice"
[grid]
nx = 6
ny = 9
length = 1e5
[time]
step = "60 s"
end = "2 min"
substeps = 3
[seaice]
alpha = 500
beta = 500.0
limiter = "nextsim"
runge_kutta = 3
[initial]
source = "uniform"
height = 2
concentration = 0.9
[forcing]
wind = "uniform"
wind_u = 10
wind_v = -5.5
ocean = "still"
[lkf]
parameters = "dog15,lmin=4"
)";

/// Of the mesh and the initial ice that are altered.
constexpr char const* file_case_text = R"(core = "seaice"
[grid]
mesh = "altered.smesh"
[time]
step = "120 s"
end = "4 min"
substeps = 4
[initial]
source = "file"
file = "altered.nc"
mask = "mask"
height_variable = "hice"
concentration_variable = "cice"
longitude_variable = "longitude"
latitude_variable = "latitude"
[forcing]
ocean = "still"
[output]
interval = "2 min"
)";

/// The mesh without the ice.
constexpr char const* mesh_case_text = R"(core = "seaice"
[grid]
mesh = "altered.smesh"
[discretisation]
dg = 1
[time]
step = "120 s"
end = "4 min"
substeps = 4
[forcing]
cyclone_x = 1e5
cyclone_y = 1e5
)";

/// Air on the tetrahedra that are altered.
constexpr char const* air_case_text = R"(core = "fem"
[mesh]
kind = "ugrid"
file = "altered.nc"
[air]
theta = 300.0
[time]
step = "1 s"
end = "2 s"
[solver]
iterations = 50
failure = "go_on"
[pressure]
iterations = 50
preconditioner = "jacobi"
)";

constexpr int cells = 8;  ///< a side of the mesh

/// Cells of 25 km, a little askew, with an island; every closed side is listed.
std::string mesh_text(double skew) {
  std::string text = "ParametricMesh 2.0\n8 8\n";
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      text += std::to_string(25e3 * i + skew * j) + " " + std::to_string(25e3 * j - skew * i) + "\n";
    }
  }
  auto const sea = [](int i, int j) {
    return i >= 0 && j >= 0 && i < cells && j < cells && !(i == 3 && j == 4);
  };
  text += "landmask 64\n";
  std::string sides;
  int count = 0;
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      text += sea(i, j) ? "1\n" : "0\n";
      constexpr int di[] = {0, 1, 0, -1}, dj[] = {-1, 0, 1, 0};
      for (int side = 0; side < 4; ++side) {
        if (sea(i, j) && !sea(i + di[side], j + dj[side])) {
          sides += std::to_string(cells * j + i) + " " + std::to_string(side) + "\n";
          ++count;
        }
      }
    }
  }
  return text + "dirichlet " + std::to_string(count) + "\n" + sides + "periodic 0\n";
}

/// Ice for the mesh, and a deformation in time with coordinates, packed, as others write them.
void write_foreign(fs::path const& path, int format, double shift) {
  int file = -1;
  nc(nc_create(path.c_str(), format | NC_CLOBBER, &file));
  auto const extended = format == NC_NETCDF4;
  int time = -1, y = -1, x = -1, v = -1, u = -1;
  nc(nc_def_dim(file, "time", NC_UNLIMITED, &time));
  nc(nc_def_dim(file, "y", cells, &y));
  nc(nc_def_dim(file, "x", cells, &x));
  nc(nc_def_dim(file, "v", 16, &v));
  nc(nc_def_dim(file, "u", 16, &u));
  auto const define = [&](char const* name, nc_type type, std::vector<int> const& dimensions,
                          char const* units) {
    int id = -1;
    nc(nc_def_var(file, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
    nc(nc_put_att_text(file, id, "units", std::char_traits<char>::length(units), units));
    if (extended && dimensions.size() > 1) {
      nc(nc_def_var_deflate(file, id, 1, 1, 1));
      nc(nc_def_var_fletcher32(file, id, NC_FLETCHER32));
    }
    return id;
  };
  auto const times = define("time", NC_DOUBLE, {time}, "hours since 2010-01-01 00:00:00");
  auto const columns = define("u", NC_DOUBLE, {u}, "m");
  auto const rows = define("v", NC_DOUBLE, {v}, "km");
  auto const mask = define("mask", extended ? NC_BYTE : NC_SHORT, {y, x}, "1");
  auto const hice = define("hice", NC_FLOAT, {y, x}, "m");
  auto const cice = define("cice", NC_DOUBLE, {y, x}, "1");
  auto const longitude = define("longitude", NC_DOUBLE, {y, x}, "degrees_east");
  auto const latitude = define("latitude", NC_DOUBLE, {y, x}, "degrees_north");
  auto const shear = define("shear", NC_SHORT, {time, v, u}, "day-1");
  double const factor = 1e-3, offset = 0.5;
  short const missing = -32768;
  nc(nc_put_att_double(file, shear, "scale_factor", NC_DOUBLE, 1, &factor));
  nc(nc_put_att_double(file, shear, "add_offset", NC_DOUBLE, 1, &offset));
  nc(nc_put_att_short(file, shear, "_FillValue", NC_SHORT, 1, &missing));
  if (extended) {
    char const* words[] = {"made", "for tests"};
    nc(nc_put_att_string(file, NC_GLOBAL, "history", 2, words));
    int group = -1, inner = -1;
    nc(nc_def_grp(file, "inner", &group));
    nc(nc_def_var(group, "strain", NC_FLOAT, 1, &u, &inner));
  }
  nc(nc_enddef(file));
  std::vector<double> field(cells * cells);
  auto const put = [&](int id, auto value) {
    for (int k = 0; k < cells * cells; ++k) field[static_cast<std::size_t>(k)] = value(k % cells, k / cells);
    nc(nc_put_var_double(file, id, field.data()));
  };
  put(mask, [](int i, int j) { return i == 3 && j == 4 ? 0. : 1.; });
  put(hice, [&](int i, int j) { return 1 + shift + 0.1 * i - 0.05 * j; });
  put(cice, [](int i, int j) { return 1 - 0.01 * i - 0.02 * j; });
  put(longitude, [&](int i, int) { return 10. * i + shift; });
  put(latitude, [](int, int j) { return 60. + j; });
  std::vector<double> axis(16);
  for (std::size_t k = 0; k < axis.size(); ++k) axis[k] = 1000. * static_cast<double>(k);
  nc(nc_put_var_double(file, columns, axis.data()));
  for (auto& value : axis) value /= 1000;
  nc(nc_put_var_double(file, rows, axis.data()));
  for (std::size_t t = 0; t < 2; ++t) {
    auto const hour = static_cast<double>(t);
    nc(nc_put_var1_double(file, times, &t, &hour));
    std::vector<short> packed(16 * 16);
    for (int k = 0; k < 16 * 16; ++k) {
      auto const ridge = std::abs(k % 16 - k / 16) < 2 || std::abs(k % 16 + k / 16 - 12) < 2;
      packed[static_cast<std::size_t>(k)] = static_cast<short>((ridge ? 900 : -480) + k % 7 + 10 * shift);
    }
    packed[40] = missing;
    std::size_t const start[] = {t, 0, 0}, count[] = {1, 16, 16};
    nc(nc_put_vara_short(file, shear, start, count, packed.data()));
  }
  nc(nc_close(file));
}

/// Tetrahedra of a box as others write them, in a classic file whose bytes are the numbers: with boundary
/// triangles or without.
void write_tetrahedra(fs::path const& path, int side, bool bounded) {
  auto const mesh = box_mesh({side, 2, 2, {900, 800, 700}, 1, 0.1, 5});
  int file = -1;
  nc(nc_create(path.c_str(), NC_64BIT_OFFSET | NC_CLOBBER, &file));
  int node = -1, cell = -1, triangle = -1, four = -1, three = -1;
  nc(nc_def_dim(file, "node", static_cast<std::size_t>(mesh.nodes()), &node));
  nc(nc_def_dim(file, "cell", static_cast<std::size_t>(mesh.elements()), &cell));
  nc(nc_def_dim(file, "triangle", static_cast<std::size_t>(mesh.faces()), &triangle));
  nc(nc_def_dim(file, "four", 4, &four));
  nc(nc_def_dim(file, "three", 3, &three));
  auto const define = [&](char const* name, nc_type type, std::vector<int> const& dimensions) {
    int id = -1;
    nc(nc_def_var(file, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
    return id;
  };
  auto const text = [&](int id, char const* name, std::string const& value) {
    nc(nc_put_att_text(file, id, name, value.size(), value.c_str()));
  };
  auto const topology = define("mesh", NC_INT, {});
  int const dimension = 3;
  text(topology, "cf_role", "mesh_topology");
  nc(nc_put_att_int(file, topology, "topology_dimension", NC_INT, 1, &dimension));
  text(topology, "node_coordinates", "x y z");
  text(topology, "volume_node_connectivity", "cells");
  int place[3];
  for (std::size_t d = 0; d < 3; ++d) {
    place[d] = define(std::string(1, "xyz"[d]).c_str(), NC_DOUBLE, {node});
    text(place[d], "units", "m");
  }
  auto const corners = define("cells", NC_INT, {cell, four});
  int triangles = -1, ids = -1;
  if (bounded) {
    text(topology, "boundary_node_connectivity", "triangles");
    text(topology, "boundary_id", "ids");
    triangles = define("triangles", NC_INT, {triangle, three});
    ids = define("ids", NC_INT, {triangle});
  }
  nc(nc_enddef(file));
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> along;
    for (auto i = d; i < mesh.position.size(); i += 3) along.push_back(mesh.position[i]);
    nc(nc_put_var_double(file, place[d], along.data()));
  }
  nc(nc_put_var_int(file, corners, mesh.element.data()));
  if (bounded) {
    nc(nc_put_var_int(file, triangles, mesh.face.data()));
    nc(nc_put_var_int(file, ids, mesh.face_id.data()));
  }
  nc(nc_close(file));
}

/// What must not depend on when and how fast the study was made.
void drop_times(Json& json) {
  if (json.is_object()) {
    // The seal is over the times too.
    for (auto const* const key : {"wall_s", "created", "seal"}) json.erase(key);
  }
  if (json.is_structured()) {
    for (auto& item : json) drop_times(item);
  }
}

}  // namespace

void nc(int status) {
  if (status != NC_NOERR) throw std::runtime_error(nc_strerror(status));
}

ForeignFile const foreign_files[4] = {{"classic1.nc", NC_CLASSIC_MODEL * 0},
                                      {"classic2.nc", NC_64BIT_OFFSET},
                                      {"classic5.nc", NC_64BIT_DATA},
                                      {"extended.nc", NC_NETCDF4}};

Words study_command(std::string const& case_file) {
  return {
      "ensemble",      case_file,    "-o",           "study",     "--policies", "fp64,fp32", "--assemblies",
      "deterministic", "--epsilons", "2^-23",        "--members", "1",          "--threads", "1",
      "--jobs",        "1",          "--quad-until", "0 s",       "--quiet"};
}

Words resume_command() {
  auto words = study_command("case.toml");
  words.emplace_back("--resume");
  return words;
}

Words report_command() { return {"report", "study", "--threads", "1", "--quiet"}; }

std::string joined(Words const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<fs::path> runs_of(fs::path const& study) {
  std::vector<fs::path> runs;
  for (auto const& entry : fs::recursive_directory_iterator(study)) {
    if (entry.path().filename() == "run.json") {
      runs.push_back(entry.path().parent_path().lexically_relative(study));
    }
  }
  std::ranges::sort(runs);
  return runs;
}

Json results_of(fs::path const& study) {
  auto json = Json::parse(read_file(study / "results.json"), nullptr, false);
  drop_times(json);
  return json.is_discarded() ? Json() : json;
}

void make_bases(fs::path const& folder) {
  write_file(folder / "case.toml", case_text);
  write_file(folder / "other.toml", other_case_text);
  write_file(folder / "file.toml", file_case_text);
  write_file(folder / "mesh.toml", mesh_case_text);
  write_file(folder / "altered.smesh", mesh_text(1500));
  write_file(folder / "other.smesh", mesh_text(-700));
  auto const must = [](Ending const& ending, std::string const& what) {
    // 4: a study of one member decides nothing.
    if (ending.code != 0 && ending.code != 4)
      throw std::runtime_error(what + ": " + ending.errors + ending.report);
  };
  auto const command = [&](Words const& words) { must(run_command(folder, words), joined(words)); };
  must(run_child(folder,
                 [&] {
                   for (auto const& [name, mode] : foreign_files) {
                     write_foreign(name, mode, 0);
                     write_foreign(std::string("other_") + name, mode, 0.25);
                   }
                   for (auto const bounded : {false, true}) {
                     std::string const name = bounded ? "sides.nc" : "plain.nc";
                     write_tetrahedra(name, 2, bounded);
                     write_tetrahedra("other_" + name, 3, bounded);
                   }
                   return 0;
                 }),
       "foreign files");
  write_file(folder / "air.toml", air_case_text);
  fs::copy_file(folder / "extended.nc", folder / "altered.nc");
  command({"run", "case.toml", "-o", "run", "--threads", "1", "--trace", "--quiet"});
  command({"run", "case.toml", "-o", "other", "--threads", "1", "--trace", "--policy", "fp32", "--quiet"});
  command({"run", "case.toml", "-o", "half", "--threads", "1", "--until", "2 min", "--quiet"});
  command({"run", "other.toml", "-o", "toml", "--threads", "1", "--quiet"});
  command({"run", "mesh.toml", "-o", "mesh", "--threads", "1", "--quiet"});
  command({"run", "file.toml", "-o", "file", "--threads", "1", "--quiet"});
  for (std::string const name : {"plain.nc", "sides.nc"}) {
    auto const inner = folder / ("air_" + name);
    fs::create_directories(inner);
    fs::copy_file(folder / name, inner / "altered.nc");
    fs::copy_file(folder / "air.toml", inner / "air.toml");
    must(run_command(inner, {"run", "air.toml", "-o", "out", "--threads", "1", "--quiet"}), "air on " + name);
  }
  command(study_command("case.toml"));
  command(report_command());
  auto const before = results_of(folder / "study");
  fs::create_directories(folder / "second");
  fs::copy(folder / "study", folder / "second" / "study", fs::copy_options::recursive);
  fs::copy_file(folder / "case.toml", folder / "second" / "case.toml");
  auto const runs = runs_of(folder / "study");
  fs::remove(folder / "second" / "study" / runs.front() / "run.json");
  must(run_command(folder / "second", resume_command()), "resume");
  if (before.is_null() || results_of(folder / "second" / "study") != before) {
    throw std::runtime_error("an undisturbed study and a resumed one have other results");
  }
}

}  // namespace ulpine::fuzz
