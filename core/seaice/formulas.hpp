// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "core/seaice/constants.hpp"
#include "core/seaice/geometry.hpp"
#include "core/seaice/rheology.hpp"
#include "precision/policy.hpp"

/// The formulas of the mEVP sub-cycle at one cell or node, on plain values: the kernels that stream through
/// memory (dynamics.hpp) and those that keep several sub-steps on chip (substeps.hpp) move data and call
/// these.
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

/// Element matrices whose entries can be asked for; those made on the fly have formulas of their own
/// (shape_maps.hpp).
template <class Matrices>
concept HaveEntries = requires(Matrices const& matrices, int entry, std::int64_t cell) {
  matrices(entry, cell);
};

/// Values of a basis at quadrature points.
template <class Real, int modes, int points>
struct BasisTable {
  Real value[modes][points];
};

/// The modes of a cell, each in a plane of a field: the first plane's value is number `cell`.
template <int n, class Field, class Real>
ULPINE_HD inline void load_modes(Field const& field, std::int64_t plane, std::int64_t cell,
                                 Real (&values)[n]) {
#pragma GCC unroll 16
  for (int m = 0; m < n; ++m) values[m] = field[m * plane + cell];
}
template <int n, class Field, class Real>
ULPINE_HD inline void store_modes(Real const (&values)[n], std::int64_t plane, std::int64_t cell,
                                  Field const& field) {
#pragma GCC unroll 16
  for (int m = 0; m < n; ++m) field[m * plane + cell] = values[m];
}

/// Where the operands of products are rounded to TF32, they are the variation within a cell: velocities and
/// stresses from those in the middle of it; the means of strain rate, H and A are where sums begin. A
/// gradient is none of a constant, and a constant projects to mode 0, so that the products are the same but
/// for rounding. Of a whole velocity of 0.1 m s-1 11 bits lose up to 3e-5 m s-1, over a cell of 4 km a strain
/// rate of 8e-9 s-1, four times Delta_min (docs/results/seaice-tf32.md).
template <class P>
concept RoundsVariations = std::same_as<typename P::Multiplicand, Tf32>;

/// Whether a policy is built for every space. Each costs seconds of compilation a space: those that round
/// whole operands are built on the plane for cG1 with 1 and 3 unknowns a cell alone.
template <class P>
inline constexpr bool in_every_space = std::same_as<typename P::Multiplicand, Exact> || RoundsVariations<P>;

/// Strain rates of a cell from the velocity (m s-1) at its nodes: E11 = iMgradX u, E22 = iMgradY v, E12 =
/// (iMgradX v + iMgradY u) / 2; on the sphere E11 has the further term -iMM v, E12 the term iMM u / 2.
template <class P, class S, HaveEntries Matrices, class Real>
ULPINE_HD inline void strain_rate(Matrices const& matrices, std::int64_t cell, Real const (&u)[S::nodes],
                                  Real const (&v)[S::nodes], Tensor<Real> (&strain)[S::stress]) {
  using Format = typename P::Multiplicand;
  constexpr int middle = S::nodes / 2;
  Real un[S::nodes], vn[S::nodes], du[S::nodes], dv[S::nodes];
#pragma GCC unroll 16
  for (int c = 0; c < S::nodes; ++c) {
    un[c] = Format::round(u[c]);
    vn[c] = Format::round(v[c]);
    du[c] = RoundsVariations<P> ? Format::round(u[c] - u[middle]) : un[c];
    dv[c] = RoundsVariations<P> ? Format::round(v[c] - v[middle]) : vn[c];
  }
  // Where it leaves this loop rolled, nvcc 13.0 takes strain[0].xx of numbers of two floats for undefined.
#if defined(__CUDA_ARCH__)
#pragma unroll
#else
#pragma GCC unroll 16
#endif
  for (int k = 0; k < S::stress; ++k) {
    Real xx = 0, yy = 0, xy = 0, yx = 0;
#pragma GCC unroll 16
    for (int c = 0; c < S::nodes; ++c) {
      Real const gx = matrices(StressLayout<S>::grad_x + k * S::nodes + c, cell);
      Real const gy = matrices(StressLayout<S>::grad_y + k * S::nodes + c, cell);
      xx = math::fma(gx, du[c], xx);
      yy = math::fma(gy, dv[c], yy);
      xy = math::fma(gx, dv[c], xy);
      yx = math::fma(gy, du[c], yx);
      if constexpr (S::spherical) {
        Real const turn = matrices(StressLayout<S>::turn + k * S::nodes + c, cell);
        xx = math::fma(-turn, vn[c], xx);
        yx = math::fma(turn, un[c], yx);
      }
    }
    strain[k] = {xx, yy, (xy + yx) / Real(2)};
  }
}

/// Stress of a cell (N m-1) after one pseudo-time step: S <- S + (iMJwPSI sigma(E Psi) - S) / alpha.
/// `coefficient`: of the rheology at the quadrature points.
template <class P, class S, HaveEntries Matrices, class Rheology, class Real>
ULPINE_HD inline void relax_stress(Matrices const& matrices, std::int64_t cell,
                                   BasisTable<Real, S::stress, S::gauss> const& psi, Rheology const& rheology,
                                   Real inverse_alpha, Tensor<Real> const (&strain)[S::stress],
                                   Real const (&coefficient)[S::gauss], Tensor<Real> (&stress)[S::stress]) {
  using Format = typename P::Multiplicand;
  auto const rounded = [](Tensor<Real> const& s) {
    return Tensor<Real>{Format::round(s.xx), Format::round(s.yy), Format::round(s.xy)};
  };
  Tensor<Real> sigma[S::gauss], constant{0, 0, 0};
#pragma GCC unroll 16
  for (int q = 0; q < S::gauss; ++q) {
    Tensor<Real> e{0, 0, 0};
#pragma GCC unroll 16
    for (int k = 0; k < S::stress; ++k) {
      auto const operand = [&](Real x) { return RoundsVariations<P> && k == 0 ? x : Format::round(x); };
      e.xx = math::fma(psi.value[k][q], operand(strain[k].xx), e.xx);
      e.yy = math::fma(psi.value[k][q], operand(strain[k].yy), e.yy);
      e.xy = math::fma(psi.value[k][q], operand(strain[k].xy), e.xy);
    }
    sigma[q] = rheology.stress(e, coefficient[q]);
    if constexpr (!RoundsVariations<P>) sigma[q] = rounded(sigma[q]);
  }
  if constexpr (RoundsVariations<P>) {
    constant = sigma[S::gauss / 2];
#pragma GCC unroll 16
    for (auto& s : sigma) s = rounded({s.xx - constant.xx, s.yy - constant.yy, s.xy - constant.xy});
  }
#pragma GCC unroll 16
  for (int k = 0; k < S::stress; ++k) {
    Tensor<Real> target = RoundsVariations<P> && k == 0 ? constant : Tensor<Real>{0, 0, 0};
#pragma GCC unroll 16
    for (int q = 0; q < S::gauss; ++q) {
      Real const weight = matrices(StressLayout<S>::project + k * S::gauss + q, cell);
      target.xx = math::fma(weight, sigma[q].xx, target.xx);
      target.yy = math::fma(weight, sigma[q].yy, target.yy);
      target.xy = math::fma(weight, sigma[q].xy, target.xy);
    }
    auto& s = stress[k];
    s.xx = math::fma(inverse_alpha, target.xx - s.xx, s.xx);
    s.yy = math::fma(inverse_alpha, target.yy - s.yy, s.yy);
    s.xy = math::fma(inverse_alpha, target.xy - s.xy, s.xy);
  }
}

template <class Real>
struct Vector {
  Real x, y;
};

/// A cell's share of the weak divergence at its node `local`, -int sigma : grad phi (N): the adjoint of the
/// strain rate, on the sphere too.
template <class S, HaveEntries Matrices, class Real>
ULPINE_HD inline Vector<Real> force_at_node(Matrices const& matrices, std::int64_t cell, int local,
                                            Tensor<Real> const (&stress)[S::stress]) {
  Real x = 0, y = 0;
#pragma GCC unroll 16
  for (int k = 0; k < S::stress; ++k) {
    Real const dx = matrices(DivergenceLayout<S>::x + local * S::stress + k, cell);
    Real const dy = matrices(DivergenceLayout<S>::y + local * S::stress + k, cell);
    x = math::fma(dx, stress[k].xx, math::fma(dy, stress[k].xy, x));
    y = math::fma(dx, stress[k].xy, math::fma(dy, stress[k].yy, y));
    if constexpr (S::spherical) {
      Real const turn = matrices(DivergenceLayout<S>::turn + local * S::stress + k, cell);
      x = math::fma(turn, stress[k].xy, x);
      y = math::fma(-turn, stress[k].xx, y);
    }
  }
  return {-x, -y};
}

/// The terms of the momentum equation at a node besides the force of the stress.
template <class Real>
struct NodeValues {
  Real u0, v0;            ///< velocity before the sub-cycle, m s-1
  Real ocean_u, ocean_v;  ///< m s-1
  Real wind_x, wind_y;    ///< A rho_a C_a |v_a| v_a, N m-2
  Real h, a;              ///< nodal H (m) and A
  Real inverse_mass;      ///< 1 / lumped mass, m-2
};

/// Momentum at a node, semi-implicit in the water drag, Coriolis with the old velocity (Jacobi), as an
/// increment so that low precision loses nothing of a small change:
///
/// v <- v + [ r (v0 - v) + c (v_o - v) + f k x (v_o - v) + A tau_a + F/m ] / [ r (1 + beta) + c ],
///
/// r = rho_i H / dt, c = A rho_o C_o |v_o - v|, f = rho_i H f_c.
template <class Real>
struct MomentumLaw {
  Real mass_rate;  ///< rho_ice / dt, kg m-3 s-1
  Real coriolis;   ///< rho_ice f_c, kg m-3 s-1
  Real drag;       ///< rho_o C_o, kg m-3
  Real beta;

  ULPINE_HD void operator()(NodeValues<Real> const& node, Real force_x, Real force_y, Real& u,
                            Real& v) const {
    Real const rate = mass_rate * node.h;
    Real const du = node.ocean_u - u, dv = node.ocean_v - v;
    Real const water = node.a * drag * math::sqrt(math::fma(du, du, dv * dv));
    Real const turn = coriolis * node.h;
    Real const scale = Real(1) / math::fma(rate, Real(1) + beta, water);
    Real const push_x = math::fma(
        rate, node.u0 - u,
        math::fma(water, du, math::fma(-turn, dv, math::fma(force_x, node.inverse_mass, node.wind_x))));
    Real const push_y = math::fma(
        rate, node.v0 - v,
        math::fma(water, dv, math::fma(turn, du, math::fma(force_y, node.inverse_mass, node.wind_y))));
    u = math::fma(push_x, scale, u);
    v = math::fma(push_y, scale, v);
  }
};

}  // namespace ulpine::seaice
