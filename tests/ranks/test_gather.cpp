// SPDX-License-Identifier: Apache-2.0
#include "core/field/gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "core/field/table.hpp"
#include "core/ranks/blocks.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;

constexpr std::int64_t nz = 3, whole_y = 11, whole_x = 17;

Layout layout_of(Blocks const& blocks) {
  std::int64_t const row = blocks.nx() + 5, plane = row * (blocks.ny() + 2);
  return {{{nz, plane, nz},
           {blocks.ny(), row, whole_y, blocks.first_y()},
           {blocks.nx(), 1, whole_x, blocks.first_x()}},
          row + 2,
          nz * plane};
}

FieldDescription description() {
  return {.name = "a",
          .role = FieldRole::prognostic,
          .dimensions = {"z", "y", "x"},
          .perturbable = Perturbable{}};
}

/// body(table, field) for a field on `size` ranks whose value is that of its dense index.
template <class Body>
void on_ranks(int size, Body const& body) {
  on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
    FieldTable table(ranks);
    Blocks const blocks(whole_x, whole_y, ranks.get(), 1, "the grid");
    auto& field = table.add<double>(Host{}, description(), layout_of(blocks));
    for (std::int64_t n = 0; n < field.layout().count(); ++n) {
      field.view()[field.layout().memory_index(n)] =
          1.0 / (1.0 + static_cast<double>(field.layout().dense_index(n)));
    }
    body(table, field, *ranks);
  });
}

TEST(Gather, GivesRankZeroAnyPieceInOrder) {
  for (int const size : {1, 2, 3, 7}) {
    on_ranks(size, [](FieldTable const& table, auto&, Ranks& ranks) {
      std::mt19937 random(5);
      for (int piece = 0; piece < 30; ++piece) {
        auto const first = static_cast<std::int64_t>(random() % (nz * whole_y * whole_x));
        auto const count = static_cast<std::int64_t>(random()) % (nz * whole_y * whole_x - first) + 1;
        std::vector<double> values(static_cast<std::size_t>(count), -1);
        table.read("a", first, count, ValueType::float64, values.data());
        for (std::int64_t n = 0; n < count; ++n) {
          auto const expected = ranks.rank() == 0 ? 1.0 / (1.0 + static_cast<double>(first + n)) : -1;
          ASSERT_EQ(values[static_cast<std::size_t>(n)], expected);
        }
      }
    });
  }
}

TEST(Gather, ScatterIsItsInverse) {
  for (int const size : {2, 5}) {
    on_ranks(size, [](FieldTable const& table, auto& field, Ranks& ranks) {
      auto const before = table.state_hash();
      std::vector<double> all(nz * whole_y * whole_x);
      table.read("a", 0, nz * whole_y * whole_x, ValueType::float64, all.data());
      ranks.broadcast(std::as_writable_bytes(std::span(all)));
      field.fill_zero();
      for (std::int64_t first = 0; first < nz * whole_y * whole_x; first += 100) {
        auto const count = std::min<std::int64_t>(100, nz * whole_y * whole_x - first);
        scatter_values(field.raw(), first, count, ValueType::float64, all.data() + first);
      }
      EXPECT_EQ(table.state_hash(), before);
    });
  }
}

TEST(Gather, HashesAndNoiseDoNotKnowTheRanks) {
  std::vector<std::uint64_t> plain, noisy;
  for (int const size : {1, 2, 3, 4, 7}) {
    on_ranks(size, [&](FieldTable& table, auto&, Ranks& ranks) {
      auto const hash = table.state_hash();
      table.perturb("a", {7, 3, 0, 0.5});
      auto const after = table.state_hash();
      if (ranks.rank() != 0) return;
      plain.push_back(hash);
      noisy.push_back(after);
    });
  }
  EXPECT_NE(plain.front(), noisy.front());
  EXPECT_EQ(plain, std::vector<std::uint64_t>(plain.size(), plain.front()));
  EXPECT_EQ(noisy, std::vector<std::uint64_t>(noisy.size(), noisy.front()));
}

TEST(Gather, TheFirstValueThatIsNotFiniteIsThatOfTheWhole) {
  for (int const size : {1, 3, 6}) {
    on_ranks(size, [](FieldTable const& table, auto& field, Ranks&) {
      EXPECT_EQ(table.invalid_value(), "");
      for (std::int64_t const dense : {400, 123}) {
        auto const owned = field.layout().owned(dense);
        if (owned >= 0) field.view()[field.layout().memory_index(owned)] = 0.0 / 0.0;
      }
      EXPECT_EQ(table.invalid_value(), "a (0, 7, 4) is NaN");
    });
  }
}

TEST(Gather, TheFirstValueOutsideTheRangeIsToldOnAllRanks) {
  for (int const size : {1, 2, 3, 6}) {
    on_ranks(size, [](FieldTable& table, auto& field, Ranks& ranks) {
      auto described = description();
      described.name = "b";
      described.range = {-2, 3};
      auto& ranged = table.add<double>(Host{}, described, field.layout());
      EXPECT_EQ(table.invalid_value(), "");
      auto const put = [&](std::int64_t dense, double value) {
        auto const owned = ranged.layout().owned(dense);
        if (owned >= 0) ranged.view()[ranged.layout().memory_index(owned)] = value;
      };
      put(400, 3.5);
      put(123, -2.5);
      EXPECT_EQ(table.invalid_value(), "b (0, 7, 4) = -2.5 is outside -2 to 3") << ranks.rank();
    });
  }
}

}  // namespace
