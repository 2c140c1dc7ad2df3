// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/seaice/domain.hpp"
#include "core/seaice/part.hpp"

namespace ulpine::seaice {

/// Sea ice on one executor: the parts of a domain D in their order, and a step of them.
template <class D>
class Ice final : public Solver {
 public:
  using PartsMaker = std::vector<std::unique_ptr<Part>> (*)(D&, Setup const&);

  Ice(typename D::Executor executor, Assembly assembly, Setup const& setup, PartsMaker make_parts)
      : d_(executor, assembly, setup), parts_{make_parts(d_, setup)} {
    d_.number_stages(D::fuses);
  }

  FieldTable& fields() override { return d_.fields; }
  StageRunner& stages() override { return d_.stages; }
  std::int64_t other_bytes() const override {
    auto bytes = d_.bytes_of_others();
    for (auto const& part : parts_) bytes += part->bytes();
    return bytes;
  }
  void state_replaced() override { each(&Part::state_replaced); }
  void advect() override { each(&Part::advect); }
  bool run_stage(stage::Id id, StageArguments const& arguments) override {
    return d_.run_stage(id, arguments);
  }
  void substitute(stage::Id id, std::shared_ptr<Solver> other) override {
    d_.substitute(id, std::move(other));
  }

  void take_step(std::int64_t step, double end) override {
    d_.stages.begin_step(d_.executor, step);
    advect();
    each(&Part::prepare, end);
    // The last sub-step keeps its strain rate: the shear of the output is taken from it.
    auto const fused = D::fuses && !d_.runs_singly() ? d_.p.substeps - 1 : 0;
    if (fused > 0) {
      d_.stages.graph("fused substeps", d_.executor, [&] { take_fused_substeps(fused); });
    }
    auto const rest = [&] { take_substeps(fused + 1); };
    // Another solver's stages are no part of a graph.
    if (fused + 1 == d_.p.substeps || d_.substituted()) {
      rest();
    } else {
      d_.stages.graph("substeps", d_.executor, rest);
    }
  }

 private:
  /// Calls a function of all parts, in their order.
  template <class... Of, class... Given>
  void each(void (Part::*function)(Of...), Given const&... given) {
    for (auto& part : parts_) (*part.*function)(given...);
  }

  /// The first `count` sub-steps, which keep no strain rate.
  void take_fused_substeps(int count) {
    for (int done = 0; done < count;) {
      auto const end = done + d_.group_of(count - done);
      auto next = done;
      for (auto& part : parts_) next += part->take_substeps(end - next);
      for (; next < end; ++next) {
        // Computed are only those cells of the margin that sub-steps before the next exchange need.
        each(&Part::take_substep_at_once, d_.block ? d_.block->halo - (next - done) : 0);
      }
      done = end;
      each(&Part::end_substep, done);
    }
  }
  /// Sub-steps from `first` on, stage by stage.
  void take_substeps(int first) {
    for (int k = first; k <= d_.p.substeps; ++k) {
      auto const loop = d_.stages.loop("substep", k);
      each(&Part::take_substep);
      each(&Part::end_substep, k);
    }
  }

  D d_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace ulpine::seaice
