// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/exec/random.hpp"
#include "core/linalg/csr.hpp"
#include "core/linalg/kernels.hpp"
#include "precision/arithmetic.hpp"
#include "precision/double_float.hpp"

namespace ulpine::linalg {

/// Random numbers in [-1, 1) that are functions of the row: uniform_symmetric() rounded to T, for two floats
/// without doubles.
template <class T>
struct RandomStart {
  static constexpr std::uint64_t seed = 1;
  static constexpr std::uint32_t name = name_key("chebyshev");
  T* v;
  ULPINE_HD void operator()(std::int64_t i) const {
    if constexpr (std::is_same_v<T, DoubleFloat>) {
      auto const position = static_cast<std::uint64_t>(i);
      auto const [words] = philox_block(
          {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32), 0, name},
          {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
      auto const bits = static_cast<std::int64_t>(std::uint64_t{words[1]} << 32 | words[0]);
      v[i] = DoubleFloat(bits >> 10) * DoubleFloat(0x1p-53f);
    } else {
      v[i] = T(uniform_symmetric(seed, 0, name, i));
    }
  }
};

/// |D^-1 A| summed along each row: no eigenvalue is larger than the largest sum.
template <class T>
struct RowSize {
  CsrPattern pattern;
  T const *value, *inverse;
  T* size;
  ULPINE_HD void operator()(std::int64_t row) const {
    T sum = T(0);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) sum += math::abs(value[e]);
    size[row] = sum * math::abs(inverse[row]);
  }
};

/// v = D^-1 w.
template <class T>
struct DividedByDiagonal {
  T const *inverse, *w;
  T* v;
  ULPINE_HD void operator()(std::int64_t i) const { v[i] = inverse[i] * w[i]; }
};

/// v <- v / sqrt(square).
template <class T>
struct DividedByNorm {
  T const* square;
  T* v;
  ULPINE_HD void operator()(std::int64_t i) const {
    auto const norm = math::sqrt(*square);
    if (norm != T(0)) v[i] = v[i] / norm;
  }
};

/// Coefficients of the polynomial's steps, in pairs from numbers[3] on: of the last change, and of the
/// residual. numbers[0] to [2]: the eigenvalue, the power method's square, Gershgorin's bound.
template <class T>
struct ChebyshevNumbers {
  int degree;
  T part;
  T* numbers;

  ULPINE_HD void operator()(std::int64_t) const {
    auto const estimate = math::sqrt(numbers[1]) * (T(11) / T(10));
    auto const largest = math::min(estimate, numbers[2]);
    numbers[0] = largest;
    auto const least = part * largest;
    auto const middle = (largest + least) / T(2), half = (largest - least) / T(2);
    auto* const steps = numbers + 3;
    auto const sigma = middle / half;
    auto rho = T(1) / sigma;
    steps[0] = T(0);
    steps[1] = T(1) / middle;
    for (int k = 1; k < degree; ++k) {
      auto const next = T(1) / (T(2) * sigma - rho);
      steps[2 * k] = next * rho;
      steps[2 * k + 1] = T(2) * next / half;
      rho = next;
    }
  }
};

/// A step of the polynomial: d <- keep d + gain D^-1 r, y = x + d, in Y, T or wider.
template <class T, class Y = T>
struct ChebyshevStep {
  T const* step;
  bool first;
  T const* inverse;
  T* d;
  Y* y;

  /// x is 0 where it is absent.
  ULPINE_HD void operator()(std::int64_t i, T r, T const* x) const {
    auto const gained = step[1] * (inverse[i] * r);
    auto const change = first ? gained : math::fma(step[0], d[i], gained);
    d[i] = change;
    y[i] = static_cast<Y>(x == nullptr ? change : x[i] + change);
  }
};
/// A step of the polynomial from x = 0, whose residual is b.
template <class T>
struct ChebyshevStart {
  ChebyshevStep<T> step;
  T const* b;
  ULPINE_HD void operator()(std::int64_t i) const { step(i, b[i], nullptr); }
};
/// The same with b rounded from V and kept.
template <class T, class V>
struct ChebyshevStartOf {
  ChebyshevStep<T> step;
  V const* b;
  T* kept;
  ULPINE_HD void operator()(std::int64_t i) const {
    auto const own = static_cast<T>(b[i]);
    kept[i] = own;
    step(i, own, nullptr);
  }
};
/// A step of the polynomial from any x, which y is not: its residual is a sum over rows (row_sum.hpp).
template <class T, class Y = T>
struct ChebyshevSweep {
  using Value = T;
  static constexpr int sums = 1;
  static constexpr bool is_matrix_times_vector = true;
  CsrPattern pattern;
  T const *value, *x, *b;
  ChebyshevStep<T, Y> step;

  using Entry = MatrixEntry<T, 1>;
  struct Part {
    T a, from;
  };
  ULPINE_HD Entry entry(std::int32_t e) const { return {{value[e]}, pattern.column[e]}; }
  ULPINE_HD Part part(Entry const& entry) const { return {entry.a[0], x[entry.column]}; }
  ULPINE_HD void add(Part const& part, T (&sum)[1]) const { sum[0] = math::fma(part.a, part.from, sum[0]); }
  ULPINE_HD void put(std::int64_t row, T const (&sum)[1]) const { step(row, b[row] - sum[0], x); }
};

}  // namespace ulpine::linalg
