// SPDX-License-Identifier: Apache-2.0
#include "core/exec/counting_host.hpp"
#include "core/exec/emulating_host.hpp"
#include "core/les/make_impl.hpp"
#include "io/error.hpp"

namespace ulpine::les {

std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team) {
  auto const* const row = find_policy(policy);
  if (row == nullptr) return nullptr;
  if (row->runs == Runs::everywhere) {
    return with_policy(DevicePolicies{}, policy,
                       [&]<class P>() { return make_in<P>(host, assembly, setup, team); });
  }
  if (assembly != Assembly::deterministic) return nullptr;
  auto const& p = setup.parameters;
  if (several(team) && (p.step == 0 || p.volume_flow || (p.exact_walls && setup.built()))) {
    // Sums and largest values that there are of its type depend on the order, or are of one rank's memory.
    throw InputError("policy " + policy +
                     " adds and compares on one rank only, which time.courant, force.mean_u and "
                     "pressure.buildings = \"exact\" need; use one rank");
  }
  return find_instance<Maker>("les", policy, "make", linked_parts())(host, assembly, setup, team);
}

std::unique_ptr<Core> make(EmulatingHost host, Setup const& setup, std::shared_ptr<Ranks> const& team) {
  return find_instance<EmulatedMaker>("les", "emulated", "make", linked_parts())(
      host, Assembly::deterministic, setup, team);
}

std::unique_ptr<Core> make(CountingHost host, Setup const& setup) {
  return find_instance<CountedMaker>("les", "counted", "make", linked_parts())(host, Assembly::deterministic,
                                                                               setup, {});
}

}  // namespace ulpine::les
