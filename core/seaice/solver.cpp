// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/solver.hpp"

#include <algorithm>
#include <iterator>
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

bool run_stage(Solver& solver, Parameters const& parameters, std::string const& stage) {
  auto const* const found = std::find(std::begin(stage::names), std::end(stage::names), stage);
  auto const id = static_cast<stage::Id>(found - std::begin(stage::names));
  if (id == stage::count) return false;
  if (id != stage::advect_update) return solver.run_stage(id, {.time = parameters.dt});
  solver.advect();
  return true;
}

}  // namespace ulpine::seaice
