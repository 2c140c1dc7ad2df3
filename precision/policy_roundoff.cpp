// SPDX-License-Identifier: Apache-2.0
#include "precision/policy_roundoff.hpp"

#include <cmath>
#include <string>
#include <type_traits>

#include "precision/double_float.hpp"
#include "precision/format_name.hpp"
#include "precision/host_policies.hpp"
#include "precision/policy.hpp"

namespace ulpine {
namespace {

/// The largest power of two by halving that no longer shows beside 1.
template <PrecisionPolicy P>
double unit_roundoff_of() {
  using Compute = typename P::Compute;
  if constexpr (std::is_same_v<Compute, DoubleFloat>) return static_cast<double>(Compute::roundoff);
  Compute const one = 1;
  double step = 0.5;
  for (;; step /= 2) {
    auto const next = one + static_cast<Compute>(step);
    if (next == one || P::Multiplicand::round(next) != next) {
      return step;
    }
  }
}

template <class... Ps>
double unit_roundoff_among(PolicyList<Ps...>, std::string_view policy) {
  double found = 0;
  ((policy == Ps::name && (found = unit_roundoff_of<Ps>(), true)) || ...);
  return found;
}

}  // namespace

double unit_roundoff(std::string_view policy) {
  if (auto const named = parse_format(std::string(policy))) return std::ldexp(1.0, -named->format.precision);
  return unit_roundoff_among(HostPolicies{}, policy);
}

}  // namespace ulpine
