// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "support/no_threads.hpp"

namespace {

using ulpine::ensembles::parallel_for;

bool does_each_once(std::size_t count, int threads) {
  std::vector<std::atomic<int>> done(count);
  parallel_for(count, threads, [&](std::size_t i) { ++done[i]; });
  return std::ranges::all_of(done, [](auto const& times) { return times == 1; });
}

TEST(ParallelFor, DoesEachTaskOnce) {
  for (int const threads : {-1, 0, 1, 2, 8}) {
    for (std::size_t const count : {0, 1, 2, 7, 1000}) EXPECT_TRUE(does_each_once(count, threads));
  }
}

TEST(ParallelFor, MakesDoWithTheThreadsThatItGets) {
  auto const work = [] {
    ulpine::test::forbid_threads();
    std::exit(does_each_once(100, 8) ? 0 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

TEST(ParallelFor, ThrowsOnTheFirstError) {
  std::atomic<int> begun = 0;
  EXPECT_THROW(parallel_for(1000, 4,
                            [&](std::size_t) {
                              ++begun;
                              throw std::runtime_error("planted");
                            }),
               std::runtime_error);
  EXPECT_LE(begun, 4);
}

}  // namespace
