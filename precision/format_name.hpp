// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "precision/formats.hpp"

namespace ulpine {

/// A format that kernels can be run in, as a user names it.
struct NamedFormat {
  FloatFormat format;
  std::uint32_t seed = 0;  ///< of stochastic rounding
  /// With stochastic rounding: an inexact result goes up or down with probability 1/2 each, however near.
  bool even_odds = false;
  /// The format to which operands of products are rounded where a policy says so, to nearest.
  std::optional<FloatFormat> multiplicand = {};
};

/// "e8m7": 8 bits of exponent (2 to 11) and 7 of fraction (1 to 52), rounding to nearest even, subnormals and
/// infinity as IEEE 754 has them. "-rz" after it: toward zero; "-sr" or "-sr7": up or down at random with the
/// probability of the distance, with seed 0 or 7; "-rr" or "-rr7": with equal probability. Empty where `name`
/// is none.
std::optional<NamedFormat> parse_format(std::string const& name);

/// The format that is the arithmetic of the policy of that name, or parse_format(name): e11m52 for `fp64`,
/// e8m23 for `fp32` and `mixed`, and for `tf32`, `bf16` and `fp16` too, whose operands of products are
/// rounded further. Empty for `quad` and where `name` is neither.
std::optional<NamedFormat> format_of_policy(std::string const& name);

/// For messages: how such a name is written.
inline constexpr char const* format_name_help =
    "eXmY with X bits of exponent and Y of fraction, -rz, -sr or -rr after it";

}  // namespace ulpine
