// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "precision/quad.hpp"
// Needs the arithmetic of 113 bits declared.
#include "core/fft/plane_transform.hpp"
#include "support/random_values.hpp"

namespace fft_test {

using namespace ulpine;

/// All radices alone and mixed, powers, primes that need Bluestein's way, and their products.
inline std::vector<std::int32_t> sizes() {
  std::vector<std::int32_t> all;
  for (std::int32_t n = 1; n <= 40; ++n) all.push_back(n);
  for (std::int32_t const n : {45,  48,  49,  60,  64,  77,  97,  100,  105,  121,  128, 169,
                               243, 256, 343, 360, 512, 625, 997, 1000, 1024, 2048, 2187}) {
    all.push_back(n);
  }
  return all;
}

struct Shape {
  std::int32_t planes, ny, nx;
  std::int32_t pairs() const { return nx / 2 + 1; }
  std::size_t values() const { return std::size_t(planes) * std::size_t(ny) * std::size_t(pairs()) * 2; }
  std::size_t at(std::int32_t plane, std::int32_t y, std::int32_t value) const {
    return ((std::size_t(plane) * std::size_t(ny) + std::size_t(y)) * std::size_t(pairs())) * 2 +
           std::size_t(value);
  }
};

/// Random reals that are values of float too; the padding is 0.
template <class T>
std::vector<T> random_planes(Shape shape, std::uint64_t seed) {
  test::RandomValues random(seed);
  std::vector<T> x(shape.values());
  for (std::int32_t k = 0; k < shape.planes; ++k) {
    for (std::int32_t y = 0; y < shape.ny; ++y) {
      for (std::int32_t i = 0; i < shape.nx; ++i) x[shape.at(k, y, i)] = T(float(random.normal()));
    }
  }
  return x;
}

template <class T, class Format = Exact>
std::vector<T> forward(Host host, Shape shape, std::vector<T> x) {
  make_portable_transform<T, Format>(host, shape.planes, shape.ny, shape.nx)->forward(x.data());
  return x;
}
template <class T, class Format = Exact>
std::vector<T> inverse(Host host, Shape shape, std::vector<T> x) {
  make_portable_transform<T, Format>(host, shape.planes, shape.ny, shape.nx)->inverse(x.data());
  return x;
}

}  // namespace fft_test
