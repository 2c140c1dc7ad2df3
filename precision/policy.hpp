// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <span>
#include <string_view>

#include "ulpine_policies.hpp"

namespace ulpine {

/// A precision policy names scalar types by role: `State` (prognostic fields, geometry), `Compute` (inside
/// hot kernels), `Accumulate` (sums of contributions) and `Multiplicand` (format to which operands of
/// products that tensor cores may take are rounded). What each role covers in a core stands in that core's
/// documentation. The policies are the rows of precision/policies.list, from which ulpine_policies.hpp is
/// made: a policy of one's own is a row there.
template <class P>
concept PrecisionPolicy = requires(typename P::Compute x) {
  typename P::State;
  typename P::Accumulate;
  { P::Multiplicand::round(x) } -> std::same_as<typename P::Compute>;
  { P::name } -> std::convertible_to<char const*>;
};

/// make.template operator()<P>() for the policy P of the list that has the name; an empty result where none
/// has.
template <class P, class... Ps, class Make>
auto with_policy(PolicyList<P, Ps...>, std::string_view name, Make const& make) {
  decltype(make.template operator()<P>()) made{};
  auto const try_one = [&]<class Q>() {
    if (name == Q::name) made = make.template operator()<Q>();
  };
  (try_one.template operator()<P>(), ..., try_one.template operator()<Ps>());
  return made;
}

/// How contributions that meet in one place are summed.
enum class Assembly {
  atomic,        ///< added in order of arrival: rounding may differ from run to run
  deterministic  ///< added in an order fixed by the mesh: the same bits on every run, thread count and device
};

/// "atomic" or "deterministic".
char const* name_of(Assembly assembly);

/// Where a policy runs.
enum class Runs {
  everywhere,  ///< on host and device, in either assembly
  on_demand,   ///< on both, in deterministic assembly: in modules that are built when asked for
  on_host      ///< there alone, in deterministic assembly
};

/// Properties of a policy that are known without its types.
struct PolicyRow {
  char const* name;
  std::string_view state;  ///< C++ type of the state
  Runs runs;
  char const* meaning;  ///< a sentence
};

/// The rows of precision/policies.list.
std::span<PolicyRow const> policy_rows();
/// The row of that name; null where there is none.
PolicyRow const* find_policy(std::string_view name);
/// Whether the policy of that name is compiled on demand and sums so.
bool made_on_demand(std::string_view name, Assembly assembly);
/// Names of all policies in the order of the rows: a null-terminated array.
char const* const* policy_names();

}  // namespace ulpine
