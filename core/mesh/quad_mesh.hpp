// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ulpine {

inline constexpr std::int32_t most_cells_a_side = 16384;
inline constexpr double least_cell_area = 1e-6;  ///< m2

/// The corners of a cell: lower left, lower right, upper left, upper right.
struct CellCorners {
  double x[4], y[4];
};

/// A logically rectangular mesh of nx times ny bilinear quadrilaterals on the plane, or in the longitude and
/// latitude of a sphere.
struct QuadMesh {
  std::int32_t nx = 0, ny = 0;
  std::vector<double> x, y;        ///< vertices in m, (ny + 1) rows of nx + 1, x fastest
  std::vector<std::uint8_t> mask;  ///< per cell (row-major, ny x nx): 1 in the domain (sea), 0 outside (land)
  bool spherical = false;          ///< x and y are longitude and latitude in rad

  std::int64_t cells() const { return static_cast<std::int64_t>(nx) * ny; }
  std::int64_t vertices() const { return static_cast<std::int64_t>(nx + 1) * (ny + 1); }
  /// Whether all cells are translates of one parallelogram of the plane, to a few ulp of the mesh's extent.
  bool uniform() const;
  /// Area of each cell in m2; on the sphere that of sides that are straight in longitude and latitude.
  std::vector<double> areas() const;
  /// x of a vertex; on the sphere the longitude within pi of that of another: cells may lie across its jump.
  double x_near(std::size_t vertex, std::size_t other) const;
  /// Corners of cell (i, j), x near that of the first.
  CellCorners corners(std::int32_t i, std::int32_t j) const;
};

/// Where cG node (i, j) of order `cg` lies, in m, i of 0 to cg nx and j of 0 to cg ny: on the bilinear map of
/// its cell.
struct NodePlace {
  double x, y;
};
NodePlace node_place(QuadMesh const& mesh, int cg, std::int32_t i, std::int32_t j);

/// A fault of a mesh, as "<problem> (<why>)", and what to do about it.
struct MeshFault {
  std::string problem, remedy;
};
/// The first cell that cannot be used, by number, row and column; nothing where every cell is a convex
/// quadrilateral of positive area, anticlockwise. That is where the Jacobian of the bilinear map, linear on
/// the cell, is positive at all four corners (Richter et al. 2023, section 3). Refused too: coordinates
/// beyond 1e8 m, corners of a sine below 1e-6, Jacobians below 1e-6 m2. On the sphere only sea cells are
/// looked at, as a pole may lie on land but not in the sea, where cells have no area in longitude and
/// latitude.
std::optional<MeshFault> find_bad_cells(QuadMesh const& mesh);

/// [0, lx] x [0, ly], all sea. `distortion` is the d of the cyclone benchmark:
/// x = lx (i/nx + d sin(3 pi i/nx) sin(pi j/ny)), y = ly (j/ny + d sin(2 pi j/ny) sin(2 pi i/nx)).
QuadMesh rectangle_mesh(std::int32_t nx, std::int32_t ny, double lx, double ly, double distortion = 0);
/// A patch of the sphere between two longitudes and two latitudes (rad), all sea.
QuadMesh sphere_patch(std::int32_t nx, std::int32_t ny, double west, double east, double south, double north);
/// Each cell divided into n x n, vertices bilinear in the cell: its map is kept, and its mask.
QuadMesh refined(QuadMesh const& mesh, std::int32_t n);

}  // namespace ulpine
