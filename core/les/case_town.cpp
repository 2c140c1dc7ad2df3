// SPDX-License-Identifier: Apache-2.0
#include "core/les/case_town.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/les/keys.hpp"
#include "core/les/raster.hpp"
#include "core/les/town.hpp"
#include "io/error.hpp"

namespace ulpine::les {
namespace {

std::vector<double> of_raster(io::KeyReader const& keys, TownGrid const& grid) {
  auto const raster = read_height_raster(keys);
  auto const east = keys.number("buildings.east"), north = keys.number("buildings.north");
  auto const resampling =
      keys.choice("buildings.resampling") == "nearest" ? Resampling::nearest : Resampling::area_mean;
  auto const length_x = static_cast<double>(raster.nx) * raster.dx;
  auto const length_y = static_cast<double>(raster.ny) * raster.dy;
  if (east >= grid.length_x() || north >= grid.length_y() || east + length_x <= 0 || north + length_y <= 0) {
    throw keys.case_file().error("buildings.file",
                                 "lies outside the domain (buildings.east and buildings.north place its "
                                 "south-west corner) bring it in");
  }
  return resample(raster, grid, east, north, resampling);
}

/// Levels that a building of `height` m fills, those beyond the lid as thick as the last.
std::int64_t levels_up_to(double height, TownGrid const& grid) {
  auto const nz = grid.nz();
  auto const top = solid_cells({height}, {1, 1, grid.dx, grid.dy, grid.faces}).front();
  if (top < nz) return top;
  auto const last = grid.faces.back() - grid.faces[grid.faces.size() - 2];
  auto const beyond = (height - grid.faces.back()) / last;
  return nz + std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(beyond - 0.5 - 1e-9)));
}

/// Heights of the grid's columns, m, and the height that its buildings were given.
struct MadeUp {
  std::vector<double> heights;
  double given;
};

MadeUp made_up(io::KeyReader const& keys, std::string const& kind, TownGrid const& grid) {
  if (kind == "street_canyon") {
    StreetCanyon canyon;
    canyon.height = keys.number("buildings.height", canyon.height);
    canyon.width = keys.number("buildings.canyon_width");
    return {town_heights(canyon, grid), canyon.height};
  }
  if (kind == "cubes") {
    Cubes cubes;
    cubes.side = keys.number("buildings.side");
    cubes.gap = keys.number("buildings.gap");
    cubes.height = keys.number("buildings.height", cubes.height);
    cubes.staggered = keys.flag("buildings.staggered");
    return {town_heights(cubes, grid), cubes.height};
  }
  SyntheticTown town;
  town.block = keys.number("buildings.block");
  town.street = keys.number("buildings.street");
  town.house = keys.number("buildings.house");
  town.depth = keys.number("buildings.depth");
  town.mean_height = keys.number("buildings.mean_height");
  town.spread = keys.number("buildings.spread");
  town.least_height = keys.number("buildings.least_height");
  town.courts = keys.number("buildings.courts");
  town.towers = keys.number("buildings.towers");
  town.tower_height = keys.number("buildings.tower_height");
  town.seed = static_cast<std::uint64_t>(keys.integer<std::int64_t>("buildings.seed"));
  return {town_heights(town, grid), town.mean_height};
}

}  // namespace

TownGrid town_grid(Parameters const& parameters) {
  TownGrid grid{parameters.nx, parameters.ny, parameters.dx, parameters.dy, {0}};
  auto const tops = parameters.tops();
  grid.faces.insert(grid.faces.end(), tops.begin(), tops.end());
  return grid;
}

Town read_town(io::CaseFile const& c, TownGrid const& grid) {
  auto const keys = keys_of(c);
  auto const kind = keys.choice("buildings.kind");
  if (kind == "none") return {};
  auto const [heights, given] = [&]() -> MadeUp {
    if (kind == "raster") return {of_raster(keys, grid), 0};
    try {
      return made_up(keys, kind, grid);
    } catch (Misfit const& misfit) {
      throw c.error("buildings.kind", misfit.what());
    }
  }();
  Town town;
  town.top = solid_cells(heights, grid);
  auto const gaps = keys.choice("buildings.gaps");
  town.filled = fill_gaps(town.top, grid,
                          gaps == "keep"        ? Gaps::keep
                          : gaps == "dead_ends" ? Gaps::dead_ends
                                                : Gaps::all);
  auto const tallest = *std::max_element(town.top.begin(), town.top.end());
  auto const lowest = *std::min_element(town.top.begin(), town.top.end());
  if (lowest > 0) {
    auto const least = io::number_text(*std::min_element(heights.begin(), heights.end()));
    throw kind == "raster"
        ? c.error("buildings.file",
                  "leaves no open ground: the lowest of the domain's columns is " + least +
                      " m high (heights are those above the ground; above sea level, as in a surface model, "
                      "they would be) subtract the ground's height")
        : c.error("buildings.kind",
                  "leaves no open ground: no column of cells lies in a street or canyon (the "
                  "lowest is " +
                      least + " m high) make the cells smaller, or the streets wider");
  }
  auto const highest_roof = *std::max_element(heights.begin(), heights.end());
  if (auto const needed = levels_up_to(highest_roof, grid) + least_air; needed > grid.nz()) {
    throw c.error("buildings.kind", "gives buildings of " + io::number_text(highest_roof) + " m (with the " +
                                        std::to_string(least_air) +
                                        " levels of air that the flow needs above "
                                        "them they take " +
                                        std::to_string(needed) + " levels, the grid has " +
                                        std::to_string(grid.nz()) + " up to " +
                                        io::number_text(grid.faces.back()) + " m) set grid.nz to " +
                                        std::to_string(needed) + " or more, or make the buildings lower");
  }
  if (tallest == 0) {
    auto const highest = *std::max_element(heights.begin(), heights.end());
    if (kind != "raster" && given == 0) return {};
    throw c.error(kind == "raster" ? "buildings.file" : "buildings.kind",
                  highest > 0 ? "gives no building on the grid (the highest has " + io::number_text(highest) +
                                    " m, less than half of a level, or fills too little of a cell) make the "
                                    "cells smaller, or the buildings higher"
                  : kind == "raster"
                      ? "has no building in the domain (buildings.east and buildings.north place its "
                        "south-west corner) bring one in"
                      : "gives no building on the grid (no column of cells lies in one) make the cells "
                        "smaller, or the buildings wider");
  }
  town.statistics = statistics(town.top, grid);
  return town;
}

}  // namespace ulpine::les
