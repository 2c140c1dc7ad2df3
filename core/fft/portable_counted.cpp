// SPDX-License-Identifier: Apache-2.0
#include "core/fft/portable_counted.hpp"

#include "core/fft/portable_host.hpp"
#include "precision/counted_number.hpp"

namespace ulpine {

/// Lines one by one: operations on values in unused lanes would be counted.
template <Role role>
inline constexpr std::int32_t fft::lanes_of<CountedNumber<role>> = 1;

template <class T, class Format>
std::unique_ptr<PlaneTransform<T>> make_portable_transform(CountingHost host, std::int32_t planes,
                                                           std::int32_t ny, std::int32_t nx,
                                                           PlaneLines lines) {
  fft::require_plane(planes, ny, nx);
  fft::take_as_one_plane(planes, nx, lines);
  return std::make_unique<fft::PortableHost<T, Format, CountingHost>>(host, planes, ny, nx, lines);
}

template std::unique_ptr<PlaneTransform<CountedState>> make_portable_transform<CountedState, Exact>(
    CountingHost, std::int32_t, std::int32_t, std::int32_t, PlaneLines);
template std::unique_ptr<PlaneTransform<CountedCompute>> make_portable_transform<CountedCompute, Exact>(
    CountingHost, std::int32_t, std::int32_t, std::int32_t, PlaneLines);

}  // namespace ulpine
