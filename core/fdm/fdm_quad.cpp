// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/exec/host.hpp"
#include "core/fdm/fdm.hpp"
#include "core/fdm/make_part.hpp"
#include "ulpine_fdm_all_parts.hpp"

extern "C" {
extern ulpine::Instance const ulpine_fdm_quad[];
ulpine::Instance const ulpine_fdm_quad[] = {
    ulpine::instance<ulpine::fdm::Maker>("make", ulpine::fdm::make_in<ulpine::Quad>), {}};
}
