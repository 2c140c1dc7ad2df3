// SPDX-License-Identifier: Apache-2.0
#include "precision/policy.hpp"

#include <algorithm>
#include <array>

#include "ulpine_policy_rows.hpp"

namespace ulpine {

namespace {

template <class... Ps>
constexpr bool are_policies(PolicyList<Ps...>) {
  return (PrecisionPolicy<Ps> && ...);
}
static_assert(are_policies(DevicePolicies{}));

}  // namespace

char const* name_of(Assembly assembly) { return assembly == Assembly::atomic ? "atomic" : "deterministic"; }

std::span<PolicyRow const> policy_rows() { return policy_list; }

PolicyRow const* find_policy(std::string_view name) {
  auto const* const found = std::ranges::find(policy_list, name, &PolicyRow::name);
  return found == std::end(policy_list) ? nullptr : found;
}

bool made_on_demand(std::string_view name, Assembly assembly) {
  auto const* const row = find_policy(name);
  return row != nullptr && row->runs == Runs::on_demand && assembly == Assembly::deterministic;
}

char const* const* policy_names() {
  static constexpr auto names = [] {
    std::array<char const*, std::size(policy_list) + 1> list{};
    std::ranges::transform(policy_list, list.begin(), &PolicyRow::name);
    return list;
  }();
  return names.data();
}

}  // namespace ulpine
