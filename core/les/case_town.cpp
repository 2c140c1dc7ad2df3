// SPDX-License-Identifier: Apache-2.0
#include "core/les/case_town.hpp"

#include <algorithm>
#include <string>

#include "core/les/raster.hpp"
#include "core/les/town.hpp"
#include "io/error.hpp"

namespace ulpine::les {
namespace {

constexpr double least = 0.1, most = 1e5, highest = 1e4;  // m

double length(io::CaseFile const& c, char const* key, double fallback) {
  return c.number(std::string("buildings.") + key, fallback, least, most);
}
double height(io::CaseFile const& c, char const* key, double fallback) {
  return c.number(std::string("buildings.") + key, fallback, 0, highest);
}

std::vector<double> of_raster(io::CaseFile const& c, TownGrid const& grid) {
  auto const raster = read_height_raster(c, {"buildings.file", "buildings.variable", "buildings.spacing"});
  auto const east = c.number("buildings.east", 0, -1e7, 1e7),
             north = c.number("buildings.north", 0, -1e7, 1e7);
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

std::vector<double> made_up(io::CaseFile const& c, std::string const& kind, TownGrid const& grid) {
  if (kind == "street_canyon") {
    return town_heights(StreetCanyon{height(c, "height", 40), length(c, "canyon_width", 40)}, grid);
  }
  if (kind == "cubes") {
    return town_heights(Cubes{length(c, "side", 20), length(c, "gap", 20), height(c, "height", 20),
                              c.flag("buildings.staggered", true)},
                        grid);
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
  return town_heights(town, grid);
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
  auto const heights = [&] {
    if (kind == "raster") return of_raster(c, grid);
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
  if (tallest + least_air > grid.nz()) {
    throw c.error("buildings.kind", "gives buildings of " + std::to_string(tallest) + " of the grid's " +
                                        std::to_string(grid.nz()) + " levels (the flow needs " +
                                        std::to_string(least_air) + " above them) make grid.nz at least " +
                                        std::to_string(tallest + least_air) + ", or the buildings lower");
  }
  if (tallest == 0) {
    auto const highest = *std::max_element(heights.begin(), heights.end());
    if (highest == 0 && kind != "raster") return {};
    throw c.error(kind == "raster" ? "buildings.file" : "buildings.kind",
                  highest > 0 ? "gives no building on the grid (the highest has " + io::number_text(highest) +
                                    " m, less than half of a level, or fills too little of a cell) make the "
                                    "cells smaller, or the buildings higher"
                              : "has no building in the domain (buildings.east and buildings.north place its "
                                "south-west corner) bring one in");
  }
  town.statistics = statistics(town.top, grid);
  return town;
}

}  // namespace ulpine::les
