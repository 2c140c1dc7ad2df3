// SPDX-License-Identifier: Apache-2.0
#include "core/les/topography.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/les/grid.hpp"

namespace ulpine::les {
namespace {

// Positions this near to the edge of a raster's cell, and heights that differ relatively by no more, count as
// equal: spacings and offsets in metres are rounded decimals.
constexpr double rounding = 1e-9;

double snapped(double edge) {
  auto const nearest = std::round(edge);
  return std::abs(edge - nearest) < rounding ? nearest : edge;
}

/// The raster's cells that a column of the grid takes its height from, along one axis, and their shares.
struct Cover {
  std::int64_t first = 0;
  std::vector<double> shares;
};

std::vector<Cover> covers(std::int32_t columns, double spacing, double offset, std::int64_t cells,
                          double cell, Resampling resampling) {
  std::vector<Cover> all(static_cast<std::size_t>(columns));
  auto const last = static_cast<double>(cells);
  for (std::int32_t c = 0; c < columns; ++c) {
    auto& cover = all[static_cast<std::size_t>(c)];
    if (resampling == Resampling::nearest) {
      auto const centre = snapped(((c + 0.5) * spacing - offset) / cell);
      if (centre < 0 || centre >= last) continue;
      cover = {static_cast<std::int64_t>(centre), {1}};
      continue;
    }
    auto const begin = snapped((c * spacing - offset) / cell);
    auto const end = snapped(((c + 1) * spacing - offset) / cell);
    auto const low = std::max(begin, 0.0), high = std::min(end, last);
    if (low >= high) continue;
    cover.first = static_cast<std::int64_t>(low);
    for (auto r = static_cast<double>(cover.first); r < high; ++r) {
      cover.shares.push_back((std::min(r + 1, high) - std::max(r, low)) / (end - begin));
    }
  }
  return all;
}

std::int32_t wrapped(std::int32_t index, std::int32_t extent) {
  auto const rest = index % extent;
  return rest < 0 ? rest + extent : rest;
}

/// The level up to which a column is filled, given those of its neighbours.
std::int32_t filled(Gaps gaps, std::int32_t west, std::int32_t east, std::int32_t south, std::int32_t north) {
  auto const across_x = std::min(west, east), across_y = std::min(south, north);
  if (gaps == Gaps::all) return std::max(across_x, across_y);
  // Four of six: the cell below and three beside it, so up to the second lowest neighbour.
  auto const along_x = std::max(west, east), along_y = std::max(south, north);
  return std::max(std::min(across_x, along_y), std::min(across_y, along_x));
}

}  // namespace

std::vector<double> resample(HeightRaster const& raster, TownGrid const& grid, double east, double north,
                             Resampling resampling) {
  if (!(raster.dx > 0) || !(raster.dy > 0)) throw std::logic_error("a raster without spacing");
  auto const across = covers(grid.nx, grid.dx, east, raster.nx, raster.dx, resampling);
  auto const along = covers(grid.ny, grid.dy, north, raster.ny, raster.dy, resampling);
  std::vector<double> heights(static_cast<std::size_t>(grid.columns()), 0.0);
  for (std::int32_t j = 0; j < grid.ny; ++j) {
    auto const& rows = along[static_cast<std::size_t>(j)];
    for (std::int32_t i = 0; i < grid.nx; ++i) {
      auto const& cells = across[static_cast<std::size_t>(i)];
      auto& height = heights[grid.column(j, i)];
      for (std::size_t b = 0; b < rows.shares.size(); ++b) {
        auto const* const row =
            &raster.heights[(static_cast<std::size_t>(rows.first) + b) * static_cast<std::size_t>(raster.nx)];
        for (std::size_t a = 0; a < cells.shares.size(); ++a) {
          height += rows.shares[b] * cells.shares[a] * row[static_cast<std::size_t>(cells.first) + a];
        }
      }
    }
  }
  return heights;
}

std::vector<std::int32_t> solid_cells(std::vector<double> const& heights, TownGrid const& grid) {
  std::vector<double> centres;
  for (std::int32_t k = 0; k < grid.nz(); ++k) centres.push_back(grid.centre(k));
  std::vector<std::int32_t> top;
  top.reserve(heights.size());
  for (auto const height : heights) {
    auto const above = std::lower_bound(centres.begin(), centres.end(), height * (1 - rounding));
    top.push_back(static_cast<std::int32_t>(above - centres.begin()));
  }
  return top;
}

std::int64_t fill_gaps(std::vector<std::int32_t>& top, TownGrid const& grid, Gaps gaps) {
  std::int64_t cells = 0;
  if (gaps == Gaps::keep) return cells;
  // Filling one never unfills another, so the result is the same in any order.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int32_t j = 0; j < grid.ny; ++j) {
      for (std::int32_t i = 0; i < grid.nx; ++i) {
        auto const at = [&](std::int32_t row, std::int32_t column) {
          return top[grid.column(wrapped(row, grid.ny), wrapped(column, grid.nx))];
        };
        auto const level = filled(gaps, at(j, i - 1), at(j, i + 1), at(j - 1, i), at(j + 1, i));
        auto& here = top[grid.column(j, i)];
        if (level <= here) continue;
        cells += level - here;
        here = level;
        changed = true;
      }
    }
  }
  return cells;
}

TownStatistics statistics(std::vector<std::int32_t> const& top, TownGrid const& grid) {
  TownStatistics result;
  std::int64_t built = 0;
  double volume = 0, west = 0, south = 0;
  auto const height = [&](std::int32_t j, std::int32_t i) {
    return grid.faces[static_cast<std::size_t>(top[grid.column(wrapped(j, grid.ny), wrapped(i, grid.nx))])];
  };
  for (std::int32_t j = 0; j < grid.ny; ++j) {
    for (std::int32_t i = 0; i < grid.nx; ++i) {
      auto const here = height(j, i);
      built += here > 0 ? 1 : 0;
      volume += here;
      west += std::max(here - height(j, i - 1), 0.0);
      south += std::max(here - height(j - 1, i), 0.0);
      result.largest_height = std::max(result.largest_height, here);
    }
  }
  auto const columns = static_cast<double>(grid.columns());
  result.plan_area_fraction = static_cast<double>(built) / columns;
  result.mean_height = built == 0 ? 0 : volume / static_cast<double>(built);
  result.frontal_fraction_x = west / (columns * grid.dx);
  result.frontal_fraction_y = south / (columns * grid.dy);
  return result;
}

std::vector<std::int32_t> wall_maps(std::vector<std::int32_t> const& top, TownGrid const& grid) {
  auto const rows = grid.ny + 2 * halo, columns = grid.nx + 2 * halo;
  std::vector<std::int32_t> maps;
  maps.reserve(static_cast<std::size_t>(Built::maps) * static_cast<std::size_t>(rows * columns));
  auto const lowest = [&](Variable variable, std::int32_t j, std::int32_t i) {
    auto const solid = [&](std::int32_t row, std::int32_t column) {
      return top[grid.column(wrapped(row, grid.ny), wrapped(column, grid.nx))];
    };
    auto const here = solid(j, i);
    return variable == Variable::u   ? std::max(solid(j, i - 1), here)
           : variable == Variable::v ? std::max(solid(j - 1, i), here)
                                     : here;
  };
  auto const add_map = [&](auto const& level) {
    for (auto j = -halo; j < grid.ny + halo; ++j) {
      for (auto i = -halo; i < grid.nx + halo; ++i) maps.push_back(level(j, i));
    }
  };
  constexpr Variable variables[] = {Variable::scalar, Variable::u, Variable::v};
  for (auto const variable : variables) {
    add_map([&](std::int32_t j, std::int32_t i) { return lowest(variable, j, i); });
  }
  for (auto const variable : variables) {
    for (auto const along : {Along::x, Along::y}) {
      for (std::int32_t const reach : {2, 3}) {
        add_map([&](std::int32_t j, std::int32_t i) {
          std::int32_t level = 0;
          for (auto a = -reach; a < reach; ++a) {
            level =
                std::max(level, along == Along::x ? lowest(variable, j, i + a) : lowest(variable, j + a, i));
          }
          return level;
        });
      }
    }
  }
  return maps;
}

}  // namespace ulpine::les
