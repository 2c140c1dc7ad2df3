// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/form.hpp"
#include "core/fem/upwind.hpp"

namespace ulpine::fem {

/// How the velocity matrix is stored on its pattern.
enum class VelocityBlocks {
  shared,    ///< one number an entry: the three diagonal blocks are equal, cross blocks zero
  diagonal,  ///< three an entry
  full       ///< nine an entry, row by row: stress form, Coriolis
};

/// Viscous term: tensor form int (grad N_i)^T mu (grad N_j) on each diagonal block, or the stress forms with
/// one mu for all entries, which add int mu d_b N_i d_a N_j to block (a, b) (partial), and
/// - 2/3 int mu d_a N_i d_b N_j (full).
enum class Viscosity { tensor, partial_stress, full_stress };

/// Input of the momentum equation, all at nodes; what is null is zero.
template <class P>
struct MomentumInput {
  using State = typename P::State;
  State const* velocity = nullptr;      ///< m s-1, 3 a node: nonlinear, what advects
  State const* old_velocity = nullptr;  ///< m s-1, 3 a node: of the old time level
  State const* density = nullptr;       ///< kg m-3
  State const* viscosity = nullptr;     ///< Pa s: 1 a node, or 9 with `viscosity_tensor`
  State const* absorption = nullptr;    ///< sigma, s-1: 1 a node, 3 for blocks other than shared
  State const* target = nullptr;        ///< m s-1, 3 a node: u_ref, towards which sigma draws
  State const* buoyancy = nullptr;      ///< kg m-3: rho - rho_ref
  State const* pressure = nullptr;      ///< Pa: p - p_ref

  /// ElementForm's fields() of these.
  template <class Input, class Visit>
  ULPINE_HD static void fields(Input& in, int viscosities, int absorptions, Visit const& visit) {
    visit(in.velocity, 3);
    visit(in.old_velocity, 3);
    visit(in.density, 1);
    visit(in.viscosity, viscosities);
    visit(in.absorption, absorptions);
    visit(in.target, 3);
    visit(in.buoyancy, 1);
    visit(in.pressure, 1);
  }
};

struct MomentumOptions {
  bool lumped = false;  ///< mass summed to the diagonal
  bool lumped_absorption = false;
  bool viscosity_tensor = false;
  bool pressure_by_parts = false;  ///< as C by parts: - int N_i grad p, else + int p grad N_i
  Viscosity form = Viscosity::tensor;
};

template <class Real>
struct MomentumStep {
  Real implicit;     ///< dt theta, s
  Real beta;         ///< share of u's divergence in advection
  Real gravity[3];   ///< m s-2, g times the unit vector downwards
  Real coriolis[3];  ///< s-1, twice the rotation vector; blocks `full` only
};

/// d = (u - u_old) / dt of rho (du/dt + u.grad u + f x u) = -grad(p - p_ref) + (rho - rho_ref) g
/// + div(mu grad u) - rho sigma (u - u_ref), in closed form (every coefficient P1):
///   LHS = M + dt theta A,  M_ij = int rho N_i N_j,
///   A = int rho N_i (u.grad N_j) + beta int rho N_i (div u) N_j + int rho sigma N_i N_j + viscosity +
///   coriolis, RHS = -A u_old + int rho sigma N_i u_ref + g int N_i (rho - rho_ref) + pressure.
/// Values: kg, right-hand side: N, 3 a node; mass: the lumped int rho N_i, kg, one a node.
/// With `upwind`, + int rho nu (u.grad N_i) (u.grad N_j) in A: a viscosity along the flow, nu that of u and
/// mu / rho at the element's centre. The mass, which may be lumped, knows nothing of it.
template <class P, VelocityBlocks blocks = VelocityBlocks::shared, Upwind upwind = Upwind::none>
struct Momentum {
  using Policy = P;
  using Real = typename P::Compute;
  static constexpr bool full = blocks == VelocityBlocks::full;
  static constexpr int width = blocks == VelocityBlocks::shared ? 1 : full ? 9 : 3;
  static constexpr int right = 3, mass = 1;
  static constexpr int absorptions = blocks == VelocityBlocks::shared ? 1 : 3;
  static constexpr bool upwinded = upwind != Upwind::none;

  typename P::State const* position;  ///< m, 3 a node
  MomentumInput<P> in;
  MomentumStep<Real> step;
  MomentumOptions options;
  UpwindingOf<Real, upwind> upwinding = {};

  struct Element {
    Geometry<Real> geometry;
    Real density[4];
    Real velocity[3], flux[3];     ///< sums of u and of rho u
    Real divergence;               ///< of u
    Real viscosity[9];             ///< V mu at the centre
    Real old[4][3], target[4][3];  ///< u_old and u_ref at the nodes
    Real absorption[absorptions][4];
    Real absorbed[absorptions];  ///< sum of rho sigma
    Real buoyancy;               ///< sum of rho - rho_ref
    Real pressure[3];  ///< by parts: the gradient of p - p_ref, else its sum at the nodes (first only)
    Real stream[upwinded ? 3 : 1];  ///< nu u at the centre, m
  };
  struct Node {
    Real velocity[3], buoyancy;
  };
  struct Row {
    Real own[3];       ///< grad N_i
    Real advected[3];  ///< what multiplies grad N_j by advection
    Real diffused[3];  ///< and by viscosity
    Real density;      ///< the sum of rho at the nodes
    Real share;        ///< V / 120
  };

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
    MomentumInput<P>::fields(form.in, form.options.viscosity_tensor ? 9 : 1, absorptions, visit);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    Element out;
    out.geometry = geometry_of<P>(position, node);
    Real u[4][3];
    nodal(in.velocity, node, u);
    nodal(in.density, node, out.density);
    nodal(in.old_velocity, node, out.old);
    nodal(in.target, node, out.target);
    sum(u, out.velocity);
    auto const& rho = out.density;
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      out.flux[d] = math::fma(rho[0], u[0][d],
                              math::fma(rho[1], u[1][d], math::fma(rho[2], u[2][d], rho[3] * u[3][d])));
    }
    out.divergence = divergence_of_field(out.geometry, u);
    Real const quarter = out.geometry.volume / Real(4);
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
      bool const diagonal = k % 4 == 0;
      Real all[4];
#pragma GCC unroll 4
      for (int a = 0; a < 4; ++a) {
        bool const given = in.viscosity != nullptr && (options.viscosity_tensor || diagonal);
        auto const at = options.viscosity_tensor ? 9 * static_cast<std::int64_t>(node[a]) + k : node[a];
        all[a] = given ? static_cast<Real>(in.viscosity[at]) : Real(0);
      }
      out.viscosity[k] = quarter * sum(all);
    }
#pragma GCC unroll 3
    for (int c = 0; c < absorptions; ++c) {
#pragma GCC unroll 4
      for (int a = 0; a < 4; ++a) {
        out.absorption[c][a] =
            in.absorption == nullptr
                ? Real(0)
                : static_cast<Real>(in.absorption[absorptions * static_cast<std::int64_t>(node[a]) + c]);
      }
      auto const& s = out.absorption[c];
      out.absorbed[c] =
          math::fma(rho[0], s[0], math::fma(rho[1], s[1], math::fma(rho[2], s[2], rho[3] * s[3])));
    }
    Real b[4], p[4];
    nodal(in.buoyancy, node, b);
    nodal(in.pressure, node, p);
    out.buoyancy = sum(b);
    gradient_of_field(out.geometry, p, out.pressure);
    if (!options.pressure_by_parts) {
      out.pressure[0] = sum(p);
    }
    if constexpr (upwinded) {
      Real const u_centre[3] = {over<4>(out.velocity[0]), over<4>(out.velocity[1]), over<4>(out.velocity[2])};
      auto const& mu = out.viscosity;
      Real flow[3];
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) {
        flow[d] = math::fma(u_centre[0], mu[d], math::fma(u_centre[1], mu[3 + d], u_centre[2] * mu[6 + d]));
      }
      Real const spread = dot(flow, u_centre) / over<4>(sum(rho));
      Real const nu = along_flow_time(upwinding, out.geometry, u_centre, spread);
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
    Node out;
    auto const at = 3 * static_cast<std::int64_t>(n);
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      out.velocity[d] = static_cast<Real>(in.velocity[at + d]);
    }
    out.buoyancy = in.buoyancy == nullptr ? Real(0) : static_cast<Real>(in.buoyancy[n]);
    return out;
  }

  ULPINE_HD Row row(Element const& e, Node const& n, int i) const {
    Row out;
    gradient_of(e.geometry, i, out.own);
    out.density = sum(e.density);
    out.share = over<120>(e.geometry.volume);
    Real const own = choose(e.density, i);
    Real along = Real(0);
    if constexpr (upwinded) along = over<20>(e.geometry.volume) * dot(e.stream, out.own);
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      out.advected[d] = out.share * product_weight(out.density, e.velocity[d], e.flux[d], own, n.velocity[d]);
      if constexpr (upwinded) {
        // int rho u = V / 20 (the product of both sums + the sum of products).
        out.advected[d] = math::fma(along, math::fma(out.density, e.velocity[d], e.flux[d]), out.advected[d]);
      }
      out.diffused[d] = math::fma(out.own[0], e.viscosity[d],
                                  math::fma(out.own[1], e.viscosity[3 + d], out.own[2] * e.viscosity[6 + d]));
    }
    round_multiplicand<P>(out.advected);
    round_multiplicand<P>(out.diffused);
    return out;
  }

  /// Entry (i, j) of A's block (c, d).
  ULPINE_HD Real rate(Element const& e, Row const& r, int i, int j, int c, int d, Real const (&g)[3],
                      Real mass_entry) const {
    Real a = Real(0);
    if (c == d) {
      a = element_product<P>(r.advected, g) + element_product<P>(r.diffused, g);
      a = math::fma(step.beta * e.divergence, mass_entry, a);
      Real const absorbed = a + absorption(e, r, i, j, absorptions == 1 ? 0 : c);
      a = in.absorption != nullptr ? absorbed : a;
    }
    if constexpr (full) {
      if (options.form != Viscosity::tensor) {
        // V mu is one number here: the first.
        a = math::fma(e.viscosity[0], r.own[d] * g[c], a);
        if (options.form == Viscosity::full_stress) {
          a = math::fma(Real(-2) / Real(3) * e.viscosity[0], r.own[c] * g[d], a);
        }
      }
      if (c != d) {
        int const axis = 3 - c - d;
        bool const forward = (c + 1) % 3 == axis;  // (f x u)_c = f_a u_d - ... for c, a, d in cyclic order
        Real const f = choose_axis(step.coriolis, axis);
        a = math::fma(forward ? f : -f, mass_entry, a);
      }
    }
    return a;
  }

  ULPINE_HD void entry(Element const& e, Row const& r, int i, int j, Real (&out)[width]) const {
    Real g[3];
    gradient_of(e.geometry, j, g);
    bool const same = i == j;
    Real const consistent = consistent_mass(e, r, i, j);
    Real const lump = same ? lumped_mass(e, r, i) : Real(0);
    Real const m = options.lumped ? lump : consistent;
    if constexpr (full) {
#pragma GCC unroll 9
      for (int k = 0; k < 9; ++k) {
        out[k] =
            math::fma(step.implicit, rate(e, r, i, j, k / 3, k % 3, g, consistent), k % 4 == 0 ? m : Real(0));
      }
    } else {
#pragma GCC unroll 3
      for (int k = 0; k < width; ++k) {
        out[k] = math::fma(step.implicit, rate(e, r, i, j, k, k, g, consistent), m);
      }
    }
  }

  ULPINE_HD void sums(Element const& e, Node const& n, Row const& r, int i, Real (&out)[4]) const {
    Real const w = over<20>(e.geometry.volume);
    Real force[3];
    Real const weight = w * (e.buoyancy + n.buoyancy);
    Real const quarter = e.geometry.volume / Real(4);
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      Real const push =
          options.pressure_by_parts ? -(quarter * e.pressure[c]) : quarter * (e.pressure[0] * r.own[c]);
      force[c] = math::fma(weight, step.gravity[c], push);
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      Real g[3];
      gradient_of(e.geometry, j, g);
      Real const m = consistent_mass(e, r, i, j);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
        if constexpr (full) {
#pragma GCC unroll 3
          for (int d = 0; d < 3; ++d) {
            force[c] = math::fma(-rate(e, r, i, j, c, d, g, m), e.old[j][d], force[c]);
          }
        } else {
          force[c] = math::fma(-rate(e, r, i, j, c, c, g, m), e.old[j][c], force[c]);
        }
        Real const drawn =
            math::fma(absorption(e, r, i, j, absorptions == 1 ? 0 : c), e.target[j][c], force[c]);
        force[c] = in.target != nullptr && in.absorption != nullptr ? drawn : force[c];
      }
    }
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      out[c] = force[c];
    }
    out[3] = lumped_mass(e, r, i);
  }

 private:
  ULPINE_HD static Real choose_axis(Real const (&v)[3], int axis) {
    Real const later = axis == 1 ? v[1] : v[2];
    return axis == 0 ? v[0] : later;
  }
  ULPINE_HD static Real consistent_mass(Element const& e, Row const& r, int i, int j) {
    return r.share * weighted_pair(r.density, choose(e.density, i), choose(e.density, j), i == j);
  }
  ULPINE_HD static Real lumped_mass(Element const& e, Row const& r, int i) {
    return over<20>(e.geometry.volume) * (r.density + choose(e.density, i));
  }
  ULPINE_HD Real absorption(Element const& e, Row const& r, int i, int j, int c) const {
    auto const& s = e.absorption[c];
    Real const all = sum(s), rho_i = choose(e.density, i), s_i = choose(s, i);
    Real const lumped =
        i == j ? r.share * product_weight(r.density, all, e.absorbed[c], rho_i, s_i) : Real(0);
    Real const consistent =
        over<840>(e.geometry.volume) * weighted_product(r.density, all, e.absorbed[c], rho_i, s_i,
                                                        choose(e.density, j), choose(s, j), i == j);
    return options.lumped_absorption ? lumped : consistent;
  }
};

}  // namespace ulpine::fem
