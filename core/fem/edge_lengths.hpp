// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/tetrahedron.hpp"

/// The edge-length tensor h (m) of a tetrahedron: with m = h^-2, e^T m e = 1 for all of its six edges e.
/// m^-1 = G = 1/2 sum e e^T, so h = G^(1/2).
namespace ulpine::fem {

/// A symmetric tensor (xx, yy, zz, yz, xz, xy) times a vector.
template <class Real>
ULPINE_HD inline void times(Real const (&t)[6], Real const (&v)[3], Real (&out)[3]) {
  out[0] = math::fma(t[0], v[0], math::fma(t[5], v[1], t[4] * v[2]));
  out[1] = math::fma(t[5], v[0], math::fma(t[1], v[1], t[3] * v[2]));
  out[2] = math::fma(t[4], v[0], math::fma(t[3], v[1], t[2] * v[2]));
}

/// Steps of Newton's iteration that are scaled, at most. Elements take four to seven, whatever their
/// condition.
inline constexpr int polar_steps = 11;

/// X^-T.
template <class Real>
ULPINE_HD inline void inverse_transpose(Real const (&x)[3][3], Real (&out)[3][3]) {
  cross(x[1], x[2], out[0]);
  cross(x[2], x[0], out[1]);
  cross(x[0], x[1], out[2]);
  Real const inverse = Real(1) / dot(x[0], out[0]);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      out[k][d] *= inverse;
    }
  }
}

/// A number and its inverse.
template <class Real>
struct Scale {
  Real by = Real(1), back = Real(1);
};
/// The power of two next to (above / below)^(1/4): within a factor of sqrt(2), and of 2^64 from one.
template <class Real>
ULPINE_HD inline Scale<Real> fourth_root_of_ratio(Real above, Real below) {
  Scale<Real> root;
  Real const half = Real(1) / Real(2);
  for (int k = 0; k < 64 && above > Real(4) * below; ++k) {
    below *= Real(16);
    root.by *= Real(2), root.back *= half;
  }
  for (int k = 0; k < 64 && below > Real(4) * above; ++k) {
    above *= Real(16);
    root.by *= half, root.back *= Real(2);
  }
  return root;
}

/// `x` to its orthogonal polar factor: X <- (z X + (z X)^-T) / 2. The optimal z, z^2 = |X^-1| / |X|
/// (Frobenius; Higham, Functions of Matrices, section 8.6), is rounded to a power of two, so that it takes no
/// roots and no quotients. Of the singular values s |X|^2 + |X^-1|^2 - 6 is the sum of (s - 1/s)^2: once that
/// is of the order of the roundoff's root, the step and one more reach the last bit.
template <class Real>
ULPINE_HD inline void to_polar_factor(Real (&x)[3][3]) {
  Real c[3][3];
  Real const half = Real(1) / Real(2);
  auto const average = [&](Real own, Real other) {
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) {
        x[k][d] = math::fma(own, x[k][d], other * c[k][d]);
      }
    }
  };
  bool close = false;
  for (int step = 0; step < polar_steps && !close; ++step) {
    inverse_transpose(x, c);
    Real own = Real(0), other = Real(0);
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      own += dot(x[k], x[k]);
      other += dot(c[k], c[k]);
    }
    Real const excess = (own + other) - Real(6);
    close = Real(16) + excess * excess == Real(16);
    auto const z = fourth_root_of_ratio(other, own);
    average(half * z.by, half * z.back);
  }
  inverse_transpose(x, c);
  average(half, half);
}

/// h = (A A^T)^(1/2) without forming G, whose condition is the square of A's: A = h Q with Q orthogonal (the
/// polar decomposition), so h = A Q^T. The columns of A = J sqrt(2) (I - 1 1^T / 6) are sqrt(2) (e_k - s / 6)
/// for the edges e_1..e_3 from the first node (the columns of J) and their sum s: then A A^T = G.
template <class Real>
ULPINE_HD inline void edge_length_tensor(Real const (&edge)[3][3], Real (&h)[6]) {
  Real const root = math::sqrt(Real(2));
  Real a[3][3], q[3][3];  // rows: columns of A, so that rows of q are columns of Q
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    Real const mean = ((edge[0][d] + edge[1][d]) + edge[2][d]) / Real(6);
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      q[k][d] = a[k][d] = root * (edge[k][d] - mean);
    }
  }
  to_polar_factor(q);
  auto const product = [&](int c, int d) {
    return math::fma(a[0][c], q[0][d], math::fma(a[1][c], q[1][d], a[2][c] * q[2][d]));
  };
  Real const half = Real(1) / Real(2);
  h[0] = product(0, 0);
  h[1] = product(1, 1);
  h[2] = product(2, 2);
  h[3] = half * (product(1, 2) + product(2, 1));
  h[4] = half * (product(0, 2) + product(2, 0));
  h[5] = half * (product(0, 1) + product(1, 0));
}

}  // namespace ulpine::fem
