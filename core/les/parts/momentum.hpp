// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/tendencies.hpp"

namespace ulpine::les {

/// Tendencies of the wind: advection, forces, buoyancy and the stress of eddies, of the ground and of walls.
template <class D>
class Momentum final : public Part {
  using T = typename D::T;

 public:
  static bool needed(D const&) { return true; }

  explicit Momentum(D& d) : d_{d} {
    for (auto const* name : {"stored_u", "stored_v", "stored_w"}) d.template work<T>(name, "m s-2", d.dense);
  }

  void declare_stages(Point point) override {
    if (point != Point::tendencies) return;
    of_u_ = d_.stage("tendency_u", "advection, stress and forces along x", 6);
    of_v_ = d_.stage("tendency_v", "advection, stress and forces along y", 6);
    of_w_ = d_.stage("tendency_w", "advection, stress and buoyancy", 7);
  }

  void force_wind(Pass const& pass) override {
    force<Variable::u>(pass, of_u_, *d_.stored_u);
    force<Variable::v>(pass, of_v_, *d_.stored_v);
    d_.exchange_tendencies(pass.stages, [&] {
      d_.by_height(pass.stages, of_w_, d_.ground(), d_.p.nz - 1,
                   [&]<class G>(G on) {
                     return MomentumW<T, G>{
                         d_.grid,   on,           d_.scheme(),       d_.forcing(),
                         d_.wind(), d_.theta_v(), d_.viscosity.in(), d_.store(pass, *d_.stored_w)};
                   },
                   {d_.stored_w});
    });
  }

 private:
  /// Along x or y.
  template <Variable along>
  void force(Pass const& pass, Stage stage, typename D::Values& stored) {
    d_.by_height(pass.stages, stage, d_.ground(), d_.p.nz,
                 [&]<class G>(G on) {
                   return HorizontalMomentum<T, G, along>{
                       d_.grid,      on,        d_.scheme(),       d_.forcing(),
                       d_.surface(), d_.wind(), d_.viscosity.in(), d_.store(pass, stored)};
                 },
                 {&stored});
  }

  D& d_;
  Stage of_u_{}, of_v_{}, of_w_{};
};

}  // namespace ulpine::les
