// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/executor.hpp"

namespace ulpine {

/// Real two-dimensional Fourier transforms of planes, in place: rows of nx values take up 2 (nx / 2 + 1),
/// which afterwards are as many pairs (real, imaginary) of wavenumbers 0 to nx / 2 along x; along y
/// wavenumbers count up to ny - 1, those above ny / 2 being negative. forward: sum of x exp(-i ...); inverse:
/// exp(+i ...). Neither scales.
template <class T>
class PlaneTransform {
 public:
  virtual ~PlaneTransform() = default;
  virtual void forward(T* planes) = 0;
  virtual void inverse(T* planes) = 0;
  /// Of memory besides the planes.
  virtual std::int64_t work_bytes() const { return 0; }
};

/// For `planes` planes of ny rows that lie one after the other; by FFTW on the host (float, double, float128)
/// and by cuFFT on a device (float, double), which do not agree in the last bits.
template <class T>
std::unique_ptr<PlaneTransform<T>> make_vendor_transform(Host host, std::int32_t planes, std::int32_t ny,
                                                         std::int32_t nx);
template <class T>
std::unique_ptr<PlaneTransform<T>> make_vendor_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                         std::int32_t nx);

}  // namespace ulpine
