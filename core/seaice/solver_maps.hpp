// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/seaice/node_blocks.hpp"
#include "core/seaice/solver_base.hpp"

namespace ulpine::seaice {

/// The stages of a solver that take element matrices and know neither the format of operands nor the
/// rheology: advection and divergence.
template <class Types, class S, class Executor, MapsKind maps_kind>
class SolverWithMaps : public SolverBase<Types, S, Executor> {
  using Base = SolverBase<Types, S, Executor>;

 public:
  /// Whether the solver is built for atomic assembly.
  static constexpr bool atomics_offered = Base::adds_atomically && maps_kind != MapsKind::on_the_fly;

  std::int64_t other_bytes() const override {
    return Base::other_bytes() + maps_.bytes() + between_[0].bytes() + between_[1].bytes();
  }

  void project_velocity() override {
    run(stage::advect_velocity, cells_.extent(), velocity_projection(), {&f_.dg_u, &f_.dg_v});
  }
  void transport_in_cells(Tracer tracer) override {
    run(stage::advect_cell, cells_.extent(),
        CellTransport<State, Plane, TransportMatrices>{cells_, transport_velocity(), field(tracer).view(),
                                                       maps_.transport.view(), tables_.transport_psi,
                                                       f_.rate.view()},
        {&f_.rate});
  }
  void update_tracer(Tracer tracer, Fraction keep) override {
    auto& values = field(tracer);
    run(stage::advect_update, cells_.extent(),
        TransportUpdate<State, Plane, TransportMatrices>{cells_, f_.mask.view(), f_.old.view(), values.view(),
                                                         f_.rate.view(), maps_.transport.view(),
                                                         runge_kutta(keep), values.view()},
        {&values});
  }
  bool fused_advection() override {
    if constexpr (Executor::on_device) {
      if (!gathers()) return false;
      if constexpr (S::spherical) {
        project_velocity();
        this->normal_velocity();
      } else {
        run(stage::advect_velocities, Extent2{cells_.nx + 1, cells_.ny + 1},
            EdgeVelocities<State, Plane, TransportMatrices>{velocity_projection(),
                                                            this->template normal_velocity_of<true>(),
                                                            this->template normal_velocity_of<false>()},
            {&f_.dg_u, &f_.dg_v, &f_.normal_x, &f_.normal_y});
      }
      // A stage must not write where it reads neighbours: from the tracers to `first`, of three stages on to
      // `second`, and back.
      using Pair = std::array<View<State>, 2>;
      Pair const tracers{f_.a.view(), f_.h.view()}, first{f_.old.view(), f_.rate.view()},
          second{between_[0].view(), between_[1].view()};
      auto const order = parameters_.runge_kutta;
      auto const take = [&](int number, Pair const& from, Pair const& to) {
        run(stage::advect_stage, cells_.extent(),
            TransportStage<State, Plane, TransportMatrices>{{cells_, tables_.sides},
                                                            f_.mask.view(),
                                                            transport_velocity(),
                                                            maps_.transport.view(),
                                                            tables_.transport_psi,
                                                            runge_kutta(kept_before[order - 1][number]),
                                                            {tracers[0], tracers[1]},
                                                            {from[0], from[1]},
                                                            {to[0], to[1]}},
            {&f_.a, &f_.h});
      };
      take(0, tracers, first);
      if (order == 3) take(1, first, second);
      if (order > 1) {
        take(order - 1, order == 3 ? second : first, tracers);
      } else {
        f_.a.copy_from(f_.old);
        f_.h.copy_from(f_.rate);
      }
      return true;
    } else {
      return false;
    }
  }

  void update_divergence() override {
    if (gathers()) {
      run(stage::divergence, nodes_or_blocks(),
          DivergenceGather<Types, V, DivergenceMatrices>{
              {cell_force()}, nodes_, f_.force_x.view(), f_.force_y.view()},
          {&f_.force_x, &f_.force_y});
      return;
    }
    stages_.will_write({&f_.force_x, &f_.force_y});
    f_.force_x.fill_zero();
    f_.force_y.fill_zero();
    this->template scatter<atomics_offered>(stage::divergence, cells_.extent(), {true, true},
                                            {&f_.force_x, &f_.force_y}, [&]<class Adder>() {
                                              return DivergenceScatter<Types, V, DivergenceMatrices, Adder>{
                                                  cell_force(), nodes_, f_.force_x.view(), f_.force_y.view()};
                                            });
  }
  void update_divergence_and_velocity() override { update_divergence_and_velocity(this->all_cells()); }

 protected:
  using Base::cells_;
  using Base::executor_;
  using Base::f_;
  using Base::fuses;
  using Base::gathers;
  using Base::momentum;
  using Base::nodes_;
  using Base::parameters_;
  using Base::run;
  using Base::stages_;
  using Base::tables_;
  using typename Base::Compute;
  using typename Base::Plane;
  using typename Base::State;
  using typename Base::V;
  using Maps = ElementMaps<Types, S, Executor, maps_kind>;
  static constexpr bool shared_maps = maps_kind == MapsKind::constant;

  SolverWithMaps(Executor executor, Assembly assembly, Setup const& setup)
      : Base(executor, assembly, setup), maps_(executor, cells_.plane()) {
    if (Executor::on_device && assembly == Assembly::deterministic && parameters_.runge_kutta == 3) {
      for (auto& values : between_) values = Array<State, Executor>(executor, f_.old.layout().allocated());
    }
  }

  /// Updates the stress's divergence and the velocity at the nodes of `range` at least.
  void update_divergence_and_velocity([[maybe_unused]] CellRange const& range) {
    if constexpr (fuses) {
      if (gathers()) {
        DivergenceVelocityUpdate<Types, V, DivergenceMatrices> const kernel{
            {cell_force()}, momentum(), nodes_, f_.moves.view(), f_.u.view(), f_.v.view()};
        if constexpr (in_blocks) {
          run(stage::divergence_velocity, NodeBlocks(nodes_, range), kernel, {&f_.u, &f_.v});
        } else {
          this->run_on_nodes(stage::divergence_velocity, range, kernel, {&f_.u, &f_.v});
        }
        return;
      }
    }
    update_divergence();
    this->update_velocity();
    this->stop_at_boundary();
  }

  Maps maps_;

 private:
  using Base::field;
  using Base::transport_velocity;
  using DivergenceMatrices = typename Maps::DivergenceStore::Matrices;
  using TransportMatrices = typename Maps::TransportStore::Matrices;

  /// Whether kernels that gather from cells take nodes in blocks. Wider types have no vectors and no use for
  /// blocks; on a device blocks take up to 40 % longer than nodes one by one (docs/results/performance.md).
  static constexpr bool in_blocks =
      S::cg == 2 && std::is_floating_point_v<State> && VectorisingHost<Executor>;
  auto nodes_or_blocks() const {
    if constexpr (in_blocks) {
      return NodeBlocks(nodes_);
    } else {
      return nodes_.extent();
    }
  }
  auto velocity_projection() {
    return VelocityProjection<State, Plane, TransportMatrices>{
        cells_, nodes_, f_.u.view(), f_.v.view(), maps_.transport.view(), f_.dg_u.view(), f_.dg_v.view()};
  }
  RungeKuttaStage<State> runge_kutta(Fraction keep) const {
    return {State(parameters_.dt), State(keep.numerator) / State(keep.denominator),
            State(keep.denominator - keep.numerator) / State(keep.denominator)};
  }
  auto cell_force() const {
    return CellForce<Types, V, DivergenceMatrices>{
        cells_, tensor_of<Compute const>(f_.stress_xx, f_.stress_yy, f_.stress_xy), maps_.divergence.view()};
  }

  Array<State, Executor> between_[2];  ///< both tracers between the stages of third order
};

}  // namespace ulpine::seaice
