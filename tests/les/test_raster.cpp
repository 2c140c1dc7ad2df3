// SPDX-License-Identifier: Apache-2.0
#include "core/les/keys.hpp"
#include "core/les/raster.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "io/error.hpp"
#include "support/netcdf_writing.hpp"
#include "support/reference_data.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::les {
namespace {

using test::message_of;
using test::TemporaryFolder;
using Heights = std::vector<double>;

// Three columns, two rows; the first row of the text is the north.
std::string const esri =
    "ncols 3\nnrows 2\nxllcorner 386741.5\nyllcorner 5818419.1\ncellsize 2.5\nNODATA_value -9999\n"
    "1 2 3\n-9999 5.5 6e0\n";

struct RasterFile : testing::Test {
  TemporaryFolder folder;

  HeightRaster read(std::string const& text) const {
    return read_height_raster(folder.write("a.asc", text), "");
  }
  std::string refusal(std::string const& text) const {
    auto const path = folder.write("a.asc", text);
    auto const message = message_of<InputError>([&] { read_height_raster(path, ""); });
    EXPECT_TRUE(message.starts_with(path.string())) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
};

TEST_F(RasterFile, OfEsriBeginsInTheNorth) {
  auto const raster = read(esri);
  EXPECT_EQ(raster.nx, 3);
  EXPECT_EQ(raster.ny, 2);
  EXPECT_EQ(raster.dx, 2.5);
  EXPECT_EQ(raster.dy, 2.5);
  EXPECT_EQ(raster.heights, (Heights{0, 5.5, 6, 1, 2, 3}));
  // What others write: capitals, carriage returns, centres, dx and dy, rows broken anywhere, no NODATA_value.
  auto const other =
      read("NCOLS 3\r\nNROWS 2\r\nXLLCENTER 0\r\nYLLCENTER 0\r\nDX 1\r\nDY 4\r\n1 2\r\n3 0 5.5\r\n 6");
  EXPECT_EQ(other.dx, 1);
  EXPECT_EQ(other.dy, 4);
  EXPECT_EQ(other.heights, raster.heights);
}

TEST_F(RasterFile, OfEsriHasGroundWhereItsTextHasNoValue) {
  struct {
    char const *header, *value;
  } const forms[] = {{"NODATA_value -9999", "-9999"},
                     {"nodata_value -9999.0", "-9999"},
                     {"", "-9999"},  // customary where the header has none
                     {"", "nan"},
                     {"NODATA_value nan", "nan"},
                     {"NODATA_value NaN", "-nan"},
                     {"NODATA_value 1.#QNAN", "1.#QNAN"},
                     {"NODATA_value -9999", "-1.#IND"},
                     {"NODATA_value -3.4028230607370965251e+38", "-3.4028230607370965e+38"},
                     {"NODATA_value -3.4028230607370965251e+38", "-3.40282306e+38"},
                     {"NODATA_value -3.40282e+38", "-3.4028230607370965e+38"},
                     {"NODATA_value 1e+38", "9.99999968e+37"},
                     {"NODATA_value -32768", "-32768"},
                     {"NODATA_value 0", "0"}};
  for (auto const& form : forms) {
    auto text = esri;
    text.replace(text.find("NODATA_value -9999"), 18, form.header);
    text.replace(text.rfind("-9999"), 5, form.value);
    EXPECT_EQ(read(text).heights, (Heights{0, 5.5, 6, 1, 2, 3})) << form.header << ": " << form.value;
  }
  // Where the first height is none.
  EXPECT_EQ(read("ncols 2\nnrows 1\ncellsize 1\nNODATA_value nan\nnan 3\n").heights, (Heights{0, 3}));
  // Numbers of another kind than what stands for none are heights.
  EXPECT_EQ(read("ncols 2\nnrows 1\ncellsize 1\nNODATA_value 10\n10.0001 10\n").heights,
            (Heights{10.0001, 0}));
}

TEST_F(RasterFile, OfEsriMayHaveAByteOrder) {
  auto const expected = read(esri).heights;
  EXPECT_EQ(read("\xef\xbb\xbf" + esri).heights, expected) << "a byte order mark";
  auto text = esri;
  EXPECT_EQ(read(text.insert(text.find("NODATA"), "byteorder LSBFIRST\n")).heights, expected);
}

TEST_F(RasterFile, OfPlainNumbersBeginsInTheNorthAndHasNoSpacing) {
  auto const raster = read("1 2 3 \n0 5.5 6\n\n");
  EXPECT_EQ(raster.nx, 3);
  EXPECT_EQ(raster.ny, 2);
  EXPECT_EQ(raster.dx, 0);
  EXPECT_EQ(raster.heights, (Heights{0, 5.5, 6, 1, 2, 3}));
  EXPECT_EQ(read("7").heights, Heights{7});
}

TEST_F(RasterFile, WhatIsWrongInATextIsNamed) {
  struct {
    std::string from, to, words;
  } const cases[] = {
      {"ncols 3", "columns 3", "is no raster of heights"},
      {"ncols 3", "DSAA 3", "is a grid of Surfer"},
      {"ncols 3", "II*\x04 3", "is a TIFF"},
      {"1 2 3", "1;2;3", "with blanks between them"},
      {"ncols 3", "ncols 0", ":1: ncols is 0"},
      {"ncols 3", "ncols 3.5", "ncols is 3.5"},
      {"ncols 3", "ncols 65537", "ncols is 65537"},
      {"nrows 2", "nrows -2", ":2: nrows is -2"},
      {"nrows 2\n", "", "lacks ncols, nrows"},
      {"cellsize 2.5", "cellsize 0", "positive cellsize"},
      {"cellsize 2.5", "cellsize two", ":5: cellsize is 'two'"},
      {"cellsize", "size", ":5: 'size' is no key"},
      {"1 2 3", "1 2,5 3", ":7: the height in row 0, column 1 is '2,5'"},
      {"1 2 3", "1 nano 3", "the height in row 0, column 1 is 'nano'"},
      {"1 2 3", "1 1e999 3", "the height in row 0, column 1 is '1e999'"},
      {"1 2 3", "1 -2 3", "row 0, column 1 is -2 (heights of buildings are 0 to 9000 m"},
      {"5.5", "10001", "row 1, column 1 is 10001"},
      {"NODATA_value -9999\n", "NODATA_value -1\n", "row 1, column 0 is -9999"},
      {"nrows 2", "nrows 2\nNCOLS 3", ":3: ncols stands in the header twice"},
      {"NODATA_value -9999", "Cellsize 3\nNODATA_value -9999", ":6: cellsize stands in the header twice"},
      {"NODATA_value -9999", "NODATA_value none", ":6: nodata_value is 'none'"},
      {"cellsize 2.5", "cellsize 0.00005", "5e-05 wide (in degrees, it seems"},
      {"cellsize 2.5", "dx 2.5\ndy 0.00005", "5e-05 wide (in degrees, it seems"},
      {"cellsize 2.5", "cellsize 1e30", "1e+30 m wide (0.01 to 10000 m are possible)"},
      {"6e0\n", "", "the file ends before the height in row 1, column 2"},
      {"6e0\n", "6 7", "something follows the last height"},
  };
  for (auto const& item : cases) {
    auto text = esri;
    auto const at = text.find(item.from);
    ASSERT_NE(at, std::string::npos) << item.from;
    auto const message = refusal(text.replace(at, item.from.size(), item.to));
    EXPECT_NE(message.find(item.words), std::string::npos) << item.to << ": " << message;
  }
  EXPECT_NE(refusal("1 2 3\n4 5\n").find(":2: the row has 2 heights (the first has 3)"), std::string::npos);
  EXPECT_NE(refusal("1 2 3\n4 5 x\n").find("the height in row 1, column 2 is 'x'"), std::string::npos);
  EXPECT_NE(refusal("1 -9999\n").find("row 0, column 1 is -9999"), std::string::npos);
  EXPECT_NE(refusal(" \n\t\n").find("is empty"), std::string::npos);
}

TEST_F(RasterFile, ThatIsNoFileIsRefused) {
  auto const missing = folder / "none.asc";
  EXPECT_NE(
      test::refusal_of<InputError>(missing, [&] { read_height_raster(missing, ""); }).find("cannot be read"),
      std::string::npos);
  EXPECT_NE(test::refusal_of<InputError>(folder.path(), [&] { read_height_raster(folder.path(), ""); })
                .find("a folder"),
            std::string::npos);
  auto const pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(test::refusal_of<InputError>(pipe, [&] { read_height_raster(pipe, ""); }).find("a pipe"),
            std::string::npos);
  // Only its first bytes are NetCDF's.
  auto const broken = folder.write("broken.nc", "CDF\x01 and then nothing");
  EXPECT_NE(message_of<InputError>([&] { read_height_raster(broken, "h"); }), "(nothing thrown)");
}

struct NetcdfRaster : RasterFile {
  struct Content {
    Heights x = {1, 3, 5}, y = {2, 6};
    std::string units = "m", axis_units = "m", first = "y", second = "x";
    Heights heights = {1, 2, 3, 4, -9999, 6};
    std::string standard_name = {};
  };
  std::filesystem::path write(Content const& content) const {
    test::NetcdfWriting file(folder / "a.nc");
    auto const rows = file.dimension(content.first.c_str(), content.y.size());
    auto const columns = file.dimension(content.second.c_str(), content.x.size());
    auto const y = file.variable(content.first.c_str(), NC_DOUBLE, {rows});
    auto const x = file.variable(content.second.c_str(), NC_DOUBLE, {columns});
    auto const h = file.variable("h", NC_FLOAT, {rows, columns});
    file.text(x, "units", content.axis_units);
    file.text(y, "units", content.axis_units);
    file.text(h, "units", content.units);
    if (!content.standard_name.empty()) file.text(h, "standard_name", content.standard_name);
    file.number(h, "_FillValue", NC_FLOAT, {-9999});
    file.values(x, content.x);
    file.values(y, content.y);
    file.values(h, content.heights);
    return folder / "a.nc";
  }
  std::string refusal_of(Content const& content, std::string const& variable = "h") const {
    auto const path = write(content);
    return test::refusal_of<InputError>(path, [&] { read_height_raster(path, variable); });
  }
};

TEST_F(NetcdfRaster, HasTheSouthFirstWhateverItsCoordinatesDo) {
  auto const upright = read_height_raster(write({}), "h");
  EXPECT_EQ(upright.nx, 3);
  EXPECT_EQ(upright.ny, 2);
  EXPECT_EQ(upright.dx, 2);
  EXPECT_EQ(upright.dy, 4);
  EXPECT_EQ(upright.heights, (Heights{1, 2, 3, 4, 0, 6}));
  auto const from_north = read_height_raster(write({.y = {6, 2}}), "h");
  EXPECT_EQ(from_north.dy, 4);
  EXPECT_EQ(from_north.heights, (Heights{4, 0, 6, 1, 2, 3}));
  auto const from_east = read_height_raster(write({.x = {5, 3, 1}}), "h");
  EXPECT_EQ(from_east.heights, (Heights{3, 2, 1, 6, 0, 4}));
  EXPECT_EQ(read_height_raster(write({.axis_units = "km"}), "h").dx, 2000);
}

TEST_F(NetcdfRaster, WhatIsWrongInItIsNamed) {
  EXPECT_NE(refusal_of({}, "g").find("no variable 'g' in the file"), std::string::npos);
  EXPECT_NE(refusal_of({}, "x").find("x has the shape 3, one dimension"), std::string::npos);
  EXPECT_NE(refusal_of({.units = "inches"}).find("h is in 'inches'"), std::string::npos);
  EXPECT_NE(refusal_of({.x = {1, 3, 6}}).find("x[1] is 3"), std::string::npos);
  EXPECT_NE(refusal_of({.y = {2, 2}}).find("y[1] = 2"), std::string::npos);
  EXPECT_NE(refusal_of({.axis_units = "degrees", .first = "lat", .second = "lon"}).find("in degrees"),
            std::string::npos);
  for (auto const* units : {"radian", "furlong", "pixels"}) {
    EXPECT_NE(refusal_of({.axis_units = units}).find("(a town is laid out in metres)"), std::string::npos);
  }
  EXPECT_NE(refusal_of({.heights = {1, 2, 3, 4, 5, 9999}}).find("row 1, column 2 is 9999"),
            std::string::npos);
  for (auto const* name : {"wind_speed", "time", "land_area_fraction", "tendency_of_surface_altitude"}) {
    EXPECT_NE(refusal_of({.standard_name = name}).find("h is no height (its standard_name is "),
              std::string::npos);
  }
  for (auto const* name : {"surface_altitude", "building_height", "height_above_mean_sea_level"}) {
    EXPECT_EQ(read_height_raster(write({.standard_name = name}), "h").nx, 3);
  }
  EXPECT_NE(refusal_of({.heights = {1, 2, 3, 4, 5, -1}}).find("row 1, column 2 is -1"), std::string::npos);
}

TEST_F(NetcdfRaster, HasRowsAlongYWhicheverComesFirst) {
  // Written column by column: three columns of two.
  Content const content{
      .x = {2, 6}, .y = {1, 3, 5}, .first = "x", .second = "y", .heights = {1, 4, 2, -9999, 3, 6}};
  auto const raster = read_height_raster(write(content), "h");
  EXPECT_EQ(raster.nx, 3);
  EXPECT_EQ(raster.ny, 2);
  EXPECT_EQ(raster.dx, 2);
  EXPECT_EQ(raster.dy, 4);
  EXPECT_EQ(raster.heights, (Heights{1, 2, 3, 4, 0, 6}));
}

TEST_F(NetcdfRaster, InAnyUnitOfLengthIsInMetres) {
  EXPECT_EQ(read_height_raster(write({.units = "cm"}), "h").heights,
            (Heights{0.01, 0.02, 0.03, 0.04, 0, 0.06}));
  EXPECT_EQ(read_height_raster(write({.units = ""}), "h").heights, (Heights{1, 2, 3, 4, 0, 6}));
}

TEST_F(NetcdfRaster, WhoseRowsNothingTellsIsRefused) {
  auto const path = folder / "b.nc";
  {
    test::NetcdfWriting file(path);
    auto const a = file.dimension("dim_0", 2), b = file.dimension("dim_1", 2);
    file.values(file.variable("h", NC_FLOAT, {a, b}), {1, 2, 3, 4});
  }
  auto const message = test::refusal_of<InputError>(path, [&] { read_height_raster(path, "h"); });
  EXPECT_NE(message.find("which are rows and columns"), std::string::npos) << message;
}

struct CaseRaster : RasterFile {
  HeightRaster read_case(std::string const& text) const {
    auto const case_file =
        io::CaseFile::parse("core = \"les\"\n[buildings]\n" + text, "c.toml", folder.path());
    return read_height_raster(keys_of(case_file));
  }
  std::string case_refusal(std::string const& text) const {
    return message_of<InputError>([&] { read_case(text); });
  }
};

TEST_F(CaseRaster, GetsItsSpacingFromTheFileOrTheCase) {
  folder.write("plain.txt", "1 2\n3 4\n");
  folder.write("esri.asc", esri);
  EXPECT_EQ(read_case("file = \"plain.txt\"\nspacing = 2.0").dy, 2);
  EXPECT_EQ(read_case("file = \"esri.asc\"").dx, 2.5);
  EXPECT_EQ(read_case("file = \"esri.asc\"\nspacing = 2.501").dx, 2.5);
  EXPECT_NE(case_refusal("file = \"esri.asc\"\nspacing = 2.51")
                .find("c.toml:4: buildings.spacing: is 2.51 (the file's own is 2.5"),
            std::string::npos);
  EXPECT_NE(case_refusal("file = \"plain.txt\"").find("buildings.spacing: is missing"), std::string::npos);
  EXPECT_NE(case_refusal("variable = \"h\"").find("buildings.file"), std::string::npos);
  folder.write("bad.asc", "1 2\n3\n");
  auto const message = case_refusal("file = \"bad.asc\"");
  EXPECT_TRUE(message.starts_with("c.toml:3: buildings.file: ")) << message;
  EXPECT_NE(message.find("bad.asc:2: the row has 1 heights"), std::string::npos);
}

std::vector<float> read_floats(std::filesystem::path const& path) {
  std::vector<float> values(std::filesystem::file_size(path) / sizeof(float));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

// PALM's static drivers of Berlin against what another program took from them (raw floats, y northward), with
// its own mean height and plan area fraction.
TEST(BerlinRaster, IsWhatAnotherProgramReads) {
  struct {
    char const *driver, *raw;
    double spacing, fraction, mean;
  } const rasters[] = {
      {"les/urban/berlin_tiergarten_root_15m_static.nc", "les/urban/berlin_tiergarten_15m_buildings_f32.raw",
       15, 0.3311371237458194, 19.368690490722656},
      {"les/urban/berlin_tiergarten_N02_3m_static.nc", "les/urban/berlin_tiergarten_3m_buildings_f32.raw", 3,
       0.2632471264367816, 24.759559631347656}};
  for (auto const& item : rasters) {
    auto const driver = test::reference_file(item.driver), raw = test::reference_file(item.raw);
    if (driver.empty() || raw.empty()) GTEST_SKIP() << "no ULPINE_TEST_DATA";
    auto const raster = read_height_raster(driver, "buildings_2d");
    EXPECT_EQ(raster.dx, item.spacing);
    EXPECT_EQ(raster.dy, item.spacing);
    auto const expected = read_floats(raw);
    ASSERT_EQ(raster.heights.size(), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), raster.heights.begin()));
    auto const built =
        std::count_if(raster.heights.begin(), raster.heights.end(), [](double h) { return h > 0; });
    EXPECT_DOUBLE_EQ(static_cast<double>(built) / static_cast<double>(raster.heights.size()), item.fraction);
    double sum = 0;
    for (auto const height : raster.heights) sum += height;
    EXPECT_NEAR(sum / static_cast<double>(built), item.mean, 1e-4);  // theirs is a mean of floats
  }
}

// The raw raster of the same place, in UTM metres, of which the driver is a cut-out 3 m finer: cell (0, 0) of
// the driver has its centre at E 389458, N 5819500.5, which is raster column 5, row 8.
TEST(BerlinRaster, OfTheMeasurementsHasTheDriversBuildings) {
  auto const measured = test::reference_file("les/urban/Berlin_building_height_3m_DLR.nc");
  auto const driver = test::reference_file("les/urban/berlin_tiergarten_N02_3m_static.nc");
  if (measured.empty() || driver.empty()) GTEST_SKIP() << "no ULPINE_TEST_DATA";
  auto const all = read_height_raster(measured, "Band1"), part = read_height_raster(driver, "buildings_2d");
  EXPECT_EQ(all.nx, 301);
  EXPECT_EQ(all.ny, 251);
  EXPECT_NEAR(all.dx, 3, 1e-9);
  std::int64_t same = 0, cells = 0;
  for (std::int64_t j = 0; j < part.ny; ++j) {
    for (std::int64_t i = 0; i < part.nx; ++i, ++cells) {
      auto const a = part.heights[std::size_t(j * part.nx + i)];
      auto const b = all.heights[std::size_t((j + 8) * all.nx + i + 5)];
      same += a == b ? 1 : 0;
    }
  }
  // palm_csd drops buildings where other data say there is none.
  EXPECT_GT(static_cast<double>(same), 0.95 * static_cast<double>(cells));
}

TEST(PalmTopography, IsTheCubeInTheMiddle) {
  auto const path = test::reference_file("les/urban/palm_topo_ascii_40x40.txt");
  if (path.empty()) GTEST_SKIP() << "no ULPINE_TEST_DATA";
  auto const raster = read_height_raster(path, "");
  EXPECT_EQ(raster.nx, 40);
  EXPECT_EQ(raster.ny, 40);
  for (std::int64_t j = 0; j < 40; ++j) {
    for (std::int64_t i = 0; i < 40; ++i) {
      bool const built = j >= 10 && j < 30 && i >= 10 && i < 30;
      EXPECT_EQ(raster.heights[std::size_t(j * 40 + i)], built ? 40 : 0) << j << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace ulpine::les
