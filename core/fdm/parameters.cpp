// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/fdm/grid_size.hpp"
#include "core/fdm/on_grid.hpp"
#include "io/case_idle.hpp"
#include "io/case_quantity.hpp"
#include "io/error.hpp"

namespace ulpine::fdm {
namespace {

using io::quantity;

constexpr std::int32_t most_columns = 1 << 14, most_levels = 1 << 13;
constexpr std::int32_t most_small_steps = 10'000;
constexpr double longest_step = 86400;           // s
constexpr double farthest = 1e6 * most_columns;  // m, the width of the widest grid
constexpr double default_phase_speed = 50;       // m s-1
constexpr double highest_lid = 1e6;              // m

Side side(io::CaseFile const& c, char const* key) {
  auto const name = c.choice(key, "periodic", {"periodic", "wall", "zero_gradient", "open"});
  return name == "wall"            ? Side::wall
         : name == "zero_gradient" ? Side::zero_gradient
         : name == "open"          ? Side::open
                                   : Side::periodic;
}

std::shared_ptr<Profile<double> const> base_of(io::CaseFile const& c) {
  auto const kind = c.choice("base.kind", "constant_theta",
                             {"constant_theta", "constant_n", "isothermal", "weisman_klemp", "sounding"});
  if (kind == "sounding") {
    auto sounding = from_ground(read_sounding(c.file("base.file", true)));
    // The grid moves, as a storm does that is to stay on it.
    auto const frame_u = quantity(c, "base.frame_u", "m s-1", 0, -100, 100),
               frame_v = quantity(c, "base.frame_v", "m s-1", 0, -100, 100);
    for (auto& u : sounding.u) u -= frame_u;
    for (auto& v : sounding.v) v -= frame_v;
    return make_profile<double>(sounding);
  }
  AnalyticProfile profile;
  profile.ground_pressure = quantity(c, "base.pressure", "Pa", 1e5, 1e4, 1.2e5);
  profile.wind = {quantity(c, "base.u", "m s-1", 0, -200, 200), quantity(c, "base.v", "m s-1", 0, -200, 200),
                  quantity(c, "base.u_aloft", "m s-1", 0, -200, 200),
                  quantity(c, "base.shear_depth", "m", 3000, 1, 1e5)};
  if (kind == "weisman_klemp") {
    profile.kind = AnalyticProfile::Kind::weisman_klemp;
    profile.humidity = quantity(c, "base.humidity", "kg kg-1", 0.014, 0, 0.06);
    return make_profile<double>(profile);
  }
  profile.theta = quantity(c, "base.theta", "K", 300, 150, 500);
  profile.kind = AnalyticProfile::Kind::constant_theta;
  if (kind == "isothermal") profile.kind = AnalyticProfile::Kind::isothermal;
  if (kind == "constant_n") {
    profile.kind = AnalyticProfile::Kind::constant_frequency;
    profile.frequency = quantity(c, "base.frequency", "s-1", 0.01, 0, 0.1);
  }
  return make_profile<double>(profile);
}

Closure closure_of(std::string const& name) {
  return name == "smagorinsky" ? Closure::smagorinsky : name == "energy" ? Closure::energy : Closure::none;
}

}  // namespace

GridSize read_grid_size(io::CaseFile const& c) {
  return {c.integer("grid.nx", 64, 1, most_columns), c.integer("grid.ny", 1, 1, most_columns),
          c.integer("grid.nz", 32, 2, most_levels)};
}

Parameters::Parameters(io::CaseFile const& c)
    : nx{read_grid_size(c).nx},
      ny{read_grid_size(c).ny},
      nz{read_grid_size(c).nz},
      dx{quantity(c, "grid.dx", "m", 1000, 1e-6, 1e6)},
      dy{quantity(c, "grid.dy", "m", dx, 1e-6, 1e6)},
      dz{quantity(c, "grid.dz", "m", 500, 1e-6, 1e5)},
      stretching{c.choice("grid.stretching", "none", {"none", "cubic", "tanh"})},
      thinnest{stretching == "none" ? dz : quantity(c, "grid.thinnest", "m", dz, 1e-6, dz)},
      uniform_below{stretching == "none" ? 0 : quantity(c, "grid.uniform_below", "m", 0, 0, dz * nz)},
      step{c.duration("time.step", "6 s", 1e-9, longest_step)},
      leapfrog{c.choice("time.scheme", "runge_kutta", {"runge_kutta", "leapfrog"}) == "leapfrog"},
      asselin{leapfrog ? c.number("time.asselin", 0.05, 0, 0.5) : 0},
      full_density{c.choice("air.density", "base", {"base", "full"}) == "full"},
      humid{c.flag("air.humid", false)},
      small_step{c.duration("sound.longest_step", "1 s", 1e-9, longest_step)},
      small_theta{c.choice("sound.theta", "big", {"big", "small"}) == "small"},
      implicitness{c.number("sound.implicitness", 0.6, 0.5, 1)},
      divergence_damping{c.number("sound.divergence_damping", 0.05, 0, 1)},
      anisotropic_damping{c.choice("sound.damping", "isotropic", {"isotropic", "anisotropic"}) ==
                          "anisotropic"},
      order{c.integer("advection.order", 4, 2, 5)},
      order_zeta{c.integer("advection.vertical_order", order, 2, 5)},
      factors{FactorSource::kept},
      overlap{c.flag("ranks.overlap", true)},
      arps_coefficients{c.choice("sound.coefficients", "consistent", {"consistent", "arps"}) == "arps"},
      coriolis{quantity(c, "air.coriolis", "s-1", 0, -1, 1)},
      diffusivity{quantity(c, "mixing.diffusivity", "m2 s-1", 0, 0, 1e6)},
      closure{closure_of(c.choice("mixing.closure", "none", {"none", "smagorinsky", "energy"}))},
      smagorinsky{closure == Closure::smagorinsky ? c.number("mixing.smagorinsky", 0.21, 0, 1) : 0},
      prandtl{closure == Closure::smagorinsky ? c.number("mixing.prandtl", 1, 0.01, 100) : 1},
      start_energy{closure == Closure::energy ? quantity(c, "start.energy", "m2 s-2", 1e-3, 0, 100) : 0},
      least_energy{closure == Closure::energy ? quantity(c, "mixing.least_energy", "m2 s-2", 1e-6, 0, 1) : 0},
      computational_mixing{c.number("mixing.fourth_order", 0, 0, 1)},
      sponge_from{quantity(c, "sponge.from", "m", 1e6, 0, 1e6)},
      sponge_rate{quantity(c, "sponge.rate", "s-1", 0, 0, 10)},
      radiative_lid{c.choice("lid.kind", "rigid", {"rigid", "radiative"}) == "radiative"},
      sides{side(c, "lateral.west"), side(c, "lateral.east"), side(c, "lateral.south"),
            side(c, "lateral.north")},
      whole_nx{nx},
      whole_ny{ny},
      whole_sides{sides},
      phase_speed{quantity(c, "lateral.phase_speed", "m s-1", default_phase_speed, 0, 1000)},
      column_speed{c.choice("lateral.speed_of", "given", {"given", "column"}) == "column"},
      inflow_rate{quantity(c, "lateral.inflow_rate", "s-1", 0, 0, 1)},
      base{base_of(c)},
      terrain{c.choice("terrain.kind", "flat", {"flat", "bell", "schaer"})},
      mountain_height{flat() ? 0 : quantity(c, "terrain.height", "m", 250, -9000, 9000)},
      mountain_width{flat() ? 0 : quantity(c, "terrain.half_width", "m", 5000, 1e-3, 1e12)},
      mountain_x{flat() ? 0 : quantity(c, "terrain.centre_x", "m", dx * nx / 2, -farthest, farthest)},
      mountain_y{flat() ? 0 : quantity(c, "terrain.centre_y", "m", dy * ny / 2, -farthest, farthest)},
      mountain_wave{terrain == "schaer" ? quantity(c, "terrain.wavelength", "m", 4000, 1e-3, 1e8) : 0},
      flat_above{flat() ? top() : quantity(c, "terrain.flat_above", "m", top(), 1, top())},
      linear_wave{!flat() && c.flag("terrain.linear_wave", false)},
      start{Start::rest},
      amplitude{0},
      in_temperature{false},
      centre_x{dx * nx / 2},
      centre_y{dy * ny / 2},
      centre_z{2000},
      radius_x{2000},
      radius_y{2000},
      radius_z{2000} {
  if (top() > highest_lid) {
    throw c.error("grid.dz", "puts the lid at " + io::number_text(top()) + " m (" +
                                 io::number_text(highest_lid) +
                                 " m are the highest, and air ends far below) make it smaller, or grid.nz");
  }
  if (auto const count = step / small_step; count > most_small_steps) {
    throw c.error("sound.longest_step", "makes " + io::number_text(std::ceil(count)) +
                                            " small steps of a step of " + io::number_text(step) + " s (" +
                                            std::to_string(most_small_steps) +
                                            " are the most) make it longer, or time.step shorter");
  }
  auto const from = c.choice("sound.factors", "kept", {"kept", "stored", "fused"});
  factors = from == "stored" ? FactorSource::stored : from == "fused" ? FactorSource::fused : factors;
  for (auto const* key : {"advection.order", "advection.vertical_order"}) {
    if (c.has(key) && c.integer(key, 4, 2, 5) == 3)
      throw c.error(key, "is 3 (there is no such scheme) set 2, 4 or 5");
  }
  if ((sides.west == Side::periodic) != (sides.east == Side::periodic)) {
    throw c.error("lateral.east", "does not match lateral.west (a period has two ends) set both");
  }
  if ((sides.south == Side::periodic) != (sides.north == Side::periodic)) {
    throw c.error("lateral.north", "does not match lateral.south (a period has two ends) set both");
  }
  if (radiative_lid && (sides.west != Side::periodic || (ny > 1 && sides.south != Side::periodic))) {
    throw c.error("lid.kind",
                  "is \"radiative\" (its waves are those of periodic sides) make all sides \"periodic\", or "
                  "set it to \"rigid\" with a sponge");
  }
  if (!open_x() && !open_y()) {
    // Their defaults may stand there, as in what a run writes of its case.
    char const* const needed = "an \"open\" side";
    if (phase_speed != default_phase_speed) io::refuse_idle_keys(c, {"lateral.phase_speed"}, needed);
    if (column_speed) io::refuse_idle_keys(c, {"lateral.speed_of"}, needed);
    if (inflow_rate != 0) io::refuse_idle_keys(c, {"lateral.inflow_rate"}, needed);
  }
  if (!c.has("sponge.rate")) io::refuse_idle_keys(c, {"sponge.from"}, "sponge.rate");
  if (column_speed && ((open_x() && nx < 4) || (open_y() && ny < 4))) {
    throw c.error("lateral.speed_of",
                  "needs 4 cells between open sides (speeds are measured next to each) set it to \"given\"");
  }
  if (base->top() < top()) {
    throw c.error("base.file", "ends at " + io::number_text(base->top()) +
                                   " m over the ground (the lid is at " + io::number_text(top()) +
                                   " m) lower the lid by grid.nz or grid.dz, or take a higher sounding");
  }
  if (!(BaseState(base, top()).exner(top()) > 0)) {
    throw c.error("grid.dz", "puts the lid at " + io::number_text(top()) +
                                 " m (the air of the base state ends below) make it smaller, or grid.nz");
  }
  if (radiative_lid && !(base->theta(top()) > base->theta(top() - dz))) {
    throw c.error("lid.kind",
                  "is \"radiative\" (the base state is not stable at the lid, so that no waves leave) choose "
                  "a stable base.kind, or set it to \"rigid\"");
  }
  if (linear_wave) {
    auto const wind = base->wind(0).u;
    // Levels are cut into pieces of a twentieth of a radian of the shortest wave, or of the stiffest air.
    constexpr double most_pieces = 1e5, stiffest = 0.1;  // the latter in s-1
    auto const pieces = dz * std::max(std::numbers::pi / dx, stiffest / std::abs(wind)) / 0.05;
    if (wind != 0 && pieces > most_pieces) {
      throw c.error("terrain.linear_wave",
                    "would cut each level into " + io::number_text(std::ceil(pieces)) + " pieces (" +
                        io::number_text(most_pieces) +
                        " are the most: waves are that short, or the wind that slow) make grid.dz smaller, "
                        "or set it to false");
    }
    bool simple = ny == 1 && sides.west == Side::periodic && !humid && wind != 0;
    for (std::int32_t k = 1; k <= nz; ++k) simple = simple && base->wind(k * dz).u == wind;
    if (!simple) {
      throw c.error("terrain.linear_wave",
                    "is known of one periodic row of dry air with the same wind at all heights (this is "
                    "another case) set it to false");
    }
  }
  require_mountain_on_grid(*this, c);
  if (sponge_rate > 0 && !c.has("sponge.from")) {
    throw c.error(
        "sponge.rate",
        "has no layer to act in (sponge.from says where it begins) give sponge.from below the lid at " +
            io::number_text(top()) + " m");
  }
  auto const kind =
      c.choice("start.kind", "rest", {"rest", "bubble", "gravity_wave", "acoustic_column", "acoustic_pulse"});
  if (kind == "rest") return;
  start = kind == "bubble"            ? Start::bubble
          : kind == "gravity_wave"    ? Start::gravity_wave
          : kind == "acoustic_column" ? Start::acoustic_column
                                      : Start::acoustic_pulse;
  auto const of_pressure = start == Start::acoustic_column || start == Start::acoustic_pulse;
  auto const largest = of_pressure ? 1e4 : 200.0;
  amplitude = quantity(c, "start.amplitude", of_pressure ? "Pa" : "K",
                       start == Start::gravity_wave ? 0.01 : 2, -largest, largest);
  if (start == Start::acoustic_column) return;
  centre_x = quantity(c, "start.centre_x", "m", centre_x, -farthest, farthest);
  radius_x = quantity(c, "start.radius_x", "m", radius_x, 1e-6, farthest);
  if (start != Start::bubble) {
    require_start_on_grid(*this, c);
    return;
  }
  in_temperature = c.choice("start.amplitude_of", "theta", {"theta", "temperature"}) == "temperature";
  centre_y = quantity(c, "start.centre_y", "m", centre_y, -farthest, farthest);
  centre_z = quantity(c, "start.centre_z", "m", centre_z, -farthest, farthest);
  // Two-dimensional where there is one row.
  radius_y = ny == 1 ? 1e30 : quantity(c, "start.radius_y", "m", radius_x, 1e-6, farthest);
  radius_z = quantity(c, "start.radius_z", "m", radius_z, 1e-6, farthest);
  require_start_on_grid(*this, c);
}

double Parameters::ground(double x, double y) const {
  auto const off_x = (x - mountain_x) / mountain_width;
  auto const off_y = ny == 1 ? 0 : (y - mountain_y) / mountain_width;
  if (terrain == "bell") return mountain_height / (1 + off_x * off_x + off_y * off_y);
  if (terrain == "schaer") {
    // Schaer et al. 2002, Mon. Wea. Rev. 130, 2459-2480.
    auto const wave = std::cos(std::numbers::pi * (x - mountain_x) / mountain_wave);
    return mountain_height * std::exp(-off_x * off_x) * wave * wave;
  }
  return 0;
}

Parameters Parameters::part(Blocks const& blocks) const {
  auto block = block_of(*this, blocks);
  auto const cut = [](Side& side, bool at_rim, int parts) {
    if (parts > 1 && (!at_rim || side == Side::periodic)) side = Side::neighbour;
  };
  cut(block.sides.west, blocks.west(), blocks.along_x().parts);
  cut(block.sides.east, blocks.east(), blocks.along_x().parts);
  cut(block.sides.south, blocks.south(), blocks.along_y().parts);
  cut(block.sides.north, blocks.north(), blocks.along_y().parts);
  return block;
}

Heights Parameters::heights() const {
  Heights heights{nx,         ny, nz,          dx,       dy,       dz,      {0},
                  flat_above, {}, whole_sides, whole_nx, whole_ny, first_x, first_y};
  if (!flat()) {
    for (std::int32_t j = 0; j < whole_ny; ++j) {
      for (std::int32_t i = 0; i < whole_nx; ++i)
        heights.ground.push_back(ground((i + 0.5) * dx, (j + 0.5) * dy));
    }
  }
  if (stretching == "none") {
    for (std::int32_t k = 1; k <= nz; ++k) heights.levels.push_back(k * dz);
    return heights;
  }
  // Thin layers, then layers that grow by a curve from 0 to 1, as thick at the top as the sum asks for.
  auto const thin = static_cast<std::int32_t>(std::min(uniform_below / thinnest, nz - 2.0));
  auto const curve = [&](std::int32_t k) {
    if (k < thin) return 0.0;
    auto const s = 2 * static_cast<double>(k - thin) / (nz - 1 - thin) - 1;
    return stretching == "cubic" ? (1 + s * s * s) / 2 : (1 + std::tanh(2 * s) / std::tanh(2.0)) / 2;
  };
  double sum = 0;
  for (std::int32_t k = 0; k < nz; ++k) sum += curve(k);
  auto const growth = (top() - nz * thinnest) / sum;
  for (std::int32_t k = 0; k < nz; ++k) {
    heights.levels.push_back(heights.levels.back() + thinnest + growth * curve(k));
  }
  heights.levels.back() = top();
  return heights;
}

double Parameters::sponge(double z) const {
  if (z <= sponge_from) return 0;
  auto const part = (z - sponge_from) / (top() - sponge_from);
  return sponge_rate * (1 - std::cos(std::numbers::pi * std::min(part, 1.0))) / 2;
}

double Parameters::damping_h() const {
  auto const along = ny == 1 ? dx : anisotropic_damping ? std::sqrt(dx * dy) : std::min(dx, dy);
  auto const length = anisotropic_damping ? std::min(along, 5000.0) : std::min(along, thinnest);
  return divergence_damping * length * length;
}
double Parameters::damping_v() const {
  auto const along = ny == 1 ? dx : std::min(dx, dy);
  auto const length = anisotropic_damping ? thinnest : std::min(along, thinnest);
  return divergence_damping * length * length;
}

Parameters::SmallSteps Parameters::small_steps(double length) const {
  auto const count = std::max(1, static_cast<int>(std::ceil(length / small_step * (1 - 1e-12))));
  return {count, length / count};
}

double Parameters::start_theta(BaseState const& base_state, double x, double y, double z) const {
  if (start == Start::bubble) {
    auto const along = [](double at, double centre, double radius) {
      return (at - centre) / radius * ((at - centre) / radius);
    };
    auto const r2 =
        along(x, centre_x, radius_x) + along(y, centre_y, radius_y) + along(z, centre_z, radius_z);
    if (r2 >= 1) return 0;
    auto const cosine = std::cos(std::numbers::pi / 2 * std::sqrt(r2));
    return amplitude * cosine * cosine / (in_temperature ? base_state.exner(z) : 1);
  }
  if (start == Start::gravity_wave) {
    // Skamarock and Klemp 1994, Mon. Wea. Rev. 122, 2623-2630.
    auto const off = (x - centre_x) / radius_x;
    return amplitude * std::sin(std::numbers::pi * z / top()) / (1 + off * off);
  }
  return 0;
}

double Parameters::start_pressure(BaseState const&, double x, double z) const {
  if (start == Start::acoustic_column) return amplitude * std::cos(std::numbers::pi * z / top());
  if (start == Start::acoustic_pulse) {
    auto const off = (x - centre_x) / radius_x;
    return amplitude * std::exp(-off * off);
  }
  return 0;
}

std::vector<io::Coordinate> coordinates(Parameters const& p) {
  auto const row = [](std::int32_t count, double first, double spacing) {
    std::vector<double> values;
    for (std::int32_t n = 0; n < count; ++n) values.push_back(first + n * spacing);
    return values;
  };
  auto const levels = p.heights().levels;
  std::vector<double> centres;
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) centres.push_back((levels[k] + levels[k + 1]) / 2);
  return {{"x", "projection_x_coordinate", "x of centres", "m", "X", row(p.whole_nx, p.dx / 2, p.dx)},
          {"x_u", "projection_x_coordinate", "x of faces of u", "m", "X", row(p.whole_nx + 1, 0, p.dx)},
          {"y", "projection_y_coordinate", "y of centres", "m", "Y", row(p.whole_ny, p.dy / 2, p.dy)},
          {"y_v", "projection_y_coordinate", "y of faces of v", "m", "Y", row(p.whole_ny + 1, 0, p.dy)},
          {"z", "", "height of centres over flat ground", "m", "Z", centres},
          {"z_w", "", "height of faces of w over flat ground", "m", "Z", levels}};
}

}  // namespace ulpine::fdm
