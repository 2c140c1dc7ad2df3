// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/exec/around.hpp"
#include "core/les/disturbance_times.hpp"
#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/random_start.hpp"

namespace ulpine::les {

/// Smoothed random noise on the wind, again and again, which makes a flow turbulent.
template <class D>
class Disturbances final : public Part {
  using T = typename D::T;
  using Ground = typename D::Ground;

 public:
  static std::vector<io::CaseKey> keys() {
    constexpr auto disturbance = "start.disturbance";
    constexpr double longest = 1e9;  // s
    return {
        io::quantity_key(
            "start.disturbance", "m s-1", 0, 0, 100,
            "amplitude of disturbances of u and v, which make a flow turbulent: uniform noise of "
            "1.5 times this, smoothed twice"),
        io::quantity_key("start.disturbance_bottom", "m", 0, 0, 1e6,
                         "lowest height of the disturbances; a column's lowest cell has none")
            .needing(disturbance),
        io::quantity_key("start.disturbance_top", "m", 1e6, 0, 1e6, "greatest height of the disturbances")
            .needing(disturbance),
        io::duration_key("start.disturb_every", "150 s", 1e-3, longest,
                         "time from one disturbance to the next; the first is at the start")
            .needing(disturbance),
        io::duration_key("start.disturb_until", "0 s", 0, longest,
                         "time after which nothing is disturbed any more")
            .needing(disturbance),
    };
  }

  explicit Disturbances(D& d) : d_{d}, times_{d.p} {}

  void declare_stages(Point point) override {
    if (point != Point::preparation) return;
    stage_ = d_.stage("disturbance", "smoothed random noise added to the horizontal wind", 18);
  }

  bool disturb(double time) override {
    auto const round = times_.round_of(time);
    if (!round) return false;
    d_.stages.call(stage_, d_.executor,
                   [&] {
                     disturb(*round, *d_.u, Variable::u);
                     disturb(*round, *d_.v, Variable::v);
                     d_.reset_viscosity();
                   },
                   {d_.u, d_.v});
    return true;
  }
  double latest_end(double time) const override { return times_.next_after(time); }
  std::vector<Recurrence> recurrences() const override { return times_.recurrences(); }

 private:
  /// Disturbs a component of the wind for the `round`-th time.
  void disturb(std::uint32_t round, typename D::Values& wind, Variable variable) {
    auto const& p = d_.p;
    auto const heights = p.centres();
    std::int32_t first = 0, last = -1;
    for (std::int32_t k = 0; k < p.nz; ++k) {
      auto const height = heights[static_cast<std::size_t>(k)];
      if (height < p.disturbance_bottom) first = k + 1;
      if (height <= p.disturbance_top) last = k;
    }
    // Along axes that are cut what the neighbours draw and smooth is found here too, and none of it sent.
    auto const with_rim = [&](std::int32_t rim, auto const& kernel) {
      auto const x = p.cut_x() ? rim : 0, y = p.cut_y() ? rim : 0;
      for_each(d_.executor, Extent3{p.nx + 2 * x, p.ny + 2 * y, p.nz}, Around{kernel, x, y});
    };
    // The fields of viscosity are free until the step computes its own: noise is made in them.
    Rows<T> const noise = d_.viscosity.out(), smooth = d_.diffusivity.out();
    Draw const draw{p.noise_seed, round, name_key(wind.name()), p.whole_nx, p.whole_ny, p.first_x, p.first_y};
    with_rim(2, Noise<T>{draw, d_.number(p.disturbance), first, last, noise});
    d_.fill_beyond(d_.halos({{noise, Place::centre}}));
    with_rim(1, Smoothing<T>{p.nz, noise, smooth});
    d_.fill_beyond(d_.halos({{smooth, Place::centre}}));
    with_rim(0, Smoothing<T>{p.nz, smooth, noise});
    with_rim(0, Disturbance<T, Ground>{d_.ground(), variable, noise, wind.grid()});
  }

  D& d_;
  DisturbanceTimes times_;
  Stage stage_{};
};

}  // namespace ulpine::les
