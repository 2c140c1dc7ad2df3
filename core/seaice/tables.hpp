// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/mesh/spaces.hpp"
#include "core/seaice/advection.hpp"
#include "core/seaice/dynamics.hpp"
#include "core/seaice/maps.hpp"

namespace ulpine::seaice {

/// Bases that are operands of products, rounded to the format of a policy; they travel with the kernels.
template <class P, class S>
struct FormatTables {
  using Compute = typename P::Compute;
  using Geometry = GeometryOf<typename P::State>;

  BasisTable<Compute, S::stress, S::gauss> stress_psi{};
  BasisTable<Compute, S::dg, S::gauss> tracer_psi{};

  FormatTables() {
    for_gauss_points<Geometry, S::gauss_1d>([&](int q, Geometry s, Geometry t, Geometry) {
      auto const rounded = [&](int mode) {
        return P::Multiplicand::round(static_cast<Compute>(dg_basis(mode, s, t)));
      };
      for (int k = 0; k < S::stress; ++k) stress_psi.value[k][q] = rounded(k);
      for (int m = 0; m < S::dg; ++m) tracer_psi.value[m][q] = rounded(m);
    });
  }
};

/// Bases and weights at quadrature points in the types of a policy, never rounded to its format.
template <class P, class S>
struct Tables {
  using State = typename P::State;
  using Compute = typename P::Compute;
  using Geometry = GeometryOf<State>;

  BasisTable<State, S::dg, S::tracer_gauss> transport_psi{};
  BasisTable<Compute, S::stress, S::gauss> shear_psi{};
  Compute shear_weight[S::gauss] = {};
  Compute stress_squares[S::stress] = {};  ///< mean of a mode's square over the reference square
  SideTables<State, typename S::Plane> sides{};

  Tables() {
    for_gauss_points<Geometry, S::gauss_1d>([&](int q, Geometry s, Geometry t, Geometry weight) {
      shear_weight[q] = static_cast<Compute>(weight);
      for (int k = 0; k < S::stress; ++k) {
        stress_squares[k] += shear_weight[q] * static_cast<Compute>(dg_basis(k, s, t) * dg_basis(k, s, t));
        shear_psi.value[k][q] = static_cast<Compute>(dg_basis(k, s, t));
      }
    });
    auto const tracer_rule = gauss_rule<Geometry, S::tracer_gauss_1d>();
    for_gauss_points<Geometry, S::tracer_gauss_1d>([&](int q, Geometry s, Geometry t, Geometry) {
      for (int m = 0; m < S::dg; ++m) transport_psi.value[m][q] = static_cast<State>(dg_basis(m, s, t));
    });
    for (int q = 0; q < S::edge; ++q) {
      Geometry const t = tracer_rule.point[q], zero = 0, one = 1;
      for (int m = 0; m < S::dg; ++m) {
        sides.psi[0][m][q] = static_cast<State>(dg_basis(m, zero, t));
        sides.psi[1][m][q] = static_cast<State>(dg_basis(m, one, t));
        sides.psi[2][m][q] = static_cast<State>(dg_basis(m, t, zero));
        sides.psi[3][m][q] = static_cast<State>(dg_basis(m, t, one));
      }
      for (int e = 0; e < S::edge; ++e) {
        // On the sphere the flow through an edge is no polynomial and kept at the quadrature points.
        sides.edge_psi[e][q] = S::spherical ? State(e == q ? 1 : 0) : static_cast<State>(edge_basis(e, t));
      }
      sides.weight[q] = static_cast<State>(tracer_rule.weight[q]);
    }
  }
};

}  // namespace ulpine::seaice
