// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ulpine {

/// Where a pressure lives: nz levels of ny rows of nx cells, periodic along x and y, and the operator L on
/// it: second differences along x and y, and
/// [(p(k+1) - p(k)) / dz_between[k+1] - (p(k) - p(k-1)) / dz_between[k]] / dz[k]
/// along z, where nothing flows through the ground; nor through the top, unless p = 0 above the last level.
/// All lengths in m.
struct PoissonGrid {
  std::int32_t nx = 0, ny = 0, nz = 0;
  double dx = 0, dy = 0;
  std::vector<double> dz;          ///< nz: the thickness of each cell
  std::vector<double> dz_between;  ///< nz + 1: from centre to centre across the face below each cell and the
                                   ///< top's; the ground's does not matter, nor the top's where it is closed
  bool dirichlet_top = false;      ///< p = 0 at dz_between[nz] above the centre of the last level

  std::int64_t cells() const { return std::int64_t{nx} * ny * nz; }
  /// Pairs (real, imaginary) that a row has in Fourier space.
  std::int32_t modes_x() const { return nx / 2 + 1; }
  /// Values of a plane with room for them.
  std::int64_t plane() const { return std::int64_t{2} * modes_x() * ny; }
  /// L has the constants as its kernel: p is known but for one.
  bool singular() const { return !dirichlet_top; }
};

/// Wavenumbers along x from `first` on, with all those along y: level by level, or, with `rows_together`, the
/// rows of all levels for one wavenumber along y after those for another.
struct Modes {
  std::int32_t first = 0, count = 0;
  bool rows_together = false;
};
inline Modes all_modes(PoissonGrid const& grid) { return {0, grid.modes_x()}; }

/// nz equal cells of height dz.
PoissonGrid uniform_poisson_grid(std::int32_t nx, std::int32_t ny, std::int32_t nz, double dx, double dy,
                                 double dz);

/// InputError where an extent is not positive, an array has another length, a length that matters is not
/// positive and finite, or squares and quotients of lengths leave the range of numbers whose largest is
/// `largest`.
void check_poisson_grid(PoissonGrid const& grid, double largest);

}  // namespace ulpine
