// SPDX-License-Identifier: Apache-2.0
#include "core/fft/portable_cuda_impl.hpp"
#include "ulpine_instances.hpp"

namespace ulpine::fft {

template <class T>
using Pointer = std::unique_ptr<PlaneTransform<T>>;
using Size = std::int32_t;
template Pointer<float> make_portable_transform<float, Exact>(Cuda, Size, Size, Size, DeviceSchedule,
                                                              PlaneLines);
#define ULPINE_INSTANTIATE(T, Format) \
  template Pointer<T> make_portable_transform<T, Format>(Cuda, Size, Size, Size, DeviceSchedule, PlaneLines);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE
template Pointer<double> make_portable_transform<double, Exact>(Cuda, Size, Size, Size, DeviceSchedule,
                                                                PlaneLines);

}  // namespace ulpine::fft

namespace ulpine {

template fft::Pointer<float> make_portable_transform<float, Exact>(Cuda, fft::Size, fft::Size, fft::Size,
                                                                   PlaneLines);
#define ULPINE_INSTANTIATE(T, Format)                                                                \
  template fft::Pointer<T> make_portable_transform<T, Format>(Cuda, fft::Size, fft::Size, fft::Size, \
                                                              PlaneLines);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE
template fft::Pointer<double> make_portable_transform<double, Exact>(Cuda, fft::Size, fft::Size, fft::Size,
                                                                     PlaneLines);

template <class T>
using RowsPointer = std::unique_ptr<RowsInPieces<T>>;
template RowsPointer<float> make_portable_rows_in_pieces<float, Exact>(Cuda, RowsOfLevels const&);
#define ULPINE_INSTANTIATE(T, Format) \
  template RowsPointer<T> make_portable_rows_in_pieces<T, Format>(Cuda, RowsOfLevels const&);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE
template RowsPointer<double> make_portable_rows_in_pieces<double, Exact>(Cuda, RowsOfLevels const&);

}  // namespace ulpine
