// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "core/mesh/sphere.hpp"
#include "core/seaice/case_setup.hpp"
#include "core/seaice/sphere_setup.hpp"
#include "io/error.hpp"
#include "seaice/plain_support.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

/// Small cases on the sphere, and the files of grids and winds that they read.
namespace ulpine::seaice::sphere_case {

using test::FieldId;
using test::message_of;
using test::NetcdfWriting;

inline constexpr double degree = std::numbers::pi / 180;

/// A grid of nx x ny cells near the pole in degrees, rows x columns x 2, with a turn about the pole by
/// `around`.
inline constexpr int nx = 6, ny = 5;
inline std::vector<double> vertices(double around = 0) {
  std::vector<double> values;
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) {
      // Of a polar stereographic plane; the pole itself is beyond the last row.
      double const x = i - 3.2, y = j - 7.0;
      values.push_back(std::remainder(std::atan2(y, x) / degree + around, 360.0));
      values.push_back(90 - 2 * std::hypot(x, y));
    }
  }
  return values;
}

/// Mesh, mask and ice as the files of neXtSIM-DG have them, but in the root.
inline void write_grid(std::filesystem::path const& path, double around = 0, double factor = 1,
                       std::string const& units = "") {
  NetcdfWriting file(path);
  int const yv = file.dimension("yvertex", ny + 1), xv = file.dimension("xvertex", nx + 1),
            two = file.dimension("ncoords", 2), y = file.dimension("ydim", ny),
            x = file.dimension("xdim", nx);
  int const coords = file.variable("coords", NC_DOUBLE, {yv, xv, two});
  int const mask = file.variable("mask", NC_DOUBLE, {y, x}), h = file.variable("hice", NC_DOUBLE, {y, x}),
            a = file.variable("cice", NC_DOUBLE, {y, x});
  file.text(h, "units", "m");
  if (!units.empty()) file.text(coords, "units", units);
  std::vector<double> sea(nx * ny, 1), thick, cover;
  for (int const cell : {0, 8, 9, 15}) sea[static_cast<std::size_t>(cell)] = 0;
  for (int k = 0; k < nx * ny; ++k) {
    thick.push_back(1 + 0.05 * k);
    cover.push_back(0.99 - 0.01 * (k % 5));
  }
  auto corners = vertices(around);
  for (auto& corner : corners) corner *= factor;
  file.values(coords, corners);
  file.values(mask, sea);
  file.values(h, thick);
  file.values(a, cover);
}

inline std::string sphere_of(test::Order order) {
  return "[discretisation]\ncoordinates = 'spherical'\ncg = " + std::to_string(order.cg) +
         "\ndg = " + std::to_string(order.dg) + "\n";
}
inline std::string case_on(std::filesystem::path const& grid,
                           std::string const& forcing = "cyclone_reach = 4e5\ncyclone_rate = 1e-4\n",
                           std::string const& more = "", test::Order order = {1, 3}) {
  auto const file = "'" + grid.string() + "'\n";
  return "core = 'seaice'\n[grid]\nmesh = " + file + "vertices_variable = 'coords'\n" + more +
         sphere_of(order) +
         "[time]\nend = '1 h'\nsubsteps = 3\n"
         "[initial]\nsource = 'file'\nfile = " +
         file + "mask = 'mask'\nheight_variable = 'hice'\nconcentration_variable = 'cice'\n" +
         "[output]\ncoefficients = true\n[forcing]\n" + forcing;
}
inline std::string case_on_patch(std::string const& forcing, std::string const& grid = "",
                                 test::Order order = {1, 3}) {
  return "core = 'seaice'\n[grid]\nnx = 5\nny = 4\nwest = -10\neast = 10\nsouth = 5\nnorth = 21\n" + grid +
         sphere_of(order) + "[time]\nsubsteps = 1\n[forcing]\n" + forcing;
}
inline Setup setup_of(std::string const& text) {
  auto const case_file = io::CaseFile::parse(text, "case.toml");
  case_file.core();
  auto setup = read_case(case_file);
  case_file.accept("output");
  case_file.accept("time");
  case_file.reject_unknown();
  return setup;
}
inline std::string refusal(std::string const& text) {
  auto const message = message_of<InputError>([&] { setup_of(text); });
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

/// Eastward and northward wind of a turn of the air about an axis, growing in time, on a grid of the globe.
struct WindGrid {
  int step = 5;         ///< degrees
  double west = 0;      ///< first longitude
  bool falling = true;  ///< latitudes from north to south
  bool global = true;   ///< else 180 degrees of longitudes
  std::string units = "m s-1", time_units = "hours since 2010-01-01 00:00:00", name = "";
  std::vector<double> hours = {0, 6, 12};  ///< none: without time
  std::vector<double> growth = {1, 3, 4};  ///< of the wind
  bool level = false;                      ///< a further dimension before latitude
  bool single = false;                     ///< of one place
  bool columns_first = false;              ///< longitude before latitude
  double first = -90;                      ///< latitude, degrees; the last is its opposite
  int turns = 1;                           ///< of a global grid round the globe
  bool again = false;                      ///< the first longitude again at the end
  int hole = 0;                            ///< longitudes that are left out behind the fifth
  std::string latitude_name = "";
  /// What becomes of eastward and northward wind at each latitude and longitude.
  std::function<void(double latitude, double longitude, double& east, double& north)> spoil = {};
};
inline constexpr sphere::Vector air = {3e-7, -5e-7, 9e-7};
inline std::array<double, 2> air_at(sphere::LonLat place) {
  auto const r = sphere::to_vector(place);
  sphere::Vector const v = {air[1] * r[2] - air[2] * r[1], air[2] * r[0] - air[0] * r[2],
                            air[0] * r[1] - air[1] * r[0]};
  return {sphere::radius * sphere::dot(v, sphere::east(place)),
          sphere::radius * sphere::dot(v, sphere::north(place))};
}
inline void write_wind(std::filesystem::path const& path, WindGrid const& grid = {}) {
  NetcdfWriting file(path);
  std::vector<double> longitudes, latitudes;
  for (int k = 0; k < (grid.global ? 360 * grid.turns : 180) / grid.step + (grid.again ? 1 : 0); ++k)
    if (k < 5 || k >= 5 + grid.hole) longitudes.push_back(grid.west + k * grid.step);
  for (double k = grid.first; k <= -grid.first; k += grid.step) latitudes.push_back(grid.falling ? -k : k);
  std::vector<int> dimensions;
  int time = -1;
  if (!grid.hours.empty()) {
    dimensions.push_back(file.dimension("time", grid.hours.size()));
    time = file.variable("time", NC_DOUBLE, {dimensions[0]});
    file.text(time, "units", grid.time_units);
  }
  if (grid.level) dimensions.push_back(file.dimension("level", grid.single ? 1 : 2));
  int const rows = file.dimension("lat", latitudes.size()),
            columns = file.dimension("lon", longitudes.size());
  int const lat = file.variable("lat", NC_DOUBLE, {rows}), lon = file.variable("lon", NC_DOUBLE, {columns});
  dimensions.push_back(grid.columns_first ? columns : rows);
  dimensions.push_back(grid.columns_first ? rows : columns);
  if (!grid.latitude_name.empty()) file.text(lat, "standard_name", grid.latitude_name);
  file.text(lat, "units", "degrees_north");
  file.text(lon, "units", "degrees_east");
  int const u = file.variable("u10", NC_DOUBLE, dimensions), v = file.variable("v10", NC_DOUBLE, dimensions);
  for (int const id : {u, v}) file.text(id, "units", grid.units);
  if (!grid.name.empty()) file.text(u, "standard_name", grid.name);
  std::vector<double> east, north;
  auto const growth = grid.hours.empty() ? std::vector<double>{1} : grid.growth;
  for (auto const factor : growth) {
    for (int level = 0; level < (grid.level && !grid.single ? 2 : 1); ++level) {
      for (auto const a : grid.columns_first ? longitudes : latitudes) {
        for (auto const b : grid.columns_first ? latitudes : longitudes) {
          auto const x = grid.columns_first ? a : b, y = grid.columns_first ? b : a;
          auto [e, n] = air_at({x * degree, y * degree});
          if (grid.spoil) grid.spoil(y, x, e, n);
          east.push_back(e * factor * (level == 0 ? 1 : 10));
          north.push_back(n * factor * (level == 0 ? 1 : 10));
        }
      }
    }
  }
  if (time >= 0) file.values(time, grid.hours);
  file.values(lat, latitudes);
  file.values(lon, longitudes);
  file.values(u, east);
  file.values(v, north);
}
/// The wind (m s-1) at a time from the start at the nodes of a case, from the stress on the ice.
struct WindAtNodes {
  Setup setup;
  std::vector<double> u, v;
  WindAtNodes(std::string const& text, double time) : setup{setup_of(text)} {
    auto parameters = setup.parameters;
    parameters.dt = time;
    test::IceSolver solver(seaice::make_solver(Host{}, "fp64", Assembly::deterministic, setup), parameters);
    std::vector<double> const ones(solver.size(FieldId::node_a), 1);
    solver.write(FieldId::node_a, ones.data());
    solver.run_stage("seaice.forcing");
    u = test::read(solver, FieldId::wind_x);
    v = test::read(solver, FieldId::wind_y);
    for (std::size_t k = 0; k < u.size(); ++k) {
      double const scale = std::sqrt(std::hypot(u[k], v[k]) / (1.3 * 1.2e-3)) / std::hypot(u[k], v[k]);
      u[k] *= scale;
      v[k] *= scale;
    }
  }
  /// Largest distance from the turn of the air times a factor.
  double error(double factor, double about_z = 40, double about_y = 15) const {
    sphere::Rotation const rotation(about_z * degree, about_y * degree);
    double worst = 0;
    for (std::size_t k = 0; k < u.size(); ++k) {
      sphere::LonLat const place{setup.mesh.x[k], setup.mesh.y[k]};
      auto const [e, n] = air_at(rotation.to_globe(place));
      double const turn = rotation.angle_of_east(place);
      worst = std::max(worst, std::hypot(factor * (e * std::cos(turn) - n * std::sin(turn)) - u[k],
                                         factor * (e * std::sin(turn) + n * std::cos(turn)) - v[k]));
    }
    return worst;
  }
};

}  // namespace ulpine::seaice::sphere_case
