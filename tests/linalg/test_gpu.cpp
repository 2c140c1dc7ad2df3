// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "linalg/coarsening_model.hpp"
#include "linalg/device_solves.hpp"
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
  auto const check = [&]<class T>(T, double relative) {
    expect_host_bits_of_solvers(cuda, converted<T>(random_definite(2003, 7)),
                                converted<T>(random_dominant(2003, 8)), converted<T>(random_vector(2003, 6)),
                                relative);
  };
  check(double{}, 1e-11);
  check(float{}, 1e-5);
}

/// Other values, and a system that ends at once, fails or does not converge among them.
TEST_F(LinearAlgebraOnDevice, RepeatedSolvesHaveTheHostsBits) {
  constexpr std::int64_t n = 2003;
  auto const right = random_vector(n, 6);
  std::vector<std::vector<double>> rights{right, random_vector(n, 16), right, std::vector<double>(n, 0),
                                          random_vector(n, 26)};
  rights.push_back(right);
  rights.back()[5] = std::numeric_limits<double>::quiet_NaN();
  rights.push_back(right);
  expect_host_bits_of_repeated_solves(cuda, random_definite(n, 7), rights, 1e-11);
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
  expect_bits_of_recorded_solve(cuda, random_definite(503, 7), random_vector(503, 6));
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
  auto const check = [&]<class T, class V>(T, V) {
    auto const a = converted<T>(poisson(31, 24, 9, 0.25));
    expect_host_bits_of_multigrid(cuda, a, converted<V>(random_vector(a.size(), 5)), {1, 12, 64, 1000});
  };
  check(double{}, double{});
  check(float{}, float{});
  check(float{}, double{});
}

}  // namespace
