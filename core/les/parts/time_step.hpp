// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/projection.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::les {

/// Lengths of steps, the same on all ranks, which stay on the device, and with them the ground's temperature.
template <class D>
class TimeStep final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static bool needed(D const&) { return true; }

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
    of_all_ = d_.add_stage({"les.fastest_rate", "largest rate at which any cell is crossed",
                            sizeof(T) * d_.p.cells() / d_.p.nz, Guarantee::bitwise});
    of_step_ = d_.add_stage({"les.step_length", "length of the time step by the Courant condition",
                             sizeof(T) + 2.0 * sizeof(Global), Guarantee::bitwise});
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
    call_with_messages(d_.stages, of_all_, d_.executor, *d_.sharing.link,
                       [&] { d_.reducer.max_to(*rate_, *fastest_); }, {fastest_});
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
