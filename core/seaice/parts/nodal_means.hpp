// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/domain.hpp"
#include "core/seaice/part.hpp"

namespace ulpine::seaice {

/// Thickness and concentration at the nodes of the velocity.
template <class D>
class NodalMeans final : public Part {
  using State = typename D::State;
  using Plane = typename D::Plane;

 public:
  explicit NodalMeans(D& d) : d_{d} {
    d.declare(this, stage::nodal,
              "thickness and concentration at the velocity's nodes, weighted means of the cells around",
              2 * D::modes + D::velocity, true);
  }
  void prepare(double) override { d_.run_stage(stage::nodal); }
  void compute(stage::Id, StageArguments const&) override {
    auto &h = d_.f.node_h, &a = d_.f.node_a;
    NodalEvaluator<State, Plane> const tracers{d_.cells, d_.f.h.view(), d_.f.a.view(), d_.tables.nodal};
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
};

}  // namespace ulpine::seaice
