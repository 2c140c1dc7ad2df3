// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/fdm/keys.hpp"
#include "core/fdm/limits.hpp"
#include "core/fdm/on_grid.hpp"
#include "core/sounding/case_sounding.hpp"
#include "io/case_idle.hpp"
#include "io/error.hpp"

namespace ulpine::fdm {
namespace {

LateralBoundary lateral_boundary(io::KeyReader const& keys, char const* key) {
  auto const name = keys.choice(key);
  return name == "wall"            ? LateralBoundary::wall
         : name == "zero_gradient" ? LateralBoundary::zero_gradient
         : name == "open"          ? LateralBoundary::open
                                   : LateralBoundary::periodic;
}

std::shared_ptr<Profile<double> const> base_of(io::KeyReader const& keys) {
  auto const kind = keys.choice("base.kind");
  if (kind == "sounding") return make_profile<double>(sounding_of_case(keys));
  AnalyticProfile profile;
  profile.ground_pressure = keys.number("base.pressure");
  profile.wind = {keys.number("base.u"), keys.number("base.v"), keys.number("base.u_aloft"),
                  keys.number("base.shear_depth")};
  if (kind == "weisman_klemp") {
    profile.kind = AnalyticProfile::Kind::weisman_klemp;
    profile.humidity = keys.number("base.humidity");
    return make_profile<double>(profile);
  }
  profile.theta = keys.number("base.theta");
  profile.kind = AnalyticProfile::Kind::constant_theta;
  if (kind == "isothermal") profile.kind = AnalyticProfile::Kind::isothermal;
  if (kind == "constant_n") {
    profile.kind = AnalyticProfile::Kind::constant_frequency;
    profile.frequency = keys.number("base.buoyancy_frequency");
  }
  return make_profile<double>(profile);
}

Closure closure_of(std::string const& name) {
  return name == "smagorinsky" ? Closure::smagorinsky : name == "energy" ? Closure::energy : Closure::none;
}

FactorSource factors_of(std::string const& name) {
  return name == "stored" ? FactorSource::stored : name == "fused" ? FactorSource::fused : FactorSource::kept;
}

Start start_of(std::string const& name) {
  return name == "bubble"            ? Start::bubble
         : name == "gravity_wave"    ? Start::gravity_wave
         : name == "acoustic_column" ? Start::acoustic_column
         : name == "acoustic_pulse"  ? Start::acoustic_pulse
                                     : Start::rest;
}

}  // namespace

GridSize read_grid_size(io::CaseFile const& c) {
  io::KeyReader const keys{c, case_keys()};
  return {keys.integer("grid.nx"), keys.integer("grid.ny"), keys.integer("grid.nz")};
}

Parameters::Parameters(io::CaseFile const& c) : Parameters(io::KeyReader{c, case_keys()}) {}

Parameters::Parameters(io::KeyReader const& reader)
    : keys{reader},
      nx{keys.integer("grid.nx")},
      ny{keys.integer("grid.ny")},
      nz{keys.integer("grid.nz")},
      dx{keys.number("grid.dx")},
      dy{keys.number("grid.dy", dx)},
      dz{keys.number("grid.dz")},
      stretching{keys.choice("grid.stretching")},
      thinnest{stretching == "none" ? dz : keys.number("grid.thinnest", dz, 0, dz)},
      uniform_below{stretching == "none" ? 0 : keys.number("grid.uniform_below", 0, 0, dz * nz)},
      step{keys.duration("time.step")},
      leapfrog{keys.choice("time.scheme") == "leapfrog"},
      asselin{leapfrog ? keys.number("time.asselin") : 0},
      full_density{keys.choice("air.density") == "full"},
      humid{keys.flag("air.humid")},
      small_step{keys.duration("sound.longest_step")},
      small_theta{keys.choice("sound.theta") == "small"},
      implicitness{keys.number("sound.implicitness")},
      divergence_damping{keys.number("sound.divergence_damping")},
      anisotropic_damping{keys.choice("sound.damping") == "anisotropic"},
      order{keys.integer("advection.order")},
      order_zeta{keys.integer("advection.vertical_order", order)},
      factors{factors_of(keys.choice("sound.factors"))},
      overlap{keys.flag("ranks.overlap")},
      arps_coefficients{keys.choice("sound.coefficients") == "arps"},
      coriolis{keys.number("air.coriolis")},
      diffusivity{keys.number("mixing.diffusivity")},
      closure{closure_of(keys.choice("mixing.closure"))},
      smagorinsky{closure == Closure::smagorinsky ? keys.number("mixing.smagorinsky") : 0},
      prandtl{closure == Closure::smagorinsky ? keys.number("mixing.prandtl") : 1},
      start_energy{closure == Closure::energy ? keys.number("start.energy") : 0},
      least_energy{closure == Closure::energy ? keys.number("mixing.least_energy") : 0},
      computational_mixing{keys.number("mixing.fourth_order")},
      sponge_from{keys.number("sponge.from", 1e6)},
      sponge_rate{keys.number("sponge.rate")},
      radiative_lid{keys.choice("lid.kind") == "radiative"},
      sides{lateral_boundary(keys, "boundary.west"), lateral_boundary(keys, "boundary.east"),
            lateral_boundary(keys, "boundary.south"), lateral_boundary(keys, "boundary.north")},
      whole_nx{nx},
      whole_ny{ny},
      phase_speed{keys.number("boundary.phase_speed")},
      column_speed{keys.choice("boundary.speed_of") == "column"},
      inflow_rate{keys.number("boundary.inflow_rate")},
      base{base_of(keys)},
      terrain{keys.choice("terrain.kind")},
      mountain_height{flat() ? 0 : keys.number("terrain.height")},
      mountain_width{flat() ? 0 : keys.number("terrain.half_width")},
      mountain_x{flat() ? 0 : keys.number("terrain.centre_x", dx * nx / 2)},
      mountain_y{flat() ? 0 : keys.number("terrain.centre_y", dy * ny / 2)},
      mountain_wave{terrain == "schaer" ? keys.number("terrain.wavelength") : 0},
      flat_above{flat() ? top() : keys.number("terrain.flat_above", top(), 1, top())},
      linear_wave{!flat() && keys.flag("terrain.linear_wave")},
      start{start_of(keys.choice("start.kind"))},
      amplitude{0},
      in_temperature{false},
      centre_x{dx * nx / 2},
      centre_y{dy * ny / 2},
      centre_z{2000},
      radius_x{2000},
      radius_y{2000},
      radius_z{2000} {
  auto const& c = keys.case_file();
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
  for (auto const* key : {"advection.order", "advection.vertical_order"}) {
    if (keys.has(key) && keys.integer(key, 4) == 3)
      throw c.error(key, "is 3 (there is no such scheme) set 2, 4 or 5");
  }
  if ((sides.west == LateralBoundary::periodic) != (sides.east == LateralBoundary::periodic)) {
    throw c.error("boundary.east", "does not match boundary.west (a period has two ends) set both");
  }
  if ((sides.south == LateralBoundary::periodic) != (sides.north == LateralBoundary::periodic)) {
    throw c.error("boundary.north", "does not match boundary.south (a period has two ends) set both");
  }
  if (radiative_lid &&
      (sides.west != LateralBoundary::periodic || (ny > 1 && sides.south != LateralBoundary::periodic))) {
    throw c.error("lid.kind",
                  "is \"radiative\" (its waves are those of periodic sides) make all sides \"periodic\", or "
                  "set it to \"rigid\" with a sponge");
  }
  if (!open_x() && !open_y()) {
    // Their defaults may stand there, as in what a run writes of its case.
    char const* const needed = "an \"open\" side";
    if (phase_speed != default_phase_speed) io::refuse_idle_keys(c, {"boundary.phase_speed"}, needed);
    if (column_speed) io::refuse_idle_keys(c, {"boundary.speed_of"}, needed);
    if (inflow_rate != 0) io::refuse_idle_keys(c, {"boundary.inflow_rate"}, needed);
  }
  if (!keys.has("sponge.rate")) io::refuse_idle_keys(c, {"sponge.from"}, "sponge.rate");
  if (column_speed && ((open_x() && nx < 4) || (open_y() && ny < 4))) {
    throw c.error("boundary.speed_of",
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
    bool simple = ny == 1 && sides.west == LateralBoundary::periodic && !humid && wind != 0;
    for (std::int32_t k = 1; k <= nz; ++k) simple = simple && base->wind(k * dz).u == wind;
    if (!simple) {
      throw c.error("terrain.linear_wave",
                    "is known of one periodic row of dry air with the same wind at all heights (this is "
                    "another case) set it to false");
    }
  }
  require_mountain_on_grid(*this, c);
  if (sponge_rate > 0 && !keys.has("sponge.from")) {
    throw c.error(
        "sponge.rate",
        "has no layer to act in (sponge.from says where it begins) give sponge.from below the lid at " +
            io::number_text(top()) + " m");
  }
  read_start();
}

void Parameters::read_start() {
  if (start == Start::rest) return;
  auto const& c = keys.case_file();
  auto const of_pressure = start == Start::acoustic_column || start == Start::acoustic_pulse;
  auto const largest = of_pressure ? 1e4 : 200.0;
  amplitude = keys.number("start.amplitude", of_pressure ? "Pa" : "K",
                          start == Start::gravity_wave ? 0.01 : 2, -largest, largest);
  if (start == Start::acoustic_column) return;
  centre_x = keys.number("start.centre_x", centre_x);
  radius_x = keys.number("start.radius_x");
  if (start != Start::bubble) {
    require_start_on_grid(*this, c);
    return;
  }
  in_temperature = keys.choice("start.amplitude_of") == "temperature";
  centre_y = keys.number("start.centre_y", centre_y);
  centre_z = keys.number("start.centre_z");
  // Two-dimensional where there is one row.
  radius_y = ny == 1 ? 1e30 : keys.number("start.radius_y", radius_x);
  radius_z = keys.number("start.radius_z");
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

Heights Parameters::heights() const {
  Heights heights{nx, ny, nz, dx, dy, dz, {0}, flat_above, {}, sides, whole_nx, whole_ny, first_x, first_y};
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

SmallSteps Parameters::small_steps(double length) const {
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
