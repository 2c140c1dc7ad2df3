// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ulpine {

/// A logically rectangular mesh of nx times ny bilinear quadrilaterals on the plane.
struct QuadMesh {
  std::int32_t nx = 0, ny = 0;
  std::vector<double> x, y;       ///< vertices in m, (ny + 1) rows of nx + 1, x fastest
  std::vector<std::uint8_t> ice;  ///< per cell (row-major, ny x nx): 1 sea (ice or open water), 0 land

  std::int64_t cells() const { return static_cast<std::int64_t>(nx) * ny; }
  std::int64_t vertices() const { return static_cast<std::int64_t>(nx + 1) * (ny + 1); }
  /// Whether all cells are translates of one parallelogram, to a few ulp of the mesh's extent.
  bool uniform() const;
  /// Area of each cell in m2.
  std::vector<double> areas() const;
};

/// [0, lx] x [0, ly], all sea. `distortion` is the d of the sea-ice benchmark:
/// x = lx (i/nx + d sin(3 pi i/nx) sin(pi j/ny)), y = ly (j/ny + d sin(2 pi j/ny) sin(2 pi i/nx)).
QuadMesh rectangle_mesh(std::int32_t nx, std::int32_t ny, double lx, double ly, double distortion = 0);

}  // namespace ulpine
