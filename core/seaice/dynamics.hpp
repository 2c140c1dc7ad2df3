// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/view.hpp"
#include "core/mesh/lattice.hpp"
#include "core/seaice/formulas.hpp"

/// Kernels of the mEVP sub-cycle (Lemieux et al. 2012, Bouillon et al. 2013, Kimmritz et al. 2016) with cG
/// velocity and dG stress. Fields of several modes are planes of CellLattice::plane() values; E and S have
/// S::stress planes a component.
namespace ulpine::seaice {

/// A symmetric tensor field: three times S::stress planes.
template <class T>
struct TensorField {
  T *xx, *yy, *xy;

  template <int n, class Real>
  ULPINE_HD void load(std::int64_t plane, std::int64_t cell, Tensor<Real> (&values)[n]) const {
#pragma GCC unroll 16
    for (int k = 0; k < n; ++k) {
      auto const at = k * plane + cell;
      values[k] = {xx[at], yy[at], xy[at]};
    }
  }
  template <int n, class Real>
  ULPINE_HD void store(Tensor<Real> const (&values)[n], std::int64_t plane, std::int64_t cell) const {
#pragma GCC unroll 16
    for (int k = 0; k < n; ++k) {
      auto const at = k * plane + cell;
      xx[at] = values[k].xx;
      yy[at] = values[k].yy;
      xy[at] = values[k].xy;
    }
  }
};

/// Strain rates of a cell from the velocity in memory.
template <class P, class S, class Matrices>
struct StrainEvaluator {
  using Real = typename P::Compute;

  CellLattice cells;
  NodeLattice<S::cg> nodes;
  View<typename P::State const> u, v;  ///< m s-1, at nodes
  Matrices matrices;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, std::int64_t cell,
                            Tensor<Real> (&strain)[S::stress]) const {
    (*this)(matrices, ix, iy, cell, strain);
  }
  /// Takes `element`, which was made of the matrices for the cell.
  template <class Element>
  ULPINE_HD void operator()(Element const& element, std::int32_t ix, std::int32_t iy, std::int64_t cell,
                            Tensor<Real> (&strain)[S::stress]) const {
    Real un[S::nodes], vn[S::nodes];
#pragma GCC unroll 16
    for (int c = 0; c < S::nodes; ++c) {
      auto const node = nodes.index(S::cg * ix + c % (S::cg + 1), S::cg * iy + c / (S::cg + 1));
      un[c] = static_cast<Real>(u[node]);
      vn[c] = static_cast<Real>(v[node]);
    }
    strain_rate<P, S>(element, cell, un, vn, strain);
  }
};

/// One pseudo-time step of the stress in memory.
template <class P, class S, class Matrices, class Rheology>
struct StressRelaxer {
  using Real = typename P::Compute;

  CellLattice cells;
  View<Real const> coefficient;  ///< of the rheology, one plane a quadrature point
  Matrices matrices;
  BasisTable<Real, S::stress, S::gauss> psi;
  Rheology rheology;
  Real inverse_alpha;
  TensorField<Real> stress;  ///< N m-1

  ULPINE_HD void operator()(std::int64_t cell, Tensor<Real> const (&strain)[S::stress]) const {
    (*this)(matrices, cell, strain);
  }
  /// Takes `element`, which was made of the matrices for the cell.
  template <class Element>
  ULPINE_HD void operator()(Element const& element, std::int64_t cell,
                            Tensor<Real> const (&strain)[S::stress]) const {
    auto const plane = cells.plane();
    // All loads come before the first store: the compiler must take a store for a change of any later load,
    // and a thread would wait for memory once a mode and component.
    Real local[S::gauss];
    load_modes(coefficient, plane, cell, local);
    Tensor<Real> values[S::stress];
    stress.load(plane, cell, values);
    relax_stress<P, S>(element, cell, psi, rheology, inverse_alpha, strain, local, values);
    stress.store(values, plane, cell);
  }
};

/// Stage seaice.strain.
template <class P, class S, class Matrices>
struct StrainUpdate {
  StrainEvaluator<P, S, Matrices> evaluate;
  TensorField<typename P::Compute> strain;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = evaluate.cells.index(ix, iy);
    Tensor<typename P::Compute> local[S::stress];
    evaluate(ix, iy, cell, local);
    strain.store(local, evaluate.cells.plane(), cell);
  }
};

/// Stage seaice.stress.
template <class P, class S, class Matrices, class Rheology>
struct StressUpdate {
  StressRelaxer<P, S, Matrices, Rheology> relax;
  TensorField<typename P::Compute const> strain;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = relax.cells.index(ix, iy);
    Tensor<typename P::Compute> local[S::stress];
    strain.load(relax.cells.plane(), cell, local);
    relax(cell, local);
  }
};

/// Stages seaice.strain and seaice.stress in one pass; the strain rate is not stored.
template <class P, class S, class Matrices, class Rheology>
struct StrainStressUpdate {
  /// In double precision the kernel waits for memory with two blocks and spills with four.
  static constexpr int least_resident_blocks = sizeof(typename P::Compute) == 8 && S::cg == 1 ? 3 : 1;

  StrainEvaluator<P, S, Matrices> evaluate;
  StressRelaxer<P, S, Matrices, Rheology> relax;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = relax.cells.index(ix, iy);
    Tensor<typename P::Compute> local[S::stress];
    if constexpr (requires { relax.matrices.element(cell); }) {  // made on the fly, once for both
      auto const element = relax.matrices.element(cell);
      evaluate(element, ix, iy, cell, local);
      relax(element, cell, local);
    } else {
      evaluate(ix, iy, cell, local);
      relax(cell, local);
    }
  }
};

/// A cell's force at one of its nodes from the stress in memory.
template <class P, class S, class Matrices>
struct CellForce {
  using Real = typename P::Compute;

  CellLattice cells;
  TensorField<Real const> stress;
  Matrices matrices;  ///< of DivergenceLayout

  ULPINE_HD Vector<Real> operator()(std::int64_t cell, int local) const {
    Tensor<Real> values[S::stress];
    stress.load(cells.plane(), cell, values);
    return force_at_node<S>(matrices, cell, local, values);
  }
};

/// Force at a node, summed over its cells in the order of memory.
template <class P, class S, class Matrices>
struct ForceGatherer {
  using Sum = typename P::Accumulate;

  CellForce<P, S, Matrices> force;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, Sum& x, Sum& y) const {
    x = y = 0;
    for_cells_of_node<S::cg>(force.cells, ix, iy, adder(x, y));
  }
  /// At the four nodes of a block (NodeBlocks), x fastest.
  ULPINE_HD void at_block(std::int32_t cx, std::int32_t cy, Sum (&x)[4], Sum (&y)[4]) const {
    at<0, 0>(cx, cy, x[0], y[0]);
    at<1, 0>(cx, cy, x[1], y[1]);
    at<0, 1>(cx, cy, x[2], y[2]);
    at<1, 1>(cx, cy, x[3], y[3]);
  }

 private:
  template <int i, int j>
  ULPINE_HD void at(std::int32_t cx, std::int32_t cy, Sum& x, Sum& y) const {
    x = y = 0;
    for_cells_of_block_node<S::cg, i, j>(force.cells, cx, cy, adder(x, y));
  }
  ULPINE_HD auto adder(Sum& x, Sum& y) const {
    return [this, &x, &y](std::int64_t cell, int local) {
      auto const f = force(cell, local);
      x += static_cast<Sum>(f.x);
      y += static_cast<Sum>(f.y);
    };
  }
};

/// Stage seaice.divergence, deterministic.
template <class P, class S, class Matrices>
struct DivergenceGather {
  ForceGatherer<P, S, Matrices> gather;
  NodeLattice<S::cg> nodes;
  View<typename P::Accumulate> force_x, force_y;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    typename P::Accumulate x, y;
    gather(ix, iy, x, y);
    put(nodes.index(ix, iy), x, y);
  }
  ULPINE_HD void block(std::int32_t cx, std::int32_t cy) const {
    typename P::Accumulate x[4], y[4];
    gather.at_block(cx, cy, x, y);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) put(nodes.index(2 * cx + k % 2, 2 * cy + k / 2), x[k], y[k]);
  }

 private:
  ULPINE_HD void put(std::int64_t node, typename P::Accumulate x, typename P::Accumulate y) const {
    force_x[node] = x;
    force_y[node] = y;
  }
};

/// Stage seaice.divergence, atomic; the targets start from zero.
template <class P, class S, class Matrices, class Executor>
struct DivergenceScatter {
  static constexpr bool scatters = true;
  using Sum = typename P::Accumulate;

  CellForce<P, S, Matrices> force;
  NodeLattice<S::cg> nodes;
  View<Sum> force_x, force_y;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = force.cells.index(ix, iy);
#pragma GCC unroll 16
    for (int c = 0; c < S::nodes; ++c) {
      auto const node = nodes.index(S::cg * ix + c % (S::cg + 1), S::cg * iy + c / (S::cg + 1));
      auto const f = force(cell, c);
      Executor::atomic_add(force_x[node], static_cast<Sum>(f.x));
      Executor::atomic_add(force_y[node], static_cast<Sum>(f.y));
    }
  }
};

/// The momentum equation at the nodes with its fields.
template <class Real>
struct Momentum {
  View<Real const> u0, v0;            ///< velocity before the sub-cycle, m s-1
  View<Real const> ocean_u, ocean_v;  ///< m s-1
  View<Real const> wind_x, wind_y;    ///< A rho_a C_a |v_a| v_a, N m-2
  View<Real const> h, a;              ///< nodal H (m) and A
  View<Real const> inverse_mass;      ///< 1 / lumped mass, m-2
  MomentumLaw<Real> law;

  ULPINE_HD NodeValues<Real> at(std::int64_t node) const {
    return {u0[node],     v0[node], ocean_u[node], ocean_v[node],     wind_x[node],
            wind_y[node], h[node],  a[node],       inverse_mass[node]};
  }
  ULPINE_HD void operator()(std::int64_t node, Real force_x, Real force_y, Real& u, Real& v) const {
    law(at(node), force_x, force_y, u, v);
  }
};

/// Stage seaice.velocity from stored forces. All nodes move; seaice.boundary stops those that may not.
template <class P, class S>
struct VelocityUpdate {
  using Real = typename P::State;

  Momentum<Real> momentum;
  NodeLattice<S::cg> nodes;
  View<typename P::Accumulate const> force_x, force_y;
  View<Real> u, v;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const node = nodes.index(ix, iy);
    Real un = u[node], vn = v[node];
    momentum(node, static_cast<Real>(force_x[node]), static_cast<Real>(force_y[node]), un, vn);
    u[node] = un;
    v[node] = vn;
  }
};

/// Stage seaice.boundary: no slip at coasts and at the edge of the domain; nodes on land stand still.
template <class Real, class S>
struct BoundaryStop {
  NodeLattice<S::cg> nodes;
  View<std::uint8_t const> moves;
  View<Real> u, v;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const node = nodes.index(ix, iy);
    bool const free = moves[node] != 0;
    u[node] = free ? u[node] : Real(0);
    v[node] = free ? v[node] : Real(0);
  }
};

/// Stages seaice.divergence (deterministic), seaice.velocity and seaice.boundary in one pass; the force is
/// not stored.
template <class P, class S, class Matrices>
struct DivergenceVelocityUpdate {
  using Real = typename P::State;

  ForceGatherer<P, S, Matrices> gather;
  Momentum<Real> momentum;
  NodeLattice<S::cg> nodes;
  View<std::uint8_t const> moves;
  View<Real> u, v;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    typename P::Accumulate x, y;
    gather(ix, iy, x, y);
    move<true>(nodes.index(ix, iy), x, y);
  }
  ULPINE_HD void block(std::int32_t cx, std::int32_t cy) const {
    typename P::Accumulate x[4], y[4];  // all before a velocity is stored, which may change what is loaded
    gather.at_block(cx, cy, x, y);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) move<false>(nodes.index(2 * cx + k % 2, 2 * cy + k / 2), x[k], y[k]);
  }
  ULPINE_HD void stop(std::int32_t ix, std::int32_t iy) const {
    auto const node = nodes.index(ix, iy);
    if (moves[node] == 0) {
      u[node] = Real(0);
      v[node] = Real(0);
    }
  }

 private:
  template <bool stops>
  ULPINE_HD void move(std::int64_t node, typename P::Accumulate x, typename P::Accumulate y) const {
    Real un = u[node], vn = v[node];
    momentum(node, static_cast<Real>(x), static_cast<Real>(y), un, vn);
    bool const free = !stops || moves[node] != 0;
    u[node] = free ? un : Real(0);
    v[node] = free ? vn : Real(0);
  }
};

/// Stage seaice.strength: the rheology's coefficient at the quadrature points, from H and A of the step; zero
/// on land.
template <class P, class S, class Rheology>
struct StrengthUpdate {
  using Real = typename P::Compute;
  using Format = typename P::Multiplicand;

  CellLattice cells;
  View<typename P::State const> h, a;  ///< dG coefficients
  View<std::uint8_t const> sea;        ///< per cell of the plane
  BasisTable<Real, S::dg, S::gauss> psi;
  Rheology rheology;
  View<Real> coefficient;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    bool const is_sea = sea[cell] != 0;
    if constexpr (S::gauss == 4) {
#pragma GCC unroll 4
      for (int q = 0; q < S::gauss; ++q) update(cell, is_sea, q);
    } else {  // nine copies of an exponential, once a step, are not worth their compilation
#pragma GCC unroll 1
      for (int q = 0; q < S::gauss; ++q) update(cell, is_sea, q);
    }
  }
  /// At one point of a cell: its rows are vectors, with one copy of the exponential.
  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, std::int32_t q) const {
    auto const cell = cells.index(ix, iy);
    update(cell, sea[cell] != 0, q);
  }

 private:
  ULPINE_HD void update(std::int64_t cell, bool is_sea, int q) const {
    auto const plane = cells.plane();
    Real height = 0, concentration = 0;
#pragma GCC unroll 16
    for (int m = 0; m < S::dg; ++m) {
      auto const operand = [&](auto const& tracer) {
        auto const value = static_cast<Real>(tracer[m * plane + cell]);
        return RoundsVariations<P> && m == 0 ? value : Format::round(value);
      };
      height = math::fma(psi.value[m][q], operand(h), height);
      concentration = math::fma(psi.value[m][q], operand(a), concentration);
    }
    height = math::max(height, Real(0));
    concentration = math::min(math::max(concentration, Real(0)), Real(1));
    Real const value = rheology.coefficient(height, concentration);
    coefficient[q * plane + cell] = is_sea ? value : Real(0);
  }
};

/// Cell mean of the shear rate sqrt((e11 - e22)^2 + 4 e12^2) (s-1), by the stress's quadrature on the
/// reference square.
template <class P, class S>
struct ShearMean {
  using Real = typename P::Compute;

  CellLattice cells;
  TensorField<Real const> strain;
  BasisTable<Real, S::stress, S::gauss> psi;
  Real weight[S::gauss];
  View<Real> shear;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    Real mean = 0;
#pragma GCC unroll 16
    for (int q = 0; q < S::gauss; ++q) {
      Tensor<Real> e{0, 0, 0};
#pragma GCC unroll 16
      for (int k = 0; k < S::stress; ++k) {
        auto const at = k * cells.plane() + cell;
        e.xx = math::fma(psi.value[k][q], strain.xx[at], e.xx);
        e.yy = math::fma(psi.value[k][q], strain.yy[at], e.yy);
        e.xy = math::fma(psi.value[k][q], strain.xy[at], e.xy);
      }
      Real const difference = e.xx - e.yy;
      mean = math::fma(weight[q], math::sqrt(math::fma(difference, difference, Real(4) * e.xy * e.xy)), mean);
    }
    shear[cell] = mean;
  }
};

}  // namespace ulpine::seaice
