// SPDX-License-Identifier: Apache-2.0
#include "io/calendar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
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
    case Calendar::utc:
    case Calendar::tai:
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
    case Calendar::utc:
    case Calendar::tai:
      return 365 * year + quotient_below(past, 4) - quotient_below(past, 100) + quotient_below(past, 400) + 1;
    default:
      return 365 * year;
  }
}

struct Date {
  std::int64_t year = 0;
  int month = 1;
  std::int64_t day = 1;
};

/// The inverse of days_since_1970() of a known calendar.
Date date_of(Calendar calendar, std::int64_t days) {
  auto const first_of = [&](std::int64_t year, int month) {
    return *days_since_1970(calendar, year, month, 1);
  };
  Date date{1970 + quotient_below(days, 365)};
  while (first_of(date.year, 1) > days)
    date.year -= std::max<std::int64_t>((first_of(date.year, 1) - days) / 367, 1);
  while (first_of(date.year + 1, 1) <= days) ++date.year;
  while (date.month < 12 && first_of(date.year, date.month + 1) <= days) ++date.month;
  date.day = days - first_of(date.year, date.month) + 1;
  auto const is_of_reform = calendar == Calendar::standard && date.year == 1582 && date.month == 10;
  constexpr std::int64_t last_of_julian = 4, left_out = 10;
  if (is_of_reform && date.day > last_of_julian) date.day += left_out;
  return date;
}

}  // namespace

Calendar parse_calendar(std::string const& attribute) {
  static constexpr std::pair<char const*, Calendar> known[] = {
      {"", Calendar::standard},
      {"standard", Calendar::standard},
      {"gregorian", Calendar::standard},
      {"proleptic_gregorian", Calendar::proleptic_gregorian},
      {"julian", Calendar::julian},
      {"noleap", Calendar::noleap},
      {"365_day", Calendar::noleap},
      {"all_leap", Calendar::all_leap},
      {"366_day", Calendar::all_leap},
      {"360_day", Calendar::day_360},
      {"utc", Calendar::utc},
      {"tai", Calendar::tai},
      {"no_leap", Calendar::noleap},
      {"all_leaps", Calendar::all_leap},
      {"365_days", Calendar::noleap},
      {"366_days", Calendar::all_leap},
      {"365day", Calendar::noleap},
      {"366day", Calendar::all_leap},
      {"360_days", Calendar::day_360},
      {"360day", Calendar::day_360},
      {"360", Calendar::day_360},
      {"thirty_day_months", Calendar::day_360},
      {"thirty_day", Calendar::day_360},
      {"gregorian_proleptic", Calendar::proleptic_gregorian},
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
    case Calendar::utc:
      return "utc";
    case Calendar::tai:
      return "tai";
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

std::string date_text(Calendar calendar, double seconds) {
  constexpr double farthest = 1e15;
  constexpr std::int64_t milliseconds = 1000, of_day = 86'400 * milliseconds;
  char text[80];
  if (calendar == Calendar::unknown || !(std::abs(seconds) <= farthest)) {
    std::snprintf(text, sizeof text, "%.10g s", seconds);
    return text;
  }
  auto const instant = std::llround(seconds * double(milliseconds));
  auto const days = quotient_below(instant, of_day);
  auto const date = date_of(calendar, days);
  auto const within = instant - days * of_day, second = within / milliseconds;
  auto const clock = static_cast<int>(second);
  std::snprintf(text, sizeof text, "%s%04lld-%02d-%02d %02d:%02d:%02d", date.year < 0 ? "-" : "",
                static_cast<long long>(std::abs(date.year)), date.month, static_cast<int>(date.day),
                clock / 3600, clock / 60 % 60, clock % 60);
  std::string result = text;
  if (auto const fraction = within % milliseconds; fraction > 0) {
    std::snprintf(text, sizeof text, ".%03d", static_cast<int>(fraction));
    result += text;
    result.erase(result.find_last_not_of('0') + 1);
  }
  return result;
}

bool same_dates_from(Calendar a, Calendar b, double seconds) {
  constexpr double reform = -12219292800;  // 1582-10-15
  auto const modern = [&](Calendar calendar) {
    auto const today = (calendar == Calendar::standard && seconds >= reform) || calendar == Calendar::utc ||
                       calendar == Calendar::tai;
    return today ? Calendar::proleptic_gregorian : calendar;
  };
  return a != Calendar::unknown && modern(a) == modern(b);
}

}  // namespace ulpine::io
