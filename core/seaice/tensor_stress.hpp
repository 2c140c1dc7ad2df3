// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "core/seaice/dynamics.hpp"
#include "precision/tf32_block.hpp"

/// Strain and stress of `tf32` with cG2 where all cells share their matrices: the products are what tensor
/// cores give, to the bit, on the host and wherever the device has no such cores (tensor_stress.cuh has the
/// kernels for them).
///
/// The part that is constant over a cell is kept out of the products: velocities and stresses are taken from
/// the cell's centre, whose nodes and points the cG2 space has (a gradient is none of a constant; a constant
/// projects to mode 0), and the strain's mode 0 is where sums begin, in float. Each product then has eight
/// terms, one block of the tensor core.
///
/// A TF32 operand has 11 bits, of which cG2 loses more of its answer than it may
/// (docs/results/seaice-tf32.md); so each is taken in two terms, x = x_high + x_low, and a product in three,
/// x_high m_high + x_high m_low + x_low m_high: the tensor cores, which would else wait for memory, have the
/// time.
namespace ulpine::seaice {

template <class P, class S, class Matrices>
concept OnTensorCores =
    RoundsVariations<P> && std::same_as<typename P::Compute, decltype(Tf32::round({}))> && S::cg == 2 &&
    std::same_as<Matrices, SharedMatrices<typename P::Compute, StressLayout<S>::count>>;

namespace tensor {

/// The index of the middle one of a cell's nine nodes or points, and the number of those about it.
inline constexpr int centre = 4, about = 8;
ULPINE_HD constexpr int about_centre(int i) { return i < centre ? i : i + 1; }

/// The columns about the centre of eight rows of nine as an operand: one row of these is a column of that.
template <class Entry>
Tf32Pair operand(Entry const& entry) {
  Tf32Pair matrix;
  for (int k = 0; k < 8; ++k) {
    for (int n = 0; n < 8; ++n) matrix.set(k, n, entry(k, n));
  }
  return matrix;
}

}  // namespace tensor

/// E11 = iMgradX (u - u_centre), E22 = iMgradY (v - v_centre), E12 = (iMgradX (v - v_centre) + iMgradY (u -
/// u_centre)) / 2.
template <class P, class S, class Matrices>
requires OnTensorCores<P, S, Matrices>
struct StrainEvaluator<P, S, Matrices> {
  using Real = typename P::Compute;

  CellLattice cells;
  NodeLattice<S::cg> nodes;
  View<typename P::State const> u, v;  ///< m s-1, at nodes
  Tf32Pair along_x, along_y;           ///< nodes about the centre x modes, m-1

  StrainEvaluator(CellLattice of_cells, NodeLattice<S::cg> of_nodes, View<typename P::State const> of_u,
                  View<typename P::State const> of_v, Matrices const& matrices)
      : cells{of_cells},
        nodes{of_nodes},
        u{of_u},
        v{of_v},
        along_x{of(matrices, StressLayout<S>::grad_x)},
        along_y{of(matrices, StressLayout<S>::grad_y)} {}

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, std::int64_t /*cell*/,
                            Tensor<Real> (&strain)[S::stress]) const {
    auto const middle = nodes.index(S::cg * ix + 1, S::cg * iy + 1);
    Tf32Operands du, dv;
#pragma GCC unroll 8
    for (int i = 0; i < tensor::about; ++i) {
      int const c = tensor::about_centre(i);
      auto const node = nodes.index(S::cg * ix + c % (S::cg + 1), S::cg * iy + c / (S::cg + 1));
      du.set(i, static_cast<Real>(u[node] - u[middle]));
      dv.set(i, static_cast<Real>(v[node] - v[middle]));
    }
    Real xx[S::stress] = {}, yy[S::stress] = {}, xy[S::stress] = {};
    du.multiply(along_x, xx);
    dv.multiply(along_y, yy);
    dv.multiply(along_x, xy);
    du.multiply(along_y, xy);
#pragma GCC unroll 8
    for (int k = 0; k < S::stress; ++k) strain[k] = {xx[k], yy[k], xy[k] / Real(2)};
  }

 private:
  static Tf32Pair of(Matrices const& matrices, int start) {
    return tensor::operand([&](int node, int mode) {
      return matrices.values[start + mode * S::nodes + tensor::about_centre(node)];
    });
  }
};

/// S <- S + (sigma_centre in mode 0 + iMJwPSI (sigma(E Psi) - sigma_centre) - S) / alpha.
template <class P, class S, class Matrices, class Rheology>
requires OnTensorCores<P, S, Matrices>
struct StressRelaxer<P, S, Matrices, Rheology> {
  using Real = typename P::Compute;

  CellLattice cells;
  View<Real const> coefficient;  ///< of the rheology, one plane a quadrature point
  Tf32Pair at_points;            ///< modes x points about the centre; of mode 0, which is no term, zeros
  Tf32Pair at_centre;            ///< modes x the centre, in all columns
  Tf32Pair projection;           ///< points about the centre x modes
  Rheology rheology;
  Real inverse_alpha;
  TensorField<Real> stress;  ///< N m-1

  StressRelaxer(CellLattice of_cells, View<Real const> of_rheology, Matrices const& matrices,
                BasisTable<Real, S::stress, S::gauss> const& psi, Rheology const& law, Real rate,
                TensorField<Real> of_stress)
      : cells{of_cells},
        coefficient{of_rheology},
        at_points{tensor::operand([&](int mode, int point) {
          return mode == 0 ? Real(0) : psi.value[mode][tensor::about_centre(point)];
        })},
        at_centre{tensor::operand(
            [&](int mode, int) { return mode == 0 ? Real(0) : psi.value[mode][tensor::centre]; })},
        projection{tensor::operand([&](int point, int mode) {
          return matrices.values[StressLayout<S>::project + mode * S::gauss + tensor::about_centre(point)];
        })},
        rheology{law},
        inverse_alpha{rate},
        stress{of_stress} {}

  ULPINE_HD void operator()(std::int64_t cell, Tensor<Real> const (&strain)[S::stress]) const {
    Component xx, yy, xy;
#pragma GCC unroll 8
    for (int k = 0; k < S::stress; ++k) {
      xx.operands.set(k, strain[k].xx);
      yy.operands.set(k, strain[k].yy);
      xy.operands.set(k, strain[k].xy);
    }
    evaluate(strain[0].xx, xx);
    evaluate(strain[0].yy, yy);
    evaluate(strain[0].xy, xy);
    auto const plane = cells.plane();
    auto const middle = rheology.stress(Tensor<Real>{xx.middle, yy.middle, xy.middle},
                                        coefficient[tensor::centre * plane + cell]);
#pragma GCC unroll 8
    for (int i = 0; i < tensor::about; ++i) {
      auto const s = rheology.stress(Tensor<Real>{xx.sums[i], yy.sums[i], xy.sums[i]},
                                     coefficient[tensor::about_centre(i) * plane + cell]);
      xx.operands.set(i, s.xx - middle.xx);
      yy.operands.set(i, s.yy - middle.yy);
      xy.operands.set(i, s.xy - middle.xy);
    }
    relax(middle.xx, xx, stress.xx + cell);
    relax(middle.yy, yy, stress.yy + cell);
    relax(middle.xy, xy, stress.xy + cell);
  }

 private:
  /// One component of a tensor in a cell: operands of the next product and the sums of the last one.
  struct Component {
    Tf32Operands operands;
    Real sums[8], middle;
  };

  ULPINE_HD void evaluate(Real mean, Component& e) const {
#pragma GCC unroll 8
    for (int i = 0; i < tensor::about; ++i) e.sums[i] = mean;
    e.operands.multiply(at_points, e.sums);
    e.middle = e.operands.multiply(at_centre, 0, mean);
  }
  ULPINE_HD void relax(Real middle, Component& s, Real* values) const {
#pragma GCC unroll 8
    for (int k = 0; k < S::stress; ++k) s.sums[k] = k == 0 ? middle : Real(0);
    s.operands.multiply(projection, s.sums);
#pragma GCC unroll 8
    for (int k = 0; k < S::stress; ++k) {
      Real& value = values[k * cells.plane()];
      value = math::fma(inverse_alpha, s.sums[k] - value, value);
    }
  }
};

}  // namespace ulpine::seaice
