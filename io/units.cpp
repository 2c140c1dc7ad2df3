// SPDX-License-Identifier: Apache-2.0
#include "io/units.hpp"

#include <algorithm>
#include <numbers>

#include "io/text.hpp"

namespace ulpine::io {
namespace {

constexpr double foot = 0.3048;                      // m
constexpr double a_mile_an_hour = 1609.344 / 3600;   // m s-1
constexpr double knot = 1852. / 3600;                // m s-1
constexpr double an_hour = 1000. / 3600;             // m s-1
constexpr double a_degree = std::numbers::pi / 180;  // radians

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
                                        {"kilometre", 1e-3},
                                        {"kilometres", 1e-3},
                                        {"kilometer", 1e-3},
                                        {"kilometers", 1e-3},
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
constexpr UnitSpelling all_longitudes[] = {
    {"degrees_east", 1},   {"", 1},          {"degree_east", 1}, {"degrees_e", 1}, {"degree_e", 1},
    {"degreese", 1},       {"degreee", 1},   {"degrees", 1},     {"degree", 1},    {"radian", a_degree},
    {"radians", a_degree}, {"rad", a_degree}};
constexpr UnitSpelling all_latitudes[] = {
    {"degrees_north", 1},  {"", 1},          {"degree_north", 1}, {"degrees_n", 1}, {"degree_n", 1},
    {"degreesn", 1},       {"degreen", 1},   {"degrees", 1},      {"degree", 1},    {"radian", a_degree},
    {"radians", a_degree}, {"rad", a_degree}};
constexpr UnitSpelling all_temperatures[] = {
    {"k", 1},     {"kelvin", 1},        {"kelvins", 1},       {"degk", 1},
    {"deg_k", 1}, {"degree_kelvin", 1}, {"degrees_kelvin", 1}};
constexpr UnitSpelling all_pressures[] = {
    {"pa", 1},    {"pascal", 1},      {"pascals", 1},      {"n m-2", 1},  {"hpa", 1e-2},  {"mbar", 1e-2},
    {"mb", 1e-2}, {"millibar", 1e-2}, {"millibars", 1e-2}, {"kpa", 1e-3}, {"dbar", 1e-4}, {"bar", 1e-5}};
constexpr UnitSpelling all_mass_fractions[] = {{"1", 1},      {"kg kg-1", 1},   {"kg kg**-1", 1},
                                               {"kg/kg", 1},  {"g kg-1", 1000}, {"g kg**-1", 1000},
                                               {"g/kg", 1000}};
constexpr UnitSpelling all_fractions[] = {{"1", 1}, {"", 1}, {"%", 100}, {"percent", 100}};

}  // namespace

std::span<UnitSpelling const> lengths() { return all_lengths; }
std::span<UnitSpelling const> speeds() { return all_speeds; }
std::span<UnitSpelling const> longitudes() { return all_longitudes; }
std::span<UnitSpelling const> latitudes() { return all_latitudes; }
std::span<UnitSpelling const> temperatures() { return all_temperatures; }
std::span<UnitSpelling const> pressures() { return all_pressures; }
std::span<UnitSpelling const> mass_fractions() { return all_mass_fractions; }
std::span<UnitSpelling const> fractions() { return all_fractions; }

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
