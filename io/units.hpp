// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

namespace ulpine::io {

/// A spelling of a unit that values of one quantity come in.
struct UnitSpelling {
  char const* name;  ///< in small letters
  double divisor;    ///< from this unit to the first of its table
};

/// Of lengths, to m: also without a unit, in cm, mm, dm, km and feet.
std::span<UnitSpelling const> lengths();
/// Of speeds, to m s-1: also in cm s-1, km h-1, miles an hour and knots.
std::span<UnitSpelling const> speeds();

/// What divides values in `units`, in letters of any size, so that they are in the first of `known`; nothing
/// for units that are not there.
std::optional<double> divisor_of(std::span<UnitSpelling const> known, std::string const& units);
/// All spellings that are words, with commas between them.
std::string spellings_of(std::span<UnitSpelling const> known);

}  // namespace ulpine::io
