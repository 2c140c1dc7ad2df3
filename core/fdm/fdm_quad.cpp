// SPDX-License-Identifier: Apache-2.0
#include "core/exec/quad_host.hpp"
#include "core/fdm/make_impl.hpp"

extern "C" {
extern ulpine::Instance const ulpine_fdm_quad[];
ulpine::Instance const ulpine_fdm_quad[] = {
    ulpine::instance<ulpine::fdm::Maker>("make", ulpine::fdm::make_in<ulpine::Quad>), {}};
}
