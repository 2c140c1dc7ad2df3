// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/executor.hpp"

namespace shallow_water {

/// Real Fourier transforms of planes, in place: rows of nx values take up 2 (nx / 2 + 1), as many pairs
/// afterwards. Neither direction scales. By FFTW on the host and by cuFFT on a device, which do not agree in
/// the last bits.
template <class T>
class PlaneTransform {
 public:
  virtual ~PlaneTransform() = default;
  virtual void forward(T* planes) = 0;
  virtual void inverse(T* planes) = 0;
};

/// For `planes` planes of ny rows that lie one after the other.
template <class T>
std::unique_ptr<PlaneTransform<T>> make_transform(ulpine::Host host, std::int32_t planes, std::int32_t ny,
                                                  std::int32_t nx);
template <class T>
std::unique_ptr<PlaneTransform<T>> make_transform(ulpine::Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                  std::int32_t nx);

}  // namespace shallow_water
