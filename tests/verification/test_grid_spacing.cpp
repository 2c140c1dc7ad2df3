// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/grid_spacing.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"
#include "verification/metrics/spectrum.hpp"

namespace ulpine::verification {
namespace {

using test::NetcdfWriting;
using test::TemporaryFolder;
using Values = std::vector<double>;
constexpr double degree_m = std::numbers::pi / 180 * earth_radius;  // of latitude

struct Axis {
  std::string name, units;
  Values values;
  std::string axis = {};
};

std::string text_of(std::vector<std::string> const& notes) {
  std::string text;
  for (auto const& note : notes) text += note + "\n";
  return text;
}

/// f(rows, columns).
GridSpacing spacing(TemporaryFolder const& folder, Axis const& rows, Axis const& columns) {
  {
    NetcdfWriting file{folder / "a.nc"};
    std::vector<int> ids, variables;
    for (auto const& axis : {rows, columns}) {
      ids.push_back(file.dimension(axis.name.c_str(), axis.values.size()));
      variables.push_back(file.variable(axis.name.c_str(), NC_DOUBLE, {ids.back()}));
      if (!axis.units.empty()) file.text(variables.back(), "units", axis.units);
      if (!axis.axis.empty()) file.text(variables.back(), "axis", axis.axis);
    }
    file.variable("f", NC_FLOAT, ids);
    file.values(variables[0], rows.values);
    file.values(variables[1], columns.values);
  }
  return grid_spacing(io::InputFile(folder / "a.nc"), "f", 0, 1);
}

TEST(GridSpacing, OfMetresIsTheMeanAndTellsStretchedAxes) {
  TemporaryFolder const folder;
  auto const even = spacing(folder, {"y", "m", {0, 10, 20}}, {"x", "km", {1, 3, 5, 7}});
  EXPECT_EQ(even.rows, 10);
  EXPECT_EQ(even.columns, 2000);
  EXPECT_TRUE(even.notes.empty()) << text_of(even.notes);
  auto const stretched = spacing(folder, {"y", "m", {0, 10, 30}}, {"x", "m", {0, 15, 30}});
  EXPECT_EQ(stretched.rows, 15);
  EXPECT_EQ(text_of(stretched.notes),
            "y is stretched: its intervals are 10 to 20 m, their mean 15 m was taken\n");
  // A section has a vertical axis, whose spacing is its own and not the other's.
  auto const section = spacing(folder, {"z", "m", {5, 15, 25}, "Z"}, {"x", "m", {0, 100, 200}});
  EXPECT_EQ(section.rows, 10);
  EXPECT_EQ(section.columns, 100);
  auto const unsaid = spacing(folder, {"z", "m", {5, 15, 25}}, {"x", "m", {0, 100, 200}});
  EXPECT_EQ(unsaid.rows, 10);
  auto const meridian = spacing(folder, {"z", "m", {5, 15, 25}}, {"lat", "degrees_north", {0, 1, 2}});
  EXPECT_EQ(meridian.rows, 10);
  EXPECT_NEAR(meridian.columns, degree_m, 1e-6);
}

TEST(GridSpacing, OfOneAxisIsTakenForBothWithANote) {
  TemporaryFolder const folder;
  auto const found = spacing(folder, {"y", "", {0, 1, 2}}, {"x", "m", {0, 15, 30}});
  EXPECT_EQ(found.rows, 15);
  EXPECT_EQ(found.columns, 15);
  EXPECT_NE(text_of(found.notes).find("no spacing in metres along y"), std::string::npos);
  auto const none = spacing(folder, {"y", "", {0, 1, 2}}, {"x", "", {0, 15, 30}});
  EXPECT_FALSE(none.known());
  EXPECT_EQ(none.columns, 0);
}

TEST(GridSpacing, OfDegreesIsOnASphere) {
  TemporaryFolder const folder;
  auto const found = spacing(folder, {"lat", "degrees_north", {50, 50.5, 51, 51.5, 52}},
                             {"lon", "degrees_east", {7, 7.5, 8}});
  EXPECT_NEAR(found.rows, 0.5 * degree_m, 1e-6);
  EXPECT_NEAR(found.columns, 0.5 * degree_m * std::cos(51 * std::numbers::pi / 180), 1e-6);
  auto const notes = text_of(found.notes);
  EXPECT_NE(notes.find("lat is in degrees: 55597.5 m on a sphere of 6371.0 km"), std::string::npos) << notes;
  EXPECT_NE(
      notes.find(
          "lon is in degrees: 34988.7 m on a sphere of 6371.0 km at the middle latitude 51, from 34229.3 to "
          "35737.4 m over the rows"),
      std::string::npos)
      << notes;
  // Across the date line, and from north to south.
  auto const pacific =
      spacing(folder, {"lat", "degrees_north", {1, 0, -1}}, {"lon", "degrees_east", {178, 179, -180, -179}});
  EXPECT_NEAR(pacific.rows, degree_m, 1e-6);
  EXPECT_NEAR(pacific.columns, degree_m, 1e-6);
  EXPECT_EQ(text_of(pacific.notes).find("stretched"), std::string::npos) << text_of(pacific.notes);
  EXPECT_NE(text_of(pacific.notes).find("to 111195 m over the rows"), std::string::npos)
      << text_of(pacific.notes);
  // Gaussian latitudes are not even.
  auto const gauss = spacing(folder, {"lat", "degrees_north", {-60, -20, 20, 60}},
                             {"lon", "degrees_east", {0, 90, 180, 270}});
  EXPECT_EQ(text_of(gauss.notes).find("stretched"), std::string::npos);
  auto const uneven = spacing(folder, {"lat", "degrees_north", {-60, -20, 30, 60}},
                              {"lon", "degrees_east", {0, 90, 180, 270}});
  EXPECT_NE(text_of(uneven.notes).find("lat is stretched"), std::string::npos);
}

/// As a file holds them: in float, perhaps from north to south.
Values axis_of_degrees(int count, double first, double step, bool in_float, bool descending) {
  Values values;
  for (int i = 0; i < count; ++i) {
    auto const value = first + step * (descending ? count - 1 - i : i);
    values.push_back(in_float ? static_cast<double>(static_cast<float>(value)) : value);
  }
  return values;
}

TEST(GridSpacing, OfGridsCentredOnTheEquatorIsOne) {
  TemporaryFolder const folder;
  for (auto const& [rows, columns] : {std::pair{180, 360}, {18, 36}, {9, 18}, {90, 181}, {7, 5}, {12, 12}}) {
    for (auto const in_float : {false, true}) {
      for (auto const descending : {false, true}) {
        auto const step = 180. / std::max(rows, 18);
        auto const latitudes = axis_of_degrees(rows, -step * (rows - 1) / 2, step, in_float, descending);
        auto const longitudes = axis_of_degrees(columns, 0.1, step, in_float, false);
        auto const found =
            spacing(folder, {"lat", "degrees_north", latitudes}, {"lon", "degrees_east", longitudes});
        EXPECT_EQ(found.rows, found.columns) << rows << " x " << columns;
        EXPECT_NEAR(found.rows, step * degree_m, 1e-4 * step * degree_m);
        // The rings are those of the same grid in metres: L / 2 + 1 of an even longest side L, else (L - 1)
        // / 2.
        auto const longest = std::max(rows, columns);
        Values field(static_cast<std::size_t>(rows * columns));
        for (std::size_t i = 0; i < field.size(); ++i) field[i] = std::sin(double(i * i % 101));
        auto const spectrum = radial_spectrum(field, rows, columns, found.rows, found.columns);
        EXPECT_EQ(spectrum.power.size(), std::size_t(longest % 2 == 0 ? longest / 2 + 1 : (longest - 1) / 2));
        auto const in_metres = radial_spectrum(field, rows, columns, step * degree_m, step * degree_m);
        EXPECT_EQ(spectrum.power, in_metres.power);
        EXPECT_EQ(spectrum.modes, in_metres.modes);
      }
    }
  }
}

TEST(GridSpacing, OfTwoAxesIsOneToAThousandth) {
  TemporaryFolder const folder;
  auto const in = [&](std::string const& unit, double step) {
    // A tenth of a degree at the equator, or so many metres, or an axis along the vertical.
    if (unit == "degrees") {
      return spacing(folder, {"lat", "degrees_north", {-step, 0, step}},
                     {"lon", "degrees_east", {0, 0.1, 0.2}});
    }
    auto const km = unit == "km" ? 1e-3 : 1;
    return spacing(folder,
                   {unit == "z" ? "z" : "y",
                    unit == "km" ? "km" : "m",
                    {0, 1e4 * step * km, 2e4 * step * km},
                    unit == "z" ? "Z" : "Y"},
                   {"x", "m", {0, 1e3, 2e3}});
  };
  for (auto const* unit : {"degrees", "m", "km", "z"}) {
    for (auto const& [step, same] :
         {std::pair{0.1, true}, {0.10009, true}, {0.09991, true}, {0.1002, false}, {0.0998, false}}) {
      auto const found = in(unit, step);
      EXPECT_EQ(found.rows == found.columns, same) << unit << " " << step;
      EXPECT_NEAR(found.rows / found.columns, same ? 1 : step / 0.1, 1e-6) << unit << " " << step;
    }
  }
}

TEST(GridSpacing, WantsAxesThatAreStrictlyMonotonic) {
  TemporaryFolder const folder;
  auto const refused = [&](Axis const& rows, Axis const& columns) {
    return test::message_of<InputError>([&] { spacing(folder, rows, columns); });
  };
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  Axis const x{"x", "m", {0, 10, 20}};
  auto const saw = refused({"y", "m", {0, 10, 20, 0, 10, 20}}, x);
  EXPECT_NE(
      saw.find("a.nc: f: no places are known along y (its coordinate goes from 20 to 0 at index 3, and is "
               "not strictly monotonic) mend the variable y"),
      std::string::npos)
      << saw;
  for (Values const& values : {Values{0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {0, 1, 0}, {2, 1, 3}, {0, 0, 0}}) {
    for (auto const* unit : {"m", "km", "", "degrees_north"}) {
      EXPECT_NE(refused({"y", unit, values}, x).find("strictly monotonic"), std::string::npos) << unit;
    }
  }
  for (Values const& values :
       {Values{nan, 1, 2}, {0, nan, 2}, {0, 1, nan}, {0, 1, INFINITY}, {nan, nan, nan}}) {
    EXPECT_NE(refused({"y", "m", values}, x).find("missing or not finite at index"), std::string::npos);
    EXPECT_NE(refused(x, {"lon", "degrees_east", values}).find("missing or not finite at index"),
              std::string::npos);
  }
  // Round the Earth longitudes may go on the short way, and nothing else may.
  Axis const latitude{"lat", "degrees_north", {-1, 0, 1}};
  for (Values const& values : {Values{350, 355, 0, 5}, {-170, -175, 180, 175}, {0, 120, 240, 0}, {0, 180}}) {
    EXPECT_EQ(refused(latitude, {"lon", "degrees_east", values}), "(nothing thrown)");
  }
  EXPECT_EQ(refused(latitude, {"lon", "radians", {6.1, 6.2, 0.1}, "X"}), "(nothing thrown)");
  EXPECT_NE(refused(latitude, {"lon", "degrees_east", {0, 10, 20, 0, 10, 20}}).find("strictly monotonic"),
            std::string::npos);
  EXPECT_NE(refused(latitude, {"lon", "degrees_east", {0, 10, 10, 20}}).find("strictly monotonic"),
            std::string::npos);
  EXPECT_NE(refused({"lat", "degrees_north", {80, 85, -90}}, {"lon", "degrees_east", {0, 1}})
                .find("strictly monotonic"),
            std::string::npos);
  EXPECT_NE(refused({"y", "m", {350, 355, 0}}, x).find("strictly monotonic"), std::string::npos);
}

/// Longitudes and latitudes of every point: a grid of 0.1 degrees turned about the vertical of 60 N, 179.9 E.
TEST(GridSpacing, OfCurvilinearGridsIsAlongGreatCircles) {
  TemporaryFolder const folder;
  for (auto const* const names : {"lon lat", "XLONG XLAT"}) {
    auto const wrf = std::string(names) == "XLONG XLAT";
    {
      NetcdfWriting file{folder / "a.nc"};
      auto const time = file.dimension("Time", 1), y = file.dimension("south_north", 5),
                 x = file.dimension("west_east", 7);
      std::vector<int> const places = wrf ? std::vector{time, y, x} : std::vector{y, x};
      auto const lon = file.variable(wrf ? "XLONG" : "lon", NC_DOUBLE, places),
                 lat = file.variable(wrf ? "XLAT" : "lat", NC_DOUBLE, places);
      file.text(lon, "units", "degree_east");
      file.text(lat, "units", "degree_north");
      auto const f = file.variable("f", NC_FLOAT, {time, y, x});
      file.text(f, "coordinates", names);
      Values longitudes, latitudes;
      for (int j = 0; j < 5; ++j) {
        for (int i = 0; i < 7; ++i) {
          longitudes.push_back(std::remainder(179.9 + 0.1 * (i - 3), 360));
          latitudes.push_back(60 + 0.2 * (j - 2));
        }
      }
      file.values(lon, longitudes);
      file.values(lat, latitudes);
    }
    auto const found = grid_spacing(io::InputFile(folder / "a.nc"), "f", 0, 1);
    EXPECT_NEAR(found.rows, 0.2 * degree_m, 1e-3) << names;
    // A great circle cuts the corner of the parallel by 0.1 degrees^2 / 24 tan(60)^2 at most: 4e-7.
    EXPECT_NEAR(found.columns, 0.1 * degree_m * 0.5, 0.1 * degree_m * 0.5 * 1e-6) << names;
    EXPECT_NE(text_of(found.notes).find(wrf ? "XLONG and XLAT" : "lon and lat"), std::string::npos);
  }
}

}  // namespace
}  // namespace ulpine::verification
