// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/grid.hpp"
#include "core/model/step_length.hpp"

/// The projection onto winds without divergence. The provisional wind, wind + step stored, is never in
/// memory: both kernels form it alike.
namespace ulpine::les {

/// Where a point lies in fields with a halo and in those without.
struct Place {
  std::int64_t in_halo, dense;
};
template <class T>
ULPINE_HD Place place_of(Grid<T> const& grid, std::int32_t k, std::int32_t j, std::int32_t i) {
  return {std::int64_t{k} * grid.plane + (std::int64_t{j} * grid.row + i),
          (std::int64_t{k} * grid.dense_rows() + j) * grid.dense_row() + i};
}

/// A field at the end of a Runge-Kutta stage but for the pressure; never in memory where it is a wind.
template <class T>
struct Provisional {
  T* now;           ///< with a halo
  T const* stored;  ///< tendency, without
  ULPINE_HD T operator()(T length, Place at) const {
    return math::fma(length, stored[at.dense], now[at.in_halo]);
  }
};

/// Weights of the low-storage Runge-Kutta scheme of three stages (Williamson 1980, case 7): how much of the
/// stored tendency is kept, how much of the step the stored one weighs, and what part of the step passes.
struct RungeKuttaStage {
  Global keep, weight, forward;
};
inline constexpr RungeKuttaStage runge_kutta[] = {{0, Global(1) / 3, Global(1) / 3},
                                                  {-Global(5) / 9, Global(15) / 16, Global(5) / 12},
                                                  {-Global(153) / 128, Global(8) / 15, Global(1) / 4}};

/// Lengths that a Runge-Kutta stage derives from the step's: three values in device memory.
template <class T>
struct StageLength {
  T const* values;

  ULPINE_HD T of_tendencies() const { return values[0]; }  ///< s
  ULPINE_HD T forward() const { return values[1]; }        ///< s
  ULPINE_HD T per_forward() const { return values[2]; }    ///< s-1
  static constexpr std::int64_t count = 3;
};
/// Computes the lengths of stage n.
template <class T>
struct StageLengths {
  Global const* step;  ///< s
  RungeKuttaStage stages[3];
  T* values;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const forward = stages[n].forward * *step;
    auto* const mine = values + n * StageLength<T>::count;
    mine[0] = static_cast<T>(stages[n].weight * *step);
    mine[1] = static_cast<T>(forward);
    mine[2] = static_cast<T>(1 / forward);
  }
};

/// Divergence of the provisional wind over the stage's length, s-2: the right-hand side of Poisson's
/// equation; 0 within buildings.
template <class T, class S, class Ground>
struct DivergenceOfProvisional {
  Grid<T> grid;
  Ground ground;
  StageLength<T> stage;
  Provisional<T> u, v, w;
  Rows<S> right_hand_side;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const length = stage.of_tendencies();
    auto const air = [&](Variable variable, std::int32_t jj, std::int32_t ii) {
      return k >= ground.lowest(variable, jj, ii);
    };
    auto const at = [&](bool moves, Provisional<T> const& wind, Place place) {
      return moves ? wind(length, place) : T(0);
    };
    auto const east = grid.east(i), north = grid.north(j);
    auto const here = place_of(grid, k, j, i);
    Place const to_east{here.in_halo + (east - i), here.dense + (east - i)};
    Place const to_north{here.in_halo + (north - j) * grid.row, here.dense + (north - j) * grid.dense_row()};
    Place const below{here.in_halo - grid.plane, here.dense - grid.dense_row() * grid.dense_rows()};
    auto const west_u = at(air(Variable::u, j, i), u, here),
               east_u = at(air(Variable::u, j, east), u, to_east);
    auto const south_v = at(air(Variable::v, j, i), v, here),
               north_v = at(air(Variable::v, north, i), v, to_north);
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    auto const below_w = at(k > lowest, w, below), above_w = at(k >= lowest && k < grid.nz - 1, w, here);
    auto const sum =
        math::fma(east_u - west_u, grid.per_dx,
                  math::fma(north_v - south_v, grid.per_dy, (above_w - below_w) * grid.at(Level::per_dz, k)));
    right_hand_side(k, j, i) = k >= lowest ? static_cast<S>(stage.per_forward() * sum) : S(0);
  }
};

/// wind <- provisional wind - length dp/dx; walls hold it at 0.
template <class T, class S, class Ground>
struct PressureCorrection {
  Grid<T> grid;
  Ground ground;
  StageLength<T> stage;
  Rows<S const> pressure;  ///< m2 s-2
  Provisional<T> u, v, w;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const length = stage.of_tendencies(), forward = stage.forward();
    auto const* const centre = &pressure(k, j, i);
    auto const p = [&](std::int32_t away) { return static_cast<T>(centre[away]); };
    auto const here = p(0);
    auto const place = place_of(grid, k, j, i);
    auto const corrected = [&](Provisional<T> const& wind, bool moves, T before, T per_length, T after) {
      return moves ? math::fma(-forward, (after - before) * per_length, wind(length, place)) : T(0);
    };
    u.now[place.in_halo] =
        corrected(u, k >= ground.lowest(Variable::u, j, i), p(grid.west(i) - i), grid.per_dx, here);
    v.now[place.in_halo] = corrected(v, k >= ground.lowest(Variable::v, j, i),
                                     p((grid.south(j) - j) * pressure.row), grid.per_dy, here);
    // The lid's own stays 0.
    if (k < grid.nz - 1) {
      w.now[place.in_halo] = corrected(w, k >= ground.lowest(Variable::scalar, j, i), here,
                                       grid.at(Level::per_dz_between, k), p(pressure.plane));
    }
  }
};

/// Adds to the wind along x what its mean over the air lacks.
template <class T, class Ground>
struct VolumeFlow {
  Ground ground;
  T wanted, per_point;  ///< m s-1; 1 / points in air
  T const* sum;         ///< sum of u over all points
  Rows<T> u;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const changed = u(k, j, i) + math::fma(-per_point, *sum, wanted);
    u(k, j, i) = k >= ground.lowest(Variable::u, j, i) ? changed : T(0);
  }
};

/// Magnitude of the wind's divergence, s-1; 0 within buildings.
template <class T, class Ground>
struct Divergence {
  Grid<T> grid;
  Ground ground;
  Wind<T> wind;
  Rows<T> divergence;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const& [u, v, w] = wind;
    auto const sum = math::fma(u(k, j, i + 1) - u(k, j, i), grid.per_dx,
                               math::fma(v(k, j + 1, i) - v(k, j, i), grid.per_dy,
                                         (w(k, j, i) - w(k - 1, j, i)) * grid.at(Level::per_dz, k)));
    divergence(k, j, i) = k >= ground.lowest(Variable::scalar, j, i) ? math::abs(sum) : T(0);
  }
};

/// 1 / the longest step that a column allows, s-1: no component of the wind crosses more than a cell, nor
/// does diffusion (0.125 spacing^2 / diffusivity).
template <class T, class Ground>
struct StepRate {
  Grid<T> grid;
  Ground ground;
  Wind<T> wind;
  Rows<T const> viscosity, diffusivity;
  Rows<T> rate;  ///< (j, i)

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const& [u, v, w] = wind;
    T most = T(0);
    auto const at_least = [&](T value) { most = value > most || value != value ? value : most; };
    for (auto k = ground.lowest(Variable::scalar, j, i); k < grid.nz; ++k) {
      auto const size = [](T x) { return x < T(0) ? -x : x; };
      at_least(size(u(k, j, i)) * grid.per_dx);
      at_least(size(v(k, j, i)) * grid.per_dy);
      at_least(size(w(k, j, i)) * grid.at(Level::per_dz_between, k));
      auto per_length = grid.per_dx < grid.per_dy ? grid.per_dy : grid.per_dx;
      auto const per_dz = grid.at(Level::per_dz, k);
      per_length = per_length < per_dz ? per_dz : per_length;
      auto const twice = T(2) * viscosity(k, j, i), heat = diffusivity(k, j, i);
      at_least(T(8) * per_length * per_length * (twice < heat ? heat : twice));
    }
    rate(j, i) = most;
  }
};

/// Length of the step in s: `courant` of what the fastest column allows, at most `most`, on the way to where
/// a step has to end in `left` s. Also the ground's temperature during the step.
template <class T>
struct StepLength {
  Global courant, most, left;
  T const* fastest;  ///< s-1
  Global theta;
  Global *surface_theta, *step;

  ULPINE_HD void operator()(std::int64_t) const {
    auto const rate = static_cast<Global>(*fastest);
    auto const length = rate * most > courant ? courant / rate : most;
    *step = length_towards(left, length);
    *surface_theta = theta;
  }
};

struct FixedStep {
  Global length, theta;
  Global *surface_theta, *step;
  ULPINE_HD void operator()(std::int64_t) const {
    *step = length;
    *surface_theta = theta;
  }
};

}  // namespace ulpine::les
