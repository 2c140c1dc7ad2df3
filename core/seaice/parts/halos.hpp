// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/seaice/domain.hpp"
#include "core/seaice/halos.hpp"

namespace ulpine::seaice {

/// Exchange of halos between several ranks; what it has to do with the step is in block.hpp.
template <class D>
class Halos final : public Part {
  using Round = HaloRound<typename D::Executor>;

 public:
  explicit Halos(D& d)
      : d_{d},
        // One cell beside the block has had the same stress on both sides all along, unless sums have no
        // order.
        tracers_(d.executor, d.link, *d.block, {tracers()}),
        substeps_(d.executor, d.link, *d.block, of_substeps(d.gathers() ? 1 : 0)),
        state_(d.executor, d.link, *d.block, of_state()) {
    d.declare_messages(stage::exchange, "seaice.exchange", "halos of the tracers", tracers_.bytes());
    d.declare_messages(stage::substep_exchange, "seaice.substep.exchange", "halos of velocity and stress",
                       substeps_.bytes());
  }
  void prepare(double) override { tracers_(d_.stages, d_.number(stage::exchange)); }
  void end_substep(int substep) override {
    if (substep % d_.block->halo != 0 && substep != d_.p.substeps) return;
    substeps_(d_.stages, d_.number(stage::substep_exchange));
  }
  void state_replaced() override { state_.exchange(); }
  std::int64_t bytes() const override { return tracers_.memory() + substeps_.memory() + state_.memory(); }

 private:
  /// The fields that the advection changes.
  HaloGroup tracers() const { return {{&d_.f.h, &d_.f.a}}; }
  /// Those that sub-steps change. The stress of `spared` cells beside the block is right as it is.
  std::vector<HaloGroup> of_substeps(std::int32_t spared) const {
    auto& f = d_.f;
    std::vector<HaloGroup> groups{{{&f.u, &f.v}, D::S::cg}};
    if (spared < d_.block->halo) groups.push_back({{&f.stress_xx, &f.stress_yy, &f.stress_xy}, 0, spared});
    return groups;
  }
  std::vector<HaloGroup> of_state() const {
    auto groups = of_substeps(0);
    groups.push_back(tracers());
    return groups;
  }

  D& d_;
  Round tracers_, substeps_, state_;
};

}  // namespace ulpine::seaice
