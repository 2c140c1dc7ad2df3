// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include "core/linalg/operator.hpp"
#include "core/linalg/rows_host.hpp"
#include "io/error.hpp"
#include "linalg/systems.hpp"

namespace {

using namespace linalg_test;

template <class T>
constexpr double roundoff = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;

/// gamma_n times the sum of |a| |x| of the row: Higham's bound for a sum of n products in any order.
template <class T>
void expect_product_near(Matrix<> const& matrix, std::vector<double> const& x_double) {
  auto const a = converted<T>(matrix);
  auto const x = converted<T>(x_double);
  std::vector<T> y(a.size());
  MatrixOperator<T, T, Host> multiply(Host{2}, a.view());
  multiply.apply(x.data(), y.data());
  auto const exact = product(a, converted<float128>(x));
  auto magnitude = a;
  for (auto& value : magnitude.value) value = math::abs(value);
  auto sizes = converted<double>(x);
  for (auto& value : sizes) value = math::abs(value);
  auto const bound = product(magnitude, sizes);
  for (std::size_t i = 0; i < y.size(); ++i) {
    auto const terms = a.pattern.start[i + 1] - a.pattern.start[i];
    EXPECT_LE(std::abs(static_cast<double>(y[i] - exact[i])), (terms + 1) * roundoff<T> * bound[i]) << i;
  }
}

TEST(SparseProduct, IsWithinHighamsBoundOfQuad) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto const matrix = random_dominant(197, seed);
    auto const x = random_vector(197, seed + 100);
    expect_product_near<double>(matrix, x);
    expect_product_near<float>(matrix, x);
  }
}

/// Products in the order that row_sum.hpp states, one number after the other.
template <class M, class T>
std::vector<T> in_lanes(Matrix<M> const& a, std::vector<T> const& x, std::size_t lanes) {
  std::vector<T> y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<T> part(lanes, T(0));
    auto const first = a.pattern.start[i];
    for (auto e = first; e < a.pattern.start[i + 1]; ++e) {
      auto& sum = part[std::size_t(e - first) % lanes];
      sum = std::fma(T(a.value[std::size_t(e)]), x[std::size_t(a.pattern.column[std::size_t(e)])], sum);
    }
    for (auto half = lanes / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) part[lane] += part[lane + half];
    }
    y.push_back(part[0]);
  }
  return y;
}

template <class M, class T>
std::vector<T> multiplied(Matrix<M> const& a, std::vector<T> const& x) {
  std::vector<T> y(a.size());
  MatrixOperator<M, T, Host>(Host{}, a.view()).apply(x.data(), y.data());
  return y;
}

TEST(SparseProduct, PartsRowsByTheirMeanLength) {
  struct {
    std::size_t most, lanes;
  } const cases[] = {{12, 4}, {80, 8}, {160, 16}, {500, 32}};
  for (auto const& [most, lanes] : cases) {
    auto const a = random_dominant(911, 13, most);
    auto const x = random_vector(911, 14);
    auto const y = multiplied(a, x);
    EXPECT_EQ(y, in_lanes(a, x, lanes)) << most;
    EXPECT_NE(y, in_lanes(a, x, lanes / 2)) << most;
    expect_product_near<float>(a, x);
    auto const narrow = converted<float>(a);
    auto const narrow_x = converted<float>(x);
    EXPECT_EQ(multiplied(narrow, narrow_x), in_lanes(narrow, narrow_x, lanes)) << most;
    EXPECT_EQ(multiplied(narrow, x), in_lanes(narrow, x, lanes)) << most;
  }
}

TEST(SparseProduct, ResidualIsTheRightHandSideLessTheProduct) {
  auto const a = random_dominant(97, 3);
  auto const x = random_vector(97, 4), b = random_vector(97, 5);
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  std::vector<double> y(97), r = b;
  multiply.apply(x.data(), y.data());
  multiply.residual(r.data(), x.data(), r.data());
  for (std::size_t i = 0; i < 97; ++i) EXPECT_EQ(r[i], b[i] - y[i]);
}

TEST(SparseProduct, FloatMatrixTimesDoublesIsThatOfItsValuesAsDoubles) {
  auto const a = converted<float>(random_dominant(97, 3));
  Matrix<> const wide{a.pattern, converted<double>(a.value)};
  auto const x = random_vector(97, 4);
  std::vector<double> y(97), z(97);
  MatrixOperator<float, double, Host>(Host{}, a.view()).apply(x.data(), y.data());
  MatrixOperator<double, double, Host>(Host{}, wide.view()).apply(x.data(), z.data());
  EXPECT_EQ(y, z);
}

/// The scalar matrix of the blocks' components, rows and columns three to a node.
Matrix<> expanded(Matrix<> const& a, std::vector<double> const& value, Blocks blocks) {
  Entries entries(3 * a.rows(), 3 * a.rows());
  for (std::int32_t i = 0; i < a.rows(); ++i) {
    for (auto e = a.pattern.start[std::size_t(i)]; e < a.pattern.start[std::size_t(i) + 1]; ++e) {
      auto const j = a.pattern.column[std::size_t(e)];
      for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
          if (c != d && blocks != Blocks::full) continue;
          auto const place = blocks == Blocks::full       ? 9 * e + 3 * c + d
                             : blocks == Blocks::diagonal ? 3 * e + c
                                                          : e;
          entries.add(3 * i + c, 3 * j + d, value[std::size_t(place)]);
        }
      }
    }
  }
  return entries.matrix();
}

template <Blocks blocks>
void expect_blocks_multiply_as_scalars() {
  auto const a = random_dominant(61, 9);
  auto const value = random_vector(width_of(blocks) * a.value.size(), 10), x = random_vector(183, 11);
  auto const scalar = expanded(a, value, blocks);
  auto const exact = product(scalar, converted<float128>(x));
  std::vector<double> y(183);
  MatrixOperator<double, double, Host, blocks> multiply(Host{}, {a.pattern.view(), value.data()});
  ASSERT_EQ(multiply.size(), 183);
  multiply.apply(x.data(), y.data());
  for (std::size_t i = 0; i < y.size(); ++i) {
    // |a| and |x| are at most 1.
    auto const terms = scalar.pattern.start[i + 1] - scalar.pattern.start[i];
    EXPECT_LE(std::abs(static_cast<double>(y[i] - exact[i])), (terms + 1) * terms * 0x1p-53) << i;
  }
  Jacobi<double, double, Host, blocks> jacobi(Host{}, {a.pattern.view(), value.data()});
  jacobi.apply(x.data(), y.data());
  for (std::int32_t i = 0; i < 183; ++i) {
    auto const e = entry_of(scalar.pattern.view(), i, i);
    EXPECT_EQ(y[std::size_t(i)], 1 / scalar.value[std::size_t(e)] * x[std::size_t(i)]);
  }
}

TEST(BlockMatrix, MultipliesAndScalesAsItsScalarForm) {
  expect_blocks_multiply_as_scalars<Blocks::shared>();
  expect_blocks_multiply_as_scalars<Blocks::diagonal>();
  expect_blocks_multiply_as_scalars<Blocks::full>();
}

/// Rows without a diagonal, or with 0 there, stay as they are; the same after a product in one pass as in
/// two.
TEST(Jacobi, LeavesRowsWithoutADiagonalAsTheyAre) {
  Entries entries(3, 3);
  entries.add(0, 0, 4), entries.add(0, 1, 1), entries.add(1, 1, 0), entries.add(1, 2, 3),
      entries.add(2, 0, 5);
  auto const a = entries.matrix();
  std::vector<double> const x{2, 3, 7};
  std::vector<double> y(3), work(3), after(3);
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  Jacobi<double, double, Host> jacobi(Host{}, a.view());
  jacobi.apply(x.data(), y.data());
  EXPECT_EQ(y, (std::vector<double>{0.5, 3, 7}));
  jacobi.apply_to_product(multiply, x.data(), work.data(), after.data());
  EXPECT_EQ(after, (std::vector<double>{11 * 0.25, 21, 10}));
}

TEST(SparseProduct, HasTheSameBitsForAnyNumberOfThreads) {
  auto const a = random_dominant(1001, 3);
  auto const x = random_vector(1001, 4);
  std::vector<double> one(1001), three(1001);
  MatrixOperator<double, double, Host>(Host{1}, a.view()).apply(x.data(), one.data());
  MatrixOperator<double, double, Host>(Host{3}, a.view()).apply(x.data(), three.data());
  EXPECT_EQ(one, three);
}

TEST(Pattern, TransposesHaveEachEntryOnceAtItsMirrorImage) {
  auto const a = random_dominant(83, 6);
  auto const t = transposed(a.pattern.view());
  require_pattern(t.pattern.view());
  ASSERT_EQ(t.pattern.entries(), a.pattern.entries());
  auto const rows = rows_of_entries(a.pattern.view());
  for (std::int32_t i = 0; i < 83; ++i) {
    for (auto e = t.pattern.start[std::size_t(i)]; e < t.pattern.start[std::size_t(i) + 1]; ++e) {
      auto const source = std::size_t(t.source[std::size_t(e)]);
      EXPECT_EQ(a.pattern.column[source], i);
      EXPECT_EQ(rows[source], t.pattern.column[std::size_t(e)]);
    }
  }
}

TEST(Pattern, RefusesWhatIsNoneAndWhatHasNoMirror) {
  auto broken = poisson(4).pattern;
  std::swap(broken.column[0], broken.column[1]);
  EXPECT_THROW(require_pattern(broken.view()), InputError);
  auto twice = poisson(4).pattern;
  twice.column[1] = twice.column[0];
  EXPECT_THROW(require_pattern(twice.view()), InputError);
  auto outside = poisson(4).pattern;
  outside.column.back() = 4;
  EXPECT_THROW(require_pattern(outside.view()), InputError);
  Entries entries(3, 3);
  entries.add(0, 2, 1);
  EXPECT_THROW(mirrored_entries(entries.matrix().pattern.view()), InputError);
  EXPECT_THROW(product_pattern(poisson(4).pattern.view(), poisson(3).pattern.view()), InputError);
}

/// C of 1 x 3 blocks on the pattern of a graph.
class DivergenceMatrix : public testing::Test {
 protected:
  static constexpr std::int32_t n = 57;
  HostPattern const pattern = graph_laplacian(n, 12).pattern;
  std::vector<double> const c = random_vector(3 * std::size_t(pattern.entries()), 13),
                            cp = random_vector(3 * std::size_t(pattern.entries()), 14);

  /// C_ij of component d as a dense matrix.
  std::vector<float128> dense(std::vector<double> const& value, int d) const {
    std::vector<float128> m(std::size_t(n) * n, float128(0));
    for (std::int32_t i = 0; i < n; ++i) {
      for (auto e = pattern.start[std::size_t(i)]; e < pattern.start[std::size_t(i) + 1]; ++e) {
        m[std::size_t(i * n + pattern.column[std::size_t(e)])] = value[std::size_t(3 * e + d)];
      }
    }
    return m;
  }
};

TEST_F(DivergenceMatrix, AndItsTransposeMultiplyAsDenseOnes) {
  auto const u = random_vector(3 * n, 15), p = random_vector(n, 16);
  auto const mirror = mirrored_entries(pattern.view());
  std::vector<double> divergence(n), gradient(3 * n);
  for_each(Host{}, n,
           DivergenceProduct<double>{pattern.view(), c.data(), u.data(), nullptr, divergence.data()});
  for_each(Host{}, n,
           TransposedProduct<double, 3>{pattern.view(), mirror.data(), c.data(), p.data(), gradient.data()});
  // Terms of at most 1: n of them would err by n^2 roundoffs.
  std::vector<float128> sum(n, float128(0));
  for (int d = 0; d < 3; ++d) {
    auto const m = dense(c, d);
    for (std::int32_t i = 0; i < n; ++i) {
      float128 transposed = 0;
      for (std::int32_t j = 0; j < n; ++j) {
        sum[std::size_t(i)] += m[std::size_t(i * n + j)] * u[std::size_t(3 * j + d)];
        transposed += m[std::size_t(j * n + i)] * p[std::size_t(j)];
      }
      EXPECT_NEAR(static_cast<double>(gradient[std::size_t(3 * i + d)] - transposed), 0, n * n * 0x1p-53);
    }
  }
  for (std::int32_t i = 0; i < n; ++i) {
    EXPECT_NEAR(static_cast<double>(divergence[std::size_t(i)] - sum[std::size_t(i)]), 0,
                9 * n * n * 0x1p-53);
  }
}

TEST_F(DivergenceMatrix, TripleProductIsThatOfDenseMatrices) {
  auto const d = random_vector(n, 17);
  auto const target = product_pattern(pattern.view(), pattern.view());
  require_pattern(target.view());
  auto const rows = rows_of_entries(target.view());
  std::vector<double> cmc(std::size_t(target.entries()), 1e30);
  for_each(Host{2}, target.entries(),
           TripleProduct<double, 3>{pattern.view(), cp.data(), d.data(), c.data(), rows.data(),
                                    target.column.data(), cmc.data()});
  std::vector<float128> exact(std::size_t(n) * n, float128(0));
  for (int axis = 0; axis < 3; ++axis) {
    auto const left = dense(cp, axis), right = dense(c, axis);
    for (std::int32_t i = 0; i < n; ++i) {
      for (std::int32_t j = 0; j < n; ++j) {
        for (std::int32_t k = 0; k < n; ++k) {
          exact[std::size_t(i * n + j)] +=
              left[std::size_t(i * n + k)] * d[std::size_t(k)] * right[std::size_t(j * n + k)];
        }
      }
    }
  }
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j < n; ++j) {
      auto const e = entry_of(target.view(), i, j);
      auto const expected = static_cast<double>(exact[std::size_t(i * n + j)]);
      if (e == no_entry) {
        EXPECT_EQ(expected, 0);
      } else {
        EXPECT_NEAR(cmc[std::size_t(e)], expected, 9 * n * n * 0x1p-53);
      }
    }
  }
}

TEST(FixedRows, GiveTheirValuesAndKeepTheSolutionElsewhere) {
  for (bool const symmetric : {false, true}) {
    auto a = random_definite(41, 20);
    auto const solution = random_vector(41, 21);
    auto b = product(a, solution);
    std::vector<std::uint8_t> fixed(41, 0);
    for (auto const i : {0, 7, 8, 40}) fixed[std::size_t(i)] = 1;
    for_each(Host{}, 41,
             FixedRows<double>{a.pattern.view(), fixed.data(), solution.data(), symmetric, a.value.data(),
                               b.data()});
    auto const x = dense_solution(a, converted<float128>(b));
    // The eigenvalues lie between 1/4 and twice the largest diagonal, which is below 64.
    EXPECT_LT(distance(solution, x), 41 * 0x1p-53 * 512 * norm(solution));
    for (std::size_t i = 0; i < 41; ++i) {
      if (fixed[i] != 0) {
        EXPECT_EQ(static_cast<double>(x[i]), solution[i]);
      }
    }
    if (symmetric) {
      auto const t = transposed(a.pattern.view());
      for (std::size_t e = 0; e < a.value.size(); ++e)
        EXPECT_EQ(a.value[e], a.value[std::size_t(t.source[e])]);
    }
  }
}

TEST(RowScaling, MultipliesRows) {
  auto a = random_dominant(41, 22);
  auto const before = a.value;
  auto const scale = random_vector(41, 23);
  for_each(Host{}, 41, RowScaling<double>{a.pattern.view(), scale.data(), a.value.data()});
  auto const rows = rows_of_entries(a.pattern.view());
  for (std::size_t e = 0; e < before.size(); ++e)
    EXPECT_EQ(a.value[e], scale[std::size_t(rows[e])] * before[e]);
}

}  // namespace
