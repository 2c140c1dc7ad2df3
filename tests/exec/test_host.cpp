// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/exec/emulating_host.hpp"
#include "core/exec/host.hpp"
#include "core/exec/launch.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/rim.hpp"
#include "exec/kernels.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;
using exec_test::Visit;

struct Scatter {
  static constexpr bool scatters = true;
  double* sum;
  void operator()(std::int32_t ix, std::int32_t iy, std::int32_t iz = 0) const {
    Host::atomic_add(*sum, double(ix + iy + iz));
  }
};

TEST(ForEachOnHost, VisitsEveryIndexOnce) {
  for (int const threads : {1, 2, 5}) {
    for (std::int64_t const count : {0, 1, 7, 1001}) {
      std::vector<int> visits(static_cast<std::size_t>(count));
      for_each(Host{threads}, count, Visit{{visits.data(), count}});
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << threads << " threads, " << count;
    }
  }
}

TEST(ForEachOnHost, OpensAParallelRegionForSeveralThreadsAlone) {
  for (int const threads : {1, 2}) {
    std::vector<int> regions(7, -1);
    for_each(Host{threads}, std::int64_t{7},
             [&](std::int64_t i) { regions[static_cast<std::size_t>(i)] = omp_get_level(); });
    EXPECT_EQ(regions, std::vector<int>(7, threads > 1 ? 1 : 0)) << threads;
  }
}

TEST(ForEachOnHost, VisitsEveryLatticePointOnce) {
  for (int const threads : {1, 2, 5}) {
    for (Extent2 const extent : {Extent2{0, 0}, {0, 3}, {3, 0}, {1, 1}, {33, 1}, {1, 33}, {37, 41}}) {
      std::vector<int> visits(static_cast<std::size_t>(extent.size()));
      for_each(Host{threads}, extent, Visit{{visits.data(), extent.size()}, extent.nx});
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << extent.nx << " x " << extent.ny;
    }
  }
}

Extent3 const boxes[] = {{0, 0, 0},  {0, 3, 4},  {3, 0, 4},  {3, 4, 0},   {1, 1, 1},  {33, 1, 2},
                         {1, 33, 2}, {2, 1, 33}, {17, 5, 9}, {128, 2, 2}, {300, 3, 2}};

TEST(ForEachOnHost, VisitsEveryPointOfABoxOnce) {
  for (int const threads : {1, 2, 5, 8}) {
    for (Extent3 const extent : boxes) {
      std::vector<int> visits(static_cast<std::size_t>(extent.size()));
      for_each(Host{threads}, extent, Visit{{visits.data(), extent.size()}, extent.nx, extent.ny});
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1))
          << extent.nx << " x " << extent.ny << " x " << extent.nz;
    }
  }
}

TEST(ForEachOnHost, VisitsEveryIndexOfAnExtentOnce) {
  std::vector<int> visits(1001);
  for_each(Host{3}, Extent1{1001}, Visit{{visits.data(), 1001}});
  EXPECT_EQ(visits, std::vector<int>(1001, 1));
}

/// Stores a sum of thirds that is rounded at random.
struct StoreThirds {
  double* sums;
  Extent3 extent;
  void operator()(std::int64_t i) const {
    EmulatedNumber sum = 0;
    for (int n = 1; n < 20; ++n) sum += EmulatedNumber(n) / 3;
    sums[i] = sum.value();
  }
  void operator()(std::int32_t ix, std::int32_t iy, std::int32_t iz) const {
    operator()((static_cast<std::int64_t>(iz) * extent.ny + iy) * extent.nx + ix);
  }
};

TEST(ForEachOnEmulatingHost, RoundsByStagePlaceLaunchAndDenseIndexAlone) {
  auto const sums = [](Extent3 extent, int threads, std::string const& format, std::uint64_t place,
                       int before, bool dense) {
    EmulatedRun run(*parse_format("e11m52-sr1"), {{"narrow", *parse_format("e8m10-sr1")}});
    EmulatingHost const host{{threads}, &run};
    host.begin_step();
    host.begin_stage(format, place);
    std::vector<double> values(static_cast<std::size_t>(extent.size()));
    StoreThirds const body{values.data(), extent};
    for (int n = 0; n <= before; ++n) {
      if (dense) {
        for_each(host, Extent1{extent.size()}, body);
      } else {
        for_each(host, extent, body);
      }
    }
    host.end_stage();
    return values;
  };
  for (Extent3 const extent : boxes) {
    for (std::string const stage : {"narrow", "other"}) {
      auto const expected = sums(extent, 1, stage, 5, 0, false);
      EXPECT_EQ(sums(extent, 4, stage, 5, 0, false), expected);
      EXPECT_EQ(sums(extent, 3, stage, 5, 0, true), expected);
      if (extent.size() < 8) continue;
      EXPECT_NE(sums(extent, 1, stage, 6, 0, false), expected);
      EXPECT_NE(sums(extent, 1, stage, 5, 1, false), expected) << "the second launch of a step";
      EXPECT_GT(std::set(expected.begin(), expected.end()).size(), 1u) << "points of a launch";
    }
  }
  auto const wide = sums({5, 4, 3}, 1, "other", 5, 0, false),
             narrow = sums({5, 4, 3}, 1, "narrow", 5, 0, false);
  EXPECT_NEAR(wide.front(), 190 / 3., 1e-12);
  EXPECT_GT(std::fabs(narrow.front() - 190 / 3.), 1e-6) << "in eleven bits";
}

TEST(ForEachOnEmulatingHost, RoundsToNearestBetweenStages) {
  EmulatedRun run(*parse_format("e8m10-sr1"));
  EmulatingHost const host{{1}, &run};
  EmulatedRun plain(*parse_format("e8m10"));
  EmulatingHost const nearest{{1}, &plain};
  std::vector<double> values(50), expected(values);
  for_each(host, Extent1{50}, StoreThirds{values.data(), {}});
  for_each(nearest, Extent1{50}, StoreThirds{expected.data(), {}});
  EXPECT_EQ(values, expected);
  host.begin_stage("any", 1);
  for_each(host, Extent1{50}, StoreThirds{values.data(), {}});
  EXPECT_NE(values, expected);
  values.assign(50, 0);
  StoreThirds const body{values.data(), {}};
  body(0);
  EXPECT_EQ(values[0], expected[0]) << "the caller, after the launch";
}

TEST(ForEachOnHost, ScattersWithoutLoss) {
  double sum = 0;
  for_each(Host{4}, Extent2{30, 40}, Scatter{&sum});
  EXPECT_EQ(sum, 30 * 40 * (29 / 2. + 39 / 2.));  // whole numbers: exact in any order
  sum = 0;
  for_each(Host{4}, Extent3{30, 40, 5}, Scatter{&sum});
  EXPECT_EQ(sum, 30 * 40 * 5 * (29 / 2. + 39 / 2. + 2));
}

/// Runs the launches for `extent` one thread after the other, as a device would; each takes so many points,
/// and a launch at most so many rows of blocks.
std::vector<int> visits_of_launches(Extent3 extent, int threads, unsigned most_blocks, int points = 1,
                                    unsigned most_rows = 65535) {
  std::vector<int> visits(static_cast<std::size_t>(extent.size()));
  Visit const visit{{visits.data(), extent.size()}, extent.nx, extent.ny};
  auto const block = detail::block_shape(extent, threads);
  auto const reach = detail::reach_of(block, points);
  auto const below = [](unsigned index, std::int32_t size) { return index < static_cast<unsigned>(size); };
  most_rows = std::min(most_blocks, most_rows);
  detail::in_launches(extent, reach, most_blocks, most_rows, [&](detail::Piece const& piece) {
    EXPECT_LE(piece.blocks.y, most_rows);
    EXPECT_LE(piece.blocks.z, most_blocks);
    EXPECT_LT((piece.blocks.x - 1) * reach.x, static_cast<unsigned>(extent.nx));  // no block without a point
    EXPECT_LT(piece.first_y + (piece.blocks.y - 1) * block.y, static_cast<unsigned>(extent.ny));
    EXPECT_LT(piece.first_z + (piece.blocks.z - 1) * block.z, static_cast<unsigned>(extent.nz));
    for (unsigned z = piece.first_z; z < piece.first_z + piece.blocks.z * block.z; ++z) {
      for (unsigned y = piece.first_y; y < piece.first_y + piece.blocks.y * block.y; ++y) {
        if (!below(y, extent.ny) || !below(z, extent.nz)) continue;
        for (unsigned b = 0; b < piece.blocks.x; ++b) {
          for (unsigned thread = 0; thread < block.x; ++thread) {
            auto const [first, whole] = detail::row_of_points(b, block.x, thread, points, extent.nx);
            auto const end = first + static_cast<unsigned>(points) * block.x;
            for (auto x = first; whole ? x < end : below(x, extent.nx); x += block.x) {
              visit(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), static_cast<std::int32_t>(z));
            }
          }
        }
      }
    }
  });
  return visits;
}

TEST(Launches, CoverABoxOnceWithinTheLimitsOfAGrid) {
  for (Extent3 const extent : boxes) {
    if (extent.size() == 0) continue;
    for (int const threads : {32, 96, 256}) {
      for (unsigned const most_blocks : {1U, 2U, 65535U}) {
        for (int const points : {1, 2, 4}) {
          for (unsigned const most_rows : {1U, 3U, 65535U}) {
            EXPECT_EQ(visits_of_launches(extent, threads, most_blocks, points, most_rows),
                      std::vector<int>(static_cast<std::size_t>(extent.size()), 1))
                << extent.nx << " x " << extent.ny << " x " << extent.nz << ", " << threads << ", " << points;
          }
        }
      }
    }
  }
}

TEST(Launches, RunBroadKernelsInStripsThroughAllPlanes) {
  Extent3 const extent{512, 512, 128};
  auto const block = detail::block_shape(extent, 256);
  // Four planes of 512 x 512 points of 48 bytes are within 50 MiB, of 56 are not.
  EXPECT_EQ(detail::rows_of_strip(extent, block, 48), detail::most_blocks_yz);
  auto const rows = detail::rows_of_strip(extent, block, 56);
  EXPECT_EQ(rows * block.y * 512, 32768U);
  unsigned next = 0;
  detail::in_launches(extent, block, detail::most_blocks_yz, rows, [&](detail::Piece const& piece) {
    EXPECT_EQ(piece.first_y, next);
    EXPECT_EQ(piece.blocks.z * block.z, 128U);
    next += piece.blocks.y * block.y;
  });
  EXPECT_EQ(next, 512U);
  // A row of blocks at least, and no more than a launch takes.
  EXPECT_EQ(detail::rows_of_strip({1 << 20, 64, 4}, block, 8), 1U);
  EXPECT_EQ(detail::rows_of_strip({1, 1 << 30, 4}, {1, 1, 64}, 8), 32768U);
}

TEST(Launches, PutAWarpAlongXAndNeverMoreThreadsThanAskedFor) {
  for (std::int32_t const nx : {1, 3, 16, 31, 32, 1000}) {
    for (std::int32_t const ny : {1, 2, 7, 1000}) {
      for (std::int32_t const nz : {1, 2, 1000}) {
        for (int threads = 32; threads <= 256; threads += 32) {
          auto const block = detail::block_shape({nx, ny, nz}, threads);
          EXPECT_LE(block.x * block.y * block.z, static_cast<unsigned>(threads));
          EXPECT_LE(block.z, 64U);
          if (nx > 16) {
            EXPECT_EQ(block.x, 32U);
          }
          EXPECT_LT(block.x, 2U * static_cast<unsigned>(nx));
          if (ny == 1000 && nx >= 32) {
            EXPECT_EQ(block.y, static_cast<unsigned>(threads) / 32);
          }
        }
      }
    }
  }
}

TEST(Launches, HoldTheLargestLattices) {
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  std::int64_t planes = 0, launches = 0;
  Extent3 const tall{2, 1, most};
  auto const block = detail::block_shape(tall, 256);
  detail::in_launches(tall, block, detail::most_blocks_yz, [&](detail::Piece const& piece) {
    EXPECT_EQ(static_cast<std::int64_t>(piece.first_z), planes);
    planes += static_cast<std::int64_t>(piece.blocks.z) * block.z;
    ++launches;
  });
  EXPECT_GE(planes, most);
  EXPECT_LT(planes - most, block.z);
  EXPECT_EQ(launches, (most / 64 + 1 + 65534) / 65535);
  EXPECT_EQ((Extent3{most, 2, 2}.size()), 4 * static_cast<std::int64_t>(most));
}

TEST(RimAndWithin, AreAllPointsOnceAndTheRimIsWithinItsMargins) {
  std::mt19937 random(11);
  auto const below = [&](std::uint32_t n) { return static_cast<std::int32_t>(random() % n); };
  for (int number = 0; number < 300; ++number) {
    Extent3 const whole{below(9), below(9), 1 + below(3)};
    Margins const margins{below(5), below(5), below(5), below(5)};
    SCOPED_TRACE(testing::Message() << whole.nx << " x " << whole.ny << " x " << whole.nz << ", margins "
                                    << margins.west << margins.east << margins.south << margins.north);
    std::vector<int> visits(static_cast<std::size_t>(whole.size()));
    Visit const visit{{visits.data(), whole.size()}, whole.nx, whole.ny};
    WithinRim const rest(visit, whole, margins);
    for_each(Host{}, rest.extent, rest.kernel);
    for (std::int64_t n = 0; n < whole.size(); ++n) {
      auto const i = n % whole.nx, j = n / whole.nx % whole.ny;
      bool const on_rim = i < margins.west || i >= whole.nx - margins.east || j < margins.south ||
                          j >= whole.ny - margins.north;
      ASSERT_EQ(visits[static_cast<std::size_t>(n)], on_rim ? 0 : 1) << n;
    }
    OnRim const rim(visit, whole, margins);
    for_each(Host{}, rim.extent(), rim);
    EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
  }
}

TEST(Array, IsAlignedZeroAndMoves) {
  Array<double, Host> array(Host{2}, 10001);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.view().data()) % 64, 0u);
  for (std::int64_t i = 0; i < array.size(); ++i) {
    ASSERT_EQ(array.view()[i], 0);
  }
  array.view()[10000] = 3;
  auto const moved = std::move(array);
  EXPECT_EQ(moved.size(), 10001);
  EXPECT_EQ(moved.view()[10000], 3);
  EXPECT_EQ((Array<float, Host>(Host{}, 0).size()), 0);
}

TEST(Array, ThrowsEnvironmentErrorWhereMemoryIsOut) {
  EXPECT_THROW((Array<double, Host>(Host{}, std::int64_t{1} << 56)), EnvironmentError);
}

}  // namespace
