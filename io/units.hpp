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

/// Units of lengths, to m: also without a unit, in cm, mm, dm, km and feet.
std::span<UnitSpelling const> lengths();
/// Units of speeds, to m s-1: also in cm s-1, km h-1, miles an hour and knots.
std::span<UnitSpelling const> speeds();
/// Units of longitudes and latitudes, to degrees: also without a unit, and in radians.
std::span<UnitSpelling const> longitudes();
std::span<UnitSpelling const> latitudes();
/// Units of temperatures, K alone: a unit with another zero has no divisor.
std::span<UnitSpelling const> temperatures();
/// Units of pressures, to Pa: also in hPa, mbar, kPa, dbar and bar.
std::span<UnitSpelling const> pressures();
/// Units of masses of water per mass of air, to 1: also in g kg-1.
std::span<UnitSpelling const> mass_fractions();
/// Units of shares, to 1: also without a unit, and in per cent.
std::span<UnitSpelling const> fractions();

/// The divisor that brings values in `units` (upper or lower case) to the first unit of `known`; nothing
/// for units that are not there.
std::optional<double> divisor_of(std::span<UnitSpelling const> known, std::string const& units);
/// All spellings that are words, with commas between them.
std::string spellings_of(std::span<UnitSpelling const> known);

}  // namespace ulpine::io
