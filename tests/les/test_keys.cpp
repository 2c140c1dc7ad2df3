// SPDX-License-Identifier: Apache-2.0
#include "core/les/keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/les/register.hpp"
#include "core/les/setup.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/cases.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::les {
namespace {

using Names = std::set<std::string>;

Names asked_for(io::CaseFile const& case_file) {
  auto const accepted = case_file.origin().accepted;
  return {accepted.begin(), accepted.end()};
}

/// What `read` asks a case for besides what was asked for before.
template <class Read>
Names read_by(io::CaseFile const& case_file, Read read) {
  auto const before = asked_for(case_file);
  read();
  Names names;
  std::ranges::set_difference(asked_for(case_file), before, std::inserter(names, names.end()));
  return names;
}

/// Those that are neither a declared key, nor a table that has one, nor the hash of a declared file.
Names undeclared(Names const& names) {
  auto const declared = [](std::string const& name) {
    return std::ranges::any_of(case_keys(), [&](io::CaseKey const& key) {
      return key.name == name || key.name.starts_with(name + ".") ||
             (key.kind == io::KeyKind::file && key.name + "_xxh64" == name);
    });
  };
  Names found;
  std::ranges::copy_if(names, std::inserter(found, found.end()),
                       [&](std::string const& name) { return !declared(name); });
  return found;
}

/// The shipped cases, and small ones, that together have every part of the core.
struct Cases {
  test::TemporaryFolder folder;
  std::map<std::string, Names> read;  ///< by case, what the core asked for
  std::string defaults;               ///< resolved() of a case that gives the size of a cell alone

  Cases() {
    register_core();
    for (auto const& item : ensembles::shipped_cases()) {
      if (item.core == "les") add(item.name, {item.file});
    }
    auto const flat = written("flat", "[grid]\nnx = 16\nny = 16\n[time]\nend = \"1 s\"\n");
    auto const with = [&](std::string const& name, std::vector<std::string> const& settings) {
      add(name, {flat, settings});
    };
    with("default", {});
    with("cubes",
         {"buildings.kind=cubes", "buildings.side=100.0", "buildings.gap=100.0", "buildings.height=60.0"});
    with("canyon", {"buildings.kind=street_canyon", "buildings.canyon_width=200.0",
                    "pressure.buildings=exact", "time.step=1 s"});
    with("moist", {"profile.humidity.kg_per_kg=[0.01]", "ground.theta=300.0", "ground.humidity=0.01",
                   "start.noise_humidity=1e-5"});
    with("wet", {"profile.humidity.kg_per_kg=[0.01]", "ground.moisture_flux=1e-5", "force.mean_u=1.0"});
    with("earth", {"air.latitude=50.0"});
    std::ofstream(folder.path() / "heights.txt") << "0 0\n60 0\n";
    with("raster", {"buildings.kind=raster", "buildings.file=" + (folder.path() / "heights.txt").string(),
                    "buildings.spacing=80.0"});
  }

  std::filesystem::path written(std::string const& name, std::string const& text) const {
    auto const path = folder.path() / (name + ".toml");
    std::ofstream(path) << "core = \"les\"\n" + text;
    return path;
  }
  void add(std::string const& name, ensembles::CaseSource const& source) {
    auto const case_file = source.load();
    read[name] = read_by(case_file, [&] { read_case(case_file); });
    EXPECT_NO_THROW(case_file.reject_unknown()) << name;
    if (name == "default") defaults = case_file.resolved();
  }
};

Cases const& cases() {
  static Cases const all;
  return all;
}

TEST(LesKeys, AreDeclaredWhereverACaseIsRead) {
  EXPECT_GT(cases().read.size(), 15u);
  for (auto const& [name, names] : cases().read) {
    EXPECT_GT(names.size(), 40u) << name;
    EXPECT_EQ(undeclared(names), Names{}) << name;
  }
}

TEST(LesKeys, AreAllReadBySomeCase) {
  Names all, declared;
  for (auto const& [name, names] : cases().read) all.insert(names.begin(), names.end());
  for (auto const& key : case_keys()) {
    EXPECT_TRUE(all.contains(key.name)) << key.name;
    EXPECT_TRUE(declared.insert(key.name).second) << key.name << " is declared twice";
  }
}

TEST(LesKeys, HaveTheDefaultsThatAreDeclared) {
  auto const read = io::CaseFile::parse(cases().defaults, "defaults.toml");
  std::size_t compared = 0;
  for (auto const& key : case_keys()) {
    if (!read.has(key.name) || key.name == "grid.nx" || key.name == "grid.ny") continue;
    SCOPED_TRACE(key.name);
    ++compared;
    if (key.kind == io::KeyKind::number) {
      EXPECT_EQ(read.number(key.name, -1), key.value.value_or(read.number(key.name, -1)));
    } else if (key.kind == io::KeyKind::integer) {
      EXPECT_EQ(static_cast<double>(read.integer(key.name, std::int64_t{-1})), *key.value);
    } else if (key.kind == io::KeyKind::flag) {
      EXPECT_EQ(read.flag(key.name, *key.value == 0), *key.value != 0);
    } else if (key.kind == io::KeyKind::duration) {
      EXPECT_EQ(read.duration(key.name, "7 s"), *key.value);
    } else if (key.kind == io::KeyKind::numbers) {
      auto const written = io::CaseFile::parse("x = " + key.fallback, "fallback");
      EXPECT_EQ(read.numbers(key.name, {}), written.numbers("x", {}));
    } else {
      EXPECT_EQ("\"" + read.text(key.name, "") + "\"", key.fallback);
    }
  }
  EXPECT_GT(compared, 50u);
}

TEST(LesKeys, ThatAreReadAndNotDeclaredAreFound) {
  auto const case_file = ensembles::CaseSource{cases().written("twisted", "")}.load();
  auto const names = read_by(case_file, [&] {
    read_case(case_file);
    static_cast<void>(case_file.number("grid.twist", 0));
    static_cast<void>(case_file.has("winds"));
  });
  EXPECT_EQ(undeclared(names), (Names{"grid.twist", "winds"}));
}

}  // namespace
}  // namespace ulpine::les
