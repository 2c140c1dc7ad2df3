// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/domain.hpp"

namespace ulpine::seaice {

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

/// Thickness and concentration at the nodes of the velocity.
template <class D>
class NodalMeans final : public Part {
  using State = typename D::State;
  using Plane = typename D::Plane;

 public:
  explicit NodalMeans(D& d) : d_{d} {
    d.declare(this, stage::nodal, "seaice.nodal",
              "thickness and concentration at the velocity's nodes, weighted means of the cells around",
              2 * D::modes + D::velocity, true);
    using Geometry = typename D::Geometry;
    using S = typename D::S;
    for (int c = 0; c < S::nodes; ++c) {
      Geometry const s = Geometry(c % (S::cg + 1)) / S::cg, t = Geometry(c / (S::cg + 1)) / S::cg;
      for (int m = 0; m < S::dg; ++m) tables_.psi[c][m] = static_cast<State>(dg_basis(m, s, t));
    }
  }
  void prepare(double) override { d_.run_stage(stage::nodal); }
  void compute(stage::Id, StageArguments const&) override {
    auto &h = d_.f.node_h, &a = d_.f.node_a;
    NodalEvaluator<State, Plane> const tracers{d_.cells, d_.f.h.view(), d_.f.a.view(), tables_};
    if (d_.gathers()) {
      d_.run(stage::nodal, d_.nodes.extent(),
             NodalGather<State, Plane>{tracers, d_.nodes, h.view(), a.view()}, {&h, &a});
      return;
    }
    d_.stages.will_write({&h, &a});
    h.fill_zero();
    a.fill_zero();
    d_.scatter(stage::nodal, d_.cells.extent(), {true, true}, {&h, &a}, [&]<class Adder>() {
      return NodalScatter<State, Plane, Adder>{tracers, d_.nodes, h.view(), a.view()};
    });
  }

 private:
  D& d_;
  NodalTables<State, Plane> tables_{};
};

}  // namespace ulpine::seaice
