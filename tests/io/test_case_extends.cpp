// SPDX-License-Identifier: Apache-2.0
#include "io/case_extends.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/case_file.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

namespace fs = std::filesystem;
using test::message_of;

constexpr char const* storm = R"(core = "fdm"
name = "storm"
description = "A storm"
[grid]
nx = 96
levels = [1.0, 2.0, 3.0]
[base]
kind = "sheared"
u = -12.0
[base.above]
u = 3.0
[output]
interval = "10 min"
)";

struct ExtendingCase : testing::Test {
  test::TemporaryFolder folder;

  CaseFile load(std::string const& text, std::vector<std::string> const& overrides = {}) const {
    return CaseFile::load(folder.write("quick.toml", text), overrides);
  }
  /// The one line that refuses it, without the folder.
  std::string refusal(std::string const& text, std::vector<std::string> const& overrides = {}) const {
    auto message = message_of<InputError>([&] { load(text, overrides); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    auto const at = folder.path().string() + "/";
    for (auto found = message.find(at); found != std::string::npos; found = message.find(at)) {
      message.erase(found, at.size());
    }
    return message;
  }
};

TEST_F(ExtendingCase, TakesKeysOverAndReplacesThemOneByOneAndArraysAsAWhole) {
  folder.write("storm.toml", storm);
  auto const file = load(
      "extends = \"storm.toml\"\n[grid]\nnx = 24\nlevels = [7.0]\n[base.above]\nv = 1.0\n[sponge]\nrate = "
      "2.0\n");
  EXPECT_EQ(file.core(), "fdm");
  EXPECT_EQ(file.integer("grid.nx", 1), 24);
  EXPECT_EQ(file.numbers("grid.levels", {}), std::vector{7.0});
  EXPECT_EQ(file.text("base.kind", ""), "sheared");
  EXPECT_EQ(file.number("base.u", 0), -12);
  EXPECT_EQ(file.number("base.above.u", 0), 3);
  EXPECT_EQ(file.number("base.above.v", 0), 1);
  EXPECT_EQ(file.number("sponge.rate", 0), 2);
  EXPECT_EQ(file.duration("output.interval", "1 s"), 600);
  EXPECT_FALSE(file.has("extends"));
  EXPECT_NO_THROW(file.reject_unknown());
  EXPECT_EQ(file.resolved().find("extends"), std::string::npos);
}

TEST_F(ExtendingCase, HasANameAndADescriptionOfItsOwn) {
  folder.write("storm.toml", storm);
  auto const file = load("extends = \"storm.toml\"\n");
  EXPECT_EQ(file.name(), "quick");
  EXPECT_FALSE(file.has("description"));
}

TEST_F(ExtendingCase, LeavesOutWhatItSays) {
  folder.write("storm.toml", storm);
  auto const file =
      load("extends = \"storm.toml\"\nwithout = [\"base\", \"grid.levels\"]\n[base]\nkind = \"calm\"\n");
  EXPECT_EQ(file.text("base.kind", ""), "calm");
  for (auto const* gone : {"base.u", "base.above", "grid.levels", "without"})
    EXPECT_FALSE(file.has(gone)) << gone;
  EXPECT_TRUE(file.has("grid.nx"));
}

TEST_F(ExtendingCase, IsOverriddenLikeAnyOther) {
  folder.write("storm.toml", storm);
  auto const file = load("extends = \"storm.toml\"\n[grid]\nnx = 24\n", {"grid.nx=12", "base.u=1.0"});
  EXPECT_EQ(file.integer("grid.nx", 1), 12);
  EXPECT_EQ(file.number("base.u", 0), 1);
  EXPECT_EQ(message_of<InputError>([&] { file.number("base.u", 0, 2, 3); }),
            "--set base.u=1.0: base.u: out of range (it is 1) choose between 2 and 3");
}

TEST_F(ExtendingCase, EmptyTablesTakeNothingAway) {
  folder.write("storm.toml", storm);
  auto const file = load("extends = \"storm.toml\"\n[grid]\n[base]\n");
  EXPECT_EQ(file.integer("grid.nx", 1), 96);
  EXPECT_EQ(file.number("base.above.u", 0), 3);
}

TEST_F(ExtendingCase, NamesTheFileAndLineWhereAKeyStands) {
  folder.write("storm.toml", storm);
  auto const file = load("extends = \"storm.toml\"\n[grid]\nnx = 24\n");
  EXPECT_EQ(file.core(), "fdm");
  auto const at = folder.path().string();
  EXPECT_EQ(message_of<InputError>([&] { file.integer("grid.nx", 1, 1, 9); }),
            at + "/quick.toml:3: grid.nx: out of range (it is 24) choose between 1 and 9");
  EXPECT_EQ(message_of<InputError>([&] { file.number("base.u", 1, 1, 9); }),
            at + "/storm.toml:9: base.u: out of range (it is -12) choose between 1 and 9");
  EXPECT_EQ(message_of<InputError>([&] { file.numbers("grid.levels", {}, 0, 2.5); }),
            at + "/storm.toml:6: grid.levels[2]: out of range (it is 3) choose between 0 and 2.5");
  EXPECT_EQ(
      message_of<InputError>([&] { file.reject_unknown(); }).find(at + "/storm.toml:8: base.kind: unknown"),
      0u);
}

TEST_F(ExtendingCase, StartsRelativePathsWhereTheyAreGiven) {
  fs::create_directory(folder / "storms");
  folder.write("storms/storm.toml", std::string(storm) + "[air]\nfile = \"air.txt\"\nother = \"air.txt\"\n");
  folder.write("storms/air.txt", "1");
  folder.write("air.txt", "2");
  auto const file = load("extends = \"storms/storm.toml\"\n[air]\nother = \"air.txt\"\n");
  EXPECT_EQ(file.file("air.file", true), folder.path() / "storms/air.txt");
  EXPECT_EQ(file.file("air.other", true), folder.path() / "air.txt");
  auto const absolute =
      load("extends = \"" + (folder / "storms/storm.toml").string() + "\"\n[air]\nother = \"air.txt\"\n");
  EXPECT_EQ(absolute.file("air.file", true), folder.path() / "storms/air.txt");
}

TEST_F(ExtendingCase, IsRefusedInOneLineWhereItCannotBe) {
  folder.write("storm.toml", storm);
  folder.write("chain.toml", "name = \"chain\"\nextends = \"storm.toml\"\n");
  folder.write("notes.txt", "call Ada\n");
  folder.write("other.toml", "[tool]\nversion = 2\n");
  folder.write("broken.toml", "core = \"fdm\"\n[grid]\nnx = \n");
  fs::create_directory(folder / "folder");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::vector<std::pair<char const*, char const*>> const refused{
      {"\"none.toml\"", "quick.toml:1: extends: none.toml: no such case file ("},
      {"\"quick.toml\"", "quick.toml:1: extends: is the case itself ("},
      {"\"./folder/../quick.toml\"", "quick.toml:1: extends: is the case itself ("},
      {"\"chain.toml\"", "quick.toml:1: extends: names a case that extends another one (chain.toml:2; "},
      {"\"notes.txt\"", "quick.toml:1: extends: notes.txt:1: not valid TOML ("},
      {"\"broken.toml\"", "quick.toml:1: extends: broken.toml:3: not valid TOML ("},
      {"\"other.toml\"", "quick.toml:1: extends: names no case (other.toml has no key 'core') "},
      {"\"folder\"", "quick.toml:1: extends: folder: not a case file (it is a folder) "},
      {"\"pipe\"", "quick.toml:1: extends: pipe: not a case file (it is a device, pipe or socket) "},
      {"\"/proc/self/environ\"", "quick.toml:1: extends: /proc/self/environ: "},
      {"\"\"", "quick.toml:1: extends: must name a case file (it is the text \"\") "},
      {"3", "quick.toml:1: extends: must name a case file (it is the integer 3) "},
      {"[\"storm.toml\"]", "quick.toml:1: extends: must name a case file (it is an array) "},
      {"\"a\\u0000b\"", "quick.toml:1: extends: is no path (it holds a NUL character, "},
      {"\"storm.toml\"\nwithout = [\"bsae\"]",
       "quick.toml:2: without[0]: names nothing (storm.toml has no key or table 'bsae' "},
      {"\"storm.toml\"\nwithout = [\"bas\"]", "quick.toml:2: without[0]: names nothing ("},
      {"\"storm.toml\"\nwithout = [\"base\", 3]",
       "quick.toml:2: without[1]: must be text (it is the integer 3) "},
      {"\"storm.toml\"\nwithout = \"base\"",
       "quick.toml:2: without: must be an array of texts (it is the text \"base\") "},
      {"\"storm.toml\"\ngrid = 3",
       "quick.toml:2: grid: clashes with grid.levels of storm.toml:6 (one of them is a table) "},
      {"\"storm.toml\"\n[base.kind]\na = 3",
       "quick.toml:3: base.kind.a: clashes with base.kind of storm.toml:8 ("}};
  for (auto const& [extends, start] : refused) {
    auto const message = refusal("extends = " + std::string(extends) + "\n");
    EXPECT_EQ(message.substr(0, std::string(start).size()), start) << message;
  }
  EXPECT_EQ(refusal("core = \"fdm\"\n", {"extends=storm.toml"})
                .find("--set extends=storm.toml: extends: stands in case files only ("),
            0u);
}

TEST_F(ExtendingCase, OfTextThatIsNoFileYetStartsAtItsFolder) {
  folder.write("storm.toml", storm);
  auto const file = CaseFile::parse("extends = \"storm.toml\"\n", "given", folder.path());
  EXPECT_EQ(file.core(), "fdm");
}

TEST_F(ExtendingCase, IsMadeElsewhereWithoutTheOtherFile) {
  fs::create_directory(folder / "storms");
  folder.write("storms/storm.toml", std::string(storm) + "[air]\nfile = \"air.txt\"\n");
  folder.write("storms/air.txt", "1");
  auto const file =
      load("extends = \"storms/storm.toml\"\nwithout = [\"base\"]\n[grid]\nnx = 24\n", {"grid.ny=3"});
  file.accept("output");
  auto const origin = file.origin();
  fs::remove(folder / "storms/storm.toml");
  auto const again = CaseFile::from(origin);
  EXPECT_EQ(again.difference(file, {}), "");
  EXPECT_EQ(file.difference(again, {}), "");
  EXPECT_EQ(again.integer("grid.ny", 1), 3);
  EXPECT_EQ(again.file("air.file", true), folder.path() / "storms/air.txt");
  EXPECT_EQ(message_of<InputError>([&] { again.numbers("grid.levels", {}, 0, 1); }),
            folder.path().string() +
                "/storms/storm.toml:6: grid.levels[1]: out of range (it is 2) choose between 0 and 1");
  // Once more, from what was made of it.
  EXPECT_EQ(CaseFile::from(again.origin()).difference(file, {}), "");
}

/// Random keys of tables that never are keys as well.
using Keys = std::map<std::string, std::string>;
Keys random_keys(std::mt19937& random) {
  auto const draw = [&](int below) { return std::uniform_int_distribution<>(0, below - 1)(random); };
  Keys keys;
  for (int n = draw(12); n > 0; --n) {
    auto const depth = draw(3);
    std::string key;
    for (int k = 0; k < depth; ++k) key += std::string("t") + std::to_string(draw(3)) + ".";
    key += std::string("k") + std::to_string(draw(4));
    auto const number = std::to_string(draw(1000));
    std::vector<std::string> const values{number, number + ".5", "\"" + number + "\"", "[" + number + ", 2]",
                                          "true"};
    keys[key] = values[static_cast<std::size_t>(draw(5))];
  }
  return keys;
}
std::string text_of(Keys const& keys) {
  std::string text;
  for (auto const& [key, value] : keys) text += key + " = " + value + "\n";
  return text;
}

TEST_F(ExtendingCase, IsTheCaseThatIsWrittenOut) {
  std::mt19937 random{42};
  std::size_t replaced = 0;
  for (int n = 0; n < 300; ++n) {
    auto const below = random_keys(random), above = random_keys(random);
    auto both = below;
    for (auto const& [key, value] : above) {
      replaced += both.contains(key);
      both.insert_or_assign(key, value);
    }
    folder.write("below.toml", "core = \"fdm\"\n" + text_of(below));
    auto const file = load("extends = \"below.toml\"\n" + text_of(above));
    auto const whole = CaseFile::parse("core = \"fdm\"\n" + text_of(both), "whole.toml");
    ASSERT_EQ(file.difference(whole, {}), "") << text_of(below) << "and\n" << text_of(above);
    ASSERT_EQ(whole.difference(file, {}), "") << text_of(below) << "and\n" << text_of(above);
    // What --show prints is that case, too.
    CaseText const own{test::read_file(folder / "quick.toml"), "quick.toml", folder.path()};
    auto const shown = written_out(read_merged(own).entries);
    ASSERT_EQ(CaseFile::parse(shown, "shown.toml").difference(whole, {}), "") << shown;
    ASSERT_EQ(whole.difference(CaseFile::parse(shown, "shown.toml"), {}), "") << shown;
  }
  EXPECT_GT(replaced, 100u);
}

TEST_F(ExtendingCase, HasTheHashOfTheCaseThatIsWrittenOut) {
  auto const hash_of = [](CaseFile const& file) {
    file.text("core", "");
    file.name();
    file.integer("grid.nx", 1);
    file.numbers("grid.levels", {});
    file.text("base.kind", "");
    file.number("base.u", 0);
    file.accept("output");
    file.reject_unknown();
    return std::pair{file.hash(), file.resolved()};
  };
  folder.write("storm.toml", storm);
  auto const file = load("extends = \"storm.toml\"\nwithout = [\"base.above\"]\n[grid]\nnx = 24\n");
  auto const whole = CaseFile::parse(
      "core = \"fdm\"\nname = \"quick\"\n[grid]\nnx = 24\nlevels = [1.0, 2.0, 3.0]\n[base]\nkind = "
      "\"sheared\"\nu = -12.0\n",
      "w");
  EXPECT_EQ(hash_of(file), hash_of(whole));
}

TEST_F(ExtendingCase, IsShownByTablesWithTheFileAndLineOfEachKey) {
  folder.write("storm.toml", storm);
  CaseText const own{"extends = \"storm.toml\"\nwithout = [\"base.above\"]\n[grid]\nnx = 24\n[figure.w]\n",
                     "quick.toml", folder.path()};
  EXPECT_EQ(written_out(read_merged(own).entries), R"(core = "fdm"              # storm.toml:1

[grid]
levels = [1.0, 2.0, 3.0]  # storm.toml:6
nx = 24                   # quick.toml:4

[base]
kind = "sheared"          # storm.toml:8
u = -12.0                 # storm.toml:9

[output]
interval = "10 min"       # storm.toml:13

[figure.w]
                          # quick.toml:5
)");
}

}  // namespace
}  // namespace ulpine::io
