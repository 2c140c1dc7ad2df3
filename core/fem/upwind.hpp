// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "core/fem/tetrahedron.hpp"

/// Streamline upwinding: nu of test functions T_i = N_i + nu u.grad N_i (SUPG), or of a diffusion
/// int nu (u.grad N_i) (u.grad N_j) along the flow. Rules as Fluidity has them, lengths that depend on the
/// element alone; Fluidity's, which depend on the order of its nodes, are in quadrature_forms.hpp.
namespace ulpine::fem {

enum class Stabilisation { none, streamline_upwind, supg };
enum class UpwindRule { unity, optimal, doubly_asymptotic, critical };

/// Whether a form in closed form has terms of upwinding: one without has no numbers of it either.
enum class Upwind {
  none,
  along_flow  ///< nu of the velocity and kappa at the element's centre, along_flow_time()
};

template <class Real>
struct Upwinding {
  Stabilisation stabilisation = Stabilisation::none;
  UpwindRule rule = UpwindRule::optimal;
  Real scale = Real(1) / Real(2);
  Real limit = Real(0);  ///< t, s: nu is (1 / nu^2 + 1 / t^2)^(-1/2) of it (Shakib et al. 1991); 0: nu
};

/// The member of a form that says how: nothing where it has no upwinding.
struct NoUpwinding {};
template <class Real, Upwind upwind>
using UpwindingOf = std::conditional_t<upwind == Upwind::none, NoUpwinding, Upwinding<Real>>;

/// Upwinded test function of a row of a scalar's matrix: V / 4 of s_i where it weights all terms, else 0.
template <class Real, Upwind upwind>
struct UpwindedRow {
  Real tested;
};
template <class Real>
struct UpwindedRow<Real, Upwind::none> {};

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

/// sum_i |u.grad N_i| (s-1) = 2 |u| / l with l the longest stretch of a straight line along u inside the
/// element: from where N_i = 0 for the i of one sign to where it is so for those of the other.
template <class Real>
ULPINE_HD inline Real crossing_rate(Geometry<Real> const& geometry, Real const (&u)[3]) {
  Real const a = dot(u, geometry.gradient[0]), b = dot(u, geometry.gradient[1]),
             c = dot(u, geometry.gradient[2]);
  return (math::abs((a + b) + c) + math::abs(a)) + (math::abs(b) + math::abs(c));
}

/// nu (s) of an element with velocity u at its centre and u.(V kappa u) = `spread` (m7 s-3) there, V its
/// volume: with l as above, nu = s xi(Pe) l / |u| and Pe = |u| l / (2 kappa) along u, which in one dimension
/// is Fluidity's. l is that of Tezduyar and Park (1986, Comput. Methods Appl. Mech. Eng. 59, 307-325).
/// Without diffusion xi is 1; 0 below |u|^2 = 1e-10 m2 s-2 and for no upwinding. |nu u.grad N_i| is at most
/// s.
template <class Real>
ULPINE_HD inline Real along_flow_time(Upwinding<Real> const& upwinding, Geometry<Real> const& geometry,
                                      Real const (&u)[3], Real spread) {
  Real const square = dot(u, u);
  if (upwinding.stabilisation == Stabilisation::none || square < Real(1) / Real(10000000000)) return Real(0);
  Real const rate = crossing_rate(geometry, u);
  Real share = Real(1);
  if (upwinding.rule != UpwindRule::unity && spread > Real(0)) {
    share = upwind_share(upwinding.rule, square * (geometry.volume * square) / (rate * spread));
  }
  Real const nu = Real(2) * upwinding.scale * share / rate;
  if (!(upwinding.limit > Real(0))) return nu;
  Real const limits = nu / upwinding.limit;
  return nu / math::sqrt(math::fma(limits, limits, Real(1)));
}

}  // namespace ulpine::fem
