// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/mesh/spaces.hpp"
#include "core/mesh/sphere.hpp"
#include "precision/elementary.hpp"

/// Element matrices of a bilinear quadrilateral; set up on the host, once a mesh.
namespace ulpine::seaice {

/// Inverse of the symmetric positive definite n x n matrix `a` (row-major) by Gauss-Jordan elimination.
template <int n, class Real>
void invert(Real (&a)[n * n], Real (&inverse)[n * n]) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) inverse[i * n + j] = Real(i == j ? 1 : 0);
  }
  for (int k = 0; k < n; ++k) {
    Real const pivot = a[k * n + k];
    for (int j = 0; j < n; ++j) {
      a[k * n + j] /= pivot;
      inverse[k * n + j] /= pivot;
    }
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      Real const factor = a[i * n + k];
      for (int j = 0; j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
}

/// Matrices of the stress stage and of the divergence, row-major, in one array each so that kernels index
/// them alike.
template <class S>
struct StressLayout {
  static constexpr int grad_x = 0;                          ///< iMgradX, stress x nodes, m-1
  static constexpr int grad_y = S::stress * S::nodes;       ///< iMgradY, stress x nodes, m-1
  static constexpr int project = 2 * S::stress * S::nodes;  ///< iMJwPSI, stress x gauss, 1
  static constexpr int turn =
      project + S::stress * S::gauss;  ///< iMM, stress x nodes, m-1; on the sphere only
  static constexpr int count = turn + (S::spherical ? S::stress * S::nodes : 0);
};
template <class S>
struct DivergenceLayout {
  static constexpr int x = 0;                            ///< divS1, nodes x stress, m
  static constexpr int y = S::nodes * S::stress;         ///< divS2, nodes x stress, m
  static constexpr int turn = 2 * S::nodes * S::stress;  ///< divM, nodes x stress, m; on the sphere only
  static constexpr int count = (S::spherical ? 3 : 2) * S::nodes * S::stress;
};
/// Matrices of the advection.
template <class S>
struct TransportLayout {
  static constexpr int cell_x = 0;                                  ///< CX, dg x tracer_gauss, m
  static constexpr int cell_y = S::dg * S::tracer_gauss;            ///< CY
  static constexpr int inverse_mass = 2 * S::dg * S::tracer_gauss;  ///< M^-1, dg x dg, m-2
  static constexpr int velocity = inverse_mass + S::dg * S::dg;     ///< L2 projection cG -> dG, dg x nodes, 1
  static constexpr int count = velocity + S::dg * S::nodes;
};

/// The bilinear map of a cell has the derivatives p + r Y along s and q + r X along t, (X, Y) from its centre
/// and p, q, r vectors; m.
struct ShapeLayout {
  static constexpr int px = 0, qx = 1, rx = 2, py = 3, qy = 4, ry = 5, count = 6;
};

template <class Real, class S>
struct ElementMatrices {
  Real stress[StressLayout<S>::count];
  Real divergence[DivergenceLayout<S>::count];
  Real transport[TransportLayout<S>::count];
  Real lumped_mass[S::nodes];      ///< m2
  Real shape[ShapeLayout::count];  ///< m; on the plane
  Real tracer_area[S::dg];  ///< integrals of the tracers' basis by their quadrature, m2; on the sphere only
};

/// Calls visit(q, s, t, weight) for the points (s, t) of the n x n Gauss rule on the reference square, s
/// fastest.
template <class Real, int n, class Visit>
void for_gauss_points(Visit const& visit) {
  auto const rule = gauss_rule<Real, n>();
  for (int q = 0; q < n * n; ++q) {
    visit(q, rule.point[q % n], rule.point[q / n], rule.weight[q % n] * rule.weight[q / n]);
  }
}

/// Factors that turn reference derivatives into derivatives by length at a point of a cell: 1 on the plane,
/// whose coordinates are in m. On the sphere, of radius R and with x = longitude, y = latitude = p, an area
/// is R^2 cos(p) dx dy, and with J = dx dy grad f = (f_x / (R cos p), f_y / R), so that area grad f = (R J
/// f_x, R cos(p) J f_y); unit vectors turn with x, which gives the strain rate e_xx the term -v tan(p) / R
/// and e_xy the term u tan(p) / (2 R).
template <class Real, class S>
struct Metric {
  Real area = 1, x = 1, y = 1;
  Real turn = 0;  ///< area tan(p) / R / (dx dy), m

  Metric(Real const (&latitude)[4], Real s, Real t) {
    if constexpr (S::spherical) {
      Real const one = 1, radius = Real(sphere::radius);
      Real const p = (one - t) * ((one - s) * latitude[0] + s * latitude[1]) +
                     t * ((one - s) * latitude[2] + s * latitude[3]);
      x = radius;
      y = radius * math::cos(p);
      area = radius * y;
      turn = radius * math::sin(p);
    }
  }
};

/// Jacobian data of the bilinear map at one reference point.
template <class Real>
struct Jacobian {
  Real x_s, x_t, y_s, y_t;  ///< derivatives of x and y along the reference axes s and t
  Real determinant;

  Jacobian(Real const (&x)[4], Real const (&y)[4], Real s, Real t)
      : x_s{(Real(1) - t) * (x[1] - x[0]) + t * (x[3] - x[2])},
        x_t{(Real(1) - s) * (x[2] - x[0]) + s * (x[3] - x[1])},
        y_s{(Real(1) - t) * (y[1] - y[0]) + t * (y[3] - y[2])},
        y_t{(Real(1) - s) * (y[2] - y[0]) + s * (y[3] - y[1])},
        determinant{x_s * y_t - x_t * y_s} {}

  /// Gradient times determinant of a function with reference derivatives f_s, f_t.
  Real scaled_x(Real f_s, Real f_t) const { return f_s * y_t - f_t * y_s; }
  Real scaled_y(Real f_s, Real f_t) const { return f_t * x_s - f_s * x_t; }
};

template <class Real>
void cell_shape(Real const (&x)[4], Real const (&y)[4], Real (&shape)[ShapeLayout::count]) {
  Jacobian<Real> const middle(x, y, Real(1) / 2, Real(1) / 2);
  shape[ShapeLayout::px] = middle.x_s;
  shape[ShapeLayout::qx] = middle.x_t;
  shape[ShapeLayout::rx] = (x[0] + x[3]) - (x[1] + x[2]);
  shape[ShapeLayout::py] = middle.y_s;
  shape[ShapeLayout::qy] = middle.y_t;
  shape[ShapeLayout::ry] = (y[0] + y[3]) - (y[1] + y[2]);
}

/// Whether the bilinear map of these corners is one to one: its Jacobian is positive at all of them.
template <class Real>
bool valid_cell(Real const (&x)[4], Real const (&y)[4]) {
  for (int c = 0; c < 4; ++c) {
    if (!(Jacobian<Real>(x, y, Real(c % 2), Real(c / 2)).determinant > 0)) return false;
  }
  return true;
}

/// Sides of a cell on the sphere: what a velocity (u, v) on them is multiplied by to give the flow through
/// the side along +x or +y, R (u dy - v cos(y) dx) for a side (dx, dy) that runs upwards, and minus that for
/// one that runs to the right.
template <class S>
struct SideLayout {
  static constexpr int u = 0;  ///< m
  static constexpr int v = 1;  ///< at the side's quadrature points, m
  static constexpr int count = 1 + S::edge;
};
template <class Real, class S>
void side_factors(Real x0, Real y0, Real x1, Real y1, bool vertical, Real (&factors)[SideLayout<S>::count]) {
  Real const radius = Real(vertical ? sphere::radius : -sphere::radius);
  auto const rule = gauss_rule<Real, S::tracer_gauss_1d>();
  factors[SideLayout<S>::u] = radius * (y1 - y0);
  for (int q = 0; q < S::edge; ++q) {
    factors[SideLayout<S>::v + q] = -radius * math::cos(y0 + rule.point[q] * (y1 - y0)) * (x1 - x0);
  }
}

/// Element matrices for the vertices LL, LR, UL, UR (m; of a spherical S rad). Formulas: Richter et al. 2023,
/// section 3. On the sphere every integral has the metric's factor, the flux across parallels in the
/// advection among them.
template <class Real, class S>
ElementMatrices<Real, S> element_matrices(Real const (&x)[4], Real const (&y)[4]) {
  ElementMatrices<Real, S> m{};
  cell_shape(x, y, m.shape);
  auto const basis_node = [](int c, Real s, Real t) {
    return lagrange<S::cg>(c % (S::cg + 1), s) * lagrange<S::cg>(c / (S::cg + 1), t);
  };

  Real mass[S::stress * S::stress] = {}, inverse[S::stress * S::stress], area_at[S::gauss];
  for_gauss_points<Real, S::gauss_1d>([&](int q, Real s, Real t, Real weight) {
    Jacobian<Real> const jacobian(x, y, s, t);
    Metric<Real, S> const metric(y, s, t);
    area_at[q] = jacobian.determinant * metric.area;
    for (int k = 0; k < S::stress; ++k) {
      Real const psi = dg_basis(k, s, t);
      for (int l = 0; l < S::stress; ++l) {
        mass[k * S::stress + l] += psi * dg_basis(l, s, t) * weight * area_at[q];
      }
      for (int c = 0; c < S::nodes; ++c) {
        int const i = c % (S::cg + 1), j = c / (S::cg + 1);
        Real const f_s = lagrange_derivative<S::cg>(i, s) * lagrange<S::cg>(j, t);
        Real const f_t = lagrange<S::cg>(i, s) * lagrange_derivative<S::cg>(j, t);
        m.divergence[DivergenceLayout<S>::x + c * S::stress + k] +=
            metric.x * jacobian.scaled_x(f_s, f_t) * weight * psi;
        m.divergence[DivergenceLayout<S>::y + c * S::stress + k] +=
            metric.y * jacobian.scaled_y(f_s, f_t) * weight * psi;
        if constexpr (S::spherical) {
          m.divergence[DivergenceLayout<S>::turn + c * S::stress + k] +=
              metric.turn * jacobian.determinant * basis_node(c, s, t) * weight * psi;
        }
      }
    }
  });
  invert<S::stress>(mass, inverse);
  for (int k = 0; k < S::stress; ++k) {
    for (int l = 0; l < S::stress; ++l) {
      Real const entry = inverse[k * S::stress + l];
      for (int c = 0; c < S::nodes; ++c) {
        m.stress[StressLayout<S>::grad_x + k * S::nodes + c] +=
            entry * m.divergence[DivergenceLayout<S>::x + c * S::stress + l];
        m.stress[StressLayout<S>::grad_y + k * S::nodes + c] +=
            entry * m.divergence[DivergenceLayout<S>::y + c * S::stress + l];
        if constexpr (S::spherical) {
          m.stress[StressLayout<S>::turn + k * S::nodes + c] +=
              entry * m.divergence[DivergenceLayout<S>::turn + c * S::stress + l];
        }
      }
      for_gauss_points<Real, S::gauss_1d>([&](int q, Real s, Real t, Real weight) {
        m.stress[StressLayout<S>::project + k * S::gauss + q] +=
            entry * dg_basis(l, s, t) * weight * area_at[q];
      });
    }
  }

  Real tracer_mass[S::dg * S::dg] = {}, tracer_inverse[S::dg * S::dg], mixed_mass[S::dg * S::nodes] = {};
  for_gauss_points<Real, S::tracer_gauss_1d>([&](int q, Real s, Real t, Real weight) {
    Jacobian<Real> const jacobian(x, y, s, t);
    Metric<Real, S> const metric(y, s, t);
    Real const area = jacobian.determinant * metric.area;
    for (int k = 0; k < S::dg; ++k) {
      Real const psi = dg_basis(k, s, t);
      if constexpr (S::spherical) m.tracer_area[k] += psi * weight * area;
      Real const f_s = dg_basis_derivative(k, 0, s, t), f_t = dg_basis_derivative(k, 1, s, t);
      m.transport[TransportLayout<S>::cell_x + k * S::tracer_gauss + q] =
          metric.x * jacobian.scaled_x(f_s, f_t) * weight;
      m.transport[TransportLayout<S>::cell_y + k * S::tracer_gauss + q] =
          metric.y * jacobian.scaled_y(f_s, f_t) * weight;
      for (int l = 0; l < S::dg; ++l) tracer_mass[k * S::dg + l] += psi * dg_basis(l, s, t) * weight * area;
      for (int c = 0; c < S::nodes; ++c) {
        mixed_mass[k * S::nodes + c] += psi * basis_node(c, s, t) * weight * area;
      }
    }
  });
  invert<S::dg>(tracer_mass, tracer_inverse);
  for (int k = 0; k < S::dg; ++k) {
    for (int l = 0; l < S::dg; ++l) {
      m.transport[TransportLayout<S>::inverse_mass + k * S::dg + l] = tracer_inverse[k * S::dg + l];
      for (int c = 0; c < S::nodes; ++c) {
        m.transport[TransportLayout<S>::velocity + k * S::nodes + c] +=
            tracer_inverse[k * S::dg + l] * mixed_mass[l * S::nodes + c];
      }
    }
  }

  // Lumped by one point for cG1; cG2 needs the 4 x 4 rule to integrate the distorted Jacobian times a
  // biquadratic.
  constexpr int lumping = S::cg == 1 ? 1 : 4;
  for_gauss_points<Real, lumping>([&](int, Real s, Real t, Real weight) {
    Real const area = weight * (Jacobian<Real>(x, y, s, t).determinant * Metric<Real, S>(y, s, t).area);
    for (int c = 0; c < S::nodes; ++c) m.lumped_mass[c] += area * basis_node(c, s, t);
  });
  return m;
}

/// In double they are compiled once, in geometry.cpp.
extern template ElementMatrices<double, Space<1, 1>> element_matrices(double const (&)[4],
                                                                      double const (&)[4]);
extern template ElementMatrices<double, Space<1, 3>> element_matrices(double const (&)[4],
                                                                      double const (&)[4]);
extern template ElementMatrices<double, Space<1, 6>> element_matrices(double const (&)[4],
                                                                      double const (&)[4]);
extern template ElementMatrices<double, Space<2, 1>> element_matrices(double const (&)[4],
                                                                      double const (&)[4]);
extern template ElementMatrices<double, Space<2, 3>> element_matrices(double const (&)[4],
                                                                      double const (&)[4]);
extern template ElementMatrices<double, Space<2, 6>> element_matrices(double const (&)[4],
                                                                      double const (&)[4]);
extern template ElementMatrices<double, OnSphere<Space<1, 1>>> element_matrices(double const (&)[4],
                                                                                double const (&)[4]);
extern template ElementMatrices<double, OnSphere<Space<1, 3>>> element_matrices(double const (&)[4],
                                                                                double const (&)[4]);
extern template ElementMatrices<double, OnSphere<Space<1, 6>>> element_matrices(double const (&)[4],
                                                                                double const (&)[4]);
extern template ElementMatrices<double, OnSphere<Space<2, 1>>> element_matrices(double const (&)[4],
                                                                                double const (&)[4]);
extern template ElementMatrices<double, OnSphere<Space<2, 3>>> element_matrices(double const (&)[4],
                                                                                double const (&)[4]);
extern template ElementMatrices<double, OnSphere<Space<2, 6>>> element_matrices(double const (&)[4],
                                                                                double const (&)[4]);

}  // namespace ulpine::seaice
