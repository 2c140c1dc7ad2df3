// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

// Sums in the order of NumPy's, so that published rules that are written with NumPy get the same bits.

namespace ulpine::verification::consistency::numpy {

/// The sum of contiguous values as `numpy.sum` adds them: in blocks of at most 128, each in eight sums that
/// are added in pairs; longer ones are halved at a multiple of eight.
template <class T>
T sum(std::span<T const> values) {
  auto const n = values.size();
  if (n < 8) {
    T total = 0;
    for (auto const value : values) total += value;
    return total;
  }
  if (n <= 128) {
    T r[8];
    for (std::size_t k = 0; k < 8; ++k) r[k] = values[k];
    std::size_t i = 8;
    for (; i < n - n % 8; i += 8) {
      for (std::size_t k = 0; k < 8; ++k) r[k] += values[i + k];
    }
    auto total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) total += values[i];
    return total;
  }
  auto half = n / 2;
  half -= half % 8;
  return sum(values.first(half)) + sum(values.subspan(half));
}

/// As `numpy.mean`.
inline double mean(std::span<double const> values) { return sum(values) / double(values.size()); }

/// As `numpy.std(..., ddof=1)`. `scratch` has the size of `values`.
inline double deviation(std::span<double const> values, std::span<double> scratch) {
  auto const centre = mean(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const difference = values[i] - centre;
    scratch[i] = difference * difference;
  }
  return std::sqrt(sum(std::span<double const>(scratch)) / double(values.size() - 1));
}

}  // namespace ulpine::verification::consistency::numpy
