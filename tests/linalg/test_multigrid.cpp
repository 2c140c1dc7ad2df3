// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/exec/host.hpp"
#include "core/linalg/aggregation_kernels.hpp"
#include "core/linalg/multigrid.hpp"
#include "core/linalg/pattern_kernels.hpp"
#include "linalg/coarsening_model.hpp"
#include "linalg/solving.hpp"
#include "support/pair_bits.hpp"

namespace {

using namespace linalg_test;

double inner(std::vector<double> const& x, std::vector<double> const& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

template <class Operator>
std::vector<double> applied(Operator& preconditioner, std::vector<double> const& x) {
  std::vector<double> y(x.size());
  preconditioner.apply(x.data(), y.data());
  return y;
}

/// Iterations of CG with multigrid to a residual of 1e-8.
std::int32_t iterations(Matrix<> const& a, Multigrid<double, Host>& multigrid, Host host = Host{2}) {
  MatrixOperator<double, double, Host> multiply(host, a.view());
  ConjugateGradients<double, Host> cg(host, a.rows(), {.relative = 1e-8, .iterations = 100, .check_every = 1},
                                      Norm::unpreconditioned);
  auto const b = random_vector(a.size(), 3);
  std::vector<double> x(a.size(), 0);
  auto const report = cg.solve(multiply, &multigrid, b.data(), x.data());
  EXPECT_EQ(report.outcome, Outcome::converged);
  EXPECT_LT(distance(b, product(a, x)), 1.01e-8 * norm(b));
  return report.iterations;
}

TEST(Aggregates, AreRootsOfDistanceThreeAndTheirNeighbours) {
  auto const a = random_definite(700, 4);
  auto const pattern = a.pattern.view();
  auto const aggregates = aggregated(Host{}, a.view(), 0, 1);
  auto const count = aggregates.count;
  auto const of_row = fetched(aggregates.of_row);
  std::set<std::int32_t> used(of_row.begin(), of_row.end());
  EXPECT_EQ(static_cast<std::int32_t>(used.size()), count);
  EXPECT_EQ(*used.begin(), 0);
  EXPECT_EQ(*used.rbegin(), count - 1);
  EXPECT_LT(count, 700 / 3);
  // In each aggregate some row, the root, has all its neighbours there.
  std::vector<char> rooted(std::size_t(count), 0);
  for (std::int32_t i = 0; i < 700; ++i) {
    bool whole = true;
    for (auto e = pattern.start[i]; e < pattern.start[i + 1]; ++e) {
      whole = whole && of_row[std::size_t(pattern.column[e])] == of_row[std::size_t(i)];
    }
    if (whole) rooted[std::size_t(of_row[std::size_t(i)])] = 1;
  }
  EXPECT_EQ(std::count(rooted.begin(), rooted.end(), 1), count);
}

/// Along a stiff axis of weight 1 and a weak one of 1e-4, aggregates lie along the stiff one.
TEST(Aggregates, FollowStrongNeighboursAndLeaveLoneRows) {
  constexpr std::int32_t n = 12;
  Entries entries(n * n + 1, n * n + 1);
  for (std::int32_t j = 0; j < n; ++j) {
    for (std::int32_t i = 0; i < n; ++i) {
      auto const row = i + n * j;
      entries.add(row, row, 2 + 2e-4);
      if (i > 0) entries.add(row, row - 1, -1);
      if (i + 1 < n) entries.add(row, row + 1, -1);
      if (j > 0) entries.add(row, row - n, -1e-4);
      if (j + 1 < n) entries.add(row, row + n, -1e-4);
    }
  }
  entries.add(n * n, n * n, 1);
  auto const a = entries.matrix();
  auto const aggregates = aggregated(Host{}, a.view(), 0.08, 1);
  auto const count = aggregates.count;
  auto const of_row = fetched(aggregates.of_row);
  EXPECT_EQ(of_row.back(), -1);
  std::vector<std::int32_t> line(std::size_t(count), -1);
  for (std::int32_t row = 0; row < n * n; ++row) {
    auto& of = line[std::size_t(of_row[std::size_t(row)])];
    if (of < 0) of = row / n;
    EXPECT_EQ(of, row / n);
  }
}

/// On the finest level and on coarser ones, for any number of threads.
TEST(Coarsening, IsThatOfRowsOneByOne) {
  int matrices = 0, several = 0;
  for (auto a : awkward_matrices()) {
    SCOPED_TRACE(testing::Message() << "matrix " << matrices++ << " of " << a.rows() << " rows");
    int levels = 0;
    for (auto strength = 0.08;; strength /= 2, ++levels) {
      for (std::uint64_t const seed : {1, 7}) {
        auto const expected = greedy_coarsening(a, strength, seed);
        for (int const threads : {1, 2, 3}) {
          expect_same(coarsening_on(Host{threads}, a, strength, seed), expected);
        }
        expect_same(coarsening_on(Host{2}, converted<float>(a), strength, seed),
                    greedy_coarsening(converted<float>(a), strength, seed));
      }
      auto const coarsening = greedy_coarsening(a, strength, 1);
      if (!goes_on(a, coarsening)) break;
      a = coarser(a, coarsening);
    }
    several += levels >= 3 ? 1 : 0;
  }
  EXPECT_GE(several, 4);
}

/// A device's threads have a row each, a host's a share of them.
TEST(ColumnLister, ListsWhatASharesThreadDoes) {
  for (auto const& a : awkward_matrices()) {
    auto const pattern = a.pattern.view();
    ColumnsOfProduct const columns{pattern, pattern};
    std::vector<std::int64_t> begin{0};
    for (std::int32_t row = 0; row < a.rows(); ++row) begin.push_back(begin.back() + columns.most(row));
    if (begin.back() > 10'000'000) continue;
    auto const expected = product_pattern(pattern, pattern);
    std::vector<std::int32_t> room(static_cast<std::size_t>(begin.back()));
    auto const expect_listed = [&](std::vector<std::int64_t> const& count) {
      for (std::size_t row = 0; row < a.size(); ++row) {
        auto const* const first = room.data() + begin[row];
        std::vector<std::int32_t> const listed(first, first + count[row]),
            wanted(expected.column.begin() + expected.start[row],
                   expected.column.begin() + expected.start[row + 1]);
        ASSERT_EQ(listed, wanted) << row;
      }
    };
    std::vector<std::int64_t> count(a.size(), -1);
    for_each(Host{2}, a.rows(),
             ColumnLister<ColumnsOfProduct>{columns, begin.data(), room.data(), count.data()});
    expect_listed(count);
    for (std::int64_t const shares : {1, 3, 64}) {
      std::vector<std::int32_t> marks(static_cast<std::size_t>(shares) * a.size(), 0);
      std::ranges::fill(count, -1);
      for_each(
          Host{2}, shares,
          ShareLister<ColumnsOfProduct>{
              columns, begin.data(), room.data(), count.data(), {a.rows(), shares}, a.rows(), marks.data()});
      expect_listed(count);
    }
  }
}

/// Rows whose columns are so many that they are sorted after, and repeat.
TEST(NumberSet, HoldsEachNumberOnceInOrder) {
  for (std::int32_t const size : {1, 511, 512, 513, 3000}) {
    std::vector<std::int32_t> list(static_cast<std::size_t>(3 * size)), expected;
    NumberSet set(list.data());
    for (std::int32_t n = 0; n < 3 * size; ++n) set.put(static_cast<std::int32_t>(n * 7919LL % size));
    for (std::int32_t n = 0; n < size; ++n) expected.push_back(n);
    list.resize(static_cast<std::size_t>(set.finish()));
    EXPECT_EQ(list, expected);
  }
}

TEST(SortAscending, SortsListsOfAnyLengthAndOrder) {
  for (std::size_t const size : {0, 1, 2, 3, 63, 64, 65, 66, 1000}) {
    test::RandomValues random(size + 1);
    for (std::size_t const different : {std::size_t{2}, 1 + size / 2, std::size_t{1} << 30}) {
      std::vector<std::int32_t> list;
      for (std::size_t n = 0; n < size; ++n)
        list.push_back(static_cast<std::int32_t>(random.below(different)));
      auto expected = list;
      std::sort(expected.begin(), expected.end());
      for (int turn = 0; turn < 3; ++turn) {
        sort_ascending(list.data(), static_cast<std::int32_t>(size));
        EXPECT_EQ(list, expected);
        std::reverse(list.begin(), list.end());
      }
    }
  }
}

TEST(Priority, IsInTheOrderOfRandomNumbersThenOfRows) {
  Priority const order{7, name_key("aggregate")};
  for (std::int32_t row = 0; row < 1000; ++row) {
    auto const one = order.of(row), next = order.of(row + 1);
    EXPECT_EQ(one & 0x7fffffff, static_cast<std::uint64_t>(row));
    EXPECT_LT(one, Priority::none);
    EXPECT_EQ(one < next, uniform_symmetric(7, 0, name_key("aggregate"), row) <
                              uniform_symmetric(7, 0, name_key("aggregate"), row + 1));
  }
}

/// Neighbours are each other's, whatever is no number.
TEST(Aggregates, EndWhereTheMatrixHoldsNaN) {
  auto a = random_definite(700, 4);
  for (std::size_t e = 0; e < a.value.size(); e += 5) a.value[e] = NAN;
  auto const one = fetched(aggregated(Host{1}, a.view(), 0.08, 1).of_row);
  EXPECT_EQ(fetched(aggregated(Host{3}, a.view(), 0.08, 1).of_row), one);
}

TEST(Chebyshev, KnowsTheLargestEigenvalueOfPoissonsMatrix) {
  for (auto const& [nx, ny] : {std::pair{40, 1}, std::pair{9, 9}, std::pair{30, 20}}) {
    auto const a = poisson(nx, ny);
    Chebyshev<double, Host> smoother(Host{}, a.view(), 2, 0.25);
    auto const exact = ny == 1 ? eigenvalue(nx, nx) / 2 : (eigenvalue(nx, nx) + eigenvalue(ny, ny)) / 4;
    // Gershgorin's bound is 2 here; what is taken is never above.
    EXPECT_GE(*smoother.largest_eigenvalue(), 0.95 * exact);
    EXPECT_LE(*smoother.largest_eigenvalue(), 2);
  }
}

TEST(Chebyshev, BeginsWithRandomNumbersThatTwoFloatsRound) {
  constexpr std::int64_t count = 100000;
  std::vector<DoubleFloat> pairs(count);
  std::vector<double> doubles(count);
  for (std::int64_t i = 0; i < count; ++i) {
    RandomStart<DoubleFloat>{pairs.data()}(i);
    RandomStart<double>{doubles.data()}(i);
  }
  EXPECT_TRUE(test::bits_of(pairs) == test::bits_of(converted<DoubleFloat>(doubles)));
}

/// On the eigenvector of eigenvalue lambda of D^-1 A, the polynomial is that of Chebyshev scaled to 1 at 0.
TEST(Chebyshev, ReducesEachModeByItsPolynomial) {
  constexpr std::int32_t n = 31;
  auto const a = poisson(n);
  for (int const degree : {1, 2, 3, 5}) {
    Chebyshev<double, Host> smoother(Host{}, a.view(), degree, 0.25);
    auto const high = *smoother.largest_eigenvalue(), low = 0.25 * high;
    auto const chebyshev = [&](double t) {
      double before = 1, now = t;
      for (int k = 1; k < degree; ++k) before = std::exchange(now, 2 * t * now - before);
      return now;
    };
    auto const mapped = [&](double lambda) { return (high + low - 2 * lambda) / (high - low); };
    for (std::int32_t const mode : {1, 9, 20, 31}) {
      std::vector<double> b(n, 0), x(n);
      for (std::int32_t i = 0; i < n; ++i)
        x[std::size_t(i)] = std::sin(std::numbers::pi * mode * (i + 1) / (n + 1));
      auto const start = x;
      smoother.smooth(b.data(), x.data());
      auto const factor = chebyshev(mapped(eigenvalue(n, mode) / 2)) / chebyshev(mapped(0));
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], factor * start[i], 64 * degree * 0x1p-53);
    }
  }
}

/// In float for vectors of double: what rounding them to float before and widening them after gives.
TEST(Multigrid, RoundsVectorsOfAWiderType) {
  for (int const degree : {1, 2, 3}) {
    for (std::int32_t const coarsest : {10, 10000}) {
      auto const a = converted<float>(poisson(17, 13, 1));
      MultigridOptions const options{.degree = degree, .coarsest = coarsest, .wide_vectors = true};
      Multigrid<float, Host> multigrid(Host{}, a.view(), options);
      EXPECT_EQ(multigrid.levels() == 1, coarsest == 10000);
      auto const b = random_vector(a.size(), 1);
      auto const narrow = converted<float>(b);
      std::vector<float> expected(b.size());
      std::vector<double> found(b.size());
      multigrid.apply(narrow.data(), expected.data());
      multigrid.apply_to(b.data(), found.data());
      EXPECT_EQ(found, converted<double>(expected));
    }
  }
}

TEST(Multigrid, IsSymmetricAndPositive) {
  for (std::int32_t const screened_rows : {0, 4096}) {
    for (auto const& a : {poisson(17, 13, 1), random_definite(400, 7)}) {
      Multigrid<double, Host> multigrid(Host{}, a.view(), {.coarsest = 10, .screened_rows = screened_rows});
      if (screened_rows == 0) {
        EXPECT_GT(multigrid.levels(), 2);
      }
      auto const x = random_vector(a.size(), 1), y = random_vector(a.size(), 2);
      auto const bx = applied(multigrid, x), by = applied(multigrid, y);
      // Each of some hundred operations on a value rounds once.
      EXPECT_NEAR(inner(bx, y), inner(x, by), 1000 * 0x1p-53 * norm(bx) * norm(y) * 10);
      EXPECT_GT(inner(bx, x), 0);
      EXPECT_GT(inner(by, y), 0);
    }
  }
}

/// The rows within sum to the mass, 1 of a diagonal of 7, which `share` of the largest eigenvalue is.
TEST(Multigrid, NeedsNoCoarserLevelWhereTheEquationIsLocal) {
  auto a = poisson(12, 11, 10, 1);
  auto const rows = a.rows();
  Chebyshev<double, Host> smoother(Host{}, a.view(), 2, 0.25);
  auto const share = 1 / (7 * *smoother.largest_eigenvalue());
  auto const levels = [&](double screened, std::int32_t most) {
    return Multigrid<double, Host>(Host{}, a.view(),
                                   {.coarsest = 10, .screened = screened, .screened_rows = most})
        .levels();
  };
  EXPECT_EQ(levels(share * (1 - 1e-12), rows), 1);
  EXPECT_GT(levels(share * (1 + 1e-12), rows), 1);
  EXPECT_GT(levels(share * (1 - 1e-12), rows - 1), 1);
  constexpr std::int32_t middle = 6 + 12 * (5 + 11 * 5);
  auto const within = static_cast<std::size_t>(entry_of(a.pattern.view(), middle, middle));
  a.value[within] -= 1e-6;
  EXPECT_GT(levels(share * (1 - 1e-12), rows), 1) << "one row is not local";
  a.value[within] = NAN;
  EXPECT_GT(levels(share * (1 - 1e-12), rows), 1) << "nothing is known of a row";
}

/// Masses as of compressible pressure on meshes of the model: the levels that are left out were of no use.
TEST(Multigrid, NeedsAsManyIterationsWithoutLevelsBelowALocalOne) {
  for (double const mass : {0.03, 0.1, 0.3, 1.0, 3.0}) {
    auto const a = poisson(20, 20, 20, mass);
    Multigrid<double, Host> whole(Host{2}, a.view(), {.screened_rows = 0}),
        fewer(Host{2}, a.view(), {.coarsest = 10});
    EXPECT_LE(fewer.rows(fewer.levels() - 1), 4096);
    EXPECT_LE(iterations(a, fewer), iterations(a, whole)) << mass;
  }
}

/// Below the size of the coarsest level there is nothing but the direct solve.
TEST(Multigrid, SolvesSmallSystemsDirectly) {
  auto const a = random_definite(60, 9);
  Multigrid<double, Host> multigrid(Host{}, a.view());
  EXPECT_EQ(multigrid.levels(), 1);
  auto const b = random_vector(60, 10);
  auto const exact = dense_solution(a, converted<float128>(b));
  // Gauss and Jordan's inverse of a definite matrix: n roundoffs times the condition, below 256.
  EXPECT_LT(distance(applied(multigrid, b), exact), 60 * 0x1p-53 * 256 * norm(exact));
}

TEST(Multigrid, NeedsAsManyIterationsForAnySizeOfPoissonsEquation) {
  std::int32_t least = 100, most = 0;
  for (std::int32_t const n : {8, 16, 32}) {
    auto const a = poisson(n, n, n);
    Multigrid<double, Host> multigrid(Host{2}, a.view());
    auto const count = iterations(a, multigrid);
    least = std::min(least, count), most = std::max(most, count);
  }
  // Jacobi needs twice as many for twice the points along an axis.
  EXPECT_LE(most, least + 6);
  EXPECT_LE(most, 20);
}

/// Mass plus dt^2 times the Laplacian, as for compressible pressure, from small steps to large ones.
TEST(Multigrid, SolvesCompressiblePressureForAnyStep) {
  for (double const mass : {1e-6, 1e-2, 1.0, 100.0}) {
    auto const a = poisson(20, 20, 20, mass);
    Multigrid<double, Host> multigrid(Host{2}, a.view());
    EXPECT_LE(iterations(a, multigrid), 20) << mass;
  }
}

TEST(Multigrid, SolvesConsistentSystemsWithANullSpace) {
  auto const a = graph_laplacian(900, 31);
  auto const b = product(a, random_vector(900, 32));
  Multigrid<double, Host> multigrid(Host{}, a.view());
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  ConjugateGradients<double, Host> cg(Host{}, 900, {.relative = 1e-8, .iterations = 100},
                                      Norm::unpreconditioned);
  std::vector<double> x(900, 0);
  EXPECT_EQ(cg.solve(multiply, &multigrid, b.data(), x.data()).outcome, Outcome::converged);
  EXPECT_LT(distance(b, product(a, x)), 1.01e-8 * norm(b));
}

/// Of a larger mass, which changes the transfers but not who is a strong neighbour on the finest level, and
/// of four times the matrix, which changes no aggregate on any.
TEST(Multigrid, NewValuesGiveWhatANewOneGives) {
  for (bool const scaled : {false, true}) {
    auto a = poisson(15, 14, 6, 0.01);
    MultigridOptions const options{.coarsest = scaled ? 20 : 300};
    Multigrid<double, Host> multigrid(Host{}, a.view(), options);
    EXPECT_GE(multigrid.levels(), scaled ? 3 : 2);
    auto const b = random_vector(a.size(), 5);
    auto const before = applied(multigrid, b);
    for (std::int32_t i = 0; i < a.rows(); ++i) {
      a.value[static_cast<std::size_t>(entry_of(a.pattern.view(), i, i))] += scaled ? 0 : 0.5;
    }
    for (auto& value : a.value) value *= scaled ? 4 : 1;
    multigrid.update();
    Multigrid<double, Host> fresh(Host{}, a.view(), options);
    auto const after = applied(multigrid, b);
    EXPECT_EQ(after, applied(fresh, b));
    EXPECT_NE(after, before);
  }
}

TEST(MatrixProduct, HasTheSameBitsByRowsAndByEntriesAndIsThatOfDenseMatrices) {
  auto const a = random_dominant(70, 1), b = random_dominant(70, 2);
  auto const target = product_pattern(a.pattern.view(), b.pattern.view());
  auto const rows = rows_of_entries(target.view());
  auto const n = static_cast<std::size_t>(target.entries());
  std::vector<double> by_rows(n), by_one, by_entries(n, 1e30);
  for (std::int64_t const shares : {1, 3, 80}) {
    std::vector<std::int32_t> place(static_cast<std::size_t>(70 * shares));
    RowsOfProduct<double> const multiply{a.pattern.view(), b.pattern.view(), target.view(), a.value.data(),
                                         b.value.data(),   by_rows.data(),   {70, shares},  place.data()};
    std::ranges::fill(by_rows, 1e30);
    for (std::int64_t share = 0; share < shares; ++share) multiply(share);
    if (shares == 1) by_one = by_rows;
    EXPECT_EQ(by_rows, by_one);
  }
  for (std::int64_t e = 0; e < target.entries(); ++e) {
    EntryOfProduct<double>{a.pattern.view(), b.pattern.view(),     a.value.data(),   b.value.data(),
                           rows.data(),      target.column.data(), by_entries.data()}(e);
  }
  EXPECT_EQ(by_rows, by_entries);
  Matrix<> const product_matrix{target, by_rows};
  auto const x = converted<float128>(random_vector(70, 3));
  auto const once = product(product_matrix, x), twice = product(a, product(b, x));
  // Rows hold at most 13 entries of at most 64 each.
  for (std::size_t i = 0; i < 70; ++i) {
    EXPECT_NEAR(static_cast<double>(once[i] - twice[i]), 0, 13 * 13 * 64 * 64 * 14 * 0x1p-53);
  }
}

TEST(Multigrid, HasTheSameBitsForAnyNumberOfThreads) {
  auto const a = poisson(15, 14, 13, 0.01);
  auto const b = random_vector(a.size(), 5);
  Multigrid<double, Host> one(Host{1}, a.view()), three(Host{3}, a.view());
  EXPECT_EQ(applied(one, b), applied(three, b));
}

TEST(Multigrid, LeavesRowsOfTheIdentityToSmoothing) {
  auto a = poisson(30, 30);
  std::vector<std::uint8_t> fixed(a.size(), 0);
  for (std::size_t i = 0; i < a.size(); i += 17) fixed[i] = 1;
  std::vector<double> const given(a.size(), 1);
  auto b = random_vector(a.size(), 5);
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    FixedRows<double>{a.pattern.view(), fixed.data(), given.data(), true, a.value.data(), b.data()}(row);
  }
  Multigrid<double, Host> multigrid(Host{}, a.view());
  EXPECT_LE(iterations(a, multigrid), 20);
}

}  // namespace
