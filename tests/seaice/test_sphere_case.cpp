// SPDX-License-Identifier: Apache-2.0
// Cases on the sphere: meshes, winds and ice from files, refinement, what is refused, and the promises that
// every core keeps.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/mesh/sphere.hpp"
#include "core/seaice/case_setup.hpp"
#include "core/seaice/register.hpp"
#include "core/seaice/sphere_setup.hpp"
#include "io/seal.hpp"
#include "seaice/plain_support.hpp"
#include "support/conformance.hpp"
#include "support/netcdf_writing.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::message_of;
using test::NetcdfWriting;

constexpr double degree = std::numbers::pi / 180;

/// A grid of nx x ny cells near the pole in degrees, rows x columns x 2, with a turn about the pole by
/// `around`.
constexpr int nx = 6, ny = 5;
std::vector<double> vertices(double around = 0) {
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
void write_grid(std::filesystem::path const& path, double around = 0, double factor = 1,
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

std::string sphere_of(test::Order order) {
  return "[discretisation]\ncoordinates = 'spherical'\ncg = " + std::to_string(order.cg) +
         "\ndg = " + std::to_string(order.dg) + "\n";
}
std::string case_on(std::filesystem::path const& grid,
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
std::string case_on_patch(std::string const& forcing, std::string const& grid = "",
                          test::Order order = {1, 3}) {
  return "core = 'seaice'\n[grid]\nnx = 5\nny = 4\nwest = -10\neast = 10\nsouth = 5\nnorth = 21\n" + grid +
         sphere_of(order) + "[time]\nsubsteps = 1\n[forcing]\n" + forcing;
}
Setup setup_of(std::string const& text) {
  auto const case_file = io::CaseFile::parse(text, "case.toml");
  case_file.core();
  auto setup = read_case(case_file);
  case_file.accept("output");
  case_file.accept("time");
  case_file.reject_unknown();
  return setup;
}
std::string refusal(std::string const& text) {
  auto const message = message_of<InputError>([&] { setup_of(text); });
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

TEST(SphereCase, MeshOfAFileIsTurnedAndItsPlacesAreKept) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  auto const setup = setup_of(case_on(folder / "grid.nc"));
  auto const wanted = vertices();
  ASSERT_EQ(setup.mesh.nx, nx);
  ASSERT_EQ(setup.mesh.ny, ny);
  ASSERT_TRUE(setup.mesh.spherical);
  ASSERT_EQ(setup.node_longitude.size(), wanted.size() / 2);
  sphere::Rotation const rotation(40 * degree, 15 * degree);
  for (std::size_t k = 0; k < setup.mesh.x.size(); ++k) {
    sphere::LonLat const place{wanted[2 * k] * degree, wanted[2 * k + 1] * degree};
    EXPECT_LT(sphere::distance(rotation.to_globe(sphere::LonLat{setup.mesh.x[k], setup.mesh.y[k]}), place),
              1e-6);
    EXPECT_NEAR(std::remainder(setup.node_longitude[k] - wanted[2 * k], 360.0), 0, 1e-10);
    EXPECT_NEAR(setup.node_latitude[k], wanted[2 * k + 1], 1e-12);
    EXPECT_NEAR(setup.east_angle[k], rotation.angle_of_east({setup.mesh.x[k], setup.mesh.y[k]}) / degree,
                1e-9);
  }
  // The middle of a cell lies in the middle of its corners, but for the sag of parallels of 2 degrees in both
  // directions: the square of the length over 8 times the way to the mesh's pole.
  for (std::size_t k = 0; k < setup.longitude.size(); ++k) {
    auto const cell = k / nx * (nx + 1) + k % nx;
    sphere::Vector sum{};
    for (auto const at : {cell, cell + 1, cell + nx + 1, cell + nx + 2}) {
      auto const v = sphere::to_vector({wanted[2 * at] * degree, wanted[2 * at + 1] * degree});
      for (std::size_t d = 0; d < 3; ++d) sum[d] += v[d];
    }
    sphere::LonLat const middle{setup.longitude[k] * degree, setup.latitude[k] * degree};
    double const to_pole = std::numbers::pi / 2 - rotation.to_mesh(middle).latitude;
    EXPECT_LT(sphere::distance(sphere::to_place(sum), middle) / sphere::radius,
              2 * 4 * degree * degree / (8 * to_pole));
  }
  EXPECT_EQ(std::vector<int>(setup.mesh.mask.begin() + 7, setup.mesh.mask.begin() + 11),
            (std::vector<int>{1, 0, 0, 1}));
}

TEST(SphereCase, RefinementKeepsCellsIceAndCoast) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  auto const coarse = setup_of(case_on(folder / "grid.nc")),
             fine = setup_of(case_on(folder / "grid.nc", "wind = 'calm'\n", "refinement = 3\n"));
  ASSERT_EQ(fine.mesh.nx, 3 * nx);
  ASSERT_EQ(fine.mesh.ny, 3 * ny);
  auto const coarse_areas = coarse.mesh.areas(), fine_areas = fine.mesh.areas();
  std::vector<double> sums(coarse_areas.size(), 0);
  for (int j = 0; j < 3 * ny; ++j) {
    for (int i = 0; i < 3 * nx; ++i) {
      auto const at = static_cast<std::size_t>(j * 3 * nx + i),
                 of = static_cast<std::size_t>(j / 3 * nx + i / 3);
      sums[of] += fine_areas[at];
      EXPECT_EQ(fine.mesh.mask[at], coarse.mesh.mask[of]);
      EXPECT_EQ(fine.height[at], coarse.height[of]);
      EXPECT_EQ(fine.concentration[at], coarse.concentration[of]);
    }
  }
  for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_NEAR(sums[k] / coarse_areas[k], 1, 1e-12);
  // Masks of a mesh's own.
  auto masked = sphere_patch(3, 2, 0, 0.3, 0, 0.2);
  masked.mask = {1, 0, 1, 0, 1, 1};
  auto const doubled = refined(masked, 2);
  EXPECT_EQ(doubled.mask, (std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1,  //
                                                     0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1}));
  CoarseCells const cells{6, 4, 2};
  EXPECT_EQ(cells.first_of(doubled.mask), masked.mask);
  EXPECT_EQ(cells.spread(masked.mask), doubled.mask);
  // On the plane alike.
  auto const plane = [](char const* refinement) {
    return setup_of("core = 'seaice'\n[grid]\nnx = 4\nny = 3\ndistortion = 0.05\n" + std::string(refinement))
        .mesh;
  };
  auto const once = plane(""), twice = plane("refinement = 2\n");
  EXPECT_EQ(twice.nx, 8);
  for (int j = 0; j <= 3; ++j) {
    for (int i = 0; i <= 4; ++i) {
      EXPECT_NEAR(twice.x[static_cast<std::size_t>(2 * j * 9 + 2 * i)],
                  once.x[static_cast<std::size_t>(j * 5 + i)], 1e-9);
    }
  }
}

TEST(SphereCase, BadValuesAreRefusedByName) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  struct Row {
    std::string text;
    std::vector<std::string> said;
  };
  auto const on_grid = [&](std::string const& forcing, std::string const& more = "") {
    return case_on(folder / "grid.nc", forcing, more);
  };
  auto coords_of_ice = on_grid("");
  coords_of_ice.replace(coords_of_ice.find("'coords'"), 8, "'hice'");
  Row const rows[] = {
      {case_on_patch("wind = 'gale'\n"), {"forcing.wind", "gale"}},
      {case_on_patch("ocean = 'gyre'\n"), {"forcing.ocean", "gyre", "still, uniform"}},
      {case_on_patch("cyclone_x = 5.0\n"), {"forcing.cyclone_x", "unknown key"}},
      {case_on_patch("cyclone_latitude = 91\n"), {"forcing.cyclone_latitude", "between -90 and 90"}},
      {case_on_patch("", "length = 5e5\n"), {"grid.length", "unknown key"}},
      {case_on_patch("", "refinement = 0\n"), {"grid.refinement", "between 1 and 64"}},
      {"core = 'seaice'\n[grid]\nnx = 16384\nny = 4\nrefinement = 2\n",
       {"grid.refinement", "more than 16384 cells a side", "smaller"}},
      {"core = 'seaice'\n[grid]\nwest = 10\neast = 5\n[discretisation]\ncoordinates = 'spherical'\n",
       {"grid.east", "not east of grid.west"}},
      {"core = 'seaice'\n[grid]\nsouth = 10\nnorth = 10\n[discretisation]\ncoordinates = 'spherical'\n",
       {"grid.north", "not north of grid.south"}},
      {"core = 'seaice'\n[grid]\nnx = 4\nsouth = 10\nnorth = 90\n[discretisation]\ncoordinates = "
       "'spherical'\n",
       {"cell 12 (row 3, column 0)", "at a pole", "grid.rotation_z and grid.rotation_y"}},
      {"core = 'seaice'\n[grid]\nnx = 4\n[discretisation]\ncoordinates = 'spherical'\nmaps = 'constant'\n",
       {"discretisation.maps", "use auto or precomputed"}},
      {"core = 'seaice'\n[grid]\nnx = 4\n[discretisation]\ncoordinates = 'spherical'\n[initial]\nsource = "
       "'benchmark'\n",
       {"initial.source", "benchmark", "uniform, file"}},
      {coords_of_ice, {"grid.vertices_variable", "hice is no mesh"}},
      {on_grid("", "vertices = 'x'\n"), {"grid.vertices", "unknown key"}},
  };
  for (auto const& [text, said] : rows) {
    auto const message = refusal(text);
    for (auto const& words : said) EXPECT_NE(message.find(words), std::string::npos) << message;
  }
}

/// The cyclone in long double: Mehlmann's formula with the way from the centre along the great circle.
TEST(SphereCase, CycloneFollowsItsGreatCircle) {
  auto const text = case_on_patch(
      "wind = 'cyclone'\ncyclone_longitude = -35\ncyclone_latitude = 20\ncyclone_drift_x = 12\n"
      "cyclone_drift_y = 5\ncyclone_reach = 7e5\ncyclone_rate = 1e-4\ncyclone_angle = 65\n");
  auto setup = setup_of(text);
  auto const solver = test::make("fp64", Assembly::deterministic, setup);
  std::vector<double> const ones(solver->size(FieldId::node_a), 1);
  solver->write(FieldId::node_a, ones.data());
  solver->write(FieldId::node_h, ones.data());
  double const time = 86400;
  setup.parameters.dt = time;
  test::IceSolver later(seaice::make_solver(Host{}, "fp64", Assembly::deterministic, setup),
                        setup.parameters);
  later.write(FieldId::node_a, ones.data());
  later.write(FieldId::node_h, ones.data());
  later.run_stage("seaice.forcing");
  auto const x = test::read(later, FieldId::wind_x), y = test::read(later, FieldId::wind_y);
  // On the globe: the centre has gone 13 m/s for a day along the great circle that starts towards (12, 5).
  sphere::LonLat const start{-35 * degree, 20 * degree};
  auto const from = sphere::to_vector(start), east = sphere::east(start), north = sphere::north(start);
  double const gone = 13 * time / sphere::radius;
  sphere::Vector centre{};
  for (std::size_t d = 0; d < 3; ++d) {
    centre[d] = std::cos(gone) * from[d] + std::sin(gone) * (12 * east[d] + 5 * north[d]) / 13;
  }
  sphere::Rotation const rotation(40 * degree, 15 * degree);
  double strongest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    sphere::LonLat const place{setup.mesh.x[k], setup.mesh.y[k]};
    auto const globe = rotation.to_globe(place);
    auto const r = sphere::to_vector(globe);
    double const angle = std::acos(sphere::dot(centre, r)), way = angle * sphere::radius;
    // Away from the centre, on the globe, then turned to the mesh's axes.
    double const away_east = -sphere::dot(centre, sphere::east(globe)) / std::sin(angle) * way,
                 away_north = -sphere::dot(centre, sphere::north(globe)) / std::sin(angle) * way;
    double const s = 1e-4 * std::exp(-way / 7e5), c65 = std::cos(65 * degree), s65 = std::sin(65 * degree);
    double const wind_east = -s * (c65 * away_east + s65 * away_north),
                 wind_north = -s * (c65 * away_north - s65 * away_east);
    double const turn = rotation.angle_of_east(place);
    double const u = wind_east * std::cos(turn) - wind_north * std::sin(turn),
                 v = wind_east * std::sin(turn) + wind_north * std::cos(turn);
    double const drag = 1.3 * 1.2e-3 * std::hypot(u, v);
    strongest = std::max(strongest, std::hypot(u, v));
    EXPECT_NEAR(x[k], drag * u, 1e-9);
    EXPECT_NEAR(y[k], drag * v, 1e-9);
  }
  EXPECT_GT(strongest, 10);
}

TEST(SphereCase, UniformWindBlowsAlongTheAxesAndCalmDoesNot) {
  for (bool const calm : {false, true}) {
    auto setup =
        setup_of(case_on_patch(calm ? "wind = 'calm'\n" : "wind = 'uniform'\nwind_u = 3\nwind_v = -4\n"));
    auto const solver = test::make("fp64", Assembly::deterministic, setup);
    std::vector<double> const ones(solver->size(FieldId::node_a), 1);
    solver->write(FieldId::node_a, ones.data());
    solver->run_stage("seaice.forcing");
    EXPECT_NEAR(test::read(*solver, FieldId::wind_x)[7], calm ? 0 : 1.3 * 1.2e-3 * 5 * 3, 1e-15);
    EXPECT_NEAR(test::read(*solver, FieldId::wind_y)[7], calm ? 0 : 1.3 * 1.2e-3 * 5 * -4, 1e-15);
  }
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
constexpr sphere::Vector air = {3e-7, -5e-7, 9e-7};
std::array<double, 2> air_at(sphere::LonLat place) {
  auto const r = sphere::to_vector(place);
  sphere::Vector const v = {air[1] * r[2] - air[2] * r[1], air[2] * r[0] - air[0] * r[2],
                            air[0] * r[1] - air[1] * r[0]};
  return {sphere::radius * sphere::dot(v, sphere::east(place)),
          sphere::radius * sphere::dot(v, sphere::north(place))};
}
void write_wind(std::filesystem::path const& path, WindGrid const& grid = {}) {
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

TEST(SphereCase, WindsOfAFileAreInterpolatedAndTurned) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  auto const path = folder / "wind.nc";
  auto const text = case_on(folder / "grid.nc", "wind = 'file'\nwind_file = '" + path.string() + "'\n");
  auto const wind_at = [&](WindGrid const& grid, double hours) {
    write_wind(path, grid);
    return WindAtNodes(text, 3600 * hours);
  };
  // A turn is linear in space; between points of 5 degrees the chord cuts at most 1 - cos(2.5 degrees) twice,
  // of some 7 m/s times 2; a finer grid a fourth of it.
  double const coarse = wind_at({}, 3).error(2);
  EXPECT_LT(coarse, 2 * 2 * 0.00095 * 7);
  EXPECT_GT(coarse, 1e-6);
  WindGrid fine;
  fine.step = 1;
  EXPECT_LT(wind_at(fine, 3).error(2), coarse / 8);
  // In time: at 6 h 3, at 9 h 3.5, at the last 4.
  EXPECT_LT(wind_at(fine, 6).error(3), 1e-2);
  EXPECT_LT(wind_at(fine, 9).error(3.5), 1e-2);
  EXPECT_LT(wind_at(fine, 12).error(4), 1e-2);
  // However the grid is written.
  WindGrid other = fine;
  other.falling = false;
  EXPECT_LT(wind_at(other, 3).error(2), coarse / 8);
  for (double const west : {-180, -60}) {  // the second has nodes between the last longitude and the first
    other.west = west;
    EXPECT_LT(wind_at(other, 3).error(2), coarse / 8);
  }
  other.west = 0;
  other.columns_first = true;
  EXPECT_LT(wind_at(other, 3).error(2), coarse / 8);
  other.level = other.single = true;  // a single level needs no index
  EXPECT_LT(wind_at(other, 3).error(2), coarse / 8);
  other.again = true;
  EXPECT_LT(wind_at(other, 3).error(2), coarse / 8);
  WindGrid knots = fine;
  knots.units = "knots";
  EXPECT_LT(wind_at(knots, 3).error(2 * 1852. / 3600), coarse / 8);
  // Steady without times.
  WindGrid steady = fine;
  steady.hours = {};
  EXPECT_LT(wind_at(steady, 3).error(1), coarse / 8);
}

/// A patch over the pole, of nodes that lie on it and around it.
std::string case_over_pole(std::filesystem::path const& wind, bool south = false) {
  return "core = 'seaice'\n[grid]\nnx = 6\nny = 6\nwest = -3\neast = 3\nsouth = -3\nnorth = 3\n"
         "rotation_z = 0.0\nrotation_y = " +
         std::string(south ? "90.0" : "-90.0") +
         "\n[discretisation]\ncoordinates = 'spherical'\n[time]\nend = '1 h'\nsubsteps = 1\n[forcing]\nwind "
         "= "
         "'file'\nwind_file = '" +
         wind.string() + "'\n";
}

/// At a pole a wind is one vector, whatever the row there says of it; rows beside it know.
TEST(SphereCase, WindsAtAPoleAreOneVector) {
  test::TemporaryFolder const folder;
  auto const path = folder / "wind.nc";
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  auto const [east, north] = air_at({0, 90 * degree});
  struct {
    char const* what;
    std::function<void(double, double, double&, double&)> spoil;
  } const poles[] = {
      {"right", {}},
      {"the first longitude's", [&](double, double, double& e, double& n) { e = east, n = north; }},
      {"zeros", [](double, double, double& e, double& n) { e = n = 0; }},
      {"missing", [](double, double, double& e, double& n) { e = n = none; }},
      {"missing in part", [](double, double x, double& e, double& n) { e = n = x < 90 ? none : 1; }},
      {"a wind that does not turn",
       [](double, double x, double& e, double& n) { e = 5 + 1e-6 * x, n = 2 - 1e-6 * x; }},
  };
  for (bool const south : {false, true}) {
    for (int const step : {1, 5}) {
      for (auto const& one : poles) {
        for (bool const falling : {false, true}) {
          WindGrid grid;
          grid.step = step;
          grid.falling = falling;
          if (one.spoil) {
            grid.spoil = [&](double y, double x, double& e, double& n) {
              if (std::abs(y) == 90) one.spoil(y, x, e, n);
            };
          }
          write_wind(path, grid);
          // Chords of 5 degrees cut off 1 - cos(2.5 degrees) twice, and the mean of a circle of that radius
          // 1 - cos(5 degrees) at most, of 7 m/s times 2.
          double const chord = 1 - std::cos(step * degree / 2), circle = 1 - std::cos(step * degree);
          EXPECT_LT(WindAtNodes(case_over_pole(path, south), 3 * 3600.).error(2, 0, south ? 90 : -90),
                    2 * 7 * (2 * chord + circle))
              << one.what << " " << step << " " << south << " " << falling;
        }
      }
    }
  }
}

/// Grids of cells have no row at the pole: half a cell from it, or one.
TEST(SphereCase, WindsOfCellsReachThePole) {
  test::TemporaryFolder const folder;
  auto const path = folder / "wind.nc";
  for (double const first : {-89.5, -89.0}) {
    for (bool const again : {false, true}) {
      WindGrid grid;
      grid.step = 1;
      grid.first = first;
      grid.again = again;
      write_wind(path, grid);
      EXPECT_LT(WindAtNodes(case_over_pole(path), 3 * 3600.).error(2, 0, -90),
                2 * 7 * 3 * (1 - std::cos(degree)))
          << first << again;
    }
  }
  WindGrid short_of_it;
  short_of_it.step = 1;
  short_of_it.first = -88.5;
  write_wind(path, short_of_it);
  auto const message = message_of<InputError>([&] { WindAtNodes(case_over_pole(path), 3600); });
  EXPECT_NE(message.find("does not cover the mesh"), std::string::npos) << message;
}

TEST(SphereCase, WindOfARunFollowsItsStartAndItsLevel) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  WindGrid grid;
  grid.level = true;
  grid.step = 2;
  write_wind(folder / "wind.nc", grid);
  auto const text = [&](std::string const& keys) {
    return case_on(folder / "grid.nc",
                   "wind = 'file'\nwind_file = '" + (folder / "wind.nc").string() + "'\n" + keys);
  };
  WindAtNodes const later(text("wind_indices = [0]\nwind_start = '2010-01-01 05:00:00'\n"), 3600);
  EXPECT_LT(later.error(3), 2e-2);
  WindAtNodes const upper(text("wind_indices = [1]\nwind_start = '2010-01-01 05:30'\n"), 1800);
  EXPECT_LT(upper.error(30), 2e-1);
  // One of the file's times, steadily.
  EXPECT_LT(WindAtNodes(text("wind_indices = [0]\nwind_time = 1\n"), 7200).error(3), 2e-2);
  EXPECT_LT(WindAtNodes(text("wind_indices = [0]\nwind_time = -1\n"), 7200).error(4), 2e-2);
  EXPECT_NE(refusal(text("wind_indices = [0]\nwind_time = 3\n")).find("between -3 and 2"), std::string::npos);
  EXPECT_NE(refusal(text("")).find("0 given (u10 has 2 places along level, which is no time"),
            std::string::npos);
  EXPECT_NE(refusal(text("wind_indices = [0, 1]\n")).find("leave out the rest"), std::string::npos);
  EXPECT_NE(refusal(text("wind_indices = [2]\n")).find("choose 0 to 1"), std::string::npos);
  EXPECT_NE(refusal(text("wind_indices = [0.5]\n")).find("no index"), std::string::npos);
}

TEST(SphereCase, WindsOfARunGoWithItsTime) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  write_wind(folder / "wind.nc");
  auto const text =
      case_on(folder / "grid.nc", "wind = 'file'\nwind_file = '" + (folder / "wind.nc").string() + "'\n");
  auto const setup = setup_of(text);
  auto const solver = seaice::make_solver(Host{}, "fp64", Assembly::deterministic, setup);
  auto const& field = solver->fields().at("wind_x");
  for (double const hours : {1.0, 5.0, 6.0, 8.0, 12.0, 2.0}) {
    // The first solver has come from another time, the second begins here.
    auto const fresh = seaice::make_solver(Host{}, "fp64", Assembly::deterministic, setup);
    solver->force(3600 * hours);
    fresh->force(3600 * hours);
    std::vector<double> here(static_cast<std::size_t>(field.layout().count())), there(here);
    read_values(field.raw(), 0, field.layout().count(), ValueType::float64, here.data());
    read_values(fresh->fields().at("wind_x").raw(), 0, field.layout().count(), ValueType::float64,
                there.data());
    EXPECT_EQ(here, there) << hours;
  }
}

TEST(SphereCase, WindsThatDoNotFitAreRefused) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  auto const path = folder / "wind.nc";
  auto const text = [&](std::string const& keys) {
    return case_on(folder / "grid.nc", "wind = 'file'\nwind_file = '" + path.string() + "'\n" + keys);
  };
  auto const expect = [&](WindGrid const& grid, std::string const& keys, std::string const& said) {
    write_wind(path, grid);
    auto const message = refusal(text(keys));
    EXPECT_NE(message.find(said), std::string::npos) << message;
  };
  WindGrid const plain;
  auto changed = [&](auto const& change) {
    auto grid = plain;
    change(grid);
    return grid;
  };
  expect(plain, "wind_start = '2010-01-01 12:00:00'\n", "does not cover the run");
  expect(plain, "wind_start = '2009-12-31'\n", "does not cover the run");
  expect(plain, "wind_start = '2010-02-30'\n", "is no date of the file's calendar");
  expect(plain, "wind_start = '2010-01-01 24:00'\n", "is no date");
  expect(plain, "wind_start = 'soon'\n", "write YYYY-MM-DD");
  expect(plain, "wind_u_variable = 'v10'\n", "v10 is the eastward wind too");
  for (auto const* other :
       {"eastward_sea_water_velocity", "sea_ice_x_velocity", "wind_speed", "wind_from_direction",
        "air_temperature", "surface_downward_eastward_stress", "eastward_wind_shear",
        "tendency_of_eastward_wind", "eastward_wind standard_error"}) {
    expect(changed([&](auto& g) { g.name = other; }), "", "u10 is no eastward_wind (its standard_name is ");
  }
  for (auto const* same : {"eastward_wind", "x_wind", "unknown", "geostrophic_eastward_wind"}) {
    write_wind(path, changed([&](auto& g) { g.name = same; }));
    EXPECT_NO_THROW(setup_of(text(""))) << same;
  }
  expect(plain, "wind_u_variable = 'u1'\n", "did you mean 'u10'");
  expect(changed([](auto& g) { g.units = "furlong"; }), "", "is in 'furlong' (winds are read in m s-1, ");
  expect(changed([](auto& g) { g.units = ""; }), "", "is in ''");
  expect(changed([](auto& g) { g.name = "grid_eastward_wind"; }), "", "along the axes of a rotated grid");
  expect(changed([](auto& g) { g.latitude_name = "grid_latitude"; }), "", "that is no rotated grid's");
  expect(changed([](auto& g) { g.name = "northward_wind"; }), "", "is the other component");
  expect(changed([](auto& g) { g.time_units = "seasons"; }), "", "cannot be told (units 'seasons')");
  expect(changed([](auto& g) { g.hours = {0, 12, 6}; }), "", "do not grow");
  expect(changed([](auto& g) { g.hours = {}; }), "wind_start = '2010-01-01'\n", "has no times");
  // What the grid does not reach is known once the nodes are.
  write_wind(path, changed([](auto& g) { g.global = false; }));
  auto const message = message_of<InputError>([&] { WindAtNodes(text(""), 3600); });
  EXPECT_NE(message.find("does not cover the mesh"), std::string::npos) << message;
}

/// ERA-Interim's packed winds of January on the 850 hPa level: at places of the grid the file's numbers.
/// Values that stand for none without being declared so, at places of which the run uses none or all.
TEST(SphereCase, ImplausibleWindsAreRefusedByTheirPlace) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  auto const path = folder / "wind.nc";
  auto const text = case_on(folder / "grid.nc", "wind = 'file'\nwind_file = '" + path.string() + "'\n");
  for (auto const value : {1e30, -9999.0, 1e36, 1e20, 301.0, -301.0}) {
    for (int trial = 0; trial < 6; ++trial) {
      WindGrid grid;
      grid.growth = {1, 1, 1};
      int const row = 3 + 5 * trial, column = 11 * trial;
      bool const eastward = trial % 2 == 0;
      grid.falling = trial % 3 != 0;
      grid.spoil = [&](double latitude, double longitude, double& east, double& north) {
        if (latitude == -90 + 5 * row && longitude == 5 * column) (eastward ? east : north) = value;
      };
      write_wind(path, grid);
      auto const message = message_of<InputError>([&] { WindAtNodes(text, 3600); });
      auto const file_row = grid.falling ? 36 - row : row;
      auto const wanted = path.string() + ": " + (eastward ? "u10" : "v10") + " is " +
                          io::number_text(value) + " m s-1 at lat " + std::to_string(file_row) + ", lon " +
                          std::to_string(column) + " (" + std::to_string(-90 + 5 * row) + " N, " +
                          std::to_string(5 * column) + " E), time 0 (winds lie between -300 and 300 m s-1";
      EXPECT_EQ(message.find(wanted), 0U) << message << "\n" << wanted;
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
  }
}

TEST(SphereCase, LongitudesOfTwoTurnsAndLatitudesBeyondAPoleAreRefused) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  auto const path = folder / "wind.nc";
  auto const text = case_on(folder / "grid.nc", "wind = 'file'\nwind_file = '" + path.string() + "'\n");
  WindGrid twice;
  twice.turns = 2;
  write_wind(path, twice);
  EXPECT_NE(refusal(text).find("lon from 0 to 715 (longitudes go round the globe once at the most)"),
            std::string::npos);
  WindGrid beyond;
  beyond.first = -100;
  write_wind(path, beyond);
  EXPECT_NE(refusal(text).find("lat from -100 to 100 (latitudes lie between -90 and 90 degrees)"),
            std::string::npos);
}

TEST(SphereCase, WindsAreNotMadeUpOverAHole) {
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  auto const path = folder / "wind.nc";
  auto const text = case_on(folder / "grid.nc", "wind = 'file'\nwind_file = '" + path.string() + "'\n");
  WindGrid holed;
  holed.hole = 3;  // a step of 20 degrees beside those of 5
  write_wind(path, holed);
  EXPECT_NE(refusal(text).find("lon from 0 to 355 (with a hole beside 20)"), std::string::npos)
      << refusal(text);
  holed.hole = 1;  // of 10: winds are interpolated on axes whose steps grow
  write_wind(path, holed);
  EXPECT_NO_THROW(setup_of(text));
}

TEST(SphereCase, CornersInRadiansAreRefused) {
  test::TemporaryFolder const folder;
  auto const path = folder / "grid.nc";
  auto const of = [&](double factor, std::string const& units) {
    write_grid(path, 0, factor, units);
    return message_of<InputError>([&] { setup_of(case_on(path)); });
  };
  EXPECT_NE(of(degree, "").find("(in radians, it seems; degrees are read)"), std::string::npos);
  EXPECT_NE(of(degree, "radian").find("is in 'radian'"), std::string::npos);
  EXPECT_NO_THROW((write_grid(path, 0, 1, "degrees"), setup_of(case_on(path))));
}

TEST(SphereCase, PackedWindsOfAReanalysisAreRead) {
  auto const path = test::reference_file("les/eraint_uvz.nc");
  if (path.empty()) GTEST_SKIP() << "les/eraint_uvz.nc is not in ULPINE_TEST_DATA";
  io::InputFile const file(path);
  auto const shape = file.info("u").shape;
  ASSERT_EQ(shape.size(), 3u) << "levels, latitudes, longitudes; and months, which count as times";
  // A patch whose vertices are points of the file's grid of 0.75 degrees, unturned.
  auto const text =
      "core = 'seaice'\n[grid]\nnx = 4\nny = 4\nwest = -3\neast = 3\nsouth = 60\nnorth = 66\n"
      "rotation_z = 0\nrotation_y = 0\n[discretisation]\ncoordinates = 'spherical'\n"
      "[forcing]\nwind = 'file'\nwind_u_variable = 'u'\nwind_v_variable = 'v'\nwind_indices = [2]\nwind_time "
      "= 0\n"
      "wind_file = '" +
      path.string() + "'\n";
  WindAtNodes const wind(text, 3600);
  auto const west = file.read_all("longitude").front();
  for (int j = 0; j <= 4; ++j) {
    for (int i = 0; i <= 4; ++i) {
      auto const row = static_cast<std::int64_t>((90 - (60 + 1.5 * j)) / 0.75),
                 column = static_cast<std::int64_t>(std::lround((1.5 * i - 3 - west) / 0.75)) % 480;
      io::Box const point{{2, row, column}, {1, 1, 1}};
      auto const at = static_cast<std::size_t>(j * 5 + i);
      EXPECT_NEAR(wind.u[at], file.read("u", 0, point)[0], 1e-9);
      EXPECT_NEAR(wind.v[at], file.read("v", 0, point)[0], 1e-9);
    }
  }
}

TEST(SphereCase, RealArcticLiesWhereItsFileSays) {
  auto const path = test::reference_file("seaice/arctic_25km_topaz4_2010-01.nc");
  if (path.empty()) GTEST_SKIP() << "seaice/arctic_25km_topaz4_2010-01.nc is not in ULPINE_TEST_DATA";
  auto text = case_on(path);
  for (auto const* name : {"coords", "mask", "hice", "cice"}) {
    auto const word = "'" + std::string(name) + "'";
    text.replace(text.find(word), word.size(), "'data/" + std::string(name) + "'");
  }
  auto const setup = setup_of(text);
  io::InputFile const file(path);
  auto const longitude = file.read_all("data/longitude"), latitude = file.read_all("data/latitude");
  ASSERT_EQ(setup.longitude.size(), longitude.size());
  double farthest = 0;
  for (std::size_t k = 0; k < longitude.size(); ++k) {
    // The file's middles are means of longitudes and latitudes, which err near the pole.
    if (setup.mesh.mask[k] == 0 || latitude[k] > 88) continue;
    farthest = std::max(farthest, sphere::distance({setup.longitude[k] * degree, setup.latitude[k] * degree},
                                                   {longitude[k] * degree, latitude[k] * degree}));
  }
  EXPECT_LT(farthest, 25e3 / 100);
  double area = 0;
  auto const areas = setup.mesh.areas();
  for (std::size_t k = 0; k < areas.size(); ++k) area += setup.mesh.mask[k] * areas[k];
  EXPECT_NEAR(area / 1e12, 8.0, 0.8);  // 12 786 cells of about 25 km
}

/// Files without a seal are read by a process of their own, which costs more than all else that the suite
/// does on this grid: it reads them for every model that it makes. Other tests here read them as anybody's.
void read_within_this_process(std::filesystem::path const& file) { io::append_seal(file, file); }

TEST(SphereConformance, HoldsWithAMaskInEveryPolicyOfTheSphere) {
  seaice::register_core();
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc", 150);
  write_wind(folder / "wind.nc");
  read_within_this_process(folder / "grid.nc");
  read_within_this_process(folder / "wind.nc");
  ModelOptions one, two;
  two.threads = 2;
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "quad"}) {
    test::expect_conformance(case_on(folder / "grid.nc"), policy, Assembly::deterministic, {one, two});
  }
  for (auto const order : test::other_orders) {
    test::expect_conformance(case_on(folder / "grid.nc", "", "", order), "fp64", Assembly::deterministic,
                             {one, two});
  }
  auto const file = "wind = 'file'\nwind_file = '" + (folder / "wind.nc").string() + "'\n";
  test::expect_conformance(case_on(folder / "grid.nc", file), "fp64", Assembly::deterministic, {one, two});
}

TEST(SphereConformance, HoldsInEmulatedFormatsAndWithStagesInOtherPolicies) {
  seaice::register_core();
  test::TemporaryFolder const folder;
  write_grid(folder / "grid.nc");
  read_within_this_process(folder / "grid.nc");
  ModelOptions one, two;
  two.threads = 2;
  test::expect_conformance(case_on(folder / "grid.nc"), "e8m23-sr1", Assembly::deterministic, {one, two});
  for (auto* place : {&one, &two}) place->stages = {{"seaice.strain", "tf32"}, {"seaice.velocity", "fp32"}};
  test::expect_conformance(case_on(folder / "grid.nc"), "fp64", Assembly::deterministic, {one, two});
}

TEST(SphereCase, WhatHasNoSolverOnTheSphereIsRefused) {
  seaice::register_core();
  auto const make = [](ModelOptions const& options) {
    return message_of<InputError>(
        [&] { make_model(io::CaseFile::parse(case_on_patch(""), "case.toml"), options); });
  };
  ModelOptions atomic, halves;
  atomic.assembly = Assembly::atomic;
  halves.policy = "bf16";
  EXPECT_NE(make(atomic).find("atomic"), std::string::npos) << make(atomic);
  EXPECT_NE(make(halves).find("bf16"), std::string::npos) << make(halves);
}

/// A step in 113 bits differs from one in double by double's roundings alone.
TEST(SphereCase, DoubleAgreesWith113Bits) {
  for (auto const order : test::orders) {
    auto const setup = setup_of(case_on_patch("wind = 'cyclone'\ncyclone_reach = 5e5\n", "", order));
    auto const run = [&](char const* policy) {
      auto solver = test::make(policy, Assembly::deterministic, setup);
      for (int step = 1; step <= 3; ++step) solver->advance(step);
      return test::read(*solver, FieldId::u);
    };
    EXPECT_LT(test::relative_difference(run("fp64"), run("quad")), 1e-11) << test::name_of(order);
  }
}

}  // namespace
