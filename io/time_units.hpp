// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/calendar.hpp"

namespace ulpine::io {

/// A date and its time of day, as units name one.
struct Date {
  std::int64_t year = 0;  ///< counted astronomically: 0 precedes 1
  int month = 1, day = 1;
  double seconds = 0;  ///< second of the day
};

/// How stored times are to be read: units "<unit> since <date>" (CF-1.11, section 4.4) or "<unit>".
struct TimeUnits {
  double seconds = 0;  ///< that a unit has; 0 of months and years, and where unknown
  int months = 0;      ///< that a unit has: 1 of months, 12 of years; 0 of others
  bool dated = false;  ///< whether they count from a date, one that can be read or not
  double epoch = 0;    ///< s since 1970-01-01 of the calendar; NaN where no date can be read
  Date date;           ///< date of the epoch, where it can be read
};

/// Units in any capitals; "after", "from", "ref" and "@" stand for "since", as in UDUNITS-2. Dates as
/// 2000-1-31, 2000/01/31 or 20000131, with or without a time of day (behind blanks or T) and a time zone (Z,
/// UTC, GMT, +01:00, -6:00, +0530, +01, 0:00), which is taken off.
TimeUnits parse_time_units(std::string const& units, Calendar calendar = Calendar::standard);

/// Whether units count from a date, one that can be read or not.
bool counts_from_date(std::string const& units);

/// A stored time in s since 1970-01-01 of the calendar; NaN where it has none. Months and years are those of
/// the calendar: n months after the 31st is the last day of a shorter month, and a part of a month is the
/// part of its days. Times of the calendars `utc` (which counts leap seconds) and `tai` become the date of
/// UTC, in seconds that skip leap seconds, as those of `standard`.
double instant_of(double stored, TimeUnits const& units, Calendar calendar);

/// Whether times are dates as numbers, "day as %Y%m%d.%f": 20000131.25 is 6 h of 2000-01-31 (ICON, CDO).
bool is_absolute_time(std::string const& units);
/// Such a time to the nearest millisecond, which a double resolves, in s since 1970-01-01 of the calendar;
/// NaN where it is no date of it.
double seconds_of_absolute_time(double date, Calendar calendar);
/// Rows of `length` characters as dates ("2005-08-28_00:00:00"), s since 1970-01-01; empty where one is none.
std::vector<double> parse_dates(std::vector<double> const& characters, std::uint64_t length);

}  // namespace ulpine::io
