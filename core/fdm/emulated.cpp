// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"
#include "core/exec/reduce_emulated.hpp"
#include "core/fdm/make_impl.hpp"
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

std::unique_ptr<Core> make(EmulatingHost host, Parameters const& parameters,
                           std::shared_ptr<Ranks> const& team) {
  return make_in<EmulatedPolicy>(host, parameters, team);
}

}  // namespace ulpine::fdm
