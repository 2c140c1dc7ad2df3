// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/sounding/profile.hpp"
#include "io/case_keys.hpp"

/// The air of a sounding as a base state, as cases of every core say it.
namespace ulpine {

/// `base.file`, `base.frame_u` and `base.frame_v`, which need `base.kind = "sounding"`; `reach` says how high
/// the sounding must reach.
std::vector<io::CaseKey> sounding_keys(std::string const& reach);

/// The sounding of these keys, with heights counted from its lowest level and the wind that blows over a grid
/// that moves. InputError for a file that is none.
Sounding sounding_of_case(io::KeyReader const& keys);

}  // namespace ulpine
