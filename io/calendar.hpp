// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ulpine::io {

/// Calendars of CF-1.11 (section 4.4.1); `unknown` has no dates.
enum class Calendar {
  standard,             ///< Julian until 1582-10-04, Gregorian from 1582-10-15 on
  proleptic_gregorian,  ///< the rule of leap years of today at all times
  julian,               ///< every fourth year is a leap year
  noleap,
  all_leap,
  day_360,  ///< twelve months of 30 days
  unknown
};

/// Of the attribute `calendar`, in any case; `standard` where it is empty.
Calendar parse_calendar(std::string const& attribute);
/// The name that CF prefers; "unknown".
char const* calendar_name(Calendar calendar);

/// Days from 1970-01-01 of `calendar` to a date of it; nothing where it has no such date. Years count
/// astronomically: 0 precedes 1.
std::optional<std::int64_t> days_since_1970(Calendar calendar, std::int64_t year, int month, int day);

/// Whether both calendars give the instants from `seconds` (s since 1970-01-01 in both) on the same names.
bool same_dates_from(Calendar a, Calendar b, double seconds);

}  // namespace ulpine::io
