// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "io/case_file.hpp"
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

}  // namespace
}  // namespace ulpine::io
