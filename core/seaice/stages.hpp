// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::seaice {

/// The named stages of a sea-ice step in the order of their numbers. What a stage does, and what it moves at
/// least, stands with the part that declares it.
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

inline constexpr char const* names[count] = {"seaice.advect.velocity", "seaice.advect.normal_velocity",
                                             "seaice.advect.cell",     "seaice.advect.edges",
                                             "seaice.advect.update",   "seaice.limit",
                                             "seaice.nodal",           "seaice.forcing",
                                             "seaice.strength",        "seaice.strain",
                                             "seaice.stress",          "seaice.divergence",
                                             "seaice.velocity",        "seaice.boundary",
                                             "seaice.strain_stress",   "seaice.divergence_velocity",
                                             "seaice.substeps",        "seaice.advect.velocities",
                                             "seaice.advect.stage",    "seaice.exchange",
                                             "seaice.substep.exchange"};

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

}  // namespace ulpine::seaice
