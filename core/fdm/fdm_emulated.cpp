// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/emulated.hpp"
#include "core/fdm/make_impl.hpp"

extern "C" {
extern ulpine::Instance const ulpine_fdm_emulated[];
ulpine::Instance const ulpine_fdm_emulated[] = {
    ulpine::instance<ulpine::fdm::EmulatedMaker>("make", ulpine::fdm::make_in<ulpine::EmulatedPolicy>), {}};
}
