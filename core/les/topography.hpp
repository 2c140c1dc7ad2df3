// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/les/raster.hpp"

/// Buildings as columns of solid cells without overhangs on a staggered grid that is periodic in x and y:
/// scalars at cell centres (k, j, i), u(k, j, i) on the west face of its cell, v on the south face, w on the
/// top face. Rows and columns are counted from the south-west corner, levels from the ground.
namespace ulpine::les {

/// Cells of dx times dy m; cell k reaches from `faces[k]` to `faces[k + 1]` m above the ground.
struct TownGrid {
  std::int32_t nx = 0, ny = 0;
  double dx = 0, dy = 0;
  std::vector<double> faces;  ///< growing, the first is 0

  std::int32_t nz() const { return static_cast<std::int32_t>(faces.size()) - 1; }
  /// Height of the centre of cell k, m.
  double centre(std::int32_t k) const {
    auto const at = static_cast<std::size_t>(k);
    return 0.5 * (faces[at] + faces[at + 1]);
  }
  double length_x() const { return nx * dx; }
  double length_y() const { return ny * dy; }
  std::int64_t columns() const { return static_cast<std::int64_t>(nx) * ny; }
  std::size_t column(std::int64_t j, std::int64_t i) const { return static_cast<std::size_t>(j * nx + i); }
};

/// How heights of a raster become those of the grid's columns.
enum class Resampling {
  area_mean,  ///< mean over the column: keeps the volume of the buildings whatever the two spacings
  nearest     ///< the raster's cell over the column's centre: keeps walls upright, loses what lies between
};

/// Heights (m, [ny][nx]) of the grid's columns: the raster's south-west corner lies `east` and `north` m from
/// the grid's. No building beyond the raster; what of it is beyond the grid is cut off.
std::vector<double> resample(HeightRaster const& raster, TownGrid const& grid, double east, double north,
                             Resampling resampling);

/// Number of solid cells of each column, [ny][nx]: cell k is solid iff k < top. A cell is solid where its
/// centre lies below the height.
std::vector<std::int32_t> solid_cells(std::vector<double> const& heights, TownGrid const& grid);

/// Gaps one cell wide that are closed, in 3-D and as often as closing one makes another.
enum class Gaps {
  keep,
  /// A cell with at least four of its six neighbours solid becomes solid, as in PALM: courts of one cell are
  /// filled up to the lowest wall around, dead ends one cell wide as far as they are dead ends. Canyons one
  /// cell wide that are open at both ends stay.
  dead_ends,
  /// Every cell between two solid neighbours, west and east or south and north: canyons too, up to the lower
  /// wall.
  all
};
/// Returns the number of cells that became solid.
std::int64_t fill_gaps(std::vector<std::int32_t>& top, TownGrid const& grid, Gaps gaps);

/// Statistics of a town as the grid has it.
struct TownStatistics {
  double plan_area_fraction = 0;  ///< fraction of columns with a solid cell
  double mean_height = 0;         ///< mean height of those columns, m
  double largest_height = 0;      ///< m
  double frontal_fraction_x = 0;  ///< area of the walls that face west over that of the ground
  double frontal_fraction_y = 0;  ///< area of the walls that face south over that of the ground
};
TownStatistics statistics(std::vector<std::int32_t> const& top, TownGrid const& grid);

/// Where kernels find walls, as Built::map has it: int32 [15][ny + 2 halo][nx + 2 halo], periodic. All are
/// smallest levels k from which on a point, or all points of a stencil, are fluid:
/// - map 0, 1, 2: of a scalar, u, v. A point of u (v) has walls where one of the two cells beside it has:
///   u(k, j, i) is fluid iff k >= max(top(j, i - 1), top(j, i)). The scalars' is w's too, at the tops of
///   cells: w(k + 1, j, i) is fluid iff k >= top(j, i) (and it is not the lid's); on a roof and the ground it
///   is none.
/// - map 3 + 2 (2 c + d), for variable c and direction d: of the face between the points a - 1 and a, in the
///   variable's own numbering, stored at a: the four points a - 2 .. a + 1 are fluid (third order).
/// - the map after that: the six points a - 3 .. a + 2 are (fifth order).
std::vector<std::int32_t> wall_maps(std::vector<std::int32_t> const& top, TownGrid const& grid);

}  // namespace ulpine::les
