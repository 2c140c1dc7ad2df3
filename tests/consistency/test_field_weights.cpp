// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/field_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "support/netcdf_writing.hpp"
#include "support/random_values.hpp"
#include "support/temporary_folder.hpp"
#include "verification/consistency/level_sums.hpp"
#include "verification/consistency/reading.hpp"

namespace ulpine::verification::consistency {
namespace {

namespace fs = std::filesystem;

/// Fields in all orders of dimensions on cells whose areas are random; a few have none, or one below zero.
class OnCells : public testing::Test {
 protected:
  static constexpr std::size_t nz = 40, ny = 90, nx = 80;
  test::TemporaryFolder folder_;

  fs::path write(std::string const& name, std::uint64_t seed, std::size_t height, std::size_t rows,
                 std::size_t columns) const {
    auto const path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    test::RandomValues random(seed);
    test::NetcdfWriting file(path, NC_64BIT_OFFSET);
    auto const z = file.dimension("z", height), y = file.dimension("y", rows),
               x = file.dimension("x", columns);
    auto const lev = file.variable("z", NC_DOUBLE, {z});
    file.text(lev, "axis", "Z");
    auto const area = file.variable("cell_area", NC_DOUBLE, {y, x});
    std::vector<int> const fields = {
        file.variable("zyx", NC_DOUBLE, {z, y, x}), file.variable("yzx", NC_DOUBLE, {y, z, x}),
        file.variable("yxz", NC_DOUBLE, {y, x, z}), file.variable("yx", NC_DOUBLE, {y, x})};
    auto areas = random.uniform(rows * columns, 1, 7);
    areas[3] = 0;
    areas[5] = -2;
    file.values(area, areas);
    for (auto const field : fields)
      file.values(field, random.uniform((field == fields.back() ? 1 : height) * rows * columns, 200, 300));
    return path;
  }
};

TEST_F(OnCells, WeightsAreThoseOfTheMeasureWhateverIsKept) {
  io::InputFile const file(write("a.nc", 1, nz, ny, nx)), other(write("b.nc", 2, nz, ny, nx));
  Weighting const weighting;
  test::RandomValues random(3);
  KeptWeights kept;
  for (auto const* from : {&file, &other, &file}) {
    for (auto const* name : {"zyx", "yzx", "yxz", "yx"}) {
      auto const shape = from->info(name).shape;
      auto const measure = weighting.measure(*from, name);
      ASSERT_TRUE(measure) << name;
      auto const levels = std::string(name) == "zyx" ? std::int64_t(nz) : 1;
      auto* weights = kept.of(*from, weighting, *measure, shape, levels);
      ASSERT_NE(weights, nullptr);
      auto const size = io::values_in(shape);
      std::vector<double> all(static_cast<std::size_t>(size));
      weighting.read(*from, *measure, {std::vector<std::int64_t>(shape.size(), 0), shape}, all);
      for (int trial = 0; trial < 40; ++trial) {
        auto const first = std::int64_t(random.below(std::size_t(size)));
        auto const count =
            1 + std::int64_t(random.below(std::size_t(std::min<std::int64_t>(size - first, 5000))));
        auto const found = weights->at(first, count);
        ASSERT_TRUE(std::equal(found.begin(), found.end(), all.begin() + first)) << name << " from " << first;
      }
      auto const of_level = std::size_t(size / levels);
      for (std::int64_t k = 0; k < levels; k += 13) {
        EXPECT_EQ(weights->whole(k).to_double(),
                  positive_sum(std::span(all).subspan(std::size_t(k) * of_level, of_level)).to_double());
      }
    }
  }
}

TEST_F(OnCells, SummariesAreTheSameOnAnyNumberOfThreadsAndOfEachRunsOwnAreas) {
  for (int run = 0; run < 5; ++run) write("e/m" + std::to_string(run) + ".nc", std::uint64_t(run), 3, 7, 11);
  RunList const runs{runs_in(folder_.path() / "e"), {}};
  auto const grid = common_grid({&runs}, {}, false, {}, [](double, std::string const&) {});
  RunGroup const group(runs, grid);
  std::size_t told = 0;
  auto const progress = [&](double, std::string const&) { ++told; };
  auto const alone = group.summary(progress, 1);
  EXPECT_EQ(told, 5u);
  for (std::size_t const threads : {2u, 3u, 100u}) {
    auto const together = group.summary(progress, threads);
    ASSERT_EQ(together.members.size(), 5u);
    for (std::size_t run = 0; run < 5; ++run) {
      EXPECT_EQ(together.members[run].name, alone.members[run].name);
      for (std::size_t v = 0; v < alone.variables.size(); ++v) {
        auto const &a = alone.members[run].variables[v][0], &b = together.members[run].variables[v][0];
        EXPECT_EQ(a.mean, b.mean);
        for (std::size_t k = 0; k < a.levels.size(); ++k) {
          EXPECT_EQ(a.levels[k].min, b.levels[k].min);
          EXPECT_EQ(a.levels[k].mean, b.levels[k].mean);
          EXPECT_EQ(a.levels[k].max, b.levels[k].max);
        }
      }
    }
  }
  for (std::size_t run = 0; run < 5; ++run) {
    io::InputFile const file(runs.members[run].files.front());
    auto const values = file.read("yx").values, areas = file.read("cell_area").values;
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(areas[i] > 0)) continue;
      sum += areas[i] * values[i];
      total += areas[i];
    }
    for (std::size_t v = 0; v < alone.variables.size(); ++v) {
      if (alone.variables[v].name != "yx") continue;
      EXPECT_NEAR(alone.members[run].variables[v][0].mean, sum / total, 1e-10);
    }
  }
  EXPECT_THROW(group.summary([](double, std::string const&) { throw 7; }, 2), int);
}

}  // namespace
}  // namespace ulpine::verification::consistency
