// SPDX-License-Identifier: Apache-2.0
// Cases that have the former names of keys against a core that never renamed any.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/case_file.hpp"
#include "io/case_keys.hpp"
#include "io/former_keys.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::io;

std::vector<CaseKey> const& renamed_keys() {
  static std::vector<CaseKey> const keys = {
      quantity_key("base.u", "m s-1", 0, -500, 500, "wind along x").renamed_from("wind.u"),
      quantity_key("base.v", "m s-1", 0, -500, 500, "wind along y").renamed_from("wind.v"),
      number_key("start.centre_x", 1, -9, 9, "x of the centre").renamed_from("start.bubble.centre[0]"),
      number_key("start.centre_y", 2, -9, 9, "y of the centre").renamed_from("start.bubble.centre[1]"),
      choice_key("start.kind",
                 {{"rest", "none", ""}, {"bubble", "round", "cosine"}, {"wave", "long", "sine"}},
                 "what the start is")
          .renamed_from("start.bubble.shape"),
      number_key("start.amplitude", 3, 0, 9, "excess")
          .needing("a start")
          .renamed_from("start.bubble.amplitude")};
  return keys;
}

bool const declared = declare_former_keys("renamed", renamed_keys());

CaseFile renamed(std::string const& lines, std::vector<std::string> const& overrides = {}) {
  return CaseFile::parse("core = 'renamed'\n" + lines, "case.toml", ".", overrides);
}

struct Read {
  double u, v, x, y, amplitude;
  std::string kind, resolved;
  std::uint64_t hash;
};

/// By the present names.
Read read(CaseFile const& c) {
  KeyReader const keys(c, renamed_keys());
  Read all{keys.number("base.u"), keys.number("base.v"), 0, 0, 0, keys.choice("start.kind"), "", 0};
  if (all.kind != "rest") {
    all.x = keys.number("start.centre_x");
    all.y = keys.number("start.centre_y");
    all.amplitude = keys.number("start.amplitude");
  }
  c.accept("core");
  c.reject_unknown();
  all.resolved = c.resolved();
  all.hash = c.hash();
  return all;
}

/// What a core that reads the former names, as it always did, makes of a case.
std::uint64_t hash_of_former(std::string const& lines) {
  auto const c = CaseFile::parse("core = 'steady'\n" + lines, "case.toml");
  c.number("wind.u", 0);
  c.number("wind.v", 0);
  if (c.has("start.bubble.amplitude")) {
    c.choice("start.bubble.shape", "cosine", {"cosine", "sine"});
    c.numbers("start.bubble.centre", {1, 2}, -9, 9, 2, 2);
    c.number("start.bubble.amplitude", 3);
  }
  c.accept("core");
  c.reject_unknown();
  return c.hash();
}

std::string refusal(std::string const& lines, std::vector<std::string> const& overrides = {}) {
  try {
    read(renamed(lines, overrides));
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

std::string const former =
    "[wind]\nu = 7.5\n[start.bubble]\nshape = 'sine'\ncentre = [4.0, -5.0]\namplitude = 6.0\n";
std::string const present =
    "[base]\nu = 7.5\n[start]\nkind = 'wave'\ncentre_x = 4.0\ncentre_y = -5.0\namplitude = 6.0\n";

TEST(FormerKeys, AreReadAsThePresentOnes) {
  auto const was = read(renamed(former)), is = read(renamed(present));
  for (auto const& all : {was, is}) {
    EXPECT_EQ(all.u, 7.5);
    EXPECT_EQ(all.v, 0);
    EXPECT_EQ(all.kind, "wave");
    EXPECT_EQ(all.x, 4);
    EXPECT_EQ(all.y, -5);
    EXPECT_EQ(all.amplitude, 6);
  }
  EXPECT_EQ(was.resolved, is.resolved);
  EXPECT_EQ(was.resolved.find("wind"), std::string::npos) << was.resolved;
}

TEST(FormerKeys, LeaveTheHashOfACaseAsItWas) {
  auto const shape_by_default = "[start.bubble]\nshape = 'cosine'\namplitude = 6.0\n";
  for (auto const& lines : {former, std::string{"[wind]\nv = 2.0\n"}, std::string{shape_by_default}}) {
    auto const was = read(renamed(lines));
    EXPECT_EQ(was.hash, hash_of_former(lines)) << lines;
    EXPECT_EQ(read(renamed(was.resolved)).hash, was.hash) << was.resolved;
  }
  EXPECT_EQ(read(renamed(present)).hash, hash_of_former(former));
}

TEST(FormerKeys, CountByTheLaterOverride) {
  EXPECT_EQ(read(renamed(present, {"wind.u=1.0"})).u, 1);
  EXPECT_EQ(read(renamed(former, {"base.u=1.0"})).u, 1);
  EXPECT_EQ(read(renamed("", {"base.u=1.0", "wind.u=2.0"})).u, 2);
  EXPECT_EQ(read(renamed("", {"wind.u=1.0", "base.u=2.0"})).u, 2);
  auto const part = read(renamed(former, {"start.centre_y=8.0"}));
  EXPECT_EQ(part.x, 4);
  EXPECT_EQ(part.y, 8);
}

TEST(FormerKeys, AreRefusedBesideThePresentOnes) {
  EXPECT_EQ(refusal("[wind]\nu = 7.5\n[base]\nu = 7.5\n"),
            "case.toml:3: wind.u: is the former name of base.u, which stands at case.toml:5 (one of them can "
            "count) take one out");
  EXPECT_NE(refusal("[start]\ncentre_x = 1.0\n[start.bubble]\ncentre = [1.0, 2.0]\n")
                .find("start.bubble.centre: is"),
            std::string::npos);
}

TEST(FormerKeys, AreNamedInErrorsAsTheCaseHasThem) {
  EXPECT_EQ(refusal("[wind]\nu = 600.0\n"),
            "case.toml:3: wind.u: out of range (it is 600 m s-1) choose between -500 and 500 m s-1");
  EXPECT_EQ(refusal("[base]\nu = 600.0\n").substr(0, 20), "case.toml:3: base.u:");
  EXPECT_EQ(refusal("[start.bubble]\nshape = 'sine'\ncentre = [1.0,\n 20.0]\n").substr(0, 38),
            "case.toml:5: start.bubble.centre[1]: o");
  EXPECT_EQ(refusal("[start.bubble]\ncentre = [1.0]\n"),
            "case.toml:3: start.bubble.centre: wrong number of elements (it has 1) give 2");
  EXPECT_EQ(refusal("[start.bubble]\ncentre = 1.0\n"),
            "case.toml:3: start.bubble.centre: must be an array of numbers (it is the number 1.0) give an "
            "array of 2");
  EXPECT_NE(refusal("[start.bubble]\nshape = 'round'\n").find("start.bubble.shape: unknown choice"),
            std::string::npos);
}

std::vector<std::string> told;

TEST(FormerKeys, AreToldOnceAProcess) {
  set_former_keys_reporter([](std::string const& line) { told.push_back(line); });
  for (int run = 0; run < 3; ++run) {
    read(renamed("\n\n[wind]\nu = 1.0\n"));
    read(renamed(former));
    read(renamed(present));
  }
  set_former_keys_reporter(nullptr);
  std::string const end = " (the former ones are still read) `ulpine cases --keys renamed` has them";
  EXPECT_EQ(told,
            (std::vector{"case.toml:5: wind.u: is called base.u now" + end,
                         "case.toml:3: wind.u: is called base.u now and 4 more have other names" + end}));
}

}  // namespace
