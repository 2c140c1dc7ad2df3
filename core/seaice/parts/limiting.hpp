// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/domain.hpp"

namespace ulpine::seaice {

/// The largest value on [-1/2, 1/2]^2 of a X + b Y + d (X^2 - 1/12) + e (Y^2 - 1/12) + g XY.
template <class Real>
struct Quadratic {
  Real a, b, d, e, g;

  ULPINE_HD Real operator()(Real x, Real y) const {
    Real const twelfth = Real(1) / Real(12);
    return math::fma(a, x,
                     math::fma(b, y,
                               math::fma(d, math::fma(x, x, -twelfth),
                                         math::fma(e, math::fma(y, y, -twelfth), g * x * y))));
  }
  /// At a corner, at the top of a side that bends down or at that of the whole. A place is only ever tried:
  /// one that is no top, or was moved into the square, gives no value too large.
  ULPINE_HD Real most() const {
    Real const half = Real(1) / Real(2);
    Real value = math::max(math::max((*this)(half, half), (*this)(-half, half)),
                           math::max((*this)(half, -half), (*this)(-half, -half)));
#pragma GCC unroll 2
    for (int side = 0; side < 2; ++side) {
      Real const at = side == 0 ? -half : half;
      value = math::max(value, (*this)(top(math::fma(g, at, a), d), at));
      value = math::max(value, (*this)(at, top(math::fma(g, at, b), e)));
    }
    Real const determinant = math::fma(Real(4) * d, e, -(g * g));
    bool const bends_down = determinant > Real(0) && d < Real(0);
    Real const scale = bends_down ? determinant : Real(1);
    return math::max(value, (*this)(inside(math::fma(g, b, Real(-2) * e * a) / scale),
                                    inside(math::fma(g, a, Real(-2) * d * b) / scale)));
  }
  /// The largest value at the Gauss points of the rule with nine.
  ULPINE_HD Real most_at_points() const {
    Real const out = math::sqrt(Real(3) / Real(20));
    Real value = (*this)(Real(0), Real(0));
#pragma GCC unroll 9
    for (int p = 0; p < 9; ++p) {
      value = math::max(value, (*this)(out * Real(p % 3 - 1), out * Real(p / 3 - 1)));
    }
    return value;
  }

 private:
  ULPINE_HD static Real inside(Real x) {
    Real const half = Real(1) / Real(2);
    return math::min(math::max(x, -half), half);
  }
  /// Where slope x + bend x^2 is largest, on a side that bends down.
  ULPINE_HD static Real top(Real slope, Real bend) {
    return inside(slope / (bend < Real(0) ? Real(-2) * bend : Real(1)));
  }
};

/// Stage seaice.limit: A into [0,1], H to [0, inf): the mean is clamped, then the slopes are scaled.
template <class Real, class S>
struct Limiter {
  CellLattice cells;
  LimiterKind kind;
  View<Real> h, a;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    auto const plane = cells.plane();
    Real height[S::dg], concentration[S::dg];
    load_modes(h, plane, cell, height);
    load_modes(a, plane, cell, concentration);
    from_above(concentration, Real(1));
    from_below(concentration, Real(0));
    from_below(height, Real(0));
    store_modes(height, plane, cell, h);
    store_modes(concentration, plane, cell, a);
  }

  /// How far the polynomial leaves its mean upwards (`sign` 1) or downwards (-1).
  ULPINE_HD Real excess(Real const (&c)[S::dg], Real sign) const {
    if constexpr (S::dg == 1) {
      return Real(0);
    } else if constexpr (S::dg == 3) {
      Real const corner = math::abs(c[1]) + math::abs(c[2]);
      return kind == LimiterKind::exact ? corner / Real(2) : Real(2) * corner;
    } else {
      Quadratic<Real> const p{sign * c[1], sign * c[2], sign * c[3], sign * c[4], sign * c[5]};
      return kind == LimiterKind::exact ? p.most() : p.most_at_points();
    }
  }
  ULPINE_HD static void scale(Real (&c)[S::dg], bool apply, Real factor) {
#pragma GCC unroll 16
    for (int m = 1; m < S::dg; ++m) c[m] = apply ? c[m] * factor : c[m];
  }
  ULPINE_HD void from_above(Real (&c)[S::dg], Real most) const {
    c[0] = math::min(c[0], most);
    Real const reach = excess(c, Real(1));
    bool const apply = c[0] + reach > most;
    scale(c, apply, (most - c[0]) / (apply ? reach : Real(1)));
  }
  ULPINE_HD void from_below(Real (&c)[S::dg], Real least) const {
    c[0] = math::max(c[0], least);
    Real const reach = excess(c, Real(-1));
    bool const apply = c[0] - reach < least;
    scale(c, apply, (c[0] - least) / (apply ? reach : Real(1)));
  }
};

/// Keeps concentration within 0 and 1 and thickness above 0 after the advection.
template <class D>
class Limiting final : public Part {
 public:
  explicit Limiting(D& d) : d_{d} {
    d.declare(this, stage::limit, "seaice.limit",
              "means and slopes limited so that concentration lies in [0, 1] and thickness is not negative",
              4 * D::modes);
  }
  void prepare(double) override { d_.run_stage(stage::limit); }
  void compute(stage::Id, StageArguments const&) override {
    auto& f = d_.f;
    d_.run(stage::limit, d_.cells.extent(),
           Limiter<typename D::State, typename D::Plane>{d_.cells, d_.p.limiter, f.h.view(), f.a.view()},
           {&f.h, &f.a});
  }

 private:
  D& d_;
};

}  // namespace ulpine::seaice
