// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"
#include "core/exec/reduce_emulated.hpp"
#include "core/fdm/fdm.hpp"
#include "core/fdm/make_part.hpp"
#include "core/fft/portable_emulated.hpp"
#include "ulpine_fdm_all_parts.hpp"

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

extern "C" {
extern ulpine::Instance const ulpine_fdm_emulated[];
ulpine::Instance const ulpine_fdm_emulated[] = {
    ulpine::instance<ulpine::fdm::EmulatedMaker>("make", ulpine::fdm::make_in<ulpine::EmulatedPolicy>), {}};
}
