// SPDX-License-Identifier: Apache-2.0
// The table of a sea-ice case's keys: what is read is declared, what is declared is read, and shipped cases
// have nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/model/common_keys.hpp"
#include "core/seaice/case_setup.hpp"
#include "core/seaice/keys.hpp"
#include "io/case_entries.hpp"
#include "support/netcdf_writing.hpp"
#include "support/temporary_folder.hpp"
#include "verification/evaluators/case_keys.hpp"

namespace {

using namespace ulpine;

io::KeyTables const tables = {&seaice::case_keys(), &common_case_keys(), &verification::case_keys()};

bool is_declared(std::string const& name) { return io::find_key(tables, name) != nullptr; }

/// Files of 3 x 2 cells of 1 degree at the equator: a mesh on the plane and on the sphere, ice, winds.
struct Files {
  test::TemporaryFolder folder;

  Files() {
    std::string plane = "ParametricMesh 2.0\n3 2\n";
    std::vector<double> corners;
    for (int j = 0; j <= 2; ++j) {
      for (int i = 0; i <= 3; ++i) {
        plane += std::to_string(i * 1000) + " " + std::to_string(j * 1000) + "\n";
        corners.insert(corners.end(), {double(i), double(j)});
      }
    }
    plane += "landmask 0\ndirichlet 24\n";
    for (int k = 0; k < 24; ++k) plane += std::to_string(k / 4) + " " + std::to_string(k % 4) + "\n";
    folder.write("plane.smesh", plane + "periodic 0\n");
    {
      test::NetcdfWriting file(folder / "ice.nc");
      int const yv = file.dimension("yvertex", 3), xv = file.dimension("xvertex", 4),
                two = file.dimension("ncoords", 2), y = file.dimension("y", 2), x = file.dimension("x", 3);
      int const coords = file.variable("coords", NC_DOUBLE, {yv, xv, two}),
                mask = file.variable("mask", NC_DOUBLE, {y, x}), h = file.variable("hice", NC_DOUBLE, {y, x}),
                a = file.variable("cice", NC_DOUBLE, {y, x});
      file.text(coords, "units", "degrees");
      file.text(h, "units", "m");
      file.values(coords, corners);
      for (auto const variable : {mask, h, a}) file.values(variable, std::vector<double>(6, 1));
    }
    test::NetcdfWriting file(folder / "winds.nc");
    int const lat = file.dimension("lat", 2), lon = file.dimension("lon", 2);
    int const latitude = file.variable("lat", NC_DOUBLE, {lat}),
              longitude = file.variable("lon", NC_DOUBLE, {lon}),
              u = file.variable("u10", NC_DOUBLE, {lat, lon}),
              v = file.variable("v10", NC_DOUBLE, {lat, lon});
    file.text(latitude, "units", "degrees_north");
    file.text(longitude, "units", "degrees_east");
    for (auto const variable : {u, v}) file.text(variable, "units", "m s-1");
    for (auto const axis : {latitude, longitude}) file.values(axis, {-20, 20});
    for (auto const variable : {u, v}) file.values(variable, {1, 2, 3, 4});
  }

  /// The keys that are looked for in a case of these lines.
  std::set<std::string> asked_for(std::string const& lines) const {
    auto const case_file = io::CaseFile::parse(lines, "case.toml", folder.path());
    seaice::read_case(case_file);
    auto const names = case_file.origin().accepted;
    return {names.begin(), names.end()};
  }
  /// Those of cases that take every way through the reading.
  std::set<std::string> all_asked_for() const {
    std::string const
        ice =
            "initial = {source = 'file', file = 'ice.nc', mask = 'mask', height_variable = 'hice', "
            "concentration_variable = 'cice'}\n",
        sphere = "discretisation.coordinates = 'spherical'\n",
        uniform = "forcing = {wind = 'uniform', ocean = 'uniform'}\ninitial.source = 'uniform'\n",
        plane_of_file = "grid.mesh = 'plane.smesh'\n",
        sphere_of_file = "grid = {mesh = 'ice.nc', vertices_variable = 'coords'}\n",
        winds = "forcing = {wind = 'file', wind_file = 'winds.nc'}\n";
    std::set<std::string> all;
    for (auto const& lines : {std::string("grid.nx = 4\n"), "grid.nx = 4\n" + uniform, plane_of_file + ice,
                              "grid.nx = 4\n" + sphere, "grid.nx = 4\n" + sphere + uniform,
                              sphere_of_file + sphere + ice + winds}) {
      all.merge(asked_for(lines));
    }
    return all;
  }
};

TEST(SeaIceKeys, ThatAreReadAreDeclared) {
  for (auto const& name : Files().all_asked_for()) EXPECT_TRUE(is_declared(name)) << name;
}

TEST(SeaIceKeys, ThatAreDeclaredAreRead) {
  auto const asked = Files().all_asked_for();
  for (auto const& key : seaice::case_keys()) EXPECT_TRUE(asked.contains(key.name)) << key.name;
}

TEST(SeaIceKeys, OfShippedCasesAreDeclared) {
  std::filesystem::path const root = std::getenv("ULPINE_SOURCE_DIR");
  int cases = 0;
  for (auto const& entry : std::filesystem::directory_iterator(root / "cases" / "seaice")) {
    if (entry.path().extension() != ".toml") continue;
    ++cases;
    for (auto const& [name, value] : io::read_entries(test::read_file(entry.path()), entry.path().string())) {
      EXPECT_TRUE(is_declared(name)) << entry.path() << ": " << name;
    }
  }
  EXPECT_GE(cases, 4);
}

TEST(SeaIceKeys, AreDeclaredOnceWithUnitsAndWords) {
  std::set<std::string> names;
  for (auto const* table : tables) {
    for (auto const& key : *table) {
      EXPECT_TRUE(names.insert(key.name).second) << key.name;
      EXPECT_GT(key.about.size(), 15u) << key.name;
      for (auto const& choice : key.choices)
        EXPECT_GT(choice.meaning.size(), 5u) << key.name << " " << choice.name;
    }
  }
}

/// A law that is added to the list has to be told in the table too.
TEST(SeaIceKeys, NameEveryRheology) {
  std::vector<std::string> declared;
  for (auto const& choice :
       std::ranges::find(seaice::case_keys(), "seaice.rheology", &io::CaseKey::name)->choices) {
    declared.push_back(choice.name);
  }
  EXPECT_EQ(declared, seaice::names_of(seaice::Rheologies{}));
}

}  // namespace
