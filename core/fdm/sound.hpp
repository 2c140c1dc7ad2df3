// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/advection.hpp"
#include "core/fdm/sound_coefficients.hpp"

/// Small steps: sound explicit along the horizontal (forward-backward), implicit along the vertical
/// (Klemp and Wilhelmson 1978, J. Atmos. Sci. 35, 1070-1096), after ARPS. What is stepped are deviations from
/// the state in which a big step began, so that they may be of fewer bits than the state: the equations are
/// linear, and what they make of that state itself is part of the forcing.
namespace ulpine::fdm {

/// Numbers of a small step.
template <class S>
struct SmallStep {
  S length;                 ///< s
  S implicitness;           ///< beta: weight of the new time level along the vertical
  S damping_h, damping_v;   ///< alpha of the divergence damping, Pa per (kg m-3 s-1): m2 s-1
  S gravity;                ///< m s-2
  S gravity_per_two_gamma;  ///< g c_v / (2 c_p), m s-2
};

/// Deviations. Rates: what the big step gives, per second.
template <class S>
struct Deviations {
  Rows<S> u, v, w, p;
  Rows<S> slope;       ///< slope_wind of u and v, at w; over terrain only
  Rows<S> divergence;  ///< of rho* (u, v, dzeta/dt) over J3, kg m-3 s-1
};
template <class S>
struct Rates {
  Rows<S const> u, v, w;          ///< m s-2
  Rows<S const> p;                ///< Pa s-1
  Rows<S const> relative_volume;  ///< rho_0 / rho at centres; null where it is 1
};

/// rho_0 / rho between two cells.
template <class S>
ULPINE_HD S relative_volume_between(Rows<S const> const& relative_volume, std::int32_t k, std::int32_t j,
                                    std::int32_t i, Step down) {
  if (relative_volume.first == nullptr) return S(1);
  return mean2(relative_volume(k - down.dk, j - down.dj, i - down.di), relative_volume(k, j, i));
}

/// Mass divergence over J3 of a wind, w in the place of `rising` = J3 dzeta/dt.
template <class T, class Ground, class U, class V, class W>
ULPINE_HD T mass_divergence(Grid<T> const& grid, Ground const& ground, U const& u, V const& v,
                            W const& rising, std::int32_t k, std::int32_t j, std::int32_t i) {
  auto const east = ground.at(Metric::mass_u, k, j, i + 1) * u(k, j, i + 1),
             west = ground.at(Metric::mass_u, k, j, i) * u(k, j, i);
  auto const north = ground.at(Metric::mass_v, k, j + 1, i) * v(k, j + 1, i),
             south = ground.at(Metric::mass_v, k, j, i) * v(k, j, i);
  auto const flux = [&](std::int32_t kk) {
    return ground.at(Metric::mass_w, kk, j, i) * ground.at(Metric::per_j3_w, kk, j, i) * rising(kk, j, i);
  };
  auto const sides = (east - west) * grid.per_dx + (north - south) * grid.per_dy;
  return (sides + (flux(k + 1) - flux(k)) * grid.per_dzeta) * ground.at(Metric::per_j3, k, j, i);
}

/// J3 dzeta/dt at the faces of w.
template <class S, bool terrain>
struct Rising {
  Rows<S const> w, slope;
  ULPINE_HD S operator()(std::int32_t k, std::int32_t j, std::int32_t i) const {
    if constexpr (terrain) {
      return w(k, j, i) + slope(k, j, i);
    } else {
      return w(k, j, i);
    }
  }
};

template <class S, class Ground>
struct SoundDivergence {
  Grid<S> grid;
  Ground ground;
  Deviations<S> now;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    Rising<S, Ground::terrain> const rising{now.w, now.slope};
    now.divergence(k, j, i) = mass_divergence(grid, ground, now.u, now.v, rising, k, j, i);
  }
};

/// p' below the ground, where w does not change: hydrostatic with p'(0), as the w equation has it.
template <class S, class Ground>
ULPINE_HD S below_ground(Grid<S> const& grid, Ground const& ground, S gravity_per_two_gamma, S p,
                         std::int32_t j, std::int32_t i) {
  auto const weight =
      gravity_per_two_gamma * ground.at(Metric::mass, 0, j, i) * ground.at(Metric::per_pressure, 0, j, i);
  return p * (grid.per_dzeta + weight) / (grid.per_dzeta - weight);
}

/// Which faces of the rim are stepped, and how neighbours beyond it are found.
struct Rim {
  bool periodic_x = false, periodic_y = false;  ///< around the period
  bool inner_x = false, inner_y = false;        ///< in the halo: a block's first faces have neighbours

  /// Whether face 0 is stepped.
  ULPINE_HD bool steps_first(bool of_u) const { return of_u ? periodic_x || inner_x : periodic_y || inner_y; }
  /// The cell before face `number` of `extent`.
  ULPINE_HD std::int32_t low(bool of_u, std::int32_t number, std::int32_t extent) const {
    return number == 0 && (of_u ? periodic_x : periodic_y) ? extent - 1 : number - 1;
  }
};

/// delta_x (J3 P) + delta_zeta (J1 avg P) at a face of u (dj = 0, di = 1) or v: what drives the wind along
/// the levels, Pa m-1. `P(k, j, i)` of k from -1 to nz.
template <class S, class Ground, class P>
ULPINE_HD S level_gradient(Grid<S> const& grid, Ground const& ground, P const& pressure, bool of_u,
                           std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t low_j,
                           std::int32_t low_i) {
  auto const per_length = of_u ? grid.per_dx : grid.per_dy;
  auto const along = (ground.at(Metric::j3, k, j, i) * pressure(k, j, i) -
                      ground.at(Metric::j3, k, low_j, low_i) * pressure(k, low_j, low_i)) *
                     per_length;
  if constexpr (!Ground::terrain) {
    return along;
  } else {
    auto const slope = of_u ? Metric::j1 : Metric::j2;
    auto const column = [&](std::int32_t kk) {
      return mean2(pressure(kk, low_j, low_i), pressure(kk, j, i));
    };
    auto const here = column(k);
    auto const top = ground.at(slope, k + 1, j, i) * mean2(here, column(k + 1));
    auto const bottom = ground.at(slope, k, j, i) * mean2(column(k - 1), here);
    return along + (top - bottom) * grid.per_dzeta;
  }
}

/// u (of_u) or v at the faces inside of the rim, and where it is periodic at the first face too.
template <class S, class Ground, bool of_u>
struct SoundWind {
  Grid<S> grid;
  Ground ground;
  SmallStep<S> step;
  Rim rim;
  Deviations<S> now;
  Rates<S> rates;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const number = of_u ? i : j, extent = of_u ? grid.nx : grid.ny;
    if (number == 0 && !rim.steps_first(of_u)) return;
    auto const low = rim.low(of_u, number, extent);
    auto const low_i = of_u ? low : i, low_j = of_u ? j : low;
    auto const pressure = [&](std::int32_t kk, std::int32_t jj, std::int32_t ii) {
      if (kk < 0) {
        auto const p = below_ground(grid, ground, step.gravity_per_two_gamma, now.p(0, jj, ii), jj, ii);
        return math::fma(-step.damping_h, now.divergence(0, jj, ii), p);
      }
      auto const inside = kk < grid.nz ? kk : grid.nz - 1;
      return math::fma(-step.damping_h, now.divergence(inside, jj, ii), now.p(inside, jj, ii));
    };
    auto const gradient = level_gradient(grid, ground, pressure, of_u, k, j, i, low_j, low_i);
    auto const volume = rates.relative_volume.first == nullptr
                            ? S(1)
                            : mean2(rates.relative_volume(k, low_j, low_i), rates.relative_volume(k, j, i));
    auto const per_mass = ground.at(of_u ? Metric::per_mass_u : Metric::per_mass_v, k, j, i);
    auto const rate = math::fma(-volume * per_mass, gradient, (of_u ? rates.u : rates.v)(k, j, i));
    auto const& wind = of_u ? now.u : now.v;
    auto const value = math::fma(step.length, rate, wind(k, j, i));
    wind(k, j, i) = value;
    if (number == 0 && low >= 0) (of_u ? now.u(k, j, grid.nx) : now.v(k, grid.ny, i)) = value;
  }
};

/// The slope's part of dzeta/dt, over terrain.
template <class S, class Ground>
struct SoundSlope {
  Grid<S> grid;
  Ground ground;
  Deviations<S> now;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    now.slope(k, j, i) = slope_wind(grid, ground, Rows<S const>(now.u), Rows<S const>(now.v), k, j, i);
  }
};

/// The coefficients of the tridiagonal equation for w at face k, 0 < k < nz, from the equations of w and p'
/// with p' eliminated; or ARPS' own (`arps`), in which the buoyancy of p' has the mean pressure of both
/// cells.
template <class S, class Ground>
struct ImplicitCoefficients {
  Grid<S> grid;
  Ground ground;
  SmallStep<S> step;
  Rows<S const> relative_volume;
  bool arps = false;

  /// dp'/dt of w per w(k) and w(k + 1): (g/2) rho_0 +- stiffness / dzeta.
  ULPINE_HD S of_lower(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return math::fma(ground.at(Metric::stiffness, k, j, i), grid.per_dzeta, weight(k, j, i));
  }
  ULPINE_HD S of_upper(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return math::fma(-ground.at(Metric::stiffness, k, j, i), grid.per_dzeta, weight(k, j, i));
  }
  ULPINE_HD Equation<S> operator()(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const implicit = step.implicitness * step.length;
    auto const scale = relative_volume_between(relative_volume, k, j, i, along_zeta) *
                       ground.at(Metric::per_mass_w, k, j, i) * (implicit * implicit);
    auto const gradient = scale * grid.per_dzeta;
    if (arps) return as_arps(implicit * implicit, gradient, k, j, i);
    auto const buoyancy = scale * step.gravity_per_two_gamma;
    auto const from_below = math::fma(buoyancy, elasticity(k - 1, j, i), -gradient);
    auto const from_above = math::fma(buoyancy, elasticity(k, j, i), gradient);
    return {from_below * of_lower(k - 1, j, i),
            S(1) + (from_above * of_lower(k, j, i) + from_below * of_upper(k - 1, j, i)),
            from_above * of_upper(k, j, i)};
  }
  /// rho* / p_0, s2 m-2.
  ULPINE_HD S elasticity(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return ground.at(Metric::mass, k, j, i) * ground.at(Metric::per_pressure, k, j, i);
  }

 private:
  ULPINE_HD S weight(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return S(1) / S(2) * step.gravity * ground.at(Metric::density, k, j, i);
  }
  ULPINE_HD Equation<S> as_arps(S squared, S gradient, std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const pressures = ground.at(Metric::pressure, k - 1, j, i) + ground.at(Metric::pressure, k, j, i);
    auto const buoyancy = squared * S(2) * step.gravity_per_two_gamma *
                          relative_volume_between(relative_volume, k, j, i, along_zeta);
    auto const layer = [&](std::int32_t cell) {
      return ArpsLayer<S>{weight(cell, j, i), ground.at(Metric::stiffness, cell, j, i) * grid.per_dzeta};
    };
    return arps_equation(buoyancy / pressures, gradient, layer(k - 1), layer(k));
  }
};

/// Coefficients of all columns, at faces 0 to nz.
template <class S>
struct Coefficients {
  Rows<S> below, here, above;
};
template <class S, class Ground>
struct SoundCoefficients {
  ImplicitCoefficients<S, Ground> equation;
  Coefficients<S> all;
  /// Computes face `level` + 1.
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t level) const {
    auto const k = level + 1;
    auto const at = equation(k, j, i);
    all.below(k, j, i) = at.below;
    all.here(k, j, i) = at.here;
    all.above(k, j, i) = at.above;
  }
};

/// Factors of all columns in place of the coefficients: 1 / pivot in `here`, above / pivot in `above`.
template <class S>
struct SoundFactors {
  std::int32_t nz;
  Coefficients<S> all;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    S above = 0;
    for (std::int32_t k = 1; k < nz; ++k) {
      auto const per_pivot = S(1) / math::fma(-all.below(k, j, i), above, all.here(k, j, i));
      above = all.above(k, j, i) * per_pivot;
      all.here(k, j, i) = per_pivot;
      all.above(k, j, i) = above;
    }
  }
};

/// Where the solve has its factors from: `kept` from SoundFactors, `stored` from SoundCoefficients of this
/// small step, `fused` from nowhere: it makes the coefficients itself. All three have the same bits.
enum class FactorSource { kept, stored, fused };

/// Parts of the column solve that one launch does: w at the lid may have to be found between the two.
enum class SolvePart { all, elimination, substitution };

/// w and p' of a column at the end of a small step.
template <class S, class Ground, FactorSource source>
struct SoundSolve {
  ImplicitCoefficients<S, Ground> equation;
  Coefficients<S> all;
  Deviations<S> now;
  Rates<S> rates;
  SolvePart part = SolvePart::all;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    if (part != SolvePart::substitution) eliminate(i, j);
    if (part != SolvePart::elimination) substitute(i, j);
  }

 private:
  ULPINE_HD void eliminate(std::int32_t i, std::int32_t j) const {
    auto const& grid = equation.grid;
    auto const& ground = equation.ground;
    auto const& step = equation.step;
    auto const nz = grid.nz;
    S solved = Ground::terrain ? -now.slope(0, j, i) : S(0);  // of the equation below
    // At the ground the new w stands for the old one too, so that nothing flows through.
    S below_w = solved, below_change = 0, below_p = 0, above = 0;
    now.w(0, j, i) = solved;
    for (std::int32_t k = 0; k < nz; ++k) {
      auto const w = below_w, higher_w = now.w(k + 1, j, i);
      auto const change = explicit_change(k, j, i, w, higher_w);
      auto const p = now.p(k, j, i);
      now.p(k, j, i) = p + change;
      if (k > 0) {
        auto const upper = math::fma(step.implicitness, change, p),
                   lower = math::fma(step.implicitness, below_change, below_p);
        auto const damped =
            (upper - lower) - step.damping_v * (now.divergence(k, j, i) - now.divergence(k - 1, j, i));
        auto const weight = equation.elasticity(k, j, i) * upper + equation.elasticity(k - 1, j, i) * lower;
        auto const force = math::fma(damped, grid.per_dzeta, step.gravity_per_two_gamma * weight) *
                           (relative_volume_between(rates.relative_volume, k, j, i, along_zeta) *
                            ground.at(Metric::per_mass_w, k, j, i));
        auto const right = math::fma(step.length, rates.w(k, j, i) - force, w);
        Equation<S> at;
        S per_pivot;
        if constexpr (source == FactorSource::fused) {
          at = equation(k, j, i);
        } else {
          at = {all.below(k, j, i), all.here(k, j, i), all.above(k, j, i)};
        }
        if constexpr (source == FactorSource::kept) {
          per_pivot = at.here;
        } else {
          per_pivot = S(1) / math::fma(-at.below, above, at.here);
          above = at.above * per_pivot;
          all.above(k, j, i) = above;
        }
        // The first equation's known w(0) is on its right-hand side, as every other's.
        solved = math::fma(-at.below, solved, right) * per_pivot;
        now.w(k, j, i) = solved;
      }
      below_w = higher_w;
      below_change = change;
      below_p = p;
    }
  }
  ULPINE_HD void substitute(std::int32_t i, std::int32_t j) const {
    auto const nz = equation.grid.nz;
    auto higher = now.w(nz, j, i);
    auto const implicit = equation.step.implicitness * equation.step.length;
    for (std::int32_t k = nz - 1; k >= 0; --k) {
      auto const w = k == 0 ? now.w(0, j, i) : math::fma(-all.above(k, j, i), higher, now.w(k, j, i));
      now.w(k, j, i) = w;
      auto const rate = equation.of_lower(k, j, i) * w + equation.of_upper(k, j, i) * higher;
      now.p(k, j, i) = math::fma(implicit, rate, now.p(k, j, i));
      higher = w;
    }
  }

  /// Change of p' in the small step, without the part of it that depends on the new w.
  ULPINE_HD S explicit_change(std::int32_t k, std::int32_t j, std::int32_t i, S w, S higher_w) const {
    auto const& grid = equation.grid;
    auto const& ground = equation.ground;
    auto const& step = equation.step;
    auto const sides = (ground.at(Metric::j3_u, k, j, i + 1) * now.u(k, j, i + 1) -
                        ground.at(Metric::j3_u, k, j, i) * now.u(k, j, i)) *
                           grid.per_dx +
                       (ground.at(Metric::j3_v, k, j + 1, i) * now.v(k, j + 1, i) -
                        ground.at(Metric::j3_v, k, j, i) * now.v(k, j, i)) *
                           grid.per_dy;
    auto spreading = sides;
    if constexpr (Ground::terrain) {
      spreading = sides + (now.slope(k + 1, j, i) - now.slope(k, j, i)) * grid.per_dzeta;
    }
    auto const rate = math::fma(-ground.at(Metric::stiffness, k, j, i), spreading, rates.p(k, j, i));
    auto const of_w = equation.of_lower(k, j, i) * w + equation.of_upper(k, j, i) * higher_w;
    return math::fma(step.length, rate, (step.length - step.implicitness * step.length) * of_w);
  }
};

/// theta' with the sound: the slow rates have what the wind at the start of a step lifts, this adds what its
/// deviation lifts. A step of half the length goes before the first w, another after the last, so that theta'
/// and w leap over each other (Stoermer and Verlet): of second order, stable while N times the step is
/// below 2.
template <class T, class S, class Ground>
struct SoundTheta {
  Ground ground;
  S length;
  Rows<S const> w;
  Rows<T const> rate;
  Rows<S> theta;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lifted = mean2(w(k, j, i) * ground.at(Metric::theta_gradient, k, j, i),
                              w(k + 1, j, i) * ground.at(Metric::theta_gradient, k + 1, j, i));
    auto const change = math::fma(-lifted, ground.at(Metric::per_j3, k, j, i), static_cast<S>(rate(k, j, i)));
    theta(k, j, i) = math::fma(length, change, theta(k, j, i));
  }
};
/// The rate of w at face k + 1 with what theta' lifts more than when the slow rates were evaluated.
template <class S, class Ground>
struct SoundBuoyancy {
  Ground ground;
  S gravity;
  Rows<S const> relative_volume, theta, rate;
  Rows<S> forced;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t level) const {
    auto const k = level + 1;
    auto const warm = [&](std::int32_t cell) {
      return theta(cell, j, i) * ground.at(Metric::per_theta, cell, j, i);
    };
    auto const volume = relative_volume_between(relative_volume, k, j, i, along_zeta);
    forced(k, j, i) = math::fma(volume * gravity, mean2(warm(k - 1), warm(k)), rate(k, j, i));
  }
};
/// Where it begins: at the start of the step, as a deviation from theta' as it is.
template <class T, class S>
struct StartTheta {
  Rows<T const> start, now;
  Rows<S> theta;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    theta(k, j, i) = static_cast<S>(start(k, j, i) - now(k, j, i));
  }
};
/// Adds to theta', at the end of a part of the step, the change in its small steps.
template <class T, class S>
struct AddTheta {
  Rows<S const> change;
  Rows<T> theta;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    theta(k, j, i) += static_cast<T>(change(k, j, i));
  }
};

}  // namespace ulpine::fdm
