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

/// Steps of Newton's iteration: with its scaling nine reach the last bit from a condition of 1e16 (Higham,
/// Functions of Matrices, section 8.6).
inline constexpr int polar_steps = 9;

/// `x` towards its orthogonal polar factor: X <- (z X + (z X)^-T) / 2, z^2 = |X^-1| / |X| (Frobenius).
template <class Real>
ULPINE_HD inline void polar_step(Real (&x)[3][3]) {
  Real c[3][3];
  cross(x[1], x[2], c[0]);
  cross(x[2], x[0], c[1]);
  cross(x[0], x[1], c[2]);
  Real const inverse = Real(1) / dot(x[0], c[0]);
  Real own = Real(0), other = Real(0);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      c[k][d] *= inverse;  // X^-T
    }
    own += dot(x[k], x[k]);
    other += dot(c[k], c[k]);
  }
  Real const z = math::sqrt(math::sqrt(other / own));
  Real const half = z / Real(2), half_inverse = Real(1) / (z + z);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      x[k][d] = math::fma(half, x[k][d], half_inverse * c[k][d]);
    }
  }
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
  for (int step = 0; step < polar_steps; ++step) {
    polar_step(q);
  }
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
