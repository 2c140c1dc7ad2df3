// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/host.hpp"
#include "core/exec/reduce_emulated.hpp"
#include "core/fdm/lid_phases.hpp"
#include "core/fft/portable_emulated.hpp"

namespace ulpine::fdm {

template <>
struct LidTransform<EmulatedNumber, EmulatingHost> {
  static std::unique_ptr<PlaneTransform<EmulatedNumber>> make(EmulatingHost host, std::int32_t planes,
                                                              std::int32_t ny, std::int32_t nx,
                                                              PlaneLines lines) {
    return make_portable_transform(host, planes, ny, nx, lines);
  }
};

}  // namespace ulpine::fdm
