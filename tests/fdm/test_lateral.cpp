// SPDX-License-Identifier: Apache-2.0
// What lies beyond the sides, what leaves through them, and the ends of steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/fdm/parts/open_sides.hpp"
#include "core/fdm/parts/scalars.hpp"
#include "core/fdm/parts/step_end.hpp"
#include "fdm/smooth_air.hpp"
#include "precision/formats.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;
using test::wave;
using Levels = test::SmoothAir<Flat>;

constexpr std::int32_t nx = 7, ny = 5, nz = 3;
/// A field with a halo, all of it numbers that are nowhere else.
struct Block {
  static constexpr std::int32_t row = nx + 1 + 2 * halo, plane = row * (ny + 1 + 2 * halo);
  explicit Block(double first) {
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = first + static_cast<double>(n);
  }
  Rows<double> rows() { return {values.data() + halo * (plane + row + 1), plane, row}; }
  std::vector<double> values = std::vector<double>(static_cast<std::size_t>(plane) * (nz + 1 + 2 * halo));
};

/// Where the value at `index` comes from along an axis of `cells` cells, and its sign: in a mirror at 0 or
/// `cells`, where positions count from the low side's face.
std::pair<std::int32_t, double> source(std::int32_t index, std::int32_t cells, bool faces,
                                       LateralBoundary low, LateralBoundary high) {
  if (low == LateralBoundary::periodic) {
    while (index < 0) index += cells;
    while (index >= cells) index -= cells;
    return {index, 1};
  }
  auto const last = faces ? cells : cells - 1;
  if (index >= 0 && index <= last) return {index, 1};
  if ((index < 0 ? low : high) != LateralBoundary::wall) return {index < 0 ? 0 : last, 1};
  auto const half = faces ? 0.0 : 0.5, place = index + half;
  auto const mirrored = index < 0 ? -place : 2 * cells - place;
  return {static_cast<std::int32_t>(mirrored - half), faces ? -1 : 1};
}

TEST(Halos, AreWhatTheSidesSay) {
  using enum LateralBoundary;
  std::pair<LateralBoundary, LateralBoundary> const all[] = {{periodic, periodic},  {wall, wall},
                                                             {open, wall},          {wall, open},
                                                             {zero_gradient, open}, {wall, zero_gradient}};
  for (auto const& x : all) {
    for (auto const& y : all) {
      Block blocks[] = {Block(1), Block(1e5), Block(2e5), Block(3e5)};
      auto const before = std::vector<Block>(std::begin(blocks), std::end(blocks));
      Halos<double> halos{nx, ny, nz, {x.first, x.second, y.first, y.second}, {}, {}, 4};
      Place const places[] = {Place::centre, Place::u, Place::v, Place::w};
      for (int f = 0; f < 4; ++f) {
        halos.fields[f] = blocks[f].rows();
        halos.places[f] = places[f];
      }
      for_each(Host{}, Extent2{nx + 1, ny + 1}, VerticalHalos<double>{halos});
      using Beyond = LateralHalos<double, 1>;
      for_each(Host{}, Extent2{Beyond::points(nx, ny), nz + 2}, Beyond{halos});
      for (int f = 0; f < 4; ++f) {
        auto old = before[static_cast<std::size_t>(f)];
        bool const rising = places[f] == Place::w;
        for (std::int32_t k = rising ? 0 : -1; k <= nz; ++k) {
          for (std::int32_t j = -halo; j <= ny + halo; ++j) {
            for (std::int32_t i = -halo; i <= nx + halo; ++i) {
              auto const [from_i, sign_x] = source(i, nx, places[f] == Place::u, x.first, x.second);
              auto const [from_j, sign_y] = source(j, ny, places[f] == Place::v, y.first, y.second);
              auto const level = rising ? k : std::clamp(k, 0, nz - 1);
              ASSERT_EQ(blocks[f].rows()(k, j, i), sign_x * sign_y * old.rows()(level, from_j, from_i))
                  << "field " << f << " at " << k << " " << j << " " << i << " sides "
                  << static_cast<int>(x.first) << static_cast<int>(x.second) << static_cast<int>(y.first)
                  << static_cast<int>(y.second);
            }
          }
        }
      }
    }
  }
}

TEST(Walls, HaveNoWindThroughThemAndAllAlongThem) {
  for (int which = 0; which < 4; ++which) {
    Sides sides{LateralBoundary::open, LateralBoundary::open, LateralBoundary::open, LateralBoundary::open};
    (which == 0   ? sides.west
     : which == 1 ? sides.east
     : which == 2 ? sides.south
                  : sides.north) = LateralBoundary::wall;
    Block u(1), v(1e5);
    auto old_u = u, old_v = v;
    for_each(Host{}, Extent2{nx + 1, ny + 1}, WallWind<double>{nx, ny, nz, sides, u.rows(), v.rows()});
    for (std::int32_t k = 0; k < nz; ++k) {
      for (std::int32_t j = 0; j < ny; ++j) {
        for (std::int32_t i = 0; i <= nx; ++i) {
          bool const closed = (which == 0 && i == 0) || (which == 1 && i == nx);
          EXPECT_EQ(u.rows()(k, j, i), closed ? 0 : old_u.rows()(k, j, i)) << which;
        }
      }
      for (std::int32_t j = 0; j <= ny; ++j) {
        for (std::int32_t i = 0; i < nx; ++i) {
          bool const closed = (which == 2 && j == 0) || (which == 3 && j == ny);
          EXPECT_EQ(v.rows()(k, j, i), closed ? 0 : old_v.rows()(k, j, i)) << which;
        }
      }
    }
  }
}

/// du/dt = -max(outward speed, 0) du/dn at faces where the wind and waves of 20 m s-1 go out, else to the
/// base state's wind; along x (of_u) or y.
template <bool of_u>
void expect_open_faces(LateralBoundary low, LateralBoundary high) {
  constexpr double phase = 20, inflow = 0.03, length = 0.4;
  Levels air(1);
  Sides const sides = of_u ? Sides{low, high, LateralBoundary::wall, LateralBoundary::wall}
                           : Sides{LateralBoundary::wall, LateralBoundary::wall, low, high};
  auto const wind = air.field(of_u ? Place::u : Place::v, wave(0, 40, 1.2));
  auto const was = wave(1, 0.5, 1), moved = wave(0.2, 0.6, 2);
  auto const rate = air.field(Place::centre, was), change = air.field(of_u ? Place::u : Place::v, moved),
             before = air.field(of_u ? Place::u : Place::v, moved), old_rate = air.field(Place::centre, was);
  OpenLaw<double> const law{phase, inflow};
  auto const faces = of_u ? air.p.nx : air.p.ny, beside = of_u ? air.p.ny : air.p.nx;
  for_each(Host{}, Extent2{beside, air.p.nz},
           OpenRate<double, double, Flat<double>, of_u>{air.space.grid, air.space.ground(), law, sides, wind,
                                                        rate});
  for_each(Host{}, Extent2{beside, air.p.nz},
           OpenSound<double, double, of_u>{air.space.grid, law, sides, length, wind, rate, change});
  int out = 0, in = 0;
  for (std::int32_t k = 0; k < air.p.nz; ++k) {
    for (std::int32_t n = 0; n < beside; ++n) {
      for (std::int32_t face = 0; face <= faces; ++face) {
        auto const at = [&](Rows<double> const& of, std::int32_t m) {
          return of_u ? of(k, n, m) : of(k, m, n);
        };
        bool const opens =
            (face == 0 && low == LateralBoundary::open) || (face == faces && high == LateralBoundary::open);
        if (!opens) {
          EXPECT_EQ(at(rate, face), at(old_rate, face));
          EXPECT_EQ(at(change, face), at(before, face));
          continue;
        }
        auto const outward = face == 0 ? -1 : 1;
        auto const speed = outward * at(wind, face) + phase;
        auto const inside = face - outward;
        auto const spacing = of_u ? air.p.dx : air.p.dy;
        auto const z = air.heights.centre(k, 0, 0);
        auto const balanced = of_u ? 4 + 12 * std::tanh(z / 3000) : -3;
        auto const wanted = speed > 0 ? -speed * (at(wind, face) - at(wind, inside)) / spacing
                                      : -inflow * (at(wind, face) - balanced);
        EXPECT_NEAR(at(rate, face), wanted, 1e-13) << k << " " << n << " " << face;
        // Backward: (after - before) / length = -speed (after - inside) / spacing + rate.
        auto const after = at(change, face);
        auto const leaving = speed > 0 ? -speed * (after - at(before, inside)) / spacing : 0;
        EXPECT_NEAR(after, at(before, face) + length * (leaving + wanted), 1e-13)
            << k << " " << n << " " << face;
        ++(speed > 0 ? out : in);
      }
    }
  }
  EXPECT_GT(out, 0);
  EXPECT_GT(in, 0);
}
TEST(OpenSides, LetOutWhatGoesOutAndDrawWhatComesIn) {
  for (auto const& [low, high] : {std::pair{LateralBoundary::open, LateralBoundary::open},
                                  {LateralBoundary::open, LateralBoundary::zero_gradient},
                                  {LateralBoundary::wall, LateralBoundary::open}}) {
    expect_open_faces<true>(low, high);
    expect_open_faces<false>(low, high);
  }
}

/// Wind of one plane that moves along x (of_u) or y by `courant` cells in a step, as both times see it.
template <bool of_u>
void expect_column_speed(double courant, double wanted) {
  constexpr double step = 8;
  Levels air(1);
  auto const place = of_u ? Place::u : Place::v;
  auto const profile = [](double k) { return 1 + k * k; };
  // Outward is to either side: a parabola about the middle, each half of which moves outward.
  auto const faces = of_u ? air.p.nx : air.p.ny, beside = of_u ? air.p.ny : air.p.nx;
  auto const now = air.field(place, wave(0, 0, 0)), start = air.field(place, wave(0, 0, 0)),
             speed = air.empty();
  for (std::int32_t k = 0; k < air.p.nz; ++k) {
    for (std::int32_t n = 0; n < beside; ++n) {
      for (std::int32_t face = 0; face <= faces; ++face) {
        auto const off = std::abs(face - faces / 2.0), size = profile(k) * (n + 1);
        auto const at = [&](Rows<double> const& of) -> double& {
          return of_u ? of(k, n, face) : of(k, face, n);
        };
        at(start) = size * off;
        at(now) = size * (off - courant);
      }
    }
  }
  auto const measure = [&] {
    for_each(Host{}, Extent2{beside, 1},
             ColumnSpeed<double, of_u>{
                 air.space.grid,
                 {LateralBoundary::open, LateralBoundary::open, LateralBoundary::open, LateralBoundary::open},
                 step,
                 now,
                 start,
                 speed});
  };
  auto const spacing = of_u ? air.p.dx : air.p.dy;
  auto const last = faces - 1;
  measure();
  for (std::int32_t n = 0; n < beside; ++n) {
    for (auto const cell : {0, last}) {
      EXPECT_NEAR(of_u ? speed(0, n, cell) : speed(0, cell, n), wanted * spacing / step, 1e-11) << courant;
    }
  }
  // A level more that stands still has its share by the square of its gradient: 1 of 1 + 4 + ...
  double all = 0, moving = 0;
  for (std::int32_t k = 0; k < air.p.nz; ++k) {
    all += profile(k) * profile(k);
    if (k > 0) moving += profile(k) * profile(k);
  }
  for (std::int32_t n = 0; n < beside; ++n) {
    for (std::int32_t face = 0; face <= faces; ++face) {
      (of_u ? now(0, n, face) : now(0, face, n)) = of_u ? start(0, n, face) : start(0, face, n);
    }
  }
  measure();
  if (courant >= 0 && courant <= 1) {
    EXPECT_NEAR(of_u ? speed(0, 1, 0) : speed(0, 0, 1), courant * moving / all * spacing / step, 1e-11);
  }
}
TEST(OpenSides, MeasureTheSpeedOfWhatGoesOut) {
  for (auto const& [courant, wanted] :
       {std::pair{0.0, 0.0}, {0.25, 0.25}, {1.0, 1.0}, {1.5, 1.0}, {-0.5, 0.0}}) {
    expect_column_speed<true>(courant, wanted);
    expect_column_speed<false>(courant, wanted);
  }
}
TEST(OpenSides, MeasureNothingWhereNothingVaries) {
  Levels air(1);
  auto const still = air.field(Place::u, wave(3, 0, 0)), later = air.field(Place::u, wave(4, 0, 0)),
             speed = air.empty();
  for_each(Host{}, Extent2{air.p.ny, 1},
           ColumnSpeed<double, true>{
               air.space.grid,
               {LateralBoundary::open, LateralBoundary::wall, LateralBoundary::wall, LateralBoundary::wall},
               8,
               later,
               still,
               speed});
  auto const untouched = air.empty();
  for (std::int32_t j = 0; j < air.p.ny; ++j) {
    EXPECT_EQ(speed(0, j, 0), -1);
    EXPECT_EQ(speed(0, j, air.p.nx - 1), untouched(0, j, air.p.nx - 1));
  }
}
/// -sum(u_t u_n) / sum(u_n^2) of numbers: u from 7 to 6 and 3.5 to 3 next to a side: 1.5 6.5 / 6.5^2 cells.
TEST(OpenSides, CentreWhatTheyMeasureInSpaceAndTime) {
  Levels air(1);
  auto const nothing = wave(0, 0, 0);
  auto const now = air.field(Place::u, nothing), start = air.field(Place::u, nothing), speed = air.empty();
  auto const last = air.p.nx;
  for (auto const& [outer, inner] : {std::pair{1, 2}, {last - 1, last - 2}}) {
    start(0, 1, outer) = 7, now(0, 1, outer) = 6, start(0, 1, inner) = 3.5, now(0, 1, inner) = 3;
  }
  Sides const sides{LateralBoundary::open, LateralBoundary::open, LateralBoundary::wall,
                    LateralBoundary::wall};
  for_each(Host{}, Extent2{air.p.ny, 1},
           ColumnSpeed<double, true>{air.space.grid, sides, 8, now, start, speed});
  for (auto const cell : {0, last - 1}) EXPECT_NEAR(speed(0, 1, cell), 1.5 / 6.5 * air.p.dx / 8, 1e-11);
}
TEST(OpenSides, HaveEachItsOwnColumnsSpeed) {
  Levels air(1);
  auto const last = air.p.nx;
  auto const wind = air.field(Place::u, wave(0, 40, 1.2)), rate = air.field(Place::u, wave(0, 0, 0)),
             change = air.field(Place::u, wave(0.2, 0.6, 2)), before = air.field(Place::u, wave(0.2, 0.6, 2)),
             speed = air.field(Place::centre, wave(0, 0, 0));
  for (std::int32_t j = 0; j < air.p.ny; ++j) speed(0, j, 0) = 3 + j, speed(0, j, last - 1) = 30 + j;
  OpenLaw<double> const law{1000, 1, speed};
  Sides const sides{LateralBoundary::open, LateralBoundary::open, LateralBoundary::wall,
                    LateralBoundary::wall};
  for_each(Host{}, Extent2{air.p.ny, air.p.nz},
           OpenRate<double, double, Flat<double>, true>{air.space.grid, air.space.ground(), law, sides, wind,
                                                        rate});
  for_each(Host{}, Extent2{air.p.ny, air.p.nz},
           OpenSound<double, double, true>{air.space.grid, law, sides, 0.5, wind, rate, change});
  for (std::int32_t j = 0; j < air.p.ny; ++j) {
    for (auto const& [face, inside, of_side] : {std::tuple{0, 1, 3.0 + j}, {last, last - 1, 30.0 + j}}) {
      EXPECT_NEAR(rate(2, j, face), of_side * (wind(2, j, inside) - wind(2, j, face)) / air.p.dx, 1e-12);
      auto const after = change(2, j, face);
      EXPECT_NEAR((after - before(2, j, face)) / 0.5,
                  of_side * (before(2, j, inside) - after) / air.p.dx + rate(2, j, face), 1e-12);
    }
  }
}
TEST(OpenSides, TakeTheColumnsSpeedWhereItIsKnown) {
  double speeds[] = {3, -1, 0};
  OpenLaw<double> const law{20, 0, {speeds, 0, 0}};
  EXPECT_EQ(outward(law, 5.0, true, 0, 0), 3);
  EXPECT_EQ(outward(law, 5.0, true, 0, 1), 25);
  EXPECT_EQ(outward(law, 5.0, false, 0, 1), 15);
  EXPECT_EQ(outward(law, 5.0, true, 0, 2), 0);
}

TEST(Stencils, TakeNothingFromBeyondGroundAndLid) {
  // Nothing flows through them, so that whatever lies beyond the rates of cells are the same.
  for (std::int32_t const order : {2, 4, 5}) {
    Levels air(1);
    auto const u = air.field(Place::u, wave(10, 6, 0.3)), v = air.field(Place::v, wave(-7, 5, 1.1)),
               w = air.field(Place::w, wave(1, 3, 2.0)), flux = air.field(Place::w, wave(1, 3, 2.0)),
               theta = air.field(Place::centre, wave(1, 4, 2.6));
    auto const level = [&](Rows<double> const& of, std::int32_t k, double value) {
      for (std::int32_t j = 0; j < air.p.ny; ++j) std::fill_n(&of(k, j, 0), air.p.nx, value);
    };
    level(flux, 0, 0);
    level(flux, air.p.nz, 0);
    Rows<double> const rates[] = {air.empty(), air.empty()};
    for (int n = 0; n < 2; ++n) {
      for (std::int32_t beyond = 1; beyond <= halo; ++beyond) {
        level(theta, -beyond, 100 + 1e6 * n);
        level(theta, air.p.nz - 1 + beyond, 100 - 1e6 * n);
      }
      for_each(
          Host{}, air.extent(),
          ScalarRate<double, Flat<double>, Products<double, Exact>>{air.space.grid,
                                                                    air.space.ground(),
                                                                    {9.8, 3.5, 0.7, 0, 0, 0, order, order},
                                                                    {},
                                                                    {u, v, w, flux},
                                                                    theta,
                                                                    {},
                                                                    {},
                                                                    rates[n]});
    }
    for (std::int32_t k = 0; k < air.p.nz; ++k)
      EXPECT_EQ(rates[0](k, 4, 5), rates[1](k, 4, 5)) << order << " " << k;
  }
}

TEST(Leaps, AreFilteredAsAsselinHasIt) {
  // phi(t) + eps (phi(t + Dt) - 2 phi(t) + phi(t - Dt)), a quarter of which is exact.
  double now = 5, start = 3, after_rate = 1.5;
  LeapScalar<double>{0.25, 4, -100, {&after_rate, 0, 0}, {&now, 0, 0}, {&start, 0, 0}}(0, 0, 0);
  EXPECT_EQ(now, 9);               // 3 + 4 * 1.5
  EXPECT_EQ(start, 5 + 0.25 * 2);  // 9 - 10 + 3
  // Never less than the least, neither after the leap nor by the filter.
  now = 0.25, start = 3, after_rate = -2;
  LeapScalar<double>{0.25, 4, 0, {&after_rate, 0, 0}, {&now, 0, 0}, {&start, 0, 0}}(0, 0, 0);
  EXPECT_EQ(now, 0);
  EXPECT_EQ(start, 0.25 + 0.25 * 2.5);
  now = 1, start = 0, after_rate = 0;
  LeapScalar<double>{0.5, 4, 0.25, {&after_rate, 0, 0}, {&now, 0, 0}, {&start, 0, 0}}(0, 0, 0);
  EXPECT_EQ(now, 0.25);
  EXPECT_EQ(start, 0.25);  // 1 + (0.25 - 2) / 2 is less
  double const states[4][3] = {{5, 3, 6}, {1, -2, 3}, {0.5, 1, -4}, {100, 50, 20}};  // now, start, change
  double field[4][3];
  for (int n = 0; n < 4; ++n) {
    for (int m = 0; m < 3; ++m) field[n][m] = states[n][m];
  }
  auto const rows = [&](int n, int m) { return Rows<double>{&field[n][m], 0, 0}; };
  Deviations<double> change{rows(0, 2), rows(1, 2), rows(2, 2), rows(3, 2), {}, {}};
  LeapDeviations<double, double>{0.25,       change,     rows(0, 0), rows(1, 0), rows(2, 0),
                                 rows(3, 0), rows(0, 1), rows(1, 1), rows(2, 1), rows(3, 1)}(0, 0, 0);
  for (int n = 0; n < 4; ++n) {
    auto const [was, before, by] = states[n];
    EXPECT_EQ(field[n][0], before + by) << n;
    EXPECT_EQ(field[n][1], was + 0.25 * ((before + by) - 2 * was + before)) << n;
  }
}

TEST(Parts, EndWithWhatChangedFromTheirStart) {
  double const start[] = {5, 1, 0.5, 100}, change[] = {6, 3, -4, 20};
  double state[4] = {}, by[4];
  std::copy(change, change + 4, by);
  auto const row = [](auto* first) { return Rows<std::remove_pointer_t<decltype(first)>>{first, 0, 0}; };
  Air<double> air;
  air.u = row(start), air.v = row(start + 1), air.w = row(start + 2), air.p = row(start + 3);
  AddDeviations<double, double>{air,
                                {row(by), row(by + 1), row(by + 2), row(by + 3), {}, {}},
                                row(state),
                                row(state + 1),
                                row(state + 2),
                                row(state + 3)}(0, 0, 0);
  for (int n = 0; n < 4; ++n) EXPECT_EQ(state[n], start[n] + change[n]);
  double const from = 3, rates[] = {0.5, -2};
  double value = 0;
  ScalarAdvance<double>{4, 0.25, row(&from), row(&rates[0]), row(&value)}(0, 0, 0);
  EXPECT_EQ(value, 5);
  ScalarAdvance<double>{4, 0.25, row(&from), row(&rates[1]), row(&value)}(0, 0, 0);
  EXPECT_EQ(value, 0.25);
}

}  // namespace
