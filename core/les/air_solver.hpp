// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/field/table.hpp"
#include "core/field/values.hpp"
#include "core/les/exact_projection.hpp"
#include "core/les/transforms.hpp"
#include "core/poisson/phases.hpp"
#include "core/ranks/rank_reducer.hpp"
#include "core/stage/halo.hpp"
#include "core/stage/runner.hpp"

namespace ulpine::les {

/// Replaces the right-hand side in the pressure's planes by the pressure. Each iteration solves once through
/// the buildings. Its stages are les.pressure.iterate.*; nothing waits for the host.
template <class T, class S, class Ground, class Executor>
class AirSolver {
 public:
  /// Adds its stages to `stages`; `poisson` is like that which will solve; `air` is the sum of the
  /// thicknesses of all cells in air, m; `link` and `exchange` outlive this.
  AirSolver(Executor executor, Link<Executor>& link, HaloExchange<Executor>& exchange, FieldTable& fields,
            FieldOf<S, Executor>& pressure, PoissonPhases<S> const& poisson, double air, StageRunner& stages)
      : executor_{executor},
        link_{&link},
        halos_{&exchange},
        reducer_{executor, link},
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
      return stages.add(
          {std::string("les.pressure.iterate.") + name, doc, values * cell_values + bytes, guarantee});
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
    auto const levels = static_cast<std::int32_t>(axes.axis(0).extent);
    halo_levels_ = {0, levels};
    if (exchange.needed()) {
      exchange.template reserve<S>(1, halo_width, halo_levels_);
      exchange_ = add("exchange", "that direction from the neighbours' blocks", 0,
                      exchange.template bytes<S>(1, halo_width, halo_levels_));
    }
    operate_ = add("outflow", "what the direction drives out of each cell of air", 2);
    dot_curvature_ = add("curvature", "direction times outflow", 2);
    measure_ = add("length", "length of the way along the direction", 0, 4 * one_value);
    descend_ = add("descent", "solution and residual at its end", 6);
    weigh_ = add("weigh", "solution weighed by thickness", 2);
    sum_solution_ = add("mean", "sum of the solution over the air", 1);
    centre_ = add("centre", "solution without its mean", 2);
  }

  /// The stages of beside_forward() and beside_inverse() run as PressureSolver has it, beside what the first
  /// iteration sends.
  template <class BesideForward, class BesideInverse>
  void solve(StageRunner& stages, PoissonPhases<S>& poisson, Grid<T> const& grid, Ground const& ground,
             std::int32_t iterations, BesideForward const& beside_forward,
             BesideInverse const& beside_inverse) {
    Extent3 const cells{grid.nx, grid.ny, grid.nz};
    Rows<S> const p = pressure_->grid(), r = residual_->grid(), d = direction_->grid(), q = outflow_->grid(),
                  x = solution_->grid();
    auto const run = [&](Stage stage, auto const& kernel, std::initializer_list<Field const*> writes) {
      stages.run(stage, executor_, cells, kernel, writes);
    };
    poisson.show(stages.watched());
    run(weigh_residual_, WeightedResidual<T, S>{grid, p, r}, {residual_});
    for (std::int32_t n = 0; n < iterations; ++n) {
      auto const within = stages.loop("iteration", n + 1);
      auto const first = n == 0;
      sum(stages, sum_residual_, *residual_);
      run(balance_, Balance<T, S, Ground>{grid, ground, share_, value(sum_), r, p}, {residual_, pressure_});
      transform_beside<true>(halos_->messages(), stages, forward_, poisson, *pressure_, [&] {
        if (first) beside_forward();
      });
      call(stages, tridiagonal_, [&] { poisson.tridiagonal(p.first); }, {pressure_});
      transform_beside<false>(halos_->messages(), stages, inverse_, poisson, *pressure_, [&] {
        if (first) beside_inverse();
      });
      dot(stages, dot_energy_, *residual_, *pressure_, *energy_);
      stages.run(
          keep_, executor_, 1,
          KeptShare<S>{first, negligible(), value(energy_), place(before_), place(least_), place(kept_)},
          {before_, least_, kept_});
      run(turn_, Direction<S, Ground>{ground, first, value(kept_), p, d}, {direction_});
      (*halos_)(stages, exchange_, {d}, halo_width, halo_levels_);
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
    call(stages, stage, [&] { reducer_.sum_to(field, *sum_); }, {sum_});
  }
  /// Scalar product of two fields. One rank alone sums over the padding of rows, too, which is faster since
  /// memory is then contiguous; the first field has only zeros there.
  void dot(StageRunner& stages, Stage stage, Solved& zero_in_padding, Solved& other, Solved& result) {
    call(stages, stage,
         [&] {
           if (link_->several()) return reducer_.dot_to(zero_in_padding, other, result);
           reducer_.dot_to(zero_in_padding.view(), other.view(), result);
         },
         {&result});
  }
  template <class Work>
  void call(StageRunner& stages, Stage stage, Work const& work, std::vector<Field const*> const& writes) {
    call_with_messages(stages, stage, executor_, *link_, work, writes);
  }

  static constexpr HaloWidth halo_width{1, 1};

  Executor executor_;
  Link<Executor>* link_;
  HaloExchange<Executor>* halos_;
  RankReducer<Executor> reducer_;
  HaloLevels halo_levels_;
  Stage exchange_{};  ///< exchange of halos, where there are several ranks
  S share_;
  Solved *pressure_, *residual_, *direction_, *outflow_, *solution_;
  Solved *sum_, *energy_, *before_, *least_, *kept_, *curvature_, *length_;
  Stage weigh_residual_, sum_residual_, balance_, forward_, tridiagonal_, inverse_, dot_energy_, keep_, turn_,
      operate_, dot_curvature_, measure_, descend_, weigh_, sum_solution_, centre_;
};

}  // namespace ulpine::les
