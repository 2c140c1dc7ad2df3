// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/quadrature.hpp"

/// Streamline upwinding as Fluidity has it: nu of test functions T_i = N_i + nu u.grad N_i (SUPG), or of a
/// diffusion int nu (u.grad N_i) (u.grad N_j) along the flow.
namespace ulpine::fem {

enum class Stabilisation { none, streamline_upwind, supg };
enum class UpwindRule { unity, optimal, doubly_asymptotic, critical };

template <class Real>
struct Upwinding {
  Stabilisation stabilisation = Stabilisation::none;
  UpwindRule rule = UpwindRule::optimal;
  Real scale = Real(1) / Real(2);
};

/// xi(Pe) of the rule: how much of the full upwinding an element Peclet number Pe asks for.
template <class Real>
ULPINE_HD inline Real upwind_share(UpwindRule rule, Real peclet) {
  Real const size = math::abs(peclet), sign = peclet < Real(0) ? Real(-1) : Real(1);
  switch (rule) {
    case UpwindRule::unity:
      return sign;
    case UpwindRule::optimal: {
      Real const least = Real(1) / Real(10000000000), most = Real(118595) / Real(10000);
      if (size < least) return Real(0);
      // coth x - 1 / x loses every bit as x falls: below 1 / 16 its series, right to x^9 / 93555 * 2.
      if (size < Real(1) / Real(16)) {
        Real const x2 = peclet * peclet;
        return peclet * math::fma(x2,
                                  math::fma(x2, math::fma(x2, Real(-1) / Real(4725), Real(2) / Real(945)),
                                            Real(-1) / Real(45)),
                                  Real(1) / Real(3));
      }
      Real const inverse = Real(1) / peclet;
      return size > most ? sign - inverse : Real(1) / math::tanh(peclet) - inverse;
    }
    case UpwindRule::doubly_asymptotic:
      return size <= Real(3) ? peclet / Real(3) : sign;
    case UpwindRule::critical:
      return size <= Real(1) ? Real(0) : sign - Real(1) / peclet;
  }
  return sign;
}

/// nu (s) at a point: v_c = sum_k u_k d x_c / d xi_k (as Fluidity contracts it: it depends on the order of
/// the element's nodes), Pe = v kappa^-1 / 2, nu = s sum_c xi(Pe_c) v_c / |u|^2; where kappa is singular or
/// the rule is unity, s sum_c |v_c| / |u|^2; 0 below |u|^2 = 1e-10 m2 s-2.
template <class Real>
ULPINE_HD inline Real upwind_time(Upwinding<Real> const& upwinding, Real const (&u)[3],
                                  Real const (&jacobian)[3][3], Real const (&kappa)[3][3]) {
  Real const square = math::fma(u[0], u[0], math::fma(u[1], u[1], u[2] * u[2]));
  if (square < Real(1) / Real(10000000000)) return Real(0);
  Real v[3], adjugate[3][3];
  for (int c = 0; c < 3; ++c) {
    v[c] = math::fma(u[0], jacobian[c][0], math::fma(u[1], jacobian[c][1], u[2] * jacobian[c][2]));
  }
  Real const determinant = determinant_and_adjugate(kappa, adjugate);
  bool const plain = upwinding.rule == UpwindRule::unity || determinant == Real(0);
  Real total = Real(0);
  for (int c = 0; c < 3; ++c) {
    if (plain) {
      total += math::abs(v[c]);
    } else {
      Real const peclet =
          math::fma(v[0], adjugate[0][c], math::fma(v[1], adjugate[1][c], v[2] * adjugate[2][c])) /
          (determinant + determinant);
      total = math::fma(upwind_share(upwinding.rule, peclet), v[c], total);
    }
  }
  return upwinding.scale * total / square;
}

}  // namespace ulpine::fem
