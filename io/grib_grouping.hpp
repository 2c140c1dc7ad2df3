// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/grib_fields.hpp"

namespace ulpine::io {

/// Fields of a GRIB file that are one variable.
struct GribGroup {
  std::string name;                  ///< of the variable
  std::vector<std::int32_t> fields;  ///< numbers in GribFields::all
  std::string unreadable;            ///< why they are none; empty where they are
};

/// Where a field lies in its variable: the same for no two.
std::array<double, 6> position_of(GribField const& field);

/// Groups in the order in which their first fields are in the file.
std::vector<GribGroup> groups_of(GribFile const& file, GribFields const& fields);

}  // namespace ulpine::io
