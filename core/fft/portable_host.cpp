// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/fft/portable_host.hpp"
#include "ulpine_instances.hpp"

namespace ulpine {

template <class T, class Format>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(Host host, std::int32_t planes, std::int32_t ny,
                                                           std::int32_t nx, PlaneLines lines) {
  fft::require_plane(planes, ny, nx);
  fft::take_as_one_plane(planes, nx, lines);
  return std::make_unique<fft::PortableHost<T, Format>>(host, planes, ny, nx, lines);
}

template <class T>
using Pointer = std::unique_ptr<PlaneTransform<T>>;
using Size = std::int32_t;
template Pointer<float> make_portable_transform<float, Exact>(Host, Size, Size, Size, PlaneLines);
#define ULPINE_INSTANTIATE(T, Format) \
  template Pointer<T> make_portable_transform<T, Format>(Host, Size, Size, Size, PlaneLines);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE
template Pointer<double> make_portable_transform<double, Exact>(Host, Size, Size, Size, PlaneLines);
template Pointer<float128> make_portable_transform<float128, Exact>(Host, Size, Size, Size, PlaneLines);

}  // namespace ulpine
