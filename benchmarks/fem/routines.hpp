// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/fem/edge_lengths.hpp"
#include "tests/support/fem/quadrature.hpp"
#include "tests/support/fem/small_solvers.hpp"

/// The routines of Li et al. one by one, a thread an element, with what each reads and writes in memory.
namespace ulpine::bench {

inline constexpr int points = fem::quadrature_points;
/// Numbers that transform_to_physical leaves an element: gradients and weights at the points.
inline constexpr int transformed = points * (4 * 3 + 1);

/// A mesh, a tensor at its nodes, and where results go. Results lie number by number, elements side by side,
/// unless a kernel says otherwise.
template <class Real>
struct Elements {
  std::int32_t count;
  std::int32_t const* element;  ///< 4 nodes each
  Real const* position;         ///< 3 a node, m
  Real const* tensor;           ///< 9 a node
  Real* transformed;            ///< of transform_to_physical
  Real* out;

  ULPINE_HD std::int32_t node(std::int64_t e, int k) const { return element[4 * e + k]; }
  ULPINE_HD void positions(std::int64_t e, Real (&x)[4][3]) const {
    for (int k = 0; k < 4; ++k) {
      for (int d = 0; d < 3; ++d) x[k][d] = position[3 * std::int64_t{node(e, k)} + d];
    }
  }
  ULPINE_HD void edges(std::int64_t e, Real (&edge)[3][3]) const {
    Real x[4][3];
    positions(e, x);
    for (int k = 0; k < 3; ++k) {
      for (int d = 0; d < 3; ++d) edge[k][d] = x[k + 1][d] - x[0][d];
    }
  }
  /// The tensor at the points.
  ULPINE_HD void tensors(std::int64_t e, fem::PointTensors<Real, 3, points>& at) const {
    for (int q = 0; q < points; ++q) {
      for (int c = 0; c < 9; ++c) {
        Real sum = Real(0);
        for (int k = 0; k < 4; ++k) {
          sum = math::fma(fem::quadrature_coordinate<Real>(q, k), tensor[9 * std::int64_t{node(e, k)} + c],
                          sum);
        }
        at.at[q][c / 3][c % 3] = sum;
      }
    }
  }
  ULPINE_HD void put(std::int64_t e, int number, Real value) const {
    out[std::int64_t{number} * count + e] = value;
  }
  ULPINE_HD void put(std::int64_t e, Real const (&matrix)[4][4]) const {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) put(e, 4 * i + j, matrix[i][j]);
    }
  }
};

/// The nodes' positions of each element to memory, all of an element side by side.
template <class Real>
struct GatherByElement {
  Elements<Real> all;
  ULPINE_HD void operator()(std::int64_t e) const {
    Real x[4][3];
    all.positions(e, x);
    for (int k = 0; k < 12; ++k) all.out[12 * e + k] = x[k / 3][k % 3];
  }
};
/// The same number by number.
template <class Real>
struct GatherByNumber {
  Elements<Real> all;
  ULPINE_HD void operator()(std::int64_t e) const {
    Real x[4][3];
    all.positions(e, x);
    for (int k = 0; k < 12; ++k) all.put(e, k, x[k / 3][k % 3]);
  }
};

/// Of an element: what transform_to_physical makes, and the tensor at the points.
template <class Real>
struct Transformed {
  fem::ShapeGradients<Real, 3, 4, points> dshape;
  fem::PointWeights<Real, points> detwei;

  ULPINE_HD void make(Elements<Real> const& all, std::int64_t e) {
    Real x[4][3], jacobian[3][3];
    all.positions(e, x);
    fem::transform_to_physical(x, fem::linear_reference_gradients<Real>(), dshape, detwei, jacobian);
  }
  /// work(number, where it lies in memory)
  template <class Work>
  ULPINE_HD void each(Elements<Real> const& all, std::int64_t e, Work const& work) {
    auto* place = all.transformed + e;
    for (int q = 0; q < points; ++q) {
      for (int k = 0; k < 4; ++k) {
        for (int d = 0; d < 3; ++d, place += all.count) work(dshape.at[k][q][d], *place);
      }
      work(detwei.at[q], *place);
      place += all.count;
    }
  }
  ULPINE_HD void diffuse(Elements<Real> const& all, std::int64_t e) const {
    fem::PointTensors<Real, 3, points> tensor;
    all.tensors(e, tensor);
    Real matrix[4][4];
    fem::dshape_tensor_dshape(dshape, tensor, dshape, detwei, matrix);
    all.put(e, matrix);
  }
};
template <class Real>
struct Transform {
  Elements<Real> all;
  ULPINE_HD void operator()(std::int64_t e) const {
    Transformed<Real> element;
    element.make(all, e);
    element.each(all, e, [](Real const& number, Real& place) { place = number; });
  }
};
/// dshape_tensor_dshape of what Transform has stored.
template <class Real>
struct TensorOfStored {
  Elements<Real> all;
  ULPINE_HD void operator()(std::int64_t e) const {
    Transformed<Real> element;
    element.each(all, e, [](Real& number, Real const& place) { number = place; });
    element.diffuse(all, e);
  }
};
/// The same with the transformation in the same kernel.
template <class Real>
struct TensorAtOnce {
  Elements<Real> all;
  ULPINE_HD void operator()(std::int64_t e) const {
    Transformed<Real> element;
    element.make(all, e);
    element.diffuse(all, e);
  }
};
/// The same in closed form: one Jacobian, the tensor's mean over the nodes.
template <class Real>
struct TensorClosed {
  Elements<Real> all;
  ULPINE_HD void operator()(std::int64_t e) const {
    Real edge[3][3], gradient[4][3], flow[3], mean[9], matrix[4][4];
    all.edges(e, edge);
    auto const geometry = fem::geometry_of(edge);
    for (int i = 0; i < 4; ++i) fem::gradient_of(geometry, i, gradient[i]);
    for (int c = 0; c < 9; ++c) {
      Real sum = Real(0);
      for (int k = 0; k < 4; ++k) sum += all.tensor[9 * std::int64_t{all.node(e, k)} + c];
      mean[c] = geometry.volume / Real(4) * sum;
    }
    for (int i = 0; i < 4; ++i) {
      for (int b = 0; b < 3; ++b) {
        flow[b] = math::fma(gradient[i][0], mean[b],
                            math::fma(gradient[i][1], mean[3 + b], gradient[i][2] * mean[6 + b]));
      }
      for (int j = 0; j < 4; ++j) matrix[i][j] = fem::dot(flow, gradient[j]);
    }
    all.put(e, matrix);
  }
};

/// get_edge_lengths by a system of six unknowns and its eigenvectors.
template <class Real>
struct EdgesBySystem {
  Elements<Real> all;
  ULPINE_HD void operator()(std::int64_t e) const {
    Real edge[3][3], h[6];
    all.edges(e, edge);
    fem::get_edge_lengths(edge, h);
    for (int c = 0; c < 6; ++c) all.put(e, c, h[c]);
  }
};
/// By the polar decomposition.
template <class Real>
struct EdgesByPolar {
  Elements<Real> all;
  ULPINE_HD void operator()(std::int64_t e) const {
    Real edge[3][3], h[6];
    all.edges(e, edge);
    fem::edge_length_tensor(edge, h);
    for (int c = 0; c < 6; ++c) all.put(e, c, h[c]);
  }
};

/// Launches, in routines_host.cpp and routines.cu.
enum class Routine { by_element, by_number, transform, stored, at_once, closed, system, polar };
template <class Real, class Executor>
void run(Executor executor, Routine routine, Elements<Real> const& all);

}  // namespace ulpine::bench
