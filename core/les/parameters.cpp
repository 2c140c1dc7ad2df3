// SPDX-License-Identifier: Apache-2.0
#include "core/les/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/lattice/coordinates.hpp"
#include "core/les/grid_size.hpp"
#include "core/les/keys.hpp"
#include "core/les/moisture.hpp"
#include "core/physics/constants.hpp"
#include "io/case_idle.hpp"
#include "io/error.hpp"

namespace ulpine::les {
namespace {

constexpr auto earth_rotation = physics::palm::earth_rotation<double>();
constexpr double most_disturbances = 0x1p32;  // rounds of random numbers

Profile profile(io::CaseFile const& c, std::string const& table, std::string const& values, double fallback) {
  auto const keys = keys_of(c);
  Profile result{keys.numbers((table + ".heights").c_str(), {0}),
                 keys.numbers((table + "." + values).c_str(), {fallback})};
  if (result.values.size() == 1 && result.heights.size() != 1) {
    result.values.resize(result.heights.size(), result.values.front());
  }
  if (result.values.size() != result.heights.size()) {
    throw c.error(table + "." + values, "has " + std::to_string(result.values.size()) + " values for " +
                                            std::to_string(result.heights.size()) +
                                            " heights give one for each");
  }
  for (std::size_t n = 1; n < result.heights.size(); ++n) {
    if (!(result.heights[n] > result.heights[n - 1])) {
      throw c.error(table + ".heights[" + std::to_string(n) + "]",
                    "does not lie above the one before give heights that grow");
    }
  }
  return result;
}

/// InputError for keys that nothing reads the values of, as what they belong to is not there; switched off by
/// a 0 it is there. Keys of closures and grounds that are not chosen may stay for when they are.
void require_effects(io::CaseFile const& c) {
  using io::refuse_idle_keys;
  if (!c.has("sponge.rate")) refuse_idle_keys(c, {"sponge.from"}, "sponge.rate");
  if (!c.has("grid.stretch_factor")) {
    refuse_idle_keys(c, {"grid.stretch_from", "grid.thickest"}, "grid.stretch_factor");
  }
  if (!c.has("start.disturbance")) {
    refuse_idle_keys(
        c,
        {"start.disturb_every", "start.disturb_until", "start.disturbance_bottom", "start.disturbance_top"},
        "start.disturbance");
  }
  if (!c.has("start.noise_wind") && !c.has("start.noise_theta") && !c.has("start.noise_humidity")) {
    refuse_idle_keys(c, {"start.noise_top"}, "start.noise_wind, noise_theta or noise_humidity");
    if (!c.has("start.disturbance")) {
      refuse_idle_keys(c, {"start.seed"}, "start.disturbance, noise_wind, noise_theta or noise_humidity");
    }
  }
}

SlipCondition slip_condition(io::CaseFile const& c, char const* key) {
  auto const name = keys_of(c).choice(key);
  return name == "no_slip"       ? SlipCondition::no_slip
         : name == "geostrophic" ? SlipCondition::moving
                                 : SlipCondition::free_slip;
}

std::int32_t read_refinement(io::CaseFile const& c) { return keys_of(c).integer("grid.refinement"); }

}  // namespace

GridSize read_grid_size(io::CaseFile const& c) {
  auto const refinement = read_refinement(c);
  auto const keys = keys_of(c);
  return {refinement * keys.integer("grid.nx", 64, 1, most_columns / refinement),
          refinement * keys.integer("grid.ny", 64, 1, most_columns / refinement),
          refinement * keys.integer("grid.nz", 64, 2, most_levels / refinement)};
}

double Profile::at(double z, bool extended) const {
  auto const last = heights.size() - 1;
  if (last == 0 || z <= heights.front()) return values.front();
  if (z >= heights.back() && !extended) return values.back();
  auto const above =
      static_cast<std::size_t>(std::upper_bound(heights.begin(), heights.end(), z) - heights.begin());
  auto const n = std::min(above, last);
  auto const share = (z - heights[n - 1]) / (heights[n] - heights[n - 1]);
  return values[n - 1] + share * (values[n] - values[n - 1]);
}

Parameters::Parameters(io::CaseFile const& c)
    : refinement{read_refinement(c)},
      nx{read_grid_size(c).nx},
      ny{read_grid_size(c).ny},
      nz{read_grid_size(c).nz},
      whole_nx{nx},
      whole_ny{ny},
      dx{keys_of(c).number("grid.dx") / refinement},
      dy{keys_of(c).number("grid.dy") / refinement},
      dz{keys_of(c).number("grid.dz") / refinement},
      stretch_factor{keys_of(c).number("grid.stretch_factor")},
      stretch_from{keys_of(c).number("grid.stretch_from")},
      thickest{keys_of(c).number("grid.thickest")},
      step{c.has("time.step") ? keys_of(c).duration("time.step", "1 s") : 0},
      courant{keys_of(c).number("time.courant")},
      longest_step{keys_of(c).duration("time.longest_step")},
      centred{keys_of(c).choice("advection.scheme") == "piacsek_williams"},
      closure{Closure::none},
      viscosity{keys_of(c).number("closure.viscosity")},
      prandtl{keys_of(c).number("closure.prandtl")},
      smagorinsky{keys_of(c).number("closure.smagorinsky")},
      neutral{keys_of(c).flag("air.neutral")},
      gravity{keys_of(c).number("air.gravity")},
      coriolis{0},
      coriolis_horizontal{0},
      acceleration_x{keys_of(c).number("force.acceleration_x")},
      acceleration_y{keys_of(c).number("force.acceleration_y")},
      volume_flow{c.has("force.mean_u")},
      mean_u{volume_flow ? keys_of(c).number("force.mean_u", 0) : 0},
      humid{c.has("profile.humidity")},
      theta{profile(c, "profile.theta", "kelvin", 300)},
      humidity{humid ? profile(c, "profile.humidity", "kg_per_kg", 0) : Profile{{0}, {0}}},
      geostrophic_u{profile(c, "profile.wind", "u", 0)},
      geostrophic_v{profile(c, "profile.wind", "v", 0)},
      energy{profile(c, "profile.energy", "m2_s2", 0)},
      reference_theta{keys_of(c).number("air.reference_theta")},
      ground{slip_condition(c, "ground.wind")},
      lid{slip_condition(c, "lid.wind")},
      flux_layer{keys_of(c).choice("ground.wind") == "flux_layer"},
      roughness{keys_of(c).number("ground.roughness")},
      heat_roughness{keys_of(c).number("ground.heat_roughness", roughness)},
      heat_flux{c.has("ground.theta") ? 0 : keys_of(c).number("ground.heat_flux")},
      free_convection{keys_of(c).flag("ground.free_convection")},
      surface_temperature_given{c.has("ground.theta")},
      surface_theta{surface_temperature_given ? keys_of(c).number("ground.theta", theta.values.front())
                                              : theta.values.front()},
      surface_warming{surface_temperature_given ? keys_of(c).number("ground.warming_per_hour") / 3600 : 0},
      moisture_flux{c.has("ground.moisture_flux") ? keys_of(c).number("ground.moisture_flux") : 0},
      surface_humidity_given{c.has("ground.humidity")},
      surface_humidity{surface_humidity_given ? keys_of(c).number("ground.humidity", 0) : 0},
      linear_stability{keys_of(c).choice("ground.stability") == "linear"},
      beta_m{keys_of(c).number("ground.beta_m")},
      beta_h{keys_of(c).number("ground.beta_h")},
      sponge_from{keys_of(c).number("sponge.from")},
      sponge_rate{keys_of(c).number("sponge.rate")},
      write_divergence{keys_of(c).flag("output.divergence")},
      write_momentum_flux{keys_of(c).flag("output.momentum_flux")},
      write_wind_speed{keys_of(c).flag("output.wind_speed")},
      overlap{keys_of(c).flag("ranks.overlap")},
      exact_walls{keys_of(c).choice("pressure.buildings") == "exact"},
      // Not read otherwise, so that what a run writes of its case is no case that this refuses.
      pressure_iterations{exact_walls ? keys_of(c).integer("pressure.iterations") : 0},
      start{keys_of(c).choice("start.kind")},
      noise_wind{keys_of(c).number("start.noise_wind")},
      noise_theta{keys_of(c).number("start.noise_theta")},
      noise_humidity{c.has("start.noise_humidity") ? keys_of(c).number("start.noise_humidity") : 0},
      noise_top{keys_of(c).number("start.noise_top")},
      disturbance{keys_of(c).number("start.disturbance")},
      disturbance_bottom{keys_of(c).number("start.disturbance_bottom")},
      disturbance_top{keys_of(c).number("start.disturbance_top")},
      disturb_every{keys_of(c).duration("start.disturb_every")},
      disturb_until{keys_of(c).duration("start.disturb_until")},
      noise_seed{static_cast<std::uint64_t>(keys_of(c).integer<std::int64_t>("start.seed"))} {
  auto const name = keys_of(c).choice("closure.kind");
  closure = name == "none"          ? Closure::none
            : name == "constant"    ? Closure::constant
            : name == "smagorinsky" ? Closure::smagorinsky
                                    : Closure::deardorff;
  require_effects(c);
  if (c.has("air.latitude")) {
    auto const latitude = keys_of(c).number("air.latitude", 0) * std::numbers::pi / 180;
    coriolis = 2 * earth_rotation * std::sin(latitude);
    coriolis_horizontal = 2 * earth_rotation * std::cos(latitude);
  } else {
    coriolis = keys_of(c).number("air.coriolis");
    coriolis_horizontal = keys_of(c).number("air.coriolis_horizontal");
  }
  if (surface_temperature_given && c.has("ground.heat_flux")) {
    throw c.error("ground.heat_flux",
                  "stands beside ground.theta (either the flux or the temperature is given) leave one out");
  }
  if (surface_temperature_given && !flux_layer) {
    throw c.error("ground.theta",
                  "needs ground.wind = \"flux_layer\" (heat follows from temperature by similarity) give "
                  "ground.heat_flux instead");
  }
  for (auto const* key : {"ground.moisture_flux", "ground.humidity", "start.noise_humidity"}) {
    if (!humid && c.has(key)) {
      throw c.error(key, "needs [profile.humidity] (without that air is dry) give one or leave this out");
    }
  }
  if (surface_humidity_given && !surface_temperature_given) {
    throw c.error(
        "ground.humidity",
        "needs ground.theta (fluxes or the surface's own state are given, not one of each) give that "
        "or ground.moisture_flux");
  }
  if (surface_temperature_given && c.has("ground.moisture_flux")) {
    throw c.error("ground.moisture_flux",
                  "stands beside ground.theta (fluxes or the surface's own state are given, not one of each) "
                  "give ground.humidity or leave it out");
  }
  if (!exact_walls && c.has("pressure.iterations")) {
    throw c.error(
        "pressure.iterations",
        "needs pressure.buildings = \"exact\" (the masked solve is one, without iterations) set that "
        "or leave this out");
  }
  if (refinement > 1 && stretch_factor > 1) {
    throw c.error("grid.refinement",
                  "needs levels of one thickness (those that grow would end at another height) set "
                  "grid.stretch_factor = 1");
  }
  auto bottom = 0.0, thickness = dz;
  for (std::int32_t k = 0; k < nz; ++k) {
    if (bottom >= stretch_from && k > 0)
      thickness = std::min(thickness * stretch_factor, std::max(thickest, dz));
    thickness_.push_back(thickness);
    bottom += thickness;
  }
  if (disturb_until / disturb_every >= most_disturbances) {
    throw c.error("start.disturb_every",
                  "disturbs " + io::number_text(std::floor(disturb_until / disturb_every)) +
                      " times until start.disturb_until (fewer than 2^32 are numbered) make it longer");
  }
  if (neutral && (surface_temperature_given || heat_flux != 0)) {
    throw c.error("air.neutral",
                  "has no use for heat from the ground (temperature is no part of the state) leave "
                  "ground.heat_flux and ground.theta out");
  }
  if (volume_flow && stretch_factor > 1) {
    throw c.error("force.mean_u",
                  "needs levels of one height (the mean is taken over points) set grid.stretch_factor = 1");
  }
  auto const middles = centres();
  auto const noise = noise_wind > 0 || noise_theta > 0 || noise_humidity > 0;
  if (noise && noise_top < middles.front()) {
    throw c.error("start.noise_top", "is below the first centre at " + io::number_text(middles.front()) +
                                         " m (no level has the noise of start.noise_wind, noise_theta and "
                                         "noise_humidity) make it higher");
  }
  // The lowest level has none: it is next to the ground.
  auto const disturbed = [&](double z) { return z >= disturbance_bottom && z <= disturbance_top; };
  if (disturbance > 0 && std::none_of(middles.begin() + 1, middles.end(), disturbed)) {
    throw c.error("start.disturbance",
                  "disturbs no level (none above the lowest has its centre from start.disturbance_bottom to "
                  "disturbance_top, " +
                      io::number_text(disturbance_bottom) + " to " + io::number_text(disturbance_top) +
                      " m; the centres are at " + io::number_text(middles[1]) + " to " +
                      io::number_text(middles.back()) + " m) give a range that has one");
  }
  if (sponge_rate > 0 && !c.has("sponge.from")) {
    throw c.error(
        "sponge.rate",
        "has no layer to act in (sponge.from says where it begins) give sponge.from below the lid at " +
            io::number_text(tops().back()) + " m");
  }
  if (flux_layer && roughness >= dz / 2) {
    throw c.error("ground.roughness",
                  "is not below the first centre at " + io::number_text(dz / 2) +
                      " m (the wind's logarithm begins there) make it smaller or grid.dz larger");
  }
}

std::vector<double> Parameters::tops() const {
  std::vector<double> tops;
  auto top = 0.0;
  for (auto const thickness : thickness_) tops.push_back(top += thickness);
  return tops;
}

std::vector<double> Parameters::cell_volumes() const {
  std::vector<double> volumes;
  auto below = 0.0;
  for (auto const top : tops()) {
    volumes.push_back(dx * dy * (top - below));
    below = top;
  }
  return volumes;
}

double Parameters::warming_at_lid() const {
  auto const lid = tops().back();
  return (theta.at(lid + 1, true) - theta.at(lid, true)) * (lid - centres().back()) * 2;
}

double Parameters::drying_at_lid() const {
  auto const lid = tops().back();
  return 2 * (humidity.at(lid) - humidity.at(centres().back()));
}

std::vector<double> Parameters::centres() const {
  auto all = tops();
  for (std::size_t k = 0; k < all.size(); ++k) all[k] -= thickness_[k] / 2;
  return all;
}

Tables::Tables(Parameters const& p) : values(static_cast<std::size_t>(place_of(Level{}, p.nz + halo))) {
  auto const centres = p.centres(), tops = p.tops();
  auto const within = [&](std::int32_t k) { return static_cast<std::size_t>(std::clamp(k, 0, p.nz - 1)); };
  auto const thickness = [&](std::int32_t k) { return p.thickness_[within(k)]; };
  // Beyond the ground and the lid cells go on as thick as the last.
  auto const centre = [&](std::int32_t k) {
    auto const n = within(k);
    return centres[n] + (k - static_cast<std::int32_t>(n)) * thickness(k);
  };
  auto const largest = tops.back();
  auto const sponge = [&](double z) {
    if (z <= p.sponge_from || p.sponge_rate == 0) return 0.0;
    auto const sine =
        std::sin(std::numbers::pi / 2 * std::min(1.0, (z - p.sponge_from) / (largest - p.sponge_from)));
    return p.sponge_rate * sine * sine;
  };
  for (std::int32_t k = -halo; k < p.nz + halo; ++k) {
    auto const z = centre(k), face = centre(k) + thickness(k) / 2;
    auto const theta = p.theta.at(z, true);
    auto const humidity = p.humidity.at(z);
    auto const start = p.moist() ? virtual_theta(theta, humidity) : theta;
    auto const reference = p.reference_theta > 0 ? p.reference_theta : start;
    auto const width = std::cbrt(p.dx * p.dy * thickness(k));
    at(Level::per_dz, k) = 1 / thickness(k);
    at(Level::per_dz_between, k) = 1 / (centre(k + 1) - z);
    at(Level::per_dz_centred, k) = 1 / (centre(k + 1) - centre(k - 1));
    at(Level::per_dz_mirrored, k) = 1 / (centre(k + 1) - z + thickness(k));
    at(Level::thickness, k) = thickness(k);
    at(Level::geostrophic_u, k) = p.geostrophic_u.at(z);
    at(Level::geostrophic_v, k) = p.geostrophic_v.at(z);
    at(Level::reference, k) = reference;
    at(Level::gravity_per_reference, k) = p.gravity / reference;
    at(Level::start_u, k) = p.geostrophic_u.at(z);
    at(Level::start_v, k) = p.geostrophic_v.at(z);
    at(Level::start_theta, k) = theta;
    at(Level::start_humidity, k) = humidity;
    at(Level::sponge, k) = sponge(z);
    at(Level::sponge_at_face, k) = sponge(face);
    at(Level::mixing_limit, k) = p.flux_layer ? std::min(width, 1.8 * std::max(z, 0.0)) : width;
  }
}

std::vector<io::Coordinate> coordinates(Parameters const& p) {
  auto all = column_coordinates(p.whole_nx, p.whole_ny, p.dx, p.dy);
  all.push_back({"z", "height", "height of cell centres", "m", "Z", p.centres()});
  all.push_back({"z_w", "height", "height of the cells' tops", "m", "Z", p.tops()});
  return all;
}

}  // namespace ulpine::les
