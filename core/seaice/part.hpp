// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/seaice/stages.hpp"

namespace ulpine::seaice {

/// A process of sea ice. A part is a class template over a Domain, whose constructor declares its stages, and
/// has the functions below, each what it does at one point of a step: by default nothing. At each point the
/// parts are called in the order of make_parts() (core/seaice/make_parts.hpp), the only list that a new one
/// is added to.
class Part {
 public:
  Part() = default;
  Part(Part const&) = delete;
  Part& operator=(Part const&) = delete;
  virtual ~Part() = default;

  /// Computes a stage that it has declared.
  virtual void compute(stage::Id, StageArguments const&) {}

  /// Carries the ice with its velocity.
  virtual void advect() {}
  /// Once a model step, which ends at `end` s, after the advection: what its sub-steps take as it is.
  virtual void prepare(double /*end*/) {}
  /// A sub-step, stage by stage.
  virtual void take_substep() {}
  /// A sub-step in as few passes as there may be, of which those cells beside a rank's block that are up to
  /// `beyond` cells away have to be right.
  virtual void take_substep_at_once(std::int32_t /*beyond*/) {}
  /// Takes sub-steps out of `count` in passes of several; how many.
  virtual int take_substeps(int /*count*/) { return 0; }
  /// After sub-step number `substep` of a model step.
  virtual void end_substep(int /*substep*/) {}
  /// What belongs to the last step is none of the state's now.
  virtual void state_replaced() {}

  virtual std::int64_t bytes() const { return 0; }  ///< of memory that is no field
};

}  // namespace ulpine::seaice
