// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>

#include "precision/formats.hpp"

namespace ulpine {

/// A precision policy names scalar types by role: `State` (prognostic fields, geometry), `Compute` (inside
/// hot kernels), `Accumulate` (sums of contributions) and `Multiplicand` (format to which operands of
/// products that tensor cores may take are rounded). What each role covers in a core stands in that core's
/// documentation.
template <class P>
concept PrecisionPolicy = requires(typename P::Compute x) {
  typename P::State;
  typename P::Accumulate;
  { P::Multiplicand::round(x) } -> std::same_as<typename P::Compute>;
  { P::name } -> std::convertible_to<char const*>;
};

struct Fp64 {
  using State = double;
  using Compute = double;
  using Accumulate = double;
  using Multiplicand = Exact;
  static constexpr char const* name = "fp64";
};

struct Fp32 {
  using State = float;
  using Compute = float;
  using Accumulate = float;
  using Multiplicand = Exact;
  static constexpr char const* name = "fp32";
};

struct Mixed {
  using State = double;
  using Compute = float;
  using Accumulate = double;
  using Multiplicand = Exact;
  static constexpr char const* name = "mixed";
};

/// State in double, products of operands rounded to `Format` and summed in float.
template <class Format>
struct RoundedProducts {
  using State = double;
  using Compute = float;
  using Accumulate = float;
  using Multiplicand = Format;
  static constexpr char const* name = Format::name;
};

template <class... Ps>
struct PolicyList {};

/// The policies that host and device both run. A policy of one's own: write its struct, add it here.
using DevicePolicies = PolicyList<Fp64, Fp32, Mixed, RoundedProducts<Tf32>, RoundedProducts<Bfloat16>,
                                  RoundedProducts<Binary16>>;

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

/// Names of all policies in the order of DevicePolicies, then `quad`: a null-terminated array.
char const* const* policy_names();

}  // namespace ulpine
