// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/scalars.hpp"

namespace ulpine::les {

/// The kinetic energy of eddies, with which Deardorff's closure makes their viscosity.
template <class D>
class EddyEnergy final : public Part {
  using T = typename D::T;

 public:
  static bool needed(D const&) { return true; }

  explicit EddyEnergy(D& d) : d_{d} {}

  void declare_stages(Point point) override {
    if (point == Point::tendencies) {
      tendency_ = d_.stage("tendency_e", "budget of sub-grid energy", 9 + 2.0 / 3);
    } else if (point == Point::scalars) {
      carry_ = d_.stage("e", "Runge-Kutta stage of sub-grid energy", 3);
    }
  }

  bool carries() const override { return d_.has_energy(); }
  void force_scalar(Pass const& pass) override {
    auto& energy = *d_.energy;
    d_.by_height(
        pass.stages, tendency_, d_.ground(), d_.p.nz,
        [&]<class G>(G on) {
          return EnergyBudget<T, G>{d_.grid,
                                    on,
                                    d_.scheme().of_scalars(),
                                    d_.surface(),
                                    d_.wall_shear(),
                                    d_.wind(),
                                    d_.theta_v(),
                                    d_.in(energy.now()),
                                    d_.viscosity.in(),
                                    d_.diffusivity.in(),
                                    d_.store(pass, energy.stored()),
                                    energy.carrying(d_.length(pass), pass.last)};
        },
        energy.written(pass.last));
  }
  void step_scalar(Pass const& pass) override {
    auto& energy = *d_.energy;
    energy.turn(pass.last);
    if (!pass.last) return;
    pass.stages.run(carry_, d_.executor, d_.cells(),
                    CarriedEnergy<T>{d_.grid, d_.length(pass), d_.provisional(energy.own(), energy.stored())},
                    {&energy.own()});
  }

 private:
  D& d_;
  Stage tendency_{}, carry_{};
};

}  // namespace ulpine::les
