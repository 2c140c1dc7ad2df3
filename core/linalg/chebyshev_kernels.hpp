// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/random.hpp"
#include "core/linalg/csr.hpp"
#include "precision/arithmetic.hpp"

namespace ulpine::linalg {

template <class T>
struct RandomStart {
  T* v;
  ULPINE_HD void operator()(std::int64_t i) const {
    constexpr std::uint32_t name = name_key("chebyshev");
    v[i] = T(uniform_symmetric(1, 0, name, i));
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

/// What the steps of the polynomial keep of the last change and take of the residual, in pairs from
/// numbers[3] on; numbers: the eigenvalue, the power method's square, Gershgorin's bound.
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

/// d <- keep d + gain D^-1 r, x <- x + d.
template <class T>
struct ChebyshevStep {
  T const* step;
  bool first, from_zero;
  T const *inverse, *r;
  T *d, *x;
  ULPINE_HD void operator()(std::int64_t i) const {
    auto const gained = step[1] * (inverse[i] * r[i]);
    auto const change = first ? gained : math::fma(step[0], d[i], gained);
    d[i] = change;
    x[i] = from_zero ? change : x[i] + change;
  }
};

}  // namespace ulpine::linalg
