// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/memory.hpp"
#include "core/seaice/substeps.hpp"
#include "core/seaice/substeps_plan.hpp"

namespace ulpine::seaice {

/// The sub-steps of a model step on a device in as few launches as substeps_plan.hpp finds best, with the
/// memory that they take besides the fields. Instantiated in substeps.cu for the policies of devices.
template <class P, class Rheology>
class SubstepLauncher {
 public:
  using Cycle = Subcycle<P, Rheology>;

  /// `sharers`: models that use the device side by side; `count`: sub-steps that launches will be asked for
  /// at most.
  SubstepLauncher(Cuda cuda, CellLattice cells, NodeLattice<1> nodes, SubstepMethod method, int sharers,
                  int count);

  /// Launches for `count` sub-steps, and how many of these they take; the rest is for the stages.
  int launches(int count) const;
  int taken(int count) const;
  /// Launch number `launch` of launches(count), in stream order; all have to follow one another.
  void run(int launch, int count, Cycle const& cycle, SubcycleState<P> const& state);
  std::int64_t bytes() const;

 private:
  using State = typename P::State;
  using Compute = typename P::Compute;

  Cuda cuda_;
  SubstepPlan plan_;
  Array<State, Cuda> u_, v_;  ///< strips: a second place
  Array<Compute, Cuda> stress_[3];
  Array<std::uint64_t, Cuda> exchange_;  ///< resident tiles
};

}  // namespace ulpine::seaice
