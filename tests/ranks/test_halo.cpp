// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"

#include "core/stage/halo.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "core/ranks/thread_ranks.hpp"

namespace {

using namespace ulpine;

/// A value that names its point.
double value_at(int field, std::int32_t k, std::int32_t j, std::int32_t i) {
  return field * 1e9 + k * 1e6 + j * 1e3 + i;
}
constexpr double untouched = -1;

struct Case {
  std::int32_t nx, ny;
  int size;
  bool periodic_x, periodic_y;
  HaloWidth width;
};

/// Fields of a block with `room` columns around.
struct BlockFields {
  static constexpr std::int32_t room = 5, levels = 3;
  explicit BlockFields(Blocks const& blocks) : blocks{blocks}, values(3 * size(), untouched) {
    for (int f = 0; f < 3; ++f) {
      for (std::int32_t k = 0; k < levels; ++k) {
        for (std::int32_t j = 0; j < blocks.ny(); ++j) {
          for (std::int32_t i = 0; i < blocks.nx(); ++i) {
            rows(f)(k, j, i) = value_at(f, k, blocks.first_y() + j, blocks.first_x() + i);
          }
        }
      }
    }
  }
  std::size_t row() const { return static_cast<std::size_t>(blocks.nx() + 2 * room); }
  std::size_t plane() const { return row() * static_cast<std::size_t>(blocks.ny() + 2 * room); }
  std::size_t size() const { return plane() * levels; }
  Rows<double> rows(int f) {
    return {values.data() + static_cast<std::size_t>(f) * size() + room * row() + room,
            static_cast<std::int64_t>(plane()), static_cast<std::int64_t>(row())};
  }
  Blocks blocks;
  std::vector<double> values;
};

void expect_halos(Case const& c) {
  SCOPED_TRACE(testing::Message() << c.nx << " x " << c.ny << " on " << c.size << ", periodic "
                                  << c.periodic_x << c.periodic_y << ", width " << c.width.low << " "
                                  << c.width.high);
  on_thread_ranks(c.size, [&](std::shared_ptr<Ranks> const& ranks) {
    Blocks const blocks(c.nx, c.ny, ranks.get(), 4, "the grid");
    Link<Host> link(Host{}, ranks);
    HaloExchange<Host> exchange(Host{}, link, blocks, c.periodic_x, c.periodic_y);
    BlockFields fields(blocks);
    std::vector<Rows<double>> const all{fields.rows(0), fields.rows(1), fields.rows(2)};
    HaloLevels const levels{1, 3};
    exchange.exchange(std::span<Rows<double> const>(all), c.width, levels);
    bool const cut_x = blocks.along_x().parts > 1, cut_y = blocks.along_y().parts > 1;
    // What lies at a distance along an axis: the block's own, another's, or nobody's.
    auto const source = [](std::int32_t at, std::int32_t own, std::int32_t first, std::int32_t whole,
                           bool cut, bool periodic, HaloWidth width) {
      if (at >= 0 && at < own) return first + at;
      auto const global = first + at;
      if (!cut || at < -width.low || at >= own + width.high) return -1;
      if (global >= 0 && global < whole) return global;
      return periodic ? (global + whole) % whole : -1;
    };
    constexpr auto room = BlockFields::room;
    for (int f = 0; f < 3; ++f) {
      for (std::int32_t k = 0; k < BlockFields::levels; ++k) {
        for (std::int32_t j = -room; j < blocks.ny() + room; ++j) {
          for (std::int32_t i = -room; i < blocks.nx() + room; ++i) {
            auto const x = source(i, blocks.nx(), blocks.first_x(), c.nx, cut_x, c.periodic_x, c.width),
                       y = source(j, blocks.ny(), blocks.first_y(), c.ny, cut_y, c.periodic_y, c.width);
            bool const own = i >= 0 && i < blocks.nx() && j >= 0 && j < blocks.ny();
            auto const expected = x < 0 || y < 0 || (!own && k < 1) ? untouched : value_at(f, k, y, x);
            ASSERT_EQ(fields.rows(f)(k, j, i), expected)
                << "rank " << ranks->rank() << " field " << f << " (" << k << ", " << j << ", " << i << ")";
          }
        }
      }
    }
  });
}

TEST(HaloExchange, BringsWhatTheNeighboursOwn) {
  std::mt19937 random(3);
  auto const below = [&](std::uint32_t n) { return static_cast<std::int32_t>(random() % n); };
  int ran = 0;
  for (int number = 0; number < 60; ++number) {
    Case const c{4 + below(30), 4 + below(30), 1 + below(9),
                 below(2) == 1, below(2) == 1, {below(5), below(5)}};
    auto const most = std::max(c.nx / 4, c.ny / 4);
    if (c.size > most) continue;
    expect_halos(c);
    ++ran;
  }
  EXPECT_GT(ran, 20);
}

TEST(HaloExchange, BetweenTwoBlocksThatMeetOnBothSides) {
  expect_halos({8, 4, 2, true, true, {3, 4}});
  expect_halos({8, 8, 4, true, true, {4, 4}});
}

TEST(HaloExchange, CountsItsBytes) {
  on_thread_ranks(2, [](std::shared_ptr<Ranks> const& ranks) {
    Blocks const blocks(40, 10, ranks.get(), 4, "the grid");
    Link<Host> link(Host{}, ranks);
    HaloExchange<Host> const walled(Host{}, link, blocks, false, false),
        round(Host{}, link, blocks, true, false);
    // One neighbour: 4 columns by 11 rows (the last of faces alone) go one way and 3 the other, each written
    // and read twice.
    auto const each = (3 + 4) * 6 * 2 * sizeof(float);
    EXPECT_EQ(walled.bytes<float>(2, {3, 4}, {0, 6}), 2.0 * 11 * each);
    EXPECT_EQ(round.bytes<float>(2, {3, 4}, {0, 6}), 4.0 * 11 * each);
  });
}

}  // namespace
