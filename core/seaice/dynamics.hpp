// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "core/exec/view.hpp"
#include "core/mesh/lattice.hpp"
#include "core/seaice/constants.hpp"
#include "core/seaice/geometry.hpp"
#include "core/seaice/rheology.hpp"
#include "precision/policy.hpp"

/// Kernels of the mEVP sub-cycle (Lemieux et al. 2012, Bouillon et al. 2013, Kimmritz et al. 2016) with cG
/// velocity and dG stress. Fields of several modes are planes of CellLattice::plane() values; E and S have
/// S::stress planes a component.
///
/// The loops over modes, nodes and points are unrolled by pragma: only then does g++ vectorise over the cells
/// of a row.
namespace ulpine::seaice {

/// Element matrices that all cells share (one parallelogram): travel with the kernel.
template <class Real, int n>
struct SharedMatrices {
  static constexpr int count = n;
  Real values[n];
  ULPINE_HD Real operator()(int entry, std::int64_t /*cell*/) const { return values[entry]; }
};

/// Element matrices stored for each cell, one plane an entry.
template <class Real, int n>
struct CellMatrices {
  static constexpr int count = n;
  Real const* values;
  std::int64_t plane;
  ULPINE_HD Real operator()(int entry, std::int64_t cell) const { return values[entry * plane + cell]; }
};

/// Values of a basis at quadrature points.
template <class Real, int modes, int points>
struct BasisTable {
  Real value[modes][points];
};

/// Operands of products are the variation within a cell; what is constant over it is not rounded. So it is
/// where tensor cores are made for: tensor_stress.hpp says why.
template <class P, class S>
concept RoundsVariations = S::cg == 2 && std::same_as<typename P::Multiplicand, Tf32>;

/// A symmetric tensor field: three times S::stress planes.
template <class T>
struct TensorField {
  T *xx, *yy, *xy;
};

/// Strain rates of a cell: E11 = iMgradX u, E22 = iMgradY v, E12 = (iMgradX v + iMgradY u) / 2.
template <class P, class S, class Matrices>
struct StrainEvaluator {
  using Real = typename P::Compute;
  using Format = typename P::Multiplicand;

  CellLattice cells;
  NodeLattice<S::cg> nodes;
  View<typename P::State const> u, v;  ///< m s-1, at nodes
  Matrices matrices;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, std::int64_t cell,
                            Tensor<Real> (&strain)[S::stress]) const {
    Real un[S::nodes], vn[S::nodes];
#pragma GCC unroll 16
    for (int c = 0; c < S::nodes; ++c) {
      auto const node = nodes.index(S::cg * ix + c % (S::cg + 1), S::cg * iy + c / (S::cg + 1));
      un[c] = Format::round(static_cast<Real>(u[node]));
      vn[c] = Format::round(static_cast<Real>(v[node]));
    }
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      Real xx = 0, yy = 0, xy = 0, yx = 0;
#pragma GCC unroll 16
      for (int c = 0; c < S::nodes; ++c) {
        Real const gx = matrices(StressLayout<S>::grad_x + k * S::nodes + c, cell);
        Real const gy = matrices(StressLayout<S>::grad_y + k * S::nodes + c, cell);
        xx = math::fma(gx, un[c], xx);
        yy = math::fma(gy, vn[c], yy);
        xy = math::fma(gx, vn[c], xy);
        yx = math::fma(gy, un[c], yx);
      }
      strain[k] = {xx, yy, (xy + yx) / Real(2)};
    }
  }
};

/// Stress of a cell after one pseudo-time step: S <- S + (iMJwPSI sigma(E Psi) - S) / alpha.
template <class P, class S, class Matrices, class Rheology>
struct StressRelaxer {
  using Real = typename P::Compute;
  using Format = typename P::Multiplicand;

  CellLattice cells;
  View<Real const> coefficient;  ///< of the rheology, one plane a quadrature point
  Matrices matrices;
  BasisTable<Real, S::stress, S::gauss> psi;
  Rheology rheology;
  Real inverse_alpha;
  TensorField<Real> stress;  ///< N m-1

  ULPINE_HD void operator()(std::int64_t cell, Tensor<Real> const (&strain)[S::stress]) const {
    auto const plane = cells.plane();
    // All loads come before the first store: the compiler must take a store for a change of any later load,
    // and a thread would wait for memory once a mode and component.
    Real local[S::gauss];
#pragma GCC unroll 16
    for (int q = 0; q < S::gauss; ++q) {
      local[q] = coefficient[q * plane + cell];
    }
    Tensor<Real> old[S::stress];
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      auto const at = k * plane + cell;
      old[k] = {stress.xx[at], stress.yy[at], stress.xy[at]};
    }
    Tensor<Real> sigma[S::gauss];
#pragma GCC unroll 16
    for (int q = 0; q < S::gauss; ++q) {
      Tensor<Real> e{0, 0, 0};
#pragma GCC unroll 16
      for (int k = 0; k < S::stress; ++k) {
        e.xx = math::fma(psi.value[k][q], Format::round(strain[k].xx), e.xx);
        e.yy = math::fma(psi.value[k][q], Format::round(strain[k].yy), e.yy);
        e.xy = math::fma(psi.value[k][q], Format::round(strain[k].xy), e.xy);
      }
      auto const s = rheology.stress(e, local[q]);
      sigma[q] = {Format::round(s.xx), Format::round(s.yy), Format::round(s.xy)};
    }
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      Tensor<Real> target{0, 0, 0};
#pragma GCC unroll 16
      for (int q = 0; q < S::gauss; ++q) {
        Real const weight = matrices(StressLayout<S>::project + k * S::gauss + q, cell);
        target.xx = math::fma(weight, sigma[q].xx, target.xx);
        target.yy = math::fma(weight, sigma[q].yy, target.yy);
        target.xy = math::fma(weight, sigma[q].xy, target.xy);
      }
      auto const at = k * plane + cell;
      stress.xx[at] = math::fma(inverse_alpha, target.xx - old[k].xx, old[k].xx);
      stress.yy[at] = math::fma(inverse_alpha, target.yy - old[k].yy, old[k].yy);
      stress.xy[at] = math::fma(inverse_alpha, target.xy - old[k].xy, old[k].xy);
    }
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
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      auto const at = k * evaluate.cells.plane() + cell;
      strain.xx[at] = local[k].xx;
      strain.yy[at] = local[k].yy;
      strain.xy[at] = local[k].xy;
    }
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
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      auto const at = k * relax.cells.plane() + cell;
      local[k] = {strain.xx[at], strain.yy[at], strain.xy[at]};
    }
    relax(cell, local);
  }
};

/// Stages seaice.strain and seaice.stress in one pass; the strain rate is not stored.
template <class P, class S, class Matrices, class Rheology>
struct StrainStressUpdate {
  StrainEvaluator<P, S, Matrices> evaluate;
  StressRelaxer<P, S, Matrices, Rheology> relax;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = relax.cells.index(ix, iy);
    Tensor<typename P::Compute> local[S::stress];
    evaluate(ix, iy, cell, local);
    relax(cell, local);
  }
};

/// A cell's share of the weak divergence at one of its nodes, -int sigma : grad phi (N).
template <class P, class S, class Matrices>
struct CellForce {
  using Real = typename P::Compute;

  CellLattice cells;
  TensorField<Real const> stress;
  Matrices matrices;  ///< of DivergenceLayout

  struct Force {
    Real x, y;
  };

  ULPINE_HD Force operator()(std::int64_t cell, int local) const {
    Real x = 0, y = 0;
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      auto const at = k * cells.plane() + cell;
      Real const dx = matrices(DivergenceLayout<S>::x + local * S::stress + k, cell);
      Real const dy = matrices(DivergenceLayout<S>::y + local * S::stress + k, cell);
      Real const xy = stress.xy[at];
      x = math::fma(dx, stress.xx[at], math::fma(dy, xy, x));
      y = math::fma(dx, xy, math::fma(dy, stress.yy[at], y));
    }
    return {-x, -y};
  }
};

/// Force at a node, summed over its cells in the order of memory.
template <class P, class S, class Matrices>
struct ForceGatherer {
  using Sum = typename P::Accumulate;

  CellForce<P, S, Matrices> force;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, Sum& x, Sum& y) const {
    Sum sum_x = 0, sum_y = 0;
    for_cells_of_node<S::cg>(force.cells, ix, iy, [&](std::int64_t cell, int local) {
      auto const f = force(cell, local);
      sum_x += static_cast<Sum>(f.x);
      sum_y += static_cast<Sum>(f.y);
    });
    x = sum_x;
    y = sum_y;
  }
};

/// Stage seaice.divergence, deterministic.
template <class P, class S, class Matrices>
struct DivergenceGather {
  ForceGatherer<P, S, Matrices> gather;
  NodeLattice<S::cg> nodes;
  View<typename P::Accumulate> force_x, force_y;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const node = nodes.index(ix, iy);
    typename P::Accumulate x, y;
    gather(ix, iy, x, y);
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

/// Momentum at a node, semi-implicit in the water drag, Coriolis with the old velocity (Jacobi), as an
/// increment so that low precision loses nothing of a small change:
///
/// v <- v + [ r (v0 - v) + c (v_o - v) + f k x (v_o - v) + A tau_a + F/m ] / [ r (1 + beta) + c ],
///
/// r = rho_i H / dt, c = A rho_o C_o |v_o - v|, f = rho_i H f_c.
template <class Real>
struct Momentum {
  View<Real const> u0, v0;            ///< velocity before the sub-cycle, m s-1
  View<Real const> ocean_u, ocean_v;  ///< m s-1
  View<Real const> wind_x, wind_y;    ///< A rho_a C_a |v_a| v_a, N m-2
  View<Real const> h, a;              ///< nodal H (m) and A
  View<Real const> inverse_mass;      ///< 1 / lumped mass, m-2
  Real mass_rate;                     ///< rho_ice / dt, kg m-3 s-1
  Real coriolis;                      ///< rho_ice f_c, kg m-3 s-1
  Real drag;                          ///< rho_o C_o, kg m-3
  Real beta;

  ULPINE_HD void operator()(std::int64_t node, Real force_x, Real force_y, Real& u, Real& v) const {
    Real const height = h[node];
    Real const rate = mass_rate * height;
    Real const du = ocean_u[node] - u, dv = ocean_v[node] - v;
    Real const water = a[node] * drag * math::sqrt(math::fma(du, du, dv * dv));
    Real const turn = coriolis * height;
    Real const scale = Real(1) / math::fma(rate, Real(1) + beta, water);
    Real const per_mass = inverse_mass[node];
    Real const push_x =
        math::fma(rate, u0[node] - u,
                  math::fma(water, du, math::fma(-turn, dv, math::fma(force_x, per_mass, wind_x[node]))));
    Real const push_y =
        math::fma(rate, v0[node] - v,
                  math::fma(water, dv, math::fma(turn, du, math::fma(force_y, per_mass, wind_y[node]))));
    u = math::fma(push_x, scale, u);
    v = math::fma(push_y, scale, v);
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
    auto const node = nodes.index(ix, iy);
    typename P::Accumulate x, y;
    gather(ix, iy, x, y);
    Real un = u[node], vn = v[node];
    momentum(node, static_cast<Real>(x), static_cast<Real>(y), un, vn);
    bool const free = moves[node] != 0;
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
    auto const plane = cells.plane();
    bool const is_sea = sea[cell] != 0;
    auto const update = [&](int q) {
      Real height = 0, concentration = 0;
#pragma GCC unroll 16
      for (int m = 0; m < S::dg; ++m) {
        auto const operand = [&](auto const& tracer) {
          auto const value = static_cast<Real>(tracer[m * plane + cell]);
          return RoundsVariations<P, S> && m == 0 ? value : Format::round(value);
        };
        height = math::fma(psi.value[m][q], operand(h), height);
        concentration = math::fma(psi.value[m][q], operand(a), concentration);
      }
      height = math::max(height, Real(0));
      concentration = math::min(math::max(concentration, Real(0)), Real(1));
      Real const value = rheology.coefficient(height, concentration);
      coefficient[q * plane + cell] = is_sea ? value : Real(0);
    };
    if constexpr (S::gauss == 4) {
#pragma GCC unroll 4
      for (int q = 0; q < S::gauss; ++q) update(q);
    } else {  // nine copies of an exponential, once a step, are not worth their compilation
#pragma GCC unroll 1
      for (int q = 0; q < S::gauss; ++q) update(q);
    }
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
