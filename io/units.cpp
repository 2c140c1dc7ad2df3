// SPDX-License-Identifier: Apache-2.0
#include "io/units.hpp"

#include <algorithm>

#include "io/text.hpp"

namespace ulpine::io {
namespace {

constexpr double foot = 0.3048;                     // m
constexpr double a_mile_an_hour = 1609.344 / 3600;  // m s-1
constexpr double knot = 1852. / 3600;               // m s-1
constexpr double an_hour = 1000. / 3600;            // m s-1

constexpr UnitSpelling all_lengths[] = {{"m", 1},
                                        {"", 1},
                                        {"metre", 1},
                                        {"metres", 1},
                                        {"meter", 1},
                                        {"meters", 1},
                                        {"cm", 100},
                                        {"centimetre", 100},
                                        {"centimetres", 100},
                                        {"centimeter", 100},
                                        {"centimeters", 100},
                                        {"mm", 1000},
                                        {"dm", 10},
                                        {"km", 1e-3},
                                        {"ft", 1 / foot},
                                        {"foot", 1 / foot},
                                        {"feet", 1 / foot}};
constexpr UnitSpelling all_speeds[] = {{"m s-1", 1},
                                       {"m s**-1", 1},
                                       {"m/s", 1},
                                       {"m s^-1", 1},
                                       {"m.s-1", 1},
                                       {"m*s-1", 1},
                                       {"ms-1", 1},
                                       {"meter second-1", 1},
                                       {"metre second-1", 1},
                                       {"meters second-1", 1},
                                       {"metres second-1", 1},
                                       {"meter/second", 1},
                                       {"metre/second", 1},
                                       {"meters/second", 1},
                                       {"metres/second", 1},
                                       {"meters per second", 1},
                                       {"metres per second", 1},
                                       {"cm s-1", 100},
                                       {"cm/s", 100},
                                       {"km h-1", 1 / an_hour},
                                       {"km/h", 1 / an_hour},
                                       {"km hr-1", 1 / an_hour},
                                       {"km/hr", 1 / an_hour},
                                       {"kmh", 1 / an_hour},
                                       {"kph", 1 / an_hour},
                                       {"knot", 1 / knot},
                                       {"knots", 1 / knot},
                                       {"kn", 1 / knot},
                                       {"kt", 1 / knot},
                                       {"kts", 1 / knot},
                                       {"mph", 1 / a_mile_an_hour}};

}  // namespace

std::span<UnitSpelling const> lengths() { return all_lengths; }
std::span<UnitSpelling const> speeds() { return all_speeds; }

std::optional<double> divisor_of(std::span<UnitSpelling const> known, std::string const& units) {
  auto const words = words_of(lower_case(units));
  std::string plain;
  for (auto const& word : words) plain += (plain.empty() ? "" : " ") + word;
  auto const found =
      std::ranges::find_if(known, [&](UnitSpelling const& unit) { return plain == unit.name; });
  if (found == known.end()) return {};
  return found->divisor;
}

std::string spellings_of(std::span<UnitSpelling const> known) {
  std::string names;
  for (auto const& unit : known) {
    if (*unit.name != '\0') names += (names.empty() ? "" : ", ") + std::string(unit.name);
  }
  return names;
}

}  // namespace ulpine::io
