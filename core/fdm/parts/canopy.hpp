// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/fdm/domain.hpp"
#include "core/fdm/part.hpp"
#include "core/lattice/points.hpp"

namespace ulpine::fdm {

/// Drag of a forest's leaves on a component of the wind, -c a |U| u, m s-2 (Shaw and Schumann 1992,
/// Boundary-Layer Meteorol. 61, 47-64), added to its rate: of the wind at the end of the step, |U| being that
/// of its start, so that no step is too long for it.
template <class T, class S, Place place>
struct CanopyDrag {
  T coefficient;         ///< c
  T step;                ///< s
  Rows<T const> leaves;  ///< a at centres, m2 m-3
  Rows<T const> u, v, w;
  Rows<S> rate;

  static constexpr std::int32_t first_level = place == Place::w ? 1 : 0;

  /// Computes level `level` + first_level.
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t level) const {
    auto const k = level + first_level;
    // The cell on the low side of the face.
    auto const kk = place == Place::w ? k - 1 : k, jj = place == Place::v ? j - 1 : j,
               ii = place == Place::u ? i - 1 : i;
    auto const area = mean2(leaves(kk, jj, ii), leaves(k, j, i));
    if (!(area > T(0))) return;
    auto const at_cell = [&](std::int32_t c, std::int32_t b, std::int32_t a) {
      auto const x = mean2(u(c, b, a), u(c, b, a + 1)), y = mean2(v(c, b, a), v(c, b + 1, a)),
                 z = mean2(w(c, b, a), w(c + 1, b, a));
      return math::fma(x, x, math::fma(y, y, z * z));
    };
    auto const speed = math::sqrt(mean2(at_cell(kk, jj, ii), at_cell(k, j, i)));
    auto const& wind = place == Place::u ? u : place == Place::v ? v : w;
    auto const per_second = coefficient * area * speed;
    rate(k, j, i) -= static_cast<S>(per_second * wind(k, j, i) / math::fma(step, per_second, T(1)));
  }
};

/// A forest that slows the wind, by the state in which the step begins.
template <class D>
class Canopy final : public Part {
  using T = typename D::T;
  using S = typename D::S;

 public:
  static std::vector<io::CaseKey> keys() {
    constexpr auto forest = "canopy.height above 0";
    return {io::quantity_key("canopy.height", "m", 0, 0, 1000,
                             "height of a forest over the ground, whose leaves slow the wind; 0 for none"),
            io::quantity_key("canopy.leaf_area_density", "m2 m-3", 0.3, 0, 10,
                             "one-sided area of leaves in a volume of the forest")
                .needing(forest),
            io::number_key("canopy.drag_coefficient", 0.15, 0, 2,
                           "drag of the leaves, as a share of density, their area and the wind's square")
                .needing(forest)};
  }
  static bool needed(Parameters const& p) { return p.keys.number("canopy.height") > 0; }

  explicit Canopy(D& d)
      : d_{d},
        height_{d.p.keys.number("canopy.height")},
        density_{d.p.keys.number("canopy.leaf_area_density")},
        coefficient_{static_cast<T>(d.p.keys.number("canopy.drag_coefficient"))},
        leaves_{d.template add<T>(d.output("leaf_area_density", "m2 m-3", "leaf area density",
                                           FieldRole::constant, {"z", "y", "x"}),
                                  d.centre)} {}

  void declare_stages() override {
    u_ = d_.stage("canopy_u", "drag of leaves on u", 5, 2);
    v_ = d_.stage("canopy_v", "drag of leaves on v", 5, 2);
    w_ = d_.stage("canopy_w", "drag of leaves on w", 5, 2);
  }

  /// Of a cell that the forest's top lies in, the share below counts.
  void start() override {
    write_points(leaves_, [&](auto k, auto j, auto i) {
      auto const bottom = d_.heights.face(k, j, i), ground = d_.heights.face(0, j, i);
      auto const share = (ground + height_ - bottom) / (d_.heights.face(k + 1, j, i) - bottom);
      return density_ * std::clamp(share, 0.0, 1.0);
    });
    d_.fill_all_around(d_.halos({{leaves_.grid(), Place::centre}}));
  }

  void add_rates(double) override {
    drag<Place::u>(u_, d_.rate_u);
    drag<Place::v>(v_, d_.rate_v);
    drag<Place::w>(w_, d_.rate_w);
  }

 private:
  template <Place place>
  void drag(Stage stage, Named<S, typename D::Executor> const& rate) {
    auto const step = static_cast<T>(d_.p.leapfrog ? 2 * d_.p.step : d_.p.step);
    d_.run(stage, d_.template extent_of<place>(),
           CanopyDrag<T, S, place>{coefficient_, step, std::as_const(leaves_).grid(), d_.start_u.in(),
                                   d_.start_v.in(), d_.start_w.in(), rate.out()},
           {rate});
  }

  D& d_;
  double height_, density_;  ///< m, m2 m-3
  T coefficient_;
  FieldOf<T, typename D::Executor>& leaves_;
  Stage u_{}, v_{}, w_{};
};

}  // namespace ulpine::fdm
