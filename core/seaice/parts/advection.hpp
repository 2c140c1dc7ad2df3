// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <type_traits>

#include "core/seaice/advection.hpp"
#include "core/seaice/domain.hpp"
#include "core/seaice/maps.hpp"

namespace ulpine::seaice {

/// Upwind advection of thickness and concentration by the discontinuous velocity, in strong-stability-
/// preserving Runge-Kutta steps.
template <class D, class Maps>
class Advection final : public Part {
  using S = typename D::S;
  using Plane = typename D::Plane;
  using State = typename D::State;
  using Executor = typename D::Executor;
  using Matrices = typename Maps::TransportStore::Matrices;
  using Pair = std::array<View<State>, 2>;

 public:
  Advection(D& d, Setup const& setup, Maps const& maps)
      : d_{d}, maps_{maps}, sides_(d.executor, d.cells, setup.mesh) {
    if (Executor::on_device && d.assembly == Assembly::deterministic && d.p.runge_kutta == 3) {
      for (auto& values : between_) values = Array<State, Executor>(d.executor, d.f.old.layout().allocated());
    }
    constexpr auto state = D::state, modes = D::modes, edges = D::edges;
    constexpr auto cell_map = Maps::stored_bytes(2 * (S::dg - 1) * S::tracer_gauss, state),
                   mass_map = Maps::stored_bytes(S::dg * S::dg, state),
                   velocity_map = Maps::stored_bytes(S::dg * S::nodes, state);
    d.declare(this, stage::advect_velocity, "seaice.advect.velocity",
              "ice velocity projected (L2) to the discontinuous space in which it carries the ice",
              D::velocity + velocity_map + 2 * modes);
    d.declare(this, stage::advect_normal, "seaice.advect.normal_velocity",
              "ice velocity through the edges of cells, times their length",
              D::flag + (S::spherical ? SideLayout<S>::count * state : D::velocity) + 2 * modes + edges);
    // One unknown a cell: zeros are written and nothing is read; the mean's row of a matrix never is.
    d.declare(this, stage::advect_cell, "seaice.advect.cell",
              "rate of change of thickness or concentration by transport within a cell",
              S::dg == 1 ? state : 4 * modes + cell_map);
    d.declare(this, stage::advect_edges, "seaice.advect.edges",
              "rate of change of thickness or concentration by upwind fluxes through edges",
              3 * modes + 2 * edges, true);
    d.declare(this, stage::advect_update, "seaice.advect.update",
              "thickness or concentration after a Runge-Kutta stage of its advection",
              D::flag + 4 * modes + mass_map);
    d.declare(nullptr, stage::advect_velocities, "seaice.advect.velocities",
              "ice velocity projected for the advection, and its part through edges, in one pass",
              D::flag + 2 * D::velocity + velocity_map + 2 * modes + 2 * edges);
    // The values before the step, which a first stage does not need, are counted half.
    d.declare(nullptr, stage::advect_stage, "seaice.advect.stage",
              "Runge-Kutta stage of the advection of thickness and concentration in one pass",
              D::flag + (S::dg == 1 ? 0 : 2 * modes) + 2 * edges + 5 * modes + cell_map + mass_map);
  }

  void compute(stage::Id id, StageArguments const& given) override {
    switch (id) {
      case stage::advect_velocity:
        return project_velocity();
      case stage::advect_normal:
        return update_normal_velocity();
      case stage::advect_cell:
        return transport_in_cells(given.tracer);
      case stage::advect_edges:
        return transport_through_edges(given.tracer);
      default:
        return update(given.tracer, given.keep);
    }
  }
  void advect() override {
    if constexpr (Executor::on_device) {
      if (d_.gathers() && !d_.runs_singly()) return advect_at_once();
    }
    auto const order = d_.p.runge_kutta;
    d_.run_stage(stage::advect_velocity);
    d_.run_stage(stage::advect_normal);
    for (auto const tracer : {Tracer::concentration, Tracer::height}) {
      auto const tracers = d_.stages.loop("tracer", static_cast<int>(tracer) + 1);
      d_.f.old.copy_from(d_.field(tracer));
      for (int number = 0; number < order; ++number) {
        auto const stages = d_.stages.loop("stage", number + 1);
        d_.run_stage(stage::advect_cell, {tracer});
        d_.run_stage(stage::advect_edges, {tracer});
        d_.run_stage(stage::advect_update, {tracer, kept_before[order - 1][number]});
      }
    }
  }

  std::int64_t bytes() const override { return sides_.bytes() + between_[0].bytes() + between_[1].bytes(); }

 private:
  /// Shu-Osher form, [order - 1][stage]: a stage keeps this part of the values before the step.
  static constexpr Fraction kept_before[3][3] = {
      {{0, 1}, {0, 1}, {0, 1}}, {{0, 1}, {1, 2}, {0, 1}}, {{0, 1}, {3, 4}, {1, 3}}};

  void project_velocity() {
    d_.run(stage::advect_velocity, d_.cells.extent(), velocity_projection(), {&d_.f.dg_u, &d_.f.dg_v});
  }
  void update_normal_velocity() {
    auto const& cells = d_.cells;
    d_.run(stage::advect_normal, Extent2{cells.nx + 1, cells.ny}, normal_velocity<true>(), {});
    d_.run(stage::advect_normal, Extent2{cells.nx, cells.ny + 1}, normal_velocity<false>(),
           {&d_.f.normal_x, &d_.f.normal_y});
  }
  void transport_in_cells(Tracer tracer) {
    d_.run(stage::advect_cell, d_.cells.extent(),
           CellTransport<State, Plane, Matrices>{d_.cells, velocity(), d_.field(tracer).view(),
                                                 maps_.transport.view(), d_.tables.transport_psi,
                                                 d_.f.rate.view()},
           {&d_.f.rate});
  }
  void transport_through_edges(Tracer tracer) {
    auto& f = d_.f;
    auto const& cells = d_.cells;
    EdgeFlux<State, Plane> const flux{cells, d_.tables.sides};
    if (d_.gathers()) {
      d_.run(stage::advect_edges, cells.extent(),
             EdgeFluxGather<State, Plane>{flux, velocity(), d_.field(tracer).view(), f.rate.view()},
             {&f.rate});
      return;
    }
    auto const scatter = [&]<bool vertical>(Extent2 extent, auto const& normal,
                                            std::initializer_list<Field const*> writes) {
      d_.scatter(stage::advect_edges, extent, {vertical, !vertical}, writes, [&]<class Adder>() {
        return EdgeFluxScatter<State, Plane, vertical, Adder>{flux, d_.field(tracer).view(), normal.view(),
                                                              f.rate.view()};
      });
    };
    scatter.template operator()<true>({cells.nx + 1, cells.ny}, f.normal_x, {});
    scatter.template operator()<false>({cells.nx, cells.ny + 1}, f.normal_y, {&f.rate});
  }
  /// out = keep * before + (1 - keep) * (stage + dt L(stage)).
  void update(Tracer tracer, Fraction keep) {
    auto& values = d_.field(tracer);
    d_.run(stage::advect_update, d_.cells.extent(),
           TransportUpdate<State, Plane, Matrices>{d_.cells, d_.f.mask.view(), d_.f.old.view(), values.view(),
                                                   d_.f.rate.view(), maps_.transport.view(),
                                                   runge_kutta(keep), values.view()},
           {&values});
  }
  /// All of it in one pass a stage.
  void advect_at_once() {
    auto& f = d_.f;
    if constexpr (S::spherical) {
      project_velocity();
      update_normal_velocity();
    } else {
      d_.run(stage::advect_velocities, Extent2{d_.cells.nx + 1, d_.cells.ny + 1},
             EdgeVelocities<State, Plane, Matrices>{velocity_projection(), normal_velocity<true>(),
                                                    normal_velocity<false>()},
             {&f.dg_u, &f.dg_v, &f.normal_x, &f.normal_y});
    }
    // A stage must not write where it reads neighbours: from the tracers to `first`, of three stages on to
    // `second`, and back.
    Pair const tracers{f.a.view(), f.h.view()}, first{f.old.view(), f.rate.view()},
        second{between_[0].view(), between_[1].view()};
    auto const order = d_.p.runge_kutta;
    auto const take = [&](int number, Pair const& from, Pair const& to) {
      d_.run(stage::advect_stage, d_.cells.extent(),
             TransportStage<State, Plane, Matrices>{{d_.cells, d_.tables.sides},
                                                    f.mask.view(),
                                                    velocity(),
                                                    maps_.transport.view(),
                                                    d_.tables.transport_psi,
                                                    runge_kutta(kept_before[order - 1][number]),
                                                    {tracers[0], tracers[1]},
                                                    {from[0], from[1]},
                                                    {to[0], to[1]}},
             {&f.a, &f.h});
    };
    take(0, tracers, first);
    if (order == 3) take(1, first, second);
    if (order > 1) {
      take(order - 1, order == 3 ? second : first, tracers);
    } else {
      f.a.copy_from(f.old);
      f.h.copy_from(f.rate);
    }
  }

  VelocityProjection<State, Plane, Matrices> velocity_projection() {
    return {d_.cells,         d_.nodes,        d_.f.u.view(), d_.f.v.view(), maps_.transport.view(),
            d_.f.dg_u.view(), d_.f.dg_v.view()};
  }
  template <bool vertical>
  auto normal_velocity() {
    auto& f = d_.f;
    auto const normal = vertical ? f.normal_x.view() : f.normal_y.view();
    if constexpr (S::spherical) {
      auto const factors = (vertical ? sides_.vertical : sides_.horizontal).view();
      return NormalVelocityOnSphere<State, Plane, vertical, std::remove_const_t<decltype(factors)>>{
          d_.cells, f.mask.view(), f.dg_u.view(), f.dg_v.view(), factors, d_.tables.sides, normal};
    } else {
      return NormalVelocity<State, Plane, vertical>{d_.cells,        d_.nodes,        f.mask.view(),
                                                    f.node_x.view(), f.node_y.view(), f.dg_u.view(),
                                                    f.dg_v.view(),   normal};
    }
  }
  TransportVelocity<State> velocity() const {
    return {d_.f.dg_u.view(), d_.f.dg_v.view(), d_.f.normal_x.view(), d_.f.normal_y.view()};
  }
  RungeKuttaStage<State> runge_kutta(Fraction keep) const {
    return {State(d_.p.dt), State(keep.numerator) / State(keep.denominator),
            State(keep.denominator - keep.numerator) / State(keep.denominator)};
  }

  D& d_;
  Maps const& maps_;
  std::conditional_t<S::spherical, SideMaps<State, S, Executor>, NoSideMaps> sides_;
  Array<State, Executor> between_[2];  ///< both tracers between the stages of third order
};

}  // namespace ulpine::seaice
