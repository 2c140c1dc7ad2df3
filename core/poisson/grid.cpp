// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/error.hpp"

namespace ulpine {
namespace {

void check_length(double value, std::string const& name, double largest) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw InputError("the pressure's grid has " + name + " = " + std::to_string(value) +
                     " (lengths are positive and finite) give it in m");
  }
  // Lengths, their inverses, the squares of both and four times these are computed, and have to be finite.
  double const most = std::max(value, 1 / value);
  if (!(4 * most * most < largest)) {
    throw InputError("the pressure's grid has a " + name +
                     " that this precision cannot square (its range is too small) use fp64 or other units");
  }
}

}  // namespace

PoissonGrid uniform_poisson_grid(std::int32_t nx, std::int32_t ny, std::int32_t nz, double dx, double dy,
                                 double dz) {
  auto const levels = static_cast<std::size_t>(std::max(nz, 0));
  PoissonGrid grid{nx, ny, nz, dx, dy, {}, {}};
  grid.dz.assign(levels, dz);
  grid.dz_between.assign(levels + 1, dz);
  return grid;
}

void check_poisson_grid(PoissonGrid const& grid, double largest) {
  if (grid.nx < 1 || grid.ny < 1 || grid.nz < 1) {
    throw InputError("the pressure's grid has " + std::to_string(grid.nx) + " x " + std::to_string(grid.ny) +
                     " x " + std::to_string(grid.nz) + " cells (at least one is needed each way) give more");
  }
  // The libraries of Fourier transforms count a plane's values in 32 bits.
  if (grid.plane() > std::numeric_limits<std::int32_t>::max()) {
    throw InputError("a level of the pressure's grid has " + std::to_string(grid.plane()) +
                     " values (at most 2147483647 are possible) use a smaller one");
  }
  auto const levels = static_cast<std::size_t>(grid.nz);
  if (grid.dz.size() != levels || grid.dz_between.size() != levels + 1) {
    throw InputError("the pressure's grid has " + std::to_string(grid.dz.size()) + " thicknesses and " +
                     std::to_string(grid.dz_between.size()) + " distances for " + std::to_string(grid.nz) +
                     " levels (one a level and one a face are needed) give " + std::to_string(grid.nz) +
                     " and one more");
  }
  check_length(grid.dx, "dx", largest);
  check_length(grid.dy, "dy", largest);
  for (std::size_t k = 0; k < levels; ++k) {
    check_length(grid.dz[k], "dz[" + std::to_string(k) + "]", largest);
  }
  for (std::size_t k = 1; k < levels + (grid.dirichlet_top ? 1 : 0); ++k) {
    check_length(grid.dz_between[k], "dz_between[" + std::to_string(k) + "]", largest);
  }
}

}  // namespace ulpine
