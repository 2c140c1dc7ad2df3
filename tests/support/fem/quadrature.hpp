// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/elementary.hpp"
#include "precision/host_device.hpp"

/// Element integrals by quadrature, with the routines and names of Li et al. (Fluidity-Atmosphere on GPUs).
/// This route is general, and the check of the closed forms (advection_diffusion.hpp and so on).
namespace ulpine::fem {

/// Eleven interior points of degree 4 (Keast 1986); one weight is negative.
inline constexpr int quadrature_points = 11;

/// Barycentric coordinate k of point q: the centre, then 11/14 at one node, then a at two and b at the
/// others.
template <class Real>
ULPINE_HD inline Real quadrature_coordinate(int q, int k) {
  if (q == 0) return Real(1) / Real(4);
  if (q < 5) return k == 4 - q ? Real(11) / Real(14) : Real(1) / Real(14);
  Real const a = (Real(1) + math::sqrt(Real(5) / Real(14))) / Real(4);
  int const which = (0xCA6953 >> (4 * (q - 5))) & 15;  // bit k: a there
  return (which >> k & 1) != 0 ? a : Real(1) / Real(2) - a;
}
/// They sum to 1 / 6, the volume of the unit simplex.
template <class Real>
ULPINE_HD inline Real quadrature_weight(int q) {
  if (q == 0) return Real(-74) / Real(5625);
  return q < 5 ? Real(343) / Real(45000) : Real(56) / Real(2250);
}

/// Values of `loc` shape (or test) functions at `points` points.
template <class Real, int loc, int points>
struct ShapeValues {
  Real at[loc][points];
};
/// Their gradients in `dim` dimensions.
template <class Real, int dim, int loc, int points>
struct ShapeGradients {
  Real at[loc][points][dim];
};
/// |det J| times the weight at each point.
template <class Real, int points>
struct PointWeights {
  Real at[points];
};
template <class Real, int dim, int points>
struct PointVectors {
  Real at[points][dim];
};
template <class Real, int dim, int points>
struct PointTensors {
  Real at[points][dim][dim];
};

/// P1 on the tetrahedron: its functions are the barycentric coordinates.
template <class Real>
ULPINE_HD inline ShapeValues<Real, 4, quadrature_points> linear_shapes() {
  ShapeValues<Real, 4, quadrature_points> out;
  for (int k = 0; k < 4; ++k) {
    for (int q = 0; q < quadrature_points; ++q) {
      out.at[k][q] = quadrature_coordinate<Real>(q, k);
    }
  }
  return out;
}
/// Their gradients on the reference element, whose coordinates are those of N_2, N_3 and N_4.
template <class Real>
ULPINE_HD inline ShapeGradients<Real, 3, 4, quadrature_points> linear_reference_gradients() {
  ShapeGradients<Real, 3, 4, quadrature_points> out;
  for (int k = 0; k < 4; ++k) {
    for (int q = 0; q < quadrature_points; ++q) {
      for (int d = 0; d < 3; ++d) {
        out.at[k][q][d] = k == 0 ? Real(-1) : Real(k == d + 1 ? 1 : 0);
      }
    }
  }
  return out;
}

/// The determinant of a 3 x 3 matrix and its adjugate (the inverse times the determinant).
template <class Real>
ULPINE_HD inline Real determinant_and_adjugate(Real const (&m)[3][3], Real (&out)[3][3]) {
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      int const r1 = (b + 1) % 3, r2 = (b + 2) % 3, c1 = (a + 1) % 3, c2 = (a + 2) % 3;
      out[a][b] = math::fma(m[r1][c1], m[r2][c2], -(m[r1][c2] * m[r2][c1]));
    }
  }
  return math::fma(m[0][0], out[0][0], math::fma(m[0][1], out[1][0], m[0][2] * out[2][0]));
}

/// Gradients in space and weights at the points, from the positions of the nodes [node][component] (relative
/// to any origin); the Jacobian anew at each point. `jacobian` is the last one, d x_c / d xi_k at [c][k].
template <class Real, int loc, int points>
ULPINE_HD inline void transform_to_physical(Real const (&x)[loc][3],
                                            ShapeGradients<Real, 3, loc, points> const& reference,
                                            ShapeGradients<Real, 3, loc, points>& dshape,
                                            PointWeights<Real, points>& detwei, Real (&jacobian)[3][3]) {
  for (int q = 0; q < points; ++q) {
    Real adjugate[3][3];
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < 3; ++k) {
        Real sum = Real(0);
        for (int a = 0; a < loc; ++a) {
          sum = math::fma(x[a][c], reference.at[a][q][k], sum);
        }
        jacobian[c][k] = sum;
      }
    }
    Real const determinant = determinant_and_adjugate(jacobian, adjugate);
    detwei.at[q] = math::abs(determinant) * quadrature_weight<Real>(q);
    for (int a = 0; a < loc; ++a) {
      for (int d = 0; d < 3; ++d) {
        Real sum = Real(0);
        for (int k = 0; k < 3; ++k) {
          sum = math::fma(adjugate[k][d], reference.at[a][q][k], sum);
        }
        dshape.at[a][q][d] = sum / determinant;
      }
    }
  }
}

/// A nodal scalar, and a vector, at the points.
template <class Real, int loc, int points>
ULPINE_HD inline PointWeights<Real, points> at_points(ShapeValues<Real, loc, points> const& shape,
                                                      Real const (&value)[loc]) {
  PointWeights<Real, points> out;
  for (int q = 0; q < points; ++q) {
    out.at[q] = Real(0);
    for (int k = 0; k < loc; ++k) {
      out.at[q] = math::fma(shape.at[k][q], value[k], out.at[q]);
    }
  }
  return out;
}
template <class Real, int dim, int loc, int points>
ULPINE_HD inline PointVectors<Real, dim, points> at_points(ShapeValues<Real, loc, points> const& shape,
                                                           Real const (&value)[loc][dim]) {
  PointVectors<Real, dim, points> out;
  for (int q = 0; q < points; ++q) {
    for (int d = 0; d < dim; ++d) {
      out.at[q][d] = Real(0);
      for (int k = 0; k < loc; ++k) {
        out.at[q][d] = math::fma(shape.at[k][q], value[k][d], out.at[q][d]);
      }
    }
  }
  return out;
}
/// Weights times a coefficient at the points.
template <class Real, int points>
ULPINE_HD inline PointWeights<Real, points> weighted(PointWeights<Real, points> const& detwei,
                                                     PointWeights<Real, points> const& coefficient) {
  PointWeights<Real, points> out;
  for (int q = 0; q < points; ++q) {
    out.at[q] = detwei.at[q] * coefficient.at[q];
  }
  return out;
}

/// out_ij = int T_i N_j.
template <class Real, int loc, int points>
ULPINE_HD inline void shape_shape(ShapeValues<Real, loc, points> const& test,
                                  ShapeValues<Real, loc, points> const& shape,
                                  PointWeights<Real, points> const& detwei, Real (&out)[loc][loc]) {
  for (int i = 0; i < loc; ++i) {
    for (int j = 0; j < loc; ++j) {
      out[i][j] = Real(0);
      for (int q = 0; q < points; ++q) {
        out[i][j] = math::fma(test.at[i][q] * shape.at[j][q], detwei.at[q], out[i][j]);
      }
    }
  }
}
/// out_dij = int T_i d_d N_j.
template <class Real, int dim, int loc, int points>
ULPINE_HD inline void shape_dshape(ShapeValues<Real, loc, points> const& test,
                                   ShapeGradients<Real, dim, loc, points> const& dshape,
                                   PointWeights<Real, points> const& detwei, Real (&out)[dim][loc][loc]) {
  for (int d = 0; d < dim; ++d) {
    for (int i = 0; i < loc; ++i) {
      for (int j = 0; j < loc; ++j) {
        out[d][i][j] = Real(0);
        for (int q = 0; q < points; ++q) {
          out[d][i][j] = math::fma(test.at[i][q] * dshape.at[j][q][d], detwei.at[q], out[d][i][j]);
        }
      }
    }
  }
}
/// out_ij = int (grad N_i)^T t (grad N_j).
template <class Real, int dim, int loc, int points>
ULPINE_HD inline void dshape_tensor_dshape(ShapeGradients<Real, dim, loc, points> const& left,
                                           PointTensors<Real, dim, points> const& tensor,
                                           ShapeGradients<Real, dim, loc, points> const& dshape,
                                           PointWeights<Real, points> const& detwei, Real (&out)[loc][loc]) {
  for (int i = 0; i < loc; ++i) {
    for (int j = 0; j < loc; ++j) {
      out[i][j] = Real(0);
    }
  }
  for (int q = 0; q < points; ++q) {
    for (int i = 0; i < loc; ++i) {
      Real flow[dim];
      for (int b = 0; b < dim; ++b) {
        flow[b] = Real(0);
        for (int a = 0; a < dim; ++a) {
          flow[b] = math::fma(left.at[i][q][a], tensor.at[q][a][b], flow[b]);
        }
      }
      for (int j = 0; j < loc; ++j) {
        Real product = Real(0);
        for (int b = 0; b < dim; ++b) {
          product = math::fma(flow[b], dshape.at[j][q][b], product);
        }
        out[i][j] = math::fma(product, detwei.at[q], out[i][j]);
      }
    }
  }
}
/// out_iq = v.grad N_i at the points.
template <class Real, int dim, int loc, int points>
ULPINE_HD inline ShapeValues<Real, loc, points> along(ShapeGradients<Real, dim, loc, points> const& dshape,
                                                      PointVectors<Real, dim, points> const& vector) {
  ShapeValues<Real, loc, points> out;
  for (int i = 0; i < loc; ++i) {
    for (int q = 0; q < points; ++q) {
      out.at[i][q] = Real(0);
      for (int d = 0; d < dim; ++d) {
        out.at[i][q] = math::fma(vector.at[q][d], dshape.at[i][q][d], out.at[i][q]);
      }
    }
  }
  return out;
}
/// out_ij = int (v.grad N_i) N_j.
template <class Real, int dim, int loc, int points>
ULPINE_HD inline void dshape_dot_vector_shape(ShapeGradients<Real, dim, loc, points> const& dshape,
                                              PointVectors<Real, dim, points> const& vector,
                                              ShapeValues<Real, loc, points> const& shape,
                                              PointWeights<Real, points> const& detwei,
                                              Real (&out)[loc][loc]) {
  shape_shape(along(dshape, vector), shape, detwei, out);
}
/// out_ij = int T_i (v.grad N_j).
template <class Real, int dim, int loc, int points>
ULPINE_HD inline void shape_vector_dot_dshape(ShapeValues<Real, loc, points> const& test,
                                              PointVectors<Real, dim, points> const& vector,
                                              ShapeGradients<Real, dim, loc, points> const& dshape,
                                              PointWeights<Real, points> const& detwei,
                                              Real (&out)[loc][loc]) {
  shape_shape(test, along(dshape, vector), detwei, out);
}
/// out_i = int T_i f, `detwei` holding the weights times f.
template <class Real, int loc, int points>
ULPINE_HD inline void shape_rhs(ShapeValues<Real, loc, points> const& test,
                                PointWeights<Real, points> const& detwei, Real (&out)[loc]) {
  for (int i = 0; i < loc; ++i) {
    out[i] = Real(0);
    for (int q = 0; q < points; ++q) {
      out[i] = math::fma(test.at[i][q], detwei.at[q], out[i]);
    }
  }
}

}  // namespace ulpine::fem
