// SPDX-License-Identifier: Apache-2.0
// Times and weights as models write them; the files are written with netCDF itself.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/error.hpp"
#include "io/netcdf.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::NetcdfWriting;
using test::TemporaryFolder;
using Values = std::vector<double>;
using Names = std::vector<std::string>;
using Shape = std::vector<std::int64_t>;

TEST(ModelFile, HasItsTimeWhereverTheDimensionStands) {
  TemporaryFolder const folder;
  {
    NetcdfWriting file{folder / "a.nc"};
    auto const ens = file.dimension("ens", 2), time = file.dimension("time", 3), x = file.dimension("x", 2);
    auto const when = file.variable("time", NC_DOUBLE, {time});
    file.text(when, "units", "hours since 2000-01-01");
    auto const middle = file.variable("middle", NC_DOUBLE, {ens, time, x}),
               last = file.variable("last", NC_DOUBLE, {x, time}),
               area = file.variable("cell_area", NC_DOUBLE, {x});
    file.values(when, {0, 1, 2});
    file.values(middle, {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121});
    file.values(last, {0, 10, 20, 1, 11, 21});
    file.values(area, {3, 4});
  }
  InputFile const input{folder / "a.nc"};
  EXPECT_EQ(input.info("middle").dimensions, (Names{"ens", "x"}));
  EXPECT_EQ(input.info("middle").shape, (Shape{2, 2}));
  EXPECT_EQ(input.times("middle"), (Values{0, 3600, 7200}));
  EXPECT_EQ(input.read("middle", 1).values, (Values{10, 11, 110, 111}));
  EXPECT_EQ(input.read("middle").values, (Values{20, 21, 120, 121}));
  EXPECT_EQ(input.read("last", 1).values, (Values{10, 11}));
  EXPECT_EQ(input.read("last", 2, Box{{1}, {1}}), (Values{21}));
  EXPECT_EQ(input.weights("middle"), (Values{3, 4, 3, 4}));
  EXPECT_EQ(input.weights("last"), (Values{3, 4}));
  Values part(2);
  input.read("middle", 0, {{0, 1}, {2, 1}}, part);
  EXPECT_EQ(part, (Values{1, 101}));
  auto const coordinates = input.coordinates("middle");
  EXPECT_EQ(coordinates.size(), 2u);
  EXPECT_EQ(input.boxes("middle", 2).size(), 2u);
}

/// A dimension is time where something says so or it has exactly a usual name; one without end is none by
/// that.
TEST(ModelFile, TakesForTimeWhatIsSaidToBeTime) {
  TemporaryFolder const folder;
  {
    NetcdfWriting file{folder / "a.nc"};
    auto const x = file.dimension("x", 2);
    auto const field = [&](char const* name, char const* dimension, std::size_t length,
                           std::vector<std::pair<char const*, char const*>> const& attributes = {}) {
      auto const d = file.dimension(dimension, length);
      auto const v = file.variable(name, NC_DOUBLE, {d, x});
      if (attributes.empty()) return v;
      auto const coordinate = file.variable(dimension, NC_DOUBLE, {d});
      for (auto const& [key, value] : attributes) file.text(coordinate, key, value);
      return v;
    };
    field("rows", "yc", NC_UNLIMITED, {{"axis", "Y"}});
    field("observations", "obs", NC_UNLIMITED);
    field("stations", "timeSeries", 3);
    field("bounds", "time_bnds_dim", 3);
    field("steps", "step", 3, {{"units", "days since 2000-01-01"}});
    field("instants", "when", 3, {{"standard_name", "time"}});
    field("axes", "n", 3, {{"axis", "T"}});
    field("named", "Time", 3);
    field("counted", "time_counter", 3, {{"units", "s"}});
    // A usual name, and a coordinate that says otherwise.
    field("distances", "t", 3, {{"axis", "X"}});
    // A variable of dates along it; along a track of places order is not that of time.
    auto const records = field("records", "record", 3), tracks = field("tracks", "track", 3);
    file.text(records, "coordinates", "valid_time");
    file.text(tracks, "coordinates", "seen lon");
    auto const dimension_of = [&](int variable) {
      int dimensions[2] = {};
      EXPECT_EQ(nc_inq_vardimid(file.file(), variable, dimensions), NC_NOERR);
      return dimensions[0];
    };
    for (auto const& [name, dimension] :
         {std::pair{"valid_time", dimension_of(records)}, std::pair{"seen", dimension_of(tracks)}}) {
      file.text(file.variable(name, NC_DOUBLE, {dimension}), "units", "Hours Since 2000-01-01");
    }
    file.text(file.variable("lon", NC_DOUBLE, {dimension_of(tracks)}), "units", "degrees_east");
  }
  InputFile const input{folder / "a.nc"};
  for (auto const* name : {"steps", "instants", "axes", "named", "counted", "records"}) {
    EXPECT_TRUE(input.time_axis(name).exists) << name;
    EXPECT_EQ(input.info(name).shape, (Shape{2})) << name;
  }
  for (auto const* name : {"stations", "bounds", "distances", "tracks"}) {
    EXPECT_FALSE(input.time_axis(name).exists) << name;
    EXPECT_EQ(input.info(name).shape, (Shape{3, 2})) << name;
  }
  EXPECT_EQ(input.info("rows").shape, (Shape{0, 2}));
  EXPECT_EQ(input.info("observations").shape, (Shape{0, 2}));
  // What its name alone tells is told.
  EXPECT_EQ(input.time_axis("named").guessed_by, "Time");
  EXPECT_EQ(input.time_axis("steps").guessed_by, "");
  EXPECT_EQ(input.time_axis("counted").guessed_by, "");
}

TEST(ModelFile, HasDatesThatAreNumbers) {
  TemporaryFolder const folder;
  {
    NetcdfWriting file{folder / "a.nc", NC_NETCDF4 | NC_CLASSIC_MODEL};
    auto const time = file.dimension("time", 2), cells = file.dimension("ncells", 2);
    auto const when = file.variable("time", NC_DOUBLE, {time});
    file.text(when, "units", "day as %Y%m%d.%f");
    file.text(when, "calendar", "proleptic_gregorian");
    file.variable("temp", NC_FLOAT, {time, cells});
    file.values(when, {20200101.75, 20200102.25});
  }
  InputFile const input{folder / "a.nc"};
  EXPECT_EQ(input.times("temp"), (Values{0, 43200}));
  EXPECT_EQ(input.first_time("temp"), 1577836800 + 64800);  // date -u -d 2020-01-01 +%s
  EXPECT_EQ(input.time_axis("temp").calendar, "proleptic_gregorian");
  EXPECT_EQ(input.time_axis("temp").units, "seconds since 1970-01-01 00:00:00");
}

/// WRF names its times in characters, and newer versions in minutes since the start as well.
TEST(ModelFile, HasDatesThatAreTexts) {
  TemporaryFolder const folder;
  for (auto const minutes : {false, true}) {
    {
      NetcdfWriting file{folder / "a.nc"};
      auto const time = file.dimension("Time", NC_UNLIMITED), text = file.dimension("DateStrLen", 19),
                 y = file.dimension("south_north", 1), x = file.dimension("west_east", 2);
      auto const dates = file.variable("Times", NC_CHAR, {time, text});
      auto const since = file.variable("XTIME", NC_FLOAT, {time});
      file.text(since, "units", "minutes since 2005-08-28 00:00:00");
      file.variable("XLAT", NC_FLOAT, {time, y, x});
      auto const field = file.variable("T2", NC_FLOAT, {time, y, x});
      file.text(field, "coordinates", minutes ? "XLONG XLAT XTIME" : "XLONG XLAT");
      nc_enddef(file.file());
      std::size_t const start[] = {0, 0}, count[] = {2, 19};
      ASSERT_EQ(nc_put_vara_text(file.file(), dates, start, count, "2005-08-28_00:00:002005-08-28_06:00:00"),
                NC_NOERR);
      double const values[] = {0, 180};
      ASSERT_EQ(nc_put_vara_double(file.file(), since, start, count, values), NC_NOERR);
    }
    InputFile const input{folder / "a.nc"};
    EXPECT_EQ(input.times("T2"), (Values{0, minutes ? 10800. : 21600.}));
    EXPECT_EQ(input.first_time("T2"), 1125187200);  // date -u -d 2005-08-28 +%s
    EXPECT_TRUE(input.auxiliary_coordinates("T2").empty());
  }
}

TEST(ModelFile, IsWeightedByCustomaryNames) {
  TemporaryFolder const folder;
  auto const write = [&](std::string const& name, std::string const& units, bool in_time = false) {
    NetcdfWriting file{folder / "a.nc"};
    auto const time = file.dimension("time", 2), lat = file.dimension("lat", 2),
               lon = file.dimension("lon", 3);
    file.variable("T", NC_FLOAT, {time, lat, lon});
    auto const measure = in_time ? file.variable(name.c_str(), NC_DOUBLE, {time, lat})
                                 : file.variable(name.c_str(), NC_DOUBLE, {lat});
    if (!units.empty()) file.text(measure, "units", units);
    file.values(measure, in_time ? Values{1, 2, 3, 4} : Values{1, 2});
  };
  auto const of_field = [&] { return InputFile{folder / "a.nc"}.cell_measure("T"); };
  for (auto const* name : {"gw", "areacella", "areaCell", "TAREA", "tarea", "areaTriangle", "dual_area",
                           "areacello_cu", "areacello_cv", "areacello_bu", "w_stag"}) {
    write(name, "");
    ASSERT_TRUE(of_field()) << name;
    EXPECT_TRUE(of_field()->customary);
    EXPECT_EQ((InputFile{folder / "a.nc"}.weights("T")), (Values{1, 1, 1, 2, 2, 2}));
    EXPECT_EQ((InputFile{folder / "a.nc"}.cell_measures()), Names{name});
  }
  for (auto const* units : {"m2", "km2", "radians^2", "m^{2}", "steradian"}) {
    write("area", units);
    EXPECT_TRUE(of_field()) << units;
  }
  for (auto const* units : {"", "1", "m", "%"}) {
    write("area", units);
    EXPECT_FALSE(of_field()) << units;
    EXPECT_TRUE((InputFile{folder / "a.nc"}.cell_measures().empty())) << units;
  }
  write("cell_area", "m2");
  EXPECT_FALSE(of_field()->customary);
  write("gw", "", true);
  EXPECT_FALSE(of_field());
}

}  // namespace
}  // namespace ulpine::io
