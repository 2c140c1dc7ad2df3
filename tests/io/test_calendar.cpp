// SPDX-License-Identifier: Apache-2.0
#include "io/calendar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

#include "io/time_units.hpp"

namespace ulpine::io {
namespace {

constexpr Calendar all[] = {Calendar::standard, Calendar::proleptic_gregorian,
                            Calendar::julian,   Calendar::noleap,
                            Calendar::all_leap, Calendar::day_360};

TEST(Calendars, CountDaysAsCftimeDoes) {
  struct Date {
    int year, month, day;
    std::optional<std::int64_t> days[6];  // in the order of `all`
  };
  std::optional<std::int64_t> const none;
  // Python's cftime 1.6.2, 2026-11-22: date2num(datetime(...), "days since 1970-01-01", calendar).
  for (auto const& [year, month, day, days] :
       {Date{1, 1, 1, {-719164, -719162, -719177, -718685, -720654, -708840}},
        Date{1500, 2, 28, {-171597, -171606, -171610, -171492, -171962, -169143}},
        Date{1582, 10, 4, {-141428, -141438, -141441, -141344, -141731, -139407}},
        Date{1582, 10, 15, {-141427, -141427, -141430, -141333, -141720, -139396}},
        Date{1850, 1, 1, {-43829, -43829, -43830, -43800, -43920, -43200}},
        Date{1900, 3, 1, {-25508, -25508, -25508, -25491, -25560, -25140}},
        Date{2000, 2, 29, {11016, 11016, 11016, none, 11039, 10858}},
        Date{2000, 3, 1, {11017, 11017, 11017, 11009, 11040, 10860}},
        Date{2100, 12, 30, {47845, 47845, 47846, 47813, 47944, 47159}},
        Date{2400, 3, 1, {157114, 157114, 157117, 157009, 157440, 154860}}}) {
    for (std::size_t k = 0; k < std::size(all); ++k) {
      EXPECT_EQ(days_since_1970(all[k], year, month, day), days[k])
          << calendar_name(all[k]) << ' ' << year << '-' << month << '-' << day;
    }
  }
}

/// Every date that exists is the day after the one before it, over cycles of leap years.
TEST(Calendars, LeaveNoGapBetweenDates) {
  for (auto const calendar : all) {
    auto const dates = calendar == Calendar::day_360 ? 30 : 31;
    for (auto const from : {-401, 1580, 1999}) {
      auto expected = days_since_1970(calendar, from, 1, 1).value();
      for (auto year = from; year < from + (from == -401 ? 802 : 5); ++year) {
        for (int month = 1; month <= 12; ++month) {
          for (int day = 1; day <= dates; ++day) {
            auto const days = days_since_1970(calendar, year, month, day);
            if (days) {
              ASSERT_EQ(*days, expected++)
                  << calendar_name(calendar) << ' ' << year << ' ' << month << ' ' << day;
            }
          }
        }
      }
    }
    EXPECT_EQ(days_since_1970(calendar, 1970, 1, 1), 0);
    EXPECT_FALSE(days_since_1970(calendar, 2000, 13, 1));
    EXPECT_FALSE(days_since_1970(calendar, 2000, 0, 1));
    EXPECT_FALSE(days_since_1970(calendar, 2000, 4, 31) || days_since_1970(calendar, 2000, 4, 0));
    EXPECT_EQ(parse_calendar(calendar_name(calendar)), calendar);
  }
  EXPECT_FALSE(days_since_1970(Calendar::standard, 1582, 10, 10));
  EXPECT_FALSE(days_since_1970(Calendar::unknown, 2000, 1, 1));
}

/// Every date that exists is told as it is written, at any time of its day.
TEST(DateTexts, AreTheInverseOfCountingDays) {
  for (auto const calendar : all) {
    for (auto const from : {-401, 1580, 1999, 9998, 123456}) {
      for (auto year = from; year < from + (from == -401 ? 802 : 5); ++year) {
        for (int month = 1; month <= 12; ++month) {
          for (int day = 1; day <= 31; ++day) {
            auto const days = days_since_1970(calendar, year, month, day);
            if (!days) continue;
            auto const second = (std::abs(year) * 7919 + month * 104729 + day * 1299709) % 86400;
            char expected[64];
            std::snprintf(expected, sizeof expected, "%s%04d-%02d-%02d %02d:%02d:%02d", year < 0 ? "-" : "",
                          std::abs(year), month, day, second / 3600, second % 3600 / 60, second % 60);
            ASSERT_EQ(date_text(calendar, 86400. * static_cast<double>(*days) + second), expected)
                << calendar_name(calendar);
          }
        }
      }
    }
  }
}

TEST(DateTexts, HaveFractionsOfASecondOnlyWhereThereAreSome) {
  auto const of = [](double seconds) { return date_text(Calendar::standard, seconds); };
  EXPECT_EQ(of(949298400), "2000-01-31 06:00:00");  // date -u -d @949298400
  EXPECT_EQ(of(949298400.25), "2000-01-31 06:00:00.25");
  EXPECT_EQ(of(949298400.002), "2000-01-31 06:00:00.002");
  EXPECT_EQ(of(-0.5), "1969-12-31 23:59:59.5");
  // A third of a day in days since 1850 is off by some 10^-7 s.
  EXPECT_EQ(of(-43829 * 86400. + 1. / 3 * 86400 + 3e-7), "1850-01-01 08:00:00");
  EXPECT_EQ(of(86399.9996), "1970-01-02 00:00:00");
  EXPECT_EQ(of(-12219292800.), "1582-10-15 00:00:00");
  EXPECT_EQ(of(-12219292801.), "1582-10-04 23:59:59");
  EXPECT_EQ(date_text(Calendar::unknown, 3600), "3600 s");
  EXPECT_EQ(of(1e300), "1e+300 s");
  EXPECT_EQ(of(std::numeric_limits<double>::quiet_NaN()), "nan s");
  EXPECT_FALSE(of(1e15).ends_with("s") || of(-1e15).ends_with("s"));
}

TEST(Calendars, HaveSynonyms) {
  EXPECT_EQ(parse_calendar(""), Calendar::standard);
  EXPECT_EQ(parse_calendar("Gregorian"), Calendar::standard);
  EXPECT_EQ(parse_calendar("365_day"), Calendar::noleap);
  EXPECT_EQ(parse_calendar("366_DAY"), Calendar::all_leap);
  EXPECT_EQ(parse_calendar("none"), Calendar::unknown);
  EXPECT_EQ(parse_calendar("THIRTY_DAY_MONTHS"), Calendar::day_360);
  EXPECT_EQ(parse_calendar("NOLEAP"), Calendar::noleap);
  EXPECT_EQ(parse_calendar("UTC"), Calendar::utc);
  EXPECT_EQ(parse_calendar("tai"), Calendar::tai);
  EXPECT_TRUE(same_dates_from(Calendar::standard, Calendar::utc, 1e9));
  double const now = 1e9, before_1582 = -1.3e10;
  EXPECT_TRUE(same_dates_from(Calendar::standard, Calendar::proleptic_gregorian, now));
  EXPECT_FALSE(same_dates_from(Calendar::standard, Calendar::proleptic_gregorian, before_1582));
  EXPECT_FALSE(same_dates_from(Calendar::standard, Calendar::noleap, now));
  EXPECT_FALSE(same_dates_from(Calendar::standard, Calendar::julian, now));
  EXPECT_TRUE(same_dates_from(Calendar::day_360, Calendar::day_360, before_1582));
  EXPECT_FALSE(same_dates_from(Calendar::unknown, Calendar::unknown, now));
}

TEST(ParseTimeUnits, TakesTheFormsInUse) {
  EXPECT_EQ(parse_time_units("seconds since 1970-01-01").epoch, 0);
  EXPECT_EQ(parse_time_units("Days since 1970-1-2 00:00:0.0").epoch, 86400);
  EXPECT_EQ(parse_time_units("Days since 1970-1-2 00:00:0.0").seconds, 86400);
  EXPECT_EQ(parse_time_units("hours since 2000-01-01T06:30:00Z").epoch, 946684800 + 6.5 * 3600);
  EXPECT_EQ(parse_time_units("minutes since 2000-02-29 24:00").epoch,
            951868800);  // date -u -d 2000-03-01 +%s
  EXPECT_EQ(parse_time_units("h").seconds, 3600);
  EXPECT_EQ(parse_time_units("days since 1900-01-01").epoch, -2208988800.);  // date -u -d 1900-01-01 +%s
  EXPECT_EQ(parse_time_units("days since 2000-02-30", Calendar::day_360).epoch, 10859 * 86400.);
  EXPECT_TRUE(std::isnan(parse_time_units("days since 2000-02-29", Calendar::noleap).epoch));
  EXPECT_TRUE(std::isnan(parse_time_units("days since 2000-01-01", Calendar::unknown).epoch));
  for (auto const* bad :
       {"seconds since 2001-02-29", "seconds since yesterday", "seconds since 2000-13-01", "seconds",
        "seconds since 2000-01-01 25:00", "seconds since 2000-01-01 00:00 CET", "hours since 01/02/2000",
        "seconds since 2000-01-01 00:00 +05:00 or so", "hours since 2000", ""}) {
    EXPECT_TRUE(std::isnan(parse_time_units(bad).epoch)) << bad;
  }
  EXPECT_EQ(parse_time_units("months since 2000-01-01").seconds, 0);
}

/// Every text is of 2000-01-01 00:00 in Greenwich; seconds by date -u -d DATE +%s.
TEST(ParseTimeUnits, TakesZonesAndOtherWordsOfOneDate) {
  for (auto const* text : {"hours since 2000-01-01",
                           "Hours Since 2000-01-01 00:00:00",
                           "HOURS SINCE 2000-01-01T00:00:00Z",
                           "hours since 2000-01-01 00:00:00 +00",
                           "hours since 2000-01-01 00:00:00 +0:00",
                           "hours since 2000-01-01 00:00:00 0:00",
                           "hours since 2000-01-01T00:00:00+00:00",
                           "hours since 2000-01-01 01:00:00 +01:00",
                           "hours since 1999-12-31 18:00:00 -6:00",
                           "hours since 2000-01-01 05:30 +0530",
                           "hours since 1999-12-31 19:00:00 -05",
                           "hours @ 2000-01-01",
                           "hours@2000-01-01",
                           "hours after 2000-01-01",
                           "hours from 2000-1-1 0:0:0.",
                           "hours ref 2000-01-01 UTC",
                           "hours since 20000101",
                           "hours since 20000101T000000Z",
                           "hours since 2000/01/01 00:00:00",
                           "hours since 2000-01-01 00:00:00.000 GMT",
                           "hr since 2000-01"}) {
    auto const units = parse_time_units(text);
    EXPECT_EQ(units.epoch, 946684800) << text;
    EXPECT_EQ(units.seconds, 3600) << text;
    EXPECT_TRUE(units.dated && counts_from_date(text)) << text;
  }
  struct {
    char const* unit;
    double seconds;
  } const rows[] = {
      {"nanoseconds", 1e-9}, {"us", 1e-6}, {"milliseconds", 1e-3}, {"msec", 1e-3}, {"weeks", 604800}};
  for (auto const& row : rows) {
    EXPECT_EQ(parse_time_units(std::string(row.unit) + " since 2000-01-01").seconds, row.seconds) << row.unit;
  }
  EXPECT_FALSE(counts_from_date("m"));
  EXPECT_FALSE(counts_from_date("hours"));
  EXPECT_FALSE(counts_from_date("degrees from north"));
  EXPECT_TRUE(counts_from_date("months since launch"));
}

/// Dates of whole months by the calendar, seconds by date -u -d DATE +%s.
TEST(Instants, CountMonthsAndYearsByTheCalendar) {
  auto const instant = [](char const* units, double stored, Calendar calendar = Calendar::standard) {
    return instant_of(stored, parse_time_units(units, calendar), calendar);
  };
  EXPECT_EQ(instant("months since 1979-01-01", 0), 283996800);
  EXPECT_EQ(instant("months since 1979-01-01", 13), 318211200);  // 1980-02-01
  EXPECT_EQ(instant("months since 1978-01-01", 25), 318211200);
  EXPECT_EQ(instant("years since 1978-01-01", 2), 315532800);  // 1980-01-01
  EXPECT_EQ(instant("months since 1980-03-01", -1), 318211200);
  EXPECT_EQ(instant("months since 2000-01-31", 1), 951782400);  // 2000-02-29, as February has no 31st
  EXPECT_EQ(instant("months since 2000-01-01", 0.5), 946684800 + 15.5 * 86400);
  EXPECT_EQ(instant("months since 2000-01-01", 14, Calendar::day_360),
            instant("days since 2000-01-01", 420, Calendar::day_360));
  EXPECT_TRUE(std::isnan(instant("months since launch", 1)));
  EXPECT_TRUE(std::isnan(instant("months since 2000-01-01", 1e300)));
  EXPECT_EQ(instant("days since 2000-01-01", 1.5), 946684800 + 1.5 * 86400);
}

/// Between 1999 and 2020 five leap seconds were inserted (IERS Bulletin C), and TAI was 37 s ahead from 2017.
TEST(Instants, CountLeapSecondsWhereTheCalendarDoes) {
  auto const instant = [](char const* units, double stored, Calendar calendar) {
    return instant_of(stored, parse_time_units(units, calendar), calendar);
  };
  double const year_2020 = 1577836800, since_2000 = year_2020 - 946684800;
  EXPECT_EQ(instant("seconds since 2000-01-01", since_2000, Calendar::standard), year_2020);
  EXPECT_EQ(instant("seconds since 2000-01-01", since_2000 + 5, Calendar::utc), year_2020);
  EXPECT_EQ(instant("seconds since 2000-01-01", since_2000 + 37, Calendar::tai), year_2020);
  EXPECT_EQ(instant("seconds since 2016-12-31 23:59:59", 0, Calendar::utc), 1483228799);
  EXPECT_EQ(instant("seconds since 2016-12-31 23:59:59", 2, Calendar::utc), 1483228800);
  EXPECT_EQ(instant("seconds since 2016-12-31 23:59:59", 3, Calendar::utc), 1483228801);
}

/// Seconds by date -u -d DATE +%s.
TEST(AbsoluteTimes, AreDatesWithAFractionOfTheDay) {
  EXPECT_TRUE(is_absolute_time("day as %Y%m%d.%f"));
  EXPECT_FALSE(is_absolute_time("days since 2000-01-01"));
  auto const seconds = [](double date, Calendar calendar = Calendar::proleptic_gregorian) {
    return seconds_of_absolute_time(date, calendar);
  };
  EXPECT_EQ(seconds(20000131.25), 949298400);  // 2000-01-31 06:00
  EXPECT_EQ(seconds(20200101.), 1577836800);
  // Hours and seconds are no binary fractions; the nearest millisecond is meant.
  EXPECT_EQ(seconds(20200101 + 1. / 24), 1577836800 + 3600);
  EXPECT_EQ(seconds(20200101 + 1. / 86400), 1577836800 + 1);
  EXPECT_EQ(seconds(20200101 + 5. / 24), 1577836800 + 5 * 3600);
  EXPECT_EQ(seconds(19691231.5), -43200);
  EXPECT_EQ(seconds(20000230., Calendar::day_360), 10859 * 86400.);
  EXPECT_EQ(seconds(-10101.),
            86400. * static_cast<double>(*days_since_1970(Calendar::proleptic_gregorian, -1, 1, 1)));
  for (double const bad : {20010229., 20001301., 20000100., 0., std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), 1e300}) {
    EXPECT_TRUE(std::isnan(seconds(bad))) << bad;
  }
}

TEST(WrittenDates, AreReadAllOrNone) {
  auto const characters = [](std::string const& text) {
    return std::vector<double>(text.begin(), text.end());
  };
  EXPECT_EQ(parse_dates(characters("2005-08-28_00:00:002005-08-28_06:30:00"), 19),
            (std::vector<double>{1125187200, 1125187200 + 23400}));
  EXPECT_EQ(parse_dates(characters(std::string("2005-08-28_00:00:00\0\0", 21)), 21),
            (std::vector<double>{1125187200}));
  EXPECT_TRUE(parse_dates(characters("2005-08-28_00:00:002005-13-28_06:30:00"), 19).empty());
  EXPECT_TRUE(parse_dates({}, 19).empty());
  EXPECT_TRUE(parse_dates(characters("2005"), 0).empty());
}

}  // namespace
}  // namespace ulpine::io
