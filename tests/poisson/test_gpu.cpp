// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include "benchmarks/thesis/pipeline.hpp"
#include "core/poisson/column_solver.hpp"
#include "core/poisson/phases.hpp"
#include "core/poisson/solver.hpp"
#include "core/stage/graph.hpp"
#include "poisson/discrete.hpp"
#include "support/device_test.hpp"

namespace {

using namespace ulpine;
using namespace poisson_test;

class PoissonOnDevice : public test::DeviceTest {
 protected:
  template <class T>
  static std::vector<T> random_planes(PoissonGrid const& g) {
    test::RandomValues random(21);
    std::vector<T> planes(static_cast<std::size_t>(g.plane() * g.nz));
    for (auto& value : planes) value = static_cast<T>(random.normal());
    return planes;
  }

  template <class T, class Format>
  void expect_host_bits_of_columns(PoissonGrid const& g, ColumnPasses passes, std::string const& name) {
    auto const planes = random_planes<T>(g);
    auto expected = planes;
    make_column_solver<T, Format>(Host{2}, g)->solve(expected.data());
    auto on_device = upload(planes);
    make_column_solver<T, Format>(cuda, g, passes)->solve(on_device.view().data());
    EXPECT_EQ(download(on_device), expected) << name;
    Modes const together{0, g.modes_x(), true};
    expected = planes;
    make_column_solver<T, Format>(Host{2}, g, together, passes)->solve(expected.data());
    on_device = upload(planes);
    make_column_solver<T, Format>(cuda, g, together, passes)->solve(on_device.view().data());
    EXPECT_EQ(download(on_device), expected) << name << ", rows together";
  }

  template <class T>
  void expect_agreement_with_quad(PoissonMethod method) {
    expect_agreement_with_quad<T>(
        [&](PoissonGrid const& g) { return make_poisson_phases<T, Exact>(cuda, g, method); });
  }
  /// `make` makes the phases for a grid.
  template <class T, class Make>
  void expect_agreement_with_quad(Make const& make) {
    for (auto const& [name, g] : grids()) {
      auto const d = converted<T>(right_hand_side(g, 5));
      auto const exact_d = converted<float128>(d);
      auto const exact = solve(g, exact_d);
      if (norm(exact) == 0) continue;
      auto planes = upload(planes_of(g, d));
      make(g)->solve(planes.view().data());
      EXPECT_LT(relative_error(cells_of(g, download(planes)), exact),
                rounding_bound(g, exact_d, exact, unit_roundoff<T>))
          << name;
    }
  }
};

/// 300 and 700 levels are more than a multiprocessor holds of doubles and floats.
std::vector<Named> grids_and_tall_ones() {
  auto all = grids();
  for (int const nz : {8, 56, 57, 64, 150, 300, 700}) {
    all.push_back({std::to_string(nz) + " levels", stretched(9, 7, nz, false)});
    for (auto& dz : all.back().grid.dz) dz = 3;
    for (auto& dz : all.back().grid.dz_between) dz = 3;
  }
  return all;
}

TEST_F(PoissonOnDevice, ColumnsHaveTheBitsOfTheHost) {
  for (auto const& [name, g] : grids_and_tall_ones()) {
    for (auto const passes : {ColumnPasses::fewest, ColumnPasses::two}) {
      expect_host_bits_of_columns<double, Exact>(g, passes, name + ", double");
      expect_host_bits_of_columns<float, Exact>(g, passes, name + ", float");
    }
  }
}

TEST_F(PoissonOnDevice, ColumnsOfRoundedOperandsHaveTheBitsOfTheHost) {
  auto const g = stretched(40, 10, 21, false);
  for (auto const passes : {ColumnPasses::fewest, ColumnPasses::two}) {
    expect_host_bits_of_columns<float, Tf32>(g, passes, "tf32");
    expect_host_bits_of_columns<float, Bfloat16>(g, passes, "bf16");
    expect_host_bits_of_columns<float, Binary16>(g, passes, "fp16");
  }
}

TEST_F(PoissonOnDevice, ColumnsNeedNoBlockSize) {
  auto const g = stretched(40, 10, 21, false);
  for (int const block : {32, 64, 128}) {
    use_block(block);
    expect_host_bits_of_columns<double, Exact>(g, ColumnPasses::fewest, "in one pass");
    expect_host_bits_of_columns<double, Exact>(g, ColumnPasses::two, "in two");
  }
}

TEST_F(PoissonOnDevice, AgreesWithQuadToRounding) {
  for (auto const method : poisson_methods()) {
    expect_agreement_with_quad<double>(method);
    expect_agreement_with_quad<float>(method);
  }
  for (bool const six : {true, false}) {
    auto const of_thesis = [&]<class T>(T) {
      expect_agreement_with_quad<T>(
          [&](PoissonGrid const& g) { return make_thesis_phases<T>(cuda, g, six); });
    };
    of_thesis(double());
    of_thesis(float());
  }
}

template <class T, class Format>
void expect_host_bits(Cuda cuda, PoissonGrid const& g, std::string const& name) {
  auto expected = planes_of(g, converted<T>(noise<float128>(g, 6)));
  Array<T, Cuda> planes(cuda, static_cast<std::int64_t>(expected.size()));
  planes.from_host(expected.data());
  make_poisson_phases<T, Format>(Host{2}, g, PoissonMethod::portable)->solve(expected.data());
  make_poisson_phases<T, Format>(cuda, g, PoissonMethod::portable)->solve(planes.view().data());
  std::vector<T> solved(expected.size());
  planes.to_host(solved.data());
  EXPECT_EQ(cells_of(g, solved), cells_of(g, expected)) << name;
}

TEST_F(PoissonOnDevice, HasTheBitsOfTheHostByPortableTransforms) {
  for (auto const& [name, g] : grids()) {
    expect_host_bits<double, Exact>(cuda, g, name + ", double");
    expect_host_bits<float, Exact>(cuda, g, name + ", float");
  }
  auto const g = stretched(40, 10, 21, false);
  expect_host_bits<float, Tf32>(cuda, g, "tf32");
  expect_host_bits<float, Bfloat16>(cuda, g, "bf16");
}

TEST_F(PoissonOnDevice, SolverHasTheBitsOfTheHostByPortableTransforms) {
  auto const g = uniform_poisson_grid(250, 300, 40, 1, 2, 3);
  auto const d = converted<double>(noise<float128>(g, 9));
  Cells<double> expected(d.size()), p(d.size());
  for (char const* precision : {"fp64", "fp32"}) {
    PoissonSolver(g, "cpu", precision, PoissonMethod::portable, 2).solve(d.data(), expected.data());
    PoissonSolver(g, "cuda", precision, PoissonMethod::portable, 2).solve(d.data(), p.data());
    EXPECT_EQ(p, expected) << precision;
  }
}

TEST_F(PoissonOnDevice, CanBeRecorded) {
  auto const g = stretched(12, 10, 21, false);
  auto const planes = planes_of(g, converted<double>(right_hand_side(g, 7)));
  auto const phases = make_poisson_phases<double, Exact>(cuda, g, PoissonMethod::vendor);
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
  EXPECT_EQ(download(recorded), download(direct));
}

/// Levels enough for several slabs and a rest.
TEST_F(PoissonOnDevice, SolverTravelsInSlabs) {
  PoissonGrid const g = uniform_poisson_grid(510, 300, 31, 1, 2, 3);
  auto const d = converted<double>(noise<float128>(g, 9));
  Cells<double> expected(d.size()), p(d.size(), -3);
  PoissonSolver reference(g);
  reference.solve(d.data(), expected.data());
  for (char const* precision : {"fp64", "fp32"}) {
    PoissonSolver solver(g, "cuda", precision);
    for (int call = 0; call < 2; ++call) {
      solver.solve(d.data(), p.data());
      EXPECT_LT(relative_error(p, converted<float128>(expected)), precision[2] == '6' ? 1e-13 : 5e-5);
    }
    EXPECT_NEAR(solver.removed_mean(), reference.removed_mean(), 1e-9);
    auto const seconds = solver.seconds();
    for (double const part : {seconds.forward, seconds.tridiagonal, seconds.inverse}) {
      EXPECT_GT(part, 0);
      EXPECT_LT(part, seconds.total);
    }
    auto bad = d;
    bad[bad.size() - 5] = std::numeric_limits<double>::infinity();
    EXPECT_THROW(solver.solve(bad.data(), p.data()), InputError);
    solver.solve(d.data(), p.data());
    EXPECT_LT(relative_error(p, converted<float128>(expected)), precision[2] == '6' ? 1e-13 : 5e-5);
  }
}

}  // namespace
