// SPDX-License-Identifier: Apache-2.0
#include "core/les/case_town.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/les/raster.hpp"
#include "core/les/town.hpp"
#include "io/case_quantity.hpp"
#include "io/error.hpp"

namespace ulpine::les {
namespace {

constexpr double least = 0.1, most = 1e5, highest = 1e4;  // m

double length(io::CaseFile const& c, char const* key, double fallback) {
  return io::quantity(c, std::string("buildings.") + key, "m", fallback, least, most);
}
double height(io::CaseFile const& c, char const* key, double fallback) {
  return io::quantity(c, std::string("buildings.") + key, "m", fallback, 0, highest);
}

std::vector<double> of_raster(io::CaseFile const& c, TownGrid const& grid) {
  auto const raster = read_height_raster(c, {"buildings.file", "buildings.variable", "buildings.spacing"});
  auto const east = io::quantity(c, "buildings.east", "m", 0, -1e7, 1e7),
             north = io::quantity(c, "buildings.north", "m", 0, -1e7, 1e7);
  auto const resampling = c.choice("buildings.resampling", "area_mean", {"area_mean", "nearest"}) == "nearest"
                              ? Resampling::nearest
                              : Resampling::area_mean;
  auto const length_x = static_cast<double>(raster.nx) * raster.dx;
  auto const length_y = static_cast<double>(raster.ny) * raster.dy;
  if (east >= grid.length_x() || north >= grid.length_y() || east + length_x <= 0 || north + length_y <= 0) {
    throw c.error("buildings.file",
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

MadeUp made_up(io::CaseFile const& c, std::string const& kind, TownGrid const& grid) {
  if (kind == "street_canyon") {
    StreetCanyon const canyon{height(c, "height", 40), length(c, "canyon_width", 40)};
    return {town_heights(canyon, grid), canyon.height};
  }
  if (kind == "cubes") {
    Cubes const cubes{length(c, "side", 20), length(c, "gap", 20), height(c, "height", 20),
                      c.flag("buildings.staggered", true)};
    return {town_heights(cubes, grid), cubes.height};
  }
  SyntheticTown town;
  town.block = length(c, "block", town.block);
  town.street = length(c, "street", town.street);
  town.house = length(c, "house", town.house);
  town.depth = length(c, "depth", town.depth);
  town.mean_height = height(c, "mean_height", town.mean_height);
  town.spread = height(c, "spread", town.spread);
  town.least_height = height(c, "least_height", town.least_height);
  town.courts = c.number("buildings.courts", town.courts, 0, 1);
  town.towers = c.number("buildings.towers", town.towers, 0, 1);
  town.tower_height = height(c, "tower_height", town.tower_height);
  town.seed = static_cast<std::uint64_t>(c.integer("buildings.seed", std::int64_t{1}, 0));
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
  auto const kind = c.choice("buildings.kind", "none", {"none", "raster", "town", "street_canyon", "cubes"});
  if (kind == "none") return {};
  auto const [heights, given] = [&]() -> MadeUp {
    if (kind == "raster") return {of_raster(c, grid), 0};
    try {
      return made_up(c, kind, grid);
    } catch (Misfit const& misfit) {
      throw c.error("buildings.kind", misfit.what());
    }
  }();
  Town town;
  town.top = solid_cells(heights, grid);
  auto const gaps = c.choice("buildings.gaps", "dead_ends", {"keep", "dead_ends", "all"});
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
