// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include "core/ranks/blocks.hpp"
#include "core/ranks/redistribution.hpp"
#include "ranks/turning_beside.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;

using Random = std::mt19937_64;
int any(Random& random, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random);
}

/// `extent` points in so many parts of any size, also none.
std::vector<IndexRange> parts(Random& random, int extent, int count) {
  std::vector<int> ends{0, extent};
  for (int n = 1; n < count; ++n) ends.push_back(any(random, 0, extent));
  std::ranges::sort(ends);
  std::vector<IndexRange> all;
  for (std::size_t n = 0; n + 1 < ends.size(); ++n) all.push_back({ends[n], ends[n + 1]});
  return all;
}

/// An array of nz x ny x nx in `ranks` boxes: cut along any of its axes, given to ranks in any order.
std::vector<IndexBox> boxes(Random& random, int nz, int ny, int nx, int ranks) {
  std::vector<int> divisors;
  auto const factor = [&](int number) {
    divisors.clear();
    for (int d = 1; d <= number; ++d) {
      if (number % d == 0) divisors.push_back(d);
    }
    return divisors[static_cast<std::size_t>(any(random, 0, static_cast<int>(divisors.size()) - 1))];
  };
  auto const along_z = factor(ranks), along_y = factor(ranks / along_z);
  std::vector<IndexBox> all;
  for (auto const& z : parts(random, nz, along_z)) {
    for (auto const& y : parts(random, ny, along_y)) {
      for (auto const& x : parts(random, nx, ranks / along_z / along_y)) all.push_back({z, y, x});
    }
  }
  std::ranges::shuffle(all, random);
  return all;
}

/// A rank's box in memory, with gaps at random.
struct Part {
  Part(Random& random, std::vector<IndexBox> const& boxes, int rank)
      : box{boxes[static_cast<std::size_t>(rank)]}, all{boxes} {
    row = box.x.size() + any(random, 0, 1) * any(random, 0, 3);
    plane = row * box.y.size() + any(random, 0, 1) * any(random, 0, 5);
    values.assign(static_cast<std::size_t>(plane * box.z.size() + row + 1), -1);
  }
  /// A value that names its point.
  static double name(int k, int j, int i) { return (k * 1000.0 + j) * 1000 + i; }
  template <class Visit>
  void visit(Visit const& visit) {
    for (int k = box.z.begin; k < box.z.end; ++k) {
      for (int j = box.y.begin; j < box.y.end; ++j) {
        for (int i = box.x.begin; i < box.x.end; ++i) {
          auto const at = (k - box.z.begin) * plane + (j - box.y.begin) * row + (i - box.x.begin);
          visit(values[static_cast<std::size_t>(at)], name(k, j, i));
        }
      }
    }
  }
  void fill() {
    visit([](double& value, double name) { value = name; });
  }
  /// All of it names its points, and nothing else was written.
  void expect_filled() {
    std::int64_t wrong = 0;
    visit([&](double& value, double name) {
      wrong += value == name ? 0 : 1;
      value = -1;
    });
    for (auto const value : values) wrong += value == -1 ? 0 : 1;
    EXPECT_EQ(wrong, 0);
  }
  Distribution distribution() const { return {all, plane, row}; }

  IndexBox box;
  std::vector<IndexBox> all;
  std::int64_t plane, row;
  std::vector<double> values;
};

/// What the test packs for a redistribution from `here`, or finds when it is back: visit(value, name) for all
/// of `here`, in messages, and in `there` what stays on the rank.
template <class Visit>
void visit_places(Part const& here, Part const& there, int rank, int from, double* place,
                  Visit const& visit) {
  auto const box = overlap(here.box, there.all[static_cast<std::size_t>(from)]);
  auto const row = from == rank ? there.row : box.x.size();
  auto const plane = from == rank ? there.plane : row * box.y.size();
  for (int k = 0; k < box.z.size(); ++k) {
    for (int j = 0; j < box.y.size(); ++j) {
      for (int i = 0; i < box.x.size(); ++i) {
        visit(place[k * plane + j * row + i], Part::name(box.z.begin + k, box.y.begin + j, box.x.begin + i));
      }
    }
  }
}

/// All ranks take part, each with its own packing.
void expect_there_and_back(Redistribution<double, Host>& move, Part& here, Part& there, int rank,
                           bool in_parts, Packing packing) {
  auto *const one = here.values.data(), *const other = there.values.data();
  auto const by_caller = packing == Packing::by_caller;
  if (by_caller) {
    move.places_there(other, [&](int r, double* place) {
      visit_places(here, there, rank, r, place, [](double& value, double name) { value = name; });
    });
  } else {
    here.fill();
  }
  if (in_parts) {
    move.begin_there(one, other, packing);
    move.end_there(other);
  } else {
    move.there(Host{}, one, other, packing);
  }
  auto const expect_untouched = [&] {
    EXPECT_TRUE(std::ranges::all_of(here.values, [](double value) { return value == -1; }));
  };
  by_caller ? expect_untouched() : here.expect_filled();
  there.expect_filled();
  there.fill();
  if (in_parts) {
    move.begin_back(other, one, packing);
    move.end_back(one, packing);
  } else {
    move.back(Host{}, other, one, packing);
  }
  if (by_caller) {
    std::int64_t found = 0;
    move.places_back(other, [&](int r, double* place) {
      visit_places(here, there, rank, r, place,
                   [&](double value, double name) { found += value == name ? 1 : 0; });
    });
    EXPECT_EQ(found, here.box.count());
    expect_untouched();
  } else {
    here.expect_filled();
  }
  there.expect_filled();
}

TEST(Redistribution, BringsEveryValueThereAndBack) {
  Random random(7);
  std::atomic<int> packed = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    auto const nz = any(random, 1, 7), ny = any(random, 1, 9), nx = any(random, 1, 11);
    auto const ranks = any(random, 1, 8);
    auto const one = boxes(random, nz, ny, nx, ranks), other = boxes(random, nz, ny, nx, ranks);
    auto const seed = random();
    std::atomic<std::int64_t> leaving = 0, coming = 0;
    on_thread_ranks(ranks, [&](std::shared_ptr<Ranks> const& team) {
      Random own(seed + static_cast<std::uint64_t>(team->rank()));
      Part here(own, one, team->rank()), there(own, other, team->rank());
      Redistribution<double, Host> move(Host{}, std::make_shared<Link<Host>>(Host{}, team),
                                        here.distribution(), there.distribution(),
                                        std::make_shared<MessageBuffers<Host>>());
      leaving += move.leaving();
      coming += move.coming();
      for (auto const in_parts : {false, true}) {
        expect_there_and_back(move, here, there, team->rank(), in_parts, Packing::own);
        auto const packing = move.can_be_packed() ? Packing::by_caller : Packing::own;
        expect_there_and_back(move, here, there, team->rank(), in_parts, packing);
        packed += packing == Packing::by_caller ? 1 : 0;
      }
    });
    EXPECT_EQ(leaving, coming);
  }
  EXPECT_GT(packed, 100);
}

TEST(Redistribution, BesideStagesGivesTheSameBits) {
  for (int const ranks : {2, 3, 5}) {
    on_thread_ranks(ranks, [](std::shared_ptr<Ranks> const& team) {
      test::TurningBeside<Host> plain(Host{}, team, false), beside(Host{}, team, true);
      auto const expected = plain.steps();
      EXPECT_FALSE(plain.overlapped);
      EXPECT_EQ(beside.steps(), expected);
      EXPECT_TRUE(beside.overlapped);
    });
  }
}

TEST(Redistribution, AllocatesNothingLater) {
  on_thread_ranks(4, [&](std::shared_ptr<Ranks> const& team) {
    Cut const y{9, 4}, z{5, 4};
    std::vector<IndexBox> rows, planes;
    for (int r = 0; r < 4; ++r) {
      rows.push_back({{0, 5}, {y.begin(r), y.begin(r + 1)}, {0, 7}});
      planes.push_back({{z.begin(r), z.begin(r + 1)}, {0, 9}, {0, 7}});
    }
    std::vector<float> one(5 * 9 * 7), other(5 * 9 * 7);
    Redistribution<float, Host> move(Host{}, std::make_shared<Link<Host>>(Host{}, team),
                                     {rows, 7 * y.size(team->rank()), 7}, {planes, 63, 7},
                                     std::make_shared<MessageBuffers<Host>>());
    std::int64_t ready = 1;
    team->largest({&ready, 1});
    auto const before = allocations();
    for (int time = 0; time < 3; ++time) {
      move.there(Host{}, one.data(), other.data());
      move.back(Host{}, other.data(), one.data());
    }
    EXPECT_EQ(allocations(), before);
  });
}

}  // namespace
