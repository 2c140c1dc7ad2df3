// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/model/step_length.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::les {

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
      at_least(size(w(k + 1, j, i)) * grid.at(Level::per_dz_between, k));
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

/// Lengths of steps, the same on all ranks, which stay on the device, and with them the ground's temperature.
template <class D>
class TimeStep final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static std::vector<io::CaseKey> keys() {
    constexpr double longest = 86400;  // s
    return {
        io::duration_key("time.step", "1 s", 1e-9, longest,
                         "length of every time step; without it the step follows the wind and the eddies")
            .follows("as long as time.courant and time.longest_step allow"),
        io::number_key("time.courant", 0.9, 1e-3, 1.4,
                       "step as a fraction of the longest one that advection and turbulent diffusion allow "
                       "anywhere on the grid")
            .needing("no time.step"),
        io::duration_key("time.longest_step", "20 s", 1e-9, longest,
                         "greatest length of a step that follows the flow")
            .needing("no time.step"),
    };
  }

  explicit TimeStep(D& d) : d_{d} {
    if (!fixed()) {
      rate_ = &d.template work<T>("step_rate", "s-1", d.flat);
      fastest_ = &d.template work<T>("fastest_rate", "s-1", d.one);
    }
    step_ = &d.template work<Global>("step_length", "s", d.one);
    // Those of the passes of one second never change: without tendencies, and with them.
    std::vector<T> seconds(5 * StageLength<T>::count, T(1));
    seconds[3 * StageLength<T>::count] = T(0);
    d.lengths.from_host(seconds.data());
  }

  void declare_stages(Point point) override {
    if (point != Point::preparation) return;
    of_columns_ = d_.stage("step_rate", "rate at which wind and diffusion cross a cell", 5);
    of_all_ = d_.byte_stage("fastest_rate", "largest rate at which any cell is crossed",
                            sizeof(T) * d_.p.cells() / d_.p.nz);
    of_step_ = d_.byte_stage("step_length", "length of the time step by the Courant condition",
                             sizeof(T) + 2.0 * sizeof(Global));
  }

  void choose_step(double time, double left) override {
    auto const& p = d_.p;
    auto* const step = step_->view().data();
    auto* const theta = d_.surface_theta->view().data();
    auto const surface_theta = p.surface_theta + p.surface_warming * time;
    if (fixed()) {
      set(FixedStep{p.step, surface_theta, theta, step});
      return;
    }
    d_.run(of_columns_, d_.columns(),
           StepRate<T, Ground>{d_.grid, d_.ground(), d_.wind(), d_.viscosity.in(), d_.diffusivity.in(),
                               rate_->grid()},
           {rate_});
    d_.call(of_all_, [&] { d_.reducer.max_to(*rate_, *fastest_); }, {fastest_});
    set(StepLength<T>{p.courant, p.longest_step, left, fastest_->view().data(), surface_theta, theta, step});
    d_.step_length.start(step_->view());
  }

 private:
  bool fixed() const { return d_.p.step > 0; }
  template <class Kernel>
  void set(Kernel const& kernel) {
    d_.stages.call(of_step_, d_.executor,
                   [&] {
                     for_each(d_.executor, 1, kernel);
                     for_each(d_.executor, 3,
                              StageLengths<T>{step_->view().data(),
                                              {runge_kutta[0], runge_kutta[1], runge_kutta[2]},
                                              d_.lengths.view().data()});
                   },
                   {step_, d_.surface_theta});
  }

  D& d_;
  typename D::Values *rate_ = nullptr, *fastest_ = nullptr;
  FieldOf<Global, typename D::Executor>* step_;
  Stage of_columns_{}, of_all_{}, of_step_{};
};

}  // namespace ulpine::les
