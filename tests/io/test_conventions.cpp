// SPDX-License-Identifier: Apache-2.0
// Attributes by which others understand our files, and we theirs; read and written with netCDF itself.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>
#include <string>

#include "io/netcdf.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::TemporaryFolder;

/// An attribute of a variable as netCDF has it; empty where there is none.
std::string attribute(std::filesystem::path const& path, char const* variable, char const* name) {
  int file = -1, id = -1;
  std::size_t length = 0;
  std::string value;
  if (nc_open(path.c_str(), NC_NOWRITE, &file) != NC_NOERR) return "no file";
  if (nc_inq_varid(file, variable, &id) == NC_NOERR && nc_inq_attlen(file, id, name, &length) == NC_NOERR) {
    value.resize(length);
    nc_get_att_text(file, id, name, value.data());
  }
  nc_close(file);
  return value;
}

/// An attribute of one string; empty where there is none of that type.
std::string string_attribute(std::filesystem::path const& path, char const* variable, char const* name) {
  int file = -1, id = -1;
  nc_type type = NC_NAT;
  std::size_t length = 0;
  std::string value;
  if (nc_open(path.c_str(), NC_NOWRITE, &file) != NC_NOERR) return "no file";
  if (nc_inq_varid(file, variable, &id) == NC_NOERR &&
      nc_inq_att(file, id, name, &type, &length) == NC_NOERR && type == NC_STRING && length == 1) {
    char* text = nullptr;
    nc_get_att_string(file, id, name, &text);
    value = text;
    nc_free_string(1, &text);
  }
  nc_close(file);
  return value;
}

TEST(OutputFile, SaysWhichWayHeightsAndDepthsCount) {
  TemporaryFolder const folder;
  std::vector<Coordinate> const coordinates = {{"z", "height", "", "m", "Z", {1, 2}},
                                               {"deep", "depth", "", "m", "Z", {1, 2}},
                                               {"p", "air_pressure", "", "Pa", "Z", {2, 1}},
                                               {"x", "projection_x_coordinate", "", "m", "X", {0, 1}}};
  OutputFile{folder / "a.nc", "A test", coordinates, {}, {}, build_provenance(), "", {}}.close();
  EXPECT_EQ(attribute(folder / "a.nc", "z", "positive"), "up");
  EXPECT_EQ(attribute(folder / "a.nc", "deep", "positive"), "down");
  EXPECT_EQ(attribute(folder / "a.nc", "p", "positive"), "");  // its units say it
  EXPECT_EQ(attribute(folder / "a.nc", "x", "positive"), "");
}

/// VTK takes any X and Y for longitude and latitude, and winds metres round a sphere.
TEST(OutputFile, CallsOnlyLongitudesAndLatitudesTheAxesXAndY) {
  TemporaryFolder const folder;
  std::vector<Coordinate> const coordinates = {{"z", "height", "", "m", "Z", {1, 2}},
                                               {"x", "projection_x_coordinate", "", "m", "X", {0, 1}},
                                               {"y", "projection_y_coordinate", "", "km", "Y", {0, 1}},
                                               {"row", "", "", "1", "Y", {0, 1}},
                                               {"site", "", "", "m", "X", {0, 1}},
                                               {"yn", "", "", "m", "Y", {0, 1}},
                                               {"rlon", "grid_longitude", "", "degrees", "X", {0, 1}},
                                               {"lon", "longitude", "", "degrees_east", "X", {0, 1}},
                                               {"lat", "latitude", "", "degreesN", "Y", {0, 1}}};
  OutputFile{folder / "a.nc", "A test", coordinates, {}, {}, build_provenance(), "", {}}.close();
  auto const axis = [&](char const* name) { return attribute(folder / "a.nc", name, "axis"); };
  for (auto const* name : {"x", "y", "row", "site", "yn", "rlon"}) EXPECT_EQ(axis(name), "") << name;
  // What no name tells is said otherwise.
  EXPECT_EQ(attribute(folder / "a.nc", "site", "standard_name"), "projection_x_coordinate");
  EXPECT_EQ(attribute(folder / "a.nc", "yn", "standard_name"), "");
  EXPECT_EQ(axis("lon") + axis("lat") + axis("z") + axis("time"), "XYZT");
}

TEST(OutputFile, HasPlacesThatAreNeverMissingAndMeasureNothing) {
  TemporaryFolder const folder;
  FieldInfo const area{"cell_area", "cell_area", "", "m2", {"y", "x"}, {2, 3}, "lon"};
  FieldInfo ice{"ice", "", "", "1", {"y", "x"}, {2, 3}, "lon height"};
  FieldInfo lon{"lon", "longitude", "", "degrees_east", {"y", "x"}, {2, 3}, ""};
  FieldInfo const corners{"lon_corners", "", "", "degrees_east", {"y", "x", "corner"}, {2, 3, 4}, ""};
  FieldInfo const height{"height", "altitude", "", "m", {"y", "x"}, {2, 3}, ""};
  FieldInfo const other{"other", "altitude", "", "m", {"y", "x"}, {2, 3}, ""};
  lon.bounds = "lon_corners";
  OutputFile{folder / "a.nc",    "A test", {}, {ice}, {area, lon, corners, height, other},
             build_provenance(), "",       {}}
      .close();
  auto const text = [&](char const* name, char const* of) { return attribute(folder / "a.nc", name, of); };
  for (auto const* name : {"lon", "lon_corners", "height"}) {
    EXPECT_EQ(text(name, "_FillValue"), "") << name;
    EXPECT_EQ(text(name, "cell_measures"), "") << name;
  }
  EXPECT_NE(text("other", "_FillValue"), "");
  EXPECT_EQ(text("other", "cell_measures"), "area: cell_area");
  EXPECT_EQ(string_attribute(folder / "a.nc", "lon", "bounds"), "lon_corners")
      << "VTK stumbles over characters";
  InputFile const file{folder / "a.nc"};
  EXPECT_EQ(file.variables(), (std::vector<std::string>{"cell_area", "other", "ice"}));
  EXPECT_EQ(text("height", "positive"), "up");
  EXPECT_EQ(text("other", "positive"), "") << "a field, no coordinate";
  EXPECT_EQ(text("ice", "coordinates"), "lon height");
  // CDO takes the area for part of the grid, and warns of one that has places.
  EXPECT_EQ(text("cell_area", "coordinates"), "");
}

TEST(OutputFile, GivesTheCellsAreasToTheFieldsOfTheirGridAlone) {
  TemporaryFolder const folder;
  std::vector<Coordinate> const coordinates = {{"x", "", "", "m", "X", {0, 1, 2}},
                                               {"y", "", "", "m", "Y", {0, 1}},
                                               {"xn", "", "", "m", "X", {0, 1, 2, 3}}};
  FieldInfo const area{"cell_area", "", "", "m2", {"y", "x"}, {2, 3}, ""},
      ice{"ice", "", "", "1", {"y", "x"}, {2, 3}, ""}, edge{"edge", "", "", "1", {"y", "xn"}, {2, 4}, ""},
      mode{"mode", "", "", "1", {"y", "x", "m"}, {2, 3, 2}, ""};
  OutputFile{folder / "a.nc", "A test", coordinates, {ice, edge, mode}, {area}, build_provenance(), "", {}}
      .close();
  EXPECT_EQ(attribute(folder / "a.nc", "ice", "cell_measures"), "area: cell_area");
  for (auto const* name : {"edge", "mode", "cell_area"}) {
    EXPECT_EQ(attribute(folder / "a.nc", name, "cell_measures"), "") << name;
  }
}

/// A file with a float variable f(time, x); `axis_units` are those of x, whose points are 25 apart.
void write_foreign(std::filesystem::path const& path, std::string const& calendar,
                   std::string const& axis_units,
                   std::string const& since = "hours since 1970-01-02 00:00:00") {
  int file = -1, time = -1, x = -1, t = -1, axis = -1, f = -1;
  ASSERT_EQ(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file), NC_NOERR);
  nc_def_dim(file, "time", NC_UNLIMITED, &time);
  nc_def_dim(file, "x", 3, &x);
  int const dimensions[] = {time, x};
  nc_def_var(file, "time", NC_DOUBLE, 1, &time, &t);
  nc_put_att_text(file, t, "units", since.size(), since.c_str());
  if (!calendar.empty()) nc_put_att_text(file, t, "calendar", calendar.size(), calendar.c_str());
  nc_def_var(file, "x", NC_DOUBLE, 1, &x, &axis);
  nc_put_att_text(file, axis, "units", axis_units.size(), axis_units.c_str());
  nc_def_var(file, "f", NC_FLOAT, 2, dimensions, &f);
  std::size_t const start[] = {0, 0}, count[] = {2, 3};
  double const times[] = {6, 18}, points[] = {-25, 0, 25};
  float const floats[] = {1, 2, 3, 4, NC_FILL_FLOAT, 6};
  nc_put_vara_double(file, t, start, count, times);
  nc_put_var_double(file, axis, points);
  nc_put_vara_float(file, f, start, count, floats);
  ASSERT_EQ(nc_close(file), NC_NOERR);
}

TEST(InputFile, TakesFloatsThatWereNeverWrittenForMissing) {
  TemporaryFolder const folder;
  write_foreign(folder / "a.nc", "", "m");
  auto const values = InputFile{folder / "a.nc"}.read("f", 1).values;
  EXPECT_EQ(values[0], 4);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 6);
}

TEST(InputFile, CountsTimesInTheCalendarOfTheFile) {
  TemporaryFolder const folder;
  for (auto const* calendar :
       {"", "standard", "Gregorian", "proleptic_gregorian", "360_day", "noleap", "julian", "none"}) {
    // The first of March 2000 is day 11009 of noleap years, 10860 of those of 360 days, else 11017 (cftime).
    write_foreign(folder / "a.nc", calendar, "m", "hours since 2000-03-01 00:00:00");
    InputFile const input{folder / "a.nc"};
    auto const name = std::string{calendar};
    auto const days = name == "noleap" ? 11009. : name == "360_day" ? 10860. : 11017.;
    if (name == "none") {
      EXPECT_TRUE(std::isnan(input.first_time("f")));
      EXPECT_EQ(input.time_axis("f").calendar, "none");
    } else {
      EXPECT_EQ(input.first_time("f"), 86400 * days + 6 * 3600) << calendar;
    }
    EXPECT_EQ(input.times("f"), (std::vector<double>{0, 43200})) << calendar;
  }
  write_foreign(folder / "a.nc", "365_day", "m");
  auto const axis = InputFile{folder / "a.nc"}.time_axis("f");
  EXPECT_EQ(axis.stored, (std::vector<double>{6, 18}));
  EXPECT_EQ(axis.calendar, "noleap");
  EXPECT_EQ(axis.unit, 3600);
  EXPECT_EQ(axis.epoch, 86400);
}

TEST(InputFile, GivesSpacingInMetres) {
  TemporaryFolder const folder;
  for (auto const& [units, spacing] : {std::pair{"m", 25.0}, {"km", 25000.0}, {"degrees_east", 0.0}}) {
    write_foreign(folder / "a.nc", "", units);
    EXPECT_EQ(InputFile{folder / "a.nc"}.spacing("f"), spacing) << units;
    EXPECT_EQ(InputFile{folder / "a.nc"}.spacings("f"), std::vector{spacing}) << units;
  }
}

TEST(InputFile, GivesTheSpacingsOfEachDimensionInItsOrder) {
  TemporaryFolder const folder;
  auto const spacings = [&](double dy, double dx, std::vector<std::string> const& dimensions) {
    std::vector<Coordinate> const coordinates = {{"y", "", "", "m", "Y", {0, dy, 2 * dy}},
                                                 {"x", "", "", "km", "X", {-dx / 1000, 0, dx / 1000}},
                                                 {"z", "height", "", "m", "Z", {0, 7, 14}}};
    FieldInfo const field{"f", "", "", "1", dimensions, std::vector<std::int64_t>(dimensions.size(), 3), ""};
    OutputFile{folder / "a.nc", "A test", coordinates, {}, {field}, build_provenance(), "", {}}.close();
    InputFile const file{folder / "a.nc"};
    return std::pair{file.spacings("f"), file.spacing("f")};
  };
  using Answer = std::pair<std::vector<double>, double>;
  EXPECT_EQ(spacings(4000, 1000, {"y", "x"}), (Answer{{4000, 1000}, 2500}));
  EXPECT_EQ(spacings(4000, 1000, {"x", "y"}), (Answer{{1000, 4000}, 2500}));
  EXPECT_EQ(spacings(4000, 1000, {"z", "y", "x"}), (Answer{{0, 4000, 1000}, 2500}));
  EXPECT_EQ(spacings(4000, 1000, {"z", "x"}), (Answer{{0, 1000}, 1000}));
  // Rounded coordinates of equal cells, and cells that are none.
  EXPECT_EQ(spacings(4000, 4000.5, {"y", "x"}), (Answer{{4000.25, 4000.25}, 4000.25}));
  EXPECT_EQ(spacings(4000, 4008, {"y", "x"}), (Answer{{4000, 4008}, 4004}));
  EXPECT_EQ(spacings(-4000, 1000, {"y", "x"}), (Answer{{4000, 1000}, 2500}));  // from north to south
  EXPECT_EQ(spacings(0, 1000, {"y", "x"}), (Answer{{0, 1000}, 1000}));         // an axis that stands still
}

}  // namespace
}  // namespace ulpine::io
