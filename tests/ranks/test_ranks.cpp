// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/ranks/sums.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;

TEST(Ranks, MessagesArriveInTheOrderOfEachPair) {
  for (int const size : {1, 2, 5}) {
    on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
      for (int round = 0; round < 20; ++round) {
        std::vector<std::array<std::int32_t, 3>> sent, received(static_cast<std::size_t>(2 * size));
        for (int to = 0; to < size; ++to) {
          for (int copy = 0; copy < 2; ++copy) sent.push_back({ranks->rank(), round, copy});
        }
        std::vector<Outgoing> out;
        std::vector<Incoming> in;
        for (int n = 0; n < 2 * size; ++n) {
          auto const number = static_cast<std::size_t>(n);
          out.push_back({n / 2, &sent[number], sizeof(sent[0])});
          in.push_back({n / 2, &received[number], sizeof(sent[0])});
        }
        ranks->exchange(out, in);
        for (int n = 0; n < 2 * size; ++n) {
          EXPECT_EQ(received[static_cast<std::size_t>(n)],
                    (std::array<std::int32_t, 3>{n / 2, round, n % 2}));
        }
      }
    });
  }
}

TEST(Ranks, MessagesGoBesideOtherWorkAndOneExchangeAtATime) {
  on_thread_ranks(3, [](std::shared_ptr<Ranks> const& ranks) {
    auto const next = (ranks->rank() + 1) % 3, previous = (ranks->rank() + 2) % 3;
    for (int round = 0; round < 10; ++round) {
      int sent = 10 * ranks->rank() + round, received = -1;
      Outgoing const out{next, &sent, sizeof(sent)};
      Incoming const in{previous, &received, sizeof(received)};
      ranks->begin({&out, 1}, {&in, 1});
      EXPECT_THROW(ranks->begin({&out, 1}, {&in, 1}), std::logic_error);
      EXPECT_THROW(ranks->exchange({&out, 1}, {&in, 1}), std::logic_error);
      std::uint64_t word = 1;
      EXPECT_THROW(ranks->add({&word, 1}), std::logic_error);
      ranks->end();
      EXPECT_EQ(received, 10 * previous + round);
    }
  });
}

TEST(Ranks, WordsAreAddedModulo) {
  on_thread_ranks(4, [](std::shared_ptr<Ranks> const& ranks) {
    std::array<std::uint64_t, 2> words{~std::uint64_t{0} - static_cast<std::uint64_t>(ranks->rank()), 1};
    ranks->add(words);
    EXPECT_EQ(words[0], ~std::uint64_t{0} * 4 - 6);
    EXPECT_EQ(words[1], 4u);
  });
}

TEST(Ranks, LargestAndBroadcast) {
  on_thread_ranks(3, [](std::shared_ptr<Ranks> const& ranks) {
    std::array<std::int64_t, 2> words{ranks->rank(), -ranks->rank() - 7};
    ranks->largest(words);
    EXPECT_EQ(words, (std::array<std::int64_t, 2>{2, -7}));
    std::array<std::byte, 5> bytes{};
    if (ranks->rank() == 0) bytes.fill(std::byte{9});
    ranks->broadcast(bytes);
    EXPECT_EQ(bytes[4], std::byte{9});
  });
}

TEST(Ranks, SomeComputeApart) {
  on_thread_ranks(5, [](std::shared_ptr<Ranks> const& ranks) {
    for (int round = 0; round < 3; ++round) {
      if (ranks->rank() >= 3) continue;
      auto const inner = ranks->first(3);
      EXPECT_EQ(inner->size(), 3);
      EXPECT_EQ(inner->rank(), ranks->rank());
      std::uint64_t word = 1;
      inner->add({&word, 1});
      EXPECT_EQ(word, 3u);
    }
    std::uint64_t word = 1;
    ranks->add({&word, 1});
    EXPECT_EQ(word, 5u);
  });
}

TEST(Ranks, NobodyWaitsForOneThatFailed) {
  std::atomic<int> told = 0;
  auto const run = [&] {
    on_thread_ranks(3, [&](std::shared_ptr<Ranks> const& ranks) {
      if (ranks->rank() == 1) throw std::runtime_error("rank 1 has had enough");
      std::uint64_t word = 1;
      try {
        ranks->add({&word, 1});
      } catch (RankFailed const& failed) {
        EXPECT_STREQ(failed.what(), "rank 1 has had enough");
        ++told;
        throw;
      }
    });
  };
  EXPECT_THROW(
      {
        try {
          run();
        } catch (std::runtime_error const& error) {
          EXPECT_STREQ(error.what(), "rank 1 has had enough");
          throw;
        }
      },
      std::runtime_error);
  EXPECT_EQ(told, 2);
}

TEST(Ranks, AllGoOnWhereAllHaveFailedAlike) {
  on_thread_ranks(3, [](std::shared_ptr<Ranks> const& ranks) {
    ranks->fail("as all");
    // What is told goes through, too: here, that all have.
    if (ranks->rank() == 0) {
      for (int rank = 1; rank < 3; ++rank) ranks->hear(rank);
      ranks->recover();
      for (int rank = 1; rank < 3; ++rank) ranks->tell(rank, {});
    } else {
      ranks->tell(0, {});
      ranks->hear(0);
    }
    std::uint64_t word = 1;
    ranks->add({&word, 1});
    EXPECT_EQ(word, 3u);
  });
}

/// Values whose sum depends on the order unless it is exact.
std::vector<double> ugly_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (auto& value : values) {
    auto const exponent = static_cast<int>(random() % 600) - 300;
    value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), exponent);
  }
  return values;
}

TEST(RankSums, AreThoseOfOneRankForAnyShares) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto const values = ugly_values(1000, seed);
    auto const expected = exact_sum(values);
    for (int const size : {1, 2, 3, 7}) {
      on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
        ExactSum sum;
        for (std::size_t n = 0; n < values.size(); ++n) {
          // Uneven shares, one of them empty.
          auto const owner = static_cast<int>(n * n % 11 % static_cast<std::size_t>(size));
          if (owner == ranks->rank()) sum.add(values[n]);
        }
        add_over_ranks(*ranks, sum);
        EXPECT_EQ(sum.to_double(), expected);
      });
    }
  }
}

TEST(RankSums, InfinitiesAndNanMeet) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  auto const sum_of = [](std::vector<double> const& values) {
    double result = 0;
    on_thread_ranks(static_cast<int>(values.size()), [&](std::shared_ptr<Ranks> const& ranks) {
      ExactSum sum;
      sum.add(values[static_cast<std::size_t>(ranks->rank())]);
      add_over_ranks(*ranks, sum);
      if (ranks->rank() == 0) result = sum.to_double();
    });
    return result;
  };
  EXPECT_EQ(sum_of({infinity, infinity, infinity, infinity, 1}), infinity);
  EXPECT_EQ(sum_of({-infinity, -infinity}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, 3, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({1, std::numeric_limits<double>::quiet_NaN()})));
  EXPECT_EQ(sum_of({-1, -0x1p-1000, 1}), -0x1p-1000);
}

}  // namespace
