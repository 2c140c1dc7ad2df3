// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/exec/reduce.hpp"
#include "core/field/table.hpp"
#include "core/field/values.hpp"
#include "core/les/projection.hpp"
#include "core/poisson/phases.hpp"
#include "core/stage/runner.hpp"

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
  S const* sum;  ///< of the residual
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
  S share;       ///< as Balance
  S const* sum;  ///< of the weighed solution
  Rows<S const> solution;
  Rows<S> pressure;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const centred = math::fma(-share, *sum, solution(k, j, i));
    pressure(k, j, i) = k >= ground.lowest(Variable::scalar, j, i) ? centred : S(0);
  }
};

/// The wind that a force of one along x makes: 1 in the air, before its projection.
template <class T, class Ground>
struct UnitWind {
  Ground ground;
  Rows<T> u;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    u(k, j, i) = k >= ground.lowest(Variable::u, j, i) ? T(1) : T(0);
  }
};

/// Adds as much of the unit wind, 1 along x less the gradient of a potential, as the mean along x lacks:
/// what VolumeFlow adds is no wind that goes around buildings.
template <class T, class S, class Ground>
struct FlowAround {
  Grid<T> grid;
  VolumeFlow<T, Ground> through;
  T const* unit;  ///< sum of the unit wind along x
  Rows<S const> potential;
  Rows<T> v, w;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const& [ground, wanted, per_point, sum, u] = through;
    auto const lacking = math::fma(-per_point, *sum, wanted) / (per_point * *unit);
    auto const p = [&](std::int32_t kk, std::int32_t jj, std::int32_t ii) {
      return static_cast<T>(potential(kk, jj, ii));
    };
    auto const here = p(k, j, i);
    auto const add = [&](Rows<T> const& wind, bool moves, T change) {
      wind(k, j, i) = moves ? math::fma(lacking, change, wind(k, j, i)) : T(0);
    };
    add(u, k >= ground.lowest(Variable::u, j, i),
        math::fma(-grid.per_dx, here - p(k, j, grid.west(i)), T(1)));
    add(v, k >= ground.lowest(Variable::v, j, i), (p(k, grid.south(j), i) - here) * grid.per_dy);
    if (k < grid.nz - 1) {
      add(w, k >= ground.lowest(Variable::scalar, j, i),
          (here - p(k + 1, j, i)) * grid.at(Level::per_dz_between, k));
    }
  }
};

/// Replaces the right-hand side in the pressure's planes by the pressure. Each iteration solves once through
/// the buildings. Its stages are les.pressure.iterate.*; nothing waits for the host.
template <class T, class S, class Ground, class Executor>
class AirSolver {
 public:
  /// add_stage(StageDescription) makes a stage known; `poisson` is like that which will solve; `air` is the
  /// sum of the thicknesses of all cells in air, m.
  template <class AddStage>
  AirSolver(Executor executor, FieldTable& fields, FieldOf<S, Executor>& pressure,
            PoissonPhases<S> const& poisson, double air, AddStage const& add_stage)
      : executor_{executor},
        reducer_{executor},
        share_{static_cast<S>(1 / air)},
        pressure_{&pressure},
        residual_{work(fields, "pressure_residual", "m s-2", pressure.layout())},
        direction_{work(fields, "pressure_direction", "m2 s-2", pressure.layout())},
        outflow_{work(fields, "pressure_outflow", "m s-2", pressure.layout())},
        solution_{work(fields, "pressure_solution", "m2 s-2", pressure.layout())} {
    auto const one = Layout::entities(1);
    sum_ = work(fields, "pressure_sum", "1", one);
    energy_ = work(fields, "pressure_energy", "m3 s-4", one);
    before_ = work(fields, "pressure_energy_before", "m3 s-4", one);
    least_ = work(fields, "pressure_energy_least", "m3 s-4", one);
    kept_ = work(fields, "pressure_kept", "1", one);
    curvature_ = work(fields, "pressure_curvature", "m3 s-4", one);
    length_ = work(fields, "pressure_length", "1", one);
    auto const one_value = static_cast<double>(sizeof(S));
    auto const& axes = pressure.layout();
    auto const cell_values =
        one_value * static_cast<double>(axes.axis(0).extent * axes.axis(1).extent * axes.axis(2).extent);
    auto const add = [&](char const* name, char const* doc, double values, double bytes = 0,
                         Guarantee guarantee = Guarantee::bitwise) {
      return add_stage(StageDescription{std::string("les.pressure.iterate.") + name, doc,
                                        values * cell_values + bytes, guarantee});
    };
    auto const bytes = poisson.minimal_bytes();
    auto const guarantee = poisson.guarantee();
    weigh_residual_ = add("residual", "divergence weighed by thickness", 2);
    sum_residual_ = add("imbalance", "sum of the residual over the air", 1);
    balance_ = add("balance", "residual without its sum, and its density", 3);
    forward_ = add("forward_fft", "Fourier transform of each level of the residual", 0, bytes[0], guarantee);
    tridiagonal_ = add("tridiagonal", "tridiagonal solve of each wavenumber", 0, bytes[1]);
    inverse_ = add("inverse_fft", "Fourier transform back", 0, bytes[2], guarantee);
    dot_energy_ = add("energy", "residual times its solution through the buildings", 2);
    keep_ = add("kept", "share of the last direction that is kept", 0, 4 * one_value);
    turn_ = add("direction", "next conjugate direction", 3);
    operate_ = add("outflow", "what the direction drives out of each cell of air", 2);
    dot_curvature_ = add("curvature", "direction times outflow", 2);
    measure_ = add("length", "length of the way along the direction", 0, 4 * one_value);
    descend_ = add("descent", "solution and residual at its end", 6);
    weigh_ = add("weigh", "solution weighed by thickness", 2);
    sum_solution_ = add("mean", "sum of the solution over the air", 1);
    centre_ = add("centre", "solution without its mean", 2);
  }

  void solve(StageRunner& stages, PoissonPhases<S>& poisson, Grid<T> const& grid, Ground const& ground,
             std::int32_t iterations) {
    Extent3 const cells{grid.nx, grid.ny, grid.nz};
    Rows<S> const p = pressure_->grid(), r = residual_->grid(), d = direction_->grid(), q = outflow_->grid(),
                  x = solution_->grid();
    auto const run = [&](Stage stage, auto const& kernel, std::initializer_list<Field const*> writes) {
      stages.run(stage, executor_, cells, kernel, writes);
    };
    run(weigh_residual_, WeightedResidual<T, S>{grid, p, r}, {residual_});
    for (std::int32_t n = 0; n < iterations; ++n) {
      auto const within = stages.loop("iteration", n + 1);
      auto const first = n == 0;
      sum(stages, sum_residual_, *residual_);
      run(balance_, Balance<T, S, Ground>{grid, ground, share_, value(sum_), r, p}, {residual_, pressure_});
      stages.call(forward_, executor_, [&] { poisson.forward(p.first); }, {pressure_});
      stages.call(tridiagonal_, executor_, [&] { poisson.tridiagonal(p.first); }, {pressure_});
      stages.call(inverse_, executor_, [&] { poisson.inverse(p.first); }, {pressure_});
      dot(stages, dot_energy_, *residual_, *pressure_, *energy_);
      stages.run(
          keep_, executor_, 1,
          KeptShare<S>{first, negligible(), value(energy_), place(before_), place(least_), place(kept_)},
          {before_, least_, kept_});
      run(turn_, Direction<S, Ground>{ground, first, value(kept_), p, d}, {direction_});
      run(operate_, Outflow<T, S, Ground>{grid, ground, d, q}, {outflow_});
      dot(stages, dot_curvature_, *direction_, *outflow_, *curvature_);
      stages.run(measure_, executor_, 1,
                 Length<S>{value(energy_), value(least_), value(curvature_), place(length_)}, {length_});
      run(descend_, Descent<S>{first, value(length_), d, q, x, r}, {solution_, residual_});
    }
    run(weigh_, Weighing<T, S>{grid, x, q}, {outflow_});
    sum(stages, sum_solution_, *outflow_);
    run(centre_, Centred<S, Ground>{ground, share_, value(sum_), x, p}, {pressure_});
  }

 private:
  using Solved = FieldOf<S, Executor>;

  Solved* work(FieldTable& fields, char const* name, char const* units, Layout const& layout) const {
    return &fields.template add<S>(executor_, {.name = name, .units = units}, layout);
  }
  static S const* value(Solved const* field) { return field->view().data(); }
  static S* place(Solved* field) { return field->view().data(); }

  /// The square of a 32nd of the unit roundoff, since an energy is the square of a norm, and of one in which
  /// residuals of long waves weigh more.
  static S negligible() {
    auto const roundoff = sizeof(S) == 4 ? 0x1p-24 : sizeof(S) == 8 ? 0x1p-53 : 0x1p-113;
    return static_cast<S>(0x1p-10 * roundoff * roundoff);
  }
  void sum(StageRunner& stages, Stage stage, Solved& field) {
    stages.call(stage, executor_, [&] { reducer_.sum_to(field, *sum_); }, {sum_});
  }
  /// Over rows with their padding, where the first has only zeros: contiguous values are read faster.
  void dot(StageRunner& stages, Stage stage, Solved& zero_in_padding, Solved& other, Solved& result) {
    stages.call(stage, executor_, [&] { reducer_.dot_to(zero_in_padding.view(), other.view(), result); },
                {&result});
  }

  Executor executor_;
  Reducer<Executor> reducer_;
  S share_;
  Solved *pressure_, *residual_, *direction_, *outflow_, *solution_;
  Solved *sum_, *energy_, *before_, *least_, *kept_, *curvature_, *length_;
  Stage weigh_residual_, sum_residual_, balance_, forward_, tridiagonal_, inverse_, dot_energy_, keep_, turn_,
      operate_, dot_curvature_, measure_, descend_, weigh_, sum_solution_, centre_;
};

}  // namespace ulpine::les
