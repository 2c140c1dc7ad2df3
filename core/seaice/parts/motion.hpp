// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "core/seaice/domain.hpp"
#include "core/seaice/maps.hpp"

namespace ulpine::seaice {

/// Velocity of the ice in a sub-step: the force of the stress, the momentum equation, no slip at coasts.
template <class D, class Maps>
class Motion final : public Part {
  using S = typename D::S;
  using V = typename D::V;
  using State = typename D::State;
  using Types = typename D::Types;
  using Matrices = typename Maps::DivergenceMatrices;

 public:
  Motion(D& d, Maps const& maps) : d_{d}, maps_{maps} {
    constexpr auto divergence = D::tensor + Maps::cycle_bytes(DivergenceLayout<S>::count) + Maps::shape_bytes;
    d.declare(this, stage::divergence, "seaice.divergence",
              "force of the internal stress on the nodes, its weak divergence", divergence + D::force, true);
    d.declare(this, stage::velocity, "seaice.velocity",
              "ice velocity from the momentum equation: wind, ocean drag (semi-implicit), Coriolis, stress",
              D::force + D::equation);
    d.declare(this, stage::boundary, "seaice.boundary",
              "ice stands still at coasts and sides of the domain (no slip)",
              D::nodal * D::flag + 2 * D::velocity);
    d.declare(this, stage::divergence_velocity, "seaice.divergence_velocity",
              "force of the stress, ice velocity and no slip at coasts in one pass",
              divergence + D::equation + D::nodal * D::flag);
  }
  void compute(stage::Id id, StageArguments const&) override {
    if (id == stage::divergence) return update_divergence();
    if (id == stage::velocity) return update_velocity();
    if (id == stage::boundary) return stop_at_boundary();
    update(d_.all_cells());
  }
  void prepare(double) override {
    d_.f.u0.copy_from(d_.f.u);
    d_.f.v0.copy_from(d_.f.v);
  }
  void take_substep() override {
    d_.run_stage(stage::divergence);
    d_.run_stage(stage::velocity);
    d_.run_stage(stage::boundary);
  }
  void take_substep_at_once(std::int32_t beyond) override { update(d_.cells_within(beyond - 1)); }

 private:
  /// Whether kernels that gather from cells take nodes in blocks. Wider types have no vectors and no use for
  /// blocks; on a device blocks take up to 40 % longer than nodes one by one (docs/results/performance.md).
  static constexpr bool in_blocks =
      S::cg == 2 && std::is_floating_point_v<State> && VectorisingHost<typename D::Executor>;
  auto nodes_or_blocks() const {
    if constexpr (in_blocks) {
      return NodeBlocks(d_.nodes);
    } else {
      return d_.nodes.extent();
    }
  }
  CellForce<Types, V, Matrices> cell_force() const {
    return {d_.cells, d_.template stress<typename D::Compute const>(), maps_.divergence.view()};
  }

  void update_divergence() {
    auto &x = d_.f.force_x, &y = d_.f.force_y;
    if (d_.gathers()) {
      d_.run(stage::divergence, nodes_or_blocks(),
             DivergenceGather<Types, V, Matrices>{{cell_force()}, d_.nodes, x.view(), y.view()}, {&x, &y});
      return;
    }
    d_.stages.will_write({&x, &y});
    x.fill_zero();
    y.fill_zero();
    d_.template scatter<D::adds_atomically && !Maps::on_the_fly>(
        stage::divergence, d_.cells.extent(), {true, true}, {&x, &y}, [&]<class Adder>() {
          return DivergenceScatter<Types, V, Matrices, Adder>{cell_force(), d_.nodes, x.view(), y.view()};
        });
  }
  void update_velocity() {
    auto& f = d_.f;
    d_.run(stage::velocity, d_.nodes.extent(),
           VelocityUpdate<Types, typename V::Plane>{d_.momentum(), d_.nodes, f.force_x.view(),
                                                    f.force_y.view(), f.u.view(), f.v.view()},
           {&f.u, &f.v});
  }
  void stop_at_boundary() {
    auto& f = d_.f;
    d_.run(stage::boundary, d_.nodes.extent(),
           BoundaryStop<State, typename V::Plane>{d_.nodes, f.moves.view(), f.u.view(), f.v.view()},
           {&f.u, &f.v});
  }
  /// At the nodes of `range` at least; in one pass in deterministic assembly.
  void update([[maybe_unused]] CellRange const& range) {
    if constexpr (D::fuses) {
      if (d_.gathers()) {
        auto& f = d_.f;
        DivergenceVelocityUpdate<Types, V, Matrices> const kernel{{cell_force()}, d_.momentum(), d_.nodes,
                                                                  f.moves.view(), f.u.view(),    f.v.view()};
        if constexpr (in_blocks) {
          d_.run(stage::divergence_velocity, NodeBlocks(d_.nodes, range), kernel, {&f.u, &f.v});
        } else {
          d_.run_on_nodes(stage::divergence_velocity, range, kernel, {&f.u, &f.v});
        }
        return;
      }
    }
    take_substep();
  }

  D& d_;
  Maps const& maps_;
};

}  // namespace ulpine::seaice
