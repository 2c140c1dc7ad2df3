// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/executor.hpp"
#include "precision/formats.hpp"

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
  /// Size of the memory used besides the planes.
  virtual std::int64_t work_bytes() const { return 0; }
};

/// Which of a plane's lines are transformed, for ranks that share planes: all, rows alone (of some of a
/// plane's rows, say), or columns alone: of `nx` then so many wavenumbers along x. One after the other they
/// are the whole, in our own transforms to the bit. In columns of rows together the rows of all planes for
/// one wavenumber along y lie after those for another.
enum class PlaneLines { all, rows, columns, columns_of_rows_together };

/// For `planes` planes of ny rows that lie one after the other; by FFTW on the host (float, double, float128)
/// and by cuFFT on a device (float, double), which do not agree in the last bits. DoubleFloat: our own.
template <class T>
std::unique_ptr<PlaneTransform<T>> make_vendor_transform(Host host, std::int32_t planes, std::int32_t ny,
                                                         std::int32_t nx, PlaneLines lines = PlaneLines::all);
template <class T>
std::unique_ptr<PlaneTransform<T>> make_vendor_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                         std::int32_t nx, PlaneLines lines = PlaneLines::all);

/// Our own: the same bits on host and device, for any number of threads, block size and number of planes, and
/// whichever other planes there are; where all values are finite. Any ny, nx >= 1: radices 2, 3, 4, 5, 7 and
/// 8, other sizes by Bluestein's convolution. In the inverse the imaginary parts of wavenumbers 0 and nx / 2
/// (nx even) along x, after that along y, do not count; an odd row's padding becomes 0. Both operands of
/// every product are rounded to Format, but those of scaling by 1 / 2; products and sums have type T (so that
/// Binary16 has infinities from 65520 on). float with any Format (Exact, Tf32, Bfloat16, Binary16); Exact
/// also with double, DoubleFloat and, on the host, float128. On a device `planes` is aligned to pairs.
/// InputError for a size below 1.
template <class T, class Format = Exact>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(Host host, std::int32_t planes, std::int32_t ny,
                                                           std::int32_t nx,
                                                           PlaneLines lines = PlaneLines::all);
template <class T, class Format = Exact>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(Cuda cuda, std::int32_t planes, std::int32_t ny,
                                                           std::int32_t nx,
                                                           PlaneLines lines = PlaneLines::all);

}  // namespace ulpine
