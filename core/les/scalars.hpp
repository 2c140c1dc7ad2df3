// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/closure.hpp"
#include "core/les/projection.hpp"
#include "core/les/tendencies.hpp"

/// Tendencies of what the wind carries.
namespace ulpine::les {

/// Advection and diffusion of a scalar. Diffusivity at a face is `factor` times the mean of the two cells';
/// nothing passes a wall, `from_below` (upward, per s) comes in at the lowest face.
template <class T, class Ground>
ULPINE_HD T transported(Grid<T> const& grid, Ground const& ground, Scheme<T> const& scheme,
                        NearWind<T> const& wind, Near<T> const& phi, Near<T> const& diffusivity, T factor,
                        std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t lowest, T from_below) {
  auto const& [u, v, w] = wind;
  auto const fit = [&](Along along, std::int32_t jj, std::int32_t ii) {
    return ground.fit(Variable::scalar, along, k, jj, ii);
  };
  auto const top = grid.nz - 1;
  Face<T> const x[] = {{u(0, 0, 0), fit(Along::x, j, i)}, {u(0, 0, 1), fit(Along::x, j, i + 1)}};
  Face<T> const y[] = {{v(0, 0, 0), fit(Along::y, j, i)}, {v(0, 1, 0), fit(Along::y, j + 1, i)}};
  Face<T> const z[] = {{w(-1, 0, 0), vertical_fit<Ground>(lowest, top, k - 1)},
                       {w(0, 0, 0), vertical_fit<Ground>(lowest, top, k)}};
  auto const advection = advected(scheme, grid, phi, x, y, z, grid.at(Level::per_dz, k));

  auto const here = phi(0, 0, 0), here_d = diffusivity(0, 0, 0);
  auto const gain = [&](T there, T there_d, T per_length) {
    return mean2(here_d, there_d) * (there - here) * per_length;
  };
  auto west = gain(phi(0, 0, -1), diffusivity(0, 0, -1), grid.per_dx);
  auto east = gain(phi(0, 0, 1), diffusivity(0, 0, 1), grid.per_dx);
  auto south = gain(phi(0, -1, 0), diffusivity(0, -1, 0), grid.per_dy);
  auto north = gain(phi(0, 1, 0), diffusivity(0, 1, 0), grid.per_dy);
  if constexpr (Ground::built) {
    if (k < ground.lowest(Variable::scalar, j, i - 1)) west = T(0);
    if (k < ground.lowest(Variable::scalar, j, i + 1)) east = T(0);
    if (k < ground.lowest(Variable::scalar, j - 1, i)) south = T(0);
    if (k < ground.lowest(Variable::scalar, j + 1, i)) north = T(0);
  }
  auto const above = gain(phi(1, 0, 0), diffusivity(1, 0, 0), grid.at(Level::per_dz_between, k));
  auto const inside = gain(phi(-1, 0, 0), diffusivity(-1, 0, 0), grid.at(Level::per_dz_between, k - 1));
  auto const below = is_at<Ground>(k, lowest) ? T(0) : inside;
  auto const per_dz = grid.at(Level::per_dz, k);
  auto const diffusion =
      math::fma(grid.per_dx, east + west, math::fma(grid.per_dy, north + south, per_dz * (above + below)));
  auto const surface = is_at<Ground>(k, lowest) ? per_dz * from_below : T(0);
  return advection + math::fma(factor, diffusion, surface);
}

/// Potential temperature.
template <class T, class Ground>
struct Warming {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Surface<T> surface;
  Wind<T> wind;
  Rows<T const> theta, diffusivity;
  Stored<T> store;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    store(k, j, i, tendency(i, j, k));
  }

 private:
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    if constexpr (Ground::built) {
      if (k < lowest) return T(0);
    }
    auto const moved =
        transported(grid, ground, scheme, beside(grid, wind, k, j, i), beside(grid, theta, k, j, i),
                    beside(grid, diffusivity, k, j, i), T(1), k, j, i, lowest, surface.heat_flux(j, i));
    return moved - grid.at(Level::sponge, k) * (theta(k, j, i) - grid.at(Level::start_theta, k));
  }
};

/// Upward flux of heat through the top of each cell, K m s-1: what advection carries and eddies diffuse, of
/// the temperature less the start's at that level. No air rises in the mean, so that the mean flux is the
/// same.
template <class T, class Ground>
struct HeatFlux {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Wind<T> wind;
  Rows<T const> theta, diffusivity;
  Rows<T> flux;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    if (k < lowest || k >= grid.nz - 1) {
      flux(k, j, i) = T(0);
      return;
    }
    auto const t = beside(grid, theta, k, j, i), h = beside(grid, diffusivity, k, j, i);
    auto const stencil = scheme.of(vertical_fit<Ground>(lowest, grid.nz - 1, k));
    auto const start = grid.at(Level::start_theta, k);
    auto const anomaly = [&](std::int32_t dk) { return t(dk, 0, 0) - start; };
    auto const carried = face_flux(stencil, wind.w(k, j, i), anomaly(-2), anomaly(-1), anomaly(0), anomaly(1),
                                   anomaly(2), anomaly(3));
    auto const gradient = (t(1, 0, 0) - t(0, 0, 0)) * grid.at(Level::per_dz_between, k);
    flux(k, j, i) = math::fma(-mean2(h(0, 0, 0), h(1, 0, 0)), gradient, carried);
  }
};

/// Sub-grid kinetic energy e of Deardorff's closure: shear and buoyancy make it, eddies of the mixing length
/// dissipate it.
template <class T, class Ground>
struct EnergyBudget {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Surface<T> surface;
  WallShear<T> walls;
  Wind<T> wind;
  Rows<T const> theta, energy, viscosity, diffusivity;
  Stored<T> store;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    store(k, j, i, tendency(i, j, k));
  }

 private:
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    if constexpr (Ground::built) {
      if (k < lowest) return T(0);
    }
    auto const around = beside(grid, wind, k, j, i);
    auto const moved = transported(grid, ground, scheme, around, beside(grid, energy, k, j, i),
                                   beside(grid, viscosity, k, j, i), T(2), k, j, i, lowest, T(0));
    auto const e = energy(k, j, i);
    auto const strained = viscosity(k, j, i) *
                          squared_strain(grid, ground, walls, around, surface.shear(j, i), k, j, i, lowest);
    // The surface layer's stress works whatever the eddies' viscosity: that is how turbulence begins.
    auto const slope = surface.shear(j, i), friction = surface.friction(j, i);
    auto const worked =
        math::fma(slope, math::fma(friction, friction, -viscosity(k, j, i) * slope), strained);
    auto const shear = is_at<Ground>(k, lowest, walls.surface_layer) ? worked : strained;
    auto const inside =
        -diffusivity(k, j, i) * gradient_of<Ground>(grid, beside(grid, theta, k, j, i), k, lowest);
    auto const prescribed = surface.heat_flux(j, i);
    auto const flux = is_at<Ground>(k, lowest) ? prescribed : inside;
    // (0.19 + 0.74 l / limit) e^(3/2) / l, with l and l / limit from K_m = 0.1 l sqrt(e), which is 0 only
    // where e is, and K_h = (1 + 2 l / limit) K_m: one division in place of three and two roots.
    auto const m = viscosity(k, j, i), per_m = T(1) / m;
    auto const share = math::fma(diffusivity(k, j, i), per_m, T(-1));
    auto const dissipated =
        math::fma(T(37) / T(100), share, T(19) / T(100)) * (T(1) / T(10) * e) * (e * per_m);
    auto const dissipation = m > T(0) ? dissipated : T(0);
    return moved + (math::fma(grid.at(Level::gravity_per_reference, k), flux, shear) - dissipation);
  }
};

/// phi <- phi + length stored, for what is no velocity.
template <class T>
struct Carried {
  Grid<T> grid;
  StageLength<T> stage;
  Provisional<T> phi;

  static constexpr int points_at_once = 4;
  ULPINE_HD T value(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return phi(stage.of_tendencies(), place_of(grid, k, j, i));
  }
  ULPINE_HD void put(std::int32_t i, std::int32_t j, std::int32_t k, T value) const {
    phi.now[place_of(grid, k, j, i).in_halo] = value;
  }
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    put(i, j, k, value(i, j, k));
  }
};

/// The same for energy: where it would be negative it becomes a tenth of what it was.
template <class T>
struct CarriedEnergy {
  Grid<T> grid;
  StageLength<T> stage;
  Provisional<T> energy;

  static constexpr int points_at_once = 4;
  ULPINE_HD T value(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const place = place_of(grid, k, j, i);
    auto const before = energy.now[place.in_halo], after = energy(stage.of_tendencies(), place);
    return after < T(0) ? T(1) / T(10) * before : after;
  }
  ULPINE_HD void put(std::int32_t i, std::int32_t j, std::int32_t k, T value) const {
    energy.now[place_of(grid, k, j, i).in_halo] = value;
  }
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    put(i, j, k, value(i, j, k));
  }
};

}  // namespace ulpine::les
