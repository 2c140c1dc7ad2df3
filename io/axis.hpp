// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::io {

/// "x" or "y" where the name of a dimension tells that it runs along that axis, as models call them (x, xc,
/// lon, rlon, west_east; y, yc, lat, ...); else the name itself in small letters.
std::string axis_of(std::string const& dimension);

}  // namespace ulpine::io
