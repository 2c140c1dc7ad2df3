// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/emulating_host.hpp"
#include "core/fft/plane_transform.hpp"

namespace ulpine {

/// The portable transform in emulated formats. InputError for a size below 1.
std::unique_ptr<PlaneTransform<EmulatedNumber>> make_portable_transform(EmulatingHost host,
                                                                        std::int32_t planes, std::int32_t ny,
                                                                        std::int32_t nx,
                                                                        PlaneLines lines = PlaneLines::all);

}  // namespace ulpine
