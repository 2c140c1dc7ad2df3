// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/view.hpp"
#include "core/mesh/lattice.hpp"
#include "core/mesh/spaces.hpp"
#include "core/seaice/formulas.hpp"
#include "core/seaice/geometry.hpp"

/// Kernels of the upwind dG advection of H and A. Edge fields are planes of the cell lattice: the value of a
/// vertical edge lies at the cell to its right, of a horizontal edge at the cell above it.
namespace ulpine::seaice {

/// Bases and quadrature on the sides of a cell: 0 left, 1 right, 2 bottom, 3 top.
template <class Real, class S>
struct SideTables {
  Real psi[4][S::dg][S::edge];      ///< dG basis at the side's quadrature points
  Real edge_psi[S::edge][S::edge];  ///< edge basis [mode][point]
  Real weight[S::edge];
};

/// Stage seaice.advect.velocity: L2 projection of the cG velocity to the dG space of a cell.
template <class Real, class S, class Matrices>
struct VelocityProjection {
  CellLattice cells;
  NodeLattice<S::cg> nodes;
  View<Real const> u, v;
  Matrices matrices;  ///< of TransportLayout
  View<Real> dg_u, dg_v;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    Real x[S::dg], y[S::dg];
    (*this)(ix, iy, cell, x, y);
    store(cell, x, y);
  }
  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, std::int64_t cell, Real (&x)[S::dg],
                            Real (&y)[S::dg]) const {
#pragma GCC unroll 16
    for (int m = 0; m < S::dg; ++m) {
      x[m] = y[m] = 0;
#pragma GCC unroll 16
      for (int c = 0; c < S::nodes; ++c) {
        auto const node = nodes.index(S::cg * ix + c % (S::cg + 1), S::cg * iy + c / (S::cg + 1));
        Real const entry = matrices(TransportLayout<S>::velocity + m * S::nodes + c, cell);
        x[m] = math::fma(entry, u[node], x[m]);
        y[m] = math::fma(entry, v[node], y[m]);
      }
    }
  }
  ULPINE_HD void store(std::int64_t cell, Real const (&x)[S::dg], Real const (&y)[S::dg]) const {
    store_modes(x, cells.plane(), cell, dg_u);
    store_modes(y, cells.plane(), cell, dg_v);
  }
};

/// Weight of a cell's velocity at an edge that it shares with another: none of land, all beside land.
template <class Real>
ULPINE_HD inline Real side_weight(bool is_sea, bool other_is_sea) {
  return is_sea ? (other_is_sea ? Real(1) / Real(2) : Real(1)) : Real(0);
}

/// Stage seaice.advect.normal_velocity: velocity through an edge times its length, the mean of the two cells'
/// traces; at a coast or the edge of the domain the one sea cell's. Two contributions only, and addition
/// commutes: the same bits in both modes of assembly, so it is always gathered. `vertical`: edges between
/// left and right neighbours.
template <class Real, class S, bool vertical>
struct NormalVelocity {
  CellLattice cells;
  NodeLattice<S::cg> nodes;
  View<std::uint8_t const> sea;
  View<Real const> node_x, node_y;  ///< m
  View<Real const> dg_u, dg_v;
  View<Real> normal;  ///< m2 s-1, S::edge planes

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const here = cells.index(ix, iy);
    auto const before = vertical ? here - 1 : here - cells.row();
    Real u_before[S::dg], v_before[S::dg], u_here[S::dg], v_here[S::dg];
    load_modes(dg_u, cells.plane(), before, u_before);
    load_modes(dg_v, cells.plane(), before, v_before);
    load_modes(dg_u, cells.plane(), here, u_here);
    load_modes(dg_v, cells.plane(), here, v_here);
    (*this)(ix, iy, u_before, v_before, u_here, v_here);
  }
  /// Takes the velocity of the two cells.
  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, Real const (&u_before)[S::dg],
                            Real const (&v_before)[S::dg], Real const (&u_here)[S::dg],
                            Real const (&v_here)[S::dg]) const {
    auto const here = cells.index(ix, iy);
    auto const before = vertical ? here - 1 : here - cells.row();
    auto const start = nodes.index(S::cg * ix, S::cg * iy);
    auto const end = vertical ? start + S::cg * nodes.row() : start + S::cg;
    Real const tx = node_x[end] - node_x[start], ty = node_y[end] - node_y[start];
    Real const nx = vertical ? ty : -ty, ny = vertical ? -tx : tx;
    bool const sea_here = sea[here] != 0, sea_before = sea[before] != 0;
    Real const weight_here = side_weight<Real>(sea_here, sea_before);
    Real const weight_before = side_weight<Real>(sea_before, sea_here);
    constexpr int axis = vertical ? 0 : 1;
#pragma GCC unroll 16
    for (int e = 0; e < S::edge; ++e) {
      auto const trace = [&](Real const(&field)[S::dg], bool far) {
        return trace_mode<S::dg, Real>(axis, far, e, [&](int mode) { return field[mode]; });
      };
      Real const from_before = math::fma(nx, trace(u_before, true), ny * trace(v_before, true));
      Real const from_here = math::fma(nx, trace(u_here, false), ny * trace(v_here, false));
      normal[e * cells.plane() + here] = weight_before * from_before + weight_here * from_here;
    }
  }
};

/// Stage seaice.advect.normal_velocity on the sphere: at the quadrature points of an edge, with the factors
/// of SideLayout in the place of the normal vector.
template <class Real, class S, bool vertical, class Factors>
struct NormalVelocityOnSphere {
  CellLattice cells;
  View<std::uint8_t const> sea;
  View<Real const> dg_u, dg_v;
  Factors factors;
  SideTables<Real, S> sides;
  View<Real> normal;  ///< m2 s-1, S::edge planes

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    constexpr int far = vertical ? 1 : 3, near = vertical ? 0 : 2;
    auto const here = cells.index(ix, iy);
    auto const before = vertical ? here - 1 : here - cells.row();
    bool const sea_here = sea[here] != 0, sea_before = sea[before] != 0;
    Real const weight_here = side_weight<Real>(sea_here, sea_before);
    Real const weight_before = side_weight<Real>(sea_before, sea_here);
    Real const of_u = factors(SideLayout<S>::u, here);
#pragma GCC unroll 16
    for (int q = 0; q < S::edge; ++q) {
      Real const of_v = factors(SideLayout<S>::v + q, here);
      auto const flow = [&](std::int64_t cell, int side) {
        Real u = 0, v = 0;
#pragma GCC unroll 16
        for (int m = 0; m < S::dg; ++m) {
          u = math::fma(sides.psi[side][m][q], dg_u[m * cells.plane() + cell], u);
          v = math::fma(sides.psi[side][m][q], dg_v[m * cells.plane() + cell], v);
        }
        return math::fma(of_u, u, of_v * v);
      };
      normal[q * cells.plane() + here] = weight_before * flow(before, far) + weight_here * flow(here, near);
    }
  }
};

/// Stages seaice.advect.velocity and seaice.advect.normal_velocity in one pass over cells and the edges at
/// their left and bottom (the last of a row and column have no cell): a neighbour's projection is made anew.
template <class Real, class S, class Matrices>
struct EdgeVelocities {
  VelocityProjection<Real, S, Matrices> project;
  NormalVelocity<Real, S, true> vertical;
  NormalVelocity<Real, S, false> horizontal;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    Real u[S::dg], v[S::dg], u_before[S::dg], v_before[S::dg];
    velocity(ix, iy, u, v);
    auto const& cells = project.cells;
    bool const in_row = ix < cells.nx, in_column = iy < cells.ny;
    if (in_row && in_column) project.store(cells.index(ix, iy), u, v);
    if (in_column) {
      velocity(ix - 1, iy, u_before, v_before);
      vertical(ix, iy, u_before, v_before, u, v);
    }
    if (in_row) {
      velocity(ix, iy - 1, u_before, v_before);
      horizontal(ix, iy, u_before, v_before, u, v);
    }
  }

 private:
  /// Zero in the halo.
  ULPINE_HD void velocity(std::int32_t ix, std::int32_t iy, Real (&u)[S::dg], Real (&v)[S::dg]) const {
    auto const& cells = project.cells;
    if (ix >= 0 && iy >= 0 && ix < cells.nx && iy < cells.ny) {
      project(ix, iy, cells.index(ix, iy), u, v);
    } else {
#pragma GCC unroll 16
      for (int m = 0; m < S::dg; ++m) u[m] = v[m] = 0;
    }
  }
};

/// Velocity of the cells and through their edges, as the advection takes it.
template <class Real>
struct TransportVelocity {
  View<Real const> dg_u, dg_v;          ///< m s-1
  View<Real const> normal_x, normal_y;  ///< m2 s-1
};

/// R = int phi v . grad psi; zero for one unknown a cell.
template <class S, class Real, class Matrices>
ULPINE_HD inline void transport_in_cell(CellLattice const& cells, std::int64_t cell, Matrices const& matrices,
                                        BasisTable<Real, S::dg, S::tracer_gauss> const& psi,
                                        TransportVelocity<Real> const& velocity,
                                        View<Real const> const& tracer, Real (&rate)[S::dg]) {
  auto const plane = cells.plane();
#pragma GCC unroll 16
  for (int m = 0; m < S::dg; ++m) rate[m] = 0;
  if constexpr (S::dg > 1) {
#pragma GCC unroll 16
    for (int q = 0; q < S::tracer_gauss; ++q) {
      Real x = 0, y = 0, value = 0;
#pragma GCC unroll 16
      for (int m = 0; m < S::dg; ++m) {
        x = math::fma(psi.value[m][q], velocity.dg_u[m * plane + cell], x);
        y = math::fma(psi.value[m][q], velocity.dg_v[m * plane + cell], y);
        value = math::fma(psi.value[m][q], tracer[m * plane + cell], value);
      }
#pragma GCC unroll 16
      for (int m = 1; m < S::dg; ++m) {
        Real const flux = math::fma(matrices(TransportLayout<S>::cell_x + m * S::tracer_gauss + q, cell), x,
                                    matrices(TransportLayout<S>::cell_y + m * S::tracer_gauss + q, cell) * y);
        rate[m] = math::fma(flux, value, rate[m]);
      }
    }
  }
}

/// Stage seaice.advect.cell.
template <class Real, class S, class Matrices>
struct CellTransport {
  CellLattice cells;
  TransportVelocity<Real> velocity;
  View<Real const> tracer;
  Matrices matrices;
  BasisTable<Real, S::dg, S::tracer_gauss> psi;
  View<Real> rate;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    Real sum[S::dg];
    transport_in_cell<S>(cells, cell, matrices, psi, velocity, tracer, sum);
    store_modes(sum, cells.plane(), cell, rate);
  }
};

/// Upwind flux through an edge at its quadrature points, from the cell before (left or below) to the cell
/// after it. Land and the outside hold no tracer, so there only outflow remains.
template <class Real, class S>
struct EdgeFlux {
  CellLattice cells;
  SideTables<Real, S> sides;

  /// Flux times quadrature weight at point q; `far` is the side of `before` that touches `after`.
  ULPINE_HD Real operator()(View<Real const> const& tracer, View<Real const> const& normal, std::int64_t edge,
                            std::int64_t before, std::int64_t after, int far, int near, int q) const {
    auto const plane = cells.plane();
    Real velocity = 0, from = 0, to = 0;
#pragma GCC unroll 16
    for (int e = 0; e < S::edge; ++e) {
      velocity = math::fma(sides.edge_psi[e][q], normal[e * plane + edge], velocity);
    }
#pragma GCC unroll 16
    for (int m = 0; m < S::dg; ++m) {
      from = math::fma(sides.psi[far][m][q], tracer[m * plane + before], from);
      to = math::fma(sides.psi[near][m][q], tracer[m * plane + after], to);
    }
    return sides.weight[q] * (velocity > Real(0) ? velocity * from : velocity * to);
  }

  /// Adds the fluxes through the sides of a cell in the order left, right, bottom, top. Both neighbours of an
  /// edge compute its flux from the same numbers, so what one loses the other gains.
  ULPINE_HD void add_to(Real (&rate)[S::dg], std::int64_t cell, TransportVelocity<Real> const& velocity,
                        View<Real const> const& tracer) const {
    auto const& psi = sides.psi;
    auto const row = cells.row();
#pragma GCC unroll 16
    for (int q = 0; q < S::edge; ++q) {
      Real const left = (*this)(tracer, velocity.normal_x, cell, cell - 1, cell, 1, 0, q);
      Real const right = (*this)(tracer, velocity.normal_x, cell + 1, cell, cell + 1, 1, 0, q);
      Real const bottom = (*this)(tracer, velocity.normal_y, cell, cell - row, cell, 3, 2, q);
      Real const top = (*this)(tracer, velocity.normal_y, cell + row, cell, cell + row, 3, 2, q);
#pragma GCC unroll 16
      for (int m = 0; m < S::dg; ++m) {
        rate[m] = math::fma(psi[0][m][q], left, rate[m]);
        rate[m] = math::fma(-psi[1][m][q], right, rate[m]);
        rate[m] = math::fma(psi[2][m][q], bottom, rate[m]);
        rate[m] = math::fma(-psi[3][m][q], top, rate[m]);
      }
    }
  }
};

/// Stage seaice.advect.edges, deterministic.
template <class Real, class S>
struct EdgeFluxGather {
  EdgeFlux<Real, S> flux;
  TransportVelocity<Real> velocity;
  View<Real const> tracer;
  View<Real> rate;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = flux.cells.index(ix, iy);
    auto const plane = flux.cells.plane();
    Real sum[S::dg];
    load_modes(rate, plane, cell, sum);
    flux.add_to(sum, cell, velocity, tracer);
    store_modes(sum, plane, cell, rate);
  }
};

/// Stage seaice.advect.edges, atomic: an edge adds its flux to both cells.
template <class Real, class S, bool vertical, class Executor>
struct EdgeFluxScatter {
  static constexpr bool scatters = true;

  EdgeFlux<Real, S> flux;
  View<Real const> tracer, normal;
  View<Real> rate;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    constexpr int far = vertical ? 1 : 3, near = vertical ? 0 : 2;
    auto const after = flux.cells.index(ix, iy);
    auto const before = vertical ? after - 1 : after - flux.cells.row();
#pragma GCC unroll 16
    for (int q = 0; q < S::edge; ++q) {
      Real const value = flux(tracer, normal, after, before, after, far, near, q);
#pragma GCC unroll 16
      for (int m = 0; m < S::dg; ++m) {
        Executor::atomic_add(rate[m * flux.cells.plane() + before], -flux.sides.psi[far][m][q] * value);
        Executor::atomic_add(rate[m * flux.cells.plane() + after], flux.sides.psi[near][m][q] * value);
      }
    }
  }
};

/// Stage of a strong-stability-preserving Runge-Kutta scheme in Shu-Osher form: out = keep * old + take *
/// (stage + dt M^-1 R), zero on land.
template <class Real>
struct RungeKuttaStage {
  Real dt, keep, take;

  template <class S, class Matrices>
  ULPINE_HD void value(CellLattice const& cells, std::int64_t cell, bool is_sea, Matrices const& matrices,
                       View<Real const> const& old, View<Real const> const& stage, Real const (&rate)[S::dg],
                       Real (&value)[S::dg]) const {
    auto const plane = cells.plane();
#pragma GCC unroll 16
    for (int m = 0; m < S::dg; ++m) {
      Real increment = 0;
#pragma GCC unroll 16
      for (int n = 0; n < S::dg; ++n) {
        increment =
            math::fma(matrices(TransportLayout<S>::inverse_mass + m * S::dg + n, cell), rate[n], increment);
      }
      Real const moved = math::fma(dt, increment, stage[m * plane + cell]);
      value[m] = is_sea ? math::fma(keep, old[m * plane + cell], take * moved) : Real(0);
    }
  }
};

/// Stage seaice.advect.update.
template <class Real, class S, class Matrices>
struct TransportUpdate {
  CellLattice cells;
  View<std::uint8_t const> sea;
  View<Real const> old, stage, rate;
  Matrices matrices;
  RungeKuttaStage<Real> scheme;
  View<Real> out;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const cell = cells.index(ix, iy);
    auto const plane = cells.plane();
    Real rates[S::dg], value[S::dg];
    load_modes(rate, plane, cell, rates);
    scheme.template value<S>(cells, cell, sea[cell] != 0, matrices, old, stage, rates, value);
    store_modes(value, plane, cell, out);
  }
};

/// Stages seaice.advect.cell, edges (deterministic) and update of both tracers in one pass. `out` may be
/// `old` but not `stage`, which neighbours read.
template <class Real, class S, class Matrices>
struct TransportStage {
  static constexpr int tracers = 2;

  EdgeFlux<Real, S> flux;
  View<std::uint8_t const> sea;
  TransportVelocity<Real> velocity;
  Matrices matrices;
  BasisTable<Real, S::dg, S::tracer_gauss> psi;
  RungeKuttaStage<Real> scheme;
  View<Real const> old[tracers], stage[tracers];
  View<Real> out[tracers];

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    auto const& cells = flux.cells;
    auto const cell = cells.index(ix, iy);
    bool const is_sea = sea[cell] != 0;
    Real value[tracers][S::dg];
#pragma GCC unroll 2
    for (int t = 0; t < tracers; ++t) {
      Real rate[S::dg];
      transport_in_cell<S>(cells, cell, matrices, psi, velocity, stage[t], rate);
      flux.add_to(rate, cell, velocity, stage[t]);
      scheme.template value<S>(cells, cell, is_sea, matrices, old[t], stage[t], rate, value[t]);
    }
#pragma GCC unroll 2
    for (int t = 0; t < tracers; ++t) store_modes(value[t], cells.plane(), cell, out[t]);
  }
};

}  // namespace ulpine::seaice
