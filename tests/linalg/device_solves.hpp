// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "core/linalg/krylov.hpp"
#include "core/linalg/multigrid.hpp"
#include "core/stage/graph.hpp"
#include "linalg/solving.hpp"

/// Solves on a device whose bits have to be the host's, for numbers of any type T.
namespace linalg_test {

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
void expect_same_solution(Solved<T> const& found, Solved<T> const& expected) {
  EXPECT_EQ(found.report.outcome, expected.report.outcome);
  EXPECT_EQ(found.report.iterations, expected.report.iterations);
  if (expected.report.outcome == Outcome::not_finite) return;
  EXPECT_TRUE(same_bits(found.history, expected.history));
  EXPECT_TRUE(same_bits(found.x, expected.x));
}

/// check(make, symmetric) for solvers of n rows of all kinds, with the preconditioner on either side:
/// make(executor) makes one, which takes symmetric positive definite systems alone where `symmetric`.
template <class T, class Check>
void for_each_solver(std::int64_t n, Tolerance const& tolerance, Check const& check) {
  constexpr std::int32_t restart = 11;
  check([&]<class E>(E executor) { return ConjugateGradients<T, E>(executor, n, tolerance); }, true);
  for (auto const side : {Side::left, Side::right}) {
    auto const norm = side == Side::left ? Norm::preconditioned : Norm::unpreconditioned;
    check([&]<class E>(E executor) { return BiCgStab<T, E>(executor, n, tolerance, side); }, false);
    check([&]<class E>(E executor) { return ConjugateResiduals<T, E>(executor, n, tolerance, norm); }, false);
    check([&]<class E>(E executor) { return Gmres<T, E>(executor, n, tolerance, restart, side); }, false);
  }
}

/// Of two systems with the right side b, the first of which is symmetric and positive definite, by solvers of
/// all kinds, to residuals of `relative` of b.
template <class T>
void expect_host_bits_of_solvers(Cuda cuda, Matrix<T> const& definite, Matrix<T> const& general,
                                 std::vector<T> const& b, double relative) {
  for (std::int32_t const check_every : {0, 16}) {
    Tolerance const tolerance{.relative = relative, .iterations = 90, .check_every = check_every};
    for_each_solver<T>(general.size(), tolerance, [&](auto const& make, bool symmetric) {
      auto const& a = symmetric ? definite : general;
      auto on_host = make(Host{2});
      auto on_device = make(cuda);
      auto const expected = solve(on_host, Host{2}, a, b);
      EXPECT_EQ(expected.report.outcome, Outcome::converged);
      expect_same_solution(solve(on_device, cuda, a, b), expected);
    });
  }
}

/// Of the right sides one after the other by the same solvers. The second solve of a system is recorded, the
/// third repeats the record.
template <class T>
void expect_host_bits_of_repeated_solves(Cuda cuda, Matrix<T> const& definite,
                                         std::vector<std::vector<T>> const& rights, double relative) {
  auto const n = definite.size();
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
  for (std::int32_t const iterations : {9, 90}) {
    Tolerance const tolerance{.relative = relative, .iterations = iterations, .check_every = 2};
    for_each_solver<T>(n, tolerance, [&](auto const& make, bool /*symmetric*/) {
      auto const expected = solved(Host{2}, make), found = solved(cuda, make);
      for (std::size_t i = 0; i < rights.size(); ++i) {
        SCOPED_TRACE(i);
        expect_same_solution(found[i], expected[i]);
      }
    });
  }
}

/// A solve that is recorded gives the bits of one that is not, as often as it is launched.
template <class T>
void expect_bits_of_recorded_solve(Cuda cuda, Matrix<T> const& definite, std::vector<T> const& b) {
  Placed<T, Cuda> const a(cuda, definite);
  MatrixOperator<T, T, Cuda> multiply(cuda, a.view());
  Jacobi<T, T, Cuda> jacobi(cuda, a.view());
  auto const rhs = placed(cuda, b);
  Array<T, Cuda> x(cuda, rhs.size());
  ConjugateGradients<T, Cuda> cg(cuda, rhs.size(), {.relative = 1e-9, .iterations = 60, .check_every = 0});
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
    EXPECT_TRUE(same_bits(fetched(x), expected));
  }
}

/// Of cycles of several depths and degrees, so that they end in every way: with coarse levels that are one
/// launch, and with coarsest ones of at most so many rows that are solved or smoothed. T is the cycle's type,
/// b and its vectors are of V.
template <class T, class V>
void expect_host_bits_of_multigrid(Cuda cuda, Matrix<T> const& a, std::vector<V> const& b,
                                   std::initializer_list<std::int32_t> coarsest) {
  for (int const degree : {1, 2, 3}) {
    for (auto const rows : coarsest) {
      for (std::int32_t const screened_rows : {0, 4096}) {
        MultigridOptions options{.degree = degree, .coarsest = rows, .screened_rows = screened_rows};
        options.wide_vectors = sizeof(V) > sizeof(T);
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
        EXPECT_TRUE(same_bits(applied(cuda), applied(Host{2})))
            << sizeof(T) << " bytes, degree " << degree << ", " << rows << " rows";
      }
    }
  }
}

}  // namespace linalg_test
