// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/coordinates.hpp"

#include "core/mesh/sphere.hpp"

namespace ulpine {
namespace {

/// Mean length of the sides of sea cells along an axis of the mesh, on the sphere (m).
double mean_side(QuadMesh const& mesh, bool along_x) {
  double sum = 0;
  std::int64_t count = 0;
  for (std::int32_t j = 0; j < mesh.ny; ++j) {
    for (std::int32_t i = 0; i < mesh.nx; ++i) {
      if (mesh.mask[static_cast<std::size_t>(j) * mesh.nx + i] == 0) continue;
      auto const cell = mesh.corners(i, j);
      int const other = along_x ? 1 : 2;
      sum += sphere::distance({cell.x[0], cell.y[0]}, {cell.x[other], cell.y[other]});
      ++count;
    }
  }
  return sum / static_cast<double>(count);
}

}  // namespace

std::vector<io::Coordinate> quad_coordinates(QuadMesh const& mesh, int cg) {
  if (mesh.spherical) {
    auto const steps = [&](char const* name, char const* long_name, bool along_x, bool centres) {
      io::Coordinate c{name, "", long_name, "m", along_x ? "X" : "Y", {}};
      double const side = mean_side(mesh, along_x);
      auto const cells = along_x ? mesh.nx : mesh.ny;
      for (std::int32_t k = 0; k < (centres ? cells : cg * cells + 1); ++k) {
        c.values.push_back(centres ? (k + 0.5) * side : k * side / cg);
      }
      return c;
    };
    return {steps("x", "way along the rows in cells of mean size", true, true),
            steps("y", "way along the columns in cells of mean size", false, true),
            steps("xn", "way along the rows of velocity nodes", true, false),
            steps("yn", "way along the columns of velocity nodes", false, false)};
  }
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
