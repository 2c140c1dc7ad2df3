// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"

#include "core/les/make_impl.hpp"
#include "precision/quad.hpp"

namespace ulpine::les {

std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly, Setup const& setup,
                           std::shared_ptr<Ranks> const& team) {
  if (policy == Quad::name)
    return assembly == Assembly::deterministic ? make_quad(host, setup, team) : nullptr;
  return with_policy(DevicePolicies{}, policy,
                     [&]<class P>() { return make_in<P>(host, assembly, setup, team); });
}

}  // namespace ulpine::les
