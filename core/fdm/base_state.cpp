// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/base_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ulpine::fdm {

using namespace constants;

BaseState::BaseState(Profiles profiles, double top) : profiles_{std::move(profiles)} {
  constexpr int intervals = 4096;
  spacing_ = top / intervals;
  exner_.push_back(std::pow(profiles_.surface_pressure / reference_pressure, gas_dry / heat_pressure));
  for (int n = 0; n < intervals; ++n) {
    exner_.push_back(exner_.back() - drop(n * spacing_, (n + 1) * spacing_));
  }
}

double BaseState::theta_v(double z) const {
  auto const q = vapour(z);
  return theta(z) * (1 + q * gas_vapour / gas_dry) / (1 + q);
}

double BaseState::drop(double from, double to) const {
  auto const centre = (from + to) / 2, half = (to - from) / 2, off = half * std::sqrt(0.6);
  auto const of = [&](double z) { return gravity / (heat_pressure * theta_v(z)); };
  return half * (5 * of(centre - off) + 8 * of(centre) + 5 * of(centre + off)) / 9;
}

double BaseState::exner(double z) const {
  auto const last = static_cast<double>(exner_.size() - 1);
  auto const n = std::clamp(std::floor(z / spacing_), 0.0, last);
  return exner_[static_cast<std::size_t>(n)] - drop(n * spacing_, z);
}

double BaseState::pressure(double z) const {
  return reference_pressure * std::pow(exner(z), heat_pressure / gas_dry);
}

double BaseState::density(double z) const { return pressure(z) / (gas_dry * theta_v(z) * exner(z)); }

double Heights::face(std::int32_t k, double ground_height) const {
  auto const inside = std::clamp(k, 0, nz);
  auto zeta = levels[static_cast<std::size_t>(inside)];
  // Beyond the ground and the lid levels go on as thick as the last.
  if (k < 0) zeta += k * (levels[1] - levels[0]);
  if (k > nz) zeta += (k - nz) * (levels.back() - levels[levels.size() - 2]);
  if (ground_height == 0 || zeta >= flat_above) return zeta;
  return zeta * (flat_above - ground_height) / flat_above + ground_height;
}

std::vector<double> metrics_by_level(Heights const& heights, BaseState const& base,
                                     std::function<double(double)> const& sponge) {
  constexpr auto count = static_cast<std::size_t>(Metric::level_count);
  auto const levels = static_cast<std::size_t>(heights.nz + 1 + 2 * halo);
  std::vector<double> all(count * levels);
  for (std::int32_t k = -halo; k <= heights.nz + halo; ++k) {
    auto const put = [&](Metric metric, double value) {
      all[static_cast<std::size_t>(k + halo) * count + static_cast<std::size_t>(metric)] = value;
    };
    auto const bottom = heights.face(k, 0), top = heights.face(k + 1, 0), below = heights.face(k - 1, 0);
    auto const centre = (bottom + top) / 2, lower = (below + bottom) / 2;
    auto const j3 = (top - bottom) / heights.dzeta, j3_lower = (bottom - below) / heights.dzeta;
    auto const density = base.density(centre), mass = density * j3;
    auto const mass_w = (mass + base.density(lower) * j3_lower) / 2, j3_w = (j3 + j3_lower) / 2;
    auto const pressure = base.pressure(centre), theta = base.theta(centre);
    put(Metric::j3, j3);
    put(Metric::per_j3, 1 / j3);
    put(Metric::density, density);
    put(Metric::mass, mass);
    put(Metric::per_mass, 1 / mass);
    put(Metric::theta, theta);
    put(Metric::per_theta, 1 / theta);
    put(Metric::pressure, pressure);
    put(Metric::per_pressure, 1 / pressure);
    // rho_0 c_s^2 = (c_p / c_v) p_0
    put(Metric::stiffness, heat_pressure / heat_volume * pressure / j3);
    put(Metric::vapour, base.vapour(centre));
    put(Metric::mass_u, mass);
    put(Metric::per_mass_u, 1 / mass);
    put(Metric::mass_v, mass);
    put(Metric::per_mass_v, 1 / mass);
    put(Metric::mass_w, mass_w);
    put(Metric::per_mass_w, 1 / mass_w);
    put(Metric::j3_u, j3);
    put(Metric::j3_v, j3);
    put(Metric::j3_w, j3_w);
    put(Metric::per_j3_w, 1 / j3_w);
    put(Metric::theta_gradient, (theta - base.theta(lower)) / heights.dzeta);
    put(Metric::sponge, sponge(centre));
    put(Metric::sponge_w, sponge(bottom));
    put(Metric::start_u, base.u(centre));
    put(Metric::start_v, base.v(centre));
  }
  return all;
}

}  // namespace ulpine::fdm
