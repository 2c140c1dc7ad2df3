// SPDX-License-Identifier: Apache-2.0
// Initial ice from a file: it lands where it belongs, and what makes no sense is refused.
#include <gtest/gtest.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/field/operations.hpp"
#include "core/seaice/case_setup.hpp"
#include "core/seaice/register.hpp"
#include "io/error.hpp"
#include "seaice/offered_values.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using test::message_of, test::offered, test::Words;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Variable {
  std::vector<std::pair<std::string, std::size_t>> dimensions;
  std::vector<double> values;
  std::map<std::string, std::string> attributes = {};
};
using Contents = std::map<std::string, Variable>;

/// Six values for 2 rows of 3 cells, no two alike, so that a swapped, shifted or turned one shows.
std::vector<std::pair<std::string, std::size_t>> const rows_of_three = {{"y", 2}, {"x", 3}};
Contents sound_file() {
  return {{"mask", {rows_of_three, {1, 1, 1, 1, 0, 1}}},
          {"hice", {rows_of_three, {0.5, 1.25, 2, 3, nan, 0}, {{"units", "m"}}}},
          {"cice", {rows_of_three, {0.125, 0.25, 0.375, 0.5, nan, 0}, {{"units", "1"}}}},
          {"longitude", {rows_of_three, {-10, -5, 0, 5, 10, 15}, {{"units", "degrees_east"}}}},
          {"latitude", {rows_of_three, {70, 71, 72, 73, 74, 75}, {{"units", "degrees_north"}}}}};
}

void write_netcdf(std::filesystem::path const& path, Contents const& contents) {
  auto const check = [](int status) { ASSERT_EQ(status, NC_NOERR) << nc_strerror(status); };
  int file = -1, group = -1;
  check(nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &file));
  check(nc_def_grp(file, "data", &group));
  std::map<std::string, int> dimensions, ids;
  for (auto const& [name, variable] : contents) {
    std::vector<int> axes;
    for (auto const& [dimension, length] : variable.dimensions) {
      auto const key = dimension + std::to_string(length);  // two lengths of one name in two variables
      if (!dimensions.contains(key)) {
        auto const own = std::ranges::any_of(
            dimensions, [&](auto const& known) { return known.first.starts_with(dimension); });
        check(nc_def_dim(group, (own ? key : dimension).c_str(), length, &dimensions[key]));
      }
      axes.push_back(dimensions[key]);
    }
    check(nc_def_var(group, name.c_str(), NC_DOUBLE, static_cast<int>(axes.size()), axes.data(), &ids[name]));
    for (auto const& [attribute, text] : variable.attributes) {
      check(nc_put_att_text(group, ids[name], attribute.c_str(), text.size(), text.data()));
    }
  }
  check(nc_enddef(file));
  for (auto const& [name, variable] : contents)
    check(nc_put_var_double(group, ids[name], variable.values.data()));
  check(nc_close(file));
}

struct InitialIce : testing::Test {
  test::TemporaryFolder folder;

  InitialIce() { seaice::register_core(); }

  std::unique_ptr<Model> model(Contents const& contents, Words overrides = {}) const {
    write_netcdf(folder / "ice.nc", contents);
    test::write_file(folder / "ice.toml",
                     "core = \"seaice\"\n[grid]\nnx = 3\nny = 2\n[initial]\nsource = \"file\"\nfile = "
                     "\"ice.nc\"\n");
    return make_model(io::CaseFile::load(folder / "ice.toml", overrides), {});
  }
  std::vector<double> field(Contents const& contents, char const* name, Words overrides = {}) const {
    std::vector<double> values(6);
    model(contents, std::move(overrides))->read(name, values);
    return values;
  }
  std::string refusal(Contents const& contents, Words overrides = {}) const {
    auto const message = message_of<InputError>([&] { model(contents, std::move(overrides)); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
};

TEST_F(InitialIce, LandsAtItsCells) {
  for (auto const* dg : {"discretisation.dg=1", "discretisation.dg=3", "discretisation.dg=6"}) {
    EXPECT_EQ(field(sound_file(), "mask", {dg}), (std::vector<double>{1, 1, 1, 1, 0, 1}));
    EXPECT_EQ(field(sound_file(), "sivol", {dg}), (std::vector<double>{0.5, 1.25, 2, 3, missing_value, 0}));
    EXPECT_EQ(field(sound_file(), "siconc", {dg}),
              (std::vector<double>{0.125, 0.25, 0.375, 0.5, missing_value, 0}));
    EXPECT_EQ(field(sound_file(), "lon", {dg}), (std::vector<double>{-10, -5, 0, 5, 10, 15}));
    EXPECT_EQ(field(sound_file(), "lat", {dg}), (std::vector<double>{70, 71, 72, 73, 74, 75}));
  }
}

TEST_F(InitialIce, OfHigherModesIsZero) {
  write_netcdf(folder / "ice.nc", sound_file());
  auto const setup = seaice::read_case(io::CaseFile::parse(
      "core = \"seaice\"\n[grid]\nnx = 3\nny = 2\n[initial]\nsource = \"file\"\nfile = \"ice.nc\"\n",
      "a.toml", folder / "."));
  ASSERT_EQ(setup.height.size(), 18u);
  EXPECT_EQ(std::vector<double>(setup.height.begin() + 6, setup.height.end()), std::vector<double>(12, 0));
  EXPECT_EQ(std::vector<double>(setup.concentration.begin() + 6, setup.concentration.end()),
            std::vector<double>(12, 0));
}

TEST_F(InitialIce, InPerCentIsRead) {
  auto contents = sound_file();
  contents["cice"] = {rows_of_three, {12.5, 25, 37.5, 50, nan, 100}, {{"units", "%"}}};
  EXPECT_EQ(field(contents, "siconc"), (std::vector<double>{0.125, 0.25, 0.375, 0.5, missing_value, 1}));
}

TEST_F(InitialIce, OfALandMaskByStandardNameIsTurnedRound) {
  auto contents = sound_file();
  contents["mask"] = {rows_of_three, {0, 0, 0, 0, 1, 0}, {{"standard_name", "land_binary_mask"}}};
  EXPECT_EQ(field(contents, "mask"), (std::vector<double>{1, 1, 1, 1, 0, 1}));
  contents["mask"] = {rows_of_three, {1, 1, 1, 1, nan, 1}};
  EXPECT_EQ(field(contents, "mask"), (std::vector<double>{1, 1, 1, 1, 0, 1})) << "missing is land";
}

TEST_F(InitialIce, OfAMaskOfFlagsIsWhatTheyMean) {
  auto contents = sound_file();
  struct {
    char const *values, *meanings;
    std::vector<double> mask;
  } const masks[] = {
      {"0, 1", "sea land", {0, 0, 0, 0, 1, 0}},         {"0b, 1b", "Ocean LAND", {0, 0, 0, 0, 1, nan}},
      {"0 1", "land sea", {1, 1, 1, 1, 0, 1}},          {"1 2 3", "land water sea_ice", {3, 2, 2, 3, 1, 2}},
      {"1 2 9", "land water lake", {2, 2, 2, 2, 1, 2}},
  };
  for (auto const& one : masks) {
    contents["mask"] = {
        rows_of_three, one.mask, {{"flag_values", one.values}, {"flag_meanings", one.meanings}}};
    if (std::isnan(one.mask[5])) {
      EXPECT_EQ(field(contents, "mask"), (std::vector<double>{1, 1, 1, 1, 0, 0})) << one.meanings;
    } else {
      EXPECT_EQ(field(contents, "mask"), (std::vector<double>{1, 1, 1, 1, 0, 1})) << one.meanings;
    }
  }
  contents["mask"].values[2] = 9;
  EXPECT_NE(refusal(contents).find("data/mask is 9 at cell (0, 2), of which no flag"), std::string::npos);
  contents["mask"].attributes["flag_values"] = "1 2";
  EXPECT_NE(refusal(contents).find("2 flag_values and 3 flag_meanings"), std::string::npos);
}

TEST_F(InitialIce, OfAnAreaOfSeaOrLandIsSeaWhereMostIs) {
  auto contents = sound_file();
  contents["mask"] = {
      rows_of_three, {100, 80, 51, 60, 49, 100}, {{"standard_name", "sea_area_fraction"}, {"units", "%"}}};
  EXPECT_EQ(field(contents, "mask"), (std::vector<double>{1, 1, 1, 1, 0, 1}));
  contents["mask"] = {rows_of_three, {0, 0.2, 0.49, 0.4, 0.51, 0}, {{"standard_name", "land_area_fraction"}}};
  EXPECT_EQ(field(contents, "mask"), (std::vector<double>{1, 1, 1, 1, 0, 1}));
}

TEST_F(InitialIce, IsReadInWhicheverOrderItIsStored) {
  auto const expected = field(sound_file(), "sivol");
  std::vector<std::pair<std::string, std::size_t>> const columns_of_two = {{"x", 3}, {"y", 2}};
  auto contents = sound_file();
  for (auto& [name, variable] : contents) {
    auto const& v = variable.values;
    variable = {columns_of_two, {v[0], v[3], v[1], v[4], v[2], v[5]}, variable.attributes};
  }
  EXPECT_EQ(field(contents, "sivol"), expected);
  EXPECT_EQ(field(contents, "mask"), (std::vector<double>{1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(field(contents, "lon"), (std::vector<double>{-10, -5, 0, 5, 10, 15}));
  // From the north, as its coordinate says.
  contents = sound_file();
  for (auto& [name, variable] : contents)
    std::rotate(variable.values.begin(), variable.values.begin() + 3, variable.values.end());
  contents["y"] = {{{"y", 2}}, {20, 10}, {{"units", "km"}}};
  EXPECT_EQ(field(contents, "sivol"), expected);
  // With dimensions of one place, and with the coefficients of neXtSIM-DG, of which the first is the mean.
  contents = sound_file();
  contents["hice"].dimensions = {{"zdim", 1}, {"y", 2}, {"x", 3}};
  auto& cover = contents["cice"];
  cover.dimensions = {{"y", 2}, {"x", 3}, {"dg_comp", 3}};
  auto const means = std::exchange(cover.values, {});
  for (auto const mean : means) cover.values.insert(cover.values.end(), {mean, 7, 8});
  EXPECT_EQ(field(contents, "sivol"), expected);
  EXPECT_EQ(field(contents, "siconc"), (std::vector<double>{0.125, 0.25, 0.375, 0.5, missing_value, 0}));
}

TEST_F(InitialIce, ThatIsTheMeanOverIceIsMultipliedByItsShare) {
  std::vector<double> const of_cells = {0.5, 1.25, 2, 3, missing_value, 0},
                            of_ice = {0.0625, 0.3125, 0.75, 1.5, missing_value, 0};
  struct {
    char const *name, *standard_name, *cell_methods, *key;
    bool over_ice;
  } const thicknesses[] = {
      {"hice", "", "", "", false},
      {"hice", "sea_ice_thickness", "", "", false},
      {"h", "", "", "", false},
      {"h", "sea_ice_thickness", "area: mean", "", false},
      {"h", "sea_ice_thickness", "area: time: mean where sea_ice (comment: mask=siconc)", "", true},
      {"h", "sea_ice_thickness", "Area: mean where Sea_Ice", "", true},
      {"h", "sea_ice_thickness", "area: mean where ice", "", true},
      {"h", "sea_ice_thickness", "area: mean where SeaIce over seaice", "", true},
      {"sithick", "sea_ice_thickness", "area: mean where sea_ice over all_area_types", "", false},
      {"h", "sea_ice_thickness", "area: mean where vegetation", "ice", true},
      {"h", "sea_ice_thickness", "area: mean where sea time: mean", "", false},
      {"h", "sea_ice_thickness", "area: mean where sea_ice over sea", "", false},
      {"h", "sea_ice_thickness", "time: mean", "ice", true},
      {"sithick", "sea_ice_thickness", "", "", true},
      {"sithick", "sea_ice_thickness", "area: mean where sea_ice", "cell", false},
      {"sithic", "", "", "", true},
      {"sivol", "sea_ice_thickness", "area: mean where sea time: mean", "", false},
      {"sivol", "sea_ice_thickness", "", "", false},
      {"sivol", "sea_ice_thickness", "", "ice", true},
  };
  for (auto const& one : thicknesses) {
    auto contents = sound_file();
    auto height = contents.extract("hice");
    height.key() = one.name;
    if (*one.standard_name) height.mapped().attributes["standard_name"] = one.standard_name;
    if (*one.cell_methods) height.mapped().attributes["cell_methods"] = one.cell_methods;
    contents.insert(std::move(height));
    Words keys = {"initial.height_variable=data/" + std::string(one.name)};
    if (*one.key) keys.push_back("initial.height_mean=" + std::string(one.key));
    EXPECT_EQ(field(contents, "sivol", keys), one.over_ice ? of_ice : of_cells)
        << one.name << " " << one.cell_methods << " " << one.key;
  }
}

TEST_F(InitialIce, ThatIsMissingIsWhatTheCaseSays) {
  auto contents = sound_file();
  contents.erase("mask");
  Words const own = {"initial.mask=\"\""};
  EXPECT_NE(refusal(contents, own).find("initial.missing"), std::string::npos);
  EXPECT_EQ(field(contents, "sivol", {own[0], "initial.missing=land"}),
            (std::vector<double>{0.5, 1.25, 2, 3, missing_value, 0}));
  EXPECT_EQ(field(contents, "mask", {own[0], "initial.missing=land"}),
            (std::vector<double>{1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(field(contents, "sivol", {own[0], "initial.missing=water"}),
            (std::vector<double>{0.5, 1.25, 2, 3, 0, 0}));
  EXPECT_EQ(field(contents, "mask", {own[0], "initial.missing=water"}), (std::vector<double>(6, 1)));
  // No ice has no thickness; some ice has one.
  contents["hice"].values[5] = nan;
  EXPECT_EQ(field(contents, "sivol", {own[0], "initial.missing=land"}),
            (std::vector<double>{0.5, 1.25, 2, 3, missing_value, 0}));
  contents["hice"].values[0] = nan;
  EXPECT_NE(refusal(contents, {own[0], "initial.missing=land"}).find("data/hice has no value at cell (0, 0)"),
            std::string::npos);
  EXPECT_EQ(field(contents, "siconc", {own[0], "initial.missing=water"}),
            (std::vector<double>{0, 0.25, 0.375, 0.5, 0, 0}));
  contents["cice"].values[1] = nan;
  EXPECT_EQ(field(contents, "sivol", {own[0], "initial.missing=water"}),
            (std::vector<double>{0, 0, 2, 3, 0, 0}));
  contents["cice"].values.assign(6, nan);
  EXPECT_NE(refusal(contents, {own[0], "initial.missing=land"}).find("leaves no sea"), std::string::npos);
}

TEST_F(InitialIce, IsOfTheVariablesThatTheCaseNames) {
  auto contents = sound_file();
  contents["cover"] = contents["cice"];
  contents["cice"].values.assign(6, 0.75);
  EXPECT_EQ(field(contents, "siconc", {"initial.concentration_variable=data/cover"}),
            (std::vector<double>{0.125, 0.25, 0.375, 0.5, missing_value, 0}));
}

TEST_F(InitialIce, JustBeyondItsRangeIsRounded) {
  auto contents = sound_file();
  contents["cice"].values = {1.0000001, -1e-9, 0.375, 0.5, nan, 0};
  contents["hice"].values[1] = -1e-7;
  contents["hice"].attributes["units"] = "cm";
  EXPECT_EQ(field(contents, "siconc"), (std::vector<double>{1, 0, 0.375, 0.5, missing_value, 0}));
  EXPECT_EQ(field(contents, "sivol"), (std::vector<double>{0.005, 0, 0.02, 0.03, missing_value, 0}));
}

TEST_F(InitialIce, OfSeveralTimesIsReadWhereTheCaseSays) {
  auto contents = sound_file();
  contents["hice"] = {{{"time", 2}, {"y", 2}, {"x", 3}}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  auto const message = refusal(contents);
  EXPECT_NE(message.find("data/hice has 2 times"), std::string::npos) << message;
  EXPECT_NE(message.find("set initial.time"), std::string::npos) << message;
  EXPECT_EQ(field(contents, "sivol", {"initial.time=0"}),
            (std::vector<double>{1, 2, 3, 4, missing_value, 6}));
  EXPECT_EQ(field(contents, "sivol", {"initial.time=1"}),
            (std::vector<double>{7, 8, 9, 10, missing_value, 12}));
  EXPECT_EQ(field(contents, "sivol", {"initial.time=-1"}),
            (std::vector<double>{7, 8, 9, 10, missing_value, 12}));
  for (auto const* out : {"2", "-3", "4294967296", "9223372036854775807"}) {
    auto const said = refusal(contents, {std::string("initial.time=") + out});
    EXPECT_NE(said.find("initial.time: out of range (it is " + std::string(out)), std::string::npos) << said;
    EXPECT_EQ(offered(said), (Words{"-2", "1"})) << said;
  }
  EXPECT_EQ(field(contents, "sivol", {"initial.time=-2"}),
            (std::vector<double>{1, 2, 3, 4, missing_value, 6}));
  // A single time needs no word.
  contents["hice"] = {{{"time", 1}, {"y", 2}, {"x", 3}}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(field(contents, "sivol"), (std::vector<double>{1, 2, 3, 4, missing_value, 6}));
}

TEST_F(InitialIce, OfAnotherShapeIsRefusedForEveryVariable) {
  struct {
    std::vector<std::pair<std::string, std::size_t>> dimensions;
    char const* said;
  } const shapes[] = {{{{"y", 1}, {"x", 6}}, "1 rows (y"},
                      {{{"y", 6}, {"x", 1}}, "6 rows (y"},
                      {{{"y", 3}, {"x", 3}}, "3 rows (y"},
                      {{{"cell", 6}}, "the shape 6, one dimension"},
                      {{{"y", 2}, {"x", 4}}, "(the mesh has 2 rows of 3 cells) give a file"},
                      {{{"y", 7}, {"x", 11}}, "7 rows (y"},
                      {{{"y", 2}, {"x", 3}, {"mode", 2}}, "2 places along mode besides y and x"},
                      {{}, "one value"},
                      {{{"x", 2}, {"y", 3}}, "3 rows (y"},
                      {{{"lon", 2}, {"lat", 3}}, "3 rows (lat"}};
  for (auto const* name : {"mask", "hice", "cice", "longitude", "latitude"}) {
    for (auto const& shape : shapes) {
      auto contents = sound_file();
      std::size_t size = 1;
      for (auto const& [dimension, length] : shape.dimensions) size *= length;
      contents[name].dimensions = shape.dimensions;
      contents[name].values.assign(size, 1);
      auto const message = refusal(contents);
      EXPECT_NE(message.find(std::string("data/") + name + " has "), std::string::npos) << message;
      EXPECT_NE(message.find(shape.said), std::string::npos) << message;
    }
  }
}

TEST_F(InitialIce, ThatMakesNoSenseIsRefused) {
  struct {
    char const* what;
    std::function<void(Contents&)> spoil;
    Words overrides, said;
  } const faults[] = {
      {"missing in the sea",
       [](Contents& c) { c["hice"].values[2] = nan; },
       {},
       {"initial.height_variable", "data/hice has no value at cell (0, 2)", "is sea"}},
      {"missing in the sea",
       [](Contents& c) { c["cice"].values[1] = nan; },
       {},
       {"initial.concentration_variable", "data/cice has no value at cell (0, 1)"}},
      {"infinite",
       [](Contents& c) { c["hice"].values[3] = HUGE_VAL; },
       {},
       {"data/hice is inf at cell (1, 0)"}},
      {"huge",
       [](Contents& c) { c["hice"].values[3] = 1e300; },
       {},
       {"is 1e+300 at cell (1, 0)", "between 0 and 100"}},
      {"negative", [](Contents& c) { c["hice"].values[0] = -0.5; }, {}, {"is -0.5 at cell (0, 0)"}},
      {"per cent without a word",
       [](Contents& c) { c["cice"].values[0] = 97; },
       {},
       {"data/cice is 97 at cell (0, 0)", "units = \"%\""}},
      {"swapped",
       [](Contents& c) { std::swap(c["hice"].values, c["cice"].values); },
       {},
       {"initial.concentration_variable", "is 1.25 at cell (0, 1)", "swap initial.height_variable"}},
      {"swapped, by unit",
       [](Contents& c) { std::swap(c["hice"], c["cice"]); },
       {},
       {"initial.height_variable", "data/hice is in '1'", "read in m"}},
      {"swapped, by standard name",
       [](Contents& c) {
         c["hice"].attributes = {{"standard_name", "sea_ice_area_fraction"}};
       },
       {},
       {"data/hice is no ice thickness", "sea_ice_area_fraction"}},
      {"one variable for both",
       [](Contents&) {},
       {"initial.height_variable=data/cice"},
       {"initial.concentration_variable", "is the thickness too"}},
      {"inches",
       [](Contents& c) { c["hice"].attributes["units"] = "inch"; },
       {},
       {"data/hice is in 'inch'", "read in m, "}},
      {"missing in the sea at several cells",
       [](Contents& c) { c["hice"].values[1] = c["hice"].values[2] = c["hice"].values[3] = nan; },
       {},
       {"data/hice has no value at cell (0, 1), which is sea, nor at 2 more", "initial.missing"}},
      {"beyond what rounding leaves",
       [](Contents& c) { c["cice"].values[3] = 1.00002; },
       {},
       {"data/cice is 1.00002 at cell (1, 0)"}},
      {"fractions in per cent",
       [](Contents& c) {
         c["cice"].values[5] = 0.97;
         c["cice"].attributes["units"] = "%";
       },
       {},
       {"initial.concentration_variable", "data/cice is in '%' and 0.97 at most", "units = \"1\""}},
      {"small fractions in per cent",
       [](Contents& c) { c["cice"].attributes["units"] = "%"; },
       {},
       {"initial.concentration_variable", "data/cice is in '%' and 0.5 at most", "units = \"1\""}},
      {"the mean over an unknown area",
       [](Contents& c) { c["hice"].attributes["cell_methods"] = "area: mean where vegetation"; },
       {},
       {"initial.height_variable", "is the mean where vegetation", "initial.height_mean"}},
      {"ice as a mask",
       [](Contents&) {},
       {"initial.mask=data/cice"},
       {"initial.mask", "data/cice is 0.125 at cell (0, 0)", "1 on sea and 0 on land"}},
      {"a thickness that does not say of what",
       [](Contents& c) {
         c["thickness"] = c["hice"];
         c["thickness"].attributes["standard_name"] = "sea_ice_thickness";
       },
       {"initial.height_variable=data/thickness"},
       {"initial.height_variable", "does not say what it is the mean over", "initial.height_mean"}},
      {"no rows that are known, square",
       [](Contents& c) {
         c["hice"].dimensions = {{"a", 2}, {"b", 2}};
         c["hice"].values = {1, 2, 3, 4};
       },
       {},
       {"data/hice has the dimensions a, b", "which are rows and columns"}},
      {"kilograms",
       [](Contents& c) { c["cice"].attributes["units"] = "kg m-2"; },
       {},
       {"data/cice is in 'kg m-2'", "1, %"}},
      {"gon",
       [](Contents& c) { c["latitude"].attributes["units"] = "gon"; },
       {},
       {"in 'gon'", "degrees_north"}},
      {"a thickness of snow",
       [](Contents& c) { c["hice"].attributes["standard_name"] = "surface_snow_thickness"; },
       {},
       {"initial.height_variable", "data/hice is no ice thickness", "surface_snow_thickness"}},
      {"a cover of snow",
       [](Contents& c) { c["cice"].attributes["standard_name"] = "surface_snow_area_fraction"; },
       {},
       {"initial.concentration_variable", "data/cice is no ice concentration"}},
      {"degrees out of range",
       [](Contents& c) { c["latitude"].values[2] = 91; },
       {},
       {"data/latitude is 91 at cell (0, 2)"}},
      {"longitude and latitude swapped",
       [](Contents& c) { std::swap(c["latitude"], c["longitude"]); },
       {},
       {"initial.longitude_variable", "degrees_north"}},
      {"a mask of twos",
       [](Contents& c) { c["mask"].values[2] = 2; },
       {},
       {"initial.mask", "data/mask is 2 at cell (0, 2)"}},
      {"all ice on land",
       [](Contents& c) { c["mask"].values = {0, 0, 0, 0, 0, 1}; },
       {},
       {"initial.mask", "leaves no ice in the sea", "land_binary_mask"}},
      {"a land mask by its long name",
       [](Contents& c) { c["mask"].attributes["long_name"] = "land mask"; },
       {},
       {"initial.mask", "is called a land mask", "land_binary_mask"}},
      {"all land", [](Contents& c) { c["mask"].values.assign(6, 0); }, {}, {"initial.mask", "leaves no sea"}},
      {"all missing",
       [](Contents& c) { c["mask"].values.assign(6, nan); },
       {},
       {"initial.mask", "leaves no sea"}},
      {"no latitude",
       [](Contents& c) { c.erase("latitude"); },
       {},
       {"initial.latitude_variable", "no latitude for the longitude in data/longitude",
        "initial.longitude_variable = \"\""}},
      {"no longitude",
       [](Contents& c) { c.erase("longitude"); },
       {},
       {"initial.longitude_variable", "no longitude for the latitude in data/latitude"}},
      {"longitude given up alone",
       [](Contents&) {},
       {"initial.longitude_variable="
        "\"\""},
       {"no longitude for the latitude"}},
      {"a longitude that is not there",
       [](Contents&) {},
       {"initial.longitude_variable=data/lon"},
       {"initial.longitude_variable", "no variable 'data/lon'", "data/longitude"}},
      {"no thickness",
       [](Contents& c) { c.erase("hice"); },
       {},
       {"initial.height_variable", "no variable 'data/hice'", "did you mean 'data/cice'"}},
      {"no mask",
       [](Contents& c) { c.erase("mask"); },
       {},
       {"initial.mask", "no variable 'data/mask'", "initial.mask = \"\" take the mesh's own"}},
  };
  for (auto const& fault : faults) {
    auto contents = sound_file();
    fault.spoil(contents);
    auto const message = refusal(contents, fault.overrides);
    for (auto const& word : fault.said) {
      EXPECT_NE(message.find(word), std::string::npos) << fault.what << ": " << message;
    }
  }
}

TEST_F(InitialIce, WithoutPlacesOrMaskIsRead) {
  auto contents = sound_file();
  contents.erase("longitude");
  contents.erase("latitude");
  auto const statics = model(contents)->static_fields();
  EXPECT_TRUE(std::ranges::none_of(
      statics, [](auto const& info) { return info.name == "lon" || info.name == "lat"; }));
  EXPECT_EQ(model(sound_file(), {"initial.longitude_variable=\"\"", "initial.latitude_variable=\"\""})
                ->static_fields()
                .size(),
            statics.size());
  contents["hice"].values[4] = 6;
  contents["cice"].values[4] = 1;
  EXPECT_EQ(field(contents, "sivol", {"initial.mask=\"\""}), (std::vector<double>{0.5, 1.25, 2, 3, 6, 0}));
}

TEST_F(InitialIce, OfTheFaultsFolderIsRefused) {
  auto const* data = std::getenv("ULPINE_TEST_DATA");
  auto const faults = std::filesystem::path(data == nullptr ? "" : data) / "faults";
  if (!std::filesystem::exists(faults / "lon65.nc")) GTEST_SKIP() << "no faulty data (ULPINE_TEST_DATA)";
  struct {
    char const *name, *said;
  } const files[] = {{"lonlong.nc", "data/longitude has the shape 100000, one dimension"},
                     {"lon65.nc", "data/longitude has the shape 65, one dimension"},
                     {"lononly.nc", "no latitude for"},
                     {"shape416.nc", "the mesh has 8 rows of 8"}};
  for (auto const& file : files) {
    auto const case_file = io::CaseFile::parse(
        "core = \"seaice\"\n[grid]\nnx = 8\nny = 8\n[initial]\nsource = \"file\"\nfile = \"" +
            (faults / file.name).string() + "\"\n",
        "a.toml");
    auto const message = message_of<InputError>([&] { make_model(case_file, {}); });
    EXPECT_NE(message.find(file.said), std::string::npos) << file.name << ": " << message;
  }
}

}  // namespace
}  // namespace ulpine
