// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ulpine::seaice {

/// The stages of a sea-ice step in the order of their numbers; what each is stands with the part that
/// declares it.
namespace stage {

enum Id {
  advect_velocity,
  advect_normal,
  advect_cell,
  advect_edges,
  advect_update,
  limit,
  nodal,
  forcing,
  strength,
  strain,
  stress,
  divergence,
  velocity,
  boundary,
  strain_stress,        ///< strain and stress in one pass
  divergence_velocity,  ///< divergence, velocity and boundary in one pass
  substeps,             ///< several sub-steps in one pass
  advect_velocities,    ///< velocity and normal velocity of the advection in one pass
  advect_stage,         ///< cell, edges and update of the advection in one pass, both tracers
  exchange,             ///< of halos, on several ranks
  substep_exchange,
  count,
  first_fused = strain_stress
};

}  // namespace stage

enum class Tracer { concentration, height };

struct Fraction {
  int numerator, denominator;
};

/// What a stage is told besides its fields.
struct StageArguments {
  Tracer tracer = Tracer::concentration;  ///< of the advection
  Fraction keep = {0, 1};  ///< part of the values before the step that a Runge-Kutta stage keeps
  double time = 0;         ///< at which it forces, s
};

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
