// SPDX-License-Identifier: Apache-2.0
#include "io/time_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "io/text.hpp"

namespace ulpine::io {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr double day_seconds = 86400;

/// Reads a text from the left.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_{text} {}

  bool done() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool skip_blanks() {
    auto const first = std::min(rest_.find_first_not_of(" \t_"), rest_.size());
    rest_.remove_prefix(first);
    return first > 0;
  }
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view take_word() {
    auto const size = std::min<std::size_t>(
        std::ranges::find_if(rest_, [](char c) { return c < 'a' || c > 'z'; }) - rest_.begin(), rest_.size());
    auto const word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }
  /// Digits, at most nine; empty where there is none.
  std::string_view take_digits() {
    std::size_t size = 0;
    while (size < rest_.size() && size < 9 && rest_[size] >= '0' && rest_[size] <= '9') ++size;
    auto const digits = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return digits;
  }

 private:
  std::string_view rest_;
};

int number_of(std::string_view digits) {
  int number = 0;
  for (auto const digit : digits) number = 10 * number + (digit - '0');
  return number;
}

/// 2000-1-31, 2000/01/31, 2000-01 or 20000131.
std::optional<Date> take_date(Scanner& text) {
  Date date;
  auto const negative = text.take('-');
  auto const first = text.take_digits();
  if (first.empty()) return {};
  if (first.size() == 8 && text.next() != '-' && text.next() != '/') {
    auto const digits = number_of(first);
    date = {digits / 10000, digits / 100 % 100, digits % 100, 0};
  } else {
    auto const separator = text.next();
    // A year comes first: of 01/02/2000 nobody knows the month.
    if ((separator != '-' && separator != '/') || (separator == '/' && first.size() < 3)) return {};
    date.year = number_of(first);
    text.take(separator);
    auto const month = text.take_digits();
    if (month.empty() || month.size() > 2) return {};
    date.month = number_of(month);
    if (text.take(separator)) {
      auto const day = text.take_digits();
      if (day.empty() || day.size() > 2) return {};
      date.day = number_of(day);
    }
  }
  if (negative) date.year = -date.year;
  return date;
}

/// 6, 06:30, 06:30:15.5 or 063015: seconds of the day.
std::optional<double> take_clock(Scanner& text) {
  auto const first = text.take_digits();
  int hour = 0, minute = 0;
  double second = 0;
  if (first.size() == 4 || first.size() == 6) {
    hour = number_of(first.substr(0, 2));
    minute = number_of(first.substr(2, 2));
    second = number_of(first.substr(4));
  } else {
    if (first.empty() || first.size() > 2) return {};
    hour = number_of(first);
    if (text.take(':')) {
      auto const minutes = text.take_digits();
      if (minutes.empty() || minutes.size() > 2) return {};
      minute = number_of(minutes);
      if (text.take(':')) {
        auto const seconds = text.take_digits();
        if (seconds.empty() || seconds.size() > 2) return {};
        second = number_of(seconds);
      }
    }
  }
  if (text.take('.')) {
    double unit = 1;
    for (auto const digit : text.take_digits()) second += (digit - '0') * (unit /= 10);
  }
  if (hour > 24 || minute > 59 || second >= 61) return {};
  return 3600. * hour + 60. * minute + second;
}

/// Z, UTC, +01:00, -6:00, +0530, +01 or 0:00: seconds east of Greenwich.
std::optional<double> take_zone(Scanner& text) {
  if (auto const word = text.take_word(); !word.empty()) {
    return word == "z" || word == "utc" || word == "gmt" ? std::optional(0.) : std::nullopt;
  }
  auto const west = text.take('-');
  if (!west) text.take('+');
  auto const first = text.take_digits();
  if (first.empty() || first.size() > 4) return {};
  auto hours = number_of(first), minutes = 0;
  if (first.size() > 2) {
    minutes = hours % 100;
    hours /= 100;
  } else if (text.take(':')) {
    auto const digits = text.take_digits();
    if (digits.empty() || digits.size() > 2) return {};
    minutes = number_of(digits);
  }
  if (hours > 24 || minutes > 59) return {};
  return (west ? -1 : 1) * (3600. * hours + 60. * minutes);
}

struct ZonedDate {
  Date date;
  double zone = 0;
};

std::optional<ZonedDate> parse_date(std::string_view words) {
  Scanner text{words};
  text.skip_blanks();
  auto const date = take_date(text);
  if (!date) return {};
  ZonedDate result{*date, 0};
  auto const apart = text.skip_blanks();
  auto const marked = text.take('t');
  auto const digit = text.next() >= '0' && text.next() <= '9';
  if (marked || (apart && digit)) {
    auto const clock = take_clock(text);
    if (!clock) return {};
    result.date.seconds = *clock;
    text.skip_blanks();
  }
  if (!text.done()) {
    auto const zone = take_zone(text);
    text.skip_blanks();
    if (!zone || !text.done()) return {};
    result.zone = *zone;
  }
  return result;
}

std::optional<double> seconds_of(Date const& date, Calendar calendar) {
  auto const days = days_since_1970(calendar, date.year, date.month, date.day);
  if (!days) return {};
  return day_seconds * static_cast<double>(*days) + date.seconds;
}

/// The unit's word in small letters, and what follows the word that says "since"; that is absent where there
/// is none.
struct Parts {
  std::string unit;
  std::optional<std::string> date;
};

Parts parts_of(std::string const& units) {
  auto const text = lower_case(units);
  for (std::string const word : {" since ", " after ", " from ", " ref ", "@"}) {
    auto const place = text.find(word);
    if (place == std::string::npos) continue;
    auto const words = words_of(text.substr(0, place));
    return {words.empty() ? "" : words.front(), text.substr(place + word.size())};
  }
  auto const words = words_of(text);
  return {words.empty() ? "" : words.front(), {}};
}

struct Unit {
  double seconds;
  int months;
};

std::optional<Unit> unit_of(std::string const& word) {
  static std::map<std::string, Unit> const known = [] {
    std::map<std::string, Unit> units;
    auto const add = [&](Unit unit, std::initializer_list<char const*> names) {
      for (auto const* name : names) units[name] = unit;
    };
    add({1e-9, 0}, {"ns", "nsec", "nsecs", "nanosecond", "nanoseconds", "nanosec", "nanosecs"});
    add({1e-6, 0}, {"us", "usec", "usecs", "microsecond", "microseconds", "microsec", "microsecs"});
    add({1e-3, 0}, {"ms", "msec", "msecs", "millisecond", "milliseconds", "millisec", "millisecs"});
    add({1, 0}, {"s", "sec", "secs", "second", "seconds"});
    add({60, 0}, {"min", "mins", "minute", "minutes"});
    add({3600, 0}, {"h", "hr", "hrs", "hour", "hours"});
    add({day_seconds, 0}, {"d", "day", "days"});
    add({7 * day_seconds, 0}, {"week", "weeks"});
    add({0, 1}, {"month", "months", "mon", "mons"});
    add({0, 12}, {"year", "years", "yr", "yrs"});
    return units;
  }();
  auto const found = known.find(word);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// Seconds that TAI is ahead of UTC from the first day of a month on, as dates of UTC count it (IERS Bulletin
/// C; no leap second has been announced since 2017).
struct Ahead {
  std::int64_t year;
  int month;
  double seconds;
};
constexpr Ahead ahead_of_utc[] = {
    {1972, 1, 10}, {1972, 7, 11}, {1973, 1, 12}, {1974, 1, 13}, {1975, 1, 14}, {1976, 1, 15}, {1977, 1, 16},
    {1978, 1, 17}, {1979, 1, 18}, {1980, 1, 19}, {1981, 7, 20}, {1982, 7, 21}, {1983, 7, 22}, {1985, 7, 23},
    {1988, 1, 24}, {1990, 1, 25}, {1991, 1, 26}, {1992, 7, 27}, {1993, 7, 28}, {1994, 7, 29}, {1996, 1, 30},
    {1997, 7, 31}, {1999, 1, 32}, {2006, 1, 33}, {2009, 1, 34}, {2012, 7, 35}, {2015, 7, 36}, {2017, 1, 37}};

/// Seconds that TAI is ahead of UTC at `utc`, a date of UTC in s since 1970-01-01; before 1972: 10.
double tai_ahead(double utc) {
  double ahead = ahead_of_utc[0].seconds;
  for (auto const& step : ahead_of_utc) {
    auto const from = seconds_of({step.year, step.month, 1, 0}, Calendar::proleptic_gregorian);
    if (utc >= *from) ahead = step.seconds;
  }
  return ahead;
}

/// A date of TAI as one of UTC; the second that is inserted counts as the first of the next day.
double utc_of_tai(double tai) {
  auto utc = tai - tai_ahead(tai);
  // Near a leap second the date of TAI lies behind it already where that of UTC does not.
  return tai - tai_ahead(utc);
}

/// The date `months` months after another one.
std::optional<double> months_later(Date date, std::int64_t months, Calendar calendar) {
  auto const total = date.year * 12 + date.month - 1 + months;
  date.year = total >= 0 ? total / 12 : -((-total + 11) / 12);
  date.month = static_cast<int>(total - date.year * 12) + 1;
  for (; date.day > 0; --date.day) {
    if (auto const seconds = seconds_of(date, calendar)) return seconds;
  }
  return {};
}

}  // namespace

TimeUnits parse_time_units(std::string const& units, Calendar calendar) {
  TimeUnits result;
  result.epoch = nan;
  auto const parts = parts_of(units);
  auto const unit = unit_of(parts.unit);
  if (unit) {
    result.seconds = unit->seconds;
    result.months = unit->months;
  }
  result.dated = parts.date.has_value();
  if (!result.dated) return result;
  auto const parsed = parse_date(*parts.date);
  if (!parsed) return result;
  auto const seconds = seconds_of(parsed->date, calendar);
  if (!seconds) return result;
  result.epoch = *seconds - parsed->zone;
  result.date = parsed->date;
  result.date.seconds -= parsed->zone;
  return result;
}

bool counts_from_date(std::string const& units) {
  auto const parts = parts_of(units);
  // "m from 0" is no time; "since" is of times alone.
  return parts.date && (unit_of(parts.unit) || lower_case(units).find(" since ") != std::string::npos);
}

double instant_of(double stored, TimeUnits const& units, Calendar calendar) {
  if (!std::isfinite(units.epoch) || !std::isfinite(stored)) return nan;
  if (units.months > 0) {
    constexpr double most = 1e9;
    auto const months = stored * units.months, whole = std::floor(months);
    if (!(std::abs(months) < most)) return nan;
    auto const from = months_later(units.date, static_cast<std::int64_t>(whole), calendar);
    auto const to = months_later(units.date, static_cast<std::int64_t>(whole) + 1, calendar);
    return from && to ? *from + (months - whole) * (*to - *from) : nan;
  }
  if (units.seconds == 0) return nan;
  auto const elapsed = stored * units.seconds;
  if (calendar == Calendar::utc) return utc_of_tai(units.epoch + tai_ahead(units.epoch) + elapsed);
  if (calendar == Calendar::tai) return utc_of_tai(units.epoch + elapsed);
  return units.epoch + elapsed;
}

bool is_absolute_time(std::string const& units) { return units.starts_with("day as %Y%m%d"); }

double seconds_of_absolute_time(double date, Calendar calendar) {
  constexpr double latest = 1e10;  // the year 1000000, whose fractions of a day are gone
  auto const number = std::abs(date);
  if (!(number < latest)) return nan;
  auto const digits = static_cast<std::int64_t>(number);
  auto const year = digits / 10000;
  auto const days = days_since_1970(calendar, date < 0 ? -year : year, static_cast<int>(digits / 100 % 100),
                                    static_cast<int>(digits % 100));
  if (!days) return nan;
  auto const milliseconds = std::round((number - std::floor(number)) * day_seconds * 1e3);
  return day_seconds * static_cast<double>(*days) + milliseconds / 1e3;
}

std::vector<double> parse_dates(std::vector<double> const& characters, std::uint64_t length) {
  std::vector<double> dates;
  for (std::size_t first = 0; length > 0 && first + length <= characters.size(); first += length) {
    std::string text;
    for (std::size_t i = first; i < first + length; ++i) {
      text += characters[i] > 0 && characters[i] < 128 ? static_cast<char>(characters[i]) : ' ';
    }
    dates.push_back(parse_time_units("seconds since " + text).epoch);
    if (!std::isfinite(dates.back())) return {};
  }
  return dates;
}

}  // namespace ulpine::io
