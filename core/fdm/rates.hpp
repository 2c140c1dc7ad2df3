// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/sound.hpp"
#include "core/physics/moist_air.hpp"

/// Slow tendencies of the prognostic fields, per second: advection, buoyancy, Coriolis force and mixing, and
/// those of the sound equations in the state in which the small steps begin.
namespace ulpine::fdm {

/// The prognostic fields.
template <class T>
struct Air {
  Rows<T const> u, v, w, p, theta;    ///< m s-1, p' in Pa, theta' in K
  Rows<T const> vapour, cloud, rain;  ///< kg kg-1; null in dry air
};

/// Numbers of a big step.
template <class T>
struct Physics {
  T gravity, gravity_per_two_gamma;
  T per_gamma;                     ///< c_v / c_p
  T coriolis;                      ///< s-1, of the wind less the base state's
  T damping_h, damping_v;          ///< of divergence, m2 s-1
  std::int32_t order, order_zeta;  ///< of advection along the levels and across them: 2, 4 or 5
};

/// Buoyancy of the air's water in units of gravity: vapour lightens the air, all water weighs on it.
template <class T, class Ground>
ULPINE_HD T moist_gain(Air<T> const& air, Ground const& ground, std::int32_t k, std::int32_t j,
                       std::int32_t i) {
  auto const base = ground.at(Metric::vapour, k, j, i);
  auto const surplus = air.vapour(k, j, i) - base;
  auto const water = surplus + (air.cloud(k, j, i) + air.rain(k, j, i));
  return surplus / (physics::arps::gas_constant_ratio<T>() + base) - water / (T(1) + base);
}

/// The second order of 1 - rho / rho_0 = 1 - (1 + p' / p_0)^(1 / gamma) / (1 + theta' / theta_0), whose first
/// is theta' / theta_0 - p' / (gamma p_0); with warm = theta' / theta_0, pressed = p' / p_0.
template <class T>
ULPINE_HD T second_order_gain(T per_gamma, T warm, T pressed) {
  auto const squeezed = per_gamma * pressed;
  return math::fma(squeezed, warm, T(1) / T(2) * (pressed - squeezed) * squeezed) - warm * warm;
}

/// Buoyancy of theta' and water in units of gravity: rho_0 / rho is 1 + theta' / theta_0 to first order, and
/// where the air's own density counts (`full`), terms of second order are added.
template <class T, class Ground>
ULPINE_HD T buoyancy(Air<T> const& air, Ground const& ground, T per_gamma, bool full, std::int32_t k,
                     std::int32_t j, std::int32_t i) {
  auto const warm = air.theta(k, j, i) * ground.at(Metric::per_theta, k, j, i);
  auto const dry = full ? warm + second_order_gain(per_gamma, warm,
                                                   air.p(k, j, i) * ground.at(Metric::per_pressure, k, j, i))
                        : warm;
  return air.vapour.first == nullptr ? dry : dry + moist_gain(air, ground, k, j, i);
}

/// Mass or volume fluxes.
template <class T, class Ground>
struct MassFlux {
  Ground ground;
  Wind<T> wind;
  ULPINE_HD T u(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return ground.at(Metric::mass_u, k, j, i) * wind.u(k, j, i);
  }
  ULPINE_HD T v(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return ground.at(Metric::mass_v, k, j, i) * wind.v(k, j, i);
  }
  ULPINE_HD T w(std::int32_t k, std::int32_t j, std::int32_t i) const { return wind.mass_flux(k, j, i); }
};
template <class T, class Ground>
struct VolumeFlux {
  Ground ground;
  Wind<T> wind;
  ULPINE_HD T u(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return ground.at(Metric::j3_u, k, j, i) * wind.u(k, j, i);
  }
  ULPINE_HD T v(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return ground.at(Metric::j3_v, k, j, i) * wind.v(k, j, i);
  }
  ULPINE_HD T w(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return wind.mass_flux(k, j, i) * ground.at(Metric::per_mass_w, k, j, i) *
           ground.at(Metric::j3_w, k, j, i);
  }
};

/// Advection at a point: flux(axis, n, at) is the flux along an axis halfway to the point before (n = 0), to
/// the point after (n = 1), and so on.
template <class P, class T, class Flux>
ULPINE_HD typename P::Arithmetic advection(P products, Grid<T> const& grid, Near<T> const& phi,
                                           std::int32_t order, std::int32_t order_zeta, Flux const& flux) {
  using A = typename P::Arithmetic;
  auto const along = [&](Step step, int axis, std::int32_t of, T per_length) {
    if (of == 5) return fifth_order(products, flux(axis, false), phi, step, per_length);
    if (of == 4) return fourth_order(products, flux(axis, true), line_of(phi, step), per_length);
    return second_order(products, flux(axis, false), short_line_of(phi, step), per_length);
  };
  A const x = along(along_x, 0, order, grid.per_dx), y = along(along_y, 1, order, grid.per_dy);
  return (x + y) + along(along_zeta, 2, order_zeta, grid.per_dzeta);
}
/// The order across the levels of a point that has `beside` neighbours between it and the ground or lid: what
/// its stencil has room for.
template <class T>
ULPINE_HD std::int32_t order_across(Physics<T> const& physics, std::int32_t beside) {
  auto const room = beside >= 3 ? 5 : beside == 2 ? 4 : 2;
  return physics.order_zeta < room ? physics.order_zeta : room;
}

/// Advection of what sits at centres, times rho* (or J3, by volume fluxes).
template <class P, class T, class Carrier>
ULPINE_HD typename P::Arithmetic advection_at_centre(P products, Grid<T> const& grid,
                                                     Physics<T> const& physics, Carrier const& carrier,
                                                     Rows<T const> const& phi, std::int32_t k, std::int32_t j,
                                                     std::int32_t i) {
  auto const flux = [&](int axis, bool wide) -> Fluxes<T> {
    auto const face = [&](std::int32_t n) {
      return axis == 0 ? carrier.u(k, j, i + n) : axis == 1 ? carrier.v(k, j + n, i) : carrier.w(k + n, j, i);
    };
    if (!wide) return {face(0), face(1)};
    return {face(0), face(1), mean2(face(-1), face(0)), mean2(face(1), face(2))};
  };
  auto const room = k < grid.nz - 1 - k ? k : grid.nz - 1 - k;
  return advection(products, grid, beside(grid, phi, k, j, i), physics.order, order_across(physics, room),
                   flux);
}

/// The rate of theta' or water.
template <class T, class Ground, class P>
struct ScalarRate {
  static constexpr int bytes_of_point = 7 * sizeof(T);
  Grid<T> grid;
  Ground ground;
  Physics<T> physics;
  P products;
  Wind<T> wind;
  Rows<T const> phi;
  Rows<T const> lifting;  ///< w, where theta_0 is carried with theta'; else null
  Rows<T const> mixing;   ///< per second; null where there is none
  Rows<T> rate;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    MassFlux<T, Ground> const carrier{ground, wind};
    auto change = -static_cast<T>(advection_at_centre(products, grid, physics, carrier, phi, k, j, i)) *
                  ground.at(Metric::per_mass, k, j, i);
    if (lifting.first != nullptr) {
      auto const lifted = mean2(lifting(k, j, i) * ground.at(Metric::theta_gradient, k, j, i),
                                lifting(k + 1, j, i) * ground.at(Metric::theta_gradient, k + 1, j, i));
      change = math::fma(-lifted, ground.at(Metric::per_j3, k, j, i), change);
    }
    rate(k, j, i) = mixing.first == nullptr ? change : change + mixing(k, j, i);
  }
};

/// A scalar at the end of a part of the step, at least `least`.
template <class T>
struct ScalarAdvance {
  T length, least;
  Rows<T const> start, rate;
  Rows<T> phi;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const value = math::fma(length, rate(k, j, i), start(k, j, i));
    phi(k, j, i) = value < least ? least : value;
  }
};

/// The rate of u (of_u) or v for the small steps.
template <class T, class S, class Ground, class P, bool of_u>
struct WindRate {
  static constexpr int bytes_of_point = 8 * sizeof(T);
  Grid<T> grid;
  Ground ground;
  Physics<T> physics;
  P products;
  Rim rim;
  Wind<T> wind;                   ///< as it is at this part of the step
  Air<T> start;                   ///< where the small steps begin
  Rows<T const> divergence;       ///< of `start`
  Rows<S const> relative_volume;  ///< rho_0 / rho, at centres; null where it is 1
  Rows<T const> mixing;           ///< m s-2; null where there is none
  Rows<S> rate;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const number = of_u ? i : j;
    if (number == 0 && !rim.steps_first(of_u)) {
      rate(k, j, i) = S(0);
      return;
    }
    // The lower neighbour of a field without a halo is found around the period.
    auto const low = rim.low(of_u, number, of_u ? grid.nx : grid.ny);
    auto const low_j = of_u ? j : low, low_i = of_u ? low : i;
    auto const per_mass = ground.at(of_u ? Metric::per_mass_u : Metric::per_mass_v, k, j, i);
    auto const change = math::fma(-static_cast<T>(carried(i, j, k)), per_mass, turning(i, j, k));
    auto const volume =
        relative_volume.first == nullptr
            ? T(1)
            : static_cast<T>(mean2(relative_volume(k, low_j, low_i), relative_volume(k, j, i)));
    auto const pressure = [&](std::int32_t kk, std::int32_t jj, std::int32_t ii) {
      if (kk < 0) {
        auto const p = below_ground(grid, ground, physics.gravity_per_two_gamma, start.p(0, jj, ii), jj, ii);
        return math::fma(-physics.damping_h, divergence(0, jj, ii), p);
      }
      auto const inside = kk < grid.nz ? kk : grid.nz - 1;
      return math::fma(-physics.damping_h, divergence(inside, jj, ii), start.p(inside, jj, ii));
    };
    auto const gradient = level_gradient(grid, ground, pressure, of_u, k, j, i, low_j, low_i);
    auto const forced = math::fma(-volume * per_mass, gradient, change);
    rate(k, j, i) = static_cast<S>(mixing.first == nullptr ? forced : forced + mixing(k, j, i));
  }

 private:
  ULPINE_HD typename P::Arithmetic carried(std::int32_t i, std::int32_t j, std::int32_t k) const {
    MassFlux<T, Ground> const carrier{ground, wind};
    constexpr int along = of_u ? 0 : 1;
    auto const flux = [&](int axis, bool wide) -> Fluxes<T> {
      if (axis == along) {
        auto const at = [&](std::int32_t n) {
          return of_u ? carrier.u(k, j, i + n) : carrier.v(k, j + n, i);
        };
        Fluxes<T> narrow{mean2(at(-1), at(0)), mean2(at(0), at(1))};
        if (wide) {
          narrow.before = mean2(at(-2), at(0));
          narrow.after = mean2(at(0), at(2));
        }
        return narrow;
      }
      auto const face = [&](std::int32_t n) {
        if (axis == 2) {
          return of_u ? mean2(carrier.w(k + n, j, i - 1), carrier.w(k + n, j, i))
                      : mean2(carrier.w(k + n, j - 1, i), carrier.w(k + n, j, i));
        }
        return of_u ? mean2(carrier.v(k, j + n, i - 1), carrier.v(k, j + n, i))
                    : mean2(carrier.u(k, j - 1, i + n), carrier.u(k, j, i + n));
      };
      if (!wide) return {face(0), face(1)};
      return {face(0), face(1), mean2(face(-1), face(0)), mean2(face(1), face(2))};
    };
    auto const room = k < grid.nz - 1 - k ? k : grid.nz - 1 - k;
    return advection(products, grid, beside(grid, of_u ? wind.u : wind.v, k, j, i), physics.order,
                     order_across(physics, room), flux);
  }
  ULPINE_HD T turning(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const other = [&](std::int32_t jj, std::int32_t ii) {
      return of_u ? wind.v(k, jj, ii) : wind.u(k, jj, ii);
    };
    auto const mean = of_u ? mean4(other(j, i - 1), other(j, i), other(j + 1, i - 1), other(j + 1, i))
                           : mean4(other(j - 1, i), other(j - 1, i + 1), other(j, i), other(j, i + 1));
    auto const balanced = ground.at(of_u ? Metric::start_v : Metric::start_u, k, j, i);
    return (of_u ? physics.coriolis : -physics.coriolis) * (mean - balanced);
  }
};

/// The rate of w at face k + 1.
template <class T, class S, class Ground, class P>
struct VerticalRate {
  static constexpr int bytes_of_point = 12 * sizeof(T);
  Grid<T> grid;
  Ground ground;
  Physics<T> physics;
  P products;
  Wind<T> wind;
  Air<T> air;    ///< as it is at this part of the step: what is buoyant
  Air<T> start;  ///< where the small steps begin
  Rows<T const> divergence;
  Rows<S const> relative_volume;
  Rows<T const> mixing;
  Rows<S> rate;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t level) const {
    auto const k = level + 1;
    auto const per_mass = ground.at(Metric::per_mass_w, k, j, i);
    auto const volume = static_cast<T>(relative_volume_between(relative_volume, k, j, i, along_zeta));
    auto const buoyant = volume * physics.gravity * mean2(lift(k - 1, j, i), lift(k, j, i));
    auto const change = math::fma(-static_cast<T>(carried(i, j, k)), per_mass, buoyant);
    auto const p = start.p(k, j, i), lower = start.p(k - 1, j, i);
    auto const damped = (p - lower) - physics.damping_v * (divergence(k, j, i) - divergence(k - 1, j, i));
    auto const weight = elasticity(k, j, i) * p + elasticity(k - 1, j, i) * lower;
    auto const force = math::fma(damped, grid.per_dzeta, physics.gravity_per_two_gamma * weight);
    auto const forced = math::fma(-volume * per_mass, force, change);
    rate(k, j, i) = static_cast<S>(mixing.first == nullptr ? forced : forced + mixing(k, j, i));
  }

 private:
  ULPINE_HD T elasticity(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return ground.at(Metric::mass, k, j, i) * ground.at(Metric::per_pressure, k, j, i);
  }
  ULPINE_HD T lift(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return buoyancy(air, ground, physics.per_gamma, relative_volume.first != nullptr, k, j, i);
  }
  ULPINE_HD typename P::Arithmetic carried(std::int32_t i, std::int32_t j, std::int32_t k) const {
    MassFlux<T, Ground> const carrier{ground, wind};
    auto const flux = [&](int axis, bool wide) -> Fluxes<T> {
      if (axis == 2) {
        auto const at = [&](std::int32_t n) { return carrier.w(k + n, j, i); };
        Fluxes<T> narrow{mean2(at(-1), at(0)), mean2(at(0), at(1))};
        if (wide) {
          narrow.before = mean2(at(-2), at(0));
          narrow.after = mean2(at(0), at(2));
        }
        return narrow;
      }
      auto const face = [&](std::int32_t n) {
        return axis == 0 ? mean2(carrier.u(k - 1, j, i + n), carrier.u(k, j, i + n))
                         : mean2(carrier.v(k - 1, j + n, i), carrier.v(k, j + n, i));
      };
      if (!wide) return {face(0), face(1)};
      return {face(0), face(1), mean2(face(-1), face(0)), mean2(face(1), face(2))};
    };
    auto const room = k < grid.nz - k ? k : grid.nz - k;
    return advection(products, grid, beside(grid, wind.w, k, j, i), physics.order,
                     order_across(physics, room), flux);
  }
};

/// Slow tendency of p', Pa s-1.
template <class T, class S, class Ground, class P>
struct PressureRate {
  static constexpr int bytes_of_point = 8 * sizeof(T);
  Grid<T> grid;
  Ground ground;
  Physics<T> physics;
  P products;
  Wind<T> wind;
  Rows<T const> p;
  Air<T> start;
  Rows<S> rate;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    VolumeFlux<T, Ground> const carrier{ground, wind};
    auto const carried = static_cast<T>(advection_at_centre(products, grid, physics, carrier, p, k, j, i)) *
                         ground.at(Metric::per_j3, k, j, i);
    auto const sides = (ground.at(Metric::j3_u, k, j, i + 1) * start.u(k, j, i + 1) -
                        ground.at(Metric::j3_u, k, j, i) * start.u(k, j, i)) *
                           grid.per_dx +
                       (ground.at(Metric::j3_v, k, j + 1, i) * start.v(k, j + 1, i) -
                        ground.at(Metric::j3_v, k, j, i) * start.v(k, j, i)) *
                           grid.per_dy;
    auto const rising = [&](std::int32_t kk) {
      if (kk == 0) return T(0);
      if (kk == grid.nz) return start.w(kk, j, i);
      return start.w(kk, j, i) + slope_wind(grid, ground, start.u, start.v, kk, j, i);
    };
    auto const spreading = math::fma(rising(k + 1) - rising(k), grid.per_dzeta, sides);
    auto const sinking =
        physics.gravity * ground.at(Metric::density, k, j, i) * mean2(start.w(k, j, i), start.w(k + 1, j, i));
    rate(k, j, i) =
        static_cast<S>(math::fma(-ground.at(Metric::stiffness, k, j, i), spreading, sinking) - carried);
  }
};

/// rho* divergence of a state over J3, as SoundDivergence has it of deviations.
template <class T, class Ground>
struct StateDivergence {
  Grid<T> grid;
  Ground ground;
  Air<T> air;
  Rows<T> divergence;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const rising = [&](std::int32_t kk, std::int32_t jj, std::int32_t ii) {
      if (kk == 0) return T(0);
      if (kk == grid.nz) return air.w(kk, jj, ii);
      return air.w(kk, jj, ii) + slope_wind(grid, ground, air.u, air.v, kk, jj, ii);
    };
    divergence(k, j, i) = mass_divergence(grid, ground, air.u, air.v, rising, k, j, i);
  }
};

/// The state at the end of the small steps, at faces and centres of a cell.
template <class T, class S>
struct AddDeviations {
  Air<T> start;
  Deviations<S> change;
  Rows<T> u, v, w, p;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    u(k, j, i) = start.u(k, j, i) + static_cast<T>(change.u(k, j, i));
    v(k, j, i) = start.v(k, j, i) + static_cast<T>(change.v(k, j, i));
    w(k, j, i) = start.w(k, j, i) + static_cast<T>(change.w(k, j, i));
    p(k, j, i) = start.p(k, j, i) + static_cast<T>(change.p(k, j, i));
  }
};

/// w at the ground: the wind follows it.
template <class T, class Ground>
struct GroundWind {
  Grid<T> grid;
  Ground ground;
  Rows<T const> u, v;
  Rows<T> w;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    w(0, j, i) = -slope_wind(grid, ground, u, v, 0, j, i);
  }
};

}  // namespace ulpine::fdm
