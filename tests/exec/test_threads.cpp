// SPDX-License-Identifier: Apache-2.0
#include "core/exec/threads.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "io/error.hpp"
#include "support/no_threads.hpp"

namespace {

using namespace ulpine;

/// For a child process: prints the error's text and ends with the code that the command gives it.
[[noreturn]] void end_with(int threads) {
  try {
    require_threads(threads);
    std::exit(0);
  } catch (EnvironmentError const& error) {
    std::fputs(error.what(), stderr);
    std::exit(3);
  }
}

TEST(RequireThreads, SaysSoWhereThreadsCannotBeStarted) {
  auto const ask = [](int threads) {
    test::forbid_threads();
    end_with(threads);
  };
  EXPECT_EXIT(ask(8), testing::ExitedWithCode(3),
              "cannot have 8 threads \\(after [12]: .+\\) use fewer --threads or --jobs");
  EXPECT_EXIT(ask(1), testing::ExitedWithCode(0), "");
}

TEST(RequireThreads, AsksForATeamThatItHasSeenOnlyOnce) {
  auto const ask = [](int threads) {
    require_threads(8);
    test::forbid_threads();
    end_with(threads);
  };
  EXPECT_EXIT(ask(7), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(ask(9), testing::ExitedWithCode(3), "cannot have 9 threads");
}

TEST(RequireThreads, IsContentWithTheThreadsThatThereAre) {
  for (int const threads : {1, 2, 7, 64}) EXPECT_NO_THROW(require_threads(threads));
}

}  // namespace
