// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/kernels.hpp"

/// Integrals over boundary triangles, in closed form by
/// oint L1^a L2^b L3^c = 2 A a! b! c! / (a + b + c + 2)!. Test functions are never modified here.
namespace ulpine::fem {

/// Boundary triangles, nodes in outward order, and which triangles each node has: visit[k] is 3 times the
/// triangle plus the local node, ascending at each node; start has one more than there are nodes.
struct BoundaryFaces {
  std::int32_t triangles = 0;
  std::int32_t const* triangle = nullptr;  ///< 3 nodes each
  std::int32_t const *visit_start = nullptr, *visit = nullptr;
};

/// The outward normal times the area, m2: half the cross product of two edges, formed in the type of the
/// coordinates.
template <class P>
ULPINE_HD inline void area_of(typename P::State const* position, std::int32_t const* node,
                              typename P::Compute (&area)[3]) {
  using Real = typename P::Compute;
  Real a[3], b[3];
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    auto const origin = position[3 * static_cast<std::int64_t>(node[0]) + d];
    a[d] = static_cast<Real>(position[3 * static_cast<std::int64_t>(node[1]) + d] - origin);
    b[d] = static_cast<Real>(position[3 * static_cast<std::int64_t>(node[2]) + d] - origin);
  }
  cross(a, b, area);
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    area[d] = area[d] / Real(2);
  }
}

/// What a triangle adds where advection is by parts: oint f N_i N_j with f = u.n (times rho of momentum where
/// given), A_ij += that, and -= oint f N_i c to the right-hand side; flux q adds oint N_i q; Robin's h adds
/// oint h N_i N_j to A. Fields are nodal, null is zero. `open` says of each triangle whether it counts.
template <class P>
struct ScalarFaces {
  using Real = typename P::Compute;
  using State = typename P::State;
  std::int32_t const* triangle;
  State const* position;
  State const *velocity = nullptr, *value = nullptr, *flux = nullptr, *transfer = nullptr;
  std::uint8_t const* open = nullptr;  ///< null: every triangle
  Real implicit = Real(1);

  /// Row i of triangle f: entries with its three nodes, and the right-hand side.
  ULPINE_HD void operator()(std::int32_t f, int i, Real (&entry)[3], Real& right) const {
    auto const* const node = triangle + 3 * static_cast<std::int64_t>(f);
    Real area[3], through[3], c[3], size;
    area_of<P>(position, node, area);
    size = math::sqrt(dot(area, area));
    bool const counts = open == nullptr || open[f] != 0;
    Real all = Real(0);
    for (int k = 0; k < 3; ++k) {
      auto const n = static_cast<std::int64_t>(node[k]);
      through[k] = Real(0);
      if (velocity != nullptr && counts) {
        Real const u[3] = {static_cast<Real>(velocity[3 * n]), static_cast<Real>(velocity[3 * n + 1]),
                           static_cast<Real>(velocity[3 * n + 2])};
        through[k] = dot(u, area);
      }
      if (transfer != nullptr && counts) through[k] += size * static_cast<Real>(transfer[n]);
      c[k] = value == nullptr ? Real(0) : static_cast<Real>(value[n]);
      all += through[k];
    }
    right = Real(0);
    for (int j = 0; j < 3; ++j) {
      Real const plain = over<60>((all + through[i]) + through[j]);
      Real const a = i == j ? plain + plain : plain;
      entry[j] = implicit * a;
      right = math::fma(-a, c[j], right);
    }
    if (flux != nullptr && counts) {
      Real const q[3] = {static_cast<Real>(flux[node[0]]), static_cast<Real>(flux[node[1]]),
                         static_cast<Real>(flux[node[2]])};
      right = math::fma(over<12>(size), ((q[0] + q[1]) + q[2]) + q[i], right);
    }
  }
};

/// What a triangle adds to C by parts, oint N_i N_j n_d, or with a density to C_P by parts, oint rho N_i N_j
/// n_d.
template <class P>
struct DivergenceFaces {
  using Real = typename P::Compute;
  using State = typename P::State;
  std::int32_t const* triangle;
  State const* position;
  State const* density = nullptr;
  std::uint8_t const* open = nullptr;

  ULPINE_HD void operator()(std::int32_t f, int i, Real (&entry)[3][3]) const {
    auto const* const node = triangle + 3 * static_cast<std::int64_t>(f);
    Real area[3];
    area_of<P>(position, node, area);
    bool const counts = open == nullptr || open[f] != 0;
    Real rho[3] = {Real(1), Real(1), Real(1)};
    for (int k = 0; k < 3; ++k) {
      if (density != nullptr) rho[k] = static_cast<Real>(density[node[k]]);
    }
    Real const all = (rho[0] + rho[1]) + rho[2];
    for (int j = 0; j < 3; ++j) {
      Real const plain = over<60>((all + rho[i]) + rho[j]);
      Real const weight = i == j ? plain + plain : plain;
      for (int d = 0; d < 3; ++d) {
        entry[j][d] = counts ? weight * area[d] : Real(0);
      }
    }
  }
};

/// Adds the triangles' shares to an assembled matrix of a scalar, a row a call: each in ascending order of
/// the triangles, so the same bits everywhere. `row` finds places by bisection.
template <class P>
struct ScalarFaceGather {
  using Value = typename P::State;
  using Real = typename P::Compute;
  ScalarFaces<P> faces;
  BoundaryFaces boundary;
  CsrView<Value> matrix;
  Value* right;

  ULPINE_HD void operator()(std::int64_t at) const {
    auto const r = static_cast<std::int32_t>(at);
    for (auto v = boundary.visit_start[r]; v < boundary.visit_start[r + 1]; ++v) {
      auto const f = boundary.visit[v] / 3;
      Real entry[3], sum;
      faces(f, boundary.visit[v] % 3, entry, sum);
      for (int j = 0; j < 3; ++j) {
        auto const place =
            linalg::entry_of(matrix.pattern, r, boundary.triangle[3 * static_cast<std::int64_t>(f) + j]);
        matrix.value[place] += static_cast<Value>(entry[j]);
      }
      right[r] += static_cast<Value>(sum);
    }
  }
};
/// The same for a divergence matrix, three values an entry.
template <class P>
struct DivergenceFaceGather {
  using Value = typename P::State;
  using Real = typename P::Compute;
  DivergenceFaces<P> faces;
  BoundaryFaces boundary;
  CsrView<Value> matrix;

  ULPINE_HD void operator()(std::int64_t at) const {
    auto const r = static_cast<std::int32_t>(at);
    for (auto v = boundary.visit_start[r]; v < boundary.visit_start[r + 1]; ++v) {
      auto const f = boundary.visit[v] / 3;
      Real entry[3][3];
      faces(f, boundary.visit[v] % 3, entry);
      for (int j = 0; j < 3; ++j) {
        auto const place =
            linalg::entry_of(matrix.pattern, r, boundary.triangle[3 * static_cast<std::int64_t>(f) + j]);
        for (int d = 0; d < 3; ++d) {
          matrix.value[3 * static_cast<std::int64_t>(place) + d] += static_cast<Value>(entry[j][d]);
        }
      }
    }
  }
};

}  // namespace ulpine::fem
