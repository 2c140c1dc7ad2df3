// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "equality_of_files.hpp"
#include "io/error.hpp"
#include "verification/results/junit.hpp"

namespace ulpine::verification {
namespace {

using test::message_of;
using test::NetcdfWriting;

Limits limits_of(std::string const& text) { return read_limits(io::CaseFile::parse(text, "limits.toml")); }

std::string pattern_of(Limits const& limits, std::string const& name, bool derived = false) {
  auto const* const table = limits.of(name, derived);
  return table == nullptr ? "none" : table->pattern;
}

TEST(Limits, NameComesBeforePatternAndPatternBeforeDefault) {
  auto const limits = limits_of(
      "[default]\nlinf = 1\n[\"t*\"]\nlinf = 2\n[temp]\nlinf = 3\n[\"*x\"]\nlinf = 4\n[\"a?c\"]\nlinf = 5\n"
      "[\"s*d\"]\nlinf = 6\n");
  EXPECT_EQ(pattern_of(limits, "temp"), "temp");
  EXPECT_EQ(pattern_of(limits, "temperature"), "t*");
  EXPECT_EQ(pattern_of(limits, "tx"), "t*");
  EXPECT_EQ(pattern_of(limits, "flux"), "*x");
  EXPECT_EQ(pattern_of(limits, "abc"), "a?c");
  EXPECT_EQ(pattern_of(limits, "abbc"), "default");
  EXPECT_EQ(pattern_of(limits, "ac"), "default");
  EXPECT_EQ(pattern_of(limits, "salt"), "default");
  EXPECT_EQ(pattern_of(limits, "sand"), "s*d");
  // Speeds and levels repeat what the variables say.
  EXPECT_EQ(pattern_of(limits, "temp[lev=3]", true), "none");
  EXPECT_EQ(pattern_of(limits_of("[\"speed(u,v)\"]\nlinf = 1\n"), "speed(u,v)", true), "speed(u,v)");
}

TEST(Limits, BadFilesAreRefusedWithLineAndNearestName) {
  auto const refused = [](std::string const& text) {
    return message_of<InputError>([&] { limits_of(text); });
  };
  auto const unknown = refused("[temp]\nlinff = 1\n");
  EXPECT_NE(unknown.find("limits.toml:2: temp.linff: unknown metric"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("did you mean 'linf'"), std::string::npos) << unknown;
  EXPECT_NE(refused("temp = 1\n").find("expected a table of limits"), std::string::npos);
  EXPECT_NE(refused("[temp]\nlog10_linf = -3\n").find("set it on the error itself"), std::string::npos);
  EXPECT_NE(refused("[temp]\nrelative = 1e-3\n").find("unknown metric"), std::string::npos);
  EXPECT_NE(refused("[temp]\nlinf = -1\n").find("out of range"), std::string::npos);
  EXPECT_NE(refused("[temp]\nmg = 0.5\n").find("at least 1"), std::string::npos);
  EXPECT_NE(refused("[temp]\nlinf = \"1\"\n").find("temp.linf"), std::string::npos);
  EXPECT_NE(refused("[temp]\nskip = true\nlinf = 1\n").find("leave out one or the other"), std::string::npos);
  auto const file = io::CaseFile::parse("[tmp]\nlinf = 1\n[\"q*\"]\nlinf = 1\n", "limits.toml");
  auto const absent = message_of<InputError>([&] {
    require_names(file, read_limits(file), {"temp", "wind"});
  });
  EXPECT_NE(absent.find("limits.toml:2: tmp: neither file has a variable of this name"), std::string::npos)
      << absent;
  EXPECT_NE(absent.find("did you mean 'temp'"), std::string::npos) << absent;
}

using Values = std::vector<double>;

class LimitsOfFiles : public equality_of_files::EqualityOfFiles {
 protected:
  /// h(time, x) of two values a time, every hour.
  io::InputFile series(Values const& values, double first_hour = 0) {
    return write([&](NetcdfWriting& file) {
      auto const time = file.dimension("time", values.size() / 2), x = file.dimension("x", 2);
      auto const axis = file.variable("time", NC_DOUBLE, {time});
      file.text(axis, "units", "hours since 2000-01-01 00:00:00");
      auto const h = file.variable("h", NC_DOUBLE, {time, x});
      Values hours;
      for (std::size_t i = 0; i < values.size() / 2; ++i) hours.push_back(first_hour + double(i));
      file.values(axis, hours);
      file.values(h, values);
    });
  }
  static LimitsReport judged(io::InputFile const& reference, io::InputFile const& test, Limits const& limits,
                             ComparisonOptions how = {}) {
    LimitsJudge judge(limits);
    how.each_time = [&](auto const& variable, auto const& time) { judge.see(variable, time); };
    return judge.report(compare(reference, test, how));
  }
  static LimitsAnswer answer(io::InputFile const& reference, io::InputFile const& test,
                             std::string const& text) {
    return judged(reference, test, limits_of(text)).answer();
  }
};

TEST_F(LimitsOfFiles, EachMetricIsJudgedAtItsOwnWorstTime) {
  // Relative L2 is worst at the second time, 0.2 / sqrt(2), the largest difference at the last, 3.
  auto const reference = series({100, 100, 1, 1, 1000, 1000});
  auto const test = series({100, 100, 1, 1.2, 1000, 1003});
  EXPECT_EQ(answer(reference, test, "[h]\nl2_relative = 0.1415\nlinf = 3.0\n"), LimitsAnswer::within);
  EXPECT_EQ(answer(reference, test, "[h]\nlinf = 2.999\n"), LimitsAnswer::beyond);
  auto const report = judged(reference, test, limits_of("[h]\nl2_relative = 0.1414\nlinf = 3.0\n"));
  EXPECT_EQ(report.answer(), LimitsAnswer::beyond);
  ASSERT_EQ(report.results.size(), 2u);
  EXPECT_FALSE(report.results[0].passed);
  EXPECT_NEAR(*report.results[0].value, 0.2 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(report.results[0].time, "2000-01-01 01:00:00");
  EXPECT_TRUE(report.results[1].passed);
  EXPECT_EQ(*report.results[1].value, 3);
  EXPECT_NE(
      to_text(report).find("beyond: h l2_relative is 0.141421 at 2000-01-01 01:00:00, at most 0.1414\n"),
      std::string::npos)
      << to_text(report);
  EXPECT_NE(to_text(report).find("1 of 2 limits exceeded\n"), std::string::npos);
  auto const xml = to_junit("a & b", report.results);
  EXPECT_NE(xml.find("<testsuites name=\"a &amp; b\" tests=\"2\" failures=\"1\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("<failure message=\"value 0.141421, limit 0.1414\"/>"), std::string::npos) << xml;
}

TEST_F(LimitsOfFiles, LimitsFromBelowAndOnSignedMetrics) {
  auto const reference = series({1, 2, 1, 2}), test = series({1, 2, 2, 1});
  EXPECT_EQ(answer(reference, test, "[h]\nr = -1\n"), LimitsAnswer::within);
  EXPECT_EQ(answer(reference, test, "[h]\nr = 0.5\n"), LimitsAnswer::beyond);
  // The worst value is told, whenever it comes: two points correlate by 1 or -1.
  auto const told =
      judged(series({1, 2, 1, 2, 1, 2}), series({1, 3, 2, 1, 1, 3}), limits_of("[h]\nr = -1\n"));
  EXPECT_NEAR(*told.results.at(0).value, -1, 1e-12);
  EXPECT_EQ(told.results.at(0).time, "2000-01-01 01:00:00");
  auto const lower = series({1, 1, 1, 2});
  EXPECT_EQ(answer(reference, lower, "[h]\nbias = 0.5\n"), LimitsAnswer::within);
  EXPECT_EQ(answer(reference, lower, "[h]\nbias = 0.49\n"), LimitsAnswer::beyond);
  // The counts are over all times.
  EXPECT_EQ(answer(reference, test, "[h]\ndiffering = 2\n"), LimitsAnswer::within);
  EXPECT_EQ(answer(reference, test, "[h]\ndiffering = 1\n"), LimitsAnswer::beyond);
}

TEST_F(LimitsOfFiles, UndefinedMetricsAreUndecidedUnlessTheFieldsAreEqual) {
  // A constant field has no correlation.
  auto const constant = series({1, 1, 2, 2});
  EXPECT_EQ(answer(constant, constant, "[h]\nr = 0.9\n"), LimitsAnswer::within);
  auto const report = judged(constant, series({1, 1, 2, 3}), limits_of("[h]\nr = 0.9\n"));
  EXPECT_EQ(report.answer(), LimitsAnswer::undecided);
  EXPECT_NE(to_text(report).find("undecided: h r has no value at 2000-01-01 01:00:00"), std::string::npos)
      << to_text(report);
  EXPECT_NE(to_text(report).find("1 of 1 limit undecided"), std::string::npos) << to_text(report);
  // What is exceeded counts more.
  EXPECT_EQ(answer(constant, series({1, 1, 2, 3}), "[h]\nr = 0.9\nlinf = 0.5\n"), LimitsAnswer::beyond);
}

TEST_F(LimitsOfFiles, ValuesOnOneSideAreBeyondUnlessTheyMayBe) {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  auto const reference = series({1, 2, 3, 4}), test = series({1, 2, nan, 4});
  EXPECT_EQ(answer(reference, test, "[h]\nlinf = 1\n"), LimitsAnswer::beyond);
  EXPECT_EQ(answer(reference, test, "[h]\nlinf = 1\none_sided = 1\n"), LimitsAnswer::within);
  EXPECT_EQ(answer(reference, series({1, nan, nan, 4}), "[h]\nlinf = 1\none_sided = 1\n"),
            LimitsAnswer::beyond);
}

TEST_F(LimitsOfFiles, MissingTimesAreBeyondAndUndecidedWhereTimeIsSkipped) {
  auto const reference = series({1, 2, 3, 4}), shorter = series({1, 2});
  EXPECT_EQ(answer(reference, shorter, "[h]\nlinf = 1\n"), LimitsAnswer::beyond);
  EXPECT_EQ(answer(reference, shorter, "[h]\nlinf = 1\n[time]\nskip = true\n"), LimitsAnswer::undecided);
  EXPECT_EQ(judged(reference, shorter, limits_of_equality()).answer(), LimitsAnswer::beyond);
  EXPECT_EQ(judged(reference, reference, limits_of_equality()).answer(), LimitsAnswer::within);
  // What the caller leaves out is not missed.
  ComparisonOptions how;
  how.times = Times::last;
  how.variables = {"h"};
  EXPECT_EQ(judged(reference, reference, limits_of_equality(), how).answer(), LimitsAnswer::within);
  EXPECT_EQ(compare(reference, reference, how).equal(), Equality::unknown);
}

TEST_F(LimitsOfFiles, WhatIsInOneFileOrOfAnotherShapeIsBeyond) {
  auto const of = [&](char const* name, std::size_t size) {
    return write([&](NetcdfWriting& file) {
      file.values(file.variable(name, NC_DOUBLE, {file.dimension("x", size)}), Values(size, 1));
    });
  };
  auto const both = write([&](NetcdfWriting& file) {
    auto const x = file.dimension("x", 2);
    auto const h = file.variable("h", NC_DOUBLE, {x}), extra = file.variable("extra", NC_DOUBLE, {x});
    file.values(h, {1, 1});
    file.values(extra, {1, 1});
  });
  auto const h = of("h", 2);
  EXPECT_EQ(answer(both, h, "[default]\nlinf = 1\n"), LimitsAnswer::beyond);
  EXPECT_EQ(answer(h, both, "[default]\nlinf = 1\n"), LimitsAnswer::beyond);
  auto const report = judged(both, h, limits_of("[h]\nlinf = 1\n"));
  EXPECT_EQ(report.answer(), LimitsAnswer::within);
  EXPECT_EQ(report.without_limit, std::vector<std::string>{"extra"});
  auto const skipping = judged(both, h, limits_of("[h]\nlinf = 1\n[extra]\nskip = true\n"));
  EXPECT_EQ(skipping.answer(), LimitsAnswer::within);
  EXPECT_EQ(skipping.skipped, std::vector<std::string>{"extra"});
  auto const other = judged(h, of("h", 3), limits_of("[h]\nlinf = 1\n"));
  EXPECT_EQ(other.answer(), LimitsAnswer::beyond);
  EXPECT_NE(to_text(other).find("beyond: h cannot be compared, "), std::string::npos) << to_text(other);
}

TEST_F(LimitsOfFiles, OtherCoordinatesAreBeyondUnlessSkipped) {
  auto const at = [&](double place) {
    return write([&](NetcdfWriting& file) {
      auto const x = file.dimension("x", 2);
      auto const axis = file.variable("x", NC_DOUBLE, {x}), h = file.variable("h", NC_DOUBLE, {x});
      file.values(axis, {0, place});
      file.values(h, {1, 1});
    });
  };
  EXPECT_EQ(answer(at(1), at(1), "[h]\nlinf = 1\n"), LimitsAnswer::within);
  EXPECT_EQ(answer(at(1), at(2), "[h]\nlinf = 1\n"), LimitsAnswer::beyond);
}

}  // namespace
}  // namespace ulpine::verification
