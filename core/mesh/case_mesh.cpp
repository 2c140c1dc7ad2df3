// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/case_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/mesh/parametric_mesh.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "io/text.hpp"

namespace ulpine {
namespace {

using RequireMemory = std::function<void(std::int64_t nx, std::int64_t ny)>;

constexpr double degree = std::numbers::pi / 180;

io::KeyReader reader_of(io::CaseFile const& case_file) { return {case_file, quad_mesh_keys()}; }

QuadMesh refined(io::CaseFile const& case_file, QuadMesh mesh, RequireMemory const& require_memory) {
  auto const n = read_refinement(case_file);
  if (n == 1) return mesh;
  if (std::int64_t{n} * std::max(mesh.nx, mesh.ny) > most_cells_a_side) {
    throw case_file.error("grid.refinement", std::to_string(n) + " (the mesh would have more than " +
                                                 std::to_string(most_cells_a_side) +
                                                 " cells a side) choose a smaller one");
  }
  require_memory(std::int64_t{n} * mesh.nx, std::int64_t{n} * mesh.ny);
  return refined(mesh, n);
}

QuadMesh read_plane_mesh(io::CaseFile const& case_file, RequireMemory const& require_memory) {
  if (auto const path = reader_of(case_file).file("grid.mesh", false); !path.empty()) {
    auto mesh = read_parametric_mesh(path);
    require_memory(mesh.nx, mesh.ny);
    return mesh;
  }
  auto const keys = reader_of(case_file);
  auto const nx = keys.integer("grid.nx");
  auto const ny = keys.integer("grid.ny", nx);
  double const lx = keys.number("grid.length");
  double const ly = keys.number("grid.length_y", lx * ny / nx);
  double const distortion = keys.number("grid.distortion");
  if (lx / nx * (ly / ny) < least_cell_area) {
    throw case_file.error("grid.length", "too short for so many cells (they are below " +
                                             io::number_text(least_cell_area) +
                                             " m2) choose a longer one, or fewer cells");
  }
  require_memory(nx, ny);
  auto mesh = rectangle_mesh(nx, ny, lx, ly, distortion);
  if (auto const fault = find_bad_cells(mesh)) {
    throw case_file.error("grid.distortion", fault->problem + " choose a smaller distortion");
  }
  return mesh;
}

/// Refuses longitudes and latitudes that are in no degrees, or go round the globe more than once. Radians are
/// told by the variable's unit, or, where it has none, by values that none exceeds and that as degrees would
/// lie about the equator: all around it, or none of them within 0.7 of latitude 0.
void require_degrees(io::CaseFile const& case_file, std::string const& key, io::FieldInfo const& info,
                     std::vector<double> const& values) {
  auto const units = io::lower_case(info.units);
  auto const refuse = [&](std::string const& problem) { return case_file.error(key, info.name + problem); };
  if (!units.empty() && !units.starts_with("deg")) {
    throw refuse(" is in '" + info.units + "' (longitudes and latitudes are read in degrees) convert it");
  }
  constexpr double a_turn = 2 * std::numbers::pi, widest = 370, far_from_equator = 0.7, rounding = 1e-4;
  double west = HUGE_VAL, east = -HUGE_VAL, least = HUGE_VAL, most = 0;
  for (std::size_t k = 0; k + 1 < values.size(); k += 2) {
    west = std::min(west, values[k]);
    east = std::max(east, values[k]);
    least = std::min(least, std::abs(values[k + 1]));
    most = std::max(most, std::abs(values[k + 1]));
  }
  if (east - west > widest) {
    throw refuse(" has longitudes from " + io::number_text(west) + " to " + io::number_text(east) +
                 " (they go round the globe once at the most) mend the file");
  }
  auto const within = most <= a_turn / 4 + rounding && std::max(-west, east) <= a_turn + rounding;
  if (units.empty() && within && (east - west > a_turn / 2 || least > far_from_equator)) {
    throw refuse(" has latitudes up to " + io::number_text(most) + " and longitudes from " +
                 io::number_text(west) + " to " + io::number_text(east) +
                 " (in radians, it seems; degrees are read) convert it, or give it units = \"degrees\" if "
                 "they are");
  }
}

/// Vertices in degrees: (ny + 1, nx + 1, 2), longitude and latitude.
QuadMesh read_vertices(io::CaseFile const& case_file, std::filesystem::path const& path,
                       sphere::Rotation const& rotation, RequireMemory const& require_memory) {
  char const* const key = "grid.vertices_variable";
  io::InputFile const file(path);
  auto const variable = reader_of(case_file).text(key);
  if (!file.has(variable)) {
    throw case_file.error(
        key, "no variable '" + variable + "' in the file" + choices_hint(variable, file.variables()));
  }
  auto shape = file.info(variable).shape;
  if (auto const times = file.times(variable).size(); times > 0) {
    shape.insert(shape.begin(), static_cast<std::int64_t>(times));
  }
  if (shape.size() != 3 || shape[2] != 2 || shape[0] < 3 || shape[1] < 3 ||
      std::max(shape[0], shape[1]) > most_cells_a_side + 1) {
    throw case_file.error(key, variable +
                                   " is no mesh (vertices are rows x columns x 2: longitude and latitude "
                                   "of 3 x 3 at least) name the variable of the cells' corners");
  }
  QuadMesh mesh{
      static_cast<std::int32_t>(shape[1] - 1), static_cast<std::int32_t>(shape[0] - 1), {}, {}, {}, true};
  require_memory(mesh.nx, mesh.ny);
  auto const values = file.read_all(variable);
  require_degrees(case_file, key, file.info(variable), values);
  for (std::size_t k = 0; k < values.size(); k += 2) {
    auto const longitude = values[k], latitude = values[k + 1];
    if (!(std::abs(longitude) <= 360 && std::abs(latitude) <= 90)) {
      throw case_file.error(key, variable + " has a vertex at longitude " + io::number_text(longitude) +
                                     ", latitude " + io::number_text(latitude) + " (vertex " +
                                     std::to_string(k / 2) + "; degrees are read) mend the file");
    }
    auto const place = rotation.to_mesh(sphere::LonLat{longitude * degree, latitude * degree});
    mesh.x.push_back(place.longitude);
    mesh.y.push_back(place.latitude);
  }
  mesh.mask.assign(static_cast<std::size_t>(mesh.cells()), 1);
  return mesh;
}

QuadMesh read_patch(io::CaseFile const& case_file, RequireMemory const& require_memory) {
  auto const keys = reader_of(case_file);
  auto const nx = keys.integer("grid.nx");
  auto const ny = keys.integer("grid.ny", nx);
  auto const west = keys.number("grid.west"), east = keys.number("grid.east");
  auto const south = keys.number("grid.south"), north = keys.number("grid.north");
  if (!(west < east && east - west <= 360)) {
    throw case_file.error("grid.east", io::number_text(east) +
                                           " (it is not east of grid.west, or more than a "
                                           "turn from it) choose a larger or smaller one");
  }
  if (south >= north) {
    throw case_file.error("grid.north",
                          io::number_text(north) + " (it is not north of grid.south) choose a larger one");
  }
  require_memory(nx, ny);
  return sphere_patch(nx, ny, west * degree, east * degree, south * degree, north * degree);
}

}  // namespace

std::int32_t read_refinement(io::CaseFile const& case_file) {
  return reader_of(case_file).integer("grid.refinement");
}

QuadMesh read_quad_mesh(io::CaseFile const& case_file, RequireMemory const& require_memory) {
  return refined(case_file, read_plane_mesh(case_file, require_memory), require_memory);
}

sphere::Rotation read_rotation(io::CaseFile const& case_file) {
  auto const keys = reader_of(case_file);
  return {keys.number("grid.rotation_z") * degree, keys.number("grid.rotation_y") * degree};
}

QuadMesh read_sphere_mesh(io::CaseFile const& case_file, sphere::Rotation const& rotation,
                          RequireMemory const& require_memory) {
  auto const path = reader_of(case_file).file("grid.mesh", false);
  auto mesh = path.empty() ? read_patch(case_file, require_memory)
                           : read_vertices(case_file, path, rotation, require_memory);
  return refined(case_file, std::move(mesh), require_memory);
}

void require_valid_cells(io::CaseFile const& case_file, QuadMesh const& mesh) {
  if (auto const fault = find_bad_cells(mesh)) {
    throw case_file.error("grid", fault->problem + " " + fault->remedy);
  }
}

}  // namespace ulpine
