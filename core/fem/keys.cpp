// SPDX-License-Identifier: Apache-2.0
#include "core/fem/keys.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "core/exec/host.hpp"
#include "core/model/start_keys.hpp"
#include "core/physics/constants.hpp"
#include "core/sounding/case_sounding.hpp"
#include "io/former_keys.hpp"
#include "ulpine_fem_all_parts.hpp"

namespace ulpine::fem {
namespace {

using io::CaseKey;
using io::choice_key;
using io::duration_key;
using io::file_key;
using io::flag_key;
using io::integer_key;
using io::number_key;
using io::numbers_key;
using io::quantity_key;
using io::texts_key;

using Keys = std::vector<CaseKey>;

constexpr std::int64_t most_cells = 1 << 12, most_seed = (1 << 24) - 1;
constexpr double farthest = 1e8;  // m

char const* const of_box = "mesh.kind = \"box\"";
char const* const of_fixed_or_open =
    "names of groups of the mesh's boundary; a box has inflow (x = 0), outflow, "
    "south (y = 0), north, ground and lid";
char const* const of_humid_air = "air.humid = true";
char const* const of_formula = R"(base.kind = "constant_n")";
char const* const of_mountain = "mountain.height, whose default of 0 is flat ground";
char const* const of_bubble = "start.kind other than \"rest\"";
char const* const of_upwinding = "upwind.scheme or upwind.wind other than \"none\"";

void add(Keys& to, Keys keys) {
  for (auto& key : keys) to.push_back(std::move(key));
}

Keys mesh_keys() {
  auto const cells = [](char const* name, std::int64_t fallback, char const* along) {
    return integer_key(name, fallback, 1, most_cells,
                       std::string("cells of the box along ") + along + ", each cut into six tetrahedra")
        .needing(of_box);
  };
  return {
      choice_key("mesh.kind",
                 {{"box", "made here, of mesh.length"},
                  {"gmsh", "a file of gmsh, whose physical groups are the sides"},
                  {"ugrid", "a NetCDF file by the conventions of UGRID, or the output of another run"}},
                 "where the tetrahedra come from"),
      file_key("mesh.file", "file of the mesh of tetrahedra, of gmsh or in the UGRID convention of NetCDF")
          .needing("mesh.kind = \"gmsh\" or \"ugrid\""),
      choice_key("mesh.unit",
                 {{"m", "metres"}, {"km", "kilometres"}, {"cm", "centimetres"}, {"mm", "millimetres"}},
                 "unit of the coordinates in a gmsh file, which does not say it")
          .needing("mesh.kind = \"gmsh\""),
      cells("mesh.nx", 20, "x"),
      cells("mesh.ny", 20, "y"),
      cells("mesh.nz", 16, "z"),
      integer_key("mesh.refinement", 1, 1, 64,
                  "factor on mesh.nx, mesh.ny and mesh.nz, to halve (2) or quarter (4) all cells of a case")
          .needing(of_box),
      numbers_key("mesh.length", "m", "[20000.0, 20000.0, 16000.0]", 1e-3, 1e7, 3, 3,
                  "lengths of the box along x, y and z; the last is the height of the lid")
          .needing(of_box),
      number_key(
          "mesh.stretch", 1, 0.5, 2,
          "thickness of each layer of cells over that of the layer below; above 1, layers are thinnest "
          "at the ground")
          .needing(of_box),
      number_key("mesh.grading", 1, 1, 100,
                 "width of the outermost columns over that of the middle ones, along x and y; above 1, cells "
                 "are finest in the middle of the box")
          .needing(of_box),
      number_key("mesh.jitter", 0, 0, 0.125,
                 "largest random displacement of inner nodes as part of a cell, for a mesh that is not "
                 "regular")
          .needing(of_box),
      integer_key("mesh.seed", 0, 0, most_seed, "seed of the random displacement of nodes")
          .needing("mesh.jitter above 0"),
      quantity_key("mountain.height", "m", 0, 0, 1e4,
                   "height of a bell-shaped mountain, h (1 + (r / radius)^2)^(-3/2), that lifts the ground"),
      quantity_key("mountain.radius", "m", 1000, 1e-3, 1e7,
                   "distance from the summit at which the mountain is 0.35 times as high")
          .needing(of_mountain),
      quantity_key("mountain.x", "m", 0, -farthest, farthest, "x of the summit")
          .follows("the middle of a box, 0 on a mesh from a file")
          .needing(of_mountain),
      quantity_key("mountain.y", "m", 0, -farthest, farthest, "y of the summit")
          .follows("the middle of a box, 0 on a mesh from a file")
          .needing(of_mountain),
      texts_key("boundary.fixed", "[]", 0, std::numeric_limits<std::size_t>::max(),
                std::string("sides on which wind, pressure and temperature stay those of the base state; ") +
                    of_fixed_or_open),
  };
}

Keys air_keys() {
  namespace air = physics::atham_fluidity;
  return {
      quantity_key("air.cp", "J kg-1 K-1", air::heat_capacity<double>(), 1, 1e5,
                   "specific heat of dry air at constant pressure; cp - cv is its gas constant"),
      quantity_key("air.cv", "J kg-1 K-1", air::heat_capacity_at_volume<double>(), 1, 1e5,
                   "specific heat of dry air at constant volume"),
      quantity_key("air.standard_pressure", "Pa", air::standard_pressure<double>(), 1, 1e8,
                   "pressure at z = 0, and that to which potential temperature refers"),
      quantity_key("air.gravity", "m s-2", air::gravity<double>(), 1e-6, 1e3, "acceleration by gravity"),
      quantity_key("air.viscosity", "m2 s-1", 0, 0, 1e6,
                   "constant kinematic viscosity (eddies' included) that acts on the whole wind"),
      quantity_key("air.diffusivity", "m2 s-1", 0, 0, 1e6,
                   "constant diffusivity that acts on potential temperature and water")
          .follows("air.viscosity"),
      flag_key("air.humid", false,
               "water vapour weighs and condenses, clouds evaporate and rain, and rain falls; else water, if "
               "carried, only goes with the wind"),
      number_key("air.humidity", 0, 0, 1, "relative humidity of the base state at z = 0")
          .needing("air.humid = true and " + std::string(of_formula)),
      quantity_key(
          "air.humidity_depth", "m", 0, 0, 1e6,
          "height over which the base state's relative humidity falls to 1 / e; 0: it is the same at "
          "all heights")
          .needing("air.humidity above 0"),
      choice_key(
          "base.kind",
          {{"constant_n", "one buoyancy frequency at all heights"},
           {"sounding", "the air of a measured or made sounding; its vapour counts in humid air alone"}},
          "hydrostatic base state, to which fixed and open sides and the sponge hold the air"),
      quantity_key("base.theta", "K", 293.15, 1, 2000, "potential temperature of the base state at z = 0")
          .needing(of_formula)
          .renamed_from("air.theta"),
      quantity_key("base.buoyancy_frequency", "s-1", 0.01, 0, 1,
                   "buoyancy (Brunt-Vaisala) frequency N of the base state at all heights, theta = theta(0) "
                   "exp(N^2 z / g); 0: constant potential temperature")
          .needing(of_formula)
          .renamed_from("air.buoyancy_frequency"),
      quantity_key("base.u", "m s-1", 0, -500, 500, "wind of the base state along x, the same at all heights")
          .needing(of_formula)
          .renamed_from("wind.u"),
      quantity_key("base.v", "m s-1", 0, -500, 500, "wind of the base state along y, the same at all heights")
          .needing(of_formula)
          .renamed_from("wind.v"),
  };
}

Keys sponge_keys() {
  char const* const of_sponge = "sponge.rate";
  return {
      quantity_key("sponge.rate", "s-1", 0, 0, 10,
                   "largest rate at which the sponge draws the wind to the base state's, so that waves are "
                   "absorbed before lid and sides send them back"),
      quantity_key("sponge.from", "m", 0, 0, 1e7, "height above which the sponge lies")
          .follows("the lid: no sponge below it")
          .needing(of_sponge),
      quantity_key("sponge.depth", "m", 0, 0, 1e7,
                   "depth of the sponge below the lid, in place of sponge.from where a mesh from a file says "
                   "how high the lid is")
          .needing(of_sponge)
          .renamed_from("sponge.thickness[2]"),
      quantity_key("sponge.width_x", "m", 0, 0, 1e7,
                   "width of the sponge along both ends of x; 0: none there")
          .needing(of_sponge)
          .renamed_from("sponge.thickness[0]"),
      quantity_key("sponge.width_y", "m", 0, 0, 1e7,
                   "width of the sponge along both ends of y; 0: none there")
          .needing(of_sponge)
          .renamed_from("sponge.thickness[1]"),
      quantity_key("sponge.theta_rate", "s-1", 0, 0, 10,
                   "largest rate at which the sponge draws potential temperature and water to the base "
                   "state's")
          .follows("sponge.rate")
          .needing(of_sponge),
  };
}

Keys step_keys() {
  return {
      duration_key("time.step", "10 s", 1e-6, 86400, "length of a step; sound does not limit it"),
      integer_key("time.iterations", 2, 1, 100,
                  "passes over the equations in a step, which bring the wind that advects up to date"),
      number_key("time.implicitness", 0.55, 0.5, 1,
                 "weight of the new time level; 0.5 is of second order in time, 1 damps most"),
      number_key("time.relaxation", 0.5, 0, 1,
                 "weight of the newest wind in the wind that advects, the rest being the step's first"),
      choice_key("upwind.scheme",
                 {{"none", "plain finite elements (Galerkin)"},
                  {"streamline", "diffusion along the flow, of first order"},
                  {"supg", "the equation weighted along the flow, of second order without diffusivity"}},
                 "what keeps temperature and water free of wiggles where the wind carries steep gradients"),
      choice_key("upwind.wind",
                 {{"none", "plain finite elements (Galerkin)"},
                  {"streamline", "diffusion along the flow, of first order"}},
                 "what keeps the wind free of wiggles where it carries itself over steep gradients"),
      choice_key("upwind.rule",
                 {{"optimal", "coth Pe - 1 / Pe, exact in one dimension"},
                  {"unity", "1, as without diffusion"},
                  {"doubly_asymptotic", "Pe / 3, at most 1"},
                  {"critical", "1 - 1 / Pe above Pe = 1, else 0"}},
                 "share of full upwinding in an element of Peclet number Pe = |u| l / (2 kappa)")
          .needing(of_upwinding),
      number_key("upwind.scale", 0.5, 0, 10,
                 "factor on the length of upwinding; 0.5 goes with the rule \"optimal\"")
          .needing(of_upwinding),
      number_key("upwind.limit", 0.5, 0, 1e6,
                 "longest time by which upwinding looks ahead along the flow, in steps; 0: no limit")
          .needing(of_upwinding),
  };
}

Keys start_keys() {
  auto const element = [](int n) { return "[" + std::to_string(n) + "]"; };
  auto const centre = [&](std::string const& axis, int n) {
    return start_centre(axis, 0, 1e7, axis + " of the disturbance's centre")
        .needing(of_bubble)
        .renamed_from("start.bubble.centre" + element(n));
  };
  auto const radius = [&](std::string const& axis, int n) {
    return start_radius(axis, 1000, 0, 1e7,
                        "radius of the disturbance along " + axis + "; 0: it does not vary along that axis")
        .needing(of_bubble)
        .renamed_from("start.bubble.radius" + element(n));
  };
  return {
      file_key("start.file", "output of another run, on whatever mesh, from which the start is interpolated"),
      integer_key("start.time", -1, std::numeric_limits<std::int64_t>::min(),
                  std::numeric_limits<std::int64_t>::max(),
                  "which time of start.file, from 0; negative: counted from the last, -1")
          .needing("start.file"),
      choice_key("start.kind",
                 {{"rest", "the base state", ""},
                  {"bubble", "amplitude (1 + cos(pi r)) / 2 within the radii, r < 1", "cosine"},
                  {"gravity_wave",
                   "amplitude sin(pi z / lid) / (1 + ((x - centre_x) / radius_x)^2), which sends waves along "
                   "a channel",
                   "wave"}},
                 "disturbance of the base state at the start")
          .follows("\"bubble\" where start.amplitude is given, else \"rest\"")
          .renamed_from("start.bubble.shape"),
      start_amplitude(
          "K", 200,
          "excess of temperature at the centre, of a bubble where start.kind does not say else; 0: of "
          "water alone")
          .follows("2 of a bubble, 0.01 of a gravity wave")
          .renamed_from("start.bubble.amplitude"),
      start_amplitude_of("temperature, at the base state's pressure",
                         "which temperature the amplitude is an excess of")
          .needing(of_bubble)
          .renamed_from("start.bubble.of"),
      centre("x", 0),
      centre("y", 1),
      centre("z", 2),
      radius("x", 0),
      radius("y", 1),
      radius("z", 2),
  };
}

Keys all_keys() {
  Keys keys;
  add(keys, mesh_keys());
  add(keys, air_keys());
  add(keys, sounding_keys("the highest node"));
  add(keys, sponge_keys());
  add(keys, step_keys());
  add(keys, start_keys());
  // The parts' keys are the same in every domain.
  add(keys, part_keys<Domain<double, Host>>());
  return keys;
}

[[maybe_unused]] bool const former_keys_are_declared = io::declare_former_keys("fem", case_keys());

}  // namespace

std::vector<io::CaseKey> const& case_keys() {
  static auto const keys = all_keys();
  return keys;
}

}  // namespace ulpine::fem
