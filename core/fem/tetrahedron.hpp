// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/view.hpp"
#include "precision/bits.hpp"
#include "precision/elementary.hpp"
#include "precision/policy.hpp"

/// Linear tetrahedra (P1): N_1..N_4 are the barycentric coordinates, their gradients constants of an element.
namespace ulpine::fem {

/// Gradients of N_2, N_3, N_4 (m-1; that of N_1 is minus their sum) and the volume (m3).
template <class Real>
struct Geometry {
  Real gradient[3][3];
  Real volume;
};

/// x times 1 / n: a product with a constant, where a quotient would be divided each time.
template <int n, class Real>
ULPINE_HD inline Real over(Real x) {
  return x * (Real(1) / Real(n));
}

/// value[i] for an i that is known only when the kernel runs: choices, since an array that is indexed so
/// would not live in registers.
template <class Real>
ULPINE_HD inline Real choose(Real const (&value)[4], int i) {
  Real const low = i == 0 ? value[0] : value[1], high = i == 2 ? value[2] : value[3];
  return i < 2 ? low : high;
}

/// The gradient of N_i.
template <class Real>
ULPINE_HD inline void gradient_of(Geometry<Real> const& geometry, int i, Real (&out)[3]) {
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    Real const g1 = geometry.gradient[0][d], g2 = geometry.gradient[1][d], g3 = geometry.gradient[2][d];
    Real const all[4] = {-((g1 + g2) + g3), g1, g2, g3};
    out[d] = choose(all, i);
  }
}

template <class Real>
ULPINE_HD inline Real dot(Real const (&a)[3], Real const (&b)[3]) {
  return math::fma(a[0], b[0], math::fma(a[1], b[1], a[2] * b[2]));
}
template <class Real>
ULPINE_HD inline void cross(Real const (&a)[3], Real const (&b)[3], Real (&out)[3]) {
  out[0] = math::fma(a[1], b[2], -(a[2] * b[1]));
  out[1] = math::fma(a[2], b[0], -(a[0] * b[2]));
  out[2] = math::fma(a[0], b[1], -(a[1] * b[0]));
}

/// The edges from a tetrahedron's first node to the others: edge[k][d] = x_{k+1,d} - x_{0,d}, formed in the
/// type of the coordinates, so that nothing cancels in a narrower one.
template <class P>
ULPINE_HD inline void edges_of(typename P::State const* position, std::int32_t const* node,
                               typename P::Compute (&edge)[3][3]) {
  auto const* const origin = position + 3 * static_cast<std::int64_t>(node[0]);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    auto const* const x = position + 3 * static_cast<std::int64_t>(node[k + 1]);
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      edge[k][d] = static_cast<typename P::Compute>(x[d] - origin[d]);
    }
  }
}

/// Gradients are the rows of the inverse of the edges' matrix, the volume a sixth of its determinant.
template <class Real>
ULPINE_HD inline Geometry<Real> geometry_of(Real const (&edge)[3][3]) {
  Geometry<Real> out;
  cross(edge[1], edge[2], out.gradient[0]);
  cross(edge[2], edge[0], out.gradient[1]);
  cross(edge[0], edge[1], out.gradient[2]);
  Real const determinant = dot(edge[0], out.gradient[0]);
  Real const inverse = Real(1) / determinant;
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      out.gradient[k][d] *= inverse;
    }
  }
  out.volume = over<6>(determinant);
  return out;
}
template <class P>
ULPINE_HD inline Geometry<typename P::Compute> geometry_of(typename P::State const* position,
                                                           std::int32_t const* node) {
  typename P::Compute edge[3][3];
  edges_of<P>(position, node, edge);
  return geometry_of(edge);
}

/// A nodal field at an element's nodes; 0 where there is none (null).
template <class Real, class State>
ULPINE_HD inline void nodal(State const* field, std::int32_t const* node, Real (&out)[4]) {
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    out[k] = field == nullptr ? Real(0) : static_cast<Real>(field[node[k]]);
  }
}
template <class Real, class State>
ULPINE_HD inline void nodal(State const* field, std::int32_t const* node, Real (&out)[4][3]) {
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    auto const at = 3 * static_cast<std::int64_t>(node[k]);
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      out[k][d] = field == nullptr ? Real(0) : static_cast<Real>(field[at + d]);
    }
  }
}
template <class Real>
ULPINE_HD inline Real sum(Real const (&value)[4]) {
  return ((value[0] + value[1]) + value[2]) + value[3];
}
template <class Real>
ULPINE_HD inline void sum(Real const (&value)[4][3], Real (&out)[3]) {
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    out[d] = ((value[0][d] + value[1][d]) + value[2][d]) + value[3][d];
  }
}

/// The gradient of a P1 field: of the differences to its first nodal value, so that a constant has none.
template <class Real>
ULPINE_HD inline void gradient_of_field(Geometry<Real> const& geometry, Real const (&value)[4],
                                        Real (&out)[3]) {
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    out[d] = math::fma(value[1] - value[0], geometry.gradient[0][d],
                       math::fma(value[2] - value[0], geometry.gradient[1][d],
                                 (value[3] - value[0]) * geometry.gradient[2][d]));
  }
}
template <class Real>
ULPINE_HD inline Real divergence_of_field(Geometry<Real> const& geometry, Real const (&value)[4][3]) {
  Real out = Real(0);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    Real const change[3] = {value[k + 1][0] - value[0][0], value[k + 1][1] - value[0][1],
                            value[k + 1][2] - value[0][2]};
    out += dot(change, geometry.gradient[k]);
  }
  return out;
}

/// `v` with its components rounded to the policy's format of multiplicands, as block floating point: the
/// largest lies in [1, 2) when it is rounded, so that a format of few exponents holds a vector of any unit.
template <class P>
ULPINE_HD inline void round_multiplicand(typename P::Compute (&v)[3]) {
  using Real = typename P::Compute;
  using Format = typename P::Multiplicand;
  if constexpr (!std::is_same_v<Format, Exact>) {
    Real most = math::abs(v[0]);
    most = math::abs(v[1]) > most ? math::abs(v[1]) : most;
    most = math::abs(v[2]) > most ? math::abs(v[2]) : most;
    Real const unit = from_bits(to_bits(most) & 0x7f800000u);  // a power of two: exact below
    if (unit > Real(0)) {
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) {
        v[d] = Format::round(v[d] / unit) * unit;
      }
    }
  }
}

/// A product of the element matrices: both operands rounded to the policy's format first.
template <class P>
ULPINE_HD inline typename P::Compute element_product(typename P::Compute const (&rounded)[3],
                                                     typename P::Compute const (&v)[3]) {
  typename P::Compute w[3] = {v[0], v[1], v[2]};
  round_multiplicand<P>(w);
  return dot(rounded, w);
}

/// Integrals of products of P1 fields over a tetrahedron by
/// int L1^a L2^b L3^c L4^d = 6 V a! b! c! d! / (a + b + c + d + 3)!; `same` where i = j.
/// int N_i N_j is V / 20 times this.
template <class Real>
ULPINE_HD inline Real pair_weight(bool same) {
  return same ? Real(2) : Real(1);
}
/// int f N_i N_j is V / 120 times this; S is the sum of the f at the nodes.
template <class Real>
ULPINE_HD inline Real weighted_pair(Real S, Real fi, Real fj, bool same) {
  Real const plain = (S + fi) + fj;
  return same ? plain + plain : plain;
}
/// int f h N_i is V / 120 times this; F and H are the sums at the nodes, FH that of the products.
template <class Real>
ULPINE_HD inline Real product_weight(Real F, Real H, Real FH, Real fi, Real hi) {
  return math::fma(F + fi, H + hi, math::fma(fi, hi, FH));
}
/// int f h N_i N_j is V / 840 times this.
template <class Real>
ULPINE_HD inline Real weighted_product(Real F, Real H, Real FH, Real fi, Real hi, Real fj, Real hj,
                                       bool same) {
  Real const shared = math::fma(F, H, FH);
  if (same) {
    return math::fma(Real(2), shared, math::fma(Real(4), math::fma(fi, H, F * hi), Real(12) * (fi * hi)));
  }
  return math::fma(fi + fj, H, math::fma(F, hi + hj, shared)) +
         math::fma(fi, hj, math::fma(fj, hi, Real(2) * math::fma(fi, hi, fj * hj)));
}

}  // namespace ulpine::fem
