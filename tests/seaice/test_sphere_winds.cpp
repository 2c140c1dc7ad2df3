// SPDX-License-Identifier: Apache-2.0
// Winds of files over ice on the sphere.
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
#include "seaice/plain_support.hpp"
#include "seaice/sphere_case.hpp"
#include "support/netcdf_writing.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using sphere_case::degree, sphere_case::vertices, sphere_case::write_grid, sphere_case::case_on,
    sphere_case::setup_of, sphere_case::refusal, sphere_case::WindGrid, sphere_case::air_at,
    sphere_case::write_wind, sphere_case::WindAtNodes;
using test::message_of;

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
    solver->run_stage(seaice::stage::forcing, {.time = 3600 * hours});
    fresh->run_stage(seaice::stage::forcing, {.time = 3600 * hours});
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
  // Fill values among times: behind those of the run, between them and before.
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   none = std::numeric_limits<double>::quiet_NaN();
  for (double const fill : {infinity, none, 1e30, 9.969209968386869e36}) {
    expect(changed([&](auto& g) { g.hours[2] = fill; }), "", "the times of u10 have ");
    expect(changed([&](auto& g) { g.hours[1] = fill; }), "", "the times of u10 have ");
    expect(changed([&](auto& g) { g.hours[0] = -fill; }), "", "the times of u10 have ");
  }
  expect(changed([](auto& g) { g.hours[2] = 1e30; }), "",
         "the times of u10 have 1e+30 (hours since 2010-01-01 00:00:00: no date");
  expect(changed([](auto& g) { g.hours[0] = -9999; }), "",
         "u10 has no wind for 10005 h after its time 0 (other times are 6 h apart");
  // A season that begins long after the run leaves no hole in it, nor do first times close together.
  for (double const second : {6., 0.01}) {
    write_wind(path, changed([&](auto& g) { g.hours = {0, second, 9000}; }));
    EXPECT_NO_THROW(setup_of(text(""))) << second;
  }
  expect(changed([](auto& g) { g.hours = {}; }), "wind_start = '2010-01-01'\n", "has no times");
  // What the grid does not reach is known once the nodes are.
  write_wind(path, changed([](auto& g) { g.global = false; }));
  auto const message = message_of<InputError>([&] { WindAtNodes(text(""), 3600); });
  EXPECT_NE(message.find("does not cover the mesh"), std::string::npos) << message;
}

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

/// ERA-Interim's packed winds of January on the 850 hPa level: at places of the grid the file's numbers.
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

}  // namespace
