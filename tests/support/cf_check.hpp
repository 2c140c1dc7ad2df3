// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/netcdf_file.hpp"

namespace ulpine::test {

/// Standard names that the models may use and their canonical units (CF standard name table, version 84).
inline std::map<std::string, std::string> const& standard_names() {
  static std::map<std::string, std::string> const names = {
      {"time", "s"},
      {"latitude", "degrees_north"},
      {"longitude", "degrees_east"},
      {"projection_x_coordinate", "m"},
      {"projection_y_coordinate", "m"},
      {"height", "m"},
      {"altitude", "m"},
      {"cell_area", "m2"},
      {"land_binary_mask", "1"},
      {"sea_binary_mask", "1"},
      {"sea_ice_x_velocity", "m s-1"},
      {"sea_ice_y_velocity", "m s-1"},
      {"sea_ice_thickness", "m"},
      {"sea_ice_area_fraction", "1"},
      {"maximum_over_coordinate_rotation_of_sea_ice_horizontal_shear_strain_rate", "s-1"},
      {"divergence_of_sea_ice_velocity", "s-1"},
      {"x_wind", "m s-1"},
      {"y_wind", "m s-1"},
      {"upward_air_velocity", "m s-1"},
      {"air_potential_temperature", "K"},
      {"air_temperature", "K"},
      {"air_pressure", "Pa"},
      {"air_density", "kg m-3"},
      {"specific_humidity", "1"},
      {"humidity_mixing_ratio", "1"},
      {"cloud_liquid_water_mixing_ratio", "1"},
      {"specific_turbulent_kinetic_energy_of_air", "m2 s-2"}};
  return names;
}

/// What a NetCDF-4 file without groups lacks of CF-1.11 as far as Ulpine writes it; empty where nothing. Not
/// thread-safe.
inline std::vector<std::string> cf_problems(std::filesystem::path const& path) {
  NetcdfFile const file{path};
  if (!file.is_open()) return {"cannot be opened"};
  std::vector<std::string> problems;
  auto const conventions = file.words(NC_GLOBAL, "Conventions");
  if (std::ranges::find(conventions, "CF-1.11") == conventions.end()) {
    problems.push_back("Conventions is not CF-1.11");
  }
  for (auto const* name : {"title", "source", "history", "references"}) {
    if (file.text(NC_GLOBAL, name).empty()) problems.push_back(std::string{"no global attribute "} + name);
  }
  auto const variables = file.variables();
  std::set<std::string> names;
  for (auto const& variable : variables) names.insert(variable.name);

  for (auto const& variable : variables) {
    auto const text = [&](char const* name) { return file.text(variable.id, name); };
    auto const complain = [&](std::string const& problem) {
      problems.push_back(variable.name + ": " + problem);
    };
    auto const units = text("units"), standard_name = text("standard_name"), axis = text("axis");
    auto const flags = file.words(variable.id, "flag_meanings");
    // Parts of a mesh and flags measure nothing.
    if (units.empty() && text("cf_role").empty() && flags.empty()) complain("no units");
    if (standard_name.empty() && text("long_name").empty()) complain("neither standard_name nor long_name");
    if (!standard_name.empty()) {
      auto const known = standard_names().find(standard_name);
      if (known == standard_names().end()) {
        complain("not a standard name: " + standard_name);
      } else if (variable.name != "time" && units != known->second) {
        complain("units " + units + " instead of " + known->second);
      }
    }
    if (!axis.empty() && std::string{"XYZT"}.find(axis) == std::string::npos) complain("axis " + axis);
    auto const positive = text("positive");
    if (axis == "Z" && units != "Pa" && positive.empty()) complain("no positive");
    if (!positive.empty() && positive != "up" && positive != "down") complain("positive " + positive);
    auto const fill = file.attribute_type(variable.id, "_FillValue");
    if (fill != NC_NAT && fill != variable.type) complain("_FillValue of another type");
    for (auto const* attribute : {"coordinates", "cell_measures", "ancillary_variables"}) {
      for (auto const& word : file.words(variable.id, attribute)) {
        if (word.back() != ':' && !names.contains(word))
          complain(std::string{attribute} + " names no variable: " + word);
      }
    }
    auto const measures = file.words(variable.id, "cell_measures");
    if (measures.size() % 2 != 0) complain("cell_measures is no list of measures and variables");
    for (std::size_t i = 0; i < measures.size(); ++i) {
      if (i % 2 == 0 ? measures[i] != "area:" && measures[i] != "volume:" : measures[i].back() == ':') {
        complain("cell_measures is no list of measures and variables");
        break;
      }
      if (i % 2 == 0) continue;
      auto const measure = file.variable(measures[i]);
      if (measure.id < 0) continue;
      if (file.text(measure.id, "units") != (measures[i - 1] == "area:" ? "m2" : "m3")) {
        complain(measures[i] + " has no units of an " + measures[i - 1]);
      }
      for (auto const dimension : measure.dimensions) {
        if (std::ranges::find(variable.dimensions, dimension) == variable.dimensions.end()) {
          complain("has not all dimensions of " + measures[i]);
        }
      }
    }
    auto const masks = file.numbers(variable.id, "flag_masks");
    auto const* const flag_kind = masks.empty() ? "flag_values" : "flag_masks";
    if (flags.size() != file.numbers(variable.id, flag_kind).size() ||
        (!flags.empty() && file.attribute_type(variable.id, flag_kind) != variable.type)) {
      complain(std::string(flag_kind) + " and flag_meanings do not belong together");
    }
    if (std::ranges::any_of(masks, [](double mask) {
          return !(mask > 0) || std::log2(mask) != std::floor(std::log2(mask));
        })) {
      complain("flag_masks are no single bits");
    }
    if (std::set<std::string>(flags.begin(), flags.end()).size() != flags.size()) {
      complain("a word of flag_meanings is there twice");
    }

    if (variable.dimensions.size() != 1 || file.dimension(variable.dimensions[0]) != variable.name) continue;
    // A coordinate variable.
    if (fill != NC_NAT) complain("a coordinate with _FillValue");
    auto const values = file.values(variable);
    auto const up = std::ranges::adjacent_find(values, std::greater_equal<>{}) == values.end();
    auto const down = std::ranges::adjacent_find(values, std::less_equal<>{}) == values.end();
    if (!up && !down) complain("not strictly monotonic");
    if (variable.name == "time" && (units.find(" since ") == std::string::npos || text("calendar").empty())) {
      complain("no reference date or calendar");
    }
  }
  return problems;
}

}  // namespace ulpine::test
