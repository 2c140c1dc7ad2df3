// SPDX-License-Identifier: Apache-2.0
// The pipeline of a study of PALM's solver, which benchmarks compare ours with.
#include <gtest/gtest.h>

#include <string>

#include "benchmarks/thesis/pipeline.hpp"
#include "poisson/discrete.hpp"

namespace {

using namespace ulpine;
using namespace poisson_test;

template <class T>
Cells<T> solved_by_thesis(PoissonGrid const& g, Cells<T> const& d, bool six, int threads) {
  auto planes = planes_of(g, d);
  make_thesis_phases<T>(Host{threads}, g, six)->solve(planes.data());
  return cells_of(g, planes);
}

template <class T>
void expect_agreement_with_quad() {
  for (auto const& [name, g] : grids()) {
    auto const d = converted<T>(right_hand_side(g, 5));
    auto const exact_d = converted<float128>(d);
    auto const exact = solve(g, exact_d);
    for (bool const six : {true, false}) {
      auto const p = solved_by_thesis(g, d, six, 1);
      EXPECT_LT(relative_error(p, exact), rounding_bound(g, exact_d, exact, unit_roundoff<T>)) << name;
      for (int const threads : {2, 3}) EXPECT_EQ(solved_by_thesis(g, d, six, threads), p) << name;
    }
  }
}

TEST(ThesisPipeline, AgreesWithQuadToRoundingForAnyNumberOfThreads) {
  expect_agreement_with_quad<double>();
  expect_agreement_with_quad<float>();
}

/// Its own count: 34 and 30 passes over a field of reals, where those of pairs count as one.
TEST(ThesisPipeline, CountsItsOperations) {
  auto const g = uniform_poisson_grid(512, 512, 16, 1, 1, 1);
  for (bool const six : {true, false}) {
    auto const phases = make_thesis_phases<float>(Host{1}, g, six);
    EXPECT_EQ(phases->guarantee(), Guarantee::run_to_run);
    double bytes = 0, all = 0;
    int transpositions = 0, transforms = 0, packs = 0;
    for (auto const& operation : phases->operations()) {
      all += operation.minimal_bytes;
      if (operation.layout) continue;
      bytes += operation.minimal_bytes;
      transpositions += operation.name.starts_with("transpose") ? 1 : 0;
      transforms += operation.name.starts_with("transform") ? 1 : 0;
      packs += operation.name.find("pack") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(transpositions, six ? 6 : 4);
    EXPECT_EQ(transforms, 4);
    EXPECT_EQ(packs, 4);
    auto const passes = bytes / (4.0 * 512 * 512 * 16);
    EXPECT_NEAR(passes, six ? 34 : 30, 8 * 2.0 / 512);  // eight of them touch rows of 514 values
    auto const phase_bytes = phases->minimal_bytes();
    EXPECT_DOUBLE_EQ(phase_bytes[0] + phase_bytes[1] + phase_bytes[2], all);
    EXPECT_EQ(phase_bytes[1], 6 * 4.0 * 512 * 512 * 16);
  }
}

}  // namespace
