// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/coordinates.hpp"

namespace ulpine {

std::vector<io::Coordinate> quad_coordinates(QuadMesh const& mesh, int cg) {
  auto const along = [&](char const* name, char const* long_name, bool along_x, bool centres) {
    io::Coordinate c{name,
                     along_x ? "projection_x_coordinate" : "projection_y_coordinate",
                     long_name,
                     "m",
                     along_x ? "X" : "Y",
                     {}};
    auto const cells = along_x ? mesh.nx : mesh.ny;
    auto const& values = along_x ? mesh.x : mesh.y;
    auto const stride = along_x ? std::size_t{1} : static_cast<std::size_t>(mesh.nx) + 1;
    for (std::int32_t k = 0; k < (centres ? cells : cg * cells + 1); ++k) {
      if (centres) {
        auto const at = static_cast<std::size_t>(k) * stride;
        c.values.push_back((values[at] + values[at + stride]) / 2);
      } else {
        auto const place = node_place(mesh, cg, along_x ? k : 0, along_x ? 0 : k);
        c.values.push_back(along_x ? place.x : place.y);
      }
    }
    return c;
  };
  return {along("x", "x of cell centres", true, true), along("y", "y of cell centres", false, true),
          along("xn", "x of velocity nodes", true, false), along("yn", "y of velocity nodes", false, false)};
}

}  // namespace ulpine
