// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"

#include "core/stage/halo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "ranks/block_fields.hpp"
#include "ranks/stages_beside.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;
using test::BlockFields;
using test::untouched;
using test::value_at;

struct Case {
  std::int32_t nx, ny;
  int size;
  bool periodic_x, periodic_y;
  HaloWidth width;
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

/// Sizes with blocks that are all rim, with and without periods, cut along one axis and along both.
TEST(StagesBesideAnExchange, GiveTheBitsOfOneAfterTheOther) {
  std::mt19937 random(7);
  auto const below = [&](std::uint32_t n) { return static_cast<std::int32_t>(random() % n); };
  int ran = 0;
  for (int number = 0; number < 40; ++number) {
    auto const nx = 4 + below(20), ny = 4 + below(20), size = 1 + below(7);
    bool const periodic_x = below(2) == 1, periodic_y = below(2) == 1;
    if (size > std::max(nx / 4, ny / 4)) continue;
    SCOPED_TRACE(testing::Message() << nx << " x " << ny << " on " << size << ", periodic " << periodic_x
                                    << periodic_y);
    on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
      Blocks const blocks(nx, ny, ranks.get(), 4, "the grid");
      auto const run = [&](bool overlap, bool watched) {
        test::StagesBeside<Host> all(Host{}, ranks, blocks, periodic_x, periodic_y, overlap);
        return all.steps(watched);
      };
      auto const expected = run(false, false);
      EXPECT_EQ(run(true, false), expected);
      EXPECT_EQ(run(true, true), expected);
      EXPECT_EQ(run(false, true), expected);
    });
    ++ran;
  }
  EXPECT_GT(ran, 15);
}

TEST(StagesBesideAnExchange, AreCountedOnceAndNotDividedUnderAnObserver) {
  on_thread_ranks(2, [](std::shared_ptr<Ranks> const& ranks) {
    Blocks const blocks(9, 5, ranks.get(), 4, "the grid");
    for (bool const overlap : {false, true}) {
      for (bool const watched : {false, true}) {
        test::StagesBeside<Host> all(Host{}, ranks, blocks, true, false, overlap);
        all.steps(watched);
        EXPECT_EQ(all.overlapped, overlap && !watched);
        for (auto const& time : all.runner.times()) {
          EXPECT_EQ(time.launches, time.name == "exchange" ? 3 * all.count : all.count) << time.name;
          EXPECT_EQ(time.timed, time.launches) << time.name;
          EXPECT_EQ(time.bytes, 8.0 * static_cast<double>(time.launches)) << time.name;
        }
      }
    }
  });
}

TEST(StagesBesideAnExchange, SendNothingThemselves) {
  on_thread_ranks(2, [](std::shared_ptr<Ranks> const& ranks) {
    Blocks const blocks(9, 5, ranks.get(), 4, "the grid");
    for (bool const watched : {false, true}) {
      test::StagesBeside<Host> all(Host{}, ranks, blocks, true, true, true);
      all.begin(1, watched);
      auto const halo = all.halo();
      int refused = 0;
      auto const refuse = [&](auto const& work) {
        EXPECT_THROW(work(), std::logic_error);
        ++refused;
      };
      all.exchange.beside(all.runner, halo, [&] {
        refuse([&] { all.exchange.beside(all.runner, halo, [] {}); });
        refuse([&] { all.exchange(all.runner, halo); });
        refuse([&] { all.exchange.exchange(halo.fields, halo.width, halo.levels); });
        std::uint64_t word = 1;
        if (!watched) refuse([&] { ranks->add({&word, 1}); });
      });
      EXPECT_EQ(refused, watched ? 3 : 4);
      // It is over, and can be had again.
      all.exchange.beside(all.runner, halo, [] {});
      std::uint64_t word = 1;
      ranks->add({&word, 1});
      EXPECT_EQ(word, 2u);
    }
  });
}

TEST(StagesBesideAnExchange, ThatThrowLeaveNothingBehind) {
  on_thread_ranks(2, [](std::shared_ptr<Ranks> const& ranks) {
    Blocks const blocks(9, 5, ranks.get(), 4, "the grid");
    test::StagesBeside<Host> all(Host{}, ranks, blocks, true, true, true);
    all.begin(1, false);
    auto const halo = all.halo();
    EXPECT_THROW(all.exchange.beside(all.runner, halo, [] { throw std::runtime_error("planted"); }),
                 std::runtime_error);
    EXPECT_THROW(ranks->begin({}, {}), std::logic_error) << "the messages are still under way";
    ranks->fail("planted");
    if (ranks->rank() == 0) {
      ranks->hear(1);
      ranks->recover();
      ranks->tell(1, {});
    } else {
      ranks->tell(0, {});
      ranks->hear(0);
    }
    ranks->begin({}, {});
    ranks->end();
  });
}

}  // namespace
