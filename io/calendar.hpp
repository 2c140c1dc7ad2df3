// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ulpine::io {

/// Calendars of CF-1.12 (section 4.4.1); `unknown` has no dates.
enum class Calendar {
  standard,             ///< Julian until 1582-10-04, Gregorian from 1582-10-15 on
  proleptic_gregorian,  ///< the rule of leap years of today at all times
  julian,               ///< every fourth year is a leap year
  noleap,
  all_leap,
  day_360,  ///< twelve months of 30 days
  utc,      ///< dates of proleptic_gregorian; time that elapses counts leap seconds (CF-1.12)
  tai,      ///< dates of proleptic_gregorian on the scale of International Atomic Time (CF-1.12)
  unknown
};

/// The calendar that an attribute `calendar` names, in any capitals, also as FMS does (THIRTY_DAY_MONTHS);
/// `standard` where it is empty.
Calendar parse_calendar(std::string const& attribute);
/// The name that CF prefers; "unknown".
char const* calendar_name(Calendar calendar);

/// Days from 1970-01-01 of `calendar` to a date of it; nothing where it has no such date. Years count
/// astronomically: 0 precedes 1.
std::optional<std::int64_t> days_since_1970(Calendar calendar, std::int64_t year, int month, int day);

/// The date of an instant, given in s since 1970-01-01 of `calendar`: "2000-01-31 06:00:00", to the nearest
/// millisecond and with a fraction of a second only where that leaves one ("06:00:00.25"). Where there is no
/// date, as in an unknown calendar or beyond 10^15 s, the seconds: "3600 s".
std::string date_text(Calendar calendar, double seconds);

/// Whether both calendars give the instants from `seconds` (s since 1970-01-01 in both) on the same names.
bool same_dates_from(Calendar a, Calendar b, double seconds);

}  // namespace ulpine::io
