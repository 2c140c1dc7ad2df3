// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/fdm/lateral.hpp"
#include "core/fdm/rates.hpp"
#include "core/field/table.hpp"
#include "core/stage/runner.hpp"

namespace ulpine::fdm {

/// A prognostic field with the state from which a step begins.
template <class T, class Executor>
struct Prognostic {
  FieldOf<T, Executor>&now, &start;
};

/// One that the wind carries, and what changes it.
template <class T, class Executor>
struct Carried {
  FieldOf<T, Executor>&now, &start, &rate, &mixing;
  Stage evaluate, mix, mix_by_eddies, end;
};

/// Asselin's filter (Asselin 1972, Mon. Wea. Rev. 100, 487-490) after a leap from `start` over `now` to
/// `after`: what was now becomes the filtered start of the next.
template <class T>
ULPINE_HD inline void leap(T filter, T after, T& now, T& start) {
  auto const curvature = (after - now) - (now - start);
  start = math::fma(filter, curvature, now);
  now = after;
}

/// The end of a leap: of wind and pressure, at the faces and the centre of a cell.
template <class T, class S>
struct LeapDeviations {
  T filter;
  Deviations<S> change;
  Rows<T> u, v, w, p, u0, v0, w0, p0;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const one = [&](Rows<S> const& deviation, Rows<T> const& now, Rows<T> const& start) {
      auto const after = start(k, j, i) + static_cast<T>(deviation(k, j, i));
      leap(filter, after, now(k, j, i), start(k, j, i));
    };
    one(change.u, u, u0);
    one(change.v, v, v0);
    one(change.w, w, w0);
    one(change.p, p, p0);
  }
};
/// A filtered leapfrog step of a carried scalar, which stays at or above `least`.
template <class T>
struct LeapScalar {
  T filter, length, least;
  Rows<T const> rate;
  Rows<T> phi, start;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const after = math::fma(length, rate(k, j, i), start(k, j, i));
    leap(filter, after < least ? least : after, phi(k, j, i), start(k, j, i));
    // The filter may undershoot.
    if (start(k, j, i) < least) start(k, j, i) = least;
  }
};

/// A filtered leapfrog step of theta' where it is stepped with the sound.
template <class T, class S>
struct LeapTheta {
  T filter;
  Rows<S const> change;
  Rows<T> theta, start;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const after = theta(k, j, i) + static_cast<T>(change(k, j, i));
    leap(filter, after, theta(k, j, i), start(k, j, i));
  }
};

/// rho_0 / rho of a state, to second order.
template <class T, class S, class Ground>
struct RelativeVolume {
  Ground ground;
  T per_gamma;
  Air<T> air;
  Rows<S> relative_volume;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const warm = air.theta(k, j, i) * ground.at(Metric::per_theta, k, j, i);
    auto const pressed = air.p(k, j, i) * ground.at(Metric::per_pressure, k, j, i);
    auto gain = math::fma(-per_gamma, pressed, warm) + second_order_gain(per_gamma, warm, pressed);
    if (air.vapour.first != nullptr) gain += moist_gain(air, ground, k, j, i);
    relative_volume(k, j, i) = static_cast<S>(T(1) / (T(1) - gain));
  }
};

/// Wind through open sides, its component across: carried out by its own speed and that of waves, which is
/// given (Klemp and Wilhelmson 1978), or by the speed of both at which it moved in its column in the step
/// before (ColumnSpeed). Where air comes in faster than waves leave, it is drawn to the base state's.
template <class T>
struct OpenLaw {
  T phase_speed;                  ///< m s-1
  T inflow_rate;                  ///< s-1
  Rows<T const> of_columns = {};  ///< at the cells along the side, m s-1; below 0: not known; null: of none
};
/// Outward speed at a face, 0 where air comes in; (j, i) is the cell along the side.
template <class T>
ULPINE_HD T outward(OpenLaw<T> const& law, T wind, bool high, std::int32_t j, std::int32_t i) {
  if (law.of_columns.first != nullptr) {
    auto const measured = law.of_columns(0, j, i);
    if (!(measured < T(0))) return measured;
  }
  auto const speed = (high ? wind : -wind) + law.phase_speed;
  return speed > T(0) ? speed : T(0);
}

/// The outward speed c, 0 to a cell a step, that fits du/dt = -c du/dn best in a column next to an open side
/// (Orlanski 1976, J. Comput. Phys. 21, 251-269; one for all levels as Durran and Klemp 1983, Mon. Wea. Rev.
/// 111, 2341-2361, have it): -sum(u_t u_n) / sum(u_n^2) over the levels, from below, centred between the two
/// faces next to the side and between the times of a step. For column n of the sides along x (of_u) or y.
template <class T, bool of_u>
struct ColumnSpeed {
  Grid<T> grid;
  Sides sides;
  T step;  ///< s
  Rows<T const> now, start;
  Rows<T> speed;
  ULPINE_HD void operator()(std::int32_t n, std::int32_t) const {
    auto const last = of_u ? grid.nx : grid.ny;
    auto const one = [&](std::int32_t cell, std::int32_t outer, std::int32_t inner) {
      T product = 0, square = 0;
      for (std::int32_t k = 0; k < grid.nz; ++k) {
        auto const at = [&](Rows<T const> const& wind, std::int32_t face) {
          return of_u ? wind(k, n, face) : wind(k, face, n);
        };
        auto const after = at(now, outer), inside_after = at(now, inner), before = at(start, outer),
                   inside_before = at(start, inner);
        auto const in_time = (after - before) + (inside_after - inside_before);
        auto const outward = (after - inside_after) + (before - inside_before);
        product = math::fma(in_time, outward, product);
        square = math::fma(outward, outward, square);
      }
      auto const most = T(1) / ((of_u ? grid.per_dx : grid.per_dy) * step);
      auto& kept = speed(0, of_u ? n : cell, of_u ? cell : n);
      // Where nothing varies there is nothing to measure.
      if (!(square > T(0))) {
        kept = T(-1);
        return;
      }
      auto const measured = -product / square * most;
      kept = measured < T(0) ? T(0) : measured < most ? measured : most;
    };
    if ((of_u ? sides.west : sides.south) == LateralBoundary::open) one(0, 1, 2);
    if ((of_u ? sides.east : sides.north) == LateralBoundary::open) one(last - 1, last - 1, last - 2);
  }
};

/// Rates at the open sides along x (of_u) or y: for row n of level k.
template <class T, class S, class Ground, bool of_u>
struct OpenRate {
  Grid<T> grid;
  Ground ground;
  OpenLaw<T> law;
  Sides sides;
  Rows<T const> start;
  Rows<S> rate;
  ULPINE_HD void operator()(std::int32_t n, std::int32_t k) const {
    auto const last = of_u ? grid.nx : grid.ny;
    auto const one = [&](std::int32_t face, std::int32_t inner, bool high) {
      auto const j = of_u ? n : face, i = of_u ? face : n;
      auto const here = start(k, j, i), inside = of_u ? start(k, n, inner) : start(k, inner, n);
      auto const cell = high ? last - 1 : 0;
      auto const speed = outward(law, here, high, of_u ? n : cell, of_u ? cell : n);
      auto const drawn = -law.inflow_rate * (here - ground.at(of_u ? Metric::start_u : Metric::start_v, k,
                                                              of_u ? j : inner, of_u ? inner : i));
      auto const carried = speed * (inside - here) * (of_u ? grid.per_dx : grid.per_dy);
      rate(k, j, i) = static_cast<S>(speed > T(0) ? carried : drawn);
    };
    if ((of_u ? sides.west : sides.south) == LateralBoundary::open) one(0, 1, false);
    if ((of_u ? sides.east : sides.north) == LateralBoundary::open) one(last, last - 1, true);
  }
};
/// A small step of the wind through the open sides along x (of_u) or y.
template <class T, class S, bool of_u>
struct OpenSound {
  Grid<S> grid;
  OpenLaw<T> law;
  Sides sides;
  S length;
  Rows<T const> start;
  Rows<S const> rate;
  Rows<S> change;
  ULPINE_HD void operator()(std::int32_t n, std::int32_t k) const {
    auto const last = of_u ? grid.nx : grid.ny;
    auto const one = [&](std::int32_t face, std::int32_t inner, bool high) {
      auto const j = of_u ? n : face, i = of_u ? face : n;
      auto const here = change(k, j, i), inside = of_u ? change(k, n, inner) : change(k, inner, n);
      auto const cell = high ? last - 1 : 0;
      auto const speed = static_cast<S>(outward(law, start(k, j, i), high, of_u ? n : cell, of_u ? cell : n));
      auto const courant = length * speed * (of_u ? grid.per_dx : grid.per_dy);
      // Backward, as the wind inside is that of the step's end already.
      change(k, j, i) = math::fma(courant, inside, math::fma(length, rate(k, j, i), here)) / (S(1) + courant);
    };
    if ((of_u ? sides.west : sides.south) == LateralBoundary::open) one(0, 1, false);
    if ((of_u ? sides.east : sides.north) == LateralBoundary::open) one(last, last - 1, true);
  }
};

}  // namespace ulpine::fdm
