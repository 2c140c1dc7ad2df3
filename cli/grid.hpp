// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::cli {

/// Distances between neighbouring rows and between neighbouring columns of a field of two dimensions, m; both
/// 0 where neither is known.
struct GridSpacing {
  double rows = 0, columns = 0;
  std::vector<std::string> notes;  ///< what was assumed

  bool known() const { return rows > 0; }
};

/// The spacings of `field` in `file`; where the file has that of one axis alone it is taken for both.
GridSpacing grid_spacing(io::InputFile const& file, io::FieldInfo const& field);

}  // namespace ulpine::cli
