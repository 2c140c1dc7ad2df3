// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/linalg/krylov.hpp"
#include "core/linalg/multigrid.hpp"
#include "core/stage/graph.hpp"
#include "linalg/coarsening_model.hpp"
#include "linalg/solving.hpp"
#include "support/device_test.hpp"

namespace {

using namespace linalg_test;

class LinearAlgebraOnDevice : public test::DeviceTest {
 protected:
  template <class M, class T, Blocks blocks>
  void expect_host_bits_of_product(std::size_t most = 12) {
    auto const pattern = random_dominant(1013, 3, most);
    auto const a =
        Matrix<M>{pattern.pattern, converted<M>(random_vector(width_of(blocks) * pattern.value.size(), 4))};
    auto const x = converted<T>(random_vector(components_of(blocks) * a.size(), 5));
    std::vector<T> expected(x.size());
    MatrixOperator<M, T, Host, blocks>(Host{2}, a.view()).apply(x.data(), expected.data());
    Placed<M, Cuda> const on_device(cuda, a);
    auto const x_device = placed(cuda, x);
    Array<T, Cuda> y(cuda, x_device.size());
    MatrixOperator<M, T, Cuda, blocks> multiply(cuda, on_device.view());
    multiply.apply(x_device.view().data(), y.view().data());
    EXPECT_EQ(fetched(y), expected);
    std::vector<T> scaled(x.size());
    Jacobi<M, T, Host, blocks>(Host{2}, a.view()).apply(x.data(), scaled.data());
    Jacobi<M, T, Cuda, blocks> jacobi(cuda, on_device.view());
    jacobi.apply(x_device.view().data(), y.view().data());
    EXPECT_EQ(fetched(y), scaled);
  }

  template <class T, class Make>
  void expect_host_bits_of_solver(Make const& make, Matrix<> const& matrix) {
    auto const a = converted<T>(matrix);
    auto const b = converted<T>(random_vector(a.size(), 6));
    auto on_host = make(Host{2});
    auto on_device = make(cuda);
    auto const expected = solve(on_host, Host{2}, a, b);
    auto const found = solve(on_device, cuda, a, b);
    EXPECT_EQ(found.report.outcome, expected.report.outcome);
    EXPECT_EQ(found.history, expected.history);
    EXPECT_EQ(found.x, expected.x);
  }
};

TEST_F(LinearAlgebraOnDevice, ProductsHaveTheHostsBits) {
  for (int const block : {32, 96, 256}) {
    use_block(block);
    for (std::size_t const most : {12, 80, 160, 500}) {
      expect_host_bits_of_product<double, double, Blocks::scalar>(most);
    }
    expect_host_bits_of_product<float, float, Blocks::shared>();
    expect_host_bits_of_product<double, double, Blocks::diagonal>();
    expect_host_bits_of_product<float, double, Blocks::full>(160);
  }
}

TEST_F(LinearAlgebraOnDevice, SolversHaveTheHostsBits) {
  auto const definite = random_definite(2003, 7);
  auto const general = random_dominant(2003, 8);
  auto const check = [&]<class T>(T, double relative) {
    for (std::int32_t const check_every : {0, 16}) {
      Tolerance const tolerance{.relative = relative, .iterations = 90, .check_every = check_every};
      expect_host_bits_of_solver<T>(
          [&]<class E>(E executor) { return ConjugateGradients<T, E>(executor, 2003, tolerance); }, definite);
      for (auto const side : {Side::left, Side::right}) {
        expect_host_bits_of_solver<T>(
            [&]<class E>(E executor) { return BiCgStab<T, E>(executor, 2003, tolerance, side); }, general);
        expect_host_bits_of_solver<T>(
            [&]<class E>(E executor) { return Gmres<T, E>(executor, 2003, tolerance, 11, side); }, general);
      }
    }
  };
  check(double{}, 1e-11);
  check(float{}, 1e-5);
}

TEST_F(LinearAlgebraOnDevice, SolvesCanBeRecorded) {
  auto const matrix = random_definite(503, 7);
  auto const b = random_vector(503, 6);
  Placed<double, Cuda> const a(cuda, matrix);
  MatrixOperator<double, double, Cuda> multiply(cuda, a.view());
  Jacobi<double, double, Cuda> jacobi(cuda, a.view());
  auto const rhs = placed(cuda, b);
  Array<double, Cuda> x(cuda, 503);
  ConjugateGradients<double, Cuda> cg(cuda, 503, {.relative = 1e-9, .iterations = 60, .check_every = 0});
  cg.solve(multiply, &jacobi, rhs.view().data(), x.view().data());
  auto const expected = fetched(x);
  auto const recorder = make_work_recorder(cuda);
  recorder->begin();
  x.fill_zero();
  cg.enqueue(multiply, &jacobi, rhs.view().data(), x.view().data());
  auto const recorded = recorder->end();
  for (int n = 0; n < 2; ++n) {
    recorded->launch();
    EXPECT_EQ(cg.report().outcome, Outcome::converged);
    EXPECT_EQ(fetched(x), expected);
  }
}

TEST_F(LinearAlgebraOnDevice, CoarseningIsThatOfRowsOneByOne) {
  for (int const block : {32, 256}) {
    use_block(block);
    int matrices = 0;
    for (auto a : awkward_matrices()) {
      SCOPED_TRACE(testing::Message() << "matrix " << matrices++ << " of " << a.rows() << " rows");
      for (auto strength = 0.08;; strength /= 2) {
        auto const expected = greedy_coarsening(a, strength, 1);
        expect_same(coarsening_on(cuda, a, strength, 1), expected);
        expect_same(coarsening_on(cuda, converted<float>(a), strength, 1),
                    greedy_coarsening(converted<float>(a), strength, 1));
        if (!goes_on(a, expected)) break;
        a = coarser(a, expected);
      }
    }
  }
}

TEST_F(LinearAlgebraOnDevice, MultigridHasTheHostsBits) {
  auto const check = [&]<class T>(T) {
    auto const a = converted<T>(poisson(21, 14, 9, 0.25));
    auto const b = converted<T>(random_vector(a.size(), 5));
    auto const applied = [&]<class E>(E executor) {
      Placed<T, E> const matrix(executor, a);
      Multigrid<T, E> multigrid(executor, matrix.view());
      multigrid.update();
      auto const rhs = placed(executor, b);
      Array<T, E> x(executor, rhs.size());
      multigrid.apply(rhs.view().data(), x.view().data());
      return fetched(x);
    };
    EXPECT_EQ(applied(cuda), applied(Host{2}));
  };
  check(double{});
  check(float{});
}

}  // namespace
