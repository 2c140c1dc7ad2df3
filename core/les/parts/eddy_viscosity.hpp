// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/closure.hpp"
#include "core/les/domain.hpp"
#include "core/les/part.hpp"

namespace ulpine::les {

/// The closure: viscosity and diffusivity of eddies that the grid does not hold.
template <class D>
class EddyViscosity final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static bool needed(D const&) { return true; }

  explicit EddyViscosity(D& d) : d_{d} {
    d.template work<T>("viscosity", "m2 s-1", d.with_halo);
    d.template work<T>("diffusivity", "m2 s-1", d.with_halo);
  }

  void declare_stages(Point point) override {
    if (point != Point::preparation) return;
    stage_ = d_.stage("closure", "eddy viscosity and diffusivity", d_.has_energy() ? 4 : 6);
  }
  void start() override { d_.reset_viscosity(); }

  void diagnose(StageRunner& stages) override {
    auto const& p = d_.p;
    if (p.closure == Closure::deardorff) {
      stages.run(
          stage_, d_.executor, d_.with_neighbours(),
          DeardorffEddies<T, Ground>{d_.grid, d_.ground(), mixing_length(), d_.theta_v(),
                                     d_.in(d_.energy->now()), d_.viscosity.out(), d_.diffusivity.out()},
          {d_.viscosity, d_.diffusivity});
    } else if (p.closure == Closure::smagorinsky) {
      stages.run(
          stage_, d_.executor, d_.with_neighbours(),
          SmagorinskyEddies<T, Ground>{d_.grid, d_.ground(), d_.wall_shear(), mixing_length(),
                                       d_.number(p.smagorinsky), d_.number(1 / p.prandtl), d_.shear.in(),
                                       d_.wind(), d_.theta_v(), d_.viscosity.out(), d_.diffusivity.out()},
          {d_.viscosity, d_.diffusivity});
    }
  }

 private:
  MixingLength<T, Ground> mixing_length() const {
    auto const layout = limit_layout(d_.p);
    return {d_.grid,
            {d_.limit.view().data() + layout.offset(), layout.axis(0).stride, layout.axis(1).stride}};
  }

  D& d_;
  Stage stage_{};
};

}  // namespace ulpine::les
