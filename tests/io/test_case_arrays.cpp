// SPDX-License-Identifier: Apache-2.0
// Arrays in case files, and when the hash of a case is known.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include "io/case_file.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

CaseFile parse(std::string const& text, std::vector<std::string> const& overrides = {}) {
  return CaseFile::parse("core = \"x\"\n" + text + "\n", "a.toml", ".", overrides);
}

/// The message of the InputError that `action` throws on a case with these lines, which begin at line 2.
template <class Action>
std::string refusal(std::string const& lines, Action action, std::vector<std::string> const& overrides = {}) {
  return test::message_of<InputError>([&] { action(parse(lines, overrides)); });
}

TEST(CaseArrays, AreReadInOrderOrFallBack) {
  auto const file = parse("grid.levels = [0, 10.5,\n  -3]\nnames = [\"u\", \"\"]\nnone = []");
  EXPECT_EQ(file.numbers("grid.levels", {}), (Numbers{0, 10.5, -3}));
  EXPECT_EQ(file.numbers("grid.others", {1, 2}), (Numbers{1, 2}));
  EXPECT_EQ(file.numbers("none", {1, 2}), Numbers{});
  EXPECT_EQ(file.texts("names", {}), (Texts{"u", ""}));
  EXPECT_EQ(file.texts("more", {"a"}), Texts{"a"});
  EXPECT_EQ(parse("", {"grid.levels=[1, 2]"}).numbers("grid.levels", {}), (Numbers{1, 2}));
  file.core();
  EXPECT_NO_THROW(file.reject_unknown());
}

TEST(CaseArrays, AMessageNamesTheElementItsLineAndARemedy) {
  std::string const lines =
      "grid.levels = [0,\n 1e9,\n \"x\", nan, [1], {a = 1}, 2000-01-01]\nnames = [\"u\", 3]";
  auto const levels = [](double least, double most) {
    return [=](CaseFile const& file) { file.numbers("grid.levels", {1, 2, 3}, least, most); };
  };
  constexpr auto any = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(lines, levels(0, 1e6)),
            "a.toml:3: grid.levels[1]: out of range (it is 1e+09) choose between 0 and 1e+06");
  EXPECT_EQ(refusal(lines, levels(0.5, any)),
            "a.toml:2: grid.levels[0]: out of range (it is 0) choose at least 0.5");
  EXPECT_EQ(refusal(lines, levels(-any, any)),
            "a.toml:4: grid.levels[2]: must be a number (it is the text \"x\") write e.g. 3.0");
  auto const one = [](CaseFile const& file) { file.numbers("a", {}, 5); };
  EXPECT_EQ(refusal("a = [9, nan]", one), "a.toml:2: a[1]: must be finite (it is nan) write e.g. 5.0");
  EXPECT_EQ(refusal("a = [9, [1]]", one), "a.toml:2: a[1]: must be a number (it is an array) write e.g. 5.0");
  EXPECT_EQ(refusal("a = [9, {b = 1}]", one),
            "a.toml:2: a[1]: must be a number (it is a table) write e.g. 5.0");
  EXPECT_EQ(refusal("a = [2000-01-01]", one),
            "a.toml:2: a[0]: must be a number (it is a date or time) write e.g. 5.0");
  EXPECT_EQ(refusal("", one, {"a=[9, 4]"}), "--set a=[9, 4]: a[1]: out of range (it is 4) choose at least 5");
  EXPECT_EQ(refusal(lines, [](CaseFile const& file) { file.texts("names", {}); }),
            "a.toml:5: names[1]: must be text (it is the integer 3) write it in quotes");
  EXPECT_EQ(refusal(lines, [](CaseFile const& file) { throw file.error("grid.levels[2]", "no"); }),
            "a.toml:4: grid.levels[2]: no");
  EXPECT_EQ(refusal(lines, [](CaseFile const& file) { throw file.error("grid.levels[9]", "no"); }),
            "a.toml: grid.levels[9]: no");
}

TEST(CaseArrays, WhatIsNoArrayOrOfAnotherLengthIsRefused) {
  auto const read = [](std::size_t fewest, std::size_t most) {
    return [=](CaseFile const& file) { file.numbers("a", {7}, 0, 9, fewest, most); };
  };
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(refusal("a = 5", read(0, any)),
            "a.toml:2: a: must be an array of numbers (it is the integer 5) write e.g. [7.0]");
  EXPECT_EQ(refusal("a.b = 5", read(0, any)),
            "a.toml:2: a: must be an array of numbers (it is a table) write e.g. [7.0]");
  EXPECT_EQ(refusal("[[a]]\nb = 1\n[[a]]\nb = 2", read(0, any)),
            "a.toml:2: a: must be an array of numbers (it is an array of tables) write e.g. [7.0]");
  EXPECT_EQ(refusal("a = \"x\"", [](CaseFile const& file) { file.texts("a", {}); }),
            "a.toml:2: a: must be an array of texts (it is the text \"x\") write e.g. [\"a\", \"b\"]");
  EXPECT_EQ(refusal("a = []", read(1, any)),
            "a.toml:2: a: wrong number of elements (it has 0) give at least 1");
  EXPECT_EQ(refusal("a = [1, 2, 3]", read(0, 2)),
            "a.toml:2: a: wrong number of elements (it has 3) give at most 2");
  EXPECT_EQ(refusal("a = [1]", read(2, 4)),
            "a.toml:2: a: wrong number of elements (it has 1) give between 2 and 4");
  EXPECT_EQ(refusal("a = [1]", read(3, 3)), "a.toml:2: a: wrong number of elements (it has 1) give 3");
  EXPECT_EQ(refusal("", read(2, 2)), "a.toml: a: wrong number of elements (it has 1) give 2")
      << "a fallback that follows from other keys is checked too";
  EXPECT_EQ(refusal("",
                    [](CaseFile const& file) {
                      file.numbers("a", {1, 20}, 0, 9);
                    }),
            "a.toml: a[1]: out of range (it is 20) choose between 0 and 9");
  // Tables in an array that nobody reads are an unknown key like any other.
  EXPECT_EQ(refusal("[[nest]]\nratio = 3", [](CaseFile const& file) { file.core(), file.reject_unknown(); }),
            "a.toml:2: nest: unknown key (nothing in this case reads it) correct or remove it");
}

TEST(CaseArrays, AreEchoedToTheBitAndCountInTheHash) {
  std::mt19937_64 random{3};
  Numbers values{-0.0, std::numeric_limits<double>::min(), std::numeric_limits<double>::max(), 1e22};
  while (values.size() < 500) {
    if (auto const value = std::bit_cast<double>(random()); std::isnormal(value)) values.push_back(value);
  }
  std::string text = "a = [";
  for (auto const value : values) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17e, ", value);
    text += buffer;
  }
  auto const read = [](CaseFile const& file) {
    file.core();
    auto const found = file.numbers("a", {});
    file.texts("b", {"quote\" and\ttab", "\xc3\xa9"});
    file.reject_unknown();
    return found;
  };
  auto const first = parse(text + "]");
  auto const found = read(first);
  ASSERT_EQ(found.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(values[i]));
  }
  auto const second = CaseFile::parse(first.resolved(), "b.toml");
  EXPECT_EQ(read(second), found);
  EXPECT_EQ(second.resolved(), first.resolved());
  EXPECT_EQ(second.hash(), first.hash());

  auto const hash = [&](std::string const& line) {
    auto const file = parse(line);
    read(file);
    return file.hash();
  };
  EXPECT_EQ(hash("a = [1, 2.0]"), hash("a = [ 1.0, 2 ]"));
  EXPECT_NE(hash("a = [1, 2]"), hash("a = [2, 1]"));
  EXPECT_NE(hash("a = [1, 2]"), hash("a = [1, 2, 0]"));
  EXPECT_NE(hash("b = [\"x\", \"y\"]"), hash("b = [\"x\\\", \\\"y\"]")) << "one text that looks like two";
}

TEST(CaseHash, IsOfAllThatIsReadOrOfNothing) {
  auto const file = parse("grid.nx = 3");
  EXPECT_EQ(file.core(), "x");
  EXPECT_EQ(file.integer("grid.nx", 1), 3);
  EXPECT_EQ(file.number("grid.dx", 0.5), 0.5);
  EXPECT_THROW(file.hash(), std::logic_error) << "more keys may be read";
  file.reject_unknown();
  auto const hash = file.hash();
  auto const resolved = file.resolved();

  EXPECT_EQ(file.integer("grid.nx", 1), 3);
  EXPECT_EQ(file.number("grid.dx", 0.5), 0.5);
  EXPECT_FALSE(file.has("grid.ny"));
  EXPECT_THROW(file.integer("grid.ny", 1), std::logic_error) << "a key that was not read";
  EXPECT_THROW(file.number("grid.dx", 0.25), std::logic_error) << "another default";
  EXPECT_THROW(file.numbers("grid.levels", {}), std::logic_error);
  EXPECT_THROW(file.text("output.format", ""), std::logic_error);
  EXPECT_NO_THROW(file.reject_unknown());
  EXPECT_EQ(file.hash(), hash);
  EXPECT_EQ(file.resolved(), resolved);
}

TEST(CaseHash, IsNotFixedByARefusal) {
  auto const file = parse("grid.nx = 3");
  file.core();
  EXPECT_THROW(file.reject_unknown(), InputError);
  EXPECT_THROW(file.hash(), std::logic_error);
  file.integer("grid.nx", 1);
  file.reject_unknown();
  EXPECT_NO_THROW(file.hash());
}

}  // namespace
}  // namespace ulpine::io
