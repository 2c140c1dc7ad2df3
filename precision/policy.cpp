// SPDX-License-Identifier: Apache-2.0
#include "precision/policy.hpp"

namespace ulpine {

char const* name_of(Assembly assembly) { return assembly == Assembly::atomic ? "atomic" : "deterministic"; }

namespace {

template <class... Ps>
char const* const* names(PolicyList<Ps...>) {
  static_assert((PrecisionPolicy<Ps> && ...));
  static constexpr char const* list[] = {Ps::name..., "quad", nullptr};
  return list;
}

}  // namespace

char const* const* policy_names() { return names(DevicePolicies{}); }

}  // namespace ulpine
