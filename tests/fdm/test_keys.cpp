// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/keys.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "core/fdm/make.hpp"
#include "io/error.hpp"

namespace ulpine::fdm {
namespace {

io::CaseFile parse(std::string const& text) {
  return io::CaseFile::parse("core = \"fdm\"\n" + text, "case.toml", std::filesystem::temp_directory_path());
}

/// Keys that are read of a case.
std::set<std::string> read_of(std::string const& text) {
  auto const file = parse(text);
  auto const core = make(Host{1}, "fp64", Assembly::deterministic, Parameters(file));
  auto const read = file.origin().accepted;
  return {read.begin(), read.end()};
}

/// Cases that between them meet what each key needs.
std::vector<std::string> cases() {
  auto const sounding = std::filesystem::path(testing::TempDir()) / "fdm_keys_sounding.txt";
  // As CM1 has it: pressure in hPa, then heights, potential temperatures, mixing ratios and winds.
  std::ofstream(sounding) << "1000.0 300.0 10.0\n1000.0 303.0 5.0 3.0 0.0\n20000.0 450.0 0.0 9.0 1.0\n";
  return {
      "time.scheme = \"leapfrog\"\ngrid.stretching = \"tanh\"\ngrid.ny = 8\ngrid.nz = 24\nmixing.closure = "
      "\"energy\"\n"
      "start.kind = \"bubble\"\nterrain.kind = \"schaer\"\nterrain.half_width = 9000.0\n",
      "mixing.closure = \"smagorinsky\"\nbase.kind = \"weisman_klemp\"\ncanopy.height = 900.0\n",
      "base.kind = \"constant_n\"\n",
      "base.kind = \"sounding\"\nbase.file = \"" + sounding.string() + "\"\n"};
}

TEST(Keys, AllThatAreDeclaredAreReadAndNoOthers) {
  std::set<std::string> read;
  for (auto const& text : cases()) read.merge(read_of(text));
  for (auto const& key : case_keys()) EXPECT_TRUE(read.contains(key.name)) << key.name;
  io::KeyTables const tables{&case_keys()};
  for (auto const& name : read) EXPECT_NE(io::find_key(tables, name), nullptr) << name;
}

/// Another value than the default that the limits allow.
std::string other_value(io::CaseKey const& key) {
  switch (key.kind) {
    case io::KeyKind::choice:
      return "\"" + key.choices.back().name + "\"";
    case io::KeyKind::flag:
      return key.value.value_or(0) != 0 ? "false" : "true";
    case io::KeyKind::file:
      return "\"none.txt\"";
    default:
      break;
  }
  auto const value = key.value.value_or(key.least), other = value + 1 <= key.most ? value + 1 : key.least;
  return io::number_text(other).find_first_of(".e") == std::string::npos ? io::number_text(other) + ".0"
                                                                         : io::number_text(other);
}

/// What is said of a case when all its keys are read; empty where nothing is.
std::string refusal_of(std::string const& text) {
  auto const file = parse(text);
  try {
    file.core();
    Parameters const parameters(file);
    io::reject_unknown(file, {&case_keys()});
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

std::string idle(io::CaseKey const& key) {
  return key.name + ": has no effect (it needs " + key.needs + ") give that, or take it out";
}

TEST(Keys, OneWithoutEffectIsRefusedByWhatItNeeds) {
  auto count = 0;
  for (auto const& key : case_keys()) {
    if (key.needs.empty()) continue;
    // The default air is made by a formula: what that needs has no effect on the air of a sounding.
    auto const of_formula = key.name.starts_with("base.") && key.needs != "base.kind = \"sounding\"";
    auto const plain = of_formula ? cases().back() : std::string();
    auto const refused = refusal_of(plain + key.name + " = " + other_value(key) + "\n");
    EXPECT_NE(refused.find(idle(key)), std::string::npos) << key.name << ": " << refused;
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(Keys, ABubbleInOneRowHasNoWidthAlongY) {
  auto const* const key = io::find_key({&case_keys()}, "start.radius_y");
  ASSERT_NE(key, nullptr);
  std::string const bubble = "start.kind = \"bubble\"\nstart.radius_y = 3000.0\n";
  EXPECT_NE(refusal_of(bubble).find(idle(*key)), std::string::npos);
  EXPECT_EQ(refusal_of(bubble + "grid.ny = 8\n"), "");
}

TEST(Keys, AreDeclaredOnceAndExplained) {
  std::set<std::string> names;
  for (auto const& key : case_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_GE(key.about.size(), 10u) << key.name;
    EXPECT_NE(key.about.back(), '.') << key.name;
    for (auto const& choice : key.choices) EXPECT_FALSE(choice.meaning.empty()) << key.name;
    if (key.value) {
      EXPECT_GE(*key.value, key.least) << key.name;
      EXPECT_LE(*key.value, key.most) << key.name;
    }
  }
}

}  // namespace
}  // namespace ulpine::fdm
