// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf_cells.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "io/axis.hpp"

namespace ulpine::io {
namespace {

constexpr std::array parts_of_meshes = {"node", "edge", "face", "volume"};

/// The dimensions that count the parts of a mesh, by its names, coordinates and connectivities.
std::set<std::string> dimensions_of_mesh(NetcdfContents const& contents, NetcdfVariable const& mesh) {
  std::set<std::string> dimensions;
  auto const add_first = [&](std::string const& names) {
    for (auto const& name : words_of(names)) {
      auto const* found = contents.find_from(mesh, name);
      if (found != nullptr && !found->dimensions.empty()) dimensions.insert(found->dimensions[0].name);
    }
  };
  for (std::string const part : parts_of_meshes) {
    if (auto const name = text(mesh, (part + "_dimension").c_str()); !name.empty()) dimensions.insert(name);
    add_first(text(mesh, (part + "_coordinates").c_str()));
    // With a dimension that is named, a connectivity may have that one last.
    if (text(mesh, (part + "_dimension").c_str()).empty()) {
      add_first(text(mesh, (part + "_node_connectivity").c_str()));
    }
  }
  return dimensions;
}

bool is_mesh(NetcdfVariable const& variable) { return text(variable, "cf_role") == "mesh_topology"; }

/// The last of a field's dimensions that does not run along the vertical; empty where there is none.
std::string last_but_levels(NetcdfContents const& contents, NetcdfVariable const& field) {
  std::string last;
  for (auto const d : contents.field_dimensions(field)) {
    auto const* coordinate = contents.coordinate_of(field, d);
    auto const usual = usual_axis(field.dimensions[d].name);
    auto const said = coordinate != nullptr ? axis_of(*coordinate) : "";
    if ((said.empty() && usual ? usual->axis : said) != "z") last = field.dimensions[d].name;
  }
  return last;
}

}  // namespace

std::vector<std::string> dimensions_of_cells(NetcdfContents const& contents, NetcdfVariable const& field) {
  std::set<std::string> cells;
  for (auto const& variable : contents.variables) {
    if (is_mesh(variable)) cells.merge(dimensions_of_mesh(contents, variable));
  }
  std::vector<std::string> result;
  for (auto const d : contents.field_dimensions(field)) {
    auto const* coordinate = contents.coordinate_of(field, d);
    auto const gathered = coordinate != nullptr && !text(*coordinate, "compress").empty();
    if (gathered || cells.contains(field.dimensions[d].name)) result.push_back(field.dimensions[d].name);
  }
  // A field may say that it lies on a mesh which another file describes.
  auto const on_mesh = !text(field, "mesh").empty() && !text(field, "location").empty();
  auto const grid_type = text(field, "CDI_grid_type");
  if (result.empty() && (on_mesh || grid_type == "unstructured" || grid_type == "gaussian_reduced")) {
    if (auto const last = last_but_levels(contents, field); !last.empty()) result.push_back(last);
  }
  return result;
}

}  // namespace ulpine::io
