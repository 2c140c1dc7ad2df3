// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/keys.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "core/exec/host.hpp"
#include "core/fdm/limits.hpp"
#include "core/model/start_keys.hpp"
#include "core/sounding/case_sounding.hpp"
#include "io/former_keys.hpp"
#include "ulpine_fdm_all_parts.hpp"

namespace ulpine::fdm {
namespace {

using io::CaseKey, io::choice_key, io::duration_key, io::flag_key, io::integer_key, io::number_key,
    io::quantity_key;
using Keys = std::vector<CaseKey>;

/// Limit of the keys whose real limit is another key's value.
constexpr auto unlimited = std::numeric_limits<double>::infinity();

Keys grid_keys() {
  constexpr auto stretched = R"(grid.stretching = "cubic" or "tanh")";
  return {
      integer_key("grid.nx", 64, 1, most_columns, "number of cells along x"),
      integer_key("grid.ny", 1, 1, most_columns,
                  "number of cells along y; 1 makes the flow two-dimensional, in the plane of x and z"),
      integer_key("grid.nz", 32, 2, most_levels, "number of levels"),
      quantity_key("grid.dx", "m", 1000, 1e-6, 1e6, "width of a cell along x"),
      quantity_key("grid.dy", "m", 1000, 1e-6, 1e6, "width of a cell along y").follows("grid.dx"),
      quantity_key("grid.dz", "m", 500, 1e-6, 1e5,
                   "mean thickness of the levels over flat ground; the lid is at grid.nz times this height"),
      choice_key("grid.stretching",
                 {{"none", "all levels are as thick as each other"},
                  {"cubic", "the thickness grows with height by a cubic curve"},
                  {"tanh", "the thickness grows with height by a hyperbolic tangent"}},
                 "how the thickness of the levels changes with height"),
      quantity_key("grid.thinnest", "m", 500, 1e-6, 1e5,
                   "thickness of the lowest levels, at most grid.dz; those above are thicker in exchange")
          .follows("grid.dz")
          .needing(stretched),
      quantity_key("grid.uniform_below", "m", 0, 0, unlimited,
                   "height, at most the lid's, up to which all levels are as thick as the lowest")
          .needing(stretched),
  };
}

Keys time_keys() {
  return {
      duration_key(
          "time.step", "6 s", 1e-9, longest_step,
          "length of a step, in which wind, heat and water are carried and mixed; sound takes shorter "
          "ones within it"),
      choice_key(
          "time.scheme",
          {{"runge_kutta", "three stages over 1/3, 1/2 and all of the step (Wicker and Skamarock 2002)"},
           {"leapfrog", "from the step before over two steps, with Asselin's filter"}},
          "how a step is taken in time"),
      number_key("time.asselin", 0.05, 0, 0.5,
                 "strength of Asselin's filter, which keeps odd and even leapfrog steps together")
          .needing(R"(time.scheme = "leapfrog")"),
  };
}

Keys air_keys() {
  return {
      quantity_key(
          "air.coriolis", "s-1", 0, -1, 1,
          "Coriolis parameter, with which the Earth's rotation turns winds that differ from the base "
          "state's"),
  };
}

Keys boundary_keys() {
  auto const side = [](std::string const& name, char const* about) {
    return choice_key("boundary." + name,
                      {{"periodic", "what leaves comes in at the opposite side"},
                       {"wall", "nothing passes, and the wind along it slips"},
                       {"zero_gradient", "the air beyond is as that next to the side"},
                       {"open", "waves and wind leave by a radiation condition (Klemp and Wilhelmson 1978)"}},
                      about)
        .renamed_from("lateral." + name);
  };
  return {
      side("west", "side at x = 0; periodic together with the east side"),
      side("east", "side at the end of x"),
      side("south", "side at y = 0; periodic together with the north side"),
      side("north", "side at the end of y"),
  };
}

Keys base_keys() {
  constexpr auto formula = R"(a base.kind other than "sounding")";
  return {
      choice_key("base.kind",
                 {{"constant_theta", "one potential temperature at all heights: neutral air"},
                  {"constant_n", "one buoyancy frequency at all heights: stable air"},
                  {"isothermal", "one temperature at all heights"},
                  {"weisman_klemp", "moist air of thunderstorms (Weisman and Klemp 1982)"},
                  {"sounding", "the air of a measured or made sounding"}},
                 "hydrostatic base state that the flow departs from"),
      quantity_key("base.pressure", "Pa", 1e5, 1e4, 1.2e5, "pressure at height 0").needing(formula),
      quantity_key("base.u", "m s-1", 0, -200, 200, "wind along x at height 0").needing(formula),
      quantity_key("base.v", "m s-1", 0, -200, 200, "wind along y at all heights").needing(formula),
      quantity_key("base.u_aloft", "m s-1", 0, -200, 200,
                   "what the wind along x gains with height z: this times tanh(z / base.shear_depth)")
          .needing(formula),
      quantity_key("base.shear_depth", "m", 3000, 1, 1e5, "depth of the layer in which the wind gains speed")
          .needing(formula),
      quantity_key("base.humidity", "kg kg-1", 0.014, 0, 0.06,
                   "greatest specific humidity, that of the well-mixed air near the ground")
          .needing(R"(base.kind = "weisman_klemp")"),
      quantity_key("base.theta", "K", 300, 150, 500,
                   "potential temperature at height 0; of isothermal air the temperature")
          .needing(R"(base.kind = "constant_theta", "constant_n" or "isothermal")"),
      quantity_key("base.buoyancy_frequency", "s-1", 0.01, 0, 0.1,
                   "buoyancy frequency N, with which air oscillates that is lifted and let go")
          .needing(R"(base.kind = "constant_n")")
          .renamed_from("base.frequency"),
  };
}

Keys terrain_keys() {
  constexpr auto mountain = R"(terrain.kind = "bell" or "schaer")";
  return {
      choice_key("terrain.kind",
                 {{"flat", "no mountain"},
                  {"bell", "a bell-shaped mountain, height / (1 + (r / half-width)^2)"},
                  {"schaer", "ridges along y within a bell (Schaer et al. 2002)"}},
                 "shape of the ground"),
      quantity_key("terrain.height", "m", 250, -9000, 9000,
                   "height of the mountain's top; negative makes a valley")
          .needing(mountain),
      quantity_key("terrain.half_width", "m", 5000, 1e-3, 1e12,
                   "distance from the top at which a bell is half as high, and ridges are 1/e as high")
          .needing(mountain),
      quantity_key("terrain.centre_x", "m", 0, -farthest, farthest, "place of the top along x")
          .follows("the middle of the grid")
          .needing(mountain),
      quantity_key("terrain.centre_y", "m", 0, -farthest, farthest, "place of the top along y")
          .follows("the middle of the grid")
          .needing(mountain),
      quantity_key("terrain.wavelength", "m", 4000, 1e-3, 1e8, "distance between ridges")
          .needing(R"(terrain.kind = "schaer")"),
      quantity_key("terrain.flat_above", "m", 0, 1, unlimited,
                   "height, at most the lid's, above which levels are flat; below they follow the ground")
          .follows("the lid's height")
          .needing(mountain),
      flag_key("terrain.linear_wave", false,
               "whether the output has the linear steady wave over this ground, w_linear, to compare w with")
          .needing(mountain),
  };
}

Keys start_keys() {
  constexpr auto disturbed = R"(start.kind other than "rest")", bubble = R"(start.kind = "bubble")";
  constexpr auto placed = R"(start.kind = "bubble", "gravity_wave" or "acoustic_pulse")";
  return {
      choice_key("start.kind",
                 {{"rest", "none: the air begins as the base state"},
                  {"bubble", "a warm or cold bubble"},
                  {"gravity_wave", "a ridge of warm air between ground and lid (Skamarock and Klemp 1994)"},
                  {"acoustic_column", "pressure as of half a standing sound wave between ground and lid"},
                  {"acoustic_pulse", "pressure raised around one place of x, at all heights"}},
                 "disturbance of the base state that the run begins with"),
      start_amplitude(
          "K or Pa", 1e4,
          "greatest potential temperature (K, at most 200), or pressure of acoustic starts (Pa), over the "
          "base state's")
          .follows("2; of a gravity wave 0.01")
          .needing(disturbed),
      start_amplitude_of("temperature", "what of the bubble's air the amplitude is added to").needing(bubble),
      start_centre("x", 0, farthest, "place of the disturbance's centre along x")
          .follows("the middle of the grid")
          .needing(placed),
      start_centre("y", 0, farthest, "place of the bubble's centre along y")
          .follows("the middle of the grid")
          .needing(bubble),
      start_centre("z", 2000, farthest, "height of the bubble's centre").needing(bubble),
      start_radius("x", 2000, 1e-6, farthest,
                   "half-width along x; a bubble ends there, waves and pulses fall off over it")
          .needing(placed),
      start_radius("y", 2000, 1e-6, farthest, "half-width of the bubble along y")
          .follows("start.radius_x")
          .needing(R"(start.kind = "bubble" and grid.ny above 1)"),
      start_radius("z", 2000, 1e-6, farthest, "half-height of the bubble").needing(bubble),
  };
}

[[maybe_unused]] bool const former_keys_are_declared = io::declare_former_keys("fdm", case_keys());

}  // namespace

std::vector<CaseKey> const& case_keys() {
  static auto const all = [] {
    Keys keys;
    // The parts' keys are the same in every domain.
    using Any = Domain<double, double, Flat, Host>;
    for (auto part : {grid_keys(), time_keys(), base_keys(), sounding_keys("the lid"), air_keys(),
                      terrain_keys(), start_keys(), boundary_keys(), advection_keys(), part_keys<Any>()}) {
      std::ranges::move(part, std::back_inserter(keys));
    }
    keys.push_back(
        flag_key("ranks.overlap", true,
                 "whether work that needs no neighbour goes on while ranks exchange their rims; the "
                 "results are the same to the bit"));
    return keys;
  }();
  return all;
}

}  // namespace ulpine::fdm
