// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/exec/host.hpp"
#include "core/lattice/coordinates.hpp"
#include "core/lattice/domain.hpp"
#include "core/lattice/points.hpp"
#include "core/parts/core_of_parts.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;
using enum LateralBoundary;

struct Case {
  std::int32_t nx = 61, ny = 5, nz = 4, whole_nx = 61, whole_ny = 5, first_x = 0, first_y = 0;
  double dx = 50, dy = 20;
  bool rains = false;
};

TEST(Sides, OfABlockAreThoseOfTheLatticeAtItsRimAlone) {
  Sides const channel{wall, open, periodic, periodic};
  for (auto const& ranks : thread_ranks(4)) {
    Blocks const blocks(8, 8, ranks.get(), 3, "the grid");
    auto const sides = channel.of(blocks);
    EXPECT_EQ(sides.west, blocks.west() ? wall : neighbour);
    EXPECT_EQ(sides.east, blocks.east() ? open : neighbour);
    // A period that is cut has no rim.
    EXPECT_EQ(sides.south, neighbour);
    EXPECT_EQ(sides.north, neighbour);
  }
  auto const alone = channel.of(Blocks(8, 8, nullptr, 3, "the grid"));
  EXPECT_EQ(alone.west, wall);
  EXPECT_TRUE(alone.periodic_y() && !alone.periodic_x());
}

TEST(HaloSteps, HavePlacesOfTheirOwnForAllPointsThatAStencilReads) {
  for (std::int32_t const last : {0, 1}) {
    Case const box;
    HaloSteps const steps(box, last);
    std::set<std::int64_t> places;
    for (std::int32_t k = -halo; k < box.nz + last + halo; ++k) {
      for (std::int32_t j = -halo; j < box.ny + last + halo; ++j) {
        for (std::int32_t i = -halo; i < box.nx + last + halo; ++i) {
          auto const place = steps.offset + std::int64_t{k} * steps.plane + std::int64_t{j} * steps.row + i;
          EXPECT_TRUE(places.insert(place).second && place >= 0 && place < steps.allocated);
        }
      }
    }
    EXPECT_EQ(steps.row % 32, 0);
    EXPECT_EQ(steps.offset % 32, 0);
  }
}

TEST(BlockLayout, LeavesLastFacesToTheBlockThatHasThem) {
  Case part{.nx = 20, .first_x = 41}, before{.nx = 41};
  auto const points = [](Case const& block) {
    return HaloSteps(block, 1).layout(block, {.x = 1, .y = 1}).axis(2).extent;
  };
  EXPECT_EQ(points(part), 21);
  EXPECT_EQ(points(before), 41);
  EXPECT_EQ(HaloSteps(before, 1).layout(before, {.x = 1}).global_count(), 62 * 5 * 4);
  auto const columns = column_layout(part, 1, 2);
  EXPECT_EQ(columns.count(), 20 * 5);
  EXPECT_EQ(columns.offset(), 2 * 22 + 1);
  EXPECT_EQ(columns.allocated(), 22 * 9);
}

TEST(WritePoints, WritesEachPointByItsOwnIndices) {
  Case const box;
  FieldTable fields(nullptr);
  auto& field = fields.add<float>(Host{}, {.name = "x", .units = "1"}, HaloSteps(box, 1).layout(box));
  write_points(field, [](int k, int j, int i) { return 1e4 * k + 100 * j + i; });
  auto const rows = field.grid();
  for (std::int32_t k = 0; k < box.nz; ++k) {
    for (std::int32_t j = 0; j < box.ny; ++j) {
      for (std::int32_t i = 0; i < box.nx; ++i) EXPECT_EQ(double{rows(k, j, i)}, 1e4 * k + 100 * j + i);
    }
  }
}

TEST(Coordinates, AreOfCentresAndOfFacesToTheirWestAndSouth) {
  auto const all = column_coordinates(3, 2, 50, 20);
  EXPECT_EQ(all[0].values, (std::vector<double>{25, 75, 125}));
  EXPECT_EQ(all[1].values, (std::vector<double>{0, 50, 100}));
  EXPECT_EQ(all[2].values, (std::vector<double>{10, 30}));
  EXPECT_EQ(all[3].values, (std::vector<double>{0, 20}));
}

using Domain = LatticeDomain<Case, double, float, Host, 0>;
struct Process {
  virtual ~Process() = default;
  virtual void name_yourself(std::string& names) = 0;
};
template <class D>
struct Sun : Process {
  explicit Sun(D&) {}
  void name_yourself(std::string& names) override { names += "sun "; }
};
template <class D>
struct Rain : Process {
  explicit Rain(D&) {}
  static bool needed(Case const& of) { return of.rains; }
  void name_yourself(std::string& names) override { names += "rain "; }
};
struct Weather final : CoreOfParts<Domain, Process> {
  explicit Weather(Case const& of)
      : CoreOfParts([](Domain& d) { return parts_of<Process, Rain, Sun>(d); }, "weather", Host{}, nullptr, of,
                    Sides{}, HaloLevels{0, of.nz}, false) {}
  double take_step(std::int64_t, double time, double latest) override { return end_after(0.1, time, latest); }
  std::string names() {
    std::string all;
    each(&Process::name_yourself, all);
    return all;
  }
};

TEST(CoreOfParts, HasThePartsThatItsCaseNeedsInTheirOrder) {
  EXPECT_EQ(Weather({}).names(), "sun ");
  EXPECT_EQ(Weather({.rains = true}).names(), "rain sun ");
  EXPECT_EQ(Weather({}).name(), "weather");
  EXPECT_EQ(Weather({}).cells(), 61 * 5 * 4);
}

TEST(CoreOfParts, EndsAStepWhereItIsAskedToToTheBit) {
  Weather weather({});
  EXPECT_EQ(weather.take_step(1, 0.2, 0.3), 0.3);
  EXPECT_NE(0.2 + 0.1, 0.3);
  EXPECT_EQ(weather.take_step(1, 0.2, 9.0), 0.2 + 0.1);
}

}  // namespace
