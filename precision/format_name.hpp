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
};

/// "e8m7": 8 bits of exponent (2 to 11) and 7 of fraction (1 to 24), rounding to nearest even, subnormals and
/// infinity as IEEE 754 has them. "-rz" after it: toward zero; "-sr" or "-sr7": stochastic, with seed 0 or 7.
/// Empty where `name` is none.
std::optional<NamedFormat> parse_format(std::string const& name);

/// For messages: how such a name is written.
inline constexpr char const* format_name_help =
    "eXmY with X bits of exponent and Y of fraction, -rz or -sr after it";

}  // namespace ulpine
