// SPDX-License-Identifier: Apache-2.0
#include "precision/double_float_functions.hpp"
// The arithmetic of two floats comes first.
#include "core/fft/portable_host.hpp"

namespace ulpine {

template <>
std::unique_ptr<PlaneTransform<DoubleFloat>> make_portable_transform<DoubleFloat, Exact>(
    Host host, std::int32_t planes, std::int32_t ny, std::int32_t nx, PlaneLines lines) {
  fft::require_plane(planes, ny, nx);
  fft::take_as_one_plane(planes, nx, lines);
  return std::make_unique<fft::PortableHost<DoubleFloat, Exact>>(host, planes, ny, nx, lines);
}

}  // namespace ulpine
