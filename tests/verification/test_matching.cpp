// SPDX-License-Identifier: Apache-2.0
// Which values of two files belong together; the files are written with netCDF itself.
#include "verification/comparison/matching.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/netcdf_writing.hpp"
#include "support/random_values.hpp"
#include "support/temporary_folder.hpp"
#include "verification/comparison/compare.hpp"

namespace ulpine::verification {
namespace {

using test::NetcdfWriting;
using test::RandomValues;
using test::TemporaryFolder;
using Field = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Every time has at most one other within half of the smallest interval, and finds it.
TEST(MatchTimes, FindsTheOnlyTimeNearerThanHalfAnInterval) {
  RandomValues random(51);
  for (int trial = 0; trial < 400; ++trial) {
    auto const list = [&] {
      Field times;
      double time = random.between(-3, 3);
      for (auto n = random.below(12); n > 0; --n) times.push_back(time += random.between(0.5, 3));
      if (trial % 4 == 0) random.shuffle(times);
      return times;
    };
    auto const y = list(), x = list();
    double smallest = std::numeric_limits<double>::infinity();
    for (auto const& times : {y, x}) {
      for (double const a : times) {
        for (double const b : times) smallest = a < b ? std::min(smallest, b - a) : smallest;
      }
    }
    std::set<std::pair<std::size_t, std::size_t>> expected;
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        if (std::isfinite(smallest) && std::abs(y[i] - x[j]) < smallest / 2) expected.emplace(i, j);
      }
    }
    auto const pairs = match_times(y, x);
    EXPECT_EQ((std::set<std::pair<std::size_t, std::size_t>>(pairs.begin(), pairs.end())), expected);
    EXPECT_EQ(pairs.size(), expected.size());
    for (std::size_t k = 1; k < pairs.size(); ++k) EXPECT_LT(y[pairs[k - 1].first], y[pairs[k].first]);
  }
}

TEST(MatchTimes, TakesSingleTimesForEqualWithinRoundingAndOfRepeatedOnesTheLast) {
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(match_times(Field{86400}, Field{86400.01}), (Pairs{{0, 0}}));
  EXPECT_EQ(match_times(Field{86400}, Field{86401}), Pairs{});
  EXPECT_EQ(match_times(Field{0}, Field{0}), (Pairs{{0, 0}}));
  EXPECT_EQ(match_times(Field{0, 10, 10, 20}, Field{10, 20, 20}), (Pairs{{2, 0}, {3, 2}}));
  EXPECT_EQ(match_times(Field{0, nan, 10}, Field{nan, 10}), (Pairs{{2, 1}}));
  EXPECT_EQ(match_times(Field{0, 10}, Field{5}), Pairs{});  // as near to the one as to the other
  EXPECT_TRUE(match_times(Field{}, Field{1}).empty());
}

/// h(time, x), whose value is that of the time's index.
struct Series {
  Field times;
  std::string units = "seconds since 2000-01-01 00:00:00", calendar = {};
  bool coordinate = true;
};

io::InputFile series(TemporaryFolder const& folder, std::string const& name, Series const& series) {
  {
    NetcdfWriting file{folder / name};
    auto const time = file.dimension("time", series.times.size()), x = file.dimension("x", 2);
    auto const h = file.variable("h", NC_DOUBLE, {time, x});
    if (series.coordinate) {
      auto const t = file.variable("time", NC_DOUBLE, {time});
      if (!series.units.empty()) file.text(t, "units", series.units);
      if (!series.calendar.empty()) file.text(t, "calendar", series.calendar);
      file.values(t, series.times);
    }
    Field values;
    for (std::size_t i = 0; i < series.times.size(); ++i) values.insert(values.end(), 2, 1 + double(i));
    file.values(h, values);
  }
  return io::InputFile(folder / name);
}

struct Answer {
  Field times;
  std::vector<Metrics> metrics;
  std::string notes;
};

Answer compared(io::InputFile const& reference, io::InputFile const& test) {
  auto const comparison = compare(reference, test, {"h"}, Times::all);
  Answer answer;
  for (auto const& time : comparison.variables[0].times) {
    answer.times.push_back(time.time_s);
    answer.metrics.push_back(time.metrics);
  }
  for (auto const& note : comparison.notes) answer.notes += note + "\n";
  return answer;
}

TEST(Compare, MatchesTimesToHalfTheSmallestInterval) {
  TemporaryFolder folder;
  auto const reference = series(folder, "y.nc", {{0, 3600, 7200, 14400}});
  auto const same = series(folder, "x.nc", {{10, 3590, 9100, 14400}});
  auto const answer = compared(reference, same);
  EXPECT_EQ(answer.times, (Field{0, 3600, 14400}));
  EXPECT_NE(answer.notes.find("differ by up to 10 s"), std::string::npos) << answer.notes;
  EXPECT_NE(answer.notes.find("3 times in common of 4 in the reference and 4 in the test (left out: the "
                              "reference's 2000-01-01 02:00:00; the test's 2000-01-01 02:31:40)"),
            std::string::npos)
      << answer.notes;
  // Records of other numbers: what is left out are the first of the one and the last of the other.
  auto const later = compared(reference, series(folder, "w.nc", {{3600, 7200, 14400, 20000}}));
  EXPECT_EQ(later.times, (Field{3600, 7200, 14400}));
  EXPECT_NE(
      later.notes.find("(left out: the reference's 2000-01-01 00:00:00; the test's 2000-01-01 05:33:20)"),
      std::string::npos)
      << later.notes;
  // Steps as model steps fall, written in other units.
  auto const minutes = series(folder, "z.nc", {{0, 60.1, 119.9, 240}, "minutes since 2000-01-01"});
  EXPECT_EQ(compared(reference, minutes).times, (Field{0, 3600, 7200, 14400}));
  EXPECT_TRUE(compared(reference, minutes).metrics[2].equal());
  // The same records at the same times say nothing.
  EXPECT_EQ(compared(reference, reference).notes, "");
}

TEST(Compare, MatchesWithinACalendarAndRefusesAnother) {
  TemporaryFolder folder;
  // 60 days after the first of January are the 1st of March without leap days, the 29th of February in 2000
  // otherwise, and the 1st of March (of 30 days in February) in years of 360 days.
  auto const file = [&](std::string const& name, std::string const& calendar, Field const& days,
                        std::string const& epoch = "2000-01-01") {
    return series(folder, name, {days, "days since " + epoch, calendar});
  };
  std::map<std::string, std::string> const kinds = {{"", "standard"},
                                                    {"standard", "standard"},
                                                    {"gregorian", "standard"},
                                                    {"julian", "julian"},
                                                    {"noleap", "noleap"},
                                                    {"365_day", "noleap"},
                                                    {"all_leap", "all_leap"},
                                                    {"366_day", "all_leap"},
                                                    {"360_day", "360_day"},
                                                    {"custom", "custom"},
                                                    {"proleptic_gregorian", "standard"}};
  for (auto const& [calendar_y, kind_y] : kinds) {
    auto const reference = file("y.nc", calendar_y, {59, 60, 61});
    for (auto const& [calendar_x, kind_x] : kinds) {
      auto const comparison = compare(reference, file("x.nc", calendar_x, {59, 60, 61}), {"h"}, Times::all);
      auto const& h = comparison.variables[0];
      EXPECT_EQ(comparison.usable(), kind_x == kind_y) << calendar_x << ' ' << calendar_y;
      if (kind_x == kind_y) {
        EXPECT_EQ(h.times.size(), 3u) << calendar_x << ' ' << calendar_y;
        EXPECT_EQ(h.same, Sameness::bits);
      } else {
        EXPECT_TRUE(h.times[0].metrics.failure.starts_with("calendars differ: "))
            << h.times[0].metrics.failure;
      }
    }
  }
  EXPECT_EQ(
      compared(file("y.nc", "", {59}), file("x.nc", "365_day", {59})).metrics[0].failure,
      "calendars differ: noleap against standard, whose dates are other instants (convert one file's times)");
  // Day 59 of a year without leap days is the first of March.
  auto const from_march = file("m.nc", "noleap", {0, 1}, "2000-03-01");
  EXPECT_EQ(compared(file("y.nc", "noleap", {58, 59, 60}), from_march).times,
            (Field{59 * 86400., 60 * 86400.}));
  EXPECT_EQ(
      compared(file("y.nc", "360_day", {58, 59, 60}), file("x.nc", "360_day", {0, 1}, "2000-02-30")).times,
      (Field{59 * 86400., 60 * 86400.}));
  // Before 1582 the two names of today's calendar mean two calendars.
  EXPECT_FALSE(compare(file("y.nc", "standard", {1, 2}, "1500-01-01"),
                       file("x.nc", "proleptic_gregorian", {1, 2}, "1500-01-01"), {"h"})
                   .usable());
  // What has no reference date has no calendar.
  EXPECT_TRUE(compare(series(folder, "y.nc", {{1, 2}, "s", "noleap"}),
                      series(folder, "x.nc", {{1, 2}, "s", "360_day"}), {"h"})
                  .usable());
}

TEST(Compare, TellsHowTimesWithoutDatesWereMatched) {
  TemporaryFolder folder;
  auto const dated = series(folder, "dated.nc", {{3600, 7200}});
  auto const seconds = series(folder, "seconds.nc", {{0, 3600}, "s"});
  auto const odd = series(folder, "odd.nc", {{0, 1}, "hours since the beginning"});
  auto const undated = compared(dated, seconds);
  EXPECT_EQ(undated.times, (Field{3600, 7200}));
  EXPECT_NE(undated.notes.find("h: only the reference has dates"), std::string::npos) << undated.notes;
  // A date that cannot be read is a refusal, unless both files have the same words.
  EXPECT_NE(
      compared(dated, odd).metrics[0].failure.find("cannot be read as dates: 'hours since the beginning'"),
      std::string::npos);
  EXPECT_EQ(compared(odd, odd).metrics.size(), 2u);
  // Months are those of the calendar: two in common, and one of each alone.
  auto const months = series(folder, "months.nc", {{6, 7, 8}, "months since 2000-01-01"});
  auto const later = series(folder, "later.nc", {{7, 8, 9}, "months since 2000-01-01"});
  EXPECT_EQ(compared(months, later).times.size(), 2u);
  EXPECT_FALSE(compared(months, later).metrics[0].equal());  // record 1 beside record 0
  auto const august = series(folder, "days.nc", {{31, 62}, "days since 2000-07-01"});
  EXPECT_EQ(compared(months, august).times.size(), 2u);
  auto const fortnights = series(folder, "odd_units.nc", {{1, 2}, "fortnights"});
  EXPECT_EQ(compared(fortnights, seconds).metrics[0].failure,
            "times cannot be matched: 's' against 'fortnights'");
  auto const bare = series(folder, "bare.nc", {{5, 6, 7}, "", "", false});
  EXPECT_EQ(compared(bare, bare).times, (Field{0, 1, 2}));
  EXPECT_NE(compared(bare, dated).notes.find("only the test says when its times are"), std::string::npos);
  EXPECT_EQ(compared(bare, dated).times, (Field{0, 1}));
  auto const other_day = series(folder, "day.nc", {{0, 3600}, "seconds since 2001-01-01 00:00:00"});
  EXPECT_NE(compared(dated, other_day).notes.find("no date in common"), std::string::npos);
  EXPECT_EQ(compared(dated, other_day).times, (Field{3600, 7200}));
}

/// A coordinate variable: name, values, attributes.
struct Axis {
  std::string name;
  Field values;
  nc_type type = NC_DOUBLE;
  std::map<std::string, std::string> attributes = {};
  std::optional<double> scale = {};
};

/// h over all axes, 1, 2, 3, ...; `places` are auxiliary coordinates over them.
io::InputFile grid(TemporaryFolder const& folder, std::string const& name, std::vector<Axis> const& axes,
                   std::vector<Axis> const& places = {}, std::size_t unlimited = 99) {
  {
    NetcdfWriting file{folder / name};
    std::vector<int> dimensions;
    std::size_t size = 1;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      auto const length = axes[d].values.size();
      dimensions.push_back(file.dimension(axes[d].name.c_str(), d == unlimited ? NC_UNLIMITED : length));
      size *= length;
    }
    auto const h = file.variable("h", NC_DOUBLE, dimensions);
    std::string words;
    auto const write = [&](Axis const& axis, std::vector<int> const& over) {
      auto const v = file.variable(axis.name.c_str(), axis.type, over);
      for (auto const& [key, value] : axis.attributes) file.text(v, key.c_str(), value);
      if (axis.scale) file.number(v, "scale_factor", NC_DOUBLE, {*axis.scale});
      nc_enddef(file.file());
      std::vector<std::size_t> const start(over.size(), 0);
      std::vector<std::size_t> count;
      if (over.size() == 1) count = {axis.values.size()};
      for (std::size_t d = 0; count.size() < over.size(); ++d) count.push_back(axes[d].values.size());
      EXPECT_EQ(nc_put_vara_double(file.file(), v, start.data(), count.data(), axis.values.data()), NC_NOERR);
      nc_redef(file.file());
    };
    for (std::size_t d = 0; d < axes.size(); ++d) {
      if (axes[d].type != NC_NAT) write(axes[d], {dimensions[d]});
    }
    for (auto const& place : places) {
      write(place, dimensions);
      words += place.name + " ";
    }
    if (!words.empty()) file.text(h, "coordinates", words);
    Field values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = 1 + double(i);
    nc_enddef(file.file());
    std::vector<std::size_t> const start(axes.size(), 0);
    std::vector<std::size_t> count;
    for (auto const& axis : axes) count.push_back(axis.values.size());
    EXPECT_EQ(nc_put_vara_double(file.file(), h, start.data(), count.data(), values.data()), NC_NOERR);
  }
  return io::InputFile(folder / name);
}

std::string failure(io::InputFile const& reference, io::InputFile const& test) {
  return compare(reference, test, {"h"}).variables[0].times[0].metrics.failure;
}

TEST(Compare, RefusesFieldsOfOtherPlaces) {
  TemporaryFolder folder;
  std::map<std::string, std::string> const north = {{"units", "degrees_north"}},
                                           east = {{"units", "degrees_east"}};
  Axis const lat{"lat", {60, 61, 62}, NC_DOUBLE, north}, lon{"lon", {10, 12, 14}, NC_DOUBLE, east};
  auto const reference = grid(folder, "y.nc", {lat, lon});
  auto const refused = [&](std::vector<Axis> const& axes) {
    return failure(reference, grid(folder, "x.nc", axes));
  };
  auto with = [](Axis axis, Field const& values) {
    axis.values = values;
    return axis;
  };
  EXPECT_EQ(refused({lat, lon}), "");
  EXPECT_EQ(refused({with(lat, {60, 61.5, 62}), lon}),
            "coordinate lat differs: 61.5 against 61 degrees_north at element 1");
  EXPECT_EQ(refused({lat, with(lon, {10, 12, nan})}),
            "coordinate lon differs: nan against 14 degrees_east at element 2");
  EXPECT_EQ(refused({with(lat, {62, 61, 60}), lon}),
            "coordinate lat runs the other way: from 62 to 60 against from 60 to 62");
  EXPECT_EQ(refused({lon, lat}), "dimensions are in another order: lon, lat against lat, lon");
  // Names that tell nothing, and attributes that do.
  EXPECT_EQ(failure(grid(folder, "a.nc",
                         {{"j", {60, 61, 62}, NC_DOUBLE, north}, {"i", {10, 12, 14}, NC_DOUBLE, east}}),
                    grid(folder, "b.nc",
                         {{"i", {10, 12, 14}, NC_DOUBLE, {{"axis", "X"}}},
                          {"j", {60, 61, 62}, NC_DOUBLE, {{"standard_name", "latitude"}}}})),
            "dimensions are in another order: i, j against j, i");
  // Without coordinates on a side the position counts.
  EXPECT_EQ(refused({{"rows", {0, 0, 0}, NC_NAT}, {"columns", {0, 0, 0}, NC_NAT}}), "");
  EXPECT_EQ(refused({{"j", {0, 0, 0}, NC_NAT}, lon}), "");
  // Numbers of members are no places.
  Axis member{"member", {3}, NC_INT, {{"standard_name", "realization"}}};
  auto const third = grid(folder, "m3.nc", {member, lat, lon});
  member.values = {4};
  EXPECT_EQ(failure(third, grid(folder, "m4.nc", {member, lat, lon})), "");
  member.attributes = {};
  EXPECT_NE(failure(third, grid(folder, "m5.nc", {member, with(lat, {0, 1, 2}), lon})), "");
}

TEST(Compare, AllowsCoordinatesTheRoundingOfTheirTypes) {
  TemporaryFolder folder;
  std::map<std::string, std::string> const metres = {{"units", "m"}};
  Field const exact = {0, 1.0 / 3, 2.0 / 3, 1000.1};
  Axis const axis{"x", exact, NC_DOUBLE, metres};
  auto const reference = grid(folder, "y.nc", {axis});
  auto const refused = [&](Axis const& other) { return failure(reference, grid(folder, "x.nc", {other})); };
  EXPECT_EQ(refused({"x", exact, NC_FLOAT, metres}), "");
  EXPECT_EQ(refused({"x", {1e-13, 1.0 / 3, 2.0 / 3, 1000.1 + 1e-13}, NC_DOUBLE, metres}), "");
  EXPECT_NE(refused({"x", {1e-12, 1.0 / 3, 2.0 / 3, 1000.1}, NC_DOUBLE, metres}), "");
  EXPECT_NE(refused({"x", {0, 1.0 / 3, 2.0 / 3, 1000.1 + 1e-3}, NC_FLOAT, metres}), "");
  // Shorts of half a metre: values may be a quarter off, no more.
  auto const wide = grid(folder, "w.nc", {{"x", {0, 10.25, 20.5, 30.7}, NC_DOUBLE, metres}});
  auto const packed = grid(folder, "p.nc", {{"x", {0, 20, 41, 61}, NC_SHORT, metres, 0.5}});
  EXPECT_EQ(failure(wide, packed), "");
  auto const far = grid(folder, "f.nc", {{"x", {0, 20, 41, 62}, NC_SHORT, metres, 0.5}});
  EXPECT_EQ(failure(wide, far), "coordinate x differs: 31 against 30.7 m at element 3");
  // Integers are exact.
  auto const levels = grid(folder, "l.nc", {{"k", {1, 2, 3}, NC_INT}});
  EXPECT_EQ(failure(levels, grid(folder, "k.nc", {{"k", {1, 2, 4}, NC_INT}})),
            "coordinate k differs: 4 against 3 at element 2");
  // Units are named where values differ, and told where they do not.
  auto const kilometres = grid(folder, "km.nc", {{"x", exact, NC_DOUBLE, {{"units", "km"}}}});
  EXPECT_EQ(compare(reference, kilometres, {"h"}).notes.at(0),
            "coordinate x: units differ ('km' against 'm'), its values do not");
}

TEST(Compare, RefusesOtherPlacesOfCurvilinearGridsAndGrowingAxes) {
  TemporaryFolder folder;
  std::vector<Axis> const axes = {{"j", {0, 0}, NC_NAT}, {"i", {0, 0, 0}, NC_NAT}};
  Axis lat{"lat", {1, 2, 3, 4, 5, 6}, NC_DOUBLE};
  auto const reference = grid(folder, "y.nc", axes, {lat});
  EXPECT_EQ(failure(reference, grid(folder, "x.nc", axes, {lat})), "");
  lat.values[4] = 5.5;
  EXPECT_EQ(failure(reference, grid(folder, "x.nc", axes, {lat})),
            "coordinate lat differs: 5.5 against 5 at element 4");
  lat.name = "latitude";
  EXPECT_EQ(failure(reference, grid(folder, "x.nc", axes, {lat})), "");
  // A dimension without end, which is no time where it comes second, beside one with an end.
  std::vector<Axis> places = {{"y", {1, 2}}, {"x", {5, 6, 7}}};
  auto const fixed = grid(folder, "fixed.nc", places), growing = grid(folder, "growing.nc", places, {}, 1);
  EXPECT_EQ(failure(fixed, growing), "");
  EXPECT_EQ(failure(growing, fixed), "");
  places[1].values[0] = 4;
  EXPECT_EQ(failure(growing, grid(folder, "moved.nc", places)),
            "coordinate x differs: 4 against 5 at element 0");
}

}  // namespace
}  // namespace ulpine::verification
