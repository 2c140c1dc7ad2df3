// SPDX-License-Identifier: Apache-2.0
#include "io/case_keys.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/error.hpp"

namespace ulpine::io {
namespace {

std::vector<CaseKey> const& keys() {
  static std::vector<CaseKey> const all = {
      integer_key("grid.nx", 64, 1, 16384, "cells along x"),
      integer_key("start.seed", 7, std::numeric_limits<std::int64_t>::min(),
                  std::numeric_limits<std::int64_t>::max(), "where random numbers begin"),
      quantity_key("grid.dx", "m", 1000, 1e-6, 1e6, "width of a cell"),
      quantity_key("grid.dy", "m", 5, 1e-6, 1e6, "width along y").follows("grid.dx"),
      number_key("sound.weight", 0.6, 0.5, 1, "weight of the new time"),
      quantity_key("start.amplitude", "K or Pa", 2, -1e4, 1e4, "largest disturbance"),
      flag_key("air.humid", true, "whether there is vapour"),
      text_key("initial.name", "ice", "variable of the file"),
      choice_key("closure.kind", {{"none", "no eddies"}, {"energy", "carried energy"}}, "eddies"),
      duration_key("time.step", "1.5 min", 1, 600, "length of a step"),
      file_key("base.file", "a sounding").needing("base.kind = \"sounding\""),
      numbers_key("sponge.thickness", "m", "[1.0, 2.0]", 0, 10, 2, 3, "thickness of the layers"),
      texts_key("initial.layers", R"(["a"])", 1, 2, "layers of the file"),
      number_key("closure.prandtl", 1, 0, 9, "Prandtl number").needing("closure.kind = \"energy\""),
      number_key("evaluate.*.level", 0, 0, 9, "level of an evaluation").needing("a level"),
      number_key("idle.key", 1, 0, 9, "what nobody reads"),
      text_key("initial.date", "", "date of the start").follows("the file's first"),
      choice_key("forcing.wind", {{"gale", "much wind"}, {"calm", "no wind"}, {"file", "that of a file"}},
                 "wind")
          .follows("on a plane \"gale\", else \"calm\""),
      duration_key("time.end", "0 s", 0, 100, "end of the run").follows("required"),
  };
  return all;
}

CaseFile parse(std::string const& text, std::vector<std::string> const& overrides = {}) {
  return CaseFile::parse("core = \"x\"\n" + text + "\n", "case.toml", ".", overrides);
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

/// What reading `text` by the table says of it.
template <class Read>
std::string refusal_of(std::string const& text, Read const& read) {
  auto const file = parse(text);
  return refusal([&] { read(KeyReader{file, keys()}); });
}

TEST(CaseKeys, DefaultsAreThoseOfTheTable) {
  auto const file = parse("");
  KeyReader const reader{file, keys()};
  EXPECT_EQ(reader.integer("grid.nx"), 64);
  EXPECT_EQ(reader.integer<std::int64_t>("start.seed"), 7);
  EXPECT_EQ(reader.number("grid.dx"), 1000);
  EXPECT_EQ(reader.number("sound.weight"), 0.6);
  EXPECT_TRUE(reader.flag("air.humid"));
  EXPECT_EQ(reader.text("initial.name"), "ice");
  EXPECT_EQ(reader.choice("closure.kind"), "none");
  EXPECT_EQ(reader.duration("time.step"), 90);
  EXPECT_EQ(reader.file("base.file", false), "");
  EXPECT_FALSE(reader.has("grid.dx"));
  // They are echoed, so that a written case says them.
  EXPECT_NE(file.resolved().find("time.step = \"90 s\""), std::string::npos) << file.resolved();
}

TEST(CaseKeys, DefaultsThatFollowFromOtherKeysAreGiven) {
  auto const file = parse("");
  KeyReader const reader{file, keys()};
  EXPECT_EQ(reader.number("grid.dy", 30), 30);
  EXPECT_EQ(reader.integer("grid.nx", 3), 3);
  EXPECT_EQ(reader.numbers("sponge.thickness", {3, 4}), (std::vector<double>{3, 4}));
  EXPECT_EQ(reader.texts("initial.layers", {"b"}), (std::vector<std::string>{"b"}));
  EXPECT_THROW((void)reader.number("grid.dy"), std::logic_error);
}

TEST(CaseKeys, TextsChoicesAndTimesThatFollowFromOtherKeysAreGiven) {
  auto const file = parse("");
  KeyReader const reader{file, keys()};
  EXPECT_EQ(reader.text("initial.date", "today"), "today");
  EXPECT_EQ(reader.choice("forcing.wind", "calm", {"calm", "file"}), "calm");
  EXPECT_EQ(reader.duration("time.end", "1.5 min"), 90);
  EXPECT_THROW((void)reader.text("initial.date"), std::logic_error);
  EXPECT_THROW((void)reader.duration("time.end"), std::logic_error);
  EXPECT_THROW((void)reader.choice("forcing.wind", "calm", {"calm", "storm"}), std::logic_error);
  // The choices of the case at hand are offered, and no more; limits stay.
  EXPECT_EQ(refusal_of("forcing.wind = \"gale\"",
                       [](KeyReader const& keys) {
                         keys.choice("forcing.wind", "calm", {"calm", "file"});
                       }),
            "case.toml:2: forcing.wind: unknown choice (it is \"gale\") choose one of calm, file (did you "
            "mean 'calm'?)");
  EXPECT_NE(
      refusal_of("time.end = \"101 s\"", [](KeyReader const& keys) { keys.duration("time.end", "1 s"); }),
      "");
}

TEST(CaseKeys, ValuesOfTheCaseWin) {
  auto const file = parse(
      "grid.nx = 2\ngrid.dx = 3\nsound.weight = 0.5\nair.humid = false\ninitial.name = \"n\"\n"
      "closure.kind = \"energy\"\ntime.step = \"2 s\"\nsponge.thickness = [5, 6, 7]\ninitial.layers = "
      "[\"c\", \"d\"]");
  KeyReader const reader{file, keys()};
  EXPECT_EQ(reader.integer("grid.nx"), 2);
  EXPECT_TRUE(reader.has("grid.dx"));
  EXPECT_EQ(reader.number("grid.dx"), 3);
  EXPECT_EQ(reader.number("sound.weight"), 0.5);
  EXPECT_FALSE(reader.flag("air.humid"));
  EXPECT_EQ(reader.text("initial.name"), "n");
  EXPECT_EQ(reader.choice("closure.kind"), "energy");
  EXPECT_EQ(reader.duration("time.step"), 2);
  EXPECT_EQ(reader.numbers("sponge.thickness", {}), (std::vector<double>{5, 6, 7}));
  EXPECT_EQ(reader.texts("initial.layers", {}), (std::vector<std::string>{"c", "d"}));
}

TEST(CaseKeys, LimitsAndUnitsAreThoseOfTheTable) {
  auto const integer = [](KeyReader const& keys) { keys.integer("grid.nx"); };
  EXPECT_EQ(refusal_of("grid.nx = 0", integer),
            "case.toml:2: grid.nx: out of range (it is 0) choose between 1 and 16384");
  EXPECT_NE(refusal_of("grid.nx = 16385", integer), "");
  EXPECT_EQ(refusal_of("grid.nx = 16384", integer), "");
  auto const width = [](KeyReader const& keys) { keys.number("grid.dx"); };
  EXPECT_EQ(refusal_of("grid.dx = 1e7", width),
            "case.toml:2: grid.dx: out of range (it is 1e+07 m) choose between 1e-06 and 1e+06 m");
  EXPECT_NE(refusal_of("grid.dx = 0", width), "");
  auto const weight = [](KeyReader const& keys) { keys.number("sound.weight"); };
  EXPECT_EQ(refusal_of("sound.weight = 0.4", weight),
            "case.toml:2: sound.weight: out of range (it is 0.4) choose between 0.5 and 1");
  auto const step = [](KeyReader const& keys) { keys.duration("time.step"); };
  EXPECT_EQ(refusal_of("time.step = \"0.5 s\"", step),
            "case.toml:2: time.step: out of range (it is 0.5 s) choose between 1 s and 600 s");
  EXPECT_NE(refusal_of("time.step = \"11 min\"", step), "");
  auto const layers = [](KeyReader const& keys) { keys.numbers("sponge.thickness", {1, 2}); };
  EXPECT_EQ(refusal_of("sponge.thickness = [1, 11]", layers),
            "case.toml:2: sponge.thickness[1]: out of range (it is 11 m) choose between 0 and 10 m");
  EXPECT_NE(refusal_of("sponge.thickness = [1]", layers), "");
  EXPECT_NE(refusal_of("sponge.thickness = [1, 2, 3, 4]", layers), "");
  auto const names = [](KeyReader const& keys) { keys.texts("initial.layers", {"a"}); };
  EXPECT_NE(refusal_of("initial.layers = []", names), "");
  EXPECT_NE(refusal_of("initial.layers = [\"a\", \"b\", \"c\"]", names), "");
  EXPECT_EQ(
      refusal_of("closure.kind = \"enregy\"", [](KeyReader const& keys) { keys.choice("closure.kind"); }),
      "case.toml:2: closure.kind: unknown choice (it is \"enregy\") choose one of none, energy (did you mean "
      "'energy'?)");
}

TEST(CaseKeys, LimitsThatFollowFromOtherKeysHoldBesideThoseOfTheTable) {
  auto const narrow = [](KeyReader const& keys) { keys.number("grid.dx", 10, 1, 100); };
  EXPECT_NE(refusal_of("grid.dx = 101", narrow).find("between 1 and 100 m"), std::string::npos);
  auto const wide = [](KeyReader const& keys) { keys.number("grid.dx", 10, -1, 1e9); };
  EXPECT_NE(refusal_of("grid.dx = 1e8", wide).find("between 1e-06 and 1e+06 m"), std::string::npos);
  auto const few = [](KeyReader const& keys) { keys.integer("grid.nx", 4, 2, 1 << 20); };
  EXPECT_NE(refusal_of("grid.nx = 1", few).find("between 2 and 16384"), std::string::npos);
  EXPECT_EQ(refusal_of("grid.nx = 16384", few), "");
}

TEST(CaseKeys, IntegersWithoutLimitsHaveAllTheirDigits) {
  // 2^62 + 1 is no double.
  auto const file = parse("start.seed = 4611686018427387905");
  EXPECT_EQ((KeyReader{file, keys()}.integer<std::int64_t>("start.seed")), 4611686018427387905);
}

TEST(CaseKeys, AUnitThatFollowsFromAnotherKeyIsOneOfThoseDeclared) {
  auto const file = parse("start.amplitude = 300");
  KeyReader const reader{file, keys()};
  EXPECT_EQ(reader.number("start.amplitude", "Pa", 2, -1e3, 1e3), 300);
  EXPECT_EQ(refusal([&] { reader.number("start.amplitude", "K", 2, -200, 200); }),
            "case.toml:2: start.amplitude: out of range (it is 300 K) choose between -200 and 200 K");
  EXPECT_THROW((void)reader.number("start.amplitude", "P", 2, -1, 1), std::logic_error);
  EXPECT_THROW((void)reader.number("start.amplitude", "m", 2, -1, 1), std::logic_error);
}

TEST(CaseKeys, WhatIsNotDeclaredCannotBeRead) {
  auto const file = parse("");
  KeyReader const reader{file, keys()};
  EXPECT_THROW((void)reader.number("grid.nz"), std::logic_error);
  EXPECT_THROW((void)reader.has("grid.nz"), std::logic_error);
  EXPECT_THROW((void)reader.number("grid.nx"), std::logic_error);
  EXPECT_THROW((void)reader.text("closure.kind"), std::logic_error);
  EXPECT_THROW((void)reader.integer("air.humid"), std::logic_error);
}

TEST(CaseKeys, AKeyIsFoundByItsNameAndByWhatAStarStandsFor) {
  KeyTables const tables{&keys()};
  auto const name_of = [&](char const* name) {
    auto const* const found = find_key(tables, name);
    return found == nullptr ? std::string("none") : found->name;
  };
  EXPECT_EQ(name_of("grid.dx"), "grid.dx");
  EXPECT_EQ(name_of("grid.d"), "none");
  EXPECT_EQ(name_of("grid.dx.x"), "none");
  EXPECT_EQ(name_of("grid"), "none");
  EXPECT_EQ(name_of("evaluate.w_max.level"), "evaluate.*.level");
  EXPECT_EQ(name_of("evaluate.level"), "none");
  EXPECT_EQ(name_of("evaluate.a.b.level"), "none");
  EXPECT_EQ(name_of("evaluate.a.levels"), "none");
  // A case keeps the content of a file beside its name.
  EXPECT_EQ(name_of("base.file_xxh64"), "base.file");
  EXPECT_EQ(name_of("grid.dx_xxh64"), "none");
}

TEST(CaseKeys, AnUnknownKeyIsRefusedWithTheNearestThatIsDeclaredReadOrNot) {
  std::vector<CaseKey> const common{number_key("output.interval", 1, 0, 2, "time between outputs")};
  auto const refused = [&](std::string const& text, std::vector<std::string> const& overrides = {}) {
    auto const file = parse(text, overrides);
    return refusal([&] {
      file.core();
      KeyReader{file, keys()}.integer("grid.nx");
      file.number("own.key", 1);
      reject_unknown(file, {&keys(), &common});
    });
  };
  EXPECT_EQ(refused("grid.nx = 3\nclosure.prandl = 1"),
            "case.toml:3: closure.prandl: unknown key (nothing in this case reads it) correct or remove it "
            "(did you "
            "mean 'closure.prandtl'?)");
  EXPECT_NE(refused("output.intervall = 1").find("did you mean 'output.interval'"), std::string::npos);
  EXPECT_NE(refused("own.kei = 1").find("did you mean 'own.key'"), std::string::npos);
  // The key in another table.
  EXPECT_NE(refused("mixing_of_eddies.prandtl = 1").find("did you mean 'closure.prandtl'"),
            std::string::npos);
  EXPECT_EQ(refused("", {"closure.prandl=1"}),
            "--set closure.prandl=1: closure.prandl: unknown key (nothing in this case reads it) correct or "
            "remove it (did you mean 'closure.prandtl'?)");
  EXPECT_EQ(refused("whatever = 1").find("did you mean"), std::string::npos);
  // No name of a case has a star.
  EXPECT_EQ(refused("evaluate.level = 1").find('*'), std::string::npos);
  // The first of the file is told, whatever is wrong with it.
  EXPECT_NE(refused("zzz = 1\nclosure.prandtl = 1").find("case.toml:2: zzz: unknown key"), std::string::npos);
}

TEST(CaseKeys, ADeclaredKeyThatNothingReadsIsRefusedByWhatItNeeds) {
  auto const refused = [&](std::string const& text) {
    auto const file = parse(text);
    return refusal([&] {
      file.core();
      reject_unknown(file, {&keys()});
    });
  };
  EXPECT_EQ(refused("closure.prandtl = 1"),
            "case.toml:2: closure.prandtl: has no effect (it needs closure.kind = \"energy\") give that, or "
            "take it "
            "out");
  EXPECT_NE(refused("base.file_xxh64 = \"0\"").find("has no effect (it needs base.kind"), std::string::npos);
  EXPECT_NE(refused("evaluate.a.level = 1").find("evaluate.a.level: has no effect (it needs a level)"),
            std::string::npos);
  EXPECT_EQ(refused("idle.key = 1"),
            "case.toml:2: idle.key: has no effect (nothing in this case reads it) take it out");
}

TEST(CaseKeys, ACaseWithoutUnknownKeysIsFixed) {
  auto const file = parse("grid.nx = 3");
  file.core();
  KeyReader{file, keys()}.integer("grid.nx");
  reject_unknown(file, {&keys()});
  EXPECT_NO_THROW((void)file.hash());
  EXPECT_THROW((void)file.number("grid.dx", 1), std::logic_error);
}

}  // namespace
}  // namespace ulpine::io
