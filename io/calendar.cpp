// SPDX-License-Identifier: Apache-2.0
#include "io/calendar.hpp"

#include <array>
#include <utility>

namespace ulpine::io {
namespace {

constexpr std::array months_before = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

std::int64_t quotient_below(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

bool is_leap(Calendar calendar, std::int64_t year) {
  switch (calendar) {
    case Calendar::all_leap:
      return true;
    case Calendar::julian:
      return year % 4 == 0;
    case Calendar::proleptic_gregorian:
      return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    default:
      return false;
  }
}

/// Days from 0000-01-01 to the first of `year`, of calendars with one rule of leap years.
std::int64_t days_before(Calendar calendar, std::int64_t year) {
  auto const past = year - 1;  // 0 is a leap year where there are any
  switch (calendar) {
    case Calendar::all_leap:
      return 366 * year;
    case Calendar::julian:
      return 365 * year + quotient_below(past, 4) + 1;
    case Calendar::proleptic_gregorian:
      return 365 * year + quotient_below(past, 4) - quotient_below(past, 100) + quotient_below(past, 400) + 1;
    default:
      return 365 * year;
  }
}

}  // namespace

Calendar parse_calendar(std::string const& attribute) {
  static constexpr std::pair<char const*, Calendar> known[] = {
      {"", Calendar::standard},          {"standard", Calendar::standard},
      {"gregorian", Calendar::standard}, {"proleptic_gregorian", Calendar::proleptic_gregorian},
      {"julian", Calendar::julian},      {"noleap", Calendar::noleap},
      {"365_day", Calendar::noleap},     {"all_leap", Calendar::all_leap},
      {"366_day", Calendar::all_leap},   {"360_day", Calendar::day_360},
  };
  auto name = attribute;
  for (auto& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  for (auto const& [text, calendar] : known) {
    if (name == text) return calendar;
  }
  return Calendar::unknown;
}

char const* calendar_name(Calendar calendar) {
  switch (calendar) {
    case Calendar::standard:
      return "standard";
    case Calendar::proleptic_gregorian:
      return "proleptic_gregorian";
    case Calendar::julian:
      return "julian";
    case Calendar::noleap:
      return "noleap";
    case Calendar::all_leap:
      return "all_leap";
    case Calendar::day_360:
      return "360_day";
    case Calendar::unknown:
      break;
  }
  return "unknown";
}

std::optional<std::int64_t> days_since_1970(Calendar calendar, std::int64_t year, int month, int day) {
  constexpr std::int64_t julian_days_behind = 13;  // in 1970; 1970-01-01 is 1969-12-19 of the Julian calendar
  if (calendar == Calendar::unknown || month < 1 || month > 12 || day < 1) return {};
  if (calendar == Calendar::day_360) {
    if (day > 30) return {};
    return 360 * (year - 1970) + 30 * (month - 1) + day - 1;
  }
  if (calendar == Calendar::standard) {
    auto const date = std::array<std::int64_t, 3>{year, month, day};
    if (date >= std::array<std::int64_t, 3>{1582, 10, 15}) {
      return days_since_1970(Calendar::proleptic_gregorian, year, month, day);
    }
    if (date > std::array<std::int64_t, 3>{1582, 10, 4}) return {};
    auto const days = days_since_1970(Calendar::julian, year, month, day);
    return days ? std::optional(*days + julian_days_behind) : std::nullopt;
  }
  auto const m = static_cast<std::size_t>(month);
  auto const leap = is_leap(calendar, year);
  if (day > months_before[m] - months_before[m - 1] + (leap && month == 2 ? 1 : 0)) return {};
  return days_before(calendar, year) - days_before(calendar, 1970) + months_before[m - 1] +
         (leap && month > 2 ? 1 : 0) + day - 1;
}

bool same_dates_from(Calendar a, Calendar b, double seconds) {
  constexpr double reform = -12219292800;  // 1582-10-15
  auto const modern = [&](Calendar calendar) {
    return calendar == Calendar::standard && seconds >= reform ? Calendar::proleptic_gregorian : calendar;
  };
  return a != Calendar::unknown && modern(a) == modern(b);
}

}  // namespace ulpine::io
