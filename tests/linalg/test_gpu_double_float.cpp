// SPDX-License-Identifier: Apache-2.0
// Linear systems of numbers of two floats on a device.
#include <gtest/gtest.h>

#include <limits>

#include "linalg/device_solves.hpp"
#include "support/device_test.hpp"
#include "support/pair_bits.hpp"

namespace {

using namespace linalg_test;
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
      EXPECT_TRUE(same_bits(found[n], expected[n])) << n << ", " << most;
    }
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
  expect_host_bits_of_solvers(cuda, converted<DoubleFloat>(random_definite(2003, 7)),
                              converted<DoubleFloat>(random_dominant(2003, 8)), random_pairs(2003, 6), 1e-10);
}

TEST_F(PairSystemsOnDevice, RepeatedSolvesHaveTheHostsBits) {
  constexpr std::int64_t n = 2003;
  std::vector<std::vector<DoubleFloat>> rights;
  for (std::uint64_t const seed : {6, 16, 6, 26}) rights.push_back(random_pairs(n, seed));
  rights[2].assign(n, 0);
  rights.push_back(rights[0]);
  rights.back()[5] = std::numeric_limits<float>::quiet_NaN();
  rights.push_back(rights[0]);
  expect_host_bits_of_repeated_solves(cuda, converted<DoubleFloat>(random_definite(n, 7)), rights, 1e-10);
}

TEST_F(PairSystemsOnDevice, SolvesCanBeRecorded) {
  expect_bits_of_recorded_solve(cuda, converted<DoubleFloat>(random_definite(503, 7)), random_pairs(503, 6));
}

/// Of two floats, and of floats for vectors of two.
TEST_F(PairSystemsOnDevice, MultigridHasTheHostsBits) {
  auto const check = [&]<class T>(T) {
    auto const a = converted<T>(poisson(31, 24, 9, 0.25));
    // 1000 rows take half a minute to invert.
    expect_host_bits_of_multigrid(cuda, a, random_pairs(a.size(), 5), {1, 12, 64, 200});
  };
  check(DoubleFloat{});
  check(float{});
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
    EXPECT_TRUE(same_bits(applied(cuda), applied(Host{2}))) << degree;
  }
}

}  // namespace
