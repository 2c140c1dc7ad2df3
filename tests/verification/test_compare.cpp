// SPDX-License-Identifier: Apache-2.0
#include "verification/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/error.hpp"
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

Field const base = {1, 2, 3, 4, 5, 6}, other = {1, 2, 3, 4, 5, 7};

TEST(Compare, GivesMetricsPerVariableAndCommonTime) {
  TemporaryFolder folder;
  auto const reference =
      written(folder, "y.nc", {{0, 3600, 7200}, {{field("sivol", "m"), {base, base, base}}}, {}});
  auto const test =
      written(folder, "x.nc", {{0, 7200, 10800}, {{field("sivol", "m"), {base, other, base}}}, {}});
  auto const last = compare(reference, test);
  ASSERT_EQ(of(last, "sivol").metrics.size(), 1u);
  EXPECT_EQ(of(last, "sivol").times, std::vector<double>{7200});
  EXPECT_EQ(of(last, "sivol").metrics[0]["linf"].number(), 1);
  EXPECT_EQ(of(last, "sivol").units, "m");
  EXPECT_FALSE(last.equal());
  EXPECT_TRUE(last.usable());
  ASSERT_EQ(last.notes.size(), 1u);
  EXPECT_NE(last.notes[0].find("2 times in common of 3"), std::string::npos);

  auto const all = compare(reference, test, {"sivol"}, true);
  EXPECT_EQ(of(all, "sivol").times, (std::vector<double>{0, 7200}));
  EXPECT_TRUE(of(all, "sivol").metrics[0].equal());
  EXPECT_TRUE(compare(reference, reference, {}, true).equal());
}

TEST(Compare, MatchesDatesWhereBothFilesHaveThem) {
  TemporaryFolder folder;
  auto const reference =
      written(folder, "y.nc", {{0, 3600, 7200}, {{field("h", "m"), {base, base, other}}}, {}});
  // The same run from its second hour on, and one of another year.
  auto const later =
      written(folder, "x.nc", {{0, 3600}, {{field("h", "m"), {base, other}}}, {}, "2000-01-01 01:00:00"});
  EXPECT_EQ(of(compare(reference, later, {}, true), "h").times, (std::vector<double>{3600, 7200}));
  EXPECT_TRUE(compare(reference, later, {}, true).equal());
  auto const year =
      written(folder, "z.nc", {{0, 3600}, {{field("h", "m"), {base, base}}}, {}, "2010-01-01 00:00:00"});
  auto const shifted = compare(reference, year, {}, true);
  EXPECT_EQ(of(shifted, "h").times, (std::vector<double>{0, 3600}));
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
  EXPECT_TRUE(h.weighted);
  EXPECT_DOUBLE_EQ(h.metrics[0]["mae"].number(), 0.5);
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
  EXPECT_EQ(speeds.metrics[0].points, 5);
  EXPECT_TRUE(speeds.metrics[0].equal());
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
  EXPECT_NE(of(comparison, "h").metrics[0].failure.find("NaN only in the test"), std::string::npos);
  EXPECT_EQ(of(comparison, "a").metrics[0].failure, "shapes differ: 3 x 2 against 2 x 3");
  EXPECT_EQ(comparison.notes.at(0), "h: units differ ('cm' against 'm')");
  EXPECT_NE(to_text(comparison).find("h: cannot be compared, NaN only in the test"), std::string::npos);
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
  EXPECT_FALSE(comparison.equal());
  EXPECT_TRUE(of(comparison, "h").metrics[0].equal());
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
  auto const last = nlohmann::json::parse(to_json(compare(reference, test), false));
  EXPECT_EQ(last["variables"]["h"]["linf"], 1.0);
  EXPECT_EQ(last["variables"]["h"]["points"], 6);
  EXPECT_TRUE(last["undefined"].empty());
  auto const all = nlohmann::json::parse(to_json(compare(reference, test, {}, true), true));
  ASSERT_EQ(all["variables"]["h"].size(), 2u);
  EXPECT_EQ(all["variables"]["h"][1]["time_s"], 60.0);
  EXPECT_TRUE(all["variables"]["h"][0]["l2_relative"].is_null());
  EXPECT_EQ(all["undefined"]["h[0].l2_relative"], "the reference is zero everywhere");
  EXPECT_FALSE(all["equal"]);
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
