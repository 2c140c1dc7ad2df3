// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/air.hpp"
#include "core/mesh/connectivity.hpp"
#include "precision/elementary.hpp"

/// An exact solution of the equations of docs/explanation/cores/fem.md with sources, in a box between walls:
///   u_d = W (1, -1/2, 3/4)_d cos(omega t) sin^2(k_d x_d) times the cosines of the other two axes,
///   theta - theta0 = Theta sin(omega t) cos(k x) cos(k y) cos(k z),  p - p_ref likewise with P.
/// No wind crosses a wall, and nothing diffuses through one: neither heat nor any component of momentum, as
/// the model's walls have it.
namespace ulpine::fem {

template <class T>
struct ManufacturedAir {
  Air<T> air;
  T theta0, viscosity, diffusivity;  ///< K, m2 s-1
  T wind, theta, pressure;           ///< amplitudes: m s-1, K, Pa
  T wave[3];                         ///< k, m-1
  T frequency;                       ///< omega, s-1
  T cosine, sine;                    ///< of omega t

  /// A product of a squared sine or a cosine along each axis, with its derivatives in space.
  struct Mode {
    T value, gradient[3], laplacian;
  };
  /// Everything of the solution at a point.
  struct At {
    Mode wind[3], shape;  ///< winds without cos(omega t); what theta and the pressure share
  };

  ULPINE_HD At at(T const (&x)[3]) const {
    T s[3], c[3];
    for (int d = 0; d < 3; ++d) {
      s[d] = math::sin(wave[d] * x[d]);
      c[d] = math::cos(wave[d] * x[d]);
    }
    T const amplitude[3] = {wind, -wind / T(2), wind * T(3) / T(4)};
    At out;
    for (int d = 0; d < 3; ++d) out.wind[d] = mode(amplitude[d], s, c, d);
    out.shape = mode(T(1), s, c, -1);
    return out;
  }

  /// Sources of rho times the wind's rate (N m-3; what balances that rate, and the rest), of theta (K s-1)
  /// and of the density (kg m-3 s-1).
  struct Sources {
    T inertia[3], force[3], heating, mass;
  };
  ULPINE_HD Sources sources(T const (&x)[3], T reference_pressure, T reference_density) const {
    auto const m = at(x);
    T u[3], du[3][3], divergence = T(0);
    for (int d = 0; d < 3; ++d) {
      u[d] = cosine * m.wind[d].value;
      for (int e = 0; e < 3; ++e) du[d][e] = cosine * m.wind[d].gradient[e];
      divergence += du[d][d];
    }
    T const warmth = math::fma(theta * sine, m.shape.value, theta0);
    T const total = math::fma(pressure * sine, m.shape.value, reference_pressure);
    auto const rho = equation_of_state(air, warmth, total, T(0)).density;
    T const stiffness = air.cv / air.cp;  // d ln rho / d ln p
    auto const change = [&](T dp, T dtheta) { return rho * (stiffness * dp / total - dtheta / warmth); };
    T const rate = frequency * cosine * m.shape.value;
    Sources out;
    out.heating = theta * rate + diffusivity * theta * sine * -m.shape.laplacian;
    out.mass = change(pressure * rate, theta * rate) + rho * divergence;
    T slope[3];
    for (int d = 0; d < 3; ++d) {
      T const dp = pressure * sine * m.shape.gradient[d], dtheta = theta * sine * m.shape.gradient[d];
      slope[d] = change(d == 2 ? dp - reference_density * air.gravity : dp, dtheta);
      out.heating = math::fma(u[d], dtheta, out.heating);
      out.mass = math::fma(u[d], slope[d], out.mass);
      out.force[d] = d == 2 ? dp + (rho - reference_density) * air.gravity : dp;
    }
    for (int d = 0; d < 3; ++d) {
      T acceleration = T(0);
      out.inertia[d] = -(rho * frequency * sine * m.wind[d].value);
      T friction = rho * cosine * m.wind[d].laplacian;
      for (int e = 0; e < 3; ++e) {
        acceleration = math::fma(u[e], du[d][e], acceleration);
        friction = math::fma(slope[e], du[d][e], friction);
      }
      out.force[d] = math::fma(rho, acceleration, out.force[d]) - viscosity * friction;
    }
    return out;
  }

 private:
  /// Along `axis` a squared sine, along the others cosines.
  ULPINE_HD Mode mode(T amplitude, T const (&s)[3], T const (&c)[3], int axis) const {
    T factor[3], slope[3], bend[3];
    for (int d = 0; d < 3; ++d) {
      bool const wall = d == axis;
      T const k2 = wave[d] * wave[d];
      factor[d] = wall ? s[d] * s[d] : c[d];
      slope[d] = wave[d] * (wall ? T(2) * s[d] * c[d] : -s[d]);
      bend[d] = wall ? T(2) * k2 * (c[d] * c[d] - s[d] * s[d]) : -(k2 * c[d]);
    }
    Mode out;
    out.value = amplitude * (factor[0] * factor[1] * factor[2]);
    out.gradient[0] = amplitude * (slope[0] * factor[1] * factor[2]);
    out.gradient[1] = amplitude * (factor[0] * slope[1] * factor[2]);
    out.gradient[2] = amplitude * (factor[0] * factor[1] * slope[2]);
    out.laplacian = amplitude * (bend[0] * factor[1] * factor[2] + factor[0] * bend[1] * factor[2] +
                                 factor[0] * factor[1] * bend[2]);
    return out;
  }
};

}  // namespace ulpine::fem
