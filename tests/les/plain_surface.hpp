// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

/// What PlainEddies (plain_eddies.hpp) is made from, and its surface layer.
namespace ulpine::test {

enum class PlainSide { free_slip, no_slip, moving };
enum class PlainClosure { none, constant, smagorinsky, deardorff };

/// What a case says, in numbers as a user would write them.
struct PlainEddiesCase {
  int nx = 0, ny = 0, nz = 0;
  double dx = 0, dy = 0;
  std::vector<double> dz;  ///< thickness of the levels
  std::vector<int> top;    ///< solid cells of each column, x fastest; empty: none
  double step = 1;
  bool centred = false;
  PlainClosure closure = PlainClosure::none;
  double viscosity = 0, prandtl = 1, smagorinsky = 0.17;
  double gravity = 9.81, f = 0, f_star = 0, push_x = 0, push_y = 0;
  std::function<double(double)> theta = [](double) { return 300.0; },
                                geostrophic_u = [](double) { return 0.0; }, geostrophic_v = geostrophic_u;
  double reference = 0;     ///< K; 0: the profile of theta
  double lapse_at_lid = 0;  ///< K m-1
  PlainSide ground = PlainSide::free_slip, lid = PlainSide::free_slip;
  bool flux_layer = false;
  double roughness = 0.1, heat_roughness = 0.1, heat_flux = 0;
  double surface_theta = 0;  ///< 0: the flux is given
  bool linear = false;
  double beta_m = 4.8, beta_h = 7.8;
  double sponge_from = 1e6, sponge_rate = 0;
  bool hold_flow = false;
  double mean_u = 0;  ///< over the air, where it is held
};

/// Paulson 1970 in unstable air; Beljaars and Holtslag 1991, or linear, in stable air.
template <class Real>
struct PlainSimilarity {
  PlainEddiesCase const& c;

  Real phi_m(Real s) const {
    if (s < 0) return std::pow(1 - 16 * s, Real(-1) / 4);
    if (c.linear) return 1 + c.beta_m * s;
    return 1 + s * (1 + Real(2) / 3 * std::exp(-Real(35) / 100 * s) * (6 - Real(35) / 100 * s));
  }
  Real psi_m(Real s) const {
    if (s < 0) {
      auto const x = std::pow(1 - 16 * s, Real(1) / 4);
      return std::numbers::pi_v<Real> / 2 - 2 * std::atan(x) + std::log((1 + x) * (1 + x) * (1 + x * x) / 8);
    }
    if (c.linear) return -c.beta_m * s;
    auto const d = Real(35) / 100, b = Real(2) / 3;
    return -b * (s - 5 / d) * std::exp(-d * s) - s - b * 5 / d;
  }
  Real psi_h(Real s) const {
    if (s < 0) return 2 * std::log((1 + std::sqrt(1 - 16 * s)) / 2);
    if (c.linear) return -c.beta_h * s;
    auto const d = Real(35) / 100, b = Real(2) / 3;
    return -b * (s - 5 / d) * std::exp(-d * s) - std::pow(1 + b * s, Real(3) / 2) - b * 5 / d + 1;
  }
};

template <class Real>
struct PlainScales {
  Real ustar, drag, heat, shear, inverse_length;
};

/// From wind and temperature at `height` m; g is gravity over the reference temperature.
template <class Real>
PlainScales<Real> similarity(PlainEddiesCase const& c, Real height, Real g, Real u, Real v, Real theta) {
  PlainSimilarity<Real> const f{c};
  auto const kappa = Real(4) / 10;
  auto const momentum = [&](Real s) {
    return std::log(height / c.roughness) - f.psi_m(s) + f.psi_m(s * c.roughness / height);
  };
  auto const warmth = [&](Real s) {
    return std::log(height / c.heat_roughness) - f.psi_h(s) + f.psi_h(s * c.heat_roughness / height);
  };
  auto const given = c.surface_theta > 0;
  auto const convective = given ? Real(0) : std::cbrt(std::max(g * height * Real(c.heat_flux), Real(0)));
  auto const size = std::max(std::sqrt(u * u + v * v + convective * convective), Real(1) / 100);
  auto const difference = theta - Real(c.surface_theta);
  auto const number = given ? g * height * difference / (size * size)
                            : -g * height * c.heat_flux / (kappa * kappa * size * size * size);
  auto const bulk = [&](Real s) {
    auto const m = momentum(s);
    return given ? s * warmth(s) / (m * m) : s / (m * m * m);
  };
  // The root on the number's side that is the nearest to 0.
  auto const sign = number < 0 ? -1 : 1;
  Real low = 0, high = Real(1) / 1024;
  while (std::abs(bulk(sign * high)) < std::abs(number) && high < 100) low = high, high *= Real(65) / 64;
  for (int n = 0; n < 120; ++n) {
    auto const middle = (low + high) / 2;
    (std::abs(bulk(sign * middle)) < std::abs(number) ? low : high) = middle;
  }
  auto const s =
      number == 0 ? Real(0) : sign * std::min(low, Real(100));  // no farther, says its documentation
  auto const m = momentum(s), friction = kappa * size / m;
  return {friction, kappa * kappa * size / (m * m), -friction * kappa * difference / warmth(s),
          friction * f.phi_m(s) / (kappa * height), s / height};
}

}  // namespace ulpine::test
