// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/solver.hpp"

#include <functional>
#include <map>
#include <string>

#include "core/exec/emulating_host.hpp"
#include "io/error.hpp"

namespace ulpine::seaice {

namespace {

/// The part of the core that has the solver: that of the case's space, or of a policy that is not built with
/// each space.
std::string part_of(PolicyRow const& policy, Setup const& setup) {
  if (!policy.on_device) return policy.name;
  auto const& p = setup.parameters;
  bool const first = p.cg == 1 && p.dg == 3;
  bool const rounds = with_policy(RoundedPolicies{}, policy.name, []<class>() { return true; });
  if (rounds && (setup.mesh.spherical || !first)) return "rounded";
  return first ? "cg1_dg3" : "cg" + std::to_string(p.cg);
}

}  // namespace

std::unique_ptr<Solver> make_solver(Host host, std::string const& policy, Assembly assembly,
                                    Setup const& setup) {
  auto const* const row = find_policy(policy);
  if (row == nullptr) return nullptr;
  auto* const make = find_instance<SolverMaker>("seaice", part_of(*row, setup), "make", linked_parts());
  return make(host, policy, assembly, setup);
}

std::unique_ptr<Solver> make_solver(EmulatingHost host, Setup const& setup) {
  auto made = find_instance<EmulatedMaker>("seaice", "emulated", "make", linked_parts())(host, setup);
  if (made == nullptr) {
    throw InputError(
        "emulated formats of sea ice have no such space, rheology and maps (they are built for what policies "
        "compare) use fp64, or the case's defaults");
  }
  return made;
}

#if defined(ULPINE_HAS_CUDA)
std::unique_ptr<Solver> make_cg1_solver(Cuda, std::string const&, Assembly, Setup const&);
std::unique_ptr<Solver> make_cg2_solver(Cuda, std::string const&, Assembly, Setup const&);
std::unique_ptr<Solver> make_sphere_solver(Cuda, std::string const&, Assembly, Setup const&);

std::unique_ptr<Solver> make_solver(Cuda cuda, std::string const& policy, Assembly assembly,
                                    Setup const& setup) {
  if (setup.mesh.spherical) return make_sphere_solver(cuda, policy, assembly, setup);
  return setup.parameters.cg == 1 ? make_cg1_solver(cuda, policy, assembly, setup)
                                  : make_cg2_solver(cuda, policy, assembly, setup);
}
#endif

namespace {

void advect(Solver& solver, Parameters const& parameters) {
  if (!solver.stages().watched() && solver.fused_advection()) return;
  auto const order = parameters.runge_kutta;
  solver.project_velocity();
  solver.normal_velocity();
  for (auto const tracer : {Tracer::concentration, Tracer::height}) {
    auto const tracers = solver.stages().loop("tracer", static_cast<int>(tracer) + 1);
    solver.begin_tracer(tracer);
    for (int stage = 0; stage < order; ++stage) {
      auto const stages = solver.stages().loop("stage", stage + 1);
      solver.transport_in_cells(tracer);
      solver.transport_through_edges(tracer);
      solver.update_tracer(tracer, kept_before[order - 1][stage]);
    }
  }
}

}  // namespace

void take_step(Solver& solver, Parameters const& parameters, std::int64_t step, double end) {
  solver.begin_step(step);
  advect(solver, parameters);
  solver.limit();
  solver.exchange_tracers();
  solver.average_to_nodes();
  solver.force(end);
  solver.update_strength();
  solver.begin_substeps();
  // The last sub-step keeps its strain rate: the shear of the output is taken from it.
  auto const fused = solver.stages().watched() ? 0 : parameters.substeps - 1;
  solver.fused_substeps(fused);
  solver.staged_substeps(fused + 1, parameters.substeps);
}

bool run_stage(Solver& solver, Parameters const& parameters, std::string const& stage) {
  static std::map<std::string, std::function<void(Solver&, Parameters const&)>> const stages = {
      {"seaice.advect.update", advect},
      {"seaice.limit", [](Solver& s, Parameters const&) { s.limit(); }},
      {"seaice.nodal", [](Solver& s, Parameters const&) { s.average_to_nodes(); }},
      {"seaice.forcing", [](Solver& s, Parameters const& p) { s.force(p.dt); }},
      {"seaice.strength", [](Solver& s, Parameters const&) { s.update_strength(); }},
      {"seaice.strain", [](Solver& s, Parameters const&) { s.update_strain(); }},
      {"seaice.stress", [](Solver& s, Parameters const&) { s.update_stress(); }},
      {"seaice.divergence", [](Solver& s, Parameters const&) { s.update_divergence(); }},
      {"seaice.velocity", [](Solver& s, Parameters const&) { s.update_velocity(); }},
      {"seaice.boundary", [](Solver& s, Parameters const&) { s.stop_at_boundary(); }},
      {"seaice.strain_stress", [](Solver& s, Parameters const&) { s.update_strain_and_stress(); }},
      {"seaice.divergence_velocity",
       [](Solver& s, Parameters const&) { s.update_divergence_and_velocity(); }}};
  auto const found = stages.find(stage);
  if (found == stages.end()) return false;
  found->second(solver, parameters);
  return true;
}

}  // namespace ulpine::seaice
