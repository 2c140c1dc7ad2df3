// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/compare.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/error.hpp"
#include "support/netcdf_writing.hpp"
#include "support/random_values.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::verification {
namespace {

using ulpine::test::message_of;
using ulpine::test::TemporaryFolder;
using Field = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

io::FieldInfo field(std::string const& name, std::string const& units,
                    std::string const& standard_name = "") {
  return {name, standard_name, name, units, {"y", "x"}, {2, 3}, "", ""};
}

/// A file of 2 x 3 fields: name -> a value list per time.
struct Content {
  std::vector<double> times;
  std::vector<std::pair<io::FieldInfo, std::vector<Field>>> fields;
  std::optional<Field> area;
  std::string epoch = "2000-01-01 00:00:00";
};

io::InputFile written(TemporaryFolder const& folder, std::string const& name, Content const& content) {
  std::vector<io::FieldInfo> infos, statics;
  for (auto const& [info, values] : content.fields) {
    infos.push_back(info);
  }
  if (content.area) {
    statics.push_back(field("cell_area", "m2", "cell_area"));
  }
  io::OutputFile file(folder / name, "test", {}, infos, statics, io::build_provenance(), "", {},
                      content.epoch);
  if (content.area) {
    file.write_static("cell_area", io::slabs_of(*content.area));
  }
  for (std::size_t t = 0; t < content.times.size(); ++t) {
    file.begin_time(content.times[t]);
    for (auto const& [info, values] : content.fields) {
      file.write(info.name, io::slabs_of(values[t]));
    }
    file.finish_time();
  }
  file.close();
  return io::InputFile(folder / name);
}

VariableComparison const& of(Comparison const& comparison, std::string const& name) {
  for (auto const& variable : comparison.variables) {
    if (variable.name == name) {
      return variable;
    }
  }
  throw std::runtime_error("no " + name);
}

Field seconds(VariableComparison const& variable) {
  Field times;
  for (auto const& time : variable.times) times.push_back(time.time_s);
  return times;
}

Field const base = {1, 2, 3, 4, 5, 6}, other = {1, 2, 3, 4, 5, 7};

TEST(Compare, GivesMetricsPerVariableAndCommonTime) {
  TemporaryFolder folder;
  auto const reference =
      written(folder, "y.nc", {{0, 3600, 7200}, {{field("sivol", "m"), {base, base, base}}}, {}});
  auto const test =
      written(folder, "x.nc", {{0, 7200, 10800}, {{field("sivol", "m"), {base, other, base}}}, {}});
  auto const last = compare(reference, test);
  ASSERT_EQ(of(last, "sivol").times.size(), 1u);
  EXPECT_EQ(seconds(of(last, "sivol")), std::vector<double>{7200});
  EXPECT_EQ(of(last, "sivol").times[0].metrics["linf"].number(), 1);
  EXPECT_EQ(of(last, "sivol").units, "m");
  EXPECT_EQ(last.equal(), Equality::no);
  EXPECT_TRUE(last.usable());
  ASSERT_EQ(last.notes.size(), 1u);
  EXPECT_NE(last.notes[0].find("2 times in common of 3"), std::string::npos);

  auto const all = compare(reference, test, {"sivol"}, Times::all);
  EXPECT_EQ(seconds(of(all, "sivol")), (std::vector<double>{0, 7200}));
  EXPECT_TRUE(of(all, "sivol").times[0].metrics.equal());
  EXPECT_EQ(compare(reference, reference, {}, Times::all).equal(), Equality::yes);
}

TEST(Compare, MatchesDatesWhereBothFilesHaveThem) {
  TemporaryFolder folder;
  auto const reference =
      written(folder, "y.nc", {{0, 3600, 7200}, {{field("h", "m"), {base, base, other}}}, {}});
  // The same run from its second hour on, and one of another year.
  auto const later =
      written(folder, "x.nc", {{0, 3600}, {{field("h", "m"), {base, other}}}, {}, "2000-01-01 01:00:00"});
  EXPECT_EQ(seconds(of(compare(reference, later, {}, Times::all), "h")), (std::vector<double>{3600, 7200}));
  EXPECT_EQ(of(compare(reference, later, {}, Times::all), "h").differing, 0);
  auto const year =
      written(folder, "z.nc", {{0, 3600}, {{field("h", "m"), {base, base}}}, {}, "2010-01-01 00:00:00"});
  auto const shifted = compare(reference, year, {}, Times::all);
  EXPECT_EQ(seconds(of(shifted, "h")), (std::vector<double>{0, 3600}));
  EXPECT_NE(shifted.notes.at(0).find("no date in common"), std::string::npos);
}

TEST(Compare, WeightsByCellArea) {
  TemporaryFolder folder;
  Field const area = {1, 1, 1, 1, 1, 5};
  Content content{{0}, {{field("h", "m"), {base}}}, area};
  auto const reference = written(folder, "y.nc", content);
  content.fields[0].second = {other};
  auto const test = written(folder, "x.nc", content);
  auto const h = of(compare(reference, test, {"h"}), "h");
  EXPECT_EQ(h.weights, "cell_area");
  EXPECT_DOUBLE_EQ(h.times[0].metrics["mae"].number(), 0.5);
  auto const json =
      nlohmann::json::parse(to_json(compare(reference, test, {"h", "cell_area"}), Times::worst));
  EXPECT_EQ(json["variables"]["h"]["weights"], "cell_area");
  auto const text = to_text(compare(reference, test, {"h"}));
  EXPECT_NE(text.find("weights\nh"), std::string::npos) << text;
  EXPECT_NE(text.find("cell_area\n"), std::string::npos) << text;
  content.area.reset();
  auto const bare = written(folder, "z.nc", content);
  auto const unweighted = compare(bare, test, {"h"});
  EXPECT_TRUE(
      nlohmann::json::parse(to_json(unweighted, Times::worst))["variables"]["h"]["weights"].is_null());
  EXPECT_DOUBLE_EQ(of(unweighted, "h").times[0].metrics["mae"].number(), 0);
}

TEST(Compare, WeightsFieldsOfMoreDimensionsByTheAreasOfTheirCells) {
  TemporaryFolder folder;
  Field const area = {1, 2, 3, 4, 5, 6};
  auto modes = field("m", "1"), levels = field("l", "1");
  modes.dimensions = {"y", "x", "mode"};
  modes.shape = {2, 3, 2};
  levels.dimensions = {"z", "y", "x"};
  levels.shape = {2, 2, 3};
  Field const zero(12, 0.0);
  Field error = zero;
  error[5] = 42;  // the third cell's second mode; the sixth cell of the first level
  auto const reference = written(folder, "y.nc", {{0}, {{modes, {zero}}, {levels, {zero}}}, area});
  auto const test = written(folder, "x.nc", {{0}, {{modes, {error}}, {levels, {error}}}, area});
  auto const comparison = compare(reference, test);
  EXPECT_EQ(of(comparison, "m").weights, "cell_area");
  EXPECT_EQ(of(comparison, "m").times[0].metrics["mae"].number(), 42 * 3. / 42);
  EXPECT_EQ(of(comparison, "l").times[0].metrics["mae"].number(), 42 * 6. / 42);
}

/// What is missing in both files counts in no metric, whatever its cells weigh.
TEST(Compare, LeavesLandOutOfEveryMetric) {
  TemporaryFolder folder;
  auto const wide = [](std::string const& name, std::int64_t nx) {
    auto info = field(name, "m");
    info.shape = {2, nx};
    return info;
  };
  Field const y = {1, 2, nan, 4, nan, 6}, x = {1.5, 2, nan, 9, nan, 6}, area = {1, 2, 50, 1, 60, 2};
  Field const sea_y = {1, 2, 4, 6}, sea_x = {1.5, 2, 9, 6}, sea_area = {1, 2, 1, 2};
  auto const with_area = [&](std::string const& file, std::int64_t nx, Field const& values,
                             Field const& areas) {
    {
      io::OutputFile output(folder / file, "test", {}, {wide("h", nx)}, {wide("cell_area", nx)},
                            io::build_provenance(), "");
      output.write_static("cell_area", io::slabs_of(areas));
      output.begin_time(0);
      output.write("h", io::slabs_of(values));
      output.finish_time();
      output.close();
    }
    return io::InputFile(folder / file);
  };
  auto const land = compare(with_area("y.nc", 3, y, area), with_area("x.nc", 3, x, area), {"h"}).variables[0];
  auto const sea =
      compare(with_area("v.nc", 2, sea_y, sea_area), with_area("u.nc", 2, sea_x, sea_area), {"h"})
          .variables[0];
  EXPECT_EQ(land.times[0].metrics.points, 4);
  for (auto const& [name, value] : sea.times[0].metrics.values) {
    EXPECT_EQ(land.times[0].metrics[name].number(), value.number()) << name;
  }
  EXPECT_EQ(land.times[0].metrics.ulp_histogram, sea.times[0].metrics.ulp_histogram);
}

TEST(Compare, TellsIntegersApartThatDoubleCannot) {
  TemporaryFolder folder;
  auto const write = [&](std::string const& name, nc_type type, std::vector<long long> const& values) {
    {
      test::NetcdfWriting file{folder / name};
      auto const v = file.variable("n", type, {file.dimension("x", values.size())});
      nc_enddef(file.file());
      EXPECT_EQ(nc_put_var(file.file(), v, values.data()), NC_NOERR);
    }
    return io::InputFile(folder / name);
  };
  for (auto const type : {NC_INT64, NC_UINT64}) {
    auto const y = write("y.nc", type, {(1ll << 62), -5, 7}),
               x = write("x.nc", type, {(1ll << 62) + 1, -5, 7});
    auto const comparison = compare(y, x);
    EXPECT_EQ(comparison.equal(), Equality::no);
    auto const& metrics = of(comparison, "n").times[0].metrics;
    EXPECT_EQ(metrics["max_ulp"].number(), 1);
    EXPECT_EQ(metrics["linf"].number(), 1);
    EXPECT_EQ(metrics["bias"].number(), 1. / 3);
    EXPECT_GT(metrics["l2_relative"].number(), 0);
    EXPECT_EQ(compare(y, y).equal(), Equality::yes);
  }
  // The bits of -5 as unsigned are another number.
  EXPECT_EQ(compare(write("y.nc", NC_INT64, {-5}), write("x.nc", NC_UINT64, {-5})).equal(), Equality::no);
  EXPECT_EQ(compare(write("y.nc", NC_INT64, {1ll << 62}), write("x.nc", NC_UINT64, {1ll << 62})).equal(),
            Equality::yes);
}

TEST(Compare, ReadsInPartsToTheSameAnswer) {
  TemporaryFolder folder;
  test::RandomValues random(61);
  io::FieldInfo volume{"l", "", "l", "1", {"z", "y", "x"}, {5, 24, 17}, "", ""}, u = volume, v = volume;
  u.name = "u";
  v.name = "v";
  io::FieldInfo const plane{"cell_area", "", "", "m2", {"y", "x"}, {24, 17}, "", ""};
  auto const write = [&](std::string const& name, bool broken) {
    io::OutputFile file(folder / name, "test", {{"x", "", "", "m", "X", random.uniform(17, 3, 3)}},
                        {volume, u, v}, {plane}, io::build_provenance(), "");
    auto areas = random.uniform(24 * 17, 1, 2);
    areas[3] = 0;
    file.write_static("cell_area", io::slabs_of(areas));
    for (double const time : {0., 60.}) {
      file.begin_time(time);
      for (auto const* field : {"l", "u", "v"}) {
        auto values = random.uniform(5 * 24 * 17, -1, 1);
        values[100] = nan;
        if (broken && time > 0) values[1033] = nan;
        file.write(field, io::slabs_of(values));
      }
      file.finish_time();
    }
    file.close();
    return io::InputFile(folder / name);
  };
  auto const y = write("y.nc", false), x = write("x.nc", false), broken = write("b.nc", true);
  auto const whole = to_json(compare(y, x, {}, Times::all), Times::all);
  for (std::int64_t const bytes : {64, 200, 5000, 60000}) {
    EXPECT_EQ(to_json(compare(y, x, {}, Times::all, bytes), Times::all), whole) << bytes;
    auto const& of_broken = of(compare(y, broken, {}, Times::worst, bytes), "l");
    EXPECT_EQ(of_broken.one_sided, 1);
  }
}

TEST(Compare, AddsTheSpeedOfVectors) {
  TemporaryFolder folder;
  Field const u = {3, 0, -3, 0, 1, 0}, v = {4, 1, 4, 0, 0, nan};
  auto const reference =
      written(folder, "y.nc", {{0}, {{field("siu", "m s-1"), {u}}, {field("siv", "m s-1"), {v}}}, {}});
  // Turned by a right angle: the components differ, the speed does not.
  Field turned = u;
  for (double& value : turned) {
    value = -value;
  }
  auto const test =
      written(folder, "x.nc", {{0}, {{field("siu", "m s-1"), {v}}, {field("siv", "m s-1"), {turned}}}, {}});
  auto const comparison = compare(reference, test);
  auto const& speeds = of(comparison, "speed(siu,siv)");
  EXPECT_EQ(speeds.units, "m s-1");
  EXPECT_EQ(speeds.times[0].metrics.points, 5);
  EXPECT_TRUE(speeds.times[0].metrics.equal());
  EXPECT_FALSE(comparison.usable());  // siu and siv themselves have NaN at other points
}

TEST(Compare, FailsOnShapesAndNanOfOneSide) {
  TemporaryFolder folder;
  Field broken = base;
  broken[2] = nan;
  auto const reference =
      written(folder, "y.nc", {{0}, {{field("h", "m"), {base}}, {field("a", "1"), {base}}}, {}});
  auto turned = field("a", "1");
  turned.dimensions = {"j", "i"};
  turned.shape = {3, 2};
  auto const test = written(folder, "x.nc", {{0}, {{field("h", "cm"), {broken}}, {turned, {base}}}, {}});
  auto const comparison = compare(reference, test);
  EXPECT_FALSE(comparison.usable());
  EXPECT_EQ(of(comparison, "h").times[0].metrics.one_sided.nan_in_test, 1);
  EXPECT_EQ(of(comparison, "h").times[0].metrics.points, 5);
  EXPECT_EQ(of(comparison, "h").times[0].metrics["linf"].number(), 0);
  EXPECT_EQ(of(comparison, "a").times[0].metrics.failure, "shapes differ: 3 x 2 against 2 x 3");
  EXPECT_EQ(comparison.notes.at(0), "h: units differ ('cm' against 'm')");
  EXPECT_NE(to_text(comparison).find("h: 1 places have a value in one file only (1 NaN in the test only)"),
            std::string::npos);
}

TEST(Compare, NamesVariablesOfOneFileOnly) {
  TemporaryFolder folder;
  auto const reference =
      written(folder, "y.nc", {{0}, {{field("h", "m"), {base}}, {field("a", "1"), {base}}}, {}});
  auto const test =
      written(folder, "x.nc", {{0}, {{field("h", "m"), {base}}, {field("d", "1"), {base}}}, {}});
  auto const comparison = compare(reference, test);
  EXPECT_EQ(comparison.only_in_reference, std::vector<std::string>{"a"});
  EXPECT_EQ(comparison.only_in_test, std::vector<std::string>{"d"});
  EXPECT_EQ(comparison.equal(), Equality::no);
  EXPECT_TRUE(of(comparison, "h").times[0].metrics.equal());
  EXPECT_NE(message_of<InputError>([&] {
              compare(reference, test, {"a"});
            }).find(test.path() + ": no variable 'a'"),
            std::string::npos);
  auto const stranger = written(folder, "z.nc", {{0}, {{field("q", "1"), {base}}}, {}});
  EXPECT_NE(message_of<InputError>([&] { compare(reference, stranger); }).find(stranger.path() + ": nothing"),
            std::string::npos);
}

TEST(Compare, WritesJsonWithReasonsInsteadOfNan) {
  TemporaryFolder folder;
  auto const reference = written(folder, "y.nc", {{0, 60}, {{field("h", "m"), {Field(6, 0.0), base}}}, {}});
  auto const test = written(folder, "x.nc", {{0, 60}, {{field("h", "m"), {base, other}}}, {}});
  auto const last = nlohmann::json::parse(to_json(compare(reference, test, {}, Times::last), Times::last));
  EXPECT_EQ(last["variables"]["h"]["linf"], 1.0);
  EXPECT_EQ(last["variables"]["h"]["points"], 6);
  EXPECT_TRUE(last["undefined"].empty());
  auto const all = nlohmann::json::parse(to_json(compare(reference, test, {}, Times::all), Times::all));
  ASSERT_EQ(all["variables"]["h"].size(), 2u);
  EXPECT_EQ(all["variables"]["h"][1]["time_s"], 60.0);
  EXPECT_TRUE(all["variables"]["h"][0]["l2_relative"].is_null());
  EXPECT_EQ(all["undefined"]["h[0].l2_relative"], "the reference is zero everywhere");
  EXPECT_FALSE(all["equal"]);
  // Times that are no numbers, and fields of no time.
  Comparison odd = compare(reference, test, {}, Times::all);
  odd.variables[0].times[0].time_s = std::numeric_limits<double>::infinity();
  odd.variables[0].times[1].time_s = nan;
  auto const json = nlohmann::json::parse(to_json(odd, Times::all));
  EXPECT_TRUE(json["variables"]["h"][0]["time_s"].is_null());
  EXPECT_TRUE(json["undefined"].contains("h[0].time_s"));
  EXPECT_TRUE(json["undefined"].contains("h[1].time_s"));
}

TEST(Compare, TellsWhatItsMetricsAre) {
  TemporaryFolder folder;
  auto const reference = written(folder, "y.nc", {{0}, {{field("h", "m"), {base}}}, {}});
  auto const test = written(folder, "x.nc", {{0}, {{field("h", "m"), {other}}}, {}});
  auto const comparison = compare(reference, test, {}, Times::last);
  auto const json = nlohmann::json::parse(to_json(comparison, Times::last));
  auto const text = to_text(comparison);
  for (auto const& metric : metric_list()) {
    SCOPED_TRACE(metric.name);
    auto const& told = json["metrics"][metric.name];
    EXPECT_EQ(told["direction"], name_of(metric.direction));
    EXPECT_EQ(told["unit"], metric.unit);
    EXPECT_EQ(told["meaning"], metric.meaning);
    // Each metric of fields that is told has its value, and on the terminal a column where it is shown there.
    EXPECT_EQ(json["variables"]["h"].contains(metric.name), metric.of_fields != nullptr);
    auto const heading = "  " + std::string(metric.name) + " ";
    EXPECT_EQ(text.substr(0, text.find('\n')).find(heading) != std::string::npos,
              metric.shown == Shown::everywhere);
  }
  EXPECT_EQ(json["metrics"]["fac2"]["direction"], "higher");
  EXPECT_EQ(json["metrics"]["bias"]["direction"], "zero");
  EXPECT_EQ(json["metrics"]["mg"]["direction"], "one");
  EXPECT_EQ(json["metrics"]["linf"]["unit"], "field");
}

TEST(Compare, MakesNoSpeedOfStaggeredComponents) {
  TemporaryFolder folder;
  auto u = field("u", "m s-1"), v = field("v", "m s-1");
  auto const make = [&](std::string const& name) {
    return written(folder, name, {{0}, {{u, {base}}, {v, {base}}}, {}});
  };
  auto const one_grid = make("one.nc");
  u.dimensions = {"yn", "xn"};
  auto const staggered = make("two.nc");
  auto const names = [](Comparison const& comparison) {
    std::vector<std::string> result;
    for (auto const& variable : comparison.variables) result.push_back(variable.name);
    return result;
  };
  EXPECT_EQ(names(compare(one_grid, one_grid)), (std::vector<std::string>{"u", "v", "speed(u,v)"}));
  EXPECT_EQ(names(compare(staggered, staggered)), (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(names(compare(one_grid, staggered)), (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(names(compare(staggered, one_grid)), (std::vector<std::string>{"u", "v"}));
}

TEST(VectorComponents, AreFoundByStandardAndUsualNames) {
  auto w = field("w", "m s-1");
  w.shape = {2, 4};
  using Names = std::vector<std::vector<std::string>>;
  EXPECT_EQ(
      vector_components({field("b", "m s-1", "sea_ice_y_velocity"), field("a", "m s-1", "sea_ice_x_velocity"),
                         field("e", "m s-1", "eastward_wind"), field("n", "m s-1", "northward_wind"),
                         field("x", "m s-1", "x_wind"), field("h", "m", "sea_ice_thickness")}),
      (Names{{"a", "b"}, {"e", "n"}}));
  EXPECT_EQ(vector_components({field("v", "m s-1"), field("u", "m s-1"), w}), (Names{{"u", "v"}}));
  w.shape = {2, 3};
  EXPECT_EQ(vector_components({field("v", "m s-1"), field("u", "m s-1"), w}), (Names{{"u", "v", "w"}}));
  EXPECT_TRUE(vector_components({field("u", "m s-1"), w, field("siv", "m s-1")}).empty());
  auto u = field("u", "m s-1"), v = field("v", "m s-1");
  u.coordinates = "lon_u lat_u height";
  v.coordinates = "lon_v lat_v height";
  EXPECT_TRUE(vector_components({u, v}).empty());
  v.coordinates = "height lat_u lon_u";
  EXPECT_EQ(vector_components({u, v}), (Names{{"u", "v"}}));
  auto east = field("a/east", "m s-1", "eastward_wind"), north = field("b/north", "m s-1", "northward_wind");
  EXPECT_TRUE(vector_components({east, north}).empty());
  north.name = "a/north";
  EXPECT_EQ(vector_components({east, north}), (Names{{"a/east", "a/north"}}));
  EXPECT_EQ(speed_name({"u", "v", "w"}), "speed(u,v,w)");
}

TEST(Speed, NeitherOverflowsNorLosesSmallValues) {
  Field const u = {3, 3e300, 3e-300, 0, nan, 1, std::numeric_limits<double>::infinity()};
  Field const v = {-4, 4e300, 4e-300, 0, 1, nan, 0};
  auto const result = speed({u, v});
  EXPECT_EQ(result[0], 5);
  EXPECT_DOUBLE_EQ(result[1], 5e300);
  EXPECT_DOUBLE_EQ(result[2], 5e-300);
  EXPECT_EQ(result[3], 0);
  EXPECT_TRUE(std::isnan(result[4]));
  EXPECT_TRUE(std::isnan(result[5]));
  EXPECT_TRUE(std::isinf(result[6]));
}

}  // namespace
}  // namespace ulpine::verification
