// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/fdm/on_grid.hpp"
#include "io/error.hpp"

namespace ulpine::fdm {
namespace {

constexpr std::int32_t most_columns = 1 << 14, most_levels = 1 << 13;

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
    auto const frame_u = c.number("base.frame_u", 0, -100, 100),
               frame_v = c.number("base.frame_v", 0, -100, 100);
    for (auto& u : sounding.u) u -= frame_u;
    for (auto& v : sounding.v) v -= frame_v;
    return make_profile<double>(sounding);
  }
  AnalyticProfile profile;
  profile.ground_pressure = c.number("base.pressure", 1e5, 1e3, 2e5);
  profile.wind = {c.number("base.u", 0, -500, 500), c.number("base.v", 0, -500, 500),
                  c.number("base.u_aloft", 0, -500, 500), c.number("base.shear_depth", 3000, 1)};
  if (kind == "weisman_klemp") {
    profile.kind = AnalyticProfile::Kind::weisman_klemp;
    profile.humidity = c.number("base.humidity", 0.014, 0, 0.1);
    return make_profile<double>(profile);
  }
  profile.theta = c.number("base.theta", 300, 1, 2000);
  profile.kind = AnalyticProfile::Kind::constant_theta;
  if (kind == "isothermal") profile.kind = AnalyticProfile::Kind::isothermal;
  if (kind == "constant_n") {
    profile.kind = AnalyticProfile::Kind::constant_frequency;
    profile.frequency = c.number("base.frequency", 0.01, 0, 1);
  }
  return make_profile<double>(profile);
}

Closure closure_of(std::string const& name) {
  return name == "smagorinsky" ? Closure::smagorinsky : name == "energy" ? Closure::energy : Closure::none;
}

}  // namespace

Parameters::Parameters(io::CaseFile const& c)
    : nx{c.integer("grid.nx", 64, 1, most_columns)},
      ny{c.integer("grid.ny", 1, 1, most_columns)},
      nz{c.integer("grid.nz", 32, 2, most_levels)},
      dx{c.number("grid.dx", 1000, 1e-6)},
      dy{c.number("grid.dy", dx, 1e-6)},
      dz{c.number("grid.dz", 500, 1e-6)},
      stretching{c.choice("grid.stretching", "none", {"none", "cubic", "tanh"})},
      thinnest{stretching == "none" ? dz : c.number("grid.thinnest", dz, 1e-6, dz)},
      uniform_below{stretching == "none" ? 0 : c.number("grid.uniform_below", 0, 0, dz * nz)},
      step{c.duration("time.step", "6 s", 1e-9)},
      leapfrog{c.choice("time.scheme", "runge_kutta", {"runge_kutta", "leapfrog"}) == "leapfrog"},
      asselin{leapfrog ? c.number("time.asselin", 0.05, 0, 0.5) : 0},
      full_density{c.choice("air.density", "base", {"base", "full"}) == "full"},
      humid{c.flag("air.humid", false)},
      small_step{c.duration("sound.longest_step", "1 s", 1e-9)},
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
      coriolis{c.number("air.coriolis", 0, -1, 1)},
      diffusivity{c.number("mixing.diffusivity", 0, 0)},
      closure{closure_of(c.choice("mixing.closure", "none", {"none", "smagorinsky", "energy"}))},
      smagorinsky{closure == Closure::smagorinsky ? c.number("mixing.smagorinsky", 0.21, 0, 1) : 0},
      prandtl{closure == Closure::smagorinsky ? c.number("mixing.prandtl", 1, 0.01, 100) : 1},
      start_energy{closure == Closure::energy ? c.number("start.energy", 1e-3, 0, 100) : 0},
      least_energy{closure == Closure::energy ? c.number("mixing.least_energy", 1e-6, 0, 1) : 0},
      computational_mixing{c.number("mixing.fourth_order", 0, 0, 1)},
      sponge_from{c.number("sponge.from", 1e6, 0)},
      sponge_rate{c.number("sponge.rate", 0, 0, 10)},
      radiative_lid{c.choice("lid.kind", "rigid", {"rigid", "radiative"}) == "radiative"},
      sides{side(c, "lateral.west"), side(c, "lateral.east"), side(c, "lateral.south"),
            side(c, "lateral.north")},
      whole_nx{nx},
      whole_ny{ny},
      whole_sides{sides},
      phase_speed{c.number("lateral.phase_speed", 50, 0, 1000)},
      column_speed{c.choice("lateral.speed_of", "given", {"given", "column"}) == "column"},
      inflow_rate{c.number("lateral.inflow_rate", 0, 0, 1)},
      base{base_of(c)},
      terrain{c.choice("terrain.kind", "flat", {"flat", "bell", "schaer"})},
      mountain_height{flat() ? 0 : c.number("terrain.height", 250, -9000, 9000)},
      mountain_width{flat() ? 0 : c.number("terrain.half_width", 5000, 1e-3)},
      mountain_x{flat() ? 0 : c.number("terrain.centre_x", dx * nx / 2)},
      mountain_y{flat() ? 0 : c.number("terrain.centre_y", dy * ny / 2)},
      mountain_wave{terrain == "schaer" ? c.number("terrain.wavelength", 4000, 1e-3) : 0},
      flat_above{flat() ? top() : c.number("terrain.flat_above", top(), 1, top())},
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
  if (column_speed && ((open_x() && nx < 4) || (open_y() && ny < 4))) {
    throw c.error("lateral.speed_of",
                  "needs 4 cells between open sides (speeds are measured next to each) set it to \"given\"");
  }
  if (base->top() < top()) {
    throw c.error("base.file", "ends at " + io::number_text(base->top()) +
                                   " m over the ground (the lid is at " + io::number_text(top()) +
                                   " m) lower the lid by grid.nz or grid.dz, or take a higher sounding");
  }
  if (radiative_lid && !(base->theta(top()) > base->theta(top() - dz))) {
    throw c.error("lid.kind",
                  "is \"radiative\" (the base state is not stable at the lid, so that no waves leave) choose "
                  "a stable base.kind, or set it to \"rigid\"");
  }
  if (linear_wave) {
    auto const wind = base->wind(0).u;
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
  amplitude = c.number("start.amplitude", start == Start::gravity_wave ? 0.01 : 2);
  if (start == Start::acoustic_column) return;
  centre_x = c.number("start.centre_x", centre_x);
  radius_x = c.number("start.radius_x", radius_x, 1e-6);
  if (start != Start::bubble) {
    require_start_on_grid(*this, c);
    return;
  }
  in_temperature = c.choice("start.amplitude_of", "theta", {"theta", "temperature"}) == "temperature";
  centre_y = c.number("start.centre_y", centre_y);
  centre_z = c.number("start.centre_z", centre_z);
  // Two-dimensional where there is one row.
  radius_y = ny == 1 ? 1e30 : c.number("start.radius_y", radius_x, 1e-6);
  radius_z = c.number("start.radius_z", radius_z, 1e-6);
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
  auto const thin = std::min(static_cast<std::int32_t>(uniform_below / thinnest), nz - 2);
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
