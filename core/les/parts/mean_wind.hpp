// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/stage/messages.hpp"

namespace ulpine::les {

/// Adds to the wind along x what its mean over the air lacks.
template <class T, class Ground>
struct VolumeFlow {
  Ground ground;
  T wanted, per_point;  ///< m s-1; 1 / points in air
  T const* sum;         ///< sum of u over all points
  Rows<T> u;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const changed = u(k, j, i) + math::fma(-per_point, *sum, wanted);
    u(k, j, i) = k >= ground.lowest(Variable::u, j, i) ? changed : T(0);
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
    auto const add = [&](T& wind, bool moves, T change) {
      wind = moves ? math::fma(lacking, change, wind) : T(0);
    };
    add(u(k, j, i), k >= ground.lowest(Variable::u, j, i),
        math::fma(-grid.per_dx, here - p(k, j, grid.west(i)), T(1)));
    add(v(k, j, i), k >= ground.lowest(Variable::v, j, i), (p(k, grid.south(j), i) - here) * grid.per_dy);
    if (k < grid.nz - 1) {
      add(w(k + 1, j, i), k >= ground.lowest(Variable::scalar, j, i),
          (here - p(k + 1, j, i)) * grid.at(Level::per_dz_between, k));
    }
  }
};

/// A force that holds the mean wind along x, through buildings or, where the pressure knows of them, around.
template <class D>
class MeanWind final : public Part {
  using T = typename D::T;
  using S = typename D::S;
  using Ground = typename D::Ground;
  using Executor = typename D::Executor;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::quantity_key("force.mean_u", "m s-1", 0, -500, 500,
                         "wind along x that the mean over all air is held at, by a force that is the same "
                         "everywhere; it needs levels of one thickness")
            .follows("none: the mean wind is free"),
    };
  }

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
    call_with_messages(pass.stages, sum_u_, d_.executor, d_.link, [&] { d_.reducer.sum_to(*d_.u, *sum_); },
                       {sum_});
    VolumeFlow<T, Ground> const flow{d_.ground(), d_.number(d_.p.mean_u), per_point_, sum_->view().data(),
                                     d_.u.out()};
    if (potential_.declared()) {
      pass.stages.run(drive_, d_.executor, d_.extent(),
                      FlowAround<T, S, Ground>{d_.grid, flow, unit_->view().data(), potential_.in(),
                                               d_.v.out(), from_ground(d_.w.out())},
                      {d_.u, d_.v, d_.w});
    } else {
      pass.stages.run(drive_, d_.executor, d_.extent(), flow, {d_.u});
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
