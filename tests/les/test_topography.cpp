// SPDX-License-Identifier: Apache-2.0
#include "core/les/topography.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/les/grid.hpp"
#include "core/les/wall_distance.hpp"
#include "support/random_values.hpp"

namespace ulpine::les {
namespace {

using Tops = std::vector<std::int32_t>;

TownGrid uniform_grid(std::int32_t nx, std::int32_t ny, std::int32_t nz, double dx = 2, double dy = 2,
                      double dz = 2) {
  TownGrid grid{nx, ny, dx, dy, {}};
  for (int k = 0; k <= nz; ++k) grid.faces.push_back(k * dz);
  return grid;
}

Tops random_tops(TownGrid const& grid, std::uint64_t seed, int most, double share) {
  test::RandomValues random(seed);
  Tops top(static_cast<std::size_t>(grid.columns()), 0);
  for (auto& t : top) {
    if (random.uniform() < share)
      t = 1 + static_cast<std::int32_t>(random.below(static_cast<std::size_t>(most)));
  }
  return top;
}

/// The town as a mask of cells: the definition, without thresholds.
struct Mask {
  TownGrid const& grid;
  Tops const& top;
  bool solid(std::int64_t k, std::int64_t j, std::int64_t i) const {
    auto const nx = grid.nx, ny = grid.ny;
    j = (j % ny + ny) % ny, i = (i % nx + nx) % nx;
    return k < top[grid.column(j, i)];
  }
  bool fluid(Variable c, std::int64_t k, std::int64_t j, std::int64_t i) const {
    switch (c) {
      case Variable::scalar:
        return !solid(k, j, i);
      case Variable::u:
        return !solid(k, j, i) && !solid(k, j, i - 1);
      default:
        return !solid(k, j, i) && !solid(k, j - 1, i);
    }
  }
};

// The kernels' own reading of the maps against the mask.
TEST(WallMaps, TellWhereAllOfAStencilIsFluid) {
  for (auto const& [nx, ny] : {std::pair{9, 7}, {16, 5}, {2, 3}, {1, 4}}) {
    auto const grid = uniform_grid(nx, ny, 10);
    auto const top = random_tops(grid, 5 + std::uint64_t(nx), 6, 0.5);
    Mask const mask{grid, top};
    auto const maps = wall_maps(top, grid);
    ASSERT_EQ(maps.size(), std::size_t(Built::maps * (ny + 6) * (nx + 6)));
    Built const built{{maps.data() + 3 * (nx + 6) + 3, std::int64_t(ny + 6) * (nx + 6), nx + 6}};
    for (auto const c : {Variable::scalar, Variable::u, Variable::v}) {
      for (int j = -3; j < ny + 3; ++j) {
        for (int i = -3; i < nx + 3; ++i) {
          for (int k = 0; k < grid.nz(); ++k) {
            ASSERT_EQ(k >= built.lowest(c, j, i), mask.fluid(c, k, j, i)) << k << ' ' << j << ' ' << i;
            for (auto const along : {Along::x, Along::y}) {
              auto const all = [&](int low, int high) {
                bool fluid = true;
                for (int a = low; a <= high; ++a) {
                  fluid =
                      fluid && (along == Along::x ? mask.fluid(c, k, j, i + a) : mask.fluid(c, k, j + a, i));
                }
                return fluid;
              };
              auto const fit = built.fit(c, along, k, j, i);
              ASSERT_EQ(fit.third >= 0, all(-2, 1)) << k << ' ' << j << ' ' << i;
              ASSERT_EQ(fit.fifth >= 0, all(-3, 2)) << k << ' ' << j << ' ' << i;
            }
          }
        }
      }
    }
  }
}

TEST(SolidCells, AreThoseWithTheirCentresBelowTheHeight) {
  TownGrid grid{1, 1, 2, 2, {0, 2, 4, 6.5, 10}};  // centres 1, 3, 5.25, 8.25
  auto const top = [&](double height) { return solid_cells({height}, grid)[0]; };
  EXPECT_EQ(top(0), 0);
  EXPECT_EQ(top(1), 0);  // on the centre: not below
  EXPECT_EQ(top(1.001), 1);
  EXPECT_EQ(top(3), 1);
  EXPECT_EQ(top(3 * (1 + 1e-12)), 1);  // a rounded 3
  EXPECT_EQ(top(5.2), 2);
  EXPECT_EQ(top(5.3), 3);
  EXPECT_EQ(top(1e4), 4);
}

// PALM's rule, cell by cell on the mask: a fluid cell with at least four solid ones of its six neighbours
// becomes solid, until none is left. (The ground is solid, the lid is not.)
Tops filled_as_palm(TownGrid const& grid, Tops top) {
  for (bool changed = true; changed;) {
    changed = false;
    Mask const mask{grid, top};
    auto next = top;
    for (int j = 0; j < grid.ny; ++j) {
      for (int i = 0; i < grid.nx; ++i) {
        for (int k = 0; k < grid.nz(); ++k) {
          if (mask.solid(k, j, i)) continue;
          int const walls = mask.solid(k, j - 1, i) + mask.solid(k, j + 1, i) + mask.solid(k, j, i - 1) +
                            mask.solid(k, j, i + 1) + mask.solid(k - 1, j, i);
          if (walls >= 4) {
            next[grid.column(j, i)] = k + 1;
            changed = true;
          }
        }
      }
    }
    top = next;
  }
  return top;
}

TEST(GapFilling, IsPalmsRuleOfFourSolidNeighbours) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    auto const grid = uniform_grid(7 + std::int32_t(seed % 5), 9, 8);
    auto const before = random_tops(grid, seed, 5, 0.3 + 0.02 * double(seed));
    auto top = before;
    auto const cells = fill_gaps(top, grid, Gaps::dead_ends);
    EXPECT_EQ(top, filled_as_palm(grid, before)) << seed;
    EXPECT_EQ(cells,
              std::accumulate(top.begin(), top.end(), 0) - std::accumulate(before.begin(), before.end(), 0));
  }
}

TEST(GapFilling, OfAllLeavesNoCellBetweenTwoWalls) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto const grid = uniform_grid(11, 8, 8);
    auto const before = random_tops(grid, seed, 6, 0.4);
    auto top = before;
    fill_gaps(top, grid, Gaps::all);
    Mask const mask{grid, top};
    for (int j = 0; j < grid.ny; ++j) {
      for (int i = 0; i < grid.nx; ++i) {
        auto const here = top[grid.column(j, i)];
        EXPECT_GE(here, before[grid.column(j, i)]);
        EXPECT_FALSE(mask.solid(here, j, i - 1) && mask.solid(here, j, i + 1)) << seed;
        EXPECT_FALSE(mask.solid(here, j - 1, i) && mask.solid(here, j + 1, i)) << seed;
      }
    }
    auto kept = before;
    EXPECT_EQ(fill_gaps(kept, grid, Gaps::keep), 0);
    EXPECT_EQ(kept, before);
  }
}

// A court of one cell, a dead end, and a canyon that is open at both ends; across the periodic sides too.
TEST(GapFilling, TreatsCourtsDeadEndsAndCanyonsAsItSays) {
  auto const grid = uniform_grid(6, 6, 10);
  auto const town = [&](std::vector<int> const& rows) { return Tops(rows.begin(), rows.end()); };
  auto const court = town({0, 5, 0, 0, 0, 0,  //
                           7, 0, 4, 0, 0, 0,  //
                           0, 6, 0, 0, 0, 0,  //
                           0, 0, 0, 0, 0, 0,  //
                           0, 0, 0, 0, 0, 0,  //
                           0, 0, 0, 0, 0, 0});
  auto top = court;
  // Walls 7, 4, 5, 6: up to 4 all are walls; at 4 three of them and the filled cell below: up to 5.
  EXPECT_EQ(fill_gaps(top, grid, Gaps::dead_ends), 5);
  EXPECT_EQ(top[7], 5);
  // A canyon in row 0 between row 5 and row 1, open at column 5.
  auto canyon = town({0, 0, 0, 0, 0, 0,  //
                      3, 3, 3, 3, 3, 0,  //
                      0, 0, 0, 0, 0, 0,  //
                      0, 0, 0, 0, 0, 0,  //
                      0, 0, 0, 0, 0, 0,  //
                      2, 2, 2, 2, 2, 0});
  top = canyon;
  EXPECT_EQ(fill_gaps(top, grid, Gaps::dead_ends), 0);
  EXPECT_EQ(fill_gaps(top, grid, Gaps::all), 5 * 2 + (3 + 2 + 2));  // row 0; column 5, closed across the side
}

TEST(Resampling, KeepsTheVolumeWhateverTheSpacings) {
  test::RandomValues random(3);
  for (int n = 0; n < 40; ++n) {
    HeightRaster raster{7, 5, random.between(0.7, 9), random.between(0.7, 9), random.uniform(35, 0, 50)};
    double const volume =
        std::accumulate(raster.heights.begin(), raster.heights.end(), 0.0) * raster.dx * raster.dy;
    auto const dx = random.between(0.5, 6), dy = random.between(0.5, 6);
    double const east = random.between(0, 20), north = random.between(0, 20);
    auto const nx = std::int32_t((east + 7 * raster.dx) / dx) + 1,
               ny = std::int32_t((north + 5 * raster.dy) / dy) + 1;
    auto const grid = uniform_grid(nx, ny, 4, dx, dy);
    auto const heights = resample(raster, grid, east, north, Resampling::area_mean);
    double const got = std::accumulate(heights.begin(), heights.end(), 0.0) * dx * dy;
    // Sums of at most 10^4 terms, and edges moved by 1e-9 of a cell.
    EXPECT_NEAR(got, volume, 1e-8 * volume);
  }
}

TEST(Resampling, OfTheSameSpacingIsTheRasterItself) {
  test::RandomValues random(4);
  HeightRaster raster{6, 4, 0.3, 0.7, random.uniform(24, 0, 50)};
  for (auto const resampling : {Resampling::area_mean, Resampling::nearest}) {
    auto const grid = uniform_grid(6, 4, 4, 0.3, 0.7);
    EXPECT_EQ(resample(raster, grid, 0, 0, resampling), raster.heights);
    // Two columns east and one row north; what is over the edge is cut.
    auto const moved = resample(raster, grid, 2 * 0.3, 0.7, resampling);
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 6; ++i) {
        auto const expected = j < 1 || i < 2 ? 0 : raster.heights[std::size_t((j - 1) * 6 + i - 2)];
        EXPECT_EQ(moved[grid.column(j, i)], expected) << j << ' ' << i;
      }
    }
    // And to the south-west.
    auto const back = resample(raster, grid, -3 * 0.3, -0.7, resampling);
    EXPECT_EQ(back[grid.column(0, 0)], raster.heights[6 + 3]);
    EXPECT_EQ(back[grid.column(3, 0)], 0);
  }
}

TEST(Resampling, TakesMeansOrTheCellOverTheCentre) {
  HeightRaster raster{4, 1, 1, 4, {8, 0, 4, 2}};
  auto const grid = uniform_grid(2, 1, 4, 2, 4);
  EXPECT_EQ(resample(raster, grid, 0, 0, Resampling::area_mean), (std::vector<double>{4, 3}));
  EXPECT_EQ(resample(raster, grid, 0, 0, Resampling::nearest), (std::vector<double>{0, 2}));
  EXPECT_EQ(resample(raster, grid, 0.5, 0, Resampling::area_mean),
            (std::vector<double>{(8 + 0.5 * 0) / 2, (0 + 4 + 1) / 2.0}));
  auto const fine = uniform_grid(8, 2, 4, 0.5, 2);
  EXPECT_EQ(resample(raster, fine, 0, 0, Resampling::area_mean),
            resample(raster, fine, 0, 0, Resampling::nearest));
}

TEST(Statistics, AreThoseOfCubesByHand) {
  // One building of 4 x 3 cells of 2 m x 3 m, 10 m high, on 12 x 10.
  auto const grid = uniform_grid(12, 10, 9, 2, 3);
  Tops top(120, 0);
  for (int j = 2; j < 5; ++j) {
    for (int i = 9; i < 13; ++i) top[grid.column(j, i % 12)] = 5;
  }
  auto const s = statistics(top, grid);
  EXPECT_DOUBLE_EQ(s.plan_area_fraction, 0.1);
  EXPECT_DOUBLE_EQ(s.mean_height, 10);
  EXPECT_DOUBLE_EQ(s.largest_height, 10);
  EXPECT_DOUBLE_EQ(s.frontal_fraction_x, 9 * 10 / (24.0 * 30));
  EXPECT_DOUBLE_EQ(s.frontal_fraction_y, 8 * 10 / (24.0 * 30));
  EXPECT_EQ(statistics(Tops(120, 0), grid).mean_height, 0);
}

// Every solid cell of the periodic town as a box of its own, three copies each way.
double brute_distance(TownGrid const& grid, Tops const& top, int k, int j, int i, double cut_off) {
  double const x = (i + 0.5) * grid.dx, y = (j + 0.5) * grid.dy, z = grid.centre(k);
  double nearest = std::min(z, cut_off);
  auto const outside = [](double p, double low, double high) { return std::max({low - p, p - high, 0.0}); };
  for (int b = -2 * grid.ny; b < 3 * grid.ny; ++b) {
    for (int a = -2 * grid.nx; a < 3 * grid.nx; ++a) {
      auto const t = top[grid.column((b + 2 * grid.ny) % grid.ny, (a + 2 * grid.nx) % grid.nx)];
      for (int c = 0; c < t; ++c) {
        auto const level = std::size_t(c);
        nearest = std::min(nearest, std::hypot(outside(x, a * grid.dx, (a + 1) * grid.dx),
                                               outside(y, b * grid.dy, (b + 1) * grid.dy),
                                               outside(z, grid.faces[level], grid.faces[level + 1])));
      }
    }
  }
  return nearest;
}

TEST(WallDistance, IsThatToTheNearestBox) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    auto grid = uniform_grid(5, 4, 9, 2 + 0.3 * double(seed), 3, 1);
    for (std::size_t k = 1; k < grid.faces.size(); ++k) grid.faces[k] *= 1 + 0.02 * double(k);
    auto const top = random_tops(grid, seed, 5, 0.2);
    for (double const cut_off : {0.4, 2.0, 7.3}) {
      for (int k = 0; k < grid.nz(); ++k) {
        for (int j = 0; j < grid.ny; ++j) {
          for (int i = 0; i < grid.nx; ++i) {
            if (k < top[grid.column(j, i)]) continue;
            auto const expected = brute_distance(grid, top, k, j, i, cut_off);
            EXPECT_NEAR(wall_distance(top, grid, k, j, i, cut_off), expected, 1e-13 * cut_off);
          }
        }
      }
    }
  }
}

TEST(MixingLengthLimit, IsTheCellsSizeOr18TimesTheWallDistance) {
  auto grid = uniform_grid(6, 5, 12, 4, 3, 1);
  grid.faces.back() += 0.5;
  auto const top = random_tops(grid, 9, 6, 0.2);
  auto const limits = mixing_length_limits(top, grid, 2);
  ASSERT_EQ(limits.size(), std::size_t(12 * 5 * 6));
  for (int k = 0; k < 12; ++k) {
    auto const delta = std::cbrt(12 * (k == 11 ? 1.5 : 1.0));
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 6; ++i) {
        bool const solid = k < top[grid.column(j, i)];
        auto const expected = solid ? delta : std::min(delta, 1.8 * brute_distance(grid, top, k, j, i, 1e3));
        EXPECT_NEAR(limits[std::size_t(k * 30 + j * 6 + i)], expected, 1e-14 * delta)
            << k << ' ' << j << ' ' << i;
      }
    }
  }
}

TEST(MixingLengthLimit, OverFlatGroundDependsOnTheLevelOnly) {
  auto const grid = uniform_grid(5, 4, 8, 8, 8, 2);
  auto const limits = mixing_length_limits(Tops(20, 0), grid);
  auto const delta = std::cbrt(128.0);  // 5.04 m; 1.8 (k + 1/2) 2 m is less up to k = 0
  for (int k = 0; k < 8; ++k) {
    for (int c = 0; c < 20; ++c) {
      EXPECT_NEAR(limits[std::size_t(k * 20 + c)], std::min(delta, 1.8 * (2 * k + 1)), 1e-14);
    }
  }
}

}  // namespace
}  // namespace ulpine::les
