// SPDX-License-Identifier: Apache-2.0
#include "core/fft/portable_emulated.hpp"

#include "core/fft/portable_host.hpp"

namespace ulpine {

/// Lines one by one: values in unused lanes would change how many random numbers a tile draws.
template <>
inline constexpr std::int32_t fft::lanes_of<EmulatedNumber> = 1;

std::unique_ptr<PlaneTransform<EmulatedNumber>> make_portable_transform(EmulatingHost host,
                                                                        std::int32_t planes, std::int32_t ny,
                                                                        std::int32_t nx, PlaneLines lines) {
  fft::require_plane(planes, ny, nx);
  fft::take_as_one_plane(planes, nx, lines);
  return std::make_unique<fft::PortableHost<EmulatedNumber, EmulatedMultiplicand, EmulatingHost>>(
      host, planes, ny, nx, lines);
}

}  // namespace ulpine
