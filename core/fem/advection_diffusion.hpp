// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/form.hpp"
#include "core/fem/upwind.hpp"

namespace ulpine::fem {

enum class Diffusion { isotropic, tensor };
enum class Advection {
  direct,   ///< + int N_i (u.grad N_j) + beta int N_i (div u) N_j
  by_parts  ///< - int (grad N_i.u) N_j - (1 - beta) int N_i (div u) N_j; the open boundary's share: faces.hpp
};

/// Input of the advection-diffusion of a scalar c, all at nodes; what is null is zero.
template <class P>
struct ScalarInput {
  using State = typename P::State;
  State const* velocity = nullptr;     ///< m s-1, 3 a node: what advects, sinking included
  State const* value = nullptr;        ///< c of the old time level
  State const* diffusivity = nullptr;  ///< m2 s-1: 1 a node, or 9 (row by row)
  State const* absorption = nullptr;   ///< sigma, s-1
  State const* reference = nullptr;    ///< c_ref, towards which sigma draws
  State const* source = nullptr;       ///< of c, s-1

  /// ElementForm's fields() of these.
  template <class Input, class Visit>
  ULPINE_HD static void fields(Input& in, int diffusivities, Visit const& visit) {
    visit(in.velocity, 3);
    visit(in.value, 1);
    visit(in.diffusivity, diffusivities);
    visit(in.absorption, 1);
    visit(in.reference, 1);
    visit(in.source, 1);
  }
};

struct ScalarOptions {
  bool lumped = false;  ///< mass summed to the diagonal
};

/// The numbers of a step, in the type of the element integrals.
template <class Real>
struct ScalarStep {
  Real implicit;  ///< dt theta, s
  Real beta;      ///< share of u's divergence in advection: 0 for u.grad c, 1 for div (u c)
};

/// d = (c - c_old) / dt of dc/dt + u.grad c + beta c div u = div(kappa grad c) - sigma (c - c_ref) + S:
///   LHS = M + dt theta A,  RHS = int N_i S - A c_old + int N_i sigma c_ref,
///   A_ij = advection + int sigma N_i N_j + int (grad N_i)^T kappa (grad N_j),
/// integrated in closed form (P1 in each of u, kappa, sigma, S). Values: m3; right-hand side: m3 s-1 times
/// c's unit. With `upwind` N_i is N_i + s_i in mass, advection, sigma and S (SUPG) or in advection alone
/// (streamline upwinding: a diffusion along the flow), s_i = nu u.grad N_i a constant of the element.
template <class P, Diffusion diffusion = Diffusion::isotropic, Advection advection = Advection::direct,
          Upwind upwind = Upwind::none>
struct AdvectionDiffusion {
  using Policy = P;
  using Real = typename P::Compute;
  static constexpr int width = 1, right = 1, mass = 0;
  static constexpr int diffusivities = diffusion == Diffusion::tensor ? 9 : 1;
  static constexpr bool by_parts = advection == Advection::by_parts;
  static constexpr bool upwinded = upwind != Upwind::none;
  static_assert(!(upwinded && by_parts), "upwinding weights the direct form of advection");

  typename P::State const* position;  ///< m, 3 a node
  ScalarInput<P> in;
  ScalarStep<Real> step;
  ScalarOptions options;
  UpwindingOf<Real, upwind> upwinding = {};

  struct Element {
    Geometry<Real> geometry;
    Real velocity[4][3];                     ///< u at the nodes
    Real value[4], source[4], departure[4];  ///< c_old, S and c_old - c_ref there
    Real total[3];                           ///< the sum of u at the nodes
    Real diffusivity[diffusivities];         ///< V kappa at the centre
    Real gradient[3];                        ///< of c_old
    Real divergence;                         ///< of u
    Real values;                             ///< the sum of c_old at the nodes
    Real sources;                            ///< the sum of S
    Real flux[by_parts ? 3 : 1];             ///< by parts: sum_j (sum_k u_k + u_j) c_j
    Real absorption[4];                      ///< sigma at the nodes
    Real departures, absorbed;               ///< sum_j of departure_j and of sigma_j departure_j
    Real stream[upwinded ? 3 : 1];           ///< nu u at the centre, m
  };
  struct Node {
    Real velocity[3], value, source, departure;
  };
  struct Row : UpwindedRow<Real, upwind> {
    Real weight[3];  ///< what multiplies grad N_j
    Real advected[by_parts ? 3 : 1];
    Real compression, share;  ///< of div u; V / 120
  };

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
    ScalarInput<P>::fields(form.in, diffusivities, visit);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    Element out;
    out.geometry = geometry_of<P>(position, node);
    auto const& u = out.velocity;
    auto const& U = out.total;
    auto const& c = out.value;
    nodal(in.velocity, node, out.velocity);
    nodal(in.value, node, out.value);
    nodal(in.source, node, out.source);
    sum(u, out.total);
    if constexpr (by_parts) {
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) {
        out.flux[d] = math::fma(
            U[d] + u[0][d], c[0],
            math::fma(U[d] + u[1][d], c[1], math::fma(U[d] + u[2][d], c[2], (U[d] + u[3][d]) * c[3])));
      }
    } else {
      out.flux[0] = Real(0);
    }
    Real const quarter = out.geometry.volume / Real(4);
#pragma GCC unroll 9
    for (int k = 0; k < diffusivities; ++k) {
      Real all[4];
#pragma GCC unroll 4
      for (int a = 0; a < 4; ++a) {
        all[a] =
            in.diffusivity == nullptr
                ? Real(0)
                : static_cast<Real>(in.diffusivity[diffusivities * static_cast<std::int64_t>(node[a]) + k]);
      }
      out.diffusivity[k] = quarter * sum(all);
    }
    gradient_of_field(out.geometry, c, out.gradient);
    out.divergence = divergence_of_field(out.geometry, u);
    out.values = sum(c);
    out.sources = sum(out.source);
    nodal(in.absorption, node, out.absorption);
    auto const& away = out.departure;
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      out.departure[k] = departure(node[k]);
    }
    out.departures = sum(away);
    out.absorbed = math::fma(out.absorption[0], away[0],
                             math::fma(out.absorption[1], away[1],
                                       math::fma(out.absorption[2], away[2], out.absorption[3] * away[3])));
    if constexpr (upwinded) {
      Real const u_centre[3] = {over<4>(U[0]), over<4>(U[1]), over<4>(U[2])};
      Real const nu = along_flow_time(upwinding, out.geometry, u_centre, spread(out.diffusivity, u_centre));
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) {
        out.stream[d] = nu * u_centre[d];
      }
    } else {
      out.stream[0] = Real(0);
    }
    return out;
  }

  ULPINE_HD Node node(std::int32_t n) const {
    auto const at = 3 * static_cast<std::int64_t>(n);
    return {{static_cast<Real>(in.velocity[at]), static_cast<Real>(in.velocity[at + 1]),
             static_cast<Real>(in.velocity[at + 2])},
            static_cast<Real>(in.value[n]),
            in.source == nullptr ? Real(0) : static_cast<Real>(in.source[n]),
            departure(n)};
  }

  ULPINE_HD Node node(Element const& e, int i) const {
    return {{choose_node(e, i, 0), choose_node(e, i, 1), choose_node(e, i, 2)},
            choose(e.value, i),
            choose(e.source, i),
            choose(e.departure, i)};
  }

  ULPINE_HD Row row(Element const& e, Node const& n, int i) const {
    Row out;
    Real g[3], flow[3];
    gradient_of(e.geometry, i, g);
    Real const w = over<20>(e.geometry.volume);
    Real along = Real(0);
    if constexpr (upwinded) along = over<4>(e.geometry.volume) * dot(e.stream, g);
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      if constexpr (diffusion == Diffusion::tensor) {
        flow[d] = math::fma(g[0], e.diffusivity[d],
                            math::fma(g[1], e.diffusivity[3 + d], g[2] * e.diffusivity[6 + d]));
      } else {
        flow[d] = g[d] * e.diffusivity[0];
      }
      if constexpr (by_parts) {
        out.weight[d] = flow[d];
        out.advected[d] = -(w * g[d]);
      } else {
        out.weight[d] = math::fma(w, e.total[d] + n.velocity[d], flow[d]);
      }
      if constexpr (upwinded) out.weight[d] = math::fma(along, e.total[d], out.weight[d]);
    }
    if constexpr (!by_parts) {
      out.advected[0] = Real(0);
    } else {
      round_multiplicand<P>(out.advected);
    }
    round_multiplicand<P>(out.weight);
    Real const part = by_parts ? step.beta - Real(1) : step.beta;
    out.compression = part * (w * e.divergence);
    out.share = over<120>(e.geometry.volume);
    if constexpr (upwinded) {
      out.tested = upwinding.stabilisation == Stabilisation::supg ? along : Real(0);
    }
    return out;
  }

  ULPINE_HD void entry(Element const& e, Row const& r, int i, int j, Real (&out)[1]) const {
    bool const same = i == j;
    Real const w = over<20>(e.geometry.volume);
    Real g[3];
    gradient_of(e.geometry, j, g);
    Real a = element_product<P>(r.weight, g);
    if constexpr (by_parts) {
      Real v[3];
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) {
        v[d] = e.total[d] + choose_node(e, j, d);
      }
      a += element_product<P>(r.advected, v);
    }
    a = math::fma(pair_weight<Real>(same), r.compression, a);
    bool const absorbs = in.absorption != nullptr;
    Real const absorbed = math::fma(
        r.share, weighted_pair(sum(e.absorption), choose(e.absorption, i), choose(e.absorption, j), same), a);
    a = absorbs ? absorbed : a;
    Real consistent = w * pair_weight<Real>(same);
    Real lump = same ? Real(5) * w : Real(0);
    if constexpr (upwinded) {
      a = math::fma(step.beta * e.divergence, r.tested, a);
      Real const tested = math::fma(over<5>(r.tested), sum(e.absorption) + choose(e.absorption, j), a);
      a = absorbs ? tested : a;
      consistent += r.tested;
      if (same) lump = math::fma(Real(4), r.tested, lump);
    }
    out[0] = math::fma(step.implicit, a, options.lumped ? lump : consistent);
  }

  ULPINE_HD void sums(Element const& e, Node const& n, Row const& r, int i, Real (&out)[1]) const {
    Real const w = over<20>(e.geometry.volume);
    Real a = element_product<P>(r.weight, e.gradient);
    if constexpr (by_parts) {
      a += element_product<P>(r.advected, e.flux);
    }
    a = math::fma(r.compression, e.values + n.value, a);
    bool const absorbs = in.absorption != nullptr;
    Real const absorbed = math::fma(
        r.share,
        product_weight(sum(e.absorption), e.departures, e.absorbed, choose(e.absorption, i), n.departure), a);
    a = absorbs ? absorbed : a;
    if constexpr (upwinded) {
      a = math::fma(step.beta * e.divergence * r.tested, e.values, a);
      Real const tested =
          math::fma(over<5>(r.tested), math::fma(sum(e.absorption), e.departures, e.absorbed), a);
      a = absorbs ? tested : a;
      a = math::fma(-r.tested, e.sources, a);
    }
    out[0] = math::fma(w, e.sources + n.source, -a);
  }

 private:
  /// u_d at local node i.
  ULPINE_HD static Real choose_node(Element const& e, int i, int d) {
    Real const all[4] = {e.velocity[0][d], e.velocity[1][d], e.velocity[2][d], e.velocity[3][d]};
    return choose(all, i);
  }
  /// c - c_ref, formed in the type of the fields.
  ULPINE_HD Real departure(std::int32_t n) const {
    return static_cast<Real>(in.reference == nullptr ? in.value[n] : in.value[n] - in.reference[n]);
  }
  /// u.(V kappa u).
  ULPINE_HD static Real spread(Real const (&kappa)[diffusivities], Real const (&u)[3]) {
    if constexpr (diffusion == Diffusion::isotropic) {
      return kappa[0] * dot(u, u);
    } else {
      Real flow[3];
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) {
        flow[d] = math::fma(u[0], kappa[d], math::fma(u[1], kappa[3 + d], u[2] * kappa[6 + d]));
      }
      return dot(flow, u);
    }
  }
};

}  // namespace ulpine::fem
