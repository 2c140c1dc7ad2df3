// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/arithmetic.hpp"
#include "precision/host_device.hpp"

/// Spaces on the reference square [0,1]^2 (Richter, Dansereau, Lessig and Minakowski 2023, GMD 16). The dG
/// basis is orthogonal there: 1, X, Y, X^2-1/12, Y^2-1/12, XY, Y(X^2-1/12), X(Y^2-1/12) with X = x-1/2, Y =
/// y-1/2. The cG basis is Lagrange on (CG+1)^2 nodes, x fastest. Quadrature is tensor Gauss, x fastest.
namespace ulpine {

/// Sizes that follow from the orders: cG velocity, dG tracers with DG unknowns a cell.
template <int CG, int DG>
struct Space {
  static_assert(CG == 1 || CG == 2, "cG velocity is of order 1 or 2");
  static_assert(DG == 1 || DG == 3 || DG == 6, "dG tracers have 1, 3 or 6 unknowns a cell");
  static constexpr int cg = CG;
  static constexpr int dg = DG;
  static constexpr int nodes = (CG + 1) * (CG + 1);  ///< cG nodes a cell
  static constexpr int stress =
      CG == 1 ? 3 : 8;  ///< modes of strain and stress: hold the gradient of the cG space
  static constexpr int gauss_1d = CG + 1;
  static constexpr int gauss = gauss_1d * gauss_1d;  ///< quadrature points of the stress
  static constexpr int tracer_gauss_1d = DG == 1 ? 1 : DG == 3 ? 2 : 3;
  static constexpr int tracer_gauss = tracer_gauss_1d * tracer_gauss_1d;
  static constexpr int edge = tracer_gauss_1d;  ///< modes, and quadrature points, on an edge
  static constexpr bool spherical = false;
  using Plane = Space;  ///< the same orders on the plane
};

/// A space's orders on the sphere, x and y being longitude and latitude: code that does not depend on the
/// metric is of Plane and compiled once.
template <class S>
struct OnSphere : S {
  static constexpr bool spherical = true;
};

/// make.template operator()<Space<CG, dg>>(); an empty result where there is no such space.
template <int CG, class Make>
auto with_space(int dg, Make const& make) {
  decltype(make.template operator()<Space<CG, 1>>()) made{};
  if (dg == 1) made = make.template operator()<Space<CG, 1>>();
  if (dg == 3) made = make.template operator()<Space<CG, 3>>();
  if (dg == 6) made = make.template operator()<Space<CG, 6>>();
  return made;
}

/// Points and weights of the n-point Gauss rule on [0,1], n = 1 to 4; in the precision of Real.
template <class Real, int n>
struct GaussRule {
  Real point[n], weight[n];
};

template <class Real, int n>
GaussRule<Real, n> gauss_rule() {
  Real const half = Real(1) / 2;
  if constexpr (n == 1) {
    return {{half}, {Real(1)}};
  } else if constexpr (n == 2) {
    Real const d = math::sqrt(Real(1) / 12);
    return {{half - d, half + d}, {half, half}};
  } else if constexpr (n == 3) {
    Real const d = math::sqrt(Real(3) / 20);
    return {{half - d, half, half + d}, {Real(5) / 18, Real(4) / 9, Real(5) / 18}};
  } else {
    static_assert(n == 4);
    Real const r = math::sqrt(Real(6) / 5), w = math::sqrt(Real(30)) / 72;
    Real const inner = math::sqrt(Real(3) - 2 * r) / (2 * math::sqrt(Real(7)));
    Real const outer = math::sqrt(Real(3) + 2 * r) / (2 * math::sqrt(Real(7)));
    Real const quarter = Real(1) / 4;
    return {{half - outer, half - inner, half + inner, half + outer},
            {quarter - w, quarter + w, quarter + w, quarter - w}};
  }
}

/// Value of dG mode `mode` at (x, y).
template <class Real>
ULPINE_HD constexpr Real dg_basis(int mode, Real x, Real y) {
  Real const a = x - Real(1) / 2, b = y - Real(1) / 2, twelfth = Real(1) / 12;
  switch (mode) {
    case 0:
      return Real(1);
    case 1:
      return a;
    case 2:
      return b;
    case 3:
      return a * a - twelfth;
    case 4:
      return b * b - twelfth;
    case 5:
      return a * b;
    case 6:
      return b * (a * a - twelfth);
    default:
      return a * (b * b - twelfth);
  }
}

/// Derivative of dG mode `mode` of a tracer, of which there are six at most, along x (axis 0) or y (axis 1)
/// at (x, y).
template <class Real>
ULPINE_HD constexpr Real dg_basis_derivative(int mode, int axis, Real x, Real y) {
  Real const a = x - Real(1) / 2, b = y - Real(1) / 2;
  switch (2 * mode + axis) {
    case 2:
      return Real(1);  // d X / dx
    case 5:
      return Real(1);  // d Y / dy
    case 6:
      return 2 * a;  // d (X^2 - 1/12) / dx
    case 9:
      return 2 * b;
    case 10:
      return b;  // d XY / dx
    case 11:
      return a;
    default:
      return Real(0);
  }
}

/// One-dimensional Lagrange basis of order CG on equidistant nodes of [0,1] and its derivative.
template <int CG, class Real>
ULPINE_HD constexpr Real lagrange(int node, Real t) {
  if constexpr (CG == 1) {
    return node == 0 ? Real(1) - t : t;
  } else {
    return node == 0   ? (Real(1) - t) * (Real(1) - 2 * t)
           : node == 1 ? 4 * t * (Real(1) - t)
                       : t * (2 * t - Real(1));
  }
}
template <int CG, class Real>
ULPINE_HD constexpr Real lagrange_derivative(int node, Real t) {
  if constexpr (CG == 1) {
    return node == 0 ? Real(-1) : Real(1);
  } else {
    return node == 0 ? 4 * t - Real(3) : node == 1 ? Real(4) - 8 * t : 4 * t - Real(1);
  }
}

/// Value of edge mode `mode` (1, t-1/2, (t-1/2)^2-1/12) at t in [0,1].
template <class Real>
ULPINE_HD constexpr Real edge_basis(int mode, Real t) {
  Real const s = t - Real(1) / 2;
  return mode == 0 ? Real(1) : mode == 1 ? s : s * s - Real(1) / 12;
}

/// Coefficient `mode` of the edge basis of a dG polynomial's trace on the left/right (axis 0) or bottom/top
/// (axis 1) side of the cell; `far`: right or top. The polynomial's coefficients come from `c(mode)`, zero
/// beyond DG.
template <int DG, class Real, class Coefficients>
ULPINE_HD constexpr Real trace_mode(int axis, bool far, int mode, Coefficients const& c) {
  Real const half = far ? Real(1) / 2 : -(Real(1) / 2);
  if constexpr (DG == 1) {
    return c(0);
  } else {
    int const across = axis == 0 ? 1 : 2, along = axis == 0 ? 2 : 1;
    if constexpr (DG == 3) {
      return mode == 0 ? c(0) + half * c(across) : c(along);
    } else {
      int const across2 = axis == 0 ? 3 : 4, along2 = axis == 0 ? 4 : 3;
      return mode == 0   ? c(0) + half * c(across) + c(across2) / Real(6)
             : mode == 1 ? c(along) + half * c(5)
                         : c(along2);
    }
  }
}

}  // namespace ulpine
