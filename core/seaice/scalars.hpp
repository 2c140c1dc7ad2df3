// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "precision/policy.hpp"

namespace ulpine::seaice {

/// The scalar types of a policy without its format: policies that differ in the format alone share what does
/// not know it.
template <class OfState, class OfCompute, class OfSums>
struct Scalars {
  using State = OfState;
  using Compute = OfCompute;
  using Accumulate = OfSums;
};
template <class P>
using ScalarsOf = Scalars<typename P::State, typename P::Compute, typename P::Accumulate>;

/// The policies with which all is built that costs too much compilation to be built with every one, and their
/// types, which no other policy has.
template <class P>
concept ComparedPolicy = std::same_as<P, Fp64> || std::same_as<P, Fp32> || std::same_as<P, Mixed>;
template <class Types>
concept ComparedTypes = std::same_as<Types, ScalarsOf<Fp64>> || std::same_as<Types, ScalarsOf<Fp32>> ||
    std::same_as<Types, ScalarsOf<Mixed>>;

}  // namespace ulpine::seaice
