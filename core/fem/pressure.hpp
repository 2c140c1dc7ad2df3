// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/edge_lengths.hpp"
#include "core/fem/form.hpp"

namespace ulpine::fem {

enum class Divergence { plain, compressible };

/// The divergence matrix C (1 x 3 blocks, rows of pressure, columns of velocity), m2:
///   C_ij,d = int N_i d_d N_j, by parts - int (d_d N_i) N_j (and the open boundary's share: faces.hpp);
/// compressible, C_P with rho = theta rho_new + (1 - theta) rho_old, kg m-1:
///   int N_i (rho d_d N_j + (d_d rho) N_j), by parts - int (d_d N_i) N_j rho.
template <class P, Divergence kind = Divergence::plain>
struct DivergenceMatrix {
  using Policy = P;
  using Real = typename P::Compute;
  using State = typename P::State;
  static constexpr int width = 3, right = 0, mass = 0;
  static constexpr bool weighted = kind == Divergence::compressible;

  typename P::State const* position;  ///< m, 3 a node
  bool by_parts = false;
  State const *density = nullptr, *old_density = nullptr;  ///< kg m-3; of C_P only
  State theta = State(1);

  struct Element {
    Geometry<Real> geometry;
    Real density[weighted ? 4 : 1];
    Real gradient[weighted ? 3 : 1];
  };
  using Node = Nothing;
  struct Row {
    Real own[3];  ///< grad N_i
    Real weight;
  };

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
    visit(form.density, 1);
    visit(form.old_density, 1);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    Element out;
    out.geometry = geometry_of<P>(position, node);
    if constexpr (weighted) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        State const now = density[node[k]], old = old_density[node[k]];
        out.density[k] = static_cast<Real>(math::fma(theta, now - old, old));
      }
      gradient_of_field(out.geometry, out.density, out.gradient);
    } else {
      out.density[0] = Real(1);
      out.gradient[0] = Real(0);
    }
    return out;
  }
  ULPINE_HD Node node(std::int32_t) const { return {}; }

  ULPINE_HD Row row(Element const& e, Node const&, int i) const {
    Row out;
    gradient_of(e.geometry, i, out.own);
    if constexpr (weighted) {
      out.weight = over<20>(e.geometry.volume) * (sum(e.density) + choose(e.density, i));
    } else {
      out.weight = e.geometry.volume / Real(4);
    }
    return out;
  }

  ULPINE_HD void entry(Element const& e, Row const& r, int i, int j, Real (&out)[3]) const {
    Real g[3];
    gradient_of(e.geometry, j, g);
    Real const w = over<20>(e.geometry.volume);
    Real weight = r.weight;
    if constexpr (weighted) {
      if (by_parts) {
        weight = w * (sum(e.density) + choose(e.density, j));
      }
    }
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      out[d] = by_parts ? -(weight * r.own[d]) : weight * g[d];
      if constexpr (weighted) {
        if (!by_parts) {
          out[d] = math::fma(w * pair_weight<Real>(i == j), e.gradient[d], out[d]);
        }
      }
    }
  }
  ULPINE_HD void sums(Element const&, Node const&, Row const&, int, Real (&)[1]) const {}
};

/// The stabilisation of equal-order pressure K_ij = 1/2 int (grad N_i)^T h (grad N_j), m2, with the
/// edge-length tensor h (edge_lengths.hpp).
template <class P>
struct PressureDiffusion {
  using Policy = P;
  using Real = typename P::Compute;
  static constexpr int width = 1, right = 0, mass = 0;

  typename P::State const* position;  ///< m, 3 a node

  struct Element {
    Geometry<Real> geometry;
    Real length[6];  ///< V h / 2: xx, yy, zz, yz, xz, xy
  };
  using Node = Nothing;
  struct Row {
    Real weight[3];
  };

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    Real edge[3][3];
    edges_of<P>(position, node, edge);
    Element out;
    out.geometry = geometry_of(edge);
    edge_length_tensor(edge, out.length);
    Real const half = out.geometry.volume / Real(2);
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
      out.length[k] *= half;
    }
    return out;
  }
  ULPINE_HD Node node(std::int32_t) const { return {}; }
  ULPINE_HD Row row(Element const& e, Node const&, int i) const {
    Real g[3];
    gradient_of(e.geometry, i, g);
    Row out;
    times(e.length, g, out.weight);
    round_multiplicand<P>(out.weight);
    return out;
  }
  ULPINE_HD void entry(Element const& e, Row const& r, int, int j, Real (&out)[1]) const {
    Real g[3];
    gradient_of(e.geometry, j, g);
    out[0] = element_product<P>(r.weight, g);
  }
  ULPINE_HD void sums(Element const&, Node const&, Row const&, int, Real (&)[1]) const {}
};

/// The compressible share of the pressure equation:
///   P_ij = scale int N_i N_j D,  scale = 1 / (dt^2 theta_d theta_p),  D = d rho / dp,
///   rhs_i = 1 / dt int N_i (D (p_eos - p) + rho_old - rho).
template <class P>
struct ProjectionMatrix {
  using Policy = P;
  using Real = typename P::Compute;
  using State = typename P::State;
  static constexpr int width = 1, right = 1, mass = 0;

  typename P::State const* position;            ///< m, 3 a node
  State const* compressibility;                 ///< D, s2 m-2
  State const *pressure_of_density, *pressure;  ///< p_eos and p, Pa
  State const *old_density, *density;           ///< kg m-3
  Real scale, inverse_dt;

  struct Element {
    Real volume;
    Real compressibility[4];
    Real pressures, products, densities;  ///< sums of p_eos - p, of D times that, of rho_old - rho
  };
  struct Node {
    Real pressure, density;
  };
  struct Row {
    Real share;
  };

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
    visit(form.compressibility, 1);
    visit(form.pressure_of_density, 1);
    visit(form.pressure, 1);
    visit(form.old_density, 1);
    visit(form.density, 1);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    Element out;
    out.volume = geometry_of<P>(position, node).volume;
    nodal(compressibility, node, out.compressibility);
    Real p[4], rho[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      auto const own = this->node(node[k]);
      p[k] = own.pressure;
      rho[k] = own.density;
    }
    out.pressures = sum(p);
    out.densities = sum(rho);
    auto const& D = out.compressibility;
    out.products = math::fma(D[0], p[0], math::fma(D[1], p[1], math::fma(D[2], p[2], D[3] * p[3])));
    return out;
  }
  /// Both differences are formed in the type of the fields.
  ULPINE_HD Node node(std::int32_t n) const {
    return {static_cast<Real>(pressure_of_density[n] - pressure[n]),
            static_cast<Real>(old_density[n] - density[n])};
  }
  ULPINE_HD Row row(Element const& e, Node const&, int) const { return {over<120>(e.volume)}; }
  ULPINE_HD void entry(Element const& e, Row const& r, int i, int j, Real (&out)[1]) const {
    auto const& D = e.compressibility;
    out[0] = scale * (r.share * weighted_pair(sum(D), choose(D, i), choose(D, j), i == j));
  }
  ULPINE_HD void sums(Element const& e, Node const& n, Row const& r, int i, Real (&out)[1]) const {
    auto const& D = e.compressibility;
    Real const change = product_weight(sum(D), e.pressures, e.products, choose(D, i), n.pressure);
    out[0] = inverse_dt * (r.share * math::fma(Real(6), e.densities + n.density, change));
  }
};

}  // namespace ulpine::fem
