// SPDX-License-Identifier: Apache-2.0
#include "core/exec/host.hpp"

#include "core/fdm/make_impl.hpp"
#include "precision/quad.hpp"

namespace ulpine::fdm {

std::unique_ptr<Core> make(Host host, std::string const& policy, Assembly assembly,
                           Parameters const& parameters, std::shared_ptr<Ranks> const& team) {
  if (policy == Quad::name) {
    return assembly == Assembly::deterministic ? make_quad(host, parameters, team) : nullptr;
  }
  return with_policy(DevicePolicies{}, policy, [&]<class P>() { return make_in<P>(host, parameters, team); });
}

}  // namespace ulpine::fdm
