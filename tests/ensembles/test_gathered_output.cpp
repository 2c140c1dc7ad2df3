// SPDX-License-Identifier: Apache-2.0
#include "ensembles/programs/gathered_output.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::NetcdfWriting;
using test::TemporaryFolder;
using Values = std::vector<double>;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr double day = 86400;

/// The value of field number `field` at a point and an instant: another one everywhere, and exact as a float.
double value_at(int field, double instant, int point) { return 1000 * field + instant + point / 8.0; }

struct Written {
  std::string units = "seconds since 2000-01-01 00:00:00";
  double unit = 1;   ///< s
  double epoch = 0;  ///< s from 2000-01-01 to the date in `units`
  std::string calendar = {};
  nc_type type = NC_DOUBLE;
  int points = 3;
};

/// Fields called u, v, ... of (time, x) at `instants`, s since 2000-01-01.
void write_fields(fs::path const& path, std::vector<std::string> const& names, Values const& instants,
                  Written const& how = {}) {
  NetcdfWriting file{path};
  auto const time = file.dimension("time", instants.size());
  auto const x = file.dimension("x", static_cast<std::size_t>(how.points));
  auto const axis = file.variable("time", NC_DOUBLE, {time});
  file.text(axis, "units", how.units);
  if (!how.calendar.empty()) file.text(axis, "calendar", how.calendar);
  std::vector<int> fields;
  for (auto const& name : names) {
    fields.push_back(file.variable(name.c_str(), how.type, {time, x}));
    file.text(fields.back(), "units", "m s-1");
  }
  Values stored;
  for (auto const instant : instants) stored.push_back((instant - how.epoch) / how.unit);
  file.values(axis, stored);
  for (std::size_t f = 0; f < names.size(); ++f) {
    Values values;
    for (auto const instant : instants) {
      for (int i = 0; i < how.points; ++i) values.push_back(value_at(names[f].back(), instant, i));
    }
    file.values(fields[f], values);
  }
}

struct Folder : TemporaryFolder {
  GatherRequest request;
  fs::path const output = *this / "output.nc";

  fs::path add(std::string const& name) {
    request.files.push_back(*this / name);
    return request.files.back();
  }
  GatheredOutput gather() const { return gather_output(request, output); }
  std::string refusal() const {
    return message_of<InputError>([&] { gather(); });
  }
  /// Gathers, and expects field `name` of write_fields() at `instants`.
  void expect(std::string const& name, Values const& instants, int points = 3) const {
    auto const gathered = gather();
    EXPECT_EQ(gathered.times, instants.size());
    EXPECT_EQ(gathered.length_s, instants.back() - instants.front());
    io::InputFile const file(output);
    ASSERT_TRUE(file.has(name));
    Values since_first;
    for (auto const instant : instants) since_first.push_back(instant - instants.front());
    EXPECT_EQ(file.times(name), since_first);
    for (std::size_t t = 0; t < instants.size(); ++t) {
      Values wanted;
      for (int i = 0; i < points; ++i) wanted.push_back(value_at(name.back(), instants[t], i));
      EXPECT_EQ(file.read(name, static_cast<std::int64_t>(t)).values, wanted) << t;
    }
  }
};

TEST(GatheredOutput, TakesSeveralTimesOfOneFile) {
  Folder folder;
  write_fields(folder.add("a.nc"), {"u", "v"}, {0, 60, 180});
  folder.expect("u", {0, 60, 180});
  folder.expect("v", {0, 60, 180});
  auto const gathered = folder.gather();
  EXPECT_EQ(gathered.cells, 3);
  EXPECT_TRUE(gathered.invalid.empty());
  EXPECT_TRUE(gathered.notes.empty());
}

TEST(GatheredOutput, JoinsFilesOfOneTimeEach) {
  Folder folder;
  for (auto const instant : {0, 3600, 7200}) {
    write_fields(folder.add("a" + std::to_string(instant) + ".nc"), {"u"}, {double(instant)});
  }
  folder.expect("u", {0, 3600, 7200});
}

TEST(GatheredOutput, SortsTimesWhateverTheNamesOfFiles) {
  Folder folder;
  write_fields(folder.add("a_10.nc"), {"u"}, {36000, 39600});
  write_fields(folder.add("a_9.nc"), {"u"}, {28800, 32400});
  folder.expect("u", {28800, 32400, 36000, 39600});
}

TEST(GatheredOutput, TakesTheLastFileWhereTimesOverlap) {
  Folder folder;
  write_fields(folder.add("a.nc"), {"u"}, {0, 60, 120});
  write_fields(folder.add("b.nc"), {"u"}, {60, 120, 180});
  {
    // What was computed before a restart, and is computed anew after it, has other values.
    NetcdfWriting file{*folder.request.files.begin()};
    auto const time = file.dimension("time", 3), x = file.dimension("x", 3);
    auto const axis = file.variable("time", NC_DOUBLE, {time});
    file.text(axis, "units", "seconds since 2000-01-01 00:00:00");
    auto const u = file.variable("u", NC_DOUBLE, {time, x});
    file.values(axis, {0, 60, 120});
    Values values;
    for (int i = 0; i < 3; ++i) values.push_back(value_at('u', 0, i));
    values.insert(values.end(), 6, -1);
    file.values(u, values);
  }
  folder.expect("u", {0, 60, 120, 180});
}

TEST(GatheredOutput, ReadsAxesOfOtherUnitsDatesAndCalendarsAsInstants) {
  struct Axis {
    std::string units, calendar;
    double unit, epoch;
  };
  for (auto const& [units, calendar, unit, epoch] :
       {Axis{"hours since 2000-01-01", "", 3600, 0},
        {"days since 2000-01-03 12:00:00", "standard", day, 2.5 * day},
        {"minutes since 1999-12-31", "proleptic_gregorian", 60, -day},
        // 1600 is a leap year of all calendars below; 400 years have 97 leap days, and 100 by Julius.
        {"days since 2000-03-01", "standard", day, 60 * day},
        {"days since 2000-03-01", "noleap", day, 59 * day},
        {"days since 2000-03-01", "360_day", day, 60 * day},
        {"hours since 2001-01-01", "360_day", 3600, 360 * day},
        {"hours since 2001-01-01", "noleap", 3600, 365 * day},
        {"hours since 2001-01-01", "julian", 3600, 366 * day}}) {
    Folder folder;
    write_fields(folder.add("a.nc"), {"u"}, {0, 6 * 3600, day}, {.calendar = calendar});
    write_fields(folder.add("b.nc"), {"u"}, {2 * day, 3 * day, 400 * day},
                 {.units = units, .unit = unit, .epoch = epoch, .calendar = calendar});
    SCOPED_TRACE(units + " " + calendar);
    folder.expect("u", {0, 6 * 3600, day, 2 * day, 3 * day, 400 * day});
  }
}

TEST(GatheredOutput, LeavesOutWhatLacksTheTimesOfMost) {
  Folder folder;
  write_fields(folder.add("hourly.nc"), {"u", "v"}, {0, 3600, 7200});
  write_fields(folder.add("daily.nc"), {"w"}, {0, 7200}, {.points = 5});
  folder.expect("u", {0, 3600, 7200});
  auto const gathered = folder.gather();
  ASSERT_EQ(gathered.notes.size(), 1u);
  EXPECT_NE(gathered.notes[0].find("w"), std::string::npos);
  EXPECT_FALSE(io::InputFile(folder.output).has("w"));
  // With further times a field keeps those that the others have.
  Folder more;
  write_fields(more.add("hourly.nc"), {"u", "v"}, {0, 7200});
  write_fields(more.add("often.nc"), {"w"}, {0, 3600, 7200});
  more.expect("w", {0, 7200});
  EXPECT_EQ(more.gather().notes.size(), 1u);
  // Chosen by name, the rare field is there at its own times.
  folder.request.variables = {"w"};
  folder.expect("w", {0, 7200}, 5);
}

TEST(GatheredOutput, TakesFilesWithoutTimesInTheirOrder) {
  Folder folder;
  for (int f = 0; f < 3; ++f) {
    NetcdfWriting file{folder.add("step" + std::to_string(f) + ".nc")};
    auto const x = file.dimension("x", 2);
    auto const u = file.variable("u", NC_DOUBLE, {x});
    file.values(u, {10.0 + f, 20.0 + f});
  }
  auto const gathered = folder.gather();
  EXPECT_EQ(gathered.times, 3u);
  io::InputFile const file(folder.output);
  EXPECT_EQ(file.times("u"), (Values{0, 1, 2}));
  for (int f = 0; f < 3; ++f) EXPECT_EQ(file.read("u", f).values, (Values{10.0 + f, 20.0 + f}));
}

TEST(GatheredOutput, KeepsFloatsAndWidensAllOtherTypes) {
  for (auto const& [type, name] :
       {std::pair{NC_FLOAT, "float"}, {NC_DOUBLE, "double"}, {NC_INT, "double"}, {NC_INT64, "double"}}) {
    Folder folder;
    {
      NetcdfWriting file{folder.add("a.nc")};
      auto const time = file.dimension("time", 2), x = file.dimension("x", 2);
      auto const axis = file.variable("time", NC_DOUBLE, {time});
      file.text(axis, "units", "s");
      auto const u = file.variable("u", type, {time, x});
      file.values(axis, {0, 1});
      file.values(u, {1, -2, 3, 1 << 24});
    }
    folder.gather();
    io::InputFile const file(folder.output);
    EXPECT_EQ(file.stored_type("u").name, name);
    EXPECT_EQ(file.read("u", 1).values, (Values{3, 1 << 24}));
  }
}

TEST(GatheredOutput, UnpacksAndKeepsMissingValuesMissing) {
  Folder folder;
  {
    NetcdfWriting file{folder.add("a.nc")};
    auto const time = file.dimension("time", 1), x = file.dimension("x", 4);
    auto const axis = file.variable("time", NC_DOUBLE, {time});
    file.text(axis, "units", "s");
    auto const packed = file.variable("packed", NC_SHORT, {time, x});
    file.number(packed, "scale_factor", NC_DOUBLE, {0.25});
    file.number(packed, "add_offset", NC_DOUBLE, {100});
    file.number(packed, "_FillValue", NC_SHORT, {-32768});
    auto const masked = file.variable("masked", NC_FLOAT, {time, x});
    file.number(masked, "_FillValue", NC_FLOAT, {-999});
    file.number(masked, "missing_value", NC_FLOAT, {-998});
    file.values(axis, {0});
    file.values(packed, {4, -4, -32768, 0});
    file.values(masked, {1, -999, -998, 4});
  }
  EXPECT_TRUE(folder.gather().invalid.empty());
  io::InputFile const file(folder.output);
  auto const packed = file.read("packed", 0).values, masked = file.read("masked", 0).values;
  EXPECT_EQ((Values{packed[0], packed[1], packed[3]}), (Values{101, 99, 100}));
  EXPECT_TRUE(std::isnan(packed[2]));
  EXPECT_EQ((Values{masked[0], masked[3]}), (Values{1, 4}));
  EXPECT_TRUE(std::isnan(masked[1]) && std::isnan(masked[2]));
}

/// A file with one field of 2 by 3 at two times.
void write_values(fs::path const& path, Values const& values, double fill = -999) {
  NetcdfWriting file{path};
  auto const time = file.dimension("time", 2), y = file.dimension("y", 2), x = file.dimension("x", 3);
  auto const axis = file.variable("time", NC_DOUBLE, {time});
  file.text(axis, "units", "s");
  auto const u = file.variable("u", NC_DOUBLE, {time, y, x});
  file.text(u, "units", "K");
  file.number(u, "_FillValue", NC_DOUBLE, {fill});
  file.values(axis, {0, 10});
  file.values(u, values);
}

TEST(GatheredOutput, TellsTheFirstValueThatIsNoResult) {
  Values const good = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -12};
  auto const invalid = [&](std::size_t at, double value, auto const& change) {
    Folder folder;
    auto values = good;
    values[at] = value;
    write_values(folder.add("a.nc"), values);
    change(folder.request);
    return folder.gather().invalid;
  };
  auto const as_is = [](GatherRequest&) {};
  auto const limited = [](GatherRequest& request) { request.limits["u"] = {-12, 11}; };
  auto const with_gaps = [](GatherRequest& request) { request.nan_is_missing = true; };
  EXPECT_EQ(invalid(0, 1, as_is), "");
  EXPECT_EQ(invalid(0, 1, limited), "");
  EXPECT_EQ(invalid(10, nan, as_is), "u (1, 1) is NaN at 10 s");
  EXPECT_EQ(invalid(10, nan, with_gaps), "");
  EXPECT_EQ(invalid(3, infinity, as_is), "u (1, 0) is infinite at 0 s");
  EXPECT_EQ(invalid(3, -infinity, with_gaps), "u (1, 0) is infinite at 0 s");
  EXPECT_EQ(invalid(5, -999, limited), "");
  EXPECT_EQ(invalid(5, 11.5, limited), "u (1, 2) = 11.5 K is outside -12 to 11 at 0 s");
  EXPECT_EQ(invalid(6, -12.5, limited), "u (0, 0) = -12.5 K is outside -12 to 11 at 10 s");
}

TEST(GatheredOutput, HashesNamesTimesAndValues) {
  auto const hash_of = [](std::string const& name, Values const& instants, Written const& how = {}) {
    Folder folder;
    write_fields(folder.add("a.nc"), {name}, instants, how);
    return folder.gather().hash;
  };
  auto const hash = hash_of("u", {0, 60});
  EXPECT_EQ(hash_of("u", {0, 60}), hash);
  EXPECT_EQ(hash_of("u", {0, 60}, {.units = "minutes since 2000-01-01", .unit = 60}), hash);
  EXPECT_EQ(hash_of("u", {0, 60}, {.type = NC_FLOAT}), hash) << "the values are floats";
  EXPECT_NE(hash_of("wu", {0, 60}), hash) << "another name of the same values";
  EXPECT_NE(hash_of("u", {0, 61}), hash);
  EXPECT_NE(hash_of("u", {0}), hash);
  EXPECT_NE(hash_of("v", {0, 60}), hash);
  EXPECT_NE(hash_of("u", {0, 60}, {.points = 4}), hash);
  // The last bit of one value counts, and so does the sign of zero.
  auto const hash_of_values = [](Values const& values) {
    Folder folder;
    write_values(folder.add("a.nc"), values);
    return folder.gather().hash;
  };
  Values values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0};
  auto const before = hash_of_values(values);
  values[11] = -0.0;
  EXPECT_NE(hash_of_values(values), before);
  values[11] = 0;
  values[7] = std::nextafter(8.0, 9);
  EXPECT_NE(hash_of_values(values), before);
}

TEST(GatheredOutput, TellsWhereValuesAre) {
  Folder folder;
  {
    NetcdfWriting file{folder.add("a.nc")};
    auto const time = file.dimension("time", 2), y = file.dimension("y", 2), x = file.dimension("x", 3);
    auto const axis = file.variable("time", NC_DOUBLE, {time});
    file.text(axis, "units", "s");
    auto const along_x = file.variable("x", NC_DOUBLE, {x});
    file.text(along_x, "units", "m");
    file.text(along_x, "standard_name", "projection_x_coordinate");
    auto const along_y = file.variable("y", NC_FLOAT, {y});
    file.text(along_y, "units", "km");
    auto const lon = file.variable("lon", NC_DOUBLE, {y, x}), lat = file.variable("lat", NC_DOUBLE, {y, x});
    file.text(lon, "units", "degrees_east");
    file.text(lat, "units", "degrees_north");
    auto const area = file.variable("area", NC_DOUBLE, {y, x});
    file.text(area, "units", "m2");
    file.text(area, "standard_name", "cell_area");
    auto const u = file.variable("u", NC_DOUBLE, {time, y, x});
    file.text(u, "coordinates", "lon lat");
    file.text(u, "cell_measures", "area: area");
    file.values(axis, {0, 10});
    file.values(along_x, {0, 100, 250});
    file.values(along_y, {1, 2.5});
    file.values(lon, {1, 2, 3, 4, 5, 6});
    file.values(lat, {-1, -2, -3, -4, -5, -6});
    file.values(area, {10, 20, 30, 40, 50, 60});
    file.values(u, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  }
  folder.gather();
  io::InputFile const file(folder.output);
  EXPECT_EQ(file.read("u", 1).values, (Values{7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(file.read_all("x"), (Values{0, 100, 250}));
  EXPECT_EQ(file.read_all("y"), (Values{1, 2.5}));
  EXPECT_EQ(file.read_all("lon"), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(file.read_all("area"), (Values{10, 20, 30, 40, 50, 60}));
  auto const places = file.coordinates("u");
  ASSERT_EQ(places.size(), 2u);
  ASSERT_TRUE(places[0] && places[1]);
  EXPECT_EQ(places[0]->units, "km");
  EXPECT_EQ(places[1]->units, "m");
  EXPECT_EQ(file.auxiliary_coordinates("u").size(), 2u);
}

TEST(GatheredOutput, GivesVariablesOfGroupsNamesWithoutThem) {
  Folder folder;
  {
    NetcdfWriting file{folder.add("a.nc")};
    auto const time = file.dimension("time", 1), x = file.dimension("x", 2);
    auto const axis = file.variable("time", NC_DOUBLE, {time});
    file.text(axis, "units", "s");
    int group = -1, u = -1;
    ASSERT_EQ(nc_def_grp(file.file(), "ice", &group), NC_NOERR);
    std::vector<int> const dimensions = {time, x};
    ASSERT_EQ(nc_def_var(group, "u", NC_DOUBLE, 2, dimensions.data(), &u), NC_NOERR);
    file.values(axis, {0});
    Values const values = {4, 5};
    ASSERT_EQ(nc_put_var_double(group, u, values.data()), NC_NOERR);
  }
  folder.gather();
  io::InputFile const file(folder.output);
  EXPECT_EQ(file.read("ice_u", 0).values, (Values{4, 5}));
}

TEST(GatheredOutput, KeepsDimensionsOfOneNameAndOtherLengthsApart) {
  Folder folder;
  write_fields(folder.add("air.nc"), {"u"}, {0, 60}, {.points = 3});
  write_fields(folder.add("sea.nc"), {"v"}, {0, 60}, {.points = 5});
  folder.expect("u", {0, 60}, 3);
  folder.expect("v", {0, 60}, 5);
}

TEST(GatheredOutput, RefusesWhatIsNoFieldOfOneShape) {
  Folder folder;
  write_fields(folder.add("a.nc"), {"u"}, {0}, {.points = 3});
  write_fields(folder.add("b.nc"), {"u"}, {60}, {.points = 4});
  EXPECT_NE(folder.refusal().find("4 values at a time, 3 in an earlier file"), std::string::npos)
      << folder.refusal();
}

TEST(GatheredOutput, RefusesWhatIsNotThere) {
  Folder folder;
  write_fields(folder.add("a.nc"), {"uu", "v"}, {0, 60});
  folder.request.variables = {"uv"};
  EXPECT_NE(folder.refusal().find("program.variables: no output has a variable 'uv'"), std::string::npos);
  folder.request.variables = {"uu"};
  folder.request.limits["vv"] = {0, 1};
  EXPECT_NE(folder.refusal().find("program.limits: no output has a variable 'vv'"), std::string::npos);
  folder.request.limits.clear();
  folder.add("absent.nc");
  EXPECT_NE(folder.refusal().find("absent.nc"), std::string::npos);
  Folder empty;
  {
    NetcdfWriting file{empty.add("a.nc")};
    file.values(file.variable("time", NC_DOUBLE, {file.dimension("time", 1)}), {0});
  }
  EXPECT_NE(empty.refusal().find("has no field of numbers"), std::string::npos) << empty.refusal();
  Folder none;
  write_fields(none.add("a.nc"), {"u"}, {});
  EXPECT_NE(none.refusal().find("has no field of numbers"), std::string::npos) << none.refusal();
}

TEST(GatheredOutput, RefusesTimesThatCannotBeRead) {
  Folder folder;
  write_fields(folder.add("a.nc"), {"u"}, {0, nan});
  EXPECT_NE(folder.refusal().find("time"), std::string::npos) << folder.refusal();
}

}  // namespace
}  // namespace ulpine::ensembles
