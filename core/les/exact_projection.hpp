// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/les/runge_kutta.hpp"

/// Poisson's equation in the air alone, where nothing flows through walls, by preconditioned conjugate
/// gradients (Hestenes and Stiefel 1952). With h the thickness of a cell's level,
///   A p = -h L p,  L p the divergence of the gradient on faces between two cells of air,
/// is symmetric, as is the preconditioner: the solution through the buildings, P r = -L^-1 (r / h) with r = 0
/// there, of which the air's part is kept. A and P are positive but for constants; a constant in an iterate
/// changes nothing. All eigenvalues of P A lie between 0 and 1 and most of them are 1: P's energy is the
/// least of all continuations into the buildings, A's leaves these out. How far below 1 they reach depends on
/// the buildings' shapes and not on the spacing.
namespace ulpine::les {

/// -h d, what is to be solved for; d is 0 within buildings.
template <class T, class S>
struct WeightedResidual {
  Grid<T> grid;
  Rows<S const> divergence;
  Rows<S> residual;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    residual(k, j, i) = -(static_cast<S>(grid.at(Level::thickness, k)) * divergence(k, j, i));
  }
};

/// Takes the residual's sum, which is 0 but for rounding, out of the air, and gives its density to the
/// solver. What of it stayed no direction could lower, and all later ones would grow without bound.
template <class T, class S, class Ground>
struct Balance {
  Grid<T> grid;
  Ground ground;
  S share;       ///< 1 / sum of the thicknesses of all cells in air
  S const* sum;  ///< sum of the residual
  Rows<S> residual, density;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const change = static_cast<S>(grid.at(Level::thickness, k)) * (share * *sum);
    auto const balanced = k >= ground.lowest(Variable::scalar, j, i) ? residual(k, j, i) - change : S(0);
    residual(k, j, i) = balanced;
    density(k, j, i) = -(balanced * static_cast<S>(grid.at(Level::per_dz, k)));
  }
};

/// How much of the last direction is kept: the quotient of r.P r before and after. Iteration is over where
/// that, the square of a norm, has fallen to rounding; what is left of it then says nothing.
template <class S>
struct KeptShare {
  bool first;
  S negligible;  ///< part of the first energy
  S const* energy;
  S *before, *least, *kept;

  ULPINE_HD void operator()(std::int64_t) const {
    if (first) *least = negligible * *energy;
    *kept = first || *before <= *least ? S(0) : *energy / *before;
    *before = *energy;
  }
};

/// d <- P r + kept d; 0 within buildings.
template <class S, class Ground>
struct Direction {
  Ground ground;
  bool first;
  S const* kept;
  Rows<S const> preconditioned;
  Rows<S> direction;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const steepest = preconditioned(k, j, i);
    auto const next = first ? steepest : math::fma(*kept, direction(k, j, i), steepest);
    direction(k, j, i) = k >= ground.lowest(Variable::scalar, j, i) ? next : S(0);
  }
};

/// A d: what a gradient of d drives out of each cell; 0 within buildings. Through a wall there is no
/// difference: the neighbour is the cell itself.
template <class T, class S, class Ground>
struct Outflow {
  Grid<T> grid;
  Ground ground;
  Rows<S const> direction;
  Rows<S> outflow;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const here = direction(k, j, i);
    auto const towards = [&](std::int32_t kk, std::int32_t jj, std::int32_t ii) {
      return here - direction(kk, jj, ii);
    };
    auto const open = [&](Variable variable, std::int32_t jj, std::int32_t ii) {
      return k >= ground.lowest(variable, jj, ii);
    };
    auto const east = grid.east(i), north = grid.north(j);
    auto const along_x = towards(k, j, open(Variable::u, j, i) ? grid.west(i) : i) +
                         towards(k, j, open(Variable::u, j, east) ? east : i);
    auto const along_y = towards(k, open(Variable::v, j, i) ? grid.south(j) : j, i) +
                         towards(k, open(Variable::v, north, i) ? north : j, i);
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    auto const below = towards(k > lowest ? k - 1 : k, j, i),
               above = towards(k < grid.nz - 1 ? k + 1 : k, j, i);
    auto const per_dx = static_cast<S>(grid.per_dx), per_dy = static_cast<S>(grid.per_dy);
    auto const sides = math::fma(along_x, per_dx * per_dx, along_y * (per_dy * per_dy));
    auto const vertical = math::fma(below, static_cast<S>(grid.at(Level::per_dz_between, k - 1)),
                                    above * static_cast<S>(grid.at(Level::per_dz_between, k)));
    auto const sum = math::fma(static_cast<S>(grid.at(Level::thickness, k)), sides, vertical);
    outflow(k, j, i) = k >= lowest ? sum : S(0);
  }
};

/// How far to go: r.P r / d.A d; nowhere once there is nothing left.
template <class S>
struct Length {
  S const *energy, *least, *curvature;
  S* length;

  ULPINE_HD void operator()(std::int64_t) const {
    // A NaN is not hidden.
    auto const over = *energy <= *least || *curvature <= S(0);
    *length = over ? S(0) : *energy / *curvature;
  }
};

/// p <- p + length d, r <- r - length A d.
template <class S>
struct Descent {
  bool first;
  S const* length;
  Rows<S const> direction, outflow;
  Rows<S> solution, residual;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const before = first ? S(0) : solution(k, j, i);
    solution(k, j, i) = math::fma(*length, direction(k, j, i), before);
    residual(k, j, i) = math::fma(-*length, outflow(k, j, i), residual(k, j, i));
  }
};

/// Values times the thickness of their level.
template <class T, class S>
struct Weighing {
  Grid<T> grid;
  Rows<S const> values;
  Rows<S> weighed;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    weighed(k, j, i) = static_cast<S>(grid.at(Level::thickness, k)) * values(k, j, i);
  }
};

/// The solution without its mean; 0 within buildings.
template <class S, class Ground>
struct Centred {
  Ground ground;
  S share;       ///< as in Balance
  S const* sum;  ///< sum of the weighed solution
  Rows<S const> solution;
  Rows<S> pressure;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const centred = math::fma(-share, *sum, solution(k, j, i));
    pressure(k, j, i) = k >= ground.lowest(Variable::scalar, j, i) ? centred : S(0);
  }
};

}  // namespace ulpine::les
