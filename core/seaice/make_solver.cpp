// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <string>

#include "core/exec/counting_host.hpp"
#include "core/exec/emulating_host.hpp"
#include "core/model/modules.hpp"
#include "core/seaice/solver.hpp"
#include "io/error.hpp"

namespace ulpine::seaice {

/// The parts that this program holds itself: a source that CMake writes.
std::span<LinkedPart const> linked_parts();

namespace {

/// The part of the core that has the solver: that of the case's space, or of a policy that is not built with
/// each space.
std::string part_of(PolicyRow const& policy, Setup const& setup) {
  if (policy.runs != Runs::everywhere) return policy.name;
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

std::unique_ptr<Solver> make_solver(CountingHost host, Setup const& setup) {
  auto made = find_instance<CountedMaker>("seaice", "counted", "make", linked_parts())(host, setup);
  if (made == nullptr) {
    throw InputError(
        "operations of sea ice are not counted for such a space, rheology and maps (they are built for what "
        "policies compare) name a case with the defaults");
  }
  return made;
}

#if defined(ULPINE_HAS_CUDA)
DeviceMaker make_cuda_cg1, make_cuda_cg2, make_cuda_sphere;

std::unique_ptr<Solver> make_solver(Cuda cuda, std::string const& policy, Assembly assembly,
                                    Setup const& setup) {
  if (made_on_demand(policy, assembly)) {
    return find_instance<DeviceMaker>("seaice", policy, "make_on_device", linked_parts())(cuda, policy,
                                                                                          assembly, setup);
  }
  for (auto* const make_one : {make_cuda_cg1, make_cuda_cg2, make_cuda_sphere}) {
    if (auto solver = make_one(cuda, policy, assembly, setup)) return solver;
  }
  return nullptr;
}
#endif

}  // namespace ulpine::seaice
