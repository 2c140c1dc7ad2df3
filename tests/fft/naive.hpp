// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <vector>

#include "fft/transforms.hpp"

namespace fft_test {

using Number = std::complex<float128>;

inline Number product(Number const& a, Number const& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// exp(-2 pi i k / n) for all k by the library's sine and cosine.
inline std::vector<Number> circle(std::int32_t n) {
  std::vector<Number> w;
  float128 const turn = 8 * math::atan2(float128(1), float128(1));
  for (std::int32_t k = 0; k < n; ++k) {
    float128 const angle = turn * float128(k) / float128(n);
    w.emplace_back(math::cos(angle), -math::sin(angle));
  }
  return w;
}

/// The sum that defines the transform, wavenumbers 0 to `wavenumbers` - 1.
inline std::vector<Number> naive(std::vector<Number> const& x, std::size_t wavenumbers) {
  auto const w = circle(std::int32_t(x.size()));
  std::vector<Number> y(wavenumbers);
  for (std::size_t k = 0; k < wavenumbers; ++k) {
    for (std::size_t j = 0; j < x.size(); ++j) y[k] += product(x[j], w[j * k % x.size()]);
  }
  return y;
}

/// A plane's transform, row after row of pairs() numbers.
template <class T>
std::vector<Number> naive_plane(Shape shape, std::vector<T> const& x) {
  auto const pairs = std::size_t(shape.pairs()), ny = std::size_t(shape.ny);
  std::vector<Number> result(ny * pairs);
  for (std::size_t y = 0; y < ny; ++y) {
    std::vector<Number> row;
    for (std::int32_t i = 0; i < shape.nx; ++i)
      row.emplace_back(float128(x[shape.at(0, std::int32_t(y), i)]), 0);
    auto const along_x = naive(row, pairs);
    std::copy(along_x.begin(), along_x.end(), result.begin() + std::ptrdiff_t(y * pairs));
  }
  for (std::size_t i = 0; i < pairs; ++i) {
    std::vector<Number> column;
    for (std::size_t y = 0; y < ny; ++y) column.push_back(result[y * pairs + i]);
    auto const along_y = naive(column, ny);
    for (std::size_t y = 0; y < ny; ++y) result[y * pairs + i] = along_y[y];
  }
  return result;
}

}  // namespace fft_test
