// SPDX-License-Identifier: Apache-2.0
#include "cli/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulpine::cli {

GridSpacing grid_spacing(io::InputFile const& file, io::FieldInfo const& field) {
  auto const spacings = file.spacings(field.name);
  GridSpacing grid{spacings.at(0), spacings.at(1), {}};
  auto const known = std::max(grid.rows, grid.columns);
  for (std::size_t axis : {0, 1}) {
    auto& spacing = axis == 0 ? grid.rows : grid.columns;
    if (spacing > 0 || known == 0) continue;
    spacing = known;
    if (field.shape.at(axis) > 1) {
      grid.notes.push_back(
          fmt::format("the file has no spacing in metres along {}: that of the other axis, {:g} m, "
                      "was taken",
                      field.dimensions.at(axis), known));
    }
  }
  return grid;
}

}  // namespace ulpine::cli
