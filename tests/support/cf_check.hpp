// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netcdf.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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
  int file = -1, variables = 0, dimensions = 0;
  if (nc_open(path.c_str(), NC_NOWRITE, &file) != NC_NOERR) return {"cannot be opened"};
  std::vector<std::string> problems;
  auto const text = [&](int variable, char const* name) {
    std::size_t length = 0;
    if (nc_inq_attlen(file, variable, name, &length) != NC_NOERR) return std::string{};
    std::string value(length, '\0');
    return nc_get_att_text(file, variable, name, value.data()) == NC_NOERR ? value : std::string{};
  };
  if (text(NC_GLOBAL, "Conventions") != "CF-1.11") problems.push_back("Conventions is not CF-1.11");
  for (auto const* name : {"title", "source", "history", "references"}) {
    if (text(NC_GLOBAL, name).empty()) problems.push_back(std::string{"no global attribute "} + name);
  }
  nc_inq(file, &dimensions, &variables, nullptr, nullptr);
  std::set<std::string> names;
  char name[NC_MAX_NAME + 1] = {};
  for (int v = 0; v < variables; ++v) {
    nc_inq_varname(file, v, name);
    names.insert(name);
  }
  for (int v = 0; v < variables; ++v) {
    nc_type type = NC_NAT, fill_type = NC_NAT;
    int rank = 0;
    nc_inq_var(file, v, name, &type, &rank, nullptr, nullptr);
    std::string const variable = name;
    auto const complain = [&](std::string const& problem) { problems.push_back(variable + ": " + problem); };
    std::vector<int> ids(static_cast<std::size_t>(rank));
    nc_inq_vardimid(file, v, ids.data());

    auto const units = text(v, "units"), standard_name = text(v, "standard_name"), axis = text(v, "axis");
    if (units.empty()) complain("no units");
    if (standard_name.empty() && text(v, "long_name").empty())
      complain("neither standard_name nor long_name");
    if (!standard_name.empty()) {
      auto const known = standard_names().find(standard_name);
      if (known == standard_names().end()) {
        complain("not a standard name: " + standard_name);
      } else if (variable != "time" && units != known->second) {
        complain("units " + units + " instead of " + known->second);
      }
    }
    if (!axis.empty() && std::string{"XYZT"}.find(axis) == std::string::npos) complain("axis " + axis);
    if (axis == "Z" && text(v, "positive") != "up" && text(v, "positive") != "down") complain("no positive");
    if (nc_inq_atttype(file, v, "_FillValue", &fill_type) == NC_NOERR && fill_type != type) {
      complain("_FillValue of another type");
    }
    for (auto const* attribute : {"coordinates", "cell_measures"}) {
      std::istringstream words{text(v, attribute)};
      for (std::string word; words >> word;) {
        if (word.back() != ':' && !names.contains(word))
          complain(std::string{attribute} + " names no variable: " + word);
      }
    }

    std::size_t length = 0;
    if (rank == 1) {
      nc_inq_dim(file, ids[0], name, &length);
      if (variable != name) continue;  // no coordinate variable
      std::vector<double> values(length);
      nc_get_var_double(file, v, values.data());
      int up = 0, down = 0;
      for (std::size_t i = 1; i < length; ++i) {
        up += values[i] > values[i - 1];
        down += values[i] < values[i - 1];
      }
      auto const steps = length == 0 ? 0 : static_cast<int>(length) - 1;
      if (up != steps && down != steps) complain("not strictly monotonic");
      if (variable == "time" && (units.find(" since ") == std::string::npos || text(v, "calendar").empty())) {
        complain("no reference date or calendar");
      }
    }
  }
  nc_close(file);
  return problems;
}

}  // namespace ulpine::test
