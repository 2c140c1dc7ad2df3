// SPDX-License-Identifier: Apache-2.0
// What a case says: grid, ground, base state, sponge, small steps, start, and what it must not say; and the
// metrics of the grid's points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "fdm/smooth_air.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;
using std::numbers::pi;

Parameters of(std::string const& text) {
  return Parameters(io::CaseFile::parse("core = 'fdm'\n" + text, "air.toml"));
}

TEST(Case, HasDefaultsThatFollowFromWhatItSays) {
  EXPECT_EQ(of("[grid]\ndx = 700.0\n").dy, 700);
  EXPECT_EQ(of("[grid]\ndx = 700.0\ndy = 300.0\n").dy, 300);
  EXPECT_EQ(of("[advection]\norder = 5\n").order_zeta, 5);
  EXPECT_EQ(of("[advection]\norder = 5\nvertical_order = 2\n").order_zeta, 2);
  EXPECT_EQ(of("[advection]\norder = 5\nvertical_order = 2\n").order, 5);
}

TEST(Case, NamesEverySide) {
  auto const sides =
      of("[boundary]\nwest = 'wall'\neast = 'open'\nsouth = 'zero_gradient'\nnorth = 'wall'\n").sides;
  EXPECT_EQ(sides.west, LateralBoundary::wall);
  EXPECT_EQ(sides.east, LateralBoundary::open);
  EXPECT_EQ(sides.south, LateralBoundary::zero_gradient);
  EXPECT_EQ(sides.north, LateralBoundary::wall);
  auto const none = of("").sides;
  for (auto const side : {none.west, none.east, none.south, none.north})
    EXPECT_EQ(side, LateralBoundary::periodic);
}

/// 20 x 10 cells of 1000 x 500 m, 10 levels of 400 m.
std::string const twenty = "[grid]\nnx = 20\nny = 10\nnz = 10\ndx = 1000.0\ndy = 500.0\ndz = 400.0\n";

/// Whether the case is refused by `key` as what the grid hardly has.
bool hardly_there(std::string const& key, std::string const& text) {
  try {
    of(twenty + text);
    return false;
  } catch (InputError const& error) {
    std::string const message = error.what();
    EXPECT_NE(message.find("hardly"), std::string::npos) << message;
    EXPECT_NE(message.find(key + ": "), std::string::npos) << message;
    EXPECT_NE(message.find("0 to 20000 m along x, 0 to 5000 m along y, 0 to 4000 m upwards"),
              std::string::npos)
        << message;
    return true;
  }
}

TEST(Case, RefusesABubbleOutsideOrBetweenPoints) {
  auto const bubble = [](double x, double y, double z, double radius) {
    return hardly_there("start.kind", "[start]\nkind = 'bubble'\ncentre_x = " + std::to_string(x) +
                                          "\ncentre_y = " + std::to_string(y) + "\ncentre_z = " +
                                          std::to_string(z) + "\nradius_x = " + std::to_string(radius) +
                                          "\nradius_z = " + std::to_string(radius) + "\n");
  };
  EXPECT_FALSE(bubble(10000, 2500, 2000, 2000));
  EXPECT_TRUE(bubble(40000, 2500, 2000, 2000));
  EXPECT_TRUE(bubble(10000, -9000, 2000, 2000));
  EXPECT_TRUE(bubble(10000, 2500, 9000, 2000));
  // Between four columns, and on one point alone.
  EXPECT_TRUE(bubble(10000, 2500, 2000, 100));
  EXPECT_TRUE(bubble(10500, 2750, 2200, 100));
  // Half of it is on the grid; then the rim alone is.
  EXPECT_FALSE(bubble(0, 2500, 2000, 3000));
  EXPECT_TRUE(bubble(-2000, 2500, 2000, 3000));
  EXPECT_FALSE(hardly_there("start.kind", "[start]\nkind = 'bubble'\namplitude = 0.0\ncentre_x = 90e3\n"));
}

TEST(Case, RefusesWavesPulsesAndMountainsOutsideOrBetweenPoints) {
  for (std::string const kind : {"gravity_wave", "acoustic_pulse"}) {
    auto const at = [&](char const* keys) {
      return hardly_there("start.kind", "[start]\nkind = '" + kind + "'\n" + keys);
    };
    EXPECT_FALSE(at("")) << kind;
    EXPECT_TRUE(at("centre_x = 60e3\n")) << kind;
    EXPECT_TRUE(at("centre_x = 10e3\nradius_x = 100.0\n")) << kind;
    EXPECT_TRUE(at("centre_x = 10500.0\nradius_x = 100.0\n")) << "one column alone";
  }
  for (std::string const kind : {"bell", "schaer"}) {
    auto const with = [&](char const* keys) {
      return hardly_there("terrain.kind", "[terrain]\nkind = '" + kind + "'\n" + keys);
    };
    EXPECT_FALSE(with("")) << kind;
    EXPECT_TRUE(with("centre_x = -30e3\n")) << kind;
    EXPECT_EQ(with("centre_y = 90e3\n"), kind == "bell") << "the other is a ridge";
    EXPECT_TRUE(with("half_width = 10.0\n")) << kind;
    EXPECT_TRUE(with("half_width = 10.0\ncentre_x = 10500.0\ncentre_y = 2750.0\n")) << "one column alone";
    EXPECT_FALSE(with("height = 0.0\nhalf_width = 10.0\n")) << kind;
  }
}

TEST(Case, RefusesASpongeWithoutALayer) {
  auto const message = test::message_of<InputError>([] { of(twenty + "[sponge]\nrate = 0.01\n"); });
  EXPECT_NE(message.find("sponge.rate: has no layer to act in"), std::string::npos) << message;
  EXPECT_NO_THROW(of(twenty + "[sponge]\nrate = 0.01\nfrom = 2000.0\n"));
}

TEST(Case, IsRefusedWhereItIsNone) {
  auto const message = [](std::string const& text) {
    return test::message_of<InputError>([&] { of(text); });
  };
  for (auto const* key : {"order", "vertical_order"}) {
    auto const found = message("[advection]\n" + std::string(key) + " = 3\n");
    EXPECT_NE(found.find("advection." + std::string(key)), std::string::npos) << found;
    EXPECT_NE(found.find("is 3 (there is no such scheme) set 2, 4 or 5"), std::string::npos) << found;
  }
  for (auto const& [text, key] : {std::pair{"west = 'wall'\n", "boundary.east"},
                                  {"east = 'open'\n", "boundary.east"},
                                  {"south = 'wall'\n", "boundary.north"},
                                  {"north = 'zero_gradient'\n", "boundary.north"}}) {
    auto const found = message("[boundary]\n" + std::string(text));
    EXPECT_NE(found.find(key), std::string::npos) << found;
    EXPECT_NE(found.find("a period has two ends"), std::string::npos) << found;
  }
}

TEST(Case, HasARadiativeLidWhereWavesCanLeave) {
  auto const message = [](std::string const& text) {
    return test::message_of<InputError>([&] { of("[lid]\nkind = 'radiative'\n" + text); });
  };
  std::string const stable = "[base]\nkind = 'constant_n'\n";
  EXPECT_FALSE(of(stable).radiative_lid);
  EXPECT_TRUE(of("[lid]\nkind = 'radiative'\n" + stable).radiative_lid);
  EXPECT_TRUE(of("[lid]\nkind = 'radiative'\n" + stable + "[boundary]\nsouth = 'wall'\nnorth = 'wall'\n")
                  .radiative_lid);
  for (auto const* sides : {"[boundary]\nwest = 'open'\neast = 'open'\n",
                            "[grid]\nny = 4\n[boundary]\nsouth = 'wall'\nnorth = 'wall'\n"}) {
    auto const found = message(stable + sides);
    EXPECT_NE(found.find("lid.kind"), std::string::npos) << found;
    EXPECT_NE(found.find("make all sides \"periodic\""), std::string::npos) << found;
  }
  // N is 0 in air of one theta.
  auto const found = message("[base]\nkind = 'constant_theta'\n");
  EXPECT_NE(found.find("lid.kind"), std::string::npos) << found;
  EXPECT_NE(found.find("stable base.kind"), std::string::npos) << found;
}

TEST(Case, HasItsWind) {
  auto const p = of("[base]\nu = 3.0\nv = -2.0\nu_aloft = 12.0\nshear_depth = 1500.0\n");
  BaseState const base(p.base, 5000);
  EXPECT_NEAR(base.u(1000), 3 + 12 * std::tanh(1000 / 1500.0), 1e-12);
  EXPECT_EQ(base.v(1000), -2);
  // Of a sounding less the speed of the grid.
  test::TemporaryFolder const folder;
  folder.write("air.txt", "1000.0 300.0 10.0\n1000.0 302.0 8.0 -3.0 4.0\n18000.0 443.0 0.1 20.0 0.0\n");
  Parameters const moving(io::CaseFile::parse(
      "core = 'fdm'\n[base]\nkind = 'sounding'\nfile = 'air.txt'\nframe_u = 5.0\nframe_v = -1.5\n",
      "air.toml", folder.path()));
  BaseState const seen(moving.base, 5000);
  EXPECT_NEAR(seen.u(1000), -3 - 5, 1e-12);
  EXPECT_NEAR(seen.v(1000), 4 + 1.5, 1e-12);
}

TEST(Case, HasNoAirAboveItsSounding) {
  test::TemporaryFolder const folder;
  folder.write("air.txt", "1000.0 300.0 10.0\n1000.0 302.0 8.0 -3.0 4.0\n18000.0 443.0 0.1 20.0 0.0\n");
  auto const with_lid_at = [&](std::string const& height) {
    return test::message_of<InputError>([&] {
      Parameters const low(io::CaseFile::parse(
          "core = 'fdm'\n[grid]\nnz = 10\ndz = " + height + "\n[base]\nkind = 'sounding'\nfile = 'air.txt'\n",
          "air.toml", folder.path()));
    });
  };
  auto const refusal = with_lid_at("1801.0");
  EXPECT_NE(refusal.find("base.file: ends at 18000 m over the ground (the lid is at 18010 m)"),
            std::string::npos)
      << refusal;
  EXPECT_EQ(with_lid_at("1800.0"), "(nothing thrown)");
}

TEST(Ground, IsABellOrSchaers) {
  auto const bell =
      of("[grid]\nny = 8\n[terrain]\nkind = 'bell'\nheight = 400.0\nhalf_width = 2000.0\ncentre_x = "
         "5000.0\ncentre_y = 3000.0\n");
  EXPECT_NEAR(bell.ground(5000, 3000), 400, 1e-12);
  EXPECT_NEAR(bell.ground(7000, 3000), 200, 1e-12);
  EXPECT_NEAR(bell.ground(5000, 7000), 400 / 5.0, 1e-12);
  EXPECT_NEAR(bell.ground(3000, 1000), 400 / 3.0, 1e-12);
  auto const ridge = of("[terrain]\nkind = 'bell'\nheight = 400.0\nhalf_width = 2000.0\ncentre_x = 5000.0\n");
  EXPECT_NEAR(ridge.ground(7000, 1e6), 200, 1e-12);
  auto const schaer = of("[terrain]\nkind = 'schaer'\ncentre_x = 30000.0\n");  // 250 m, 5 km, 4 km
  for (double const x : {0.0, 1000.0, 1500.0, 2900.0, -7300.0}) {
    auto const wanted = 250 * std::exp(-x * x / 25e6) * std::pow(std::cos(pi * x / 4000), 2);
    EXPECT_NEAR(schaer.ground(30000 + x, 77), wanted, 1e-11) << x;
  }
}

TEST(Levels, AreStretchedFromTheThinnestToTheTop) {
  // 20 levels of 500 m on average, three of 200 m, then growing by a curve that is odd about its middle: what
  // the n-th of them has too little the n-th from the top has too much.
  for (auto const* kind : {"cubic", "tanh"}) {
    auto const p = of("[grid]\nnz = 20\ndz = 500.0\nthinnest = 200.0\nuniform_below = 600.0\nstretching = '" +
                      std::string(kind) + "'\n");
    auto const levels = p.heights().levels;
    ASSERT_EQ(levels.size(), 21u);
    std::vector<double> thickness;
    for (std::size_t k = 0; k < 20; ++k) thickness.push_back(levels[k + 1] - levels[k]);
    EXPECT_EQ(levels.front(), 0);
    EXPECT_EQ(levels.back(), 10000);
    for (std::size_t k = 0; k <= 3; ++k) EXPECT_NEAR(thickness[k], 200, 1e-9) << kind << k;
    for (std::size_t k = 4; k < 20; ++k) EXPECT_GT(thickness[k], thickness[k - 1]) << kind << k;
    for (std::size_t k = 3; k < 20; ++k) {
      EXPECT_NEAR(thickness[k] + thickness[22 - k], thickness[3] + thickness[19], 1e-8) << kind << k;
    }
    // By the curve itself, a quarter of the way up: (1 + s^3) / 2 or (1 + tanh(2 s) / tanh(2)) / 2 at s =
    // -1/2.
    auto const wanted = std::string(kind) == "cubic" ? 0.4375 : (1 - std::tanh(1.0) / std::tanh(2.0)) / 2;
    EXPECT_NEAR((thickness[7] - 200) / (thickness[19] - 200), wanted, 1e-9) << kind;
  }
  auto const even = of("[grid]\nnz = 4\ndz = 500.0\n").heights().levels;
  EXPECT_EQ(even, (std::vector<double>{0, 500, 1000, 1500, 2000}));
}

TEST(Sponge, GrowsByACosine) {
  auto const p = of("[grid]\nnz = 20\ndz = 500.0\n[sponge]\nfrom = 6000.0\nrate = 0.01\n");
  EXPECT_EQ(p.sponge(5000), 0);
  EXPECT_EQ(p.sponge(6000), 0);
  EXPECT_NEAR(p.sponge(7000), 0.01 * (1 - std::sqrt(0.5)) / 2, 1e-15);
  EXPECT_NEAR(p.sponge(8000), 0.005, 1e-15);
  EXPECT_NEAR(p.sponge(10000), 0.01, 1e-15);
  EXPECT_NEAR(p.sponge(11000), 0.01, 1e-15);
}

TEST(Damping, IsByAnArea) {
  // ARPS: 0.05 min(dx, dy, dz)^2; or along the levels min(sqrt(dx dy), 5000)^2 and across them dz^2.
  auto const text = [](double dx, double dy, double dz) {
    return "[grid]\nnx = 8\nny = 8\ndx = " + std::to_string(dx) + "\ndy = " + std::to_string(dy) +
           "\ndz = " + std::to_string(dz) + "\n";
  };
  auto const damping = [&](Parameters const& p, double h, double v) {
    EXPECT_NEAR(p.damping_h(), 0.05 * h * h, 1e-9 * h * h);
    EXPECT_NEAR(p.damping_v(), 0.05 * v * v, 1e-9 * v * v);
  };
  std::string const anisotropic = "[sound]\ndamping = 'anisotropic'\n";
  damping(of(text(1000, 800, 500)), 500, 500);
  damping(of(text(1000, 400, 500)), 400, 400);
  damping(of(text(300, 400, 500)), 300, 300);
  damping(of(text(1000, 400, 500) + anisotropic), std::sqrt(4e5), 500);
  damping(of(text(9000, 8000, 500) + anisotropic), 5000, 500);
  damping(of(text(1000, 800, 500) + "thinnest = 200.0\nstretching = 'tanh'\n"), 200, 200);
  damping(of(text(1000, 800, 500) + "thinnest = 200.0\nstretching = 'tanh'\n" + anisotropic), std::sqrt(8e5),
          200);
  // In one row there is no dy.
  damping(of("[grid]\ndx = 400.0\ndy = 100.0\ndz = 500.0\n"), 400, 400);
  damping(of("[grid]\ndx = 400.0\ndy = 100.0\ndz = 500.0\n" + anisotropic), 400, 500);
  auto const half = of(text(1000, 800, 500) + "[sound]\ndivergence_damping = 0.1\n");
  EXPECT_NEAR(half.damping_h(), 0.1 * 500 * 500, 1e-9);
}

TEST(SmallSteps, FillAPartAndAreNoLongerThanTheLongest) {
  auto const p = of("[sound]\nlongest_step = '0.75 s'\n");
  for (auto const& [length, count] : {std::pair{6.0, 8}, {2.0, 3}, {0.75, 1}, {0.1, 1}, {3.0, 4}, {3.1, 5}}) {
    auto const steps = p.small_steps(length);
    EXPECT_EQ(steps.count, count) << length;
    EXPECT_NEAR(steps.length * count, length, 1e-15 * length);
  }
  // What is whole but for rounding is whole.
  EXPECT_EQ(of("[sound]\nlongest_step = '0.1 s'\n").small_steps(0.3).count, 3);
}

TEST(Bubble, IsWarmInItsMiddleAndEndsAtItsRim) {
  std::string const text =
      "[start]\nkind = 'bubble'\namplitude = 3.0\ncentre_x = 4000.0\ncentre_y = 2000.0\ncentre_z = "
      "2500.0\nradius_x = 2000.0\nradius_y = 1000.0\nradius_z = 1500.0\n";
  auto const p = of("[grid]\nny = 4\n" + text);
  BaseState const base(p.base, p.top());
  auto const at = [&](double x, double y, double z) {
    return p.start_theta(base, 4000 + x, 2000 + y, 2500 + z);
  };
  EXPECT_EQ(at(0, 0, 0), 3);
  EXPECT_NEAR(at(1000, 0, 0), 1.5, 1e-12);  // cos^2(pi / 4)
  EXPECT_NEAR(at(0, 500, 0), 1.5, 1e-12);
  EXPECT_NEAR(at(0, 0, -750), 1.5, 1e-12);
  EXPECT_NEAR(at(2000 * 0.6 / 3, 0, 1500 * 0.8 / 3), 3 * 0.75, 1e-12);  // cos^2(pi / 6)
  EXPECT_EQ(at(2000, 0, 0), 0);
  EXPECT_EQ(at(0, 1000, 1000), 0);
  // In one row it is a cylinder.
  auto const row_text = text.substr(0, text.find("radius_y")) + "radius_z = 1500.0\n";
  auto const row = of("[grid]\nny = 1\n" + row_text);
  EXPECT_NEAR(row.start_theta(base, 5000, 0, 2500), 1.5, 1e-9);
  // Of temperature: theta' = T' / exner.
  auto const cold = of("[grid]\nny = 4\n" + text + "amplitude_of = 'temperature'\n");
  EXPECT_NEAR(cold.start_theta(base, 5000, 2000, 2500), 1.5 / (1 - 9.8 * 2500 / (1004 * 300)), 1e-7);
}

TEST(Coordinates, AreThoseOfCentresAndFaces) {
  auto const all =
      coordinates(of("[grid]\nnx = 3\nny = 2\nnz = 2\ndx = 700.0\ndy = 400.0\ndz = 500.0\nthinnest = "
                     "300.0\nstretching = 'cubic'\n"));
  auto const expect = [&](char const* name, std::vector<double> const& wanted) {
    auto const found = std::ranges::find(all, name, &io::Coordinate::name);
    ASSERT_NE(found, all.end()) << name;
    ASSERT_EQ(found->values.size(), wanted.size()) << name;
    for (std::size_t n = 0; n < wanted.size(); ++n) EXPECT_NEAR(found->values[n], wanted[n], 1e-9) << name;
  };
  expect("x", {350, 1050, 1750});
  expect("x_u", {0, 700, 1400, 2100});
  expect("y", {200, 600});
  expect("y_v", {0, 400, 800});
  expect("z_w", {0, 300, 1000});
  expect("z", {150, 650});
}

TEST(Ground, GoesOnBeyondTheSidesAsTheyAre) {
  Heights heights{4, 1, 2, 1000, 1000, 500, {0, 500, 1000}, 1000, {10, 20, 30, 40}};
  auto const expect = [&](LateralBoundary low, LateralBoundary high, std::vector<double> const& wanted) {
    heights.sides.west = low;
    heights.sides.east = high;
    for (std::int32_t n = 0; n < 8; ++n) {
      auto const i = n < 4 ? n - 4 : n;
      EXPECT_EQ(heights.ground_at(0, i), wanted[static_cast<std::size_t>(n)]) << i;
    }
  };
  expect(LateralBoundary::periodic, LateralBoundary::periodic, {10, 20, 30, 40, 10, 20, 30, 40});
  expect(LateralBoundary::wall, LateralBoundary::wall, {40, 30, 20, 10, 40, 30, 20, 10});
  expect(LateralBoundary::open, LateralBoundary::wall, {10, 10, 10, 10, 40, 30, 20, 10});
  expect(LateralBoundary::wall, LateralBoundary::zero_gradient, {40, 30, 20, 10, 40, 40, 40, 40});
}

/// All metrics against the formulas of their heights and of the base state.
template <template <class> class Ground>
void expect_metrics() {
  using Air = test::SmoothAir<Ground>;
  Air air(1, "[sponge]\nfrom = 2000.0\nrate = 0.02\n");
  auto const& p = air.p;
  auto const ground = air.space.ground();
  auto const level = [](std::int32_t k) { return k * 500.0 * (0.8 + 0.2 * k / 10.0); };
  auto const face = [&](std::int32_t k, std::int32_t j, std::int32_t i) {
    return Air::height(level(k), (i + 0.5) * p.dx, (j + 0.5) * p.dy);
  };
  auto const z = [&](auto k, auto j, auto i) { return (face(k, j, i) + face(k + 1, j, i)) / 2; };
  auto const j3 = [&](auto k, auto j, auto i) { return (face(k + 1, j, i) - face(k, j, i)) / 500; };
  auto const mass = [&](auto k, auto j, auto i) { return air.density(z(k, j, i)) * j3(k, j, i); };
  auto const theta = [&](auto k, auto j, auto i) { return air.base.theta(z(k, j, i)); };
  auto const sponge = [](double height) {
    return height < 2000 ? 0 : 0.01 * (1 - std::cos(pi * (height - 2000) / 3000));
  };
  for (std::int32_t k = 1; k < p.nz; ++k) {
    for (std::int32_t j = -2; j <= p.ny + 2; ++j) {
      for (std::int32_t i = -2; i <= p.nx + 2; ++i) {
        // The test's table of humidity is a metre coarse: where its slope jumps, by 5e-6 a metre, it and the
        // density are off by 1e-6 kg kg-1.
        auto const expect = [&](Metric metric, double wanted) {
          auto const part = metric == Metric::vapour ? 3e-4 : 2e-6;
          EXPECT_NEAR(ground.at(metric, k, j, i), wanted, part * std::abs(wanted))
              << static_cast<int>(metric) << " at " << k << " " << j << " " << i;
        };
        auto const both = [&](Metric metric, Metric inverse, double wanted) {
          expect(metric, wanted);
          expect(inverse, 1 / wanted);
        };
        auto const here = z(k, j, i);
        auto const pressure = air.pressure(here);
        both(Metric::j3, Metric::per_j3, j3(k, j, i));
        expect(Metric::density, air.density(here));
        both(Metric::mass, Metric::per_mass, mass(k, j, i));
        both(Metric::theta, Metric::per_theta, theta(k, j, i));
        both(Metric::pressure, Metric::per_pressure, pressure);
        expect(Metric::stiffness, 1004.0 / 717 * pressure / j3(k, j, i));
        expect(Metric::vapour, air.humidity(here));
        expect(Metric::exner, std::pow(pressure / 1e5, 287.0 / 1004));
        both(Metric::mass_u, Metric::per_mass_u, (mass(k, j, i - 1) + mass(k, j, i)) / 2);
        both(Metric::mass_v, Metric::per_mass_v, (mass(k, j - 1, i) + mass(k, j, i)) / 2);
        both(Metric::mass_w, Metric::per_mass_w, (mass(k - 1, j, i) + mass(k, j, i)) / 2);
        expect(Metric::j3_u, (j3(k, j, i - 1) + j3(k, j, i)) / 2);
        expect(Metric::j3_v, (j3(k, j - 1, i) + j3(k, j, i)) / 2);
        both(Metric::j3_w, Metric::per_j3_w, (j3(k - 1, j, i) + j3(k, j, i)) / 2);
        expect(Metric::theta_gradient, (theta(k, j, i) - theta(k - 1, j, i)) / 500);
        expect(Metric::sponge, sponge(here));
        expect(Metric::sponge_w, sponge(face(k, j, i)));
        expect(Metric::start_u, 4 + 12 * std::tanh(here / 3000));
        expect(Metric::start_v, -3);
        expect(Metric::length2, std::pow(p.dx * p.dy * 500 * j3(k, j, i), 2.0 / 3));
        if constexpr (Air::terrain) {
          auto const slope = [&](Metric metric, double wanted) {
            EXPECT_NEAR(ground.at(metric, k, j, i), wanted, 1e-12);
          };
          slope(Metric::j1, (face(k, j, i - 1) - face(k, j, i)) / p.dx);
          slope(Metric::j2, (face(k, j - 1, i) - face(k, j, i)) / p.dy);
        }
      }
    }
  }
}
TEST(Metrics, AreThoseOfTheirHeightsAndTheBaseState) {
  expect_metrics<Terrain>();
  expect_metrics<Flat>();
}

TEST(Metrics, HaveALengthOfTwoDirectionsInOneRow) {
  auto const p = of("[grid]\nny = 1\ndx = 900.0\ndy = 100.0\ndz = 400.0\nnz = 3\n");
  auto const heights = p.heights();
  BaseState const base(p.base, p.top());
  MetricRows rows(heights, base, [](double) { return 0.0; });
  rows.move_to(0);
  EXPECT_NEAR(rows.at(1, 0).at[static_cast<std::size_t>(Metric::length2)], 900.0 * 400, 1e-6);
}

}  // namespace
