// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/scalar.hpp"
#include "core/field/table.hpp"
#include "core/field/values.hpp"
#include "core/les/parameters.hpp"
#include "core/les/projection.hpp"
#include "core/les/setup.hpp"
#include "core/ranks/rank_reducer.hpp"
#include "core/stage/messages.hpp"
#include "core/stage/runner.hpp"

namespace ulpine::les {

/// Lengths of steps, the same on all ranks, which stay on the device, and with them the ground's temperature.
template <class T, class Ground, class Executor>
class StepChooser {
  template <class V>
  using Ref = FieldOf<V, Executor>&;

 public:
  /// add_stage(StageDescription) makes a stage known.
  template <class AddStage>
  StepChooser(Executor executor, FieldTable& fields, Parameters const& p, Ref<Global> surface_theta,
              RankReducer<Executor>& reducer, AddStage const& add_stage)
      : executor_{executor},
        p_{&p},
        surface_theta_{surface_theta},
        reducer_{reducer},
        length_{executor},
        rate_{fields.add<T>(executor, {.name = "step_rate", .units = "s-1"}, surface_layout(p))},
        fastest_{fields.add<T>(executor, {.name = "fastest_rate", .units = "s-1"}, Layout::entities(1))},
        step_{fields.add<Global>(executor, {.name = "step_length", .units = "s"}, Layout::entities(1))},
        lengths_(executor, 3 * StageLength<T>::count),
        second_(executor, 2 * StageLength<T>::count),
        of_columns_{add_stage({"les.step_rate", "rate at which wind and diffusion cross a cell",
                               5 * sizeof(T) * p.cells(), Guarantee::bitwise})},
        of_all_{add_stage({"les.fastest_rate", "largest rate at which any cell is crossed",
                           sizeof(T) * p.cells() / p.nz, Guarantee::bitwise})},
        of_step_{add_stage({"les.step_length", "length of the time step by the Courant condition",
                            sizeof(T) + 2.0 * sizeof(Global), Guarantee::bitwise})} {
    T const seconds[] = {T(0), T(1), T(1), T(1), T(1), T(1)};
    second_.from_host(seconds);
  }

  /// Chooses the length of the step that begins at `time`, of `left` s at most.
  void choose(StageRunner& stages, Grid<T> const& grid, Ground const& ground, Wind<T> const& wind,
              Rows<T const> viscosity, Rows<T const> diffusivity, double time, double left) {
    auto* const step = step_.view().data();
    auto* const theta = surface_theta_.view().data();
    auto const surface_theta = p_->surface_theta + p_->surface_warming * time;
    auto const set = [&](auto const& kernel) {
      stages.call(of_step_, executor_,
                  [&] {
                    for_each(executor_, 1, kernel);
                    for_each(
                        executor_, 3,
                        StageLengths<T>{
                            step, {runge_kutta[0], runge_kutta[1], runge_kutta[2]}, lengths_.view().data()});
                  },
                  {&step_, &surface_theta_});
    };
    if (p_->step > 0) {
      set(FixedStep{p_->step, surface_theta, theta, step});
      return;
    }
    stages.run(of_columns_, executor_, Extent2{grid.nx, grid.ny},
               StepRate<T, Ground>{grid, ground, wind, viscosity, diffusivity, rate_.grid()}, {&rate_});
    call_with_messages(stages, of_all_, executor_, reducer_.link(), [&] { reducer_.max_to(rate_, fastest_); },
                       {&fastest_});
    set(StepLength<T>{p_->courant, p_->longest_step, left, fastest_.view().data(), surface_theta, theta,
                      step});
    length_.start(step_.view());
  }
  /// Length of the step, s, where it is not fixed; waits for the device.
  double length() { return length_.value(); }

  StageLength<T> of_stage(int stage) const {
    return {lengths_.view().data() + stage * StageLength<T>::count};
  }
  /// A stage of one second, with the tendencies or without them.
  StageLength<T> second(bool with_tendencies) const {
    return {second_.view().data() + (with_tendencies ? StageLength<T>::count : 0)};
  }

 private:
  Executor executor_;
  Parameters const* p_;
  Ref<Global> surface_theta_;
  RankReducer<Executor>& reducer_;
  HostCopy<double, Executor> length_;
  Ref<T> rate_, fastest_;
  Ref<Global> step_;
  Array<T, Executor> lengths_, second_;
  Stage of_columns_, of_all_, of_step_;
};

}  // namespace ulpine::les
