// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/advection_diffusion.hpp"
#include "core/fem/upwind.hpp"
#include "tests/support/fem/quadrature.hpp"
#include "tests/support/fem/small_solvers.hpp"

/// Matrices by the 11-point quadrature: forms for assembly as those in closed form, and held to them.
namespace ulpine::fem {

/// An element's matrix and right-hand side as they are, for forms that know no better.
template <class Real>
struct WholeElement {
  Real matrix[16], right[4];
};

/// The points of an element: shapes, gradients, weights.
template <class Real>
struct ElementPoints {
  ShapeValues<Real, 4, quadrature_points> shape;
  ShapeGradients<Real, 3, 4, quadrature_points> dshape;
  PointWeights<Real, quadrature_points> detwei;
  Real jacobian[3][3];
};
template <class P>
ULPINE_HD inline ElementPoints<typename P::Compute> points_of(typename P::State const* position,
                                                              std::int32_t const* node) {
  using Real = typename P::Compute;
  Real edge[3][3], x[4][3];
  edges_of<P>(position, node, edge);
  for (int k = 0; k < 4; ++k) {
    for (int d = 0; d < 3; ++d) {
      x[k][d] = k == 0 ? Real(0) : edge[k - 1][d];  // relative to the first node
    }
  }
  ElementPoints<Real> out;
  out.shape = linear_shapes<Real>();
  transform_to_physical(x, linear_reference_gradients<Real>(), out.dshape, out.detwei, out.jacobian);
  return out;
}

/// nu (s) at a point: v_c = sum_k u_k d x_c / d xi_k (as Fluidity contracts it: it depends on the order of
/// the element's nodes), Pe = v kappa^-1 / 2, nu = s sum_c xi(Pe_c) v_c / |u|^2; where kappa is singular or
/// the rule is unity, s sum_c |v_c| / |u|^2; 0 below |u|^2 = 1e-10 m2 s-2.
template <class Real>
ULPINE_HD inline Real contracted_time(Upwinding<Real> const& upwinding, Real const (&u)[3],
                                      Real const (&jacobian)[3][3], Real const (&kappa)[3][3]) {
  Real const square = math::fma(u[0], u[0], math::fma(u[1], u[1], u[2] * u[2]));
  if (square < Real(1) / Real(10000000000)) return Real(0);
  Real v[3], adjugate[3][3];
  for (int c = 0; c < 3; ++c) {
    v[c] = math::fma(u[0], jacobian[c][0], math::fma(u[1], jacobian[c][1], u[2] * jacobian[c][2]));
  }
  Real const determinant = determinant_and_adjugate(kappa, adjugate);
  bool const plain = upwinding.rule == UpwindRule::unity || determinant == Real(0);
  Real total = Real(0);
  for (int c = 0; c < 3; ++c) {
    if (plain) {
      total += math::abs(v[c]);
    } else {
      Real const peclet =
          math::fma(v[0], adjugate[0][c], math::fma(v[1], adjugate[1][c], v[2] * adjugate[2][c])) /
          (determinant + determinant);
      total = math::fma(upwind_share(upwinding.rule, peclet), v[c], total);
    }
  }
  return upwinding.scale * total / square;
}

/// By which length nu is found: along the flow as the closed forms have it, or by Fluidity's contraction.
enum class UpwindLength { contracted, along_flow };

/// AdvectionDiffusion by quadrature, with streamline upwinding where asked for: SUPG's test functions weight
/// mass, advection, absorption and source, never diffusion. kappa is 9 a node with `tensor`, else 1.
template <class P>
struct QuadratureAdvectionDiffusion {
  using Policy = P;
  using Real = typename P::Compute;
  static constexpr int width = 1, right = 1, mass = 0;

  typename P::State const* position;  ///< m, 3 a node
  ScalarInput<P> in;
  ScalarStep<Real> step;
  ScalarOptions options;
  bool tensor = false, by_parts = false;
  Upwinding<Real> upwinding = {};
  UpwindLength length = UpwindLength::contracted;

  using Element = WholeElement<Real>;
  using Node = Nothing;
  using Row = Nothing;

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
    ScalarInput<P>::fields(form.in, form.tensor ? 9 : 1, visit);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    constexpr int points = quadrature_points;
    auto const at = points_of<P>(position, node);
    Real u[4][3], c[4], away[4], s[4], sigma[4];
    nodal(in.velocity, node, u);
    nodal(in.value, node, c);
    nodal(in.source, node, s);
    nodal(in.absorption, node, sigma);
    for (int k = 0; k < 4; ++k) {
      away[k] = static_cast<Real>(in.reference == nullptr ? in.value[node[k]]
                                                          : in.value[node[k]] - in.reference[node[k]]);
    }
    auto const velocity = at_points(at.shape, u);
    PointTensors<Real, 3, points> kappa;
    for (int q = 0; q < points; ++q) {
      for (int k = 0; k < 9; ++k) {
        kappa.at[q][k / 3][k % 3] = Real(0);
        if (in.diffusivity == nullptr || (!tensor && k % 4 != 0)) continue;
        for (int a = 0; a < 4; ++a) {
          auto const place = tensor ? 9 * static_cast<std::int64_t>(node[a]) + k : node[a];
          kappa.at[q][k / 3][k % 3] = math::fma(at.shape.at[a][q], static_cast<Real>(in.diffusivity[place]),
                                                kappa.at[q][k / 3][k % 3]);
        }
      }
    }
    auto const streaming = along(at.dshape, velocity);
    auto test = at.shape;
    PointWeights<Real, points> nu;
    for (int q = 0; q < points; ++q) {
      nu.at[q] = time_at(node, velocity.at[q], at.jacobian, kappa.at[q]);
      for (int k = 0; k < 4; ++k) {
        if (upwinding.stabilisation == Stabilisation::supg) {
          test.at[k][q] = math::fma(nu.at[q], streaming.at[k][q], test.at[k][q]);
        }
      }
    }

    Real m[4][4], advected[4][4], compressed[4][4], absorbed[4][4], diffused[4][4], upwinded[4][4],
        sources[4];
    shape_shape(test, at.shape, at.detwei, m);
    PointWeights<Real, points> divergence;
    for (int q = 0; q < points; ++q) {
      divergence.at[q] = Real(0);
      for (int k = 0; k < 4; ++k) {
        for (int d = 0; d < 3; ++d) {
          divergence.at[q] = math::fma(u[k][d], at.dshape.at[k][q][d], divergence.at[q]);
        }
      }
    }
    shape_shape(test, at.shape, weighted(at.detwei, divergence), compressed);
    if (by_parts) {
      dshape_dot_vector_shape(at.dshape, velocity, at.shape, at.detwei, advected);
    } else {
      shape_vector_dot_dshape(test, velocity, at.dshape, at.detwei, advected);
    }
    shape_shape(test, at.shape, weighted(at.detwei, at_points(at.shape, sigma)), absorbed);
    dshape_tensor_dshape(at.dshape, kappa, at.dshape, at.detwei, diffused);
    bool const along_the_flow = upwinding.stabilisation == Stabilisation::streamline_upwind;
    if (along_the_flow) shape_shape(streaming, streaming, weighted(at.detwei, nu), upwinded);
    shape_rhs(test, weighted(at.detwei, at_points(at.shape, s)), sources);

    Element out;
    for (int i = 0; i < 4; ++i) {
      out.right[i] = sources[i];
      Real lumped = Real(0);
      for (int j = 0; j < 4; ++j) {
        lumped += m[i][j];
      }
      for (int j = 0; j < 4; ++j) {
        Real const part = by_parts ? step.beta - Real(1) : step.beta;
        Real a =
            math::fma(part, compressed[i][j], by_parts ? -advected[i][j] : advected[i][j]) + diffused[i][j];
        if (along_the_flow) a += upwinded[i][j];
        Real const diagonal = i == j ? lumped : Real(0);
        out.matrix[4 * i + j] =
            math::fma(step.implicit, a + absorbed[i][j], options.lumped ? diagonal : m[i][j]);
        out.right[i] = math::fma(-a, c[j], math::fma(-absorbed[i][j], away[j], out.right[i]));
      }
    }
    return out;
  }
  ULPINE_HD Node node(std::int32_t) const { return {}; }
  ULPINE_HD Row row(Element const&, Node const&, int) const { return {}; }
  ULPINE_HD void entry(Element const& e, Row const&, int i, int j, Real (&out)[1]) const {
    out[0] = e.matrix[4 * i + j];
  }
  ULPINE_HD void sums(Element const& e, Node const&, Row const&, int i, Real (&out)[1]) const {
    out[0] = e.right[i];
  }

 private:
  ULPINE_HD Real time_at(std::int32_t const* node, Real const (&u)[3], Real const (&jacobian)[3][3],
                         Real const (&kappa)[3][3]) const {
    if (upwinding.stabilisation == Stabilisation::none) return Real(0);
    if (length == UpwindLength::contracted) return contracted_time(upwinding, u, jacobian, kappa);
    auto const geometry = geometry_of<P>(position, node);
    Real spread = Real(0);
    for (int k = 0; k < 9; ++k) {
      spread = math::fma(u[k / 3] * geometry.volume, kappa[k / 3][k % 3] * u[k % 3], spread);
    }
    return along_flow_time(upwinding, geometry, u, spread);
  }
};

/// K by quadrature with Fluidity's procedure for the edge-length tensor.
template <class P>
struct QuadraturePressureDiffusion {
  using Policy = P;
  using Real = typename P::Compute;
  static constexpr int width = 1, right = 0, mass = 0;

  typename P::State const* position;  ///< m, 3 a node

  struct Element {
    Real matrix[16];
  };
  using Node = Nothing;
  using Row = Nothing;

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    auto const at = points_of<P>(position, node);
    Real edge[3][3], h[6], k[4][4];
    edges_of<P>(position, node, edge);
    get_edge_lengths(edge, h);
    constexpr int place[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    PointTensors<Real, 3, quadrature_points> tensor;
    for (int q = 0; q < quadrature_points; ++q) {
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          tensor.at[q][a][b] = h[place[a][b]] / Real(2);
        }
      }
    }
    dshape_tensor_dshape(at.dshape, tensor, at.dshape, at.detwei, k);
    Element out;
    for (int i = 0; i < 16; ++i) {
      out.matrix[i] = k[i / 4][i % 4];
    }
    return out;
  }
  ULPINE_HD Node node(std::int32_t) const { return {}; }
  ULPINE_HD Row row(Element const&, Node const&, int) const { return {}; }
  ULPINE_HD void entry(Element const& e, Row const&, int i, int j, Real (&out)[1]) const {
    out[0] = e.matrix[4 * i + j];
  }
  ULPINE_HD void sums(Element const&, Node const&, Row const&, int, Real (&)[1]) const {}
};

/// C and C_P by quadrature.
template <class P>
struct QuadratureDivergence {
  using Policy = P;
  using Real = typename P::Compute;
  using State = typename P::State;
  static constexpr int width = 3, right = 0, mass = 0;

  typename P::State const* position;  ///< m, 3 a node
  bool by_parts = false;
  State const* density = nullptr;  ///< kg m-3, at the time wanted; null: C

  struct Element {
    Real matrix[48];
  };
  using Node = Nothing;
  using Row = Nothing;

  template <class Form, class Visit>
  ULPINE_HD static void fields(Form& form, Visit const& visit) {
    visit(form.position, 3);
    visit(form.density, 1);
  }

  ULPINE_HD Element element(std::int32_t const* node) const {
    auto const at = points_of<P>(position, node);
    Real rho[4] = {Real(1), Real(1), Real(1), Real(1)};
    if (density != nullptr) nodal(density, node, rho);
    Real first[3][4][4], second[4][4];
    shape_dshape(at.shape, at.dshape, weighted(at.detwei, at_points(at.shape, rho)), first);
    Element out;
    for (int d = 0; d < 3; ++d) {
      PointWeights<Real, quadrature_points> slope;
      for (int q = 0; q < quadrature_points; ++q) {
        slope.at[q] = Real(0);
        for (int k = 0; k < 4; ++k) {
          slope.at[q] = math::fma(rho[k], at.dshape.at[k][q][d], slope.at[q]);
        }
      }
      shape_shape(at.shape, at.shape, weighted(at.detwei, slope), second);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          out.matrix[3 * (4 * i + j) + d] = by_parts ? -first[d][j][i] : first[d][i][j] + second[i][j];
        }
      }
    }
    return out;
  }
  ULPINE_HD Node node(std::int32_t) const { return {}; }
  ULPINE_HD Row row(Element const&, Node const&, int) const { return {}; }
  ULPINE_HD void entry(Element const& e, Row const&, int i, int j, Real (&out)[3]) const {
    for (int d = 0; d < 3; ++d) {
      out[d] = e.matrix[3 * (4 * i + j) + d];
    }
  }
  ULPINE_HD void sums(Element const&, Node const&, Row const&, int, Real (&)[1]) const {}
};

}  // namespace ulpine::fem
