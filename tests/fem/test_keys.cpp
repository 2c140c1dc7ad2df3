// SPDX-License-Identifier: Apache-2.0
// The table of keys against the cases that there are, and against what is read of a case.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "core/fem/keys.hpp"
#include "core/fem/petsc.hpp"
#include "core/fem/setup.hpp"
#include "io/case_entries.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;

bool is_declared(std::string const& name) {
  return std::ranges::find(fem::case_keys(), name, &io::CaseKey::name) != fem::case_keys().end();
}

/// What all cores' cases have, and what says how a run is judged and shown.
bool is_common(std::string const& name) {
  return std::set<std::string>{"core", "name", "description", "time.end"}.contains(name) ||
         std::ranges::any_of(std::vector{"output", "verify", "evaluate", "figure"},
                             [&](char const* table) { return io::starts_with_table(name, table); });
}

/// The keys that were read of a case of these lines, with their values; of a mesh that is no mesh only those
/// that are read before it.
io::Entries entries_read_of(std::string const& lines) {
  auto const c = io::CaseFile::parse("core = 'fem'\n" + lines, "case.toml");
  if (lines.find("mesh.msh") != std::string::npos) {
    fem::Parameters const parameters{c};
  } else {
    fem::read_case(c);
  }
  return io::read_entries(c.resolved(), "resolved.toml");
}

TEST(KeysOfElements, AreDeclaredForEachShippedCase) {
  auto const folder = std::filesystem::path{std::getenv("ULPINE_SOURCE_DIR")} / "cases/fem";
  std::size_t cases = 0;
  for (auto const& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".toml") continue;
    ++cases;
    std::ifstream stream{file.path()};
    std::string const text{std::istreambuf_iterator<char>{stream}, {}};
    for (auto const& [name, entry] : io::read_entries(text, file.path())) {
      EXPECT_TRUE(is_declared(name) || is_common(name)) << file.path() << ": " << name;
    }
  }
  EXPECT_GE(cases, 8u);
}

/// Cases that between them read all that there is to read.
std::vector<std::string> telling_cases() {
  std::vector<std::string> cases = {
      "[mountain]\nheight = 100.0\nradius = 9000.0\n[boundary]\nopen = ['outflow']\n[sponge]\nrate = "
      "0.1\nfrom = "
      "9000.0\n[mesh]\njitter = 0.1\n[air]\nhumid = true\nhumidity = 0.5\n[upwind]\nscheme = "
      "'supg'\n[start]\n"
      "kind = 'bubble'\ncentre_x = 1e4\ncentre_y = 1e4\nradius_x = 9e3\nradius_y = 9e3\nradius_z = 9e3\n"
      "[pressure]\nmethod = 'gmres'\n[solver]\nmethod = 'gmres'\n",
      "[base]\nbuoyancy_frequency = 0.0\n[manufactured]\nperiod = '64 s'\n"};
  if (fem::has_petsc()) {
    cases.push_back("[pressure]\npetsc = '-ksp_type cg'\n[solver]\npetsc = '-ksp_type gmres'\n");
  }
  return cases;
}

TEST(KeysOfElements, AreThoseThatAreRead) {
  test::TemporaryFolder const folder;
  auto const file = [&](char const* name) { return "'" + folder.write(name, "").string() + "'\n"; };
  std::set<std::string> read;
  auto cases = telling_cases();
  auto const air = folder.write("air.txt", "1000.0 300.0 10.0\n20000.0 450.0 0.0 9.0 1.0\n").string();
  cases.push_back("[base]\nkind = 'sounding'\nfile = '" + air + "'\n");
  cases.push_back("[mesh]\nkind = 'gmsh'\nfile = " + file("mesh.msh") +
                  "[start]\nfile = " + file("start.nc"));
  for (auto const& lines : cases) {
    for (auto const& [name, entry] : entries_read_of(lines)) {
      if (!name.ends_with("_xxh64")) read.insert(name);
    }
  }
  for (auto const& name : read) EXPECT_TRUE(is_declared(name)) << name << " is read but not declared";
  for (auto const& key : fem::case_keys()) {
    auto const of_petsc = key.name.ends_with(".petsc") || key.name == "pressure.formed";
    if (of_petsc && !fem::has_petsc()) continue;
    EXPECT_TRUE(read.contains(key.name)) << key.name << " is declared but not read";
  }
}

/// Whether the default is a value and does not follow from other keys.
bool has_fixed_default(io::CaseKey const& key) {
  if (key.kind == io::KeyKind::choice) return key.fallback == io::toml_text(key.choices.front().name);
  return key.value || key.fallback.starts_with('[') || key.fallback.starts_with('"');
}

TEST(KeysOfElements, HaveTheDefaultsThatAreRead) {
  std::set<std::string> compared;
  for (auto const& lines : telling_cases()) {
    auto const read = entries_read_of(lines);
    auto const given = io::read_entries(lines, "case.toml");
    for (auto const& key : fem::case_keys()) {
      if (!has_fixed_default(key) || given.contains(key.name) || !read.contains(key.name)) continue;
      compared.insert(key.name);
      auto const table = io::read_entries("x = " + key.fallback, "table.toml");
      auto const& declared = table.at("x");
      auto const& found = read.at(key.name);
      if (key.kind == io::KeyKind::number) {
        EXPECT_EQ(io::number_text(*key.value), io::number_text(std::get<double>(found.value))) << key.name;
      } else if (key.kind == io::KeyKind::duration) {
        EXPECT_EQ(*key.value, io::parse_duration(std::get<std::string>(found.value))) << key.name;
      } else {
        EXPECT_EQ(io::toml_of(declared), io::toml_of(found)) << key.name;
      }
    }
  }
  EXPECT_GE(compared.size(), 60u);
}

TEST(KeysOfElements, AreRefusedWhereTogetherTheyAreTooMuch) {
  // Each is within its own range.
  EXPECT_NE(ulpine::test::message_of<InputError>([] {
              entries_read_of("mesh.nx = 600\nmesh.ny = 600\nmesh.nz = 600");
            }).find("2^30 can be numbered"),
            std::string::npos);
  EXPECT_NE(ulpine::test::message_of<InputError>([] {
              entries_read_of("mesh.nx = 1\nmesh.ny = 1\nmesh.nz = 60\nmesh.stretch = 1.5");
            }).find("more than 2^20 times the thinnest"),
            std::string::npos);
  EXPECT_NE(ulpine::test::message_of<InputError>([] {
              entries_read_of(
                  "mesh.nx = 1\nmesh.ny = 1\nmesh.nz = 2\nmesh.length = [100.0, 100.0, 2.0]\nair.humid "
                  "= true\n"
                  "time.step = '1 h'\nwater.fastest_fall = 30.0");
            }).find("each is a sub-step"),
            std::string::npos);
}

TEST(KeysOfElements, OfAMountainNeedItsHeight) {
  for (auto const* const key : {"radius", "x", "y"}) {
    auto const lines = std::string{"mesh.nx = 4\nmesh.ny = 4\nmesh.nz = 4\nmountain."} + key + " = 1000.0";
    EXPECT_NE(ulpine::test::message_of<InputError>([&] {
                entries_read_of(lines);
              }).find("(it needs mountain.height"),
              std::string::npos)
        << key;
  }
}

TEST(KeysOfElements, SayWhatTheyAre) {
  std::set<std::string> names;
  for (auto const& key : fem::case_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name << " stands twice";
    EXPECT_GE(key.about.size(), 10u) << key.name;
    EXPECT_NE(key.about.back(), '.') << key.name;
    for (auto const& choice : key.choices) EXPECT_FALSE(choice.meaning.empty()) << key.name << choice.name;
  }
}

}  // namespace
