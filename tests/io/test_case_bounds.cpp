// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "io/case_file.hpp"
#include "io/case_idle.hpp"
#include "io/case_quantity.hpp"
#include "io/error.hpp"

namespace ulpine::io {
namespace {

CaseFile parse(std::string const& text) {
  return CaseFile::parse("core = \"x\"\n" + text + "\n", "case.toml");
}

TEST(CaseFile, NumbersKeepBothTheirBounds) {
  auto const read = [](char const* value) { return parse(std::string("a = ") + value).number("a", 2, 1, 3); };
  EXPECT_EQ(read("1"), 1);
  EXPECT_EQ(read("3.0"), 3);
  EXPECT_THROW(read("0.9999999999999999"), InputError);
  EXPECT_THROW(read("3.0000000000000004"), InputError);
}

TEST(CaseFile, IntegersKeepBothTheirBounds) {
  auto const read = [](char const* value) {
    return parse(std::string("a = ") + value).integer("a", 2, -1, 3);
  };
  EXPECT_EQ(read("-1"), -1);
  EXPECT_EQ(read("3"), 3);
  EXPECT_THROW(read("-2"), InputError);
  EXPECT_THROW(read("4"), InputError);
}

TEST(CaseFile, DurationsKeepBothTheirBounds) {
  auto const read = [](char const* value) {
    return parse(std::string("a = \"") + value + "\"").duration("a", "2 min", 60, 180);
  };
  EXPECT_EQ(read("1 min"), 60);
  EXPECT_EQ(read("180 s"), 180);
  EXPECT_THROW(read("59 s"), InputError);
  EXPECT_THROW(read("3.1 min"), InputError);
}

// Values that read the same one after the other belong to other keys.
TEST(CaseFile, TheHashTellsWhichKeyHasWhichValue) {
  auto const hash = [](char const* text) {
    auto const file = parse(text);
    file.integer("grid.nx", 0);
    file.integer("grid.ny", 0);
    file.core();
    file.reject_unknown();
    return file.hash();
  };
  EXPECT_NE(hash("grid.nx = 1\ngrid.ny = 23"), hash("grid.nx = 12\ngrid.ny = 3"));
  EXPECT_NE(hash("grid.nx = 1\ngrid.ny = 2"), hash("grid.nx = 2\ngrid.ny = 1"));
}

/// What `action` says in its InputError; empty where it has none.
template <class Action>
std::string refusal(Action const& action) {
  try {
    action();
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

TEST(CaseFile, QuantitiesKeepBothTheirBoundsAndSayTheirUnit) {
  auto const read = [](char const* value) {
    return quantity(parse(std::string("grid.dx = ") + value), "grid.dx", "m", 2, -1, 1e6);
  };
  EXPECT_EQ(read("-1"), -1);
  EXPECT_EQ(read("1e6"), 1e6);
  EXPECT_EQ(quantity(parse(""), "grid.dx", "m", 2, -1, 1e6), 2);
  EXPECT_EQ(refusal([&] { read("1e300"); }),
            "case.toml:2: grid.dx: out of range (it is 1e+300 m) choose between -1 and 1e+06 m");
  EXPECT_EQ(refusal([&] { read("-1.0000000000000002"); }),
            "case.toml:2: grid.dx: out of range (it is -1.0000000000000002 m) choose between -1 and 1e+06 m");
  EXPECT_NE(refusal([&] { read("nan"); }).find("grid.dx: must be finite"), std::string::npos);
  // A default that follows from other keys is held to the bounds, too.
  EXPECT_NE(refusal([] { quantity(parse(""), "grid.dx", "m", 3, 0, 2); }).find("grid.dx: out of range"),
            std::string::npos);
}

TEST(CaseFile, QuantitiesOfArraysNameTheElement) {
  auto const read = [](char const* value) {
    return quantities(parse(std::string("a = ") + value), "a", "K", {1}, 0, 10, 1, 3);
  };
  EXPECT_EQ(read("[0, 10.0]"), (std::vector<double>{0, 10}));
  EXPECT_EQ(refusal([&] { read("[1, 11]"); }),
            "case.toml:2: a[1]: out of range (it is 11 K) choose between 0 and 10 K");
  EXPECT_NE(refusal([&] { read("[1, 2, 3, 4]"); }).find("wrong number of elements"), std::string::npos);
}

TEST(CaseFile, TimesBeyondNumbersAreTooLongNotNoTimes) {
  for (auto const* text : {"1e308 d", "1e305 h", "-1e308 d"}) {
    auto const got = refusal([&] { parse_duration(text); });
    EXPECT_NE(got.find("is too long"), std::string::npos) << got;
  }
  EXPECT_EQ(parse_duration("1e303 d"), 8.64e307);
}

TEST(CaseFile, KeysWithoutEffectAreRefusedByWhatTheyNeed) {
  auto const file = parse("sponge.from = 3");
  EXPECT_EQ(refusal([&] {
              refuse_idle_keys(file, {"sponge.to", "sponge.from"}, "sponge.rate");
            }),
            "case.toml:2: sponge.from: has no effect (it needs sponge.rate) give that, or take it out");
  refuse_idle_keys(file, {"sponge.to"}, "sponge.rate");
}

}  // namespace
}  // namespace ulpine::io
