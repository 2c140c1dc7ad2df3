// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/geometry.hpp"
#include "core/seaice/setup.hpp"

/// The named stages of a sea-ice step and the least traffic of each.
namespace ulpine::seaice {

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
  count,
  first_fused = strain_stress
};

struct Info {
  Id id;
  char const *name, *doc;
  bool sums;  ///< contributions meet: in atomic assembly the order of arrival decides
};

inline constexpr Info list[count] = {
    {advect_velocity, "seaice.advect.velocity",
     "ice velocity projected (L2) to the discontinuous space in which it carries the ice", false},
    {advect_normal, "seaice.advect.normal_velocity",
     "ice velocity through the edges of cells, times their length", false},
    {advect_cell, "seaice.advect.cell",
     "rate of change of thickness or concentration by transport within a cell", false},
    {advect_edges, "seaice.advect.edges",
     "rate of change of thickness or concentration by upwind fluxes through edges", true},
    {advect_update, "seaice.advect.update",
     "thickness or concentration after a Runge-Kutta stage of its advection", false},
    {limit, "seaice.limit",
     "means and slopes limited so that concentration lies in [0, 1] and thickness is not negative", false},
    {nodal, "seaice.nodal",
     "thickness and concentration at the velocity's nodes, weighted means of the cells around", true},
    {forcing, "seaice.forcing", "wind stress on the ice; least thickness and concentration at nodes", false},
    {strength, "seaice.strength", "ice strength P from thickness and concentration (Hibler 1979)", false},
    {strain, "seaice.strain", "strain rate of the ice from its velocity", false},
    {stress, "seaice.stress",
     "internal stress of the ice, moved by 1 / alpha of the way to the viscous-plastic law", false},
    {divergence, "seaice.divergence", "force of the internal stress on the nodes, its weak divergence", true},
    {velocity, "seaice.velocity",
     "ice velocity from the momentum equation: wind, ocean drag (semi-implicit), Coriolis, stress", false},
    {boundary, "seaice.boundary", "ice stands still at coasts and sides of the domain (no slip)", false},
    {strain_stress, "seaice.strain_stress", "strain rate and internal stress of the ice in one pass", false},
    {divergence_velocity, "seaice.divergence_velocity",
     "force of the stress, ice velocity and no slip at coasts in one pass", false},
    {substeps, "seaice.substeps", "several iterations of stress and velocity (mEVP sub-steps) in one pass",
     false},
    {advect_velocities, "seaice.advect.velocities",
     "ice velocity projected for the advection, and its part through edges, in one pass", false},
    {advect_stage, "seaice.advect.stage",
     "Runge-Kutta stage of the advection of thickness and concentration in one pass", false}};

}  // namespace stage

/// Bytes a cell that one launch of a stage moves at least: every input read once, every output written once;
/// a cG1 node counts as a cell. The kernels' arguments in dynamics.hpp and transport.hpp are the list of what
/// is counted.
template <class P, class S, MapsKind kind>
struct TrafficModel {
  static constexpr double state = sizeof(typename P::State);
  static constexpr double compute = sizeof(typename P::Compute);
  static constexpr double sum = sizeof(typename P::Accumulate);
  static constexpr double maps(int entries, double bytes) {
    return kind == MapsKind::constant ? 0 : entries * bytes;
  }
  /// Bytes of the matrices of the sub-cycle, which may be made on the fly.
  static constexpr double cycle_maps(int entries) {
    return kind == MapsKind::on_the_fly ? 0 : maps(entries, compute);
  }
  static constexpr double shape = kind == MapsKind::on_the_fly ? ShapeLayout::count * compute : 0;
  static constexpr double nodes_per_cell = S::cg * S::cg;
  static constexpr double tensor = 3 * S::stress * compute;
  static constexpr double gradient = cycle_maps((S::spherical ? 3 : 2) * S::stress * S::nodes);
  static constexpr double projection = cycle_maps(S::stress * S::gauss);
  static constexpr double force = 2 * nodes_per_cell * sum;
  static constexpr double velocity = 2 * nodes_per_cell * state;

  static constexpr double bytes(stage::Id id) {
    constexpr double flag = 1;
    constexpr double relax = 2 * tensor + S::gauss * compute + projection + shape;
    constexpr double divergence = tensor + cycle_maps(DivergenceLayout<S>::count) + shape;
    constexpr double momentum =
        9 * nodes_per_cell * state + 2 * velocity;  // u0, v0, ocean, wind, H, A, 1/m; u, v
    switch (id) {
      case stage::advect_velocity:
        return velocity + maps(S::dg * S::nodes, state) + 2 * S::dg * state;
      case stage::advect_normal:
        return flag + (S::spherical ? SideLayout<S>::count : 2 * nodes_per_cell) * state + 2 * S::dg * state +
               S::edge * state;
      case stage::advect_cell:
        // One unknown a cell: zeros are written and nothing is read; the mean's row of a matrix never is.
        return S::dg == 1 ? state : 4 * S::dg * state + maps(2 * (S::dg - 1) * S::tracer_gauss, state);
      case stage::advect_edges:
        return 3 * S::dg * state + 2 * S::edge * state;
      case stage::advect_update:
        return flag + 4 * S::dg * state + maps(S::dg * S::dg, state);
      case stage::limit:
        return 4 * S::dg * state;
      case stage::nodal:
        return 2 * S::dg * state + 2 * nodes_per_cell * state;
      case stage::forcing:
        return 8 * nodes_per_cell * state;
      case stage::strength:
        return flag + 2 * S::dg * state + S::gauss * compute;
      case stage::strain:
        return velocity + gradient + shape + tensor;
      case stage::stress:
        return tensor + relax;
      case stage::divergence:
        return divergence + force;
      case stage::velocity:
        return force + momentum;
      case stage::boundary:
        return nodes_per_cell * flag + 2 * velocity;
      case stage::strain_stress:
        return velocity + gradient + relax;
      case stage::divergence_velocity:
        return divergence + momentum + nodes_per_cell * flag;
      case stage::substeps:
        return 2 * tensor + S::gauss * compute + momentum + nodes_per_cell * flag;
      case stage::advect_velocities:
        return flag + velocity + 2 * nodes_per_cell * state + maps(S::dg * S::nodes, state) +
               2 * S::dg * state + 2 * S::edge * state;
      case stage::advect_stage:
        // The values before the step, which a first stage does not need, are counted half.
        return flag + (S::dg == 1 ? 0 : 2 * S::dg * state) + 2 * S::edge * state + 5 * S::dg * state +
               maps(2 * (S::dg - 1) * S::tracer_gauss + S::dg * S::dg, state);
      default:
        return 0;
    }
  }
};

}  // namespace ulpine::seaice
