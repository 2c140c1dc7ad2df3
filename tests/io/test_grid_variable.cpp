// SPDX-License-Identifier: Apache-2.0
// Fields of rows and columns mean the same however a file stores them.
#include "io/grid_variable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "io/units.hpp"
#include "support/netcdf_writing.hpp"
#include "support/random_values.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using test::message_of;

/// One way of storing a field.
struct Form {
  std::string y = "y", x = "x";
  std::vector<std::string> order = {"y", "x"};  ///< of "t", "l" (levels), "y" and "x"
  bool falling_y = false, falling_x = false, coordinates = true, named = true;
  std::string y_units = "m", x_units = "m", y_standard_name = {}, x_standard_name = {}, attribute = {};
  nc_type type = NC_DOUBLE;
  std::size_t times = 1, levels = 1;
  double west = 10, step = 2;
};

/// Values that are all different: value(t, l, j, i) of row j from the south and column i from the west.
double value_at(std::size_t t, std::size_t l, std::size_t j, std::size_t i) {
  return static_cast<double>(1 + i + 10 * j + 100 * l + 1000 * t);
}

struct GridFile {
  test::TemporaryFolder folder;
  std::filesystem::path path = folder / "a.nc";

  void write(Form const& form, std::size_t ny, std::size_t nx) const {
    test::NetcdfWriting file(path);
    auto const size_of = [&](std::string const& axis) {
      return axis == "y" ? ny : axis == "x" ? nx : axis == "t" ? form.times : form.levels;
    };
    std::vector<int> dimensions;
    int y = -1, x = -1;
    for (auto const& axis : form.order) {
      auto const name = axis == "y" ? form.y : axis == "x" ? form.x : axis == "t" ? "time" : "band";
      dimensions.push_back(file.dimension(name.c_str(), size_of(axis)));
      if (!form.coordinates || (axis != "y" && axis != "x")) continue;
      auto const is_y = axis == "y";
      auto const id = file.variable(name.c_str(), NC_DOUBLE, {dimensions.back()});
      (is_y ? y : x) = id;
      if (auto const& units = is_y ? form.y_units : form.x_units; !units.empty())
        file.text(id, "units", units);
      auto const& standard_name = is_y ? form.y_standard_name : form.x_standard_name;
      if (!standard_name.empty()) file.text(id, "standard_name", standard_name);
      if (!form.attribute.empty()) file.text(id, "axis", is_y ? "Y" : "X");
    }
    int const field = file.variable("h", form.type, dimensions);
    std::vector<double> values;
    std::vector<std::size_t> at(form.order.size(), 0);
    for (bool more = true; more;) {
      std::size_t t = 0, l = 0, j = 0, i = 0;
      for (std::size_t d = 0; d < at.size(); ++d) {
        auto const& axis = form.order[d];
        (axis == "t" ? t : axis == "l" ? l : axis == "y" ? j : i) = at[d];
      }
      values.push_back(value_at(t, l, form.falling_y ? ny - 1 - j : j, form.falling_x ? nx - 1 - i : i));
      more = false;
      for (auto d = at.size(); d-- > 0;) {
        if (++at[d] < size_of(form.order[d])) {
          more = true;
          break;
        }
        at[d] = 0;
      }
    }
    auto const places = [&](std::size_t n, double first, bool falls) {
      std::vector<double> result;
      for (std::size_t k = 0; k < n; ++k) result.push_back(first + form.step * static_cast<double>(k));
      if (falls) std::ranges::reverse(result);
      return result;
    };
    if (y >= 0) file.values(y, places(ny, 1, form.falling_y));
    if (x >= 0) file.values(x, places(nx, form.west, form.falling_x));
    file.values(field, values);
  }
  std::vector<double> expected(std::size_t ny, std::size_t nx, std::size_t t = 0, std::size_t l = 0) const {
    std::vector<double> values;
    for (std::size_t j = 0; j < ny; ++j) {
      for (std::size_t i = 0; i < nx; ++i) values.push_back(value_at(t, l, j, i));
    }
    return values;
  }
  std::string refusal() const {
    InputFile const file(path);
    auto const message = message_of<InputError>([&] { GridVariable(file, "h"); });
    EXPECT_TRUE(message.starts_with("h ") || message.starts_with("no variable 'h'")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
};

TEST(GridVariable, IsTheSameHoweverItIsStored) {
  GridFile const file;
  test::RandomValues random(40);
  std::vector<std::array<std::string, 2>> const names = {{"y", "x"},
                                                         {"lat", "lon"},
                                                         {"south_north", "west_east"},
                                                         {"nj", "ni"},
                                                         {"j", "i"},
                                                         {"ydim", "xdim"},
                                                         {"northing", "easting"},
                                                         {"rows", "columns"},
                                                         {"eta_rho", "xi_rho"},
                                                         {"latitude", "longitude"},
                                                         {"Y", "X"},
                                                         {"nav_lat", "nav_lon"},
                                                         {"N_UTM", "E_UTM"},
                                                         {"a", "b"}};
  nc_type const types[] = {NC_DOUBLE, NC_FLOAT, NC_SHORT, NC_INT, NC_USHORT, NC_INT64};
  for (int k = 0; k < 300; ++k) {
    Form form;
    auto const& pair = names[random.below(names.size())];
    form.y = pair[0], form.x = pair[1];
    auto const coin = [&] { return random.uniform() < 0.5; };
    form.order = coin() ? std::vector<std::string>{"y", "x"} : std::vector<std::string>{"x", "y"};
    if (coin()) form.order.insert(form.order.begin() + static_cast<std::ptrdiff_t>(random.below(3)), "t");
    if (coin()) form.order.insert(form.order.begin() + static_cast<std::ptrdiff_t>(random.below(3)), "l");
    form.falling_y = coin(), form.falling_x = coin();
    form.type = types[random.below(6)];
    // What has no name that tells has a coordinate that does, by one of its attributes.
    auto const telling = form.y == "a" || form.y == "N_UTM";
    auto const way = random.below(telling ? 2 : 4);
    form.coordinates = way != 3;
    if (way == 0) form.attribute = "axis";
    if (way == 1) {
      form.y_standard_name = "projection_y_coordinate", form.x_standard_name = "projection_x_coordinate";
    }
    if (!form.coordinates) form.falling_y = form.falling_x = false;
    auto const ny = 2 + random.below(5), nx = coin() ? ny : 2 + random.below(5);
    file.write(form, ny, nx);
    InputFile const input(file.path);
    GridVariable const field(input, "h");
    std::string text;
    for (auto const& axis : form.order) text += axis + " ";
    text += "of " + form.y + ", " + form.x + " (way " + std::to_string(way) + ")";
    ASSERT_EQ(field.ny(), static_cast<std::int64_t>(ny)) << text;
    ASSERT_EQ(field.nx(), static_cast<std::int64_t>(nx)) << text;
    ASSERT_EQ(field.read(), file.expected(ny, nx)) << text;
    ASSERT_EQ(field.y().falls, form.falling_y) << text;
    ASSERT_EQ(field.x().falls, form.falling_x) << text;
    ASSERT_TRUE(std::ranges::is_sorted(field.x().places));
    if (form.coordinates) {
      ASSERT_EQ(field.y().places.front(), 1) << text;
    }
  }
}

TEST(GridVariable, CanBeLeftInTheOrderOfItsFile) {
  GridFile const file;
  Form form;
  form.order = {"x", "y"};
  form.falling_y = form.falling_x = true;
  file.write(form, 2, 3);
  InputFile const input(file.path);
  auto const stored = GridVariable(input, "h", {}, {}, GridVariable::Turned::not_at_all).read();
  EXPECT_EQ(stored, (std::vector<double>{13, 12, 11, 3, 2, 1}));
}

TEST(GridVariable, HasOneTimeAndTheChosenPlaceAlongOtherDimensions) {
  GridFile const file;
  Form form;
  form.order = {"t", "l", "y", "x"};
  form.times = 2, form.levels = 3;
  file.write(form, 2, 3);
  InputFile const input(file.path);
  GridVariable const field(input, "h", {}, [](std::string const& dimension, std::int64_t extent) {
    EXPECT_EQ(dimension, "band");
    EXPECT_EQ(extent, 3);
    return std::optional<std::int64_t>(2);
  });
  EXPECT_EQ(field.read(0), file.expected(2, 3, 0, 2));
  EXPECT_EQ(field.read(1), file.expected(2, 3, 1, 2));
  auto const message = file.refusal();
  EXPECT_NE(message.find("has 3 places along band besides y and x"), std::string::npos) << message;
}

TEST(GridVariable, HasRowsAlongTheDimensionOfSeveralPlaces) {
  GridFile const file;
  {
    test::NetcdfWriting writing(file.path);
    auto const single = writing.dimension("y", 1), lat = writing.dimension("lat", 2),
               lon = writing.dimension("lon", 2);
    writing.values(writing.variable("h", NC_DOUBLE, {single, lon, lat}), {1, 11, 2, 12});
  }
  InputFile const input(file.path);
  GridVariable const field(input, "h");
  EXPECT_EQ(field.y().dimension, "lat");
  EXPECT_EQ(field.read(), (std::vector<double>{1, 2, 11, 12}));
}

TEST(GridVariable, OfLongitudesRoundTheGlobeGoesOn) {
  GridFile const file;
  for (double const west : {0., -180., 170., 350.}) {
    Form form;
    form.y = "lat", form.x = "lon", form.y_units = "degrees_north", form.x_units = "degrees_east";
    form.step = 30;
    {
      test::NetcdfWriting writing(file.path);
      auto const lat = writing.dimension("lat", 2), lon = writing.dimension("lon", 12);
      auto const y = writing.variable("lat", NC_FLOAT, {lat}), x = writing.variable("lon", NC_FLOAT, {lon}),
                 h = writing.variable("h", NC_FLOAT, {lat, lon});
      writing.text(y, "units", "degrees_north");
      writing.text(x, "units", "degrees_east");
      std::vector<double> longitudes, values(24, 1);
      for (int k = 0; k < 12; ++k) longitudes.push_back(std::remainder(west + 30 * k, 360.));
      writing.values(y, {60, 90});
      writing.values(x, longitudes);
      writing.values(h, values);
    }
    InputFile const input(file.path);
    GridVariable const field(input, "h");
    auto const& places = field.x().places;
    ASSERT_EQ(places.size(), 12u);
    for (std::size_t k = 1; k < 12; ++k) EXPECT_EQ(places[k] - places[k - 1], 30) << west;
    EXPECT_TRUE(field.x().in_degrees);
    EXPECT_TRUE(field.y().in_degrees);
    EXPECT_EQ(field.x().spacing(), 0);
  }
}

TEST(GridVariable, HasDegreesWhereItsFileHasRadians) {
  GridFile const file;
  test::RandomValues random(23);
  constexpr double degree = std::numbers::pi / 180;
  auto const write = [&](std::string const& units, double unit, double west, double step, std::size_t count) {
    test::NetcdfWriting writing(file.path);
    auto const lat = writing.dimension("lat", 2), lon = writing.dimension("lon", count);
    auto const y = writing.variable("lat", NC_DOUBLE, {lat}), x = writing.variable("lon", NC_DOUBLE, {lon}),
               h = writing.variable("h", NC_DOUBLE, {lat, lon});
    writing.text(y, "units", units.empty() ? "degrees_north" : units);
    writing.text(x, "units", units.empty() ? "degrees_east" : units);
    std::vector<double> places;
    for (std::size_t k = 0; k < count; ++k) places.push_back((west + step * static_cast<double>(k)) * unit);
    writing.values(y, {-60 * unit, 30 * unit});
    writing.values(x, places);
    writing.values(h, std::vector<double>(2 * count, 1));
  };
  for (int trial = 0; trial < 20; ++trial) {
    auto const west = random.between(-180, 0), step = random.between(0.1, 30);
    auto const count = 2 + random.below(10);
    for (auto const* units : {"radian", "radians", "Rad"}) {
      write(units, degree, west, step, count);
      InputFile const input(file.path);
      GridVariable const field(input, "h");
      EXPECT_TRUE(field.x().in_degrees && field.y().in_degrees) << units;
      EXPECT_EQ(field.x().spacing(), 0);
      ASSERT_EQ(field.x().places.size(), count);
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_NEAR(field.x().places[k], west + step * static_cast<double>(k), 1e-10);
      }
      EXPECT_NEAR(field.y().places[1], 30, 1e-12);
    }
  }
  // The circle of radians under the name of degrees, with and without its first longitude again.
  for (std::size_t const count : {36u, 37u}) {
    write("", degree, 0, 10, count);
    EXPECT_NE(file.refusal().find("degrees (once round a circle of radians"), std::string::npos);
    write("", 1, 0, 10, count);
    EXPECT_NO_THROW((GridVariable(InputFile(file.path), "h")));
  }
}

TEST(GridVariable, OfPlacesInFloatHasTheSpacingThatWasMeant) {
  // Steps of 3 m at 5.8e6 m, where floats are half a metre apart.
  std::vector<double> places;
  for (int k = 0; k < 200; ++k)
    places.push_back(static_cast<double>(static_cast<float>(5818419.1 + 3.1 * k)));
  GridAxis const axis{"y", "y", "m", places, 0x1p-23, false, false, false};
  EXPECT_EQ(axis.spacing(), 3.1);
  GridAxis const exact{"y", "y", "km", {0, 0.0025, 0.005}, 0, false, false, false};
  EXPECT_EQ(exact.spacing(), 2.5);
  GridAxis const unknown{"y", "y", "furlong", {0, 1, 2}, 0, false, false, false};
  EXPECT_EQ(unknown.spacing(), 0);
  GridAxis const single{"y", "y", "m", {7}, 0, false, false, false};
  EXPECT_EQ(single.spacing(), 0);
}

TEST(GridVariable, WhoseRowsNothingTellsIsRefused) {
  Form form;
  form.y = "dim_0", form.x = "dim_1", form.coordinates = false;
  {
    GridFile const file;
    file.write(form, 3, 3);
    EXPECT_NE(file.refusal().find("neither coordinates nor names tell which are rows and columns"),
              std::string::npos);
    InputFile const square(file.path);
    EXPECT_THROW(GridVariable(square, "h", {3, 3}), InputError) << "a square fits both ways";
    EXPECT_EQ(GridVariable(square, "h", {3, 3}, {}, GridVariable::Turned::not_at_all).read(),
              file.expected(3, 3))
        << "rows come first, as the mesh's do";
  }
  {
    GridFile const file;
    file.write(form, 2, 3);
    InputFile const oblong(file.path);
    EXPECT_EQ(GridVariable(oblong, "h", {2, 3}).read(), file.expected(2, 3));
    EXPECT_THROW(GridVariable(oblong, "h", {3, 2}), InputError);
  }
  // One that is known tells the other.
  form.x = "x";
  for (auto const& order : {std::vector<std::string>{"y", "x"}, std::vector<std::string>{"x", "y"}}) {
    GridFile const file;
    form.order = order;
    file.write(form, 2, 3);
    InputFile const half(file.path);
    EXPECT_EQ(GridVariable(half, "h").read(), file.expected(2, 3));
  }
  form.x = "dim_1", form.y = "lat";
  GridFile const file;
  file.write(form, 2, 3);
  InputFile const other(file.path);
  EXPECT_EQ(GridVariable(other, "h").read(), file.expected(2, 3));
}

TEST(GridVariable, OfLongitudesAndLatitudesOfAllPointsHasRowsFirst) {
  GridFile const file;
  {
    test::NetcdfWriting writing(file.path);
    auto const a = writing.dimension("a", 2), b = writing.dimension("b", 2);
    auto const lon = writing.variable("lon", NC_DOUBLE, {a, b}),
               lat = writing.variable("lat", NC_DOUBLE, {a, b}), h = writing.variable("h", NC_DOUBLE, {a, b});
    writing.text(lon, "units", "degrees_east");
    writing.text(lat, "units", "degrees_north");
    writing.text(h, "coordinates", "lon lat");
    writing.values(lon, {0, 1, 0, 1});
    writing.values(lat, {70, 70, 71, 71});
    writing.values(h, {1, 2, 11, 12});
  }
  InputFile const input(file.path);
  EXPECT_EQ(GridVariable(input, "h").read(), (std::vector<double>{1, 2, 11, 12}));
}

/// Field 1, 2, 3; 11, 12, 13 from the south and the west, stored along `a` and `b` (rows and columns, or the
/// other way round), with longitudes and latitudes of all points.
struct OfPoints {
  std::string rows = "a", columns = "b";
  bool transposed = false, falling_y = false, falling_x = false;
  double shear = 0;  ///< degrees of latitude a column, which bend down half of the columns
  std::array<std::int64_t, 2> shape = {};
  std::vector<double> read(GridVariable::Turned turned = GridVariable::Turned::as_places_rise) const {
    GridFile const file;
    {
      test::NetcdfWriting writing(file.path);
      auto const a = writing.dimension((transposed ? columns : rows).c_str(), transposed ? 3 : 2),
                 b = writing.dimension((transposed ? rows : columns).c_str(), transposed ? 2 : 3);
      auto const lon = writing.variable("lon", NC_DOUBLE, {a, b}),
                 lat = writing.variable("lat", NC_DOUBLE, {a, b}),
                 h = writing.variable("h", NC_DOUBLE, {a, b});
      writing.text(lon, "units", "degrees_east");
      writing.text(lat, "units", "degrees_north");
      writing.text(h, "coordinates", "lon lat");
      std::vector<double> longitudes, latitudes, values;
      for (int k = 0; k < 6; ++k) {
        auto const row = transposed ? k % 2 : k / 3, column = transposed ? k / 2 : k % 3;
        auto const j = falling_y ? 1 - row : row, i = falling_x ? 2 - column : column;
        longitudes.push_back(i == 2 ? -179 : 178.5 + i);
        latitudes.push_back(70 + 2 * j - shear * i * j);
        values.push_back(10 * j + i + 1);
      }
      writing.values(lon, longitudes);
      writing.values(lat, latitudes);
      writing.values(h, values);
    }
    InputFile const input(file.path);
    return GridVariable(input, "h", shape, {}, turned).read();
  }
};

TEST(GridVariable, OfLongitudesAndLatitudesOfAllPointsHasRowsAlongTheLatitudes) {
  std::vector<double> const expected = {1, 2, 3, 11, 12, 13};
  for (int k = 0; k < 16; ++k) {
    OfPoints form;
    form.transposed = (k & 1) != 0;
    form.falling_y = (k & 2) != 0;
    form.falling_x = (k & 4) != 0;
    if ((k & 8) != 0) form.rows = "j", form.columns = "i";
    EXPECT_EQ(form.read(), expected) << k;
  }
}

TEST(GridVariable, OfLatitudesThatGoBothWaysStaysAsItIsStored) {
  OfPoints form;
  form.falling_y = form.falling_x = true;
  form.shear = 1.5;
  EXPECT_THROW(form.read(), InputError) << "nothing tells rows from columns";
  form.rows = "j", form.columns = "i";
  EXPECT_EQ(form.read(), (std::vector<double>{13, 12, 11, 3, 2, 1}));
}

TEST(GridVariable, OfAMeshIsNotTurnedByLatitudes) {
  OfPoints form;
  form.falling_y = true;
  std::vector<double> const stored = {11, 12, 13, 1, 2, 3};
  EXPECT_EQ(form.read(GridVariable::Turned::not_at_all), stored);
  form.transposed = true;
  form.shape = {3, 2};
  EXPECT_EQ(form.read(GridVariable::Turned::not_at_all), (std::vector<double>{11, 1, 12, 2, 13, 3}))
      << "the shape fits as stored";
  form.transposed = false;
  form.rows = "j", form.columns = "i";
  EXPECT_EQ(form.read(GridVariable::Turned::not_at_all), stored);
}

TEST(GridVariable, ThatHasNoRowsAndColumnsIsRefused) {
  GridFile const file;
  {
    test::NetcdfWriting writing(file.path);
    auto const y = writing.dimension("y", 2), x = writing.dimension("x", 2);
    writing.values(writing.variable("h", NC_DOUBLE, {y}), {1, 2});
    writing.variable("text", NC_CHAR, {y, x});
    auto const places = writing.variable("x", NC_DOUBLE, {x});
    auto const field = writing.variable("field", NC_DOUBLE, {y, x});
    writing.values(places, {4, 4});
    writing.values(field, {1, 2, 3, 4});
  }
  EXPECT_NE(file.refusal().find("h has the shape 2, one dimension but time"), std::string::npos);
  InputFile const input(file.path);
  auto const of = [&](char const* name) {
    return message_of<InputError>([&] { GridVariable(input, name); });
  };
  EXPECT_NE(of("text").find("text holds text"), std::string::npos) << of("text");
  EXPECT_NE(of("field").find("field has x[1] = 4 (places rise or fall"), std::string::npos) << of("field");
  EXPECT_NE(of("fields").find("did you mean 'field'"), std::string::npos) << of("fields");
}

TEST(Units, HaveTheirDefinitions) {
  EXPECT_EQ(divisor_of(lengths(), ""), 1.);
  EXPECT_EQ(250 / *divisor_of(lengths(), "cm"), 2.5);
  EXPECT_NEAR(1 / *divisor_of(lengths(), "ft"), 0.3048, 1e-15);
  EXPECT_NEAR(10 / *divisor_of(speeds(), "knots"), 10 * 1852. / 3600, 1e-14);
  EXPECT_NEAR(36 / *divisor_of(speeds(), "km h-1"), 10, 1e-14);
  EXPECT_NEAR(10 / *divisor_of(speeds(), "mph"), 4.4704, 1e-14);
  EXPECT_EQ(divisor_of(lengths(), "Metres"), 1.);
  EXPECT_EQ(divisor_of(speeds(), " m  s-1 "), 1.);
  EXPECT_EQ(divisor_of(speeds(), ""), std::nullopt);
  EXPECT_EQ(divisor_of(lengths(), "furlong"), std::nullopt);
}

}  // namespace
}  // namespace ulpine::io
