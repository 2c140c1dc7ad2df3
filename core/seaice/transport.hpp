// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/view.hpp"
#include "core/mesh/lattice.hpp"
#include "core/seaice/constants.hpp"
#include "precision/elementary.hpp"

/// Kernels of one model step outside the sub-cycle and the advection: limiting, nodal averages and forcing.
namespace ulpine::seaice {

/// How far a dG polynomial is taken to leave its mean when it is limited.
enum class LimiterKind {
  exact,   ///< the largest value of the polynomial on the cell
  nextsim  ///< as neXtSIM-DG's code of 2024, for agreement with its numbers: four times that for three
           ///< unknowns a cell, the largest of the nine Gauss points for six
};

/// The largest value on [-1/2, 1/2]^2 of a X + b Y + d (X^2 - 1/12) + e (Y^2 - 1/12) + g XY.
template <class Real>
struct Quadratic {
  Real a, b, d, e, g;

  ULPINE_HD Real operator()(Real x, Real y) const {
    Real const twelfth = Real(1) / Real(12);
    return math::fma(a, x,
                     math::fma(b, y,
                               math::fma(d, math::fma(x, x, -twelfth),
                                         math::fma(e, math::fma(y, y, -twelfth), g * x * y))));
  }
  /// At a corner, at the top of a side that bends down or at that of the whole. A place is only ever tried:
  /// one that is no top, or was moved into the square, gives no value too large.
  ULPINE_HD Real most() const {
    Real const half = Real(1) / Real(2);
    Real value = math::max(math::max((*this)(half, half), (*this)(-half, half)),
                           math::max((*this)(half, -half), (*this)(-half, -half)));
#pragma GCC unroll 2
    for (int side = 0; side < 2; ++side) {
      Real const at = side == 0 ? -half : half;
      value = math::max(value, (*this)(top(math::fma(g, at, a), d), at));
      value = math::max(value, (*this)(at, top(math::fma(g, at, b), e)));
    }
    Real const determinant = math::fma(Real(4) * d, e, -(g * g));
    bool const bends_down = determinant > Real(0) && d < Real(0);
    Real const scale = bends_down ? determinant : Real(1);
    return math::max(value, (*this)(inside(math::fma(g, b, Real(-2) * e * a) / scale),
                                    inside(math::fma(g, a, Real(-2) * d * b) / scale)));
  }
  /// The largest value at the Gauss points of the rule with nine.
  ULPINE_HD Real most_at_points() const {
    Real const out = math::sqrt(Real(3) / Real(20));
    Real value = (*this)(Real(0), Real(0));
#pragma GCC unroll 9
    for (int p = 0; p < 9; ++p) {
      value = math::max(value, (*this)(out * Real(p % 3 - 1), out * Real(p / 3 - 1)));
    }
    return value;
  }

 private:
  ULPINE_HD static Real inside(Real x) {
    Real const half = Real(1) / Real(2);
    return math::min(math::max(x, -half), half);
  }
  /// Where slope x + bend x^2 is largest, on a side that bends down.
  ULPINE_HD static Real top(Real slope, Real bend) {
    return inside(slope / (bend < Real(0) ? Real(-2) * bend : Real(1)));
  }
};

/// Stage seaice.limit: A into [0,1], H to [0, inf): the mean is clamped, then the slopes are scaled.
template <class Real, class S>
struct Limiter {
  CellLattice cells;
  LimiterKind kind;
  View<Real> h, a;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    auto const plane = cells.plane();
    Real height[S::dg], concentration[S::dg];
    load_modes(h, plane, cell, height);
    load_modes(a, plane, cell, concentration);
    from_above(concentration, Real(1));
    from_below(concentration, Real(0));
    from_below(height, Real(0));
    store_modes(height, plane, cell, h);
    store_modes(concentration, plane, cell, a);
  }

  /// How far the polynomial leaves its mean upwards (`sign` 1) or downwards (-1).
  ULPINE_HD Real excess(Real const (&c)[S::dg], Real sign) const {
    if constexpr (S::dg == 1) {
      return Real(0);
    } else if constexpr (S::dg == 3) {
      Real const corner = math::abs(c[1]) + math::abs(c[2]);
      return kind == LimiterKind::exact ? corner / Real(2) : Real(2) * corner;
    } else {
      Quadratic<Real> const p{sign * c[1], sign * c[2], sign * c[3], sign * c[4], sign * c[5]};
      return kind == LimiterKind::exact ? p.most() : p.most_at_points();
    }
  }
  ULPINE_HD static void scale(Real (&c)[S::dg], bool apply, Real factor) {
#pragma GCC unroll 16
    for (int m = 1; m < S::dg; ++m) {
      c[m] = apply ? c[m] * factor : c[m];
    }
  }
  ULPINE_HD void from_above(Real (&c)[S::dg], Real most) const {
    c[0] = math::min(c[0], most);
    Real const reach = excess(c, Real(1));
    bool const apply = c[0] + reach > most;
    scale(c, apply, (most - c[0]) / (apply ? reach : Real(1)));
  }
  ULPINE_HD void from_below(Real (&c)[S::dg], Real least) const {
    c[0] = math::max(c[0], least);
    Real const reach = excess(c, Real(-1));
    bool const apply = c[0] - reach < least;
    scale(c, apply, (c[0] - least) / (apply ? reach : Real(1)));
  }
};

/// Cell mean of a tracer. `weights`: of the modes but the first, one plane each; empty where their means
/// vanish.
template <class Real, class Wide, class S>
struct CellMean {
  CellLattice cells;
  View<Real const> tracer;
  View<Wide const> weights;
  View<Real> mean;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    auto const plane = cells.plane();
    Wide sum = static_cast<Wide>(tracer[cell]);
    if (weights.size() != 0) {
#pragma GCC unroll 16
      for (int m = 1; m < S::dg; ++m) {
        sum += weights[(m - 1) * plane + cell] * static_cast<Wide>(tracer[m * plane + cell]);
      }
    }
    mean[cell] = static_cast<Real>(sum);
  }
};

/// dG basis at a cell's cG nodes.
template <class Real, class S>
struct NodalTables {
  Real psi[S::nodes][S::dg];
};

/// A cell's H and A at its cG nodes.
template <class Real, class S>
struct NodalEvaluator {
  CellLattice cells;
  View<Real const> h, a;
  NodalTables<Real, S> tables;

  ULPINE_HD void operator()(std::int64_t cell, int local, Real& height, Real& concentration) const {
    height = 0;
    concentration = 0;
#pragma GCC unroll 16
    for (int m = 0; m < S::dg; ++m) {
      height = math::fma(tables.psi[local][m], h[m * cells.plane() + cell], height);
      concentration = math::fma(tables.psi[local][m], a[m * cells.plane() + cell], concentration);
    }
  }
};

/// Weight of a cell in the average at a node: 1 / number of cells of the domain that share it (a power of
/// two).
template <class S>
ULPINE_HD inline int cells_at_node(NodeLattice<S::cg> const& nodes, std::int32_t ix, std::int32_t iy) {
  int const across_x = ix % S::cg == 0 && ix > 0 && ix < S::cg * nodes.nx ? 2 : 1;
  int const across_y = iy % S::cg == 0 && iy > 0 && iy < S::cg * nodes.ny ? 2 : 1;
  return across_x * across_y;
}

/// Stage seaice.nodal, deterministic: H and A at the nodes, averaged over the cells around (land counts as
/// ice-free).
template <class Real, class S>
struct NodalGather {
  NodalEvaluator<Real, S> tracers;
  NodeLattice<S::cg> nodes;
  View<Real> node_h, node_a;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    Real height = 0, concentration = 0;
    for_cells_of_node<S::cg>(tracers.cells, ix, iy, [&](std::int64_t cell, int local) {
      Real local_h, local_a;
      tracers(cell, local, local_h, local_a);
      height += local_h;
      concentration += local_a;
    });
    Real const weight = Real(1) / static_cast<Real>(cells_at_node<S>(nodes, ix, iy));
    auto const node = nodes.index(ix, iy);
    node_h[node] = weight * height;
    node_a[node] = weight * concentration;
  }
};

/// Stage seaice.nodal, atomic; the targets start from zero.
template <class Real, class S, class Executor>
struct NodalScatter {
  static constexpr bool scatters = true;

  NodalEvaluator<Real, S> tracers;
  NodeLattice<S::cg> nodes;
  View<Real> node_h, node_a;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = tracers.cells.index(ix, iy);
#pragma GCC unroll 16
    for (int c = 0; c < S::nodes; ++c) {
      std::int32_t const jx = S::cg * ix + c % (S::cg + 1), jy = S::cg * iy + c / (S::cg + 1);
      Real const weight = Real(1) / static_cast<Real>(cells_at_node<S>(nodes, jx, jy));
      Real local_h, local_a;
      tracers(cell, c, local_h, local_a);
      auto const node = nodes.index(jx, jy);
      Executor::atomic_add(node_h[node], weight * local_h);
      Executor::atomic_add(node_a[node], weight * local_a);
    }
  }
};

/// Wind over the domain; the centre of the cyclone follows from the time and is set by the host.
template <class Real>
struct Wind {
  enum class Kind { calm, uniform, cyclone };

  Kind kind = Kind::calm;
  Real u = 0, v = 0;                    ///< of uniform wind, m s-1
  Real centre_x = 0, centre_y = 0;      ///< of the cyclone, m
  Real rate = 0;                        ///< rotation rate of the cyclone at its centre, s-1
  Real reach = 1;                       ///< e-folding radius, m
  Real inflow_cos = 1, inflow_sin = 0;  ///< of the inflow angle

  /// Mehlmann et al. 2021: v_a = -s R (x - c), s = rate exp(-r / reach), R the rotation by the inflow angle.
  ULPINE_HD void operator()(Real x, Real y, Real& wind_u, Real& wind_v) const {
    if (kind == Kind::cyclone) {
      Real const dx = x - centre_x, dy = y - centre_y;
      Real const s = rate * math::exp(-math::sqrt(math::fma(dx, dx, dy * dy)) / reach);
      wind_u = -s * math::fma(inflow_cos, dx, inflow_sin * dy);
      wind_v = -s * math::fma(inflow_cos, dy, -(inflow_sin * dx));
    } else {
      wind_u = u;
      wind_v = v;
    }
  }
};

/// Stage seaice.forcing: floors of the nodal H and A, and the wind stress on the ice A rho_a C_a |v_a| v_a (N
/// m-2).
template <class Real, class S>
struct ForcingUpdate {
  NodeLattice<S::cg> nodes;
  View<Real const> node_x, node_y;
  Wind<Real> wind;
  View<Real> node_h, node_a, wind_x, wind_y;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const node = nodes.index(ix, iy);
    Real const concentration =
        math::min(math::max(node_a[node], Real(constants::least_concentration)), Real(1));
    node_a[node] = concentration;
    node_h[node] = math::max(node_h[node], Real(constants::least_height));
    Real u, v;
    wind(node_x[node], node_y[node], u, v);
    Real const drag = concentration * Real(constants::air_density * constants::air_drag) *
                      math::sqrt(math::fma(u, u, v * v));
    wind_x[node] = drag * u;
    wind_y[node] = drag * v;
  }
};

}  // namespace ulpine::seaice
