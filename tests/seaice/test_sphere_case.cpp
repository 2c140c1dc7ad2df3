// SPDX-License-Identifier: Apache-2.0
// Cases on the sphere: meshes and ice from files, refinement, what is refused, and the promises that every
// core keeps.
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
#include "seaice/sphere_case.hpp"
#include "support/conformance.hpp"
#include "support/netcdf_writing.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using sphere_case::degree, sphere_case::nx, sphere_case::ny, sphere_case::vertices, sphere_case::write_grid,
    sphere_case::case_on, sphere_case::case_on_patch, sphere_case::setup_of, sphere_case::refusal,
    sphere_case::write_wind;
using test::FieldId, test::message_of;

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

TEST(SphereCase, PatchLiesBetweenItsMeridiansAndParallels) {
  // 20 x 16 degrees from 10 W, 5 N in 5 x 4 cells.
  auto const mesh = setup_of(case_on_patch("wind = 'calm'\n")).mesh;
  ASSERT_EQ(mesh.nx, 5);
  ASSERT_EQ(mesh.ny, 4);
  for (std::size_t j = 0; j <= 4; ++j) {
    for (std::size_t i = 0; i <= 5; ++i) {
      EXPECT_NEAR(mesh.x[6 * j + i] / degree, -10 + 4 * static_cast<double>(i), 1e-13) << i << ' ' << j;
      EXPECT_NEAR(mesh.y[6 * j + i] / degree, 5 + 4 * static_cast<double>(j), 1e-13) << i << ' ' << j;
    }
  }
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
