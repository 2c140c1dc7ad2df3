// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/fdm/base_state.hpp"
#include "core/fdm/parameters.hpp"
#include "core/field/table.hpp"

namespace ulpine::fdm {

/// The field of heights that add_surroundings() has for a field of these dimensions, slowest first; empty
/// over flat ground, where the coordinate of the vertical dimension says the height, and without one.
std::string height_at(std::vector<std::string> const& dimensions, bool flat);

/// Adds what does not change and an output needs to be read by itself, in double in the host's memory: the
/// base state at centres (`theta_base` in K, `p_base` in Pa, `rho_base` in kg m-3, of moist air `qv_base` in
/// kg kg-1), which theta and p are counted from, along z; over terrain along (z, y, x), with the heights in m
/// of centres (`height`) and of the places of u, v and w (`height_u`, `height_v`, `height_w`). The same bits
/// on any number of `threads`.
void add_surroundings(FieldTable& fields, Parameters const& parameters, Heights const& heights,
                      BaseState const& base, int threads);

}  // namespace ulpine::fdm
