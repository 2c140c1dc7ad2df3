// SPDX-License-Identifier: Apache-2.0
#include "core/les/wall_distance.hpp"

#include <algorithm>
#include <cmath>

#include "core/exec/host.hpp"

namespace ulpine::les {
namespace {

constexpr double per_distance = 1.8;

/// From the centre of a cell to the nearest face of the one `cells` away.
double gap(std::int32_t cells, double spacing) { return cells == 0 ? 0 : (std::abs(cells) - 0.5) * spacing; }

/// How many cells away a face can be nearer than `cut_off`: in a period of `extent` cells not beyond it,
/// where all cells are met that were nearer.
std::int32_t reach(double cut_off, double spacing, std::int32_t extent) {
  return static_cast<std::int32_t>(std::min(std::floor(cut_off / spacing + 0.5), double(extent)));
}

std::int32_t wrapped(std::int32_t index, std::int32_t extent) {
  auto const rest = index % extent;
  return rest < 0 ? rest + extent : rest;
}

}  // namespace

double wall_distance(std::vector<std::int32_t> const& top, TownGrid const& grid, std::int32_t k,
                     std::int32_t j, std::int32_t i, double cut_off) {
  auto const height = grid.centre(k);
  auto const nearest = std::min(height, cut_off);
  auto square = nearest * nearest;
  auto const rows = reach(nearest, grid.dy, grid.ny), columns = reach(nearest, grid.dx, grid.nx);
  for (auto b = -rows; b <= rows; ++b) {
    for (auto a = -columns; a <= columns; ++a) {
      auto const level = top[grid.column(wrapped(j + b, grid.ny), wrapped(i + a, grid.nx))];
      if (level == 0) continue;
      auto const x = gap(a, grid.dx), y = gap(b, grid.dy);
      auto const z = std::max(height - grid.faces[static_cast<std::size_t>(level)], 0.0);
      square = std::min(square, x * x + y * y + z * z);
    }
  }
  return std::sqrt(square);
}

std::vector<double> mixing_length_limits(std::vector<std::int32_t> const& top, TownGrid const& grid,
                                         int threads) {
  auto const columns = static_cast<std::size_t>(grid.columns());
  std::vector<double> limits(columns * static_cast<std::size_t>(grid.nz()));
  auto const highest = grid.faces[static_cast<std::size_t>(*std::max_element(top.begin(), top.end()))];
  for_each(Host{threads}, Extent2{grid.ny, grid.nz()}, [&](std::int32_t j, std::int32_t k) {
    auto const level = static_cast<std::size_t>(k);
    auto const delta = std::cbrt(grid.dx * grid.dy * (grid.faces[level + 1] - grid.faces[level]));
    auto const cut_off = delta / per_distance;
    bool const clear = grid.centre(k) - highest >= cut_off;
    for (std::int32_t i = 0; i < grid.nx; ++i) {
      auto const column = grid.column(j, i);
      auto& limit = limits[level * columns + column];
      limit = clear || k < top[column]
                  ? delta
                  : std::min(delta, per_distance * wall_distance(top, grid, k, j, i, cut_off));
    }
  });
  return limits;
}

}  // namespace ulpine::les
