// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/physics/constants.hpp"
#include "precision/elementary.hpp"

/// Monin-Obukhov similarity between a rough surface and the first grid level, at a point: no mesh, no memory.
/// zeta = z / L, L the Obukhov length; positive where the stratification is stable, 0 where neutral.
namespace ulpine::les {

/// Enough that rounding alone is left for |Ri| <= 1000, z / z0 from 10 to 1e5 and |zeta| <= 100: 8 leave
/// relative residuals of up to 5e-11 (tests/les/test_surface_layer.cpp).
inline constexpr int obukhov_steps = 10;

/// Universal functions. Unstable: Paulson (1970) with phi_m = (1 - 16 zeta)^(-1/4), phi_h = phi_m^2. Stable:
/// Beljaars and Holtslag (1991, J. Appl. Meteor. 30, 327-341) with a = 1, b = 2/3, c = 5, d = 0.35, or, where
/// `linear`, phi = 1 + beta zeta. psi(zeta) is the integral of (1 - phi(s)) / s from 0 to zeta.
template <class T>
struct Stability {
  bool linear = false;
  T beta_m = T(0), beta_h = T(0);  ///< GABLS1: 4.8 and 7.8

  ULPINE_HD T phi_m(T zeta) const {
    if (zeta < T(0)) return T(1) / unstable_root(zeta);
    if (linear) return math::fma(beta_m, zeta, T(1));
    return math::fma(zeta, T(1) + decaying_slope(zeta), T(1));
  }
  ULPINE_HD T phi_h(T zeta) const {
    if (zeta < T(0)) return T(1) / math::sqrt(math::fma(T(-16), zeta, T(1)));
    if (linear) return math::fma(beta_h, zeta, T(1));
    return math::fma(zeta, math::sqrt(math::fma(T(2) / T(3), zeta, T(1))) + decaying_slope(zeta), T(1));
  }

  ULPINE_HD T psi_m(T zeta) const { return zeta < T(0) ? -unstable_m(T(1), zeta, T(0)) : -stable_m(zeta); }
  ULPINE_HD T psi_h(T zeta) const { return zeta < T(0) ? -unstable_h(T(1), zeta, T(0)) : -stable_h(zeta); }

  /// ln(z / z0) - psi_m(zeta) + psi_m(zeta z0 / z), from `ratio` = z / z0 and its logarithm: kappa U / u*.
  ULPINE_HD T profile_m(T ratio, T log_ratio, T zeta) const {
    if (zeta < T(0)) return unstable_m(ratio, zeta, zeta / ratio);
    return log_ratio + (stable_m(zeta) - stable_m(zeta / ratio));
  }
  /// As profile_m(), with psi_h and z0h: kappa (theta - theta0) / theta*.
  ULPINE_HD T profile_h(T ratio, T log_ratio, T zeta) const {
    if (zeta < T(0)) return unstable_h(ratio, zeta, zeta / ratio);
    return log_ratio + (stable_h(zeta) - stable_h(zeta / ratio));
  }

 private:
  /// (1 - 16 zeta)^(1/4)
  ULPINE_HD static T unstable_root(T zeta) { return math::sqrt(math::sqrt(math::fma(T(-16), zeta, T(1)))); }
  /// ln(ratio) - psi_m(zeta) + psi_m(zeta0) as one logarithm and one arctangent, so that little cancels.
  ULPINE_HD static T unstable_m(T ratio, T zeta, T zeta0) {
    auto const x = unstable_root(zeta), x0 = unstable_root(zeta0);
    auto const a = (T(1) + x0) / (T(1) + x), b = math::fma(x0, x0, T(1)) / math::fma(x, x, T(1));
    return math::fma(T(2), math::atan2(x - x0, math::fma(x, x0, T(1))), math::log(ratio * (a * a) * b));
  }
  ULPINE_HD static T unstable_h(T ratio, T zeta, T zeta0) {
    auto const y = math::sqrt(math::fma(T(-16), zeta, T(1)));
    auto const y0 = math::sqrt(math::fma(T(-16), zeta0, T(1)));
    auto const a = (T(1) + y0) / (T(1) + y);
    return math::log(ratio * (a * a));
  }
  /// b exp(-d zeta) (1 + c - d zeta)
  ULPINE_HD static T decaying_slope(T zeta) {
    auto const d = T(7) / T(20);
    return T(2) / T(3) * math::exp(-d * zeta) * math::fma(-d, zeta, T(6));
  }
  /// b (zeta - c / d) exp(-d zeta) + b c / d
  ULPINE_HD static T decaying(T zeta) {
    auto const d = T(7) / T(20), shift = T(100) / T(7);
    return T(2) / T(3) * math::fma(zeta - shift, math::exp(-d * zeta), shift);
  }
  ULPINE_HD T stable_m(T zeta) const { return linear ? beta_m * zeta : zeta + decaying(zeta); }
  ULPINE_HD T stable_h(T zeta) const {
    if (linear) return beta_h * zeta;
    auto const root = math::sqrt(math::fma(T(2) / T(3), zeta, T(1)));
    return (root * root * root - T(1)) + decaying(zeta);
  }
};

/// A rough horizontal surface seen from the height z above it: z over the roughness lengths of momentum and
/// heat, their logarithms and the bounds on zeta. Made by rough_surface().
template <class T>
struct RoughSurface {
  Stability<T> stability;
  T z;  ///< m
  T ratio_m, ratio_h, log_m, log_h;
  T most;       ///< |zeta| goes no farther
  T most_flux;  ///< nor zeta where the heat flux is given: beyond it no wind carries so much heat down

  ULPINE_HD T profile_m(T zeta) const { return stability.profile_m(ratio_m, log_m, zeta); }
  ULPINE_HD T profile_h(T zeta) const { return stability.profile_h(ratio_h, log_h, zeta); }
};

/// Momentum and heat at the surface.
template <class T>
struct SurfaceScales {
  T friction_velocity;   ///< u*, m s-1
  T temperature_scale;   ///< theta*, K: the heat flux is -u* theta*
  T stress_coefficient;  ///< m s-1: the kinematic stress (the flux of u through the surface) is minus this
                         ///< times u, likewise of v
};

/// Speed that the surface feels: of the tangential components (m s-1) and of the large eddies of free
/// convection, w* = (g / theta z Hs)^(1/3) from z (m) and the upward heat flux Hs (K m s-1), in quadrature;
/// at least `least`, so that a calm divides nothing by 0.
template <class T>
ULPINE_HD inline T surface_speed(T u, T v, T least) {
  return math::max(math::sqrt(math::fma(u, u, v * v)), least);
}
template <class T>
ULPINE_HD inline T surface_speed(T u, T v, T least, T buoyancy, T z, T heat_flux) {
  auto const w = math::cbrt(math::max(buoyancy * z * heat_flux, T(0)));
  return math::max(math::sqrt(math::fma(u, u, math::fma(v, v, w * w))), least);
}

namespace detail {

/// zeta of the sign of `number` for which number = sign |zeta| profile_h^heat / profile_m^momentum, between 0
/// and `most`. `number` is a bulk Richardson number. Newton's method for the logarithms of both sides, which
/// are nearly linear in each other, with the logarithm and the exponential by their first Pade approximants:
/// a step changes zeta by at most a factor of 3 and its sign never. Every point takes the same number of
/// steps.
template <class T, bool of_temperature, int steps = obukhov_steps>
ULPINE_HD inline T solve_obukhov(RoughSurface<T> const& surface, T number, T most) {
  if (!(number < T(0)) && !(number > T(0))) return T(0);
  auto const& s = surface.stability;
  auto const sign = number < T(0) ? T(-1) : T(1);
  auto const target = math::abs(number);
  auto const neutral = of_temperature ? surface.log_m * surface.log_m / surface.log_h
                                      : surface.log_m * surface.log_m * surface.log_m;
  auto magnitude = math::min(target * neutral, most);
  for (int step = 0; step < steps; ++step) {
    auto const zeta = sign * magnitude;
    auto const m = surface.profile_m(zeta);
    auto const slope_m = (s.phi_m(zeta) - s.phi_m(zeta / surface.ratio_m)) / m;
    T scale, slope;
    if constexpr (of_temperature) {
      auto const h = surface.profile_h(zeta);
      auto const slope_h = (s.phi_h(zeta) - s.phi_h(zeta / surface.ratio_h)) / h;
      scale = h / (m * m);
      slope = T(1) + slope_h - T(2) * slope_m;
    } else {
      scale = T(1) / (m * m * m);
      slope = T(1) - T(3) * slope_m;
    }
    auto const reached = magnitude * scale;
    auto const log_ratio = T(2) * (target - reached) / (target + reached);
    // Where the heat flux is the largest that there can be the slope is 0.
    auto const change = log_ratio / math::max(slope, T(1) / T(1024));
    auto const bounded = math::max(math::min(change, T(1)), T(-1));
    magnitude = math::min(magnitude * ((T(2) + bounded) / (T(2) - bounded)), most);
  }
  return sign * magnitude;
}

}  // namespace detail

/// z / L from the temperatures (K) of the first level and of the surface: of the bulk Richardson number
/// g z (theta - theta0) / (theta U^2), `buoyancy` = g / theta (m s-2 K-1), U the surface_speed().
template <class T>
ULPINE_HD inline T zeta_from_temperature(RoughSurface<T> const& surface, T buoyancy, T difference, T speed) {
  return detail::solve_obukhov<T, true>(surface, buoyancy * surface.z * difference / (speed * speed),
                                        surface.most);
}
/// z / L from the upward heat flux (K m s-1): of -g z Hs / (theta kappa^2 U^3). Of two solutions in stable
/// air the one nearer to neutral, the largest zeta that has one where there is none.
template <class T>
ULPINE_HD inline T zeta_from_flux(RoughSurface<T> const& surface, T buoyancy, T heat_flux, T speed) {
  auto const kappa = physics::palm::karman<T>();
  auto const number = -buoyancy * surface.z * heat_flux / (kappa * kappa * (speed * speed * speed));
  return detail::solve_obukhov<T, false>(surface, number, number > T(0) ? surface.most_flux : surface.most);
}

/// L in m, within +-`longest`: that where neutral.
template <class T>
ULPINE_HD inline T obukhov_length(RoughSurface<T> const& surface, T zeta, T longest) {
  auto const least = surface.z / longest;
  if (zeta < T(0)) return surface.z / math::min(zeta, -least);
  return surface.z / math::max(zeta, least);
}

/// Scales of the surface layer where the difference theta - theta0 (K) is given.
template <class T>
ULPINE_HD inline SurfaceScales<T> scales_from_temperature(RoughSurface<T> const& surface, T zeta,
                                                          T difference, T speed) {
  auto const per_profile = physics::palm::karman<T>() / surface.profile_m(zeta);
  auto const friction = per_profile * speed;
  return {friction, physics::palm::karman<T>() * difference / surface.profile_h(zeta),
          friction * per_profile};
}
/// Scales of the surface layer where the upward heat flux (K m s-1) is given.
template <class T>
ULPINE_HD inline SurfaceScales<T> scales_from_flux(RoughSurface<T> const& surface, T zeta, T heat_flux,
                                                   T speed) {
  auto const per_profile = physics::palm::karman<T>() / surface.profile_m(zeta);
  auto const friction = per_profile * speed;
  return {friction, -heat_flux / friction, friction * per_profile};
}

/// Drag coefficient of the neutral log law at walls and ceilings: the stress is -coefficient |U| u for the
/// tangential velocity `distance` m off a wall of roughness length z0 (m).
template <class T>
ULPINE_HD inline T wall_drag_coefficient(T distance, T z0) {
  auto const root = physics::palm::karman<T>() / math::log(distance / z0);
  return root * root;
}

/// For the height z above a surface of roughness lengths z0 and z0h, all in m, z > z0, z0h > 0, and |z / L|
/// up to `most`. On the host; pointwise functions take the result.
template <class T>
RoughSurface<T> rough_surface(T z, T z0, T z0h, Stability<T> stability, T most) {
  RoughSurface<T> surface{stability, z, z / z0, z / z0h, math::log(z / z0), math::log(z / z0h), most, most};
  // The heat flux is largest where zeta / profile_m^3 is: where profile_m = 3 d profile_m / d ln zeta. The
  // functions of Beljaars and Holtslag can have two maxima; the first counts.
  auto const rising = [&](T zeta) {
    auto const slope = stability.phi_m(zeta) - stability.phi_m(zeta / surface.ratio_m);
    return surface.profile_m(zeta) > T(3) * slope;
  };
  auto const factor = T(65) / T(64);
  T low = T(1) / T(1024), high = low;
  while (high < most && rising(high)) low = high, high = factor * high;
  if (high < most) {
    for (int step = 0; step < 120; ++step) {
      auto const middle = (low + high) / T(2);
      (rising(middle) ? low : high) = middle;
    }
    surface.most_flux = low;
  }
  return surface;
}

}  // namespace ulpine::les
