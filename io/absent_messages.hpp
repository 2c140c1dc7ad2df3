// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/netcdf.hpp"
#include "io/text.hpp"

namespace ulpine::io {

/// Which messages a GRIB file lacks of a variable, whose values are missing there: "FILE: VARIABLE: 2 of 12
/// messages are not there, the first at ..."; empty where it has one for each time, level and member.
inline std::string absent_messages(InputFile const& file, std::string const& variable) {
  auto const said = attribute_in(file.attributes_of(variable), "absent_messages");
  return said.empty() ? said : file.path() + ": " + variable + ": " + said + " (missing values)";
}

}  // namespace ulpine::io
