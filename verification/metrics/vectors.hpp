// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::verification {

/// Groups of fields that are the components of one vector, by standard names (x_/y_, eastward_/northward_,
/// upward_) or usual names (siu/siv, u/v/w, ua/va, uo/vo, ...), on one grid (of the same dimensions and
/// auxiliary coordinates by name, in one group of the file); names in the order x, y, z.
std::vector<std::vector<std::string>> vector_components(std::vector<io::FieldInfo> const& fields);
/// "speed(siu,siv)".
std::string speed_name(std::vector<std::string> const& components);
/// sqrt(sum of squares) per point without overflow or underflow; NaN where a component is. All components of
/// one size.
std::vector<double> speed(std::vector<std::span<double const>> const& components);

}  // namespace ulpine::verification
