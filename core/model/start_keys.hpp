// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/case_keys.hpp"

/// Rows of `[start]` that cores of air have alike: what a run adds to the air of its base state, and where.
/// How far a value may go and what the pages of keys say of it (`about`) is each core's own.
namespace ulpine {

/// `start.amplitude`: 2 by default, of at most `most` on both sides of 0.
io::CaseKey start_amplitude(std::string unit, double most, std::string about);
/// `start.amplitude_of`, potential temperature by default; `temperature` says what the other choice is.
io::CaseKey start_amplitude_of(std::string temperature, std::string about);
/// `start.centre_` with the axis x, y or z, m; at most `farthest` from 0.
io::CaseKey start_centre(std::string const& axis, double fallback, double farthest, std::string about);
/// `start.radius_` with the axis, m, from `least` to `most`.
io::CaseKey start_radius(std::string const& axis, double fallback, double least, double most,
                         std::string about);

}  // namespace ulpine
