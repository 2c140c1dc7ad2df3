// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fdm/leap.hpp"
#include "core/fdm/rates.hpp"
#include "core/fdm/sound.hpp"

/// A lid through which linear hydrostatic gravity waves leave (Klemp and Durran 1983, Mon. Wea. Rev. 111,
/// 430-444; Bougeault 1983, Mon. Wea. Rev. 111, 1010-1012): in Fourier space along the lid p' = Z w, Z = N
/// rho_0 / |k|, of the wave whose energy rises. The mean over the lid, k = 0, has w = 0, so that no mass
/// goes.
///
/// p' at the lid is that of the cell below, hydrostatic over half a level, as the w equation has it:
///
///   P_lid = kappa p' - alpha_v Div + (dzeta / 2) rho* g B,   kappa = 1 - dzeta rho* g / (2 gamma p_0)
///
/// With it the energy of sound and buoyancy changes by -Z w^2 over the lid and nothing else, and hydrostatic
/// waves of these differences leave without any reflection where |k| is that of the differences, too.
///
/// In a small step elimination leaves w and p' of the uppermost cell as linear functions of w at the lid:
/// kappa p' = known - K w. The relation is Z w = known - K w then, wave by wave, for K of the first column.
/// Where K is another (levels above a mountain, rho_0 / rho that varies), the difference acts on the w of the
/// small step before.
namespace ulpine::fdm {

/// The factor kappa of p' of a column's uppermost cell in the pressure at the lid.
template <class T, class Ground>
ULPINE_HD T carried_to_lid(Grid<T> const& grid, Ground const& ground, T gravity_per_two_gamma, std::int32_t j,
                           std::int32_t i) {
  auto const k = grid.nz - 1;
  auto const weight =
      gravity_per_two_gamma * ground.at(Metric::mass, k, j, i) * ground.at(Metric::per_pressure, k, j, i);
  return (grid.per_dzeta - weight) / grid.per_dzeta;
}
/// Weight of the upper half of a column's uppermost cell, Pa.
template <class T, class Ground>
ULPINE_HD T weight_below_lid(Grid<T> const& grid, Ground const& ground, T gravity, std::int32_t j,
                             std::int32_t i) {
  return T(1) / T(2) * gravity * ground.at(Metric::mass, grid.nz - 1, j, i) / grid.per_dzeta;
}

/// P_lid of the state in which the small steps begin, with the buoyancy of this part of the step.
template <class T, class S, class Ground>
struct LidStart {
  Grid<T> grid;
  Ground ground;
  Physics<T> physics;
  Air<T> air, start;
  Rows<T const> divergence;  ///< of `start`
  Rows<S const> relative_volume;
  Rows<T> known;  ///< Pa

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const k = grid.nz - 1;
    auto const kappa = carried_to_lid(grid, ground, physics.gravity_per_two_gamma, j, i);
    auto const lifted = weight_below_lid(grid, ground, physics.gravity, j, i) *
                        buoyancy(air, ground, physics.per_gamma, relative_volume.first != nullptr, k, j, i);
    known(j, i) =
        math::fma(kappa, start.p(k, j, i), math::fma(-physics.damping_v, divergence(k, j, i), lifted));
  }
};

/// The uppermost cell of a column after the elimination of a small step: how its p' depends on w at the lid.
template <class S, class Ground>
struct BelowLid {
  ImplicitCoefficients<S, Ground> equation;
  Rows<S const> above;  ///< of the factors

  ULPINE_HD S kappa(std::int32_t j, std::int32_t i) const {
    return carried_to_lid(equation.grid, equation.ground, equation.step.gravity_per_two_gamma, j, i);
  }
  /// K = -kappa dp'/dw of w at the lid, w below being `above` times less of it, Pa per m s-1.
  ULPINE_HD S stiffness(std::int32_t j, std::int32_t i) const {
    auto const k = equation.grid.nz - 1;
    auto const of_w = math::fma(-equation.of_lower(k, j, i), above(k, j, i), equation.of_upper(k, j, i));
    return -kappa(j, i) * (equation.step.implicitness * equation.step.length * of_w);
  }
};

/// Stores the stiffness K of the column, Pa per m s-1.
template <class T, class S, class Ground>
struct LidStiffness {
  BelowLid<S, Ground> below;
  T* stiffness;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    *stiffness = static_cast<T>(below.stiffness(j, i));
  }
};

/// Right-hand side of (Z + K) w = ..., after the elimination of a small step.
template <class T, class S, class Ground>
struct LidRight {
  BelowLid<S, Ground> below;
  Deviations<S> now;
  Rows<S const> theta;  ///< what theta' changes in the small steps; null where it does not
  Rows<T const> known, start_w;
  T const* stiffness;  ///< K of the first column of all, Pa per m s-1
  Rows<T> right;       ///< Pa

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const& equation = below.equation;
    auto const k = equation.grid.nz - 1;
    auto const implicit = equation.step.implicitness * equation.step.length;
    auto const lag = below.stiffness(j, i) - static_cast<S>(*stiffness);
    auto const p = math::fma(implicit * equation.of_lower(k, j, i), now.w(k, j, i), now.p(k, j, i));
    auto change = math::fma(below.kappa(j, i), p, -equation.step.damping_v * now.divergence(k, j, i));
    if (theta.first != nullptr) {
      auto const weight = weight_below_lid(equation.grid, equation.ground, equation.step.gravity, j, i);
      change = math::fma(weight, theta(k, j, i) * equation.ground.at(Metric::per_theta, k, j, i), change);
    }
    change = math::fma(-lag, now.w(k + 1, j, i), change);
    right(j, i) = math::fma(*stiffness, start_w(k + 1, j, i), known(j, i)) + static_cast<T>(change);
  }
};

/// Wave by wave: for the wavenumber m along x of those that the plane holds, n along y. The transforms do not
/// scale.
template <class T>
struct LidWaves {
  T scale;             ///< of the two transforms
  T const* impedance;  ///< Z, Pa per m s-1, of all wavenumbers as the plane has them
  T const* stiffness;
  bool with_mean;  ///< the plane begins with wavenumber 0 along x
  Rows<T> waves;   ///< pairs

  ULPINE_HD void operator()(std::int32_t m, std::int32_t n) const {
    bool const mean = with_mean && m == 0 && n == 0;
    auto const z = impedance[std::int64_t{n} * (waves.row / 2) + m];
    auto const factor = mean ? T(0) : scale / (z + *stiffness);
    waves(n, 2 * m) = factor * waves(n, 2 * m);
    waves(n, 2 * m + 1) = factor * waves(n, 2 * m + 1);
  }
};

/// The deviation of w at the lid, of its new value.
template <class T, class S>
struct LidWind {
  std::int32_t nz;
  Rows<T const> w, start_w;
  Rows<S> change;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    change(nz, j, i) = static_cast<S>(w(j, i) - start_w(nz, j, i));
  }
};

/// w at the lid at the end of the small steps; `filter` where steps leap.
template <class T, class S>
struct LidEnd {
  std::int32_t nz;
  bool leaps;
  T filter;
  Rows<S const> change;
  Rows<T> w, start;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const after = start(nz, j, i) + static_cast<T>(change(nz, j, i));
    if (leaps) {
      leap(filter, after, w(nz, j, i), start(nz, j, i));
    } else {
      w(nz, j, i) = after;
    }
  }
};

}  // namespace ulpine::fdm
