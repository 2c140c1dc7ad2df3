// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/mesh/spaces.hpp"
#include "core/seaice/dynamics.hpp"
#include "core/seaice/formulas.hpp"
#include "core/seaice/geometry.hpp"
#include "precision/host_device.hpp"

/// Element matrices of the sub-cycle made on the fly, on the plane.
///
/// The bilinear map of a cell has the derivatives p + r Y along s and q + r X along t, (X, Y) from its centre
/// and p, q, r vectors, so that its Jacobian is j0 + j1 X + j2 Y and
///
/// divS1 = q_y A - p_y B + r_y C,  divS2 = p_x B - q_x A - r_x C,  M = j0 D + j1 T1 + j2 T2
///
/// with integrals over the reference square that all cells share. So six numbers a cell stand for all of its
/// matrices: sums over nodes and points are taken with the shared integrals, and M, which is symmetric and
/// positive definite, is factorised where it is to be inverted. The results are those of stored matrices to
/// rounding, not to the bit.
namespace ulpine::seaice {

/// The map of a cell, m.
template <class Real>
struct CellShape {
  Real px, qx, rx, py, qy, ry;

  /// The Jacobian's j0, j1 and j2, m2.
  ULPINE_HD Real area() const { return math::fma(px, qy, -(qx * py)); }
  ULPINE_HD Real area_x() const { return math::fma(px, ry, -(rx * py)); }
  ULPINE_HD Real area_y() const { return math::fma(rx, qy, -(qx * ry)); }
};

/// Integrals over the reference square that all cells share.
template <class Real, class S>
struct ShapeTables {
  static constexpr int modes = S::stress;

  Real along_s[S::nodes][modes] = {}, along_t[S::nodes][modes] = {};  ///< A, B
  Real twist[S::nodes][modes] = {};                                   ///< C: of X phi_s - Y phi_t
  Real mass[modes] = {};                                              ///< D
  Real mass_x[modes][modes] = {}, mass_y[modes][modes] = {};          ///< T1, T2
  Real weight[S::gauss] = {}, x[S::gauss] = {}, y[S::gauss] = {};     ///< of the stress's quadrature

  /// `Geometry`: the type in which they are computed.
  template <class Geometry>
  static ShapeTables in() {
    ShapeTables tables;
    Geometry sums[3][S::nodes][modes] = {}, masses[3][modes][modes] = {};
    for_gauss_points<Geometry, S::gauss_1d>([&](int q, Geometry s, Geometry t, Geometry weight) {
      Geometry const from_x = s - Geometry(1) / 2, from_y = t - Geometry(1) / 2;
      tables.weight[q] = static_cast<Real>(weight);
      tables.x[q] = static_cast<Real>(from_x);
      tables.y[q] = static_cast<Real>(from_y);
      for (int k = 0; k < modes; ++k) {
        Geometry const psi = weight * dg_basis(k, s, t);
        for (int c = 0; c < S::nodes; ++c) {
          int const i = c % (S::cg + 1), j = c / (S::cg + 1);
          Geometry const f_s = lagrange_derivative<S::cg>(i, s) * lagrange<S::cg>(j, t);
          Geometry const f_t = lagrange<S::cg>(i, s) * lagrange_derivative<S::cg>(j, t);
          sums[0][c][k] += psi * f_s;
          sums[1][c][k] += psi * f_t;
          sums[2][c][k] += psi * (from_x * f_s - from_y * f_t);
        }
        for (int l = 0; l < modes; ++l) {
          Geometry const product = psi * dg_basis(l, s, t);
          masses[0][k][l] += product;
          masses[1][k][l] += product * from_x;
          masses[2][k][l] += product * from_y;
        }
      }
    });
    for (int k = 0; k < modes; ++k) {
      for (int c = 0; c < S::nodes; ++c) {
        tables.along_s[c][k] = static_cast<Real>(sums[0][c][k]);
        tables.along_t[c][k] = static_cast<Real>(sums[1][c][k]);
        tables.twist[c][k] = static_cast<Real>(sums[2][c][k]);
      }
      tables.mass[k] = static_cast<Real>(masses[0][k][k]);
      for (int l = 0; l < modes; ++l) {
        tables.mass_x[k][l] = static_cast<Real>(masses[1][k][l]);
        tables.mass_y[k][l] = static_cast<Real>(masses[2][k][l]);
      }
    }
    return tables;
  }
};

/// M = L diag(d) L^T of a cell, with which M^-1 is applied.
template <class Real, int n>
struct MassFactor {
  Real lower[n][n];  ///< of L below its unit diagonal
  Real inverse[n];   ///< 1 / d, m-2

  /// `entry(j, i)`: of M, i <= j.
  template <class Entry>
  ULPINE_HD explicit MassFactor(Entry const& entry) {
    // Loops to n with conditions that the compiler decides: only loops of known length are unrolled.
    ULPINE_UNROLL
    for (int j = 0; j < n; ++j) {
      Real scaled[n];  // row j of L diag(d)
      ULPINE_UNROLL
      for (int i = 0; i < n; ++i) {
        if (i < j) {
          scaled[i] = entry(j, i);
          ULPINE_UNROLL
          for (int k = 0; k < n; ++k) {
            if (k < i) scaled[i] = math::fma(-scaled[k], lower[i][k], scaled[i]);
          }
        }
      }
      Real diagonal = entry(j, j);
      ULPINE_UNROLL
      for (int i = 0; i < n; ++i) {
        if (i < j) {
          lower[j][i] = scaled[i] * inverse[i];
          diagonal = math::fma(-scaled[i], lower[j][i], diagonal);
        }
      }
      inverse[j] = Real(1) / diagonal;
    }
  }

  /// b <- M^-1 b.
  ULPINE_HD void solve(Real (&b)[n]) const {
    ULPINE_UNROLL
    for (int i = 0; i < n; ++i) {
      ULPINE_UNROLL
      for (int k = 0; k < n; ++k) {
        if (k < i) b[i] = math::fma(-lower[i][k], b[k], b[i]);
      }
    }
    ULPINE_UNROLL
    for (int back = 0; back < n; ++back) {
      int const i = n - 1 - back;
      b[i] *= inverse[i];
      ULPINE_UNROLL
      for (int k = 0; k < n; ++k) {
        if (k > i) b[i] = math::fma(-lower[k][i], b[k], b[i]);
      }
    }
  }
};

/// The geometry of a cell that its strain rate and stress are made with.
template <class Real, class S>
struct ShapeElement {
  ShapeTables<Real, S> const& tables;
  CellShape<Real> shape;
  Real area, area_x, area_y;
  MassFactor<Real, S::stress> mass;

  ULPINE_HD ShapeElement(ShapeTables<Real, S> const& shared, CellShape<Real> const& of_cell)
      : tables{shared},
        shape{of_cell},
        area{of_cell.area()},
        area_x{of_cell.area_x()},
        area_y{of_cell.area_y()},
        mass([&](int j, int i) {
          Real const varying = math::fma(area_x, shared.mass_x[j][i], area_y * shared.mass_y[j][i]);
          return i == j ? math::fma(area, shared.mass[j], varying) : varying;
        }) {}
};

/// In the place of SharedMatrices and CellMatrices, of StressLayout and DivergenceLayout.
template <class Real, class S>
struct ShapeMatrices {
  CellMatrices<Real, ShapeLayout::count> shapes;
  ShapeTables<Real, S> tables;

  ULPINE_HD CellShape<Real> shape(std::int64_t cell) const {
    using L = ShapeLayout;
    return {shapes(L::px, cell), shapes(L::qx, cell), shapes(L::rx, cell),
            shapes(L::py, cell), shapes(L::qy, cell), shapes(L::ry, cell)};
  }
  ULPINE_HD ShapeElement<Real, S> element(std::int64_t cell) const { return {tables, shape(cell)}; }
};

/// strain_rate of formulas.hpp.
template <class P, class S, class Real>
ULPINE_HD inline void strain_rate(ShapeElement<Real, S> const& element, std::int64_t /*cell*/,
                                  Real const (&u)[S::nodes], Real const (&v)[S::nodes],
                                  Tensor<Real> (&strain)[S::stress]) {
  auto const& tables = element.tables;
  auto const& shape = element.shape;
  Real xx[S::stress], yy[S::stress], xy[S::stress];
  ULPINE_UNROLL
  for (int k = 0; k < S::stress; ++k) {
    Real u_s = 0, u_t = 0, u_twist = 0, v_s = 0, v_t = 0, v_twist = 0;
    ULPINE_UNROLL
    for (int c = 0; c < S::nodes; ++c) {
      u_s = math::fma(tables.along_s[c][k], u[c], u_s);
      u_t = math::fma(tables.along_t[c][k], u[c], u_t);
      u_twist = math::fma(tables.twist[c][k], u[c], u_twist);
      v_s = math::fma(tables.along_s[c][k], v[c], v_s);
      v_t = math::fma(tables.along_t[c][k], v[c], v_t);
      v_twist = math::fma(tables.twist[c][k], v[c], v_twist);
    }
    auto const along_x = [&](Real of_s, Real of_t, Real of_twist) {
      return math::fma(shape.qy, of_s, math::fma(-shape.py, of_t, shape.ry * of_twist));
    };
    auto const along_y = [&](Real of_s, Real of_t, Real of_twist) {
      return math::fma(shape.px, of_t, math::fma(-shape.qx, of_s, -shape.rx * of_twist));
    };
    xx[k] = along_x(u_s, u_t, u_twist);
    yy[k] = along_y(v_s, v_t, v_twist);
    xy[k] = (along_x(v_s, v_t, v_twist) + along_y(u_s, u_t, u_twist)) / Real(2);
  }
  element.mass.solve(xx);
  element.mass.solve(yy);
  element.mass.solve(xy);
  ULPINE_UNROLL
  for (int k = 0; k < S::stress; ++k) strain[k] = {xx[k], yy[k], xy[k]};
}
template <class P, class S, class Real>
ULPINE_HD inline void strain_rate(ShapeMatrices<Real, S> const& matrices, std::int64_t cell,
                                  Real const (&u)[S::nodes], Real const (&v)[S::nodes],
                                  Tensor<Real> (&strain)[S::stress]) {
  strain_rate<P, S>(matrices.element(cell), cell, u, v, strain);
}

/// relax_stress of formulas.hpp.
template <class P, class S, class Rheology, class Real>
ULPINE_HD inline void relax_stress(ShapeElement<Real, S> const& element, std::int64_t /*cell*/,
                                   BasisTable<Real, S::stress, S::gauss> const& psi, Rheology const& rheology,
                                   Real inverse_alpha, Tensor<Real> const (&strain)[S::stress],
                                   Real const (&coefficient)[S::gauss], Tensor<Real> (&stress)[S::stress]) {
  auto const& tables = element.tables;
  Real xx[S::stress] = {}, yy[S::stress] = {}, xy[S::stress] = {};
  ULPINE_UNROLL
  for (int q = 0; q < S::gauss; ++q) {
    Tensor<Real> e{0, 0, 0};
    ULPINE_UNROLL
    for (int k = 0; k < S::stress; ++k) {
      e.xx = math::fma(psi.value[k][q], strain[k].xx, e.xx);
      e.yy = math::fma(psi.value[k][q], strain[k].yy, e.yy);
      e.xy = math::fma(psi.value[k][q], strain[k].xy, e.xy);
    }
    auto const sigma = rheology.stress(e, coefficient[q]);
    Real const area = tables.weight[q] * math::fma(element.area_x, tables.x[q],
                                                   math::fma(element.area_y, tables.y[q], element.area));
    Real const s_xx = area * sigma.xx, s_yy = area * sigma.yy, s_xy = area * sigma.xy;
    ULPINE_UNROLL
    for (int k = 0; k < S::stress; ++k) {
      xx[k] = math::fma(psi.value[k][q], s_xx, xx[k]);
      yy[k] = math::fma(psi.value[k][q], s_yy, yy[k]);
      xy[k] = math::fma(psi.value[k][q], s_xy, xy[k]);
    }
  }
  element.mass.solve(xx);
  element.mass.solve(yy);
  element.mass.solve(xy);
  ULPINE_UNROLL
  for (int k = 0; k < S::stress; ++k) {
    auto& s = stress[k];
    s.xx = math::fma(inverse_alpha, xx[k] - s.xx, s.xx);
    s.yy = math::fma(inverse_alpha, yy[k] - s.yy, s.yy);
    s.xy = math::fma(inverse_alpha, xy[k] - s.xy, s.xy);
  }
}
template <class P, class S, class Rheology, class Real>
ULPINE_HD inline void relax_stress(ShapeMatrices<Real, S> const& matrices, std::int64_t cell,
                                   BasisTable<Real, S::stress, S::gauss> const& psi, Rheology const& rheology,
                                   Real inverse_alpha, Tensor<Real> const (&strain)[S::stress],
                                   Real const (&coefficient)[S::gauss], Tensor<Real> (&stress)[S::stress]) {
  relax_stress<P, S>(matrices.element(cell), cell, psi, rheology, inverse_alpha, strain, coefficient, stress);
}

/// force_at_node of formulas.hpp.
template <class S, class Real>
ULPINE_HD inline Vector<Real> force_at_node(ShapeMatrices<Real, S> const& matrices, std::int64_t cell,
                                            int local, Tensor<Real> const (&stress)[S::stress]) {
  auto const& tables = matrices.tables;
  auto const shape = matrices.shape(cell);
  Real x = 0, y = 0;
  ULPINE_UNROLL
  for (int k = 0; k < S::stress; ++k) {
    auto const add = [&](Real along_x, Real along_y, Real& sum) {
      sum = math::fma(tables.along_s[local][k], math::fma(shape.qy, along_x, -(shape.qx * along_y)), sum);
      sum = math::fma(tables.along_t[local][k], math::fma(shape.px, along_y, -(shape.py * along_x)), sum);
      sum = math::fma(tables.twist[local][k], math::fma(shape.ry, along_x, -(shape.rx * along_y)), sum);
    };
    add(stress[k].xx, stress[k].xy, x);
    add(stress[k].xy, stress[k].yy, y);
  }
  return {-x, -y};
}

}  // namespace ulpine::seaice
