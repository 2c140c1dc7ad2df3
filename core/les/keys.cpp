// SPDX-License-Identifier: Apache-2.0
#include "core/les/keys.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "core/exec/host.hpp"
#include "core/les/grid_size.hpp"
#include "core/les/raster.hpp"
#include "core/les/town.hpp"
#include "ulpine_les_all_parts.hpp"

namespace ulpine::les {
namespace {

using io::CaseKey;
using Keys = std::vector<CaseKey>;

constexpr std::int64_t any_seed = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t most_heights = 4096;  // of a profile

void add(Keys& all, Keys more) {
  for (auto& key : more) all.push_back(std::move(key));
}

Keys grid_keys() {
  return {
      io::integer_key("grid.nx", 64, 1, most_columns, "number of cells along x"),
      io::integer_key("grid.ny", 64, 1, most_columns, "number of cells along y"),
      io::integer_key("grid.nz", 64, 2, most_levels, "number of levels from the ground to the lid"),
      io::quantity_key("grid.dx", "m", 50, 1e-6, 1e6, "width of a cell along x"),
      io::quantity_key("grid.dy", "m", 50, 1e-6, 1e6, "width of a cell along y"),
      io::quantity_key("grid.dz", "m", 50, 1e-6, 1e6, "thickness of the lowest level"),
      io::integer_key("grid.refinement", 1, 1, 256,
                      "factor by which nx, ny and nz are multiplied and dx, dy and dz divided, so that the "
                      "domain stays as large; it needs levels of one thickness"),
      io::number_key("grid.stretch_factor", 1, 1, 1.12,
                     "thickness of a level divided by that of the level below, from stretch_from upward"),
      io::quantity_key("grid.stretch_from", "m", 0, 0, 1e6,
                       "height from which levels become thicker with height; the lowest level never does")
          .needing("grid.stretch_factor"),
      io::quantity_key("grid.thickest", "m", 1e4, 1e-6, 1e6,
                       "greatest thickness of a level; levels do not grow beyond it, or beyond dz where that "
                       "is greater")
          .needing("grid.stretch_factor"),
  };
}

CaseKey heights_key(std::string table, std::string what) {
  return io::numbers_key(std::move(table) + ".heights", "m", "[0.0]", 0, 1e5, 1, most_heights,
                         "heights above the ground, growing, at which " + std::move(what));
}

Keys profile_keys() {
  return {
      heights_key("profile.theta", "profile.theta.kelvin is given"),
      io::numbers_key("profile.theta.kelvin", "K", "[300.0]", 1, 2000, 1, most_heights,
                      "potential temperature at the start, linear between the heights; above the last "
                      "height the last slope goes on"),
      heights_key("profile.humidity", "profile.humidity.kg_per_kg is given")
          .needing("profile.humidity.kg_per_kg"),
      io::numbers_key("profile.humidity.kg_per_kg", "kg kg-1", "[0.0]", 0, 1, 1, most_heights,
                      "specific humidity at the start, linear between the heights and constant above the "
                      "last; without [profile.humidity] the air is dry")
          .follows("none: dry air"),
      heights_key("profile.wind", "the wind of [profile.wind] is given"),
      io::numbers_key("profile.wind.u", "m s-1", "[0.0]", -500, 500, 1, most_heights,
                      "geostrophic wind along x, which is the wind at the start, too; linear between the "
                      "heights and constant above the last"),
      io::numbers_key("profile.wind.v", "m s-1", "[0.0]", -500, 500, 1, most_heights,
                      "geostrophic wind along y, which is the wind at the start, too; linear between the "
                      "heights and constant above the last"),
      heights_key("profile.energy", "profile.energy.m2_s2 is given").needing("closure.kind = \"deardorff\""),
      io::numbers_key("profile.energy.m2_s2", "m2 s-2", "[0.0]", 0, 1e4, 1, most_heights,
                      "sub-grid kinetic energy at the start, linear between the heights and constant above "
                      "the last")
          .needing("closure.kind = \"deardorff\""),
  };
}

Keys boundary_keys() {
  return {
      io::choice_key("ground.wind",
                     {{"flux_layer", "stress of a surface layer, by Monin-Obukhov similarity"},
                      {"free_slip", "no stress"},
                      {"no_slip", "the wind stands still at the surface"}},
                     "what ground and roofs do to the wind along them"),
      io::choice_key("lid.wind",
                     {{"free_slip", "no stress"},
                      {"no_slip", "the wind stands still at the lid"},
                      {"geostrophic", "the geostrophic wind goes on above the lid"}},
                     "what the lid of the domain does to the wind along it"),
      io::quantity_key("sponge.from", "m", 1e6, 0, 1e6,
                       "height above which waves are damped by drawing the flow to that of the start")
          .needing("sponge.rate"),
      io::quantity_key("sponge.rate", "s-1", 0, 0, 10,
                       "rate of that damping at the lid, to which it grows as the square of a sine")
          .needing("sponge.from"),
  };
}

Keys start_keys() {
  return {
      io::choice_key("start.kind",
                     {{"profiles", "the profiles of the case, with noise and disturbances"},
                      {"taylor_green", "vortices of 1 m s-1 and of wavelength 1 m in the plane (x, z)"}},
                     "wind at the start"),
      io::quantity_key("start.noise_wind", "m s-1", 0, 0, 100,
                       "largest amplitude of uniform noise that is added to u and v of every cell"),
      io::quantity_key("start.noise_theta", "K", 0, 0, 100,
                       "largest amplitude of uniform noise that is added to potential temperature of every "
                       "cell"),
      io::quantity_key("start.noise_humidity", "kg kg-1", 0, 0, 1,
                       "largest amplitude of uniform noise that is added to specific humidity of every cell")
          .needing("[profile.humidity]"),
      io::quantity_key("start.noise_top", "m", 1e6, 0, 1e6, "height up to which noise is added")
          .needing("start.noise_wind, noise_theta or noise_humidity"),
      io::integer_key("start.seed", 1, 0, any_seed, "seed of the random numbers of noise and disturbances")
          .needing("start.disturbance, noise_wind, noise_theta or noise_humidity"),
  };
}

CaseKey length_key(char const* name, double fallback, std::string about) {
  return io::quantity_key(std::string("buildings.") + name, "m", fallback, 0.1, 1e5, std::move(about));
}
CaseKey height_key(char const* name, double fallback, std::string about) {
  return io::quantity_key(std::string("buildings.") + name, "m", fallback, 0, 1e4, std::move(about));
}

Keys building_keys() {
  auto const* const raster = "buildings.kind = \"raster\"";
  return {
      io::choice_key("buildings.kind",
                     {{"none", "flat ground"},
                      {"raster", "heights from a file"},
                      {"town", "a made-up European town"},
                      {"street_canyon", "one street along y between two blocks"},
                      {"cubes", "equal blocks in rows"}},
                     "buildings on the ground; above the tallest there are four levels of air at least"),
      io::choice_key("buildings.gaps",
                     {{"dead_ends", "gaps with walls on three sides are filled"},
                      {"keep", "none is filled"},
                      {"all", "streets one cell wide are filled, too"}},
                     "gaps between buildings, one cell wide, that are filled because no flow fits in")
          .needing("buildings.kind"),
      io::file_key("buildings.file",
                   "heights of buildings above the ground: NetCDF, an ESRI ASCII grid, or rows of numbers")
          .needing(raster),
      io::text_key("buildings.variable", "buildings_2d", "variable of a NetCDF file that has the heights")
          .needing(raster),
      io::quantity_key("buildings.spacing", "m", 1, 1e-3, 1e5,
                       "distance between the heights of the file; required where the file does not tell it")
          .follows("that of the file")
          .needing(raster),
      io::quantity_key("buildings.east", "m", 0, -1e7, 1e7,
                       "where the west side of the file's heights lies in the domain, along x")
          .needing(raster),
      io::quantity_key("buildings.north", "m", 0, -1e7, 1e7,
                       "where the south side of the file's heights lies in the domain, along y")
          .needing(raster),
      io::choice_key("buildings.resampling",
                     {{"area_mean", "mean over the area of a column"},
                      {"nearest", "the height nearest to a column's centre"}},
                     "how the file's heights become those of the grid's columns")
          .needing(raster),
  };
}

Keys shape_keys() {
  SyntheticTown const shape;
  StreetCanyon const canyon;
  Cubes const cubes;
  auto const* const in_town = "buildings.kind = \"town\"";
  auto const* const in_canyon = "buildings.kind = \"street_canyon\"";
  auto const* const in_cubes = "buildings.kind = \"cubes\"";
  return {
      length_key("block", shape.block,
                 "distance from one street to the next, adapted so that whole blocks fit")
          .needing(in_town),
      length_key("street", shape.street, "width of a street").needing(in_town),
      length_key("house", shape.house, "width of a house along the street, adapted to the block")
          .needing(in_town),
      length_key("depth", shape.depth, "depth of a house from the street to the court").needing(in_town),
      height_key("mean_height", shape.mean_height, "mean height of the houses").needing(in_town),
      height_key("spread", shape.spread, "standard deviation of the houses' heights").needing(in_town),
      height_key("least_height", shape.least_height, "height of the lowest house that is drawn")
          .needing(in_town),
      io::number_key("buildings.courts", shape.courts, 0, 1,
                     "fraction of the blocks, of those deep enough, that have a court in the middle")
          .needing(in_town),
      io::number_key("buildings.towers", shape.towers, 0, 1,
                     "fraction of the blocks that have a tower in place of a house")
          .needing(in_town),
      height_key("tower_height", shape.tower_height, "height of a tower").needing(in_town),
      io::integer_key("buildings.seed", static_cast<std::int64_t>(shape.seed), 0, any_seed,
                      "seed of the random numbers from which heights, courts and towers are drawn")
          .needing(in_town),
      height_key("height", canyon.height, "height of the blocks beside a street canyon, or of cubes")
          .follows(io::number_text(canyon.height) + " of a street canyon, " + io::number_text(cubes.height) +
                   " of cubes")
          .needing("buildings.kind = \"street_canyon\" or \"cubes\""),
      length_key("canyon_width", canyon.width, "width of the street in the middle of the domain")
          .needing(in_canyon),
      length_key("side", cubes.side, "length of a cube along x and y").needing(in_cubes),
      length_key("gap", cubes.gap, "distance between neighbouring cubes; whole periods fit the domain")
          .needing(in_cubes),
      io::flag_key("buildings.staggered", cubes.staggered,
                   "whether every second row of cubes along x is moved by half a period along y")
          .needing(in_cubes),
  };
}

}  // namespace

std::vector<io::CaseKey> const& case_keys() {
  static Keys const keys = [] {
    Keys all;
    // The parts' keys are the same in every domain.
    using Any = Domain<double, double, Flat, Host>;
    for (auto* some :
         {grid_keys, profile_keys, boundary_keys, part_keys<Any>, start_keys, building_keys, shape_keys}) {
      add(all, some());
    }
    all.push_back(
        io::flag_key("ranks.overlap", true,
                     "whether several ranks compute what needs no neighbours while messages are on their "
                     "way; results are the same bits"));
    return all;
  }();
  return keys;
}

io::KeyReader keys_of(io::CaseFile const& case_file) { return {case_file, case_keys()}; }

}  // namespace ulpine::les
