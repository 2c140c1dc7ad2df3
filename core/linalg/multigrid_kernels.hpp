// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/linalg/chebyshev_kernels.hpp"
#include "core/linalg/csr.hpp"
#include "core/linalg/kernels.hpp"
#include "precision/arithmetic.hpp"

namespace ulpine::linalg {

/// An entry of P = (1 - 4/3 / lambda D^-1 A) P0, where P0 is 1 between a row and its aggregate.
template <class T>
struct SmoothedProlongation {
  CsrPattern pattern;
  T const *value, *inverse, *eigenvalue;
  std::int32_t const *aggregate, *row, *column;  ///< row and column of each entry of P
  T* target;

  ULPINE_HD void operator()(std::int64_t entry) const {
    auto const i = row[entry];
    T sum = T(0);
    for (auto e = pattern.start[i]; e < pattern.start[i + 1]; ++e) {
      if (aggregate[pattern.column[e]] == column[entry]) sum += value[e];
    }
    auto const factor = T(4) / (T(3) * *eigenvalue);
    auto const own = aggregate[i] == column[entry] ? T(1) : T(0);
    target[entry] = math::fma(-factor * inverse[i], sum, own);
  }
};

/// The sum of a row's entries over its diagonal; -1 where that is missing or not positive.
template <class T>
struct ShareOfDiagonal {
  CsrPattern pattern;
  T const* value;
  T* share;
  ULPINE_HD void operator()(std::int64_t row) const {
    auto const own = entry_of(pattern, row, static_cast<std::int32_t>(row));
    T sum = T(0);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) sum += value[e];
    share[row] = own == no_entry || value[own] <= T(0) ? T(-1) : sum / value[own];
  }
};

/// A row of the matrix as a dense one, and the size of its diagonal.
template <class T>
struct DenseRow {
  CsrPattern pattern;
  T const* value;
  T *dense, *size;
  ULPINE_HD void operator()(std::int64_t row) const {
    std::int64_t const n = pattern.rows;
    for (std::int64_t j = 0; j < n; ++j) dense[row * n + j] = T(0);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      dense[row * n + pattern.column[e]] = value[e];
    }
    size[row] = math::abs(dense[row * n + row]);
  }
};

/// Gauss and Jordan's inversion in place, pivot k: first its row and column are kept aside.
template <class T>
struct PivotCopy {
  std::int64_t n, k;
  T const* dense;
  T *row, *column;
  ULPINE_HD void operator()(std::int64_t i) const {
    row[i] = dense[k * n + i];
    column[i] = dense[i * n + k];
  }
};
/// Pivots that are rounding errors stand for a null space: that unknown is 0.
template <class T>
struct PivotStep {
  std::int64_t n, k;
  T negligible;
  T const *row, *column, *size;
  T* dense;
  ULPINE_HD void operator()(std::int64_t entry) const {
    auto const i = entry / n, j = entry % n;
    auto const pivot = row[k];
    auto const inverse = math::abs(pivot) <= negligible * size[k] ? T(0) : T(1) / pivot;
    if (i == k) {
      dense[entry] = j == k ? inverse : row[j] * inverse;
    } else if (j == k) {
      dense[entry] = -(column[i] * inverse);
    } else {
      dense[entry] = math::fma(-(column[i] * inverse), row[j], dense[entry]);
    }
  }
};

/// x = A b with A dense, in Y, T or wider.
template <class T, class Y = T>
struct DenseProduct {
  std::int64_t n;
  T const *dense, *b;
  Y* x;
  ULPINE_HD void operator()(std::int64_t row) const {
    T sum = T(0);
    for (std::int64_t j = 0; j < n; ++j) sum = math::fma(dense[row * n + j], b[j], sum);
    x[row] = static_cast<Y>(sum);
  }
};

/// A restriction's product as the right-hand side of a coarser level, and smoothing's first step there.
template <class T>
struct StartedProduct {
  using Value = T;
  static constexpr int sums = 1;
  static constexpr bool is_matrix_times_vector = true;
  CsrPattern pattern;
  T const *value, *x;
  T* b;
  ChebyshevStep<T> step;

  using Entry = MatrixEntry<T, 1>;
  struct Part {
    T a, from;
  };
  ULPINE_HD Entry entry(std::int32_t e) const { return {{value[e]}, pattern.column[e]}; }
  ULPINE_HD Part part(Entry const& entry) const { return {entry.a[0], x[entry.column]}; }
  ULPINE_HD void add(Part const& part, T (&sum)[1]) const { sum[0] = math::fma(part.a, part.from, sum[0]); }
  ULPINE_HD void put(std::int64_t row, T const (&sum)[1]) const {
    b[row] = sum[0];
    step(row, sum[0], nullptr);
  }
};

/// Values in another type.
template <class From, class To>
struct Rounded {
  From const* source;
  To* target;
  ULPINE_HD void operator()(std::int64_t i) const { target[i] = static_cast<To>(source[i]); }
};
/// Values from other places, in another type.
template <class From, class To>
struct RoundedFrom {
  std::int32_t const* index;
  From const* source;
  To* target;
  ULPINE_HD void operator()(std::int64_t i) const { target[i] = static_cast<To>(source[index[i]]); }
};

}  // namespace ulpine::linalg
