// SPDX-License-Identifier: Apache-2.0
// When compare() calls the places and times of two files the same.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/netcdf_writing.hpp"
#include "verification/comparison/compare.hpp"
#include "verification/equality_of_files.hpp"

namespace ulpine::verification {
namespace {

using equality_of_files::EqualityOfFiles, equality_of_files::Values;
using test::NetcdfWriting;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST_F(EqualityOfFiles, RefusesOtherPlacesOfAnyKind) {
  struct Places {
    double height = 2;
    std::string basins = "north south ";
    double longitude = 10;  ///< of the second time
    double bound = 1;
    double level = 5;
  };
  auto const placed = [&](Places const& places) {
    return write([&](NetcdfWriting& file) {
      auto const time = file.dimension("time", 2), basin = file.dimension("basin", 2),
                 n = file.dimension("n", 6), two = file.dimension("two", 2);
      auto const t = file.variable("time", NC_DOUBLE, {time});
      file.text(t, "units", "days since 2000-01-01");
      file.text(t, "bounds", "time_bounds");
      auto const h = file.variable("h", NC_DOUBLE, {time, basin});
      file.text(h, "coordinates", "height basin lon");
      auto const height = file.variable("height", NC_DOUBLE, {});
      auto const basins = file.variable("basin", NC_CHAR, {basin, n});
      auto const lon = file.variable("lon", NC_DOUBLE, {time, basin});
      file.text(lon, "units", "degrees_east");
      auto const bounds = file.variable("time_bounds", NC_DOUBLE, {time, two});
      // One that `coordinates` names and that is a field of its own.
      auto const level = file.variable("surface", NC_DOUBLE, {time, basin});
      auto const temperature = file.variable("temperature", NC_DOUBLE, {time, basin});
      file.text(temperature, "coordinates", "surface");
      file.values(t, {0, 1});
      file.values(h, {1, 2, 3, 4});
      file.values(height, {places.height});
      EXPECT_EQ(nc_put_var_text(file.file(), basins, places.basins.c_str()), NC_NOERR);
      file.values(lon, {0, 10, 0, places.longitude});
      file.values(bounds, {0, places.bound, 1, 2});
      file.values(level, {1, 2, 3, places.level});
      file.values(temperature, {4, 4, 4, 4});
    });
  };
  auto const y = placed({});
  EXPECT_EQ(compare(y, placed({})).equal(), Equality::yes);
  auto const refusal = [&](Places const& places) {
    auto const comparison = compare(y, placed(places));
    EXPECT_EQ(comparison.equal(), Equality::no);
    return of(comparison, "h").failure();
  };
  Places other;
  other.height = 10;
  EXPECT_EQ(refusal(other), "coordinate height differs: 10 against 2 at element 0");
  other = {};
  other.basins = "south north ";
  EXPECT_EQ(refusal(other), "coordinate basin differs: 'south' against 'north' at element 0");
  other = {};
  other.longitude = 11;
  EXPECT_EQ(refusal(other), "coordinate lon differs: 11 against 10 degrees_east at element 3");
  // Bounds and fields differ without taking others with them.
  other = {};
  other.bound = 0.5;
  EXPECT_EQ(refusal(other), "");
  EXPECT_EQ(place(compare(y, placed(other)), "time_bounds").same, Sameness::no);
  other = {};
  other.level = 6;
  EXPECT_EQ(refusal(other), "");
  EXPECT_EQ(of(compare(y, placed(other)), "surface").differing, 1);
}

TEST_F(EqualityOfFiles, TakesTheLaterOfTwoWritingsAndSaysSo) {
  auto const series = [&](Values const& times, Values const& values) {
    return write([&](NetcdfWriting& file) {
      auto const time = file.dimension("time", times.size());
      auto const t = file.variable("time", NC_DOUBLE, {time}), h = file.variable("h", NC_DOUBLE, {time});
      file.text(t, "units", "s");
      file.values(t, times);
      file.values(h, values);
    });
  };
  auto const y = series({0, 1, 2, 1, 2, 3}, {1, 9, 9, 2, 3, 4}), x = series({0, 1, 2, 3}, {1, 2, 3, 4});
  auto const comparison = compare(y, x);
  EXPECT_EQ(of(comparison, "h").same, Sameness::bits);
  EXPECT_EQ(comparison.equal(), Equality::unknown);
  EXPECT_TRUE(tells(comparison.notes,
                    "h: 2 times are written again in the reference, the later writing is compared"));
  // Of the same times in both files every writing is looked at.
  EXPECT_EQ(compare(y, y).equal(), Equality::yes);
  EXPECT_EQ(of(compare(y, series({0, 1, 2, 1, 2, 3}, {1, 8, 9, 2, 3, 4})), "h").differing, 1);
}

TEST_F(EqualityOfFiles, IsOfInstantsNotOfTheirUnits) {
  auto const series = [&](std::string const& units, Values const& times, std::string const& calendar = {}) {
    return write([&](NetcdfWriting& file) {
      auto const time = file.dimension("time", times.size());
      auto const t = file.variable("time", NC_DOUBLE, {time}), h = file.variable("h", NC_DOUBLE, {time});
      file.text(t, "units", units);
      if (!calendar.empty()) file.text(t, "calendar", calendar);
      file.values(t, times);
      file.values(h, times.size() == 3 ? Values{1, 2, 3} : Values{2, 3});
    });
  };
  auto const y = series("hours since 2000-01-01", {0, 6, 12});
  for (auto const& [units, times] :
       {std::pair{"Days Since 2000-01-01 01:00 +01:00", Values{0, 0.25, 0.5}},
        std::pair{"milliseconds since 1999-12-31 18:00 -6:00", Values{0, 21.6e6, 43.2e6}}}) {
    auto const comparison = compare(y, series(units, times));
    EXPECT_EQ(comparison.equal(), Equality::yes) << units;
    EXPECT_EQ(place(comparison, "time").same, Sameness::values) << units;
  }
  EXPECT_EQ(compare(series("days since 2000-01-01", {0, 30, 60}, "THIRTY_DAY_MONTHS"),
                    series("months since 2000-01-01", {0, 1, 2}, "360_day"))
                .equal(),
            Equality::yes);
  EXPECT_EQ(compare(y, series("hours since 2000-01-01 06:00", {0, 6})).equal(), Equality::no);
  // A date that cannot be read is no date of the first record's.
  auto const refused = compare(y, series("hours since the start", {0, 6, 12}));
  EXPECT_NE(of(refused, "h").failure().find("cannot be read as dates: 'hours since the start'"),
            std::string::npos);
  EXPECT_EQ(refused.equal(), Equality::unknown);
}

/// A group's own dimension hides another one of its name, with its times.
TEST_F(EqualityOfFiles, KnowsDimensionsOfGroupsApart) {
  auto const nested = [&](double last) {
    return write([&](NetcdfWriting& file) {
      auto const outer = file.dimension("time", 2);
      auto const t = file.variable("time", NC_DOUBLE, {outer});
      file.text(t, "units", "days since 2000-01-01");
      file.values(t, {0, 1});
      int group = -1, inner = -1, v = -1;
      EXPECT_EQ(nc_def_grp(file.file(), "g", &group), NC_NOERR);
      EXPECT_EQ(nc_def_dim(group, "time", 4, &inner), NC_NOERR);
      EXPECT_EQ(nc_def_var(group, "f", NC_DOUBLE, 1, &inner, &v), NC_NOERR);
      double const values[] = {1, 2, 3, last};
      EXPECT_EQ(nc_put_var_double(group, v, values), NC_NOERR);
    });
  };
  auto const y = nested(4);
  EXPECT_EQ(compare(y, nested(5)).equal(), Equality::no);
  EXPECT_EQ(of(compare(y, nested(5)), "g/f").compared_times, 4);
  EXPECT_EQ(compare(y, y).equal(), Equality::yes);
}

TEST_F(EqualityOfFiles, HoldsOntoTimesThatAreMissing) {
  auto const series = [&](Values const& times) {
    return write([&](NetcdfWriting& file) {
      auto const time = file.dimension("time", times.size());
      auto const t = file.variable("time", NC_DOUBLE, {time}), h = file.variable("h", NC_DOUBLE, {time});
      file.text(t, "units", "days since 2000-01-01");
      file.values(t, times);
      file.values(h, Values(times.size(), 1));
    });
  };
  for (auto const& times : {Values{0, nan, 2}, Values{nan, 1, 2}, Values{nan, nan}}) {
    EXPECT_EQ(compare(series(times), series(times)).equal(), Equality::yes);
  }
  EXPECT_EQ(compare(series({0, 1, 2}), series({0, nan, 2})).equal(), Equality::no);
  // One that is missing in front says nothing of the others.
  auto const moved = compare(series({nan, 1, 2, 3}), series({nan, 2, 3, 4}), {}, Times::all);
  EXPECT_EQ(moved.equal(), Equality::no);
  ASSERT_EQ(of(moved, "h").times.size(), 2u);
  EXPECT_EQ(of(moved, "h").times[0].time_s, 2 * 86400);
}

/// What a file says of a field's places, and how it says it.
TEST_F(EqualityOfFiles, IsInDoubtWhereOtherPlacesAreNamed) {
  struct Said {
    std::string coordinates = "low seen", mapping = "crs", positive = "up", calendar = "standard";
    double pole = 30;
    bool axis = true;
  };
  auto const file_that = [&](Said const& said) {
    return write([&](NetcdfWriting& file) {
      auto const x = file.dimension("x", 2), i = file.dimension("i", 2);
      auto const h = file.variable("h", NC_DOUBLE, {said.axis ? x : i});
      file.text(h, "coordinates", said.coordinates);
      file.text(h, "grid_mapping", said.mapping);
      auto const axis = file.variable("x", NC_DOUBLE, {x}), low = file.variable("low", NC_DOUBLE, {}),
                 high = file.variable("high", NC_DOUBLE, {}), seen = file.variable("seen", NC_DOUBLE, {});
      file.text(low, "positive", said.positive);
      file.text(seen, "units", "days since 1970-01-01");
      file.text(seen, "calendar", said.calendar);
      for (auto const* name : {"crs", "other_crs"}) {
        auto const mapping = file.variable(name, NC_CHAR, {});
        file.text(mapping, "grid_mapping_name", "rotated_latitude_longitude");
        file.number(mapping, "grid_north_pole_latitude", NC_DOUBLE, {name[0] == 'o' ? 40 : said.pole});
        nc_enddef(file.file());
        EXPECT_EQ(nc_put_var_text(file.file(), mapping, ""), NC_NOERR);
        nc_redef(file.file());
      }
      file.values(h, {1, 2});
      file.values(axis, {5, 6});
      file.values(low, {2});
      file.values(high, {10});
      file.values(seen, {20000});
    });
  };
  auto const y = file_that({});
  EXPECT_EQ(compare(y, file_that({})).equal(), Equality::yes);
  auto const answer = [&](auto const& change) {
    Said said;
    change(said);
    return compare(y, file_that(said)).equal();
  };
  EXPECT_EQ(answer([](Said& said) { said.coordinates = "high seen"; }), Equality::unknown);
  EXPECT_EQ(answer([](Said& said) { said.coordinates = "low high seen"; }), Equality::unknown);
  EXPECT_EQ(answer([](Said& said) { said.mapping = "other_crs"; }), Equality::unknown);
  EXPECT_EQ(answer([](Said& said) { said.mapping = "crs: x other_crs: low"; }), Equality::unknown);
  Said both, turned;
  both.mapping = "crs: x other_crs: low";
  turned.mapping = "other_crs: x crs: low";
  EXPECT_EQ(compare(file_that(both), file_that(turned)).equal(), Equality::unknown);
  EXPECT_EQ(answer([](Said& said) { said.axis = false; }), Equality::unknown);
  EXPECT_EQ(answer([](Said& said) { said.positive = "down"; }), Equality::unknown);
  EXPECT_EQ(answer([](Said& said) { said.pole = 60; }), Equality::no);
  // 20000 days after 1970 it is another date where no year has a leap day.
  EXPECT_EQ(answer([](Said& said) { said.calendar = "noleap"; }), Equality::no);
}

/// Bounds in float32: an hour and six minutes is no rounding of an hour.
TEST_F(EqualityOfFiles, TakesNoMinutesForRounding) {
  auto const bounded = [&](std::string const& units, double bound) {
    return write([&](NetcdfWriting& file) {
      auto const time = file.dimension("time", 1), two = file.dimension("two", 2);
      auto const t = file.variable("time", NC_FLOAT, {time}),
                 b = file.variable("bounds", NC_FLOAT, {time, two});
      auto const h = file.variable("h", NC_DOUBLE, {time});
      file.text(t, "units", units);
      file.text(t, "bounds", "bounds");
      file.values(t, {1});
      file.values(b, {0, bound});
      file.values(h, {1});
    });
  };
  auto const y = bounded("hours since 2020-01-01", 1);
  EXPECT_EQ(compare(y, bounded("hours since 2020-01-01 00:00", 1)).equal(), Equality::yes);
  EXPECT_EQ(compare(y, bounded("hours since 2020-01-01 00:00", 1.1)).equal(), Equality::no);
}

/// Of places, too, numbers beyond their range may differ unseen.
TEST_F(EqualityOfFiles, SeesThroughRangesThatHidePlaces) {
  auto const placed = [&](double hidden) {
    return write([&](NetcdfWriting& file) {
      auto const x = file.dimension("x", 2);
      auto const h = file.variable("h", NC_DOUBLE, {x}), lon = file.variable("lon", NC_DOUBLE, {x});
      file.text(h, "coordinates", "lon");
      file.text(lon, "units", "degrees_east");
      file.number(lon, "valid_max", NC_DOUBLE, {360});
      file.values(h, {1, 2});
      file.values(lon, {5, hidden});
    });
  };
  EXPECT_EQ(compare(placed(400), placed(500)).equal(), Equality::unknown);
  EXPECT_EQ(compare(placed(400), placed(400)).equal(), Equality::yes);
}

/// A file of a grid alone has nothing but coordinates.
TEST_F(EqualityOfFiles, IsOfGridsToo) {
  auto const grid = [&](double place) {
    return write([&](NetcdfWriting& file) {
      file.values(file.variable("x", NC_DOUBLE, {file.dimension("x", 2)}), {1, place});
    });
  };
  EXPECT_EQ(compare(grid(2), grid(2)).equal(), Equality::yes);
  EXPECT_EQ(compare(grid(2), grid(3)).equal(), Equality::no);
}

}  // namespace
}  // namespace ulpine::verification
