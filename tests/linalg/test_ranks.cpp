// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/linalg/multigrid.hpp"
#include "core/linalg/shared_rows.hpp"
#include "linalg/solving.hpp"
#include "support/counted_rank.hpp"
#include "support/thread_ranks.hpp"

/// Systems that ranks share have the bits of one, whatever rows a rank has and whatever its ghosts hold
/// before.
namespace {

using namespace linalg_test;

/// A rank's part of a system: owned rows, their neighbours as ghosts.
struct Part {
  Part(Matrix<> const& a, std::vector<std::int32_t> const& begin, std::shared_ptr<Ranks> const& ranks)
      : link{std::make_shared<Link<Host>>(Host{}, ranks)},
        points(begin, ranks->rank(), columns(a, begin, *ranks)) {
    exchange = std::make_unique<ListExchange<Host>>(Host{}, link, ghost_lists(*ranks, points), 8);
    pattern.columns = points.held();
    for (auto const row : points.numbers()) {
      for (auto e = start(a, row); points.owns(row) && e < start(a, row + 1); ++e) {
        pattern.column.push_back(points.place(a.pattern.column[static_cast<std::size_t>(e)]));
        value.push_back(a.value[static_cast<std::size_t>(e)]);
      }
      pattern.start.push_back(static_cast<std::int32_t>(value.size()));
    }
    lanes = a.pattern.view().lanes;
  }
  static std::int32_t start(Matrix<> const& a, std::int32_t row) {
    return a.pattern.start[static_cast<std::size_t>(row)];
  }
  static std::vector<std::int32_t> columns(Matrix<> const& a, std::vector<std::int32_t> const& begin,
                                           Ranks const& ranks) {
    auto const rank = static_cast<std::size_t>(ranks.rank());
    auto const* const column = a.pattern.column.data();
    return {column + start(a, begin[rank]), column + start(a, begin[rank + 1])};
  }
  CsrView<double const> matrix() const {
    auto view = pattern.view();
    view.lanes = lanes;
    return {view, value.data()};
  }
  Sharing<Host> sharing() const { return {link, exchange.get(), points.first(), points.owned(), &points}; }
  std::vector<double> of(std::vector<double> const& whole) const {
    std::vector<double> part;
    for (auto const n : points.numbers()) part.push_back(whole[static_cast<std::size_t>(n)]);
    return part;
  }

  std::shared_ptr<Link<Host>> link;
  PointsOfRank points;
  std::unique_ptr<ListExchange<Host>> exchange;
  HostPattern pattern;
  std::vector<double> value;
  std::int32_t lanes = 4;
};

/// Ranges that are not of one length.
std::vector<std::int32_t> uneven(std::int32_t rows, int size) {
  std::vector<std::int32_t> begin{0};
  for (int r = 1; r < size; ++r) begin.push_back(rows * r * (r + 1) / (size * (size + 1)) + r);
  begin.push_back(rows);
  return begin;
}

/// A rank's part knows nothing of its ghosts' rows.
TEST(SharedRows, AreThoseOfTheWholeMatrix) {
  auto const a = poisson(6, 5, 4, 0.1);
  auto const squared = product_pattern(a.pattern.view(), a.pattern.view());
  auto const row_of = [](CsrPattern pattern, std::int32_t row) {
    return std::vector<std::int32_t>(pattern.column + pattern.start[row],
                                     pattern.column + pattern.start[row + 1]);
  };
  for (int const size : {2, 3, 7}) {
    on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
      Part const part(a, uneven(a.rows(), size), ranks);
      auto const& points = part.points;
      auto const held = part.matrix().pattern;
      std::vector<double> pairs;
      for (auto const value : part.value) pairs.insert(pairs.end(), {value, -3 * value});
      OwnedRows const owned(held, points);
      WholeRows const whole(*ranks, held, points);
      auto const square = square_rows(held, points, whole.pattern());
      auto const values = whole.values(part.value.data(), 1), both = whole.values(pairs.data(), 2);
      ASSERT_EQ(owned.pattern().rows, points.owned());
      ASSERT_EQ(whole.pattern().rows, points.held());
      ASSERT_EQ(square.rows(), points.owned());
      EXPECT_EQ(square.columns, a.rows());
      for (std::int32_t place = 0; place < points.held(); ++place) {
        auto const number = points.number(place);
        EXPECT_EQ(row_of(whole.pattern(), place), row_of(a.pattern.view(), number));
        auto e = static_cast<std::size_t>(Part::start(a, number));
        for (auto f = whole.pattern().start[place]; f < whole.pattern().start[place + 1]; ++f, ++e) {
          auto const at = static_cast<std::size_t>(f);
          EXPECT_EQ(values[at], a.value[e]);
          EXPECT_EQ(both[2 * at], a.value[e]);
          EXPECT_EQ(both[2 * at + 1], -3 * a.value[e]);
        }
        if (!points.owns(number)) continue;
        auto const row = number - points.begin();
        EXPECT_EQ(row_of(owned.pattern(), row), row_of(a.pattern.view(), number));
        EXPECT_EQ(row_of(square.view(), row), row_of(squared.view(), number));
        EXPECT_EQ(owned.of(part.value.data()).value[owned.pattern().start[row]],
                  a.value[static_cast<std::size_t>(Part::start(a, number))]);
      }
    });
  }
}

/// Long and thin, so that a rank holds a part of every level; of the others most or all. The last is so local
/// that its coarsest level is not solved directly.
TEST(SharedMultigrid, HasTheBitsOfOneForAnyLevelsThatAreShared) {
  struct Case {
    Matrix<> a;
    int degree;
    std::vector<int> sizes;
    std::int32_t screened_rows = 0;
  };
  auto const strip = poisson(4, 4, 400, 0.01);
  for (auto const& [a, degree, sizes, screened_rows] : {Case{poisson(14, 13, 12, 0.01), 2, {2, 3, 7}},
                                                        {poisson(40, 50), 2, {1, 2, 3, 4, 5, 6, 7}},
                                                        {strip, 1, {2, 5}},
                                                        {strip, 2, {2, 5}},
                                                        {strip, 3, {3}},
                                                        {poisson(4, 4, 400, 0.1), 2, {2, 5}, 4096}}) {
    MultigridOptions const options{.degree = degree, .coarsest = 10, .screened_rows = screened_rows};
    Multigrid<double, Host> alone(Host{}, a.view(), options);
    if (screened_rows == 0) {
      ASSERT_GE(alone.levels(), 3);
    } else {
      ASSERT_EQ(alone.levels(), 2);
      ASSERT_GT(alone.rows(1), 10);
    }
    auto const b = random_vector(a.size(), 5);
    std::vector<double> expected(b.size());
    alone.apply(b.data(), expected.data());
    for (int const size : sizes) {
      for (std::int32_t const least : {1, 100, 100000}) {
        SCOPED_TRACE(testing::Message()
                     << a.rows() << " rows, degree " << degree << ", " << size << " ranks, least " << least);
        on_thread_ranks(size, [&, &a = a](std::shared_ptr<Ranks> const& ranks) {
          auto const counted = std::make_shared<test::CountedRank>(ranks);
          Part const part(a, uneven(a.rows(), size), counted);
          auto whole = std::make_unique<Matrix<>>(a);
          Multigrid<double, Host> shared(Host{}, whole->view(), options);
          shared.share(part.sharing(), part.points, least);
          whole.reset();
          int levels = 0;
          while (levels + 1 < alone.levels() && alone.rows(levels) >= std::int64_t{least} * size) ++levels;
          EXPECT_EQ(shared.shared_levels(), levels);
          EXPECT_TRUE(least > 1 || levels + 1 == alone.levels());
          EXPECT_TRUE(least < 100000 || levels == 0);
          ASSERT_EQ(shared.size(), part.points.held());
          // Ghosts are not read.
          auto mine = part.of(b);
          for (std::int32_t place = 0; place < part.points.held(); ++place) {
            if (!part.points.owns(part.points.number(place))) mine[static_cast<std::size_t>(place)] = NAN;
          }
          std::vector<double> y(mine.size(), -7);
          for (int again = 0; again < 2; ++again) {
            auto const before = counted->exchanges;
            shared.apply(mine.data(), y.data());
            EXPECT_EQ(y, part.of(expected));
            EXPECT_EQ(counted->exchanges - before, levels + 1) << "right-hand sides alone";
          }
          EXPECT_THROW(shared.update(), std::logic_error);
        });
      }
    }
  }
}

/// Aggregates are at most 5 planes of points long (a point, its neighbours and theirs), so that the rows that
/// an owned aggregate is interpolated to lie 5 planes beyond a rank's at most. As many more as smoothing has
/// steps give the residual there.
TEST(SharedMultigrid, HoldsSomePlanesOfItsNeighbours) {
  auto const a = poisson(4, 4, 400, 0.01);
  for (int const degree : {1, 2, 3}) {
    on_thread_ranks(2, [&](std::shared_ptr<Ranks> const& ranks) {
      Part const part(a, {0, a.rows() / 2, a.rows()}, ranks);
      Multigrid<double, Host> shared(Host{}, a.view(), {.degree = degree, .coarsest = 10});
      shared.share(part.sharing(), part.points, 1);
      EXPECT_LE(shared.rows(0), part.points.owned() + 16 * (5 + degree));
      EXPECT_GE(shared.rows(0), part.points.owned() + 16 * 2 * degree) << "before the correction, after it";
    });
  }
}

/// By Jacobi's method a product's ghosts are read; a multigrid brings its own.
TEST(SharedKrylov, HasTheBitsOfOneByEveryMethod) {
  auto const a = poisson(9, 8, 7, 0.1);
  auto const b = random_vector(a.size(), 3);
  constexpr std::int32_t restart = 7;
  Tolerance const tolerance{.relative = 1e-9, .iterations = 80, .check_every = 1};
  struct Solved {
    std::vector<double> x;
    int iterations, exchanges, sums;
  };
  auto const solved = [&](int method, bool multigrid, Guess guess, CsrView<double const> matrix,
                          std::vector<double> const& right, Sharing<Host> const& sharing,
                          test::CountedRank const* rank) {
    std::unique_ptr<KrylovSolver<double, Host>> solver;
    auto const size = static_cast<std::int64_t>(right.size());
    if (method == 0) {
      solver = std::make_unique<ConjugateGradients<double, Host>>(Host{}, size, tolerance,
                                                                  Norm::preconditioned, sharing);
    } else if (method == 1) {
      solver = std::make_unique<BiCgStab<double, Host>>(Host{}, size, tolerance, Side::right, sharing);
    } else if (method == 3) {
      solver = std::make_unique<ConjugateResiduals<double, Host>>(Host{}, size, tolerance,
                                                                  Norm::preconditioned, sharing);
    } else {
      solver = std::make_unique<Gmres<double, Host>>(Host{}, size, tolerance, restart, Side::left, sharing);
    }
    MatrixOperator<double, double, Host> product(Host{}, matrix, sharing.ghosts);
    std::unique_ptr<LinearOperator<double, Host>> preconditioner;
    if (multigrid) {
      auto made = std::make_unique<Multigrid<double, Host>>(Host{}, a.view());
      EXPECT_EQ(made->levels(), 2);
      if (rank != nullptr) made->share(sharing, *sharing.points, 1);
      preconditioner = std::move(made);
    } else {
      preconditioner = std::make_unique<Jacobi<double, double, Host>>(Host{}, matrix, sharing.ghosts);
    }
    std::vector<double> x(right.size(), 0);
    auto const exchanges = rank == nullptr ? 0 : rank->exchanges, sums = rank == nullptr ? 0 : rank->sums;
    auto const report = solver->solve(product, preconditioner.get(), right.data(), x.data(), guess);
    EXPECT_EQ(report.outcome, Outcome::converged);
    return rank == nullptr ? Solved{x, report.iterations, 0, 0}
                           : Solved{x, report.iterations, rank->exchanges - exchanges, rank->sums - sums};
  };
  for (int method = 0; method < 4; ++method) {
    for (bool const multigrid : {false, true}) {
      auto const alone = solved(method, multigrid, Guess::given, a.view(), b, {}, nullptr);
      // Products with the matrix, cycles and sums over ranks: at the start, in an iteration, at a restart.
      auto const restarts = method == 2 ? (alone.iterations - 1) / restart : 0;
      auto const count = [&](int start, int each) { return start + each * alone.iterations + restarts; };
      struct Counts {
        int products, cycles, sums;
      } const counts[4] = {{count(1, 1), count(2, 1), count(2, 2)},
                           {count(1, 2), count(0, 2), count(2, 3)},
                           {count(1, 1), count(2, 1), count(2, 2)},
                           {count(1, 1), count(2, 1), count(2, 2)}};
      for (auto const guess : {Guess::given, Guess::zero}) {
        // What 0 leaves out: a product and, where the preconditioned residual is measured, a cycle, and where
        // nothing else is summed with it the norm of the right-hand side, which the residual has.
        auto expected = counts[method];
        if (guess == Guess::zero) {
          --expected.products;
          expected.cycles -= method == 1 ? 0 : 1;
          expected.sums -= method % 2 == 1 ? 1 : 0;
        }
        for (int const size : {2, 5}) {
          SCOPED_TRACE(testing::Message() << "method " << method << " on " << size << " ranks");
          on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
            // Devices ask in each column for the sums of a second pass; hosts where it is due, which with the
            // multigrid is once.
            for (bool const beside_devices : {false, true}) {
              auto const counted = std::make_shared<test::CountedRank>(ranks);
              counted->set_mixed(beside_devices);
              Part const part(a, uneven(a.rows(), size), counted);
              auto const mine =
                  solved(method, multigrid, guess, part.matrix(), part.of(b), part.sharing(), counted.get());
              EXPECT_EQ(mine.x, part.of(alone.x));
              EXPECT_EQ(mine.iterations, alone.iterations);
              EXPECT_EQ(mine.exchanges, multigrid ? 2 * expected.cycles : expected.products);
              auto const twice = method != 2 ? 0 : beside_devices ? alone.iterations : multigrid ? 1 : 0;
              EXPECT_EQ(mine.sums, expected.sums + twice);
            }
          });
        }
      }
    }
  }
}

/// Three numbers a row.
TEST(SharedKrylov, HasThemForVectorsOfThreeComponents) {
  auto const a = poisson(7, 6, 5, 0.1);
  auto const b = random_vector(3 * a.size(), 3);
  auto const solved = [&](CsrView<double const> matrix, std::vector<double> const& right,
                          Sharing<Host> const& sharing) {
    BiCgStab<double, Host> solver(Host{}, static_cast<std::int64_t>(right.size()),
                                  {.relative = 1e-9, .iterations = 80}, Side::left, sharing);
    MatrixOperator<double, double, Host, Blocks::shared> product(Host{}, matrix, sharing.ghosts);
    Jacobi<double, double, Host, Blocks::shared> jacobi(Host{}, matrix, sharing.ghosts);
    std::vector<double> x(right.size(), 0);
    solver.solve(product, &jacobi, right.data(), x.data());
    return x;
  };
  auto const alone = solved(a.view(), b, {});
  on_thread_ranks(3, [&](std::shared_ptr<Ranks> const& ranks) {
    Part part(a, uneven(a.rows(), 3), ranks);
    part.exchange =
        std::make_unique<ListExchange<Host>>(Host{}, part.link, ghost_lists(*ranks, part.points), 24);
    auto const of = [&](std::vector<double> const& whole) {
      std::vector<double> some;
      for (auto const n : part.points.numbers()) {
        for (std::size_t c = 0; c < 3; ++c) some.push_back(whole[3 * static_cast<std::size_t>(n) + c]);
      }
      return some;
    };
    auto sharing = part.sharing();
    sharing.first *= 3, sharing.owned *= 3;
    EXPECT_EQ(solved(part.matrix(), of(b), sharing), of(alone));
  });
}

}  // namespace
