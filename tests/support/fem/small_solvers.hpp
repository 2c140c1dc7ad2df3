// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/tetrahedron.hpp"

/// Small dense problems that a thread solves by itself, and the edge-length tensor by way of them.
namespace ulpine::fem {

/// Overwrites b in `x` by the solution of a x = b, by elimination with row pivots; `a` is destroyed. Rows are
/// exchanged by choice, not by index, for the sake of registers. A singular matrix gives infinities or NaN.
template <class Real, int n>
ULPINE_HD inline void solve_pivoted(Real (&a)[n][n], Real (&x)[n]) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int r = k + 1; r < n; ++r) {
      pivot = math::abs(a[r][k]) > math::abs(a[pivot][k]) ? r : pivot;
    }
    for (int r = k + 1; r < n; ++r) {
      bool const exchange = r == pivot;
      for (int c = k; c < n; ++c) {
        Real const upper = a[k][c], lower = a[r][c];
        a[k][c] = exchange ? lower : upper;
        a[r][c] = exchange ? upper : lower;
      }
      Real const upper = x[k], lower = x[r];
      x[k] = exchange ? lower : upper;
      x[r] = exchange ? upper : lower;
    }
    for (int r = k + 1; r < n; ++r) {
      Real const factor = a[r][k] / a[k][k];
      for (int c = k + 1; c < n; ++c) {
        a[r][c] = math::fma(-factor, a[k][c], a[r][c]);
      }
      x[r] = math::fma(-factor, x[k], x[r]);
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int c = k + 1; c < n; ++c) {
      x[k] = math::fma(-a[k][c], x[c], x[k]);
    }
    x[k] = x[k] / a[k][k];
  }
}

/// Sweeps of Jacobi's method over the three off-diagonal entries: quadratic at the end, so that eight serve
/// any format up to 113 bits.
inline constexpr int jacobi_sweeps = 8;

/// Eigenvalues of a symmetric 3 x 3 matrix, and its eigenvectors as columns; `a` becomes diagonal.
template <class Real>
ULPINE_HD inline void symmetric_eigen(Real (&a)[3][3], Real (&vector)[3][3]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      vector[r][c] = Real(r == c ? 1 : 0);
    }
  }
  for (int sweep = 0; sweep < jacobi_sweeps; ++sweep) {
    for (int pair = 0; pair < 3; ++pair) {
      int const p = pair == 2 ? 1 : 0, q = pair == 0 ? 1 : 2, r = 3 - p - q;
      Real const off = a[p][q];
      if (off == Real(0)) continue;
      Real const slope = (a[q][q] - a[p][p]) / (off + off);
      Real const root = math::sqrt(math::fma(slope, slope, Real(1)));
      Real const size = math::abs(slope) + root;
      Real const t = (slope < Real(0) ? Real(-1) : Real(1)) / size;
      Real const c = Real(1) / math::sqrt(math::fma(t, t, Real(1))), s = t * c;
      a[p][p] = math::fma(-t, off, a[p][p]);
      a[q][q] = math::fma(t, off, a[q][q]);
      a[p][q] = a[q][p] = Real(0);
      Real const rp = a[r][p], rq = a[r][q];
      a[r][p] = a[p][r] = math::fma(c, rp, -(s * rq));
      a[r][q] = a[q][r] = math::fma(s, rp, c * rq);
      for (int k = 0; k < 3; ++k) {
        Real const vp = vector[k][p], vq = vector[k][q];
        vector[k][p] = math::fma(c, vp, -(s * vq));
        vector[k][q] = math::fma(s, vp, c * vq);
      }
    }
  }
}

/// The edge-length tensor h (xx, yy, zz, yz, xz, xy), m, as Fluidity computes it: e^T m e = 1 for the six
/// edges e solved for m, h = V diag(|lambda|^-1/2) V^T. Its error is that of the 6 x 6 system, some L^2 / d^2
/// roundoffs for an element of thickness d (edge_length_tensor: L / d).
template <class Real>
ULPINE_HD inline void get_edge_lengths(Real const (&edge)[3][3], Real (&h)[6]) {
  Real a[6][6], m[6];
  for (int k = 0; k < 6; ++k) {
    Real e[3];
    for (int d = 0; d < 3; ++d) {
      e[d] = k < 3 ? edge[k][d] : edge[k == 3 ? 1 : 2][d] - edge[k == 5 ? 1 : 0][d];
    }
    a[k][0] = e[0] * e[0];
    a[k][1] = Real(2) * (e[0] * e[1]);
    a[k][2] = Real(2) * (e[0] * e[2]);
    a[k][3] = e[1] * e[1];
    a[k][4] = Real(2) * (e[1] * e[2]);
    a[k][5] = e[2] * e[2];
    m[k] = Real(1);
  }
  solve_pivoted(a, m);
  Real matrix[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}}, vector[3][3], length[3];
  symmetric_eigen(matrix, vector);
  for (int k = 0; k < 3; ++k) {
    length[k] = Real(1) / math::sqrt(math::abs(matrix[k][k]));
  }
  auto const entry = [&](int r, int c) {
    return math::fma(
        vector[r][0] * length[0], vector[c][0],
        math::fma(vector[r][1] * length[1], vector[c][1], vector[r][2] * length[2] * vector[c][2]));
  };
  h[0] = entry(0, 0);
  h[1] = entry(1, 1);
  h[2] = entry(2, 2);
  h[3] = entry(1, 2);
  h[4] = entry(0, 2);
  h[5] = entry(0, 1);
}

}  // namespace ulpine::fem
