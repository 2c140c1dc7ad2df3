// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"

#include "core/ranks/list_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "core/field/gather.hpp"
#include "core/field/table.hpp"
#include "core/stage/observe.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;

/// Ranges of random lengths, some of them empty, and some of the others' points.
PointsOfRank random_points(std::int32_t count, Ranks const& ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> begin{0, count};
  while (begin.size() <= static_cast<std::size_t>(ranks.size())) {
    begin.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(count + 1)));
  }
  std::sort(begin.begin(), begin.end());
  std::mt19937 own(seed + 1000 * static_cast<unsigned>(ranks.rank() + 1));
  std::vector<std::int32_t> others;
  for (int n = 0; n < 20; ++n)
    others.push_back(static_cast<std::int32_t>(own() % static_cast<unsigned>(count)));
  return {begin, ranks.rank(), others};
}

TEST(PointsOfRank, LieInTheOrderOfTheirNumbers) {
  PointsOfRank const points({0, 3, 3, 7, 10}, 2, {9, 1, 4, 9, 2});
  EXPECT_EQ(points.numbers(), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 9}));
  EXPECT_EQ(points.first(), 2);
  EXPECT_EQ(points.owned(), 4);
  EXPECT_EQ(points.begin(), 3);
  EXPECT_EQ(points.all(), 10);
  for (std::int32_t n = 0; n < 10; ++n) {
    EXPECT_EQ(points.owner(n), n < 3 ? 0 : n < 7 ? 2 : 3);
    EXPECT_EQ(points.owns(n), n >= 3 && n < 7);
  }
  EXPECT_EQ(points.place(6), 5);
  EXPECT_EQ(points.place(0), -1);
  EXPECT_EQ(points.place(7), -1);
  for (auto const& whole : {PointsOfRank(10), PointsOfRank({0, 4, 10}, 1, {0, 1, 2, 3})}) {
    for (std::int32_t n = 0; n < 10; ++n) EXPECT_EQ(whole.place(n), n);
    EXPECT_EQ(whole.place(10), -1);
    EXPECT_EQ(whole.place(-1), -1);
  }
}

TEST(ListExchange, BringsGhostsAndTouchesNothingElse) {
  constexpr std::int32_t count = 40;
  for (int const size : {1, 2, 3, 7}) {
    for (unsigned seed = 0; seed < 8; ++seed) {
      on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
        auto const points = random_points(count, *ranks, seed);
        ListExchange<Host> exchange(Host{}, std::make_shared<Link<Host>>(Host{}, ranks),
                                    ghost_lists(*ranks, points), 4 * sizeof(float));
        auto const value = [](std::int32_t n, int c) { return static_cast<float>(10 * n + c); };
        std::vector<float> one, three;
        for (auto const n : points.numbers()) {
          one.push_back(points.owns(n) ? value(n, 7) : -1);
          for (int c = 0; c < 3; ++c) three.push_back(points.owns(n) ? value(n, c) : -1);
        }
        EXPECT_EQ(exchange.received(), points.held() - points.owned());
        EXPECT_EQ(exchange.bytes(4), 8.0 * static_cast<double>(exchange.sent() + exchange.received()));
        for (int again = 0; again < 2; ++again) {
          exchange({PointValues<float>{one.data()}, {three.data(), 3}});
          for (std::int32_t place = 0; place < points.held(); ++place) {
            auto const at = static_cast<std::size_t>(place);
            EXPECT_EQ(one[at], value(points.number(place), 7));
            for (int c = 0; c < 3; ++c) {
              EXPECT_EQ(three[3 * at + static_cast<std::size_t>(c)], value(points.number(place), c));
            }
          }
        }
        EXPECT_THROW(exchange(three.data(), 5), std::logic_error);
      });
    }
  }
}

/// A field of mesh entities, of which ranks own lists, in an order of its own.
struct Entities {
  static constexpr std::int64_t count = 60;
  Entities(std::shared_ptr<Ranks> const& ranks, unsigned seed) : table(ranks) {
    std::vector<int> owner;
    std::mt19937 random(seed);
    for (std::int64_t n = 0; n < count; ++n) {
      owner.push_back(static_cast<int>(random() % static_cast<unsigned>(ranks->size())));
      if (n < ranks->size()) owner.back() = static_cast<int>(n);
      if (owner.back() == ranks->rank()) number.push_back(n);
    }
    for (std::size_t n = 0; n < number.size(); ++n) position.push_back(static_cast<std::int64_t>(2 + n));
    std::mt19937 own(seed + static_cast<unsigned>(ranks->rank()));
    std::shuffle(position.begin(), position.end(), own);
    auto const owned = static_cast<std::int64_t>(number.size());
    auto layout = Layout({{owned, 1, count}}, 0, owned + 5).with_positions(position.data());
    if (ranks->size() > 1) layout = layout.with_numbers(number.data(), number.data());
    field = &table.add<double>(
        Host{},
        {.name = "a", .role = FieldRole::prognostic, .dimensions = {"n"}, .perturbable = Perturbable{}},
        layout);
    std::vector<double> const ghosts(static_cast<std::size_t>(owned + 5), 1e30);
    field->from_host(ghosts.data());
    for (std::int64_t n = 0; n < owned; ++n) {
      field->view()[layout.memory_index(n)] =
          1.0 / (1.0 + static_cast<double>(number[static_cast<std::size_t>(n)]));
    }
  }
  FieldTable table;
  std::vector<std::int64_t> number, position;
  FieldOf<double, Host>* field;
};

TEST(ListsOfEntities, AreCountedAsOnOneRank) {
  std::uint64_t hash = 0, noisy = 0, faulty = 0;
  std::vector<double> values;
  for (int const size : {1, 2, 3, 7}) {
    on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
      Entities entities(ranks, 5);
      auto& table = entities.table;
      auto const layout = entities.field->layout();
      bool const first = size == 1, tells = ranks->rank() == 0;
      auto const compare = [&](std::uint64_t& expected) {
        auto const found = table.state_hash();
        if (first) expected = found;
        if (tells) {
          EXPECT_EQ(found, expected) << size;
        }
      };
      compare(hash);
      for (std::int64_t n = 0; n < Entities::count; ++n) {
        auto const found = std::ranges::find(entities.number, n);
        EXPECT_EQ(layout.owned(n), found == entities.number.end() ? -1 : found - entities.number.begin());
      }
      table.perturb("a", {3, 1, 0, 1e-3});
      compare(noisy);
      add_one_ulp(entities.field->raw(), 41);
      compare(faulty);
      // Any piece, in the order of the numbers, and back.
      std::vector<double> all(Entities::count, -1);
      for (std::int64_t piece = 0; piece < Entities::count; piece += 13) {
        table.read("a", piece, std::min<std::int64_t>(13, Entities::count - piece), ValueType::float64,
                   all.data() + piece);
      }
      if (first) values = all;
      if (tells) {
        EXPECT_EQ(all, values);
      }
      ranks->broadcast(std::as_writable_bytes(std::span(all)));
      entities.field->fill_zero();
      for (std::int64_t piece = 0; piece < Entities::count; piece += 17) {
        scatter_values(entities.field->raw(), piece, std::min<std::int64_t>(17, Entities::count - piece),
                       ValueType::float64, all.data() + piece);
      }
      compare(faulty);
    });
  }
  EXPECT_NE(hash, noisy);
  EXPECT_NE(faulty, noisy);
}

}  // namespace
