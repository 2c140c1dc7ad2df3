// SPDX-License-Identifier: Apache-2.0
// Poisson's equation in numbers of two floats on a device.
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include "core/fft/plane_transform.hpp"
#include "core/poisson/column_solver.hpp"
#include "core/poisson/phases.hpp"
#include "core/stage/graph.hpp"
#include "poisson/discrete.hpp"
#include "support/device_test.hpp"
#include "support/pair_bits.hpp"

namespace {

using namespace ulpine;
using namespace poisson_test;
using test::bits_of;

class PoissonOfPairsOnDevice : public test::DeviceTest {
 protected:
  static std::vector<DoubleFloat> random_planes(PoissonGrid const& g) {
    return test::random_pairs(static_cast<std::size_t>(g.plane() * g.nz), 21);
  }
  void expect_host_bits_of_columns(PoissonGrid const& g, Modes modes, ColumnPasses passes,
                                   std::string const& name) {
    auto expected = random_planes(g);
    auto planes = upload(expected);
    make_column_solver<DoubleFloat, Exact>(Host{2}, g, modes, passes)->solve(expected.data());
    make_column_solver<DoubleFloat, Exact>(cuda, g, modes, passes)->solve(planes.view().data());
    EXPECT_TRUE(bits_of(download(planes)) == bits_of(expected)) << name;
  }
};

TEST_F(PoissonOfPairsOnDevice, ColumnsHaveTheBitsOfTheHost) {
  auto all = grids();
  // 300 and 700 levels are more than a multiprocessor holds.
  for (int const nz : {8, 56, 57, 64, 150, 300, 700}) {
    all.push_back({std::to_string(nz) + " levels", stretched(9, 7, nz, false)});
    for (auto& dz : all.back().grid.dz) dz = 3;
    for (auto& dz : all.back().grid.dz_between) dz = 3;
  }
  for (int const block : {64, 256}) {
    use_block(block);
    for (auto const& [name, g] : all) {
      for (auto const passes : {ColumnPasses::fewest, ColumnPasses::two}) {
        expect_host_bits_of_columns(g, all_modes(g), passes, name);
        expect_host_bits_of_columns(g, {0, g.modes_x(), true}, passes, name + ", rows together");
      }
    }
  }
}

/// The library's transforms are our own.
TEST_F(PoissonOfPairsOnDevice, HasTheBitsOfTheHost) {
  for (auto const& [name, g] : grids()) {
    for (auto const method : poisson_methods()) {
      auto expected = planes_of(g, converted<DoubleFloat>(converted<double>(noise<float128>(g, 6))));
      auto planes = upload(expected);
      make_poisson_phases<DoubleFloat, Exact>(Host{2}, g, method)->solve(expected.data());
      make_poisson_phases<DoubleFloat, Exact>(cuda, g, method)->solve(planes.view().data());
      EXPECT_TRUE(bits_of(cells_of(g, download(planes))) == bits_of(cells_of(g, expected)))
          << name << ", " << name_of(method);
    }
  }
}

TEST_F(PoissonOfPairsOnDevice, CanBeRecorded) {
  auto const g = stretched(12, 10, 21, false);
  auto const planes = random_planes(g);
  auto const phases = make_poisson_phases<DoubleFloat, Exact>(cuda, g, PoissonMethod::portable);
  auto direct = upload(planes), recorded = upload(planes);
  phases->solve(direct.view().data());
  auto const before = allocations();
  auto const recorder = make_work_recorder(cuda);
  recorder->begin();
  phases->solve(recorded.view().data());
  auto const work = recorder->end();
  work->launch();
  recorder->wait();
  EXPECT_EQ(allocations(), before);
  EXPECT_TRUE(bits_of(download(recorded)) == bits_of(download(direct)));
}

}  // namespace
