// SPDX-License-Identifier: Apache-2.0
// Linear systems of numbers of two floats on a device.
#include <gtest/gtest.h>

#include <limits>

#include "core/linalg/krylov.hpp"
#include "core/linalg/multigrid.hpp"
#include "core/stage/graph.hpp"
#include "linalg/solving.hpp"
#include "support/device_test.hpp"
#include "support/pair_bits.hpp"

namespace {

using namespace linalg_test;
using test::bits_of;
using test::random_pairs;

class PairSystemsOnDevice : public test::DeviceTest {
 protected:
  template <Blocks blocks>
  void expect_host_bits_of_product(std::size_t most = 12) {
    auto const pattern = random_dominant(1013, 3, most);
    Matrix<DoubleFloat> const a{pattern.pattern, random_pairs(width_of(blocks) * pattern.value.size(), 4)};
    auto const x = random_pairs(components_of(blocks) * a.size(), 5);
    auto const b = random_pairs(x.size(), 6);
    auto const results = [&]<class E>(E executor) {
      Placed<DoubleFloat, E> const matrix(executor, a);
      auto const vector = placed(executor, x), right = placed(executor, b);
      Array<DoubleFloat, E> y(executor, vector.size());
      auto* const target = y.view().data();
      auto const* const from = vector.view().data();
      std::vector<std::vector<DoubleFloat>> all;
      MatrixOperator<DoubleFloat, DoubleFloat, E, blocks> multiply(executor, matrix.view());
      Jacobi<DoubleFloat, DoubleFloat, E, blocks> jacobi(executor, matrix.view());
      multiply.apply(from, target);
      all.push_back(fetched(y));
      multiply.residual(right.view().data(), from, target);
      all.push_back(fetched(y));
      jacobi.apply(from, target);
      all.push_back(fetched(y));
      jacobi.apply_to_product(multiply, from, nullptr, target);
      all.push_back(fetched(y));
      return all;
    };
    auto const expected = results(Host{2}), found = results(cuda);
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_TRUE(bits_of(found[n]) == bits_of(expected[n])) << n << ", " << most;
    }
  }

  template <class Make>
  void expect_host_bits_of_solver(Make const& make, Matrix<> const& matrix) {
    auto const a = converted<DoubleFloat>(matrix);
    auto const b = random_pairs(a.size(), 6);
    auto on_host = make(Host{2});
    auto on_device = make(cuda);
    auto const expected = solve(on_host, Host{2}, a, b);
    auto const found = solve(on_device, cuda, a, b);
    EXPECT_EQ(expected.report.outcome, Outcome::converged);
    EXPECT_EQ(found.report.outcome, expected.report.outcome);
    EXPECT_TRUE(bits_of(found.history) == bits_of(expected.history));
    EXPECT_TRUE(bits_of(found.x) == bits_of(expected.x));
  }
};

TEST_F(PairSystemsOnDevice, ProductsHaveTheHostsBits) {
  for (int const block : {32, 96, 256}) {
    use_block(block);
    for (std::size_t const most : {12, 80, 160, 500}) expect_host_bits_of_product<Blocks::scalar>(most);
    expect_host_bits_of_product<Blocks::shared>();
    expect_host_bits_of_product<Blocks::diagonal>();
    expect_host_bits_of_product<Blocks::full>(160);
  }
}

TEST_F(PairSystemsOnDevice, SolversHaveTheHostsBits) {
  using T = DoubleFloat;
  auto const definite = random_definite(2003, 7), general = random_dominant(2003, 8);
  for (std::int32_t const check_every : {0, 16}) {
    Tolerance const tolerance{.relative = 1e-10, .iterations = 90, .check_every = check_every};
    expect_host_bits_of_solver(
        [&]<class E>(E executor) { return ConjugateGradients<T, E>(executor, 2003, tolerance); }, definite);
    for (auto const side : {Side::left, Side::right}) {
      expect_host_bits_of_solver(
          [&]<class E>(E executor) { return BiCgStab<T, E>(executor, 2003, tolerance, side); }, general);
      expect_host_bits_of_solver(
          [&]<class E>(E executor) {
            auto const norm = side == Side::left ? Norm::preconditioned : Norm::unpreconditioned;
            return ConjugateResiduals<T, E>(executor, 2003, tolerance, norm);
          },
          general);
      expect_host_bits_of_solver(
          [&]<class E>(E executor) { return Gmres<T, E>(executor, 2003, tolerance, 11, side); }, general);
    }
  }
}

/// The second solve of a system is recorded, the third repeats the record, also of other values.
TEST_F(PairSystemsOnDevice, RepeatedSolvesHaveTheHostsBits) {
  constexpr std::int64_t n = 2003;
  using T = DoubleFloat;
  auto const definite = converted<T>(random_definite(n, 7));
  std::vector<std::vector<T>> rights;
  for (std::uint64_t const seed : {6, 16, 6, 26}) rights.push_back(random_pairs(n, seed));
  rights[2].assign(n, 0);
  rights.push_back(rights[0]);
  rights.back()[5] = std::numeric_limits<float>::quiet_NaN();
  rights.push_back(rights[0]);
  auto const solved = [&]<class E>(E executor, auto const& make) {
    Placed<T, E> const a(executor, definite);
    MatrixOperator<T, T, E> multiply(executor, a.view());
    Jacobi<T, T, E> jacobi(executor, a.view());
    auto solver = make(executor);
    Array<T, E> rhs(executor, n), x(executor, n);
    std::vector<Solved<T>> all;
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
      EXPECT_TRUE(bits_of(found[i].history) == bits_of(expected[i].history)) << i;
      EXPECT_TRUE(bits_of(found[i].x) == bits_of(expected[i].x)) << i;
    }
  };
  for (std::int32_t const iterations : {9, 90}) {
    Tolerance const tolerance{.relative = 1e-10, .iterations = iterations, .check_every = 2};
    expect_equal([&]<class E>(E executor) { return ConjugateGradients<T, E>(executor, n, tolerance); });
    expect_equal([&]<class E>(E executor) { return ConjugateResiduals<T, E>(executor, n, tolerance); });
    expect_equal([&]<class E>(E executor) { return Gmres<T, E>(executor, n, tolerance, 11); });
    for (auto const side : {Side::left, Side::right}) {
      expect_equal([&]<class E>(E executor) { return BiCgStab<T, E>(executor, n, tolerance, side); });
    }
  }
}

TEST_F(PairSystemsOnDevice, SolvesCanBeRecorded) {
  auto const matrix = converted<DoubleFloat>(random_definite(503, 7));
  auto const b = random_pairs(503, 6);
  Placed<DoubleFloat, Cuda> const a(cuda, matrix);
  MatrixOperator<DoubleFloat, DoubleFloat, Cuda> multiply(cuda, a.view());
  Jacobi<DoubleFloat, DoubleFloat, Cuda> jacobi(cuda, a.view());
  auto const rhs = placed(cuda, b);
  Array<DoubleFloat, Cuda> x(cuda, 503);
  ConjugateGradients<DoubleFloat, Cuda> cg(cuda, 503, {.relative = 1e-9, .iterations = 60, .check_every = 0});
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
    EXPECT_TRUE(bits_of(fetched(x)) == bits_of(expected));
  }
}

/// Of several depths and degrees, so that cycles end in every way: with coarse levels that are one launch,
/// and with a coarsest one that is solved or smoothed; of two floats, and of floats for vectors of two.
TEST_F(PairSystemsOnDevice, MultigridHasTheHostsBits) {
  auto const check = [&]<class T>(T, MultigridOptions options) {
    options.wide_vectors = sizeof(T) < sizeof(DoubleFloat);
    auto const a = converted<T>(poisson(31, 24, 9, 0.25));
    auto const b = random_pairs(a.size(), 5);
    auto const applied = [&]<class E>(E executor) {
      Placed<T, E> const matrix(executor, a);
      Multigrid<T, E> multigrid(executor, matrix.view(), options);
      EXPECT_GE(multigrid.levels(), 2);
      multigrid.update();
      auto const rhs = placed(executor, b);
      Array<DoubleFloat, E> x(executor, rhs.size());
      multigrid.apply_to(rhs.view().data(), x.view().data());
      return fetched(x);
    };
    EXPECT_TRUE(bits_of(applied(cuda)) == bits_of(applied(Host{2})))
        << sizeof(T) << " bytes, degree " << options.degree << ", " << options.coarsest << " rows";
  };
  for (int const degree : {1, 2, 3}) {
    for (std::int32_t const coarsest : {1, 12, 64, 200}) {  // 1000 rows take half a minute to invert
      for (std::int32_t const screened_rows : {0, 4096}) {
        MultigridOptions const options{
            .degree = degree, .coarsest = coarsest, .screened_rows = screened_rows};
        check(DoubleFloat{}, options);
        check(float{}, options);
      }
    }
  }
}

TEST_F(PairSystemsOnDevice, PolynomialsHaveTheHostsBits) {
  auto const a = converted<DoubleFloat>(poisson(23, 17, 5, 0.25));
  auto const b = random_pairs(a.size(), 5);
  for (int const degree : {1, 2, 5}) {
    auto const applied = [&]<class E>(E executor) {
      Placed<DoubleFloat, E> const matrix(executor, a);
      Chebyshev<DoubleFloat, E> polynomial(executor, matrix.view(), degree, 0.1);
      auto const rhs = placed(executor, b);
      Array<DoubleFloat, E> x(executor, rhs.size());
      polynomial.apply(rhs.view().data(), x.view().data());
      polynomial.smooth(rhs.view().data(), x.view().data());
      return fetched(x);
    };
    EXPECT_TRUE(bits_of(applied(cuda)) == bits_of(applied(Host{2}))) << degree;
  }
}

}  // namespace
