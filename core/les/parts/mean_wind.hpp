// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/domain.hpp"
#include "core/les/exact_projection.hpp"
#include "core/les/part.hpp"
#include "core/les/projection.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::les {

/// A force that holds the mean wind along x, through buildings or, where the pressure knows of them, around.
template <class D>
class MeanWind final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::Ground;
  using Executor = typename D::Executor;

 public:
  static bool needed(D const&) { return true; }

  explicit MeanWind(D& d)
      : d_{d}, per_point_{d.number(1 / static_cast<double>(d.setup->air_points(Variable::u)))} {
    if (drives()) sum_ = &d.template work<T>("u_sum", "m s-1", d.one);
  }

  void declare_stages(Point point) override {
    if (point != Point::messages) return;
    sum_u_ = d_.stage("sum_u", "sum of the wind along x over the air", 1);
    drive_ = d_.stage("drive", "force that holds the mean wind along x", 2);
  }

  bool drives() const override { return d_.p.volume_flow; }
  void drive(Pass const& pass) override {
    if (!drives()) return;
    call_with_messages(pass.stages, sum_u_, d_.executor, *d_.sharing.link,
                       [&] { d_.reducer.sum_to(*d_.u, *sum_); }, {sum_});
    VolumeFlow<T, Ground> const flow{d_.ground(), d_.number(d_.p.mean_u), per_point_, sum_->view().data(),
                                     d_.u.out()};
    if (potential_.declared()) {
      pass.stages.run(drive_, d_.executor, d_.cells(),
                      FlowAround<T, S, Ground>{d_.grid, flow, unit_->view().data(), potential_.in(),
                                               d_.v.out(), d_.w.out()},
                      {d_.u, d_.v, d_.w});
    } else {
      pass.stages.run(drive_, d_.executor, d_.cells(), flow, {d_.u});
    }
  }

 private:
  D& d_;
  T per_point_;  ///< 1 / points of u in air, over the whole domain
  typename D::Values* sum_ = nullptr;
  Named<S, Executor> potential_{d_, "unit_wind_potential"};
  Named<T, Executor> unit_{d_, "unit_wind_sum"};
  Stage sum_u_{}, drive_{};
};

}  // namespace ulpine::les
