// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "core/ranks/mpi_ranks.hpp"
#include "support/mpi_world.hpp"

namespace {

std::shared_ptr<ulpine::Ranks>& world() {
  static std::shared_ptr<ulpine::Ranks> ranks;
  return ranks;
}

/// Of the ranks that are not the first, tells failures alone.
class Failures final : public testing::EmptyTestEventListener {
  void OnTestPartResult(testing::TestPartResult const& part) override {
    if (!part.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", world()->rank(), part.file_name(), part.line_number(),
                 part.message());
  }
};

/// This program again, under mpirun; returns where there is none.
void start_ranks(int argc, char** argv) {
  std::vector<std::string> words{
      "mpirun",          "--quiet",   "-n",  std::to_string(ulpine::test::mpi_ranks),
      "--oversubscribe", "--bind-to", "none"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.insert(words.end(), argv, argv + argc);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
}

}  // namespace

namespace ulpine::test {

std::shared_ptr<Ranks> const& mpi_world() { return world(); }

}  // namespace ulpine::test

/// Runs the tests on mpi_ranks processes of MPI, each of which runs all of them; the exit code is 77, which
/// CTest shows as Skipped, where there is no MPI.
int main(int argc, char** argv) {
  constexpr int skipped = 77;
  if (!ulpine::started_by_mpi()) {
    if (!ulpine::mpi_version().empty()) start_ranks(argc, argv);
    return skipped;
  }
  testing::InitGoogleTest(&argc, argv);
  ulpine::MpiSession const session;
  world() = session.world();
  if (world()->rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  auto const status = RUN_ALL_TESTS();
  world().reset();
  return status;
}
