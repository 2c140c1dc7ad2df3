// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/linalg/kernels.hpp"
#include "core/linalg/matrix.hpp"
#include "core/linalg/pattern.hpp"
#include "support/random_values.hpp"

/// Matrices of which enough is known, and their solutions by other means.
namespace linalg_test {

using namespace ulpine;
using namespace ulpine::linalg;

/// A matrix on the host.
template <class T = double>
struct Matrix {
  HostPattern pattern;
  std::vector<T> value;

  std::int32_t rows() const { return pattern.rows(); }
  std::size_t size() const { return static_cast<std::size_t>(rows()); }
  CsrView<T const> view() const { return {pattern.view(), value.data()}; }
};

/// Collects entries in any order; equal places add up.
class Entries {
 public:
  explicit Entries(std::int32_t rows, std::int32_t columns) : rows_(static_cast<std::size_t>(rows)) {
    columns_ = columns;
  }
  void add(std::int32_t i, std::int32_t j, double value) { rows_[static_cast<std::size_t>(i)][j] += value; }
  Matrix<> matrix() const {
    Matrix<> result;
    result.pattern.columns = columns_;
    for (auto const& row : rows_) {
      for (auto const& [column, value] : row) {
        result.pattern.column.push_back(column);
        result.value.push_back(value);
      }
      result.pattern.start.push_back(static_cast<std::int32_t>(result.pattern.column.size()));
    }
    return result;
  }

 private:
  std::vector<std::map<std::int32_t, double>> rows_;
  std::int32_t columns_ = 0;
};

/// The Laplacian (2 on the diagonal for each axis, -1 to neighbours) on nx * ny * nz points, 0 around them;
/// `mass` is added to the diagonal, and `wind` upwind along each axis.
inline Matrix<> poisson(std::int32_t nx, std::int32_t ny = 1, std::int32_t nz = 1, double mass = 0,
                        double wind = 0) {
  Entries entries(nx * ny * nz, nx * ny * nz);
  std::int32_t const extent[3] = {nx, ny, nz}, stride[3] = {1, nx, nx * ny};
  for (std::int32_t k = 0; k < nz; ++k) {
    for (std::int32_t j = 0; j < ny; ++j) {
      for (std::int32_t i = 0; i < nx; ++i) {
        std::int32_t const at[3] = {i, j, k}, row = i + nx * (j + ny * k);
        entries.add(row, row, mass);
        for (int axis = 0; axis < 3; ++axis) {
          if (extent[axis] == 1) continue;
          entries.add(row, row, 2 + wind);
          if (at[axis] > 0) entries.add(row, row - stride[axis], -1 - wind);
          if (at[axis] + 1 < extent[axis]) entries.add(row, row + stride[axis], -1);
        }
      }
    }
  }
  return entries.matrix();
}

/// Eigenvalue n, from 1 on, of the Laplacian on a line of `points`.
inline double eigenvalue(std::int32_t points, std::int32_t n) {
  auto const half = std::sin(std::numbers::pi * n / (2.0 * (points + 1)));
  return 4 * half * half;
}

/// The Laplacian of a graph: a ring with random chords and weights; constants are its null space.
inline Matrix<> graph_laplacian(std::int32_t n, std::uint64_t seed) {
  test::RandomValues random(seed);
  Entries entries(n, n);
  auto const tie = [&](std::int32_t i, std::int32_t j, double weight) {
    if (i == j) return;
    entries.add(i, i, weight), entries.add(j, j, weight);
    entries.add(i, j, -weight), entries.add(j, i, -weight);
  };
  for (std::int32_t i = 0; i < n; ++i) {
    // Multiples of 2^-10: row sums are exactly zero.
    tie(i, (i + 1) % n, 0x1p-10 * static_cast<double>(1 + random.below(1024)));
    tie(i, static_cast<std::int32_t>(random.below(static_cast<std::size_t>(n))),
        0x1p-10 * static_cast<double>(1 + random.below(1024)));
  }
  return entries.matrix();
}

/// A graph's Laplacian with a positive random diagonal added: symmetric positive definite.
inline Matrix<> random_definite(std::int32_t n, std::uint64_t seed) {
  auto matrix = graph_laplacian(n, seed);
  test::RandomValues random(seed + 1);
  for (std::int32_t i = 0; i < n; ++i) {
    auto const e = entry_of(matrix.pattern.view(), i, i);
    matrix.value[static_cast<std::size_t>(e)] += random.between(0.25, 1);
  }
  return matrix;
}

/// Random off-diagonal values of a random pattern without symmetry, dominated by the diagonal; some rows have
/// the diagonal alone.
inline Matrix<> random_dominant(std::int32_t n, std::uint64_t seed, std::size_t most = 12) {
  test::RandomValues random(seed);
  Entries entries(n, n);
  for (std::int32_t i = 0; i < n; ++i) {
    double sum = 1;
    auto const others = random.below(most);
    for (std::size_t k = 0; k < others; ++k) {
      auto const j = static_cast<std::int32_t>(random.below(static_cast<std::size_t>(n)));
      auto const value = random.normal();
      sum += std::abs(value);
      entries.add(i, j, j == i ? 0 : value);
    }
    entries.add(i, i, sum);
  }
  return entries.matrix();
}

template <class To, class From>
std::vector<To> converted(std::vector<From> const& from) {
  std::vector<To> to;
  for (auto const& value : from) to.push_back(static_cast<To>(value));
  return to;
}
template <class To>
Matrix<To> converted(Matrix<> const& from) {
  return {from.pattern, converted<To>(from.value)};
}

inline std::vector<double> random_vector(std::size_t n, std::uint64_t seed) {
  return test::RandomValues(seed).uniform(n, -1, 1);
}

/// A x in type T, row by row in ascending order.
template <class T, class M>
std::vector<T> product(Matrix<M> const& a, std::vector<T> const& x) {
  std::vector<T> y(a.size(), T(0));
  for (std::int32_t i = 0; i < a.rows(); ++i) {
    for (auto e = a.pattern.start[static_cast<std::size_t>(i)];
         e < a.pattern.start[static_cast<std::size_t>(i) + 1]; ++e) {
      auto const place = static_cast<std::size_t>(e);
      y[static_cast<std::size_t>(i)] +=
          static_cast<T>(a.value[place]) * x[static_cast<std::size_t>(a.pattern.column[place])];
    }
  }
  return y;
}

/// The solution of A x = b by Gauss's elimination with pivots in type T.
template <class T, class M>
std::vector<T> dense_solution(Matrix<M> const& a, std::vector<T> b) {
  auto const n = a.size();
  std::vector<std::vector<T>> m(n, std::vector<T>(n, T(0)));
  for (std::size_t i = 0; i < n; ++i) {
    for (auto e = a.pattern.start[i]; e < a.pattern.start[i + 1]; ++e) {
      m[i][static_cast<std::size_t>(a.pattern.column[static_cast<std::size_t>(e)])] =
          static_cast<T>(a.value[static_cast<std::size_t>(e)]);
    }
  }
  auto const magnitude = [](T const& x) { return x < 0 ? T(-x) : x; };
  for (std::size_t k = 0; k < n; ++k) {
    auto pivot = k;
    for (auto i = k; i < n; ++i) {
      if (magnitude(m[i][k]) > magnitude(m[pivot][k])) pivot = i;
    }
    std::swap(m[k], m[pivot]);
    std::swap(b[k], b[pivot]);
    for (auto i = k + 1; i < n; ++i) {
      T const factor = m[i][k] / m[k][k];
      if (factor == 0) continue;
      for (auto j = k; j < n; ++j) m[i][j] -= factor * m[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (auto k = n; k-- > 0;) {
    for (auto j = k + 1; j < n; ++j) b[k] -= m[k][j] * b[j];
    b[k] /= m[k][k];
  }
  return b;
}

/// The Euclidean norm of x - y, in doubles.
template <class X, class Y>
double distance(std::vector<X> const& x, std::vector<Y> const& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const difference = static_cast<double>(static_cast<Y>(x[i]) - y[i]);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}
template <class X>
double norm(std::vector<X> const& x) {
  return distance(x, std::vector<X>(x.size(), X(0)));
}

/// A matrix and vectors in an executor's memory.
template <class T, class Executor>
class Placed {
 public:
  Placed(Executor executor, Matrix<T> const& matrix)
      : pattern_(executor, matrix.pattern.view()),
        value_(executor, static_cast<std::int64_t>(matrix.value.size())) {
    value_.from_host(matrix.value.data());
  }
  CsrView<T const> view() const { return {pattern_.view(), value_.view().data()}; }
  CsrView<T> writable() { return {pattern_.view(), value_.view().data()}; }

 private:
  SparsePattern<Executor> pattern_;
  Array<T, Executor> value_;
};

template <class T, class Executor>
Array<T, Executor> placed(Executor executor, std::vector<T> const& values) {
  Array<T, Executor> array(executor, static_cast<std::int64_t>(values.size()));
  array.from_host(values.data());
  return array;
}
template <class T, class Executor>
std::vector<T> fetched(Array<T, Executor> const& array) {
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  array.to_host(values.data());
  return values;
}

}  // namespace linalg_test
