// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

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
            [&]<class E>(E executor) {
              auto const norm = side == Side::left ? Norm::preconditioned : Norm::unpreconditioned;
              return ConjugateResiduals<T, E>(executor, 2003, tolerance, norm);
            },
            general);
        expect_host_bits_of_solver<T>(
            [&]<class E>(E executor) { return Gmres<T, E>(executor, 2003, tolerance, 11, side); }, general);
      }
    }
  };
  check(double{}, 1e-11);
  check(float{}, 1e-5);
}

/// The second solve of a system is recorded, the third repeats the record: other values, and a system that
/// ends at once, fails or does not converge among them.
TEST_F(LinearAlgebraOnDevice, RepeatedSolvesHaveTheHostsBits) {
  constexpr std::int64_t n = 2003;
  auto const definite = random_definite(n, 7);
  auto right = random_vector(n, 6);
  std::vector<std::vector<double>> rights{right, random_vector(n, 16), right, std::vector<double>(n, 0),
                                          random_vector(n, 26)};
  rights.push_back(right);
  rights.back()[5] = std::numeric_limits<double>::quiet_NaN();
  rights.push_back(right);
  auto const solved = [&]<class E>(E executor, auto const& make) {
    Placed<double, E> const a(executor, definite);
    MatrixOperator<double, double, E> multiply(executor, a.view());
    Jacobi<double, double, E> jacobi(executor, a.view());
    auto solver = make(executor);
    Array<double, E> rhs(executor, n), x(executor, n);
    std::vector<Solved<double>> all;
    for (auto const& b : rights) {
      rhs.from_host(b.data());
      x.fill_zero();
      auto& one = all.emplace_back();
      one.report = solver.solve(multiply, &jacobi, rhs.view().data(), x.view().data(), Guess::zero);
      one.history.resize(static_cast<std::size_t>(one.report.iterations) + 1);
      solver.history(one.history.data());
      one.x = fetched(x);
    }
    return all;
  };
  auto const expect_equal = [&](auto const& make) {
    auto const expected = solved(Host{2}, make), found = solved(cuda, make);
    for (std::size_t i = 0; i < rights.size(); ++i) {
      EXPECT_EQ(found[i].report.outcome, expected[i].report.outcome) << i;
      EXPECT_EQ(found[i].report.iterations, expected[i].report.iterations) << i;
      if (expected[i].report.outcome == Outcome::not_finite) continue;
      EXPECT_EQ(found[i].history, expected[i].history) << i;
      EXPECT_EQ(found[i].x, expected[i].x) << i;
    }
  };
  for (std::int32_t const iterations : {9, 90}) {
    Tolerance const tolerance{.relative = 1e-11, .iterations = iterations, .check_every = 2};
    expect_equal([&]<class E>(E executor) { return ConjugateGradients<double, E>(executor, n, tolerance); });
    expect_equal([&]<class E>(E executor) { return ConjugateResiduals<double, E>(executor, n, tolerance); });
    expect_equal([&]<class E>(E executor) { return Gmres<double, E>(executor, n, tolerance, 11); });
    for (auto const side : {Side::left, Side::right}) {
      expect_equal([&]<class E>(E executor) { return BiCgStab<double, E>(executor, n, tolerance, side); });
    }
  }
}

/// A solver whose operators are others now, at the same addresses, does not repeat what it has recorded.
TEST_F(LinearAlgebraOnDevice, OtherOperatorsAreNotTakenForTheRecordedOnes) {
  constexpr std::int64_t n = 503;
  Tolerance const tolerance{.relative = 1e-11, .iterations = 200};
  BiCgStab<double, Cuda> on_device(cuda, n, tolerance);
  auto const b = random_vector(n, 6);
  auto const rhs = placed(cuda, b);
  Array<double, Cuda> x(cuda, n);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto const matrix = random_dominant(n, seed);
    BiCgStab<double, Host> on_host(Host{}, n, tolerance);
    auto const expected = solve(on_host, Host{}, matrix, b);
    Placed<double, Cuda> const a(cuda, matrix);
    MatrixOperator<double, double, Cuda> multiply(cuda, a.view());
    Jacobi<double, double, Cuda> jacobi(cuda, a.view());
    for (int n_th = 0; n_th < 3; ++n_th) {
      x.fill_zero();
      on_device.solve(multiply, &jacobi, rhs.view().data(), x.view().data());
      EXPECT_EQ(fetched(x), expected.x) << seed << n_th;
    }
  }
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

/// Of several depths and degrees, so that cycles end in every way: with coarse levels that are one launch,
/// and with a coarsest one that is solved or smoothed.
TEST_F(LinearAlgebraOnDevice, MultigridHasTheHostsBits) {
  auto const check = [&]<class T, class V>(T, V, MultigridOptions options) {
    options.wide_vectors = sizeof(V) > sizeof(T);
    auto const a = converted<T>(poisson(31, 24, 9, 0.25));
    auto const b = converted<V>(random_vector(a.size(), 5));
    auto const applied = [&]<class E>(E executor) {
      Placed<T, E> const matrix(executor, a);
      Multigrid<T, E> multigrid(executor, matrix.view(), options);
      EXPECT_GE(multigrid.levels(), 2);
      multigrid.update();
      auto const rhs = placed(executor, b);
      Array<V, E> x(executor, rhs.size());
      multigrid.apply_to(rhs.view().data(), x.view().data());
      return fetched(x);
    };
    EXPECT_EQ(applied(cuda), applied(Host{2}));
  };
  for (int const degree : {1, 2, 3}) {
    for (std::int32_t const coarsest : {1, 12, 64, 1000}) {
      for (std::int32_t const screened_rows : {0, 4096}) {
        MultigridOptions const options{
            .degree = degree, .coarsest = coarsest, .screened_rows = screened_rows};
        check(double{}, double{}, options);
        check(float{}, float{}, options);
        check(float{}, double{}, options);
      }
    }
  }
}

}  // namespace
