// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/netcdf_contents.hpp"

namespace ulpine::io {

/// InputFile::cells_dimensions(), of a variable of these contents.
std::vector<std::string> dimensions_of_cells(NetcdfContents const& contents, NetcdfVariable const& field);

}  // namespace ulpine::io
