// SPDX-License-Identifier: Apache-2.0
#include "core/les/town.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "core/les/case_town.hpp"
#include "io/error.hpp"
#include "support/reference_data.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::les {
namespace {

using test::message_of;
using Heights = std::vector<double>;

TownGrid grid_of(std::int32_t nx, std::int32_t ny, double dx, double dy, std::int32_t nz = 60,
                 double dz = 2) {
  TownGrid grid{nx, ny, dx, dy, {}};
  for (int k = 0; k <= nz; ++k) grid.faces.push_back(k * dz);
  return grid;
}

double built_share(Heights const& heights) {
  return double(std::count_if(heights.begin(), heights.end(), [](double h) { return h > 0; })) /
         double(heights.size());
}

// PALM's street_canyon_p3d: 40 x 40 cells of 2 m, a canyon of 40 m between walls of 40 m: columns 10 to 29.
TEST(Canyon, LiesInTheMiddleAsPalmsDoes) {
  auto const grid = grid_of(40, 3, 2, 2);
  auto const heights = town_heights(StreetCanyon{40, 40}, grid);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(heights[grid.column(1, i)], i >= 10 && i < 30 ? 0 : 40) << i;
  EXPECT_EQ(statistics(solid_cells(heights, grid), grid).largest_height, 40);
  EXPECT_NE(message_of<InputError>([&] {
              town_heights(StreetCanyon{40, 80}, grid);
            }).find("leaves no building"),
            std::string::npos);
}

// lambda_p = 0.25: blocks of side h, h apart; the frontal fraction is the same.
TEST(CubeArray, HasTheDensityOfItsSidesAndGaps) {
  auto const grid = grid_of(64, 32, 2, 2);
  for (bool const staggered : {false, true}) {
    auto const heights = town_heights(Cubes{16, 16, 16, staggered}, grid);
    auto const s = statistics(solid_cells(heights, grid), grid);
    EXPECT_DOUBLE_EQ(s.plan_area_fraction, 0.25);
    EXPECT_DOUBLE_EQ(s.frontal_fraction_x, 0.25);
    EXPECT_DOUBLE_EQ(s.frontal_fraction_y, 0.25);
    EXPECT_DOUBLE_EQ(s.mean_height, 16);
    // The first row of cubes, columns 4 to 11, is in rows 4 to 11; the next, 16 columns on, half a period
    // off.
    auto const at = [&](int j, int i) { return heights[grid.column(j, i)] > 0; };
    EXPECT_TRUE(at(4, 4) && at(11, 11) && !at(3, 4) && !at(12, 4) && !at(4, 3) && !at(4, 12));
    EXPECT_EQ(at(4, 20), !staggered);
    EXPECT_EQ(at(0, 20) && at(15, 20) && at(19, 20) && !at(20, 20), staggered);
    EXPECT_TRUE(at(4, 36));
  }
  EXPECT_NE(message_of<InputError>([&] {
              town_heights(Cubes{20, 16, 16, false}, grid);
            }).find("no multiple of 36 m"),
            std::string::npos);
  auto const odd = grid_of(48, 32, 2, 2);
  EXPECT_NO_THROW(town_heights(Cubes{16, 16, 16, false}, odd));
  EXPECT_NE(message_of<InputError>([&] {
              town_heights(Cubes{16, 16, 16, true}, odd);
            }).find("no multiple of 64 m"),
            std::string::npos);
}

TEST(MadeUpTown, IsTheSameOnAnyGridOfItsDomain) {
  // Odd refinements keep the coarse centres among the fine ones.
  auto const coarse = grid_of(60, 48, 10, 10), fine = grid_of(180, 240, 10.0 / 3, 2);
  auto const a = town_heights(SyntheticTown{}, coarse), b = town_heights(SyntheticTown{}, fine);
  for (int j = 0; j < 48; ++j) {
    for (int i = 0; i < 60; ++i)
      EXPECT_EQ(a[coarse.column(j, i)], b[fine.column(5 * j + 2, 3 * i + 1)]) << j << ' ' << i;
  }
  EXPECT_EQ(a, town_heights(SyntheticTown{}, coarse));
  SyntheticTown other;
  other.seed = 2;
  EXPECT_NE(a, town_heights(other, coarse));
}

TEST(MadeUpTown, HasItsStreetsCourtsAndHeights) {
  auto const grid = grid_of(1000, 1000, 2, 2);  // 20 x 20 blocks of 80 m and 16 houses
  SyntheticTown town;
  town.towers = 0;
  town.courts = 1;
  auto const heights = town_heights(town, grid);
  // Blocks of 80 m with a wall of 14 m around a court of 52 m, a street of 20 m: cells of 2 m fit exactly.
  EXPECT_DOUBLE_EQ(built_share(heights), (80 * 80 - 52 * 52) / 1e4);
  for (int j = 0; j < 1000; ++j) {
    for (int i = 0; i < 1000; ++i) {
      auto const x = i % 50, y = j % 50;  // a street is 5 cells either side of a multiple of 50
      if (x < 5 || x >= 45 || y < 5 || y >= 45) {
        ASSERT_EQ(heights[grid.column(j, i)], 0);
      }
      if (x >= 12 && x < 38 && y >= 12 && y < 38) {
        ASSERT_EQ(heights[grid.column(j, i)], 0);
      }
    }
  }
  std::map<double, int> houses;
  for (auto const h : heights) {
    if (h > 0) ++houses[h];
  }
  // 12 of 16 houses of a block touch the street: 4800 heights. Mean and deviation within 4 standard errors.
  EXPECT_EQ(houses.size(), 4800u);
  double sum = 0, squares = 0;
  for (auto const& [h, cells] : houses) {
    sum += h, squares += (h - 20) * (h - 20);
    EXPECT_LE(std::abs(h - 20), 12);
  }
  EXPECT_NEAR(sum / 4800, 20, 4 * 4 / std::sqrt(4800));
  EXPECT_NEAR(std::sqrt(squares / 4800), 4, 4 * 4 / std::sqrt(2 * 4800));

  town.courts = 0;
  EXPECT_DOUBLE_EQ(built_share(town_heights(town, grid)), 0.64);
  town.courts = 0.5;
  auto const courts = (0.64 - built_share(town_heights(town, grid))) / (0.52 * 0.52);
  EXPECT_NEAR(courts, 0.5, 4 * 0.5 / 20);  // of 400 blocks
  town.towers = 0.25;
  auto const with_towers = town_heights(town, grid);
  // A tower is one house of 20 m, whole where its block has no court.
  auto const towers = std::count(with_towers.begin(), with_towers.end(), 60.0);
  EXPECT_GT(towers, 400 * 0.25 * 100 * 0.3);
  EXPECT_LT(towers, 400 * 0.25 * 100 * 1.3);
  EXPECT_EQ(*std::max_element(with_towers.begin(), with_towers.end()), 60);
  town.spread = 50;
  town.towers = 0;
  auto const wild = town_heights(town, grid);
  EXPECT_EQ(std::count_if(wild.begin(), wild.end(), [](double h) { return h > 0 && h < 4; }), 0);
}

TEST(MadeUpTown, AdaptsItsBlocksToTheDomain) {
  // 250 m hold two blocks and a half: three periods of 83.3 m, of which 20 m are street.
  auto const grid = grid_of(750, 250, 1.0 / 3, 1);
  SyntheticTown town;
  town.courts = 0;
  EXPECT_NEAR(built_share(town_heights(town, grid)), std::pow(1 - 20 / (250 / 3.0), 2), 2e-2);
  auto const tiny = grid_of(10, 10, 2, 2);
  EXPECT_NE(message_of<InputError>([&] { town_heights(town, tiny); }).find("no room beside a street"),
            std::string::npos);
}

struct CaseTown : testing::Test {
  test::TemporaryFolder folder;
  TownGrid grid = grid_of(40, 40, 2, 2, 40, 2);
  io::CaseFile parse(std::string const& text) const {
    return io::CaseFile::parse("core = \"les\"\n[buildings]\n" + text, "c.toml", folder.path());
  }
  Town read(std::string const& text) const { return read_town(parse(text), grid); }
  std::string refusal(std::string const& text) const {
    return message_of<InputError>([&] { read(text); });
  }
};

TEST_F(CaseTown, IsWhatItsKeysSay) {
  EXPECT_TRUE(read("kind = \"none\"").top.empty());
  EXPECT_TRUE(read("kind = \"cubes\"\nheight = 0").top.empty());
  auto const canyon = read("kind = \"street_canyon\"\nheight = 30\ncanyon_width = 20");
  EXPECT_DOUBLE_EQ(canyon.statistics.plan_area_fraction, 0.75);
  EXPECT_EQ(canyon.top[20], 0);
  EXPECT_EQ(canyon.top[0], 15);
  auto const cubes = read("kind = \"cubes\"\nside = 10\ngap = 10\nheight = 12\nstaggered = false");
  EXPECT_EQ(cubes.top, solid_cells(town_heights(Cubes{10, 10, 12, false}, grid), grid));
  auto const town =
      read("kind = \"town\"\nblock = 28\nstreet = 12\ncourts = 0\ntowers = 0\nmean_height = 9\nspread = 0");
  EXPECT_EQ(town.statistics.largest_height, 8);  // centres 1, 3, 5, 7 and 9: the last is not below 9
  EXPECT_DOUBLE_EQ(town.statistics.plan_area_fraction, 0.7 * 0.7);
  folder.write("a.txt", "7 0\n0 5\n");
  auto const placed =
      read("kind = \"raster\"\nfile = \"a.txt\"\nspacing = 2\neast = 20\nnorth = 40\ngaps = \"keep\"");
  EXPECT_EQ(placed.top[grid.column(20, 11)], 2);
  EXPECT_EQ(placed.top[grid.column(21, 10)], 3);
  EXPECT_EQ(std::accumulate(placed.top.begin(), placed.top.end(), 0), 5);
  EXPECT_EQ(placed.filled, 0);
}

TEST_F(CaseTown, FillsGapsAsItIsTold) {
  // A court of one cell in a block, and a lane of one cell between two.
  folder.write("a.txt", "9 9 9 0 9 9\n9 0 9 0 9 9\n9 9 9 0 9 9\n");
  std::string const keys = "kind = \"raster\"\nfile = \"a.txt\"\nspacing = 2\neast = 20\nnorth = 20\n";
  EXPECT_EQ(read(keys + "gaps = \"keep\"").filled, 0);
  EXPECT_EQ(read(keys).filled, 4);
  EXPECT_EQ(read(keys + "gaps = \"all\"").filled, 4 * 4);
}

TEST_F(CaseTown, ThatDoesNotFitIsRefusedByItsKey) {
  EXPECT_NE(
      refusal("kind = \"street_canyon\"\nheight = 79")
          .find("c.toml:3: buildings.kind: gives buildings of 79 m (with the 4 levels of air that the "
                "flow needs above them they take 43 levels, the grid has 40 up to 80 m) set grid.nz to 43"),
      std::string::npos);
  EXPECT_NO_THROW(read("kind = \"street_canyon\"\nheight = 73"));
  EXPECT_NE(refusal("kind = \"street_canyon\"\nheight = 73.5").find("grid.nz to 41 or"), std::string::npos);
  // Above the lid, levels of 2 m: 100 have their middle below 200 m.
  EXPECT_NE(refusal("kind = \"street_canyon\"\nheight = 200").find("grid.nz to 104 or"), std::string::npos);
  EXPECT_NE(refusal("kind = \"cubes\"\nside = 11")
                .find("c.toml:3: buildings.kind: the domain's 80 m along x are no multiple"),
            std::string::npos);
  folder.write("a.txt", "7 0\n0 5\n");
  auto const raster = std::string("kind = \"raster\"\nfile = \"a.txt\"\nspacing = 2\n");
  EXPECT_NE(refusal(raster + "east = 80").find("c.toml:4: buildings.file: lies outside the domain"),
            std::string::npos);
  EXPECT_NE(refusal(raster + "north = -4").find("lies outside the domain"), std::string::npos);
  EXPECT_NE(refusal("kind = \"towm\"").find("town"), std::string::npos);
  // Heights above sea level leave no street, but where the raster is a part of the domain.
  folder.write("b.txt", "47 134.5\n134.5 140\n");
  auto const surface = std::string("kind = \"raster\"\nfile = \"b.txt\"\nspacing = ");
  EXPECT_NE(refusal(surface + "80")
                .find("c.toml:4: buildings.file: leaves no open ground: the lowest of the "
                      "domain's columns is 134.5 m high"),
            std::string::npos)
      << refusal(surface + "80");
  folder.write("b.txt", "47 34.5\n34.5 40\n");
  EXPECT_NO_THROW(read(surface + "10"));
}

TEST_F(CaseTown, WithoutABuildingOnTheGridIsRefused) {
  // The centre of the lowest level is at 1 m.
  EXPECT_NE(refusal("kind = \"cubes\"\nheight = 0.5")
                .find("c.toml:3: buildings.kind: gives no building on the grid (the highest has 0.5 m"),
            std::string::npos);
  EXPECT_EQ(read("kind = \"cubes\"\nheight = 1.5").statistics.largest_height, 2);
  // Finer than the cells of 2 m: every column lies between the cubes, or all lie in the canyon's walls.
  EXPECT_NE(
      refusal("kind = \"cubes\"\nside = 0.1\ngap = 3.9").find("gives no building on the grid (no column"),
      std::string::npos);
  EXPECT_NE(
      refusal("kind = \"street_canyon\"\nheight = 40\ncanyon_width = 0.1").find("leaves no open ground"),
      std::string::npos);
  folder.write("flat.txt", "0 0\n0 0\n");
  folder.write("corner.txt", "0 7\n0 0\n");
  std::string const raster = "kind = \"raster\"\nspacing = 2\nfile = ";
  EXPECT_NE(refusal(raster + "\"flat.txt\"").find("c.toml:5: buildings.file: has no building in the domain"),
            std::string::npos);
  // The building is in the north-east corner, which lies beyond the domain of 80 m.
  EXPECT_NE(refusal(raster + "\"corner.txt\"\neast = 78").find("has no building in the domain"),
            std::string::npos);
  EXPECT_FALSE(read(raster + "\"corner.txt\"\neast = 76").top.empty());
}

// Berlin at 15 m: area means keep the volume; nearly all of a third built stays built.
TEST(BerlinTown, KeepsItsVolumeOnOtherGrids) {
  auto const path = test::reference_file("les/urban/berlin_tiergarten_root_15m_static.nc");
  if (path.empty()) GTEST_SKIP() << "no ULPINE_TEST_DATA";
  auto const raster = read_height_raster(path, "buildings_2d");
  auto const volume = std::accumulate(raster.heights.begin(), raster.heights.end(), 0.0) * 225;
  for (double const spacing : {10.0, 15.0, 25.0}) {
    auto const grid =
        grid_of(std::int32_t(3450 / spacing), std::int32_t(1950 / spacing), spacing, spacing, 120, 1);
    auto const heights = resample(raster, grid, 0, 0, Resampling::area_mean);
    EXPECT_NEAR(std::accumulate(heights.begin(), heights.end(), 0.0) * spacing * spacing, volume,
                1e-9 * volume);
    // Levels of 1 m round each height by half a metre at most.
    auto const s = statistics(solid_cells(heights, grid), grid);
    EXPECT_NEAR(s.mean_height * s.plan_area_fraction, volume / (3450 * 1950), 0.5 * built_share(heights));
  }
}

}  // namespace
}  // namespace ulpine::les
