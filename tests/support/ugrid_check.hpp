// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netcdf.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/netcdf_file.hpp"

namespace ulpine::test {

/// What the meshes of a file lack of UGRID-1.0 (https://ugrid-conventions.github.io/ugrid-conventions, its
/// conformance rules, and what the text says of volumes, which these leave out); empty where nothing.
class UgridCheck {
 public:
  explicit UgridCheck(std::filesystem::path const& path) : file_{path} {
    auto const conventions = file_.words(NC_GLOBAL, "Conventions");
    if (std::ranges::find(conventions, "UGRID-1.0") == conventions.end())
      complain("file", "Conventions lacks UGRID-1.0");
    for (auto const& variable : file_.variables()) {
      if (file_.text(variable.id, "cf_role") == "mesh_topology") check_mesh(variable);
    }
    for (auto const& variable : file_.variables()) check_data(variable);
  }
  std::vector<std::string> const& problems() const { return problems_; }

 private:
  using Variable = NetcdfFile::Variable;
  /// Names of a mesh's dimensions by location.
  using Dimensions = std::map<std::string, std::string>;

  void complain(std::string const& name, std::string const& problem) {
    problems_.push_back(name + ": " + problem);
  }

  void check_mesh(Variable const& mesh) {
    auto const dimension = file_.numbers(mesh.id, "topology_dimension");
    if (dimension.size() != 1 || file_.attribute_type(mesh.id, "topology_dimension") != NC_INT ||
        (dimension[0] != 2 && dimension[0] != 3)) {
      return complain(mesh.name, "topology_dimension is not 2 or 3");
    }
    if (!mesh.dimensions.empty()) complain(mesh.name, "has dimensions");
    std::string const element = dimension[0] == 2 ? "face" : "volume";
    Dimensions dimensions;
    dimensions["node"] = coordinates_of(mesh, "node", 2, "");
    auto const connectivity = file_.text(mesh.id, (element + "_node_connectivity").c_str());
    auto const elements = file_.variable(connectivity);
    if (elements.id < 0) return complain(mesh.name, "no " + element + "_node_connectivity");
    check_connectivity(elements, element, dimensions.at("node"));
    dimensions[element] = elements.dimensions.empty() ? "" : file_.dimension(elements.dimensions[0]);
    if (file_.text(mesh.id, (element + "_dimension").c_str()) != dimensions[element]) {
      complain(mesh.name, element + "_dimension is not that of " + connectivity);
    }
    coordinates_of(mesh, element, 0, dimensions[element]);
    if (element == "volume") check_shapes(mesh, elements, dimensions[element]);
    meshes_[mesh.name] = dimensions;
  }

  /// The one dimension of the mesh's coordinates at a location, which is `wanted` if that is not empty.
  std::string coordinates_of(Variable const& mesh, std::string const& location, std::size_t least,
                             std::string wanted) {
    auto const names = file_.words(mesh.id, (location + "_coordinates").c_str());
    if (names.size() < least) complain(mesh.name, "no " + location + "_coordinates");
    for (auto const& name : names) {
      auto const variable = file_.variable(name);
      if (variable.id < 0 || variable.dimensions.size() != 1) {
        complain(mesh.name, location + "_coordinates names no variable of one dimension: " + name);
        continue;
      }
      auto const along = file_.dimension(variable.dimensions[0]);
      if (wanted.empty()) wanted = along;
      if (along != wanted) complain(name, "has not the dimension " + wanted);
      if (variable.type != NC_FLOAT && variable.type != NC_DOUBLE)
        complain(name, "is not of a floating type");
      if (file_.text(variable.id, "standard_name").empty() || file_.text(variable.id, "units").empty()) {
        complain(name, "has no standard_name or units");
      }
    }
    return wanted;
  }

  void check_connectivity(Variable const& elements, std::string const& element, std::string const& along) {
    auto const& name = elements.name;
    if (file_.text(elements.id, "cf_role") != element + "_node_connectivity")
      complain(name, "has another cf_role");
    if (elements.type != NC_INT) complain(name, "is not of integers");
    if (elements.dimensions.size() != 2) return complain(name, "has not two dimensions");
    if (element == "face" && file_.length(elements.dimensions[1]) < 3)
      complain(name, "has faces of two nodes");
    auto const start = file_.numbers(elements.id, "start_index");
    if (start.size() != 1 || (start[0] != 0 && start[0] != 1))
      return complain(name, "start_index is not 0 or 1");
    std::size_t nodes = 0;
    for (auto const& variable : file_.variables()) {
      for (auto const id : variable.dimensions) {
        if (file_.dimension(id) == along) nodes = file_.length(id);
      }
    }
    for (auto const value : file_.values(elements)) {
      if (value < start[0] || value >= start[0] + static_cast<double>(nodes)) {
        return complain(name, "names no node: " + std::to_string(value));
      }
    }
  }

  void check_shapes(Variable const& mesh, Variable const& elements, std::string const& along) {
    static std::map<std::string, std::size_t> const nodes = {
        {"tetrahedron", 4}, {"pyramid", 5}, {"wedge", 6}, {"hexahedron", 8}};
    auto const shapes = file_.variable(file_.text(mesh.id, "volume_shape_type"));
    if (shapes.id < 0) return complain(mesh.name, "no volume_shape_type");
    if (file_.text(shapes.id, "cf_role") != "volume_shape_type") complain(shapes.name, "has another cf_role");
    if (shapes.dimensions.size() != 1 || file_.dimension(shapes.dimensions[0]) != along) {
      complain(shapes.name, "has not the dimension " + along);
    }
    auto const values = file_.numbers(shapes.id, "flag_values");
    auto const meanings = file_.words(shapes.id, "flag_meanings");
    for (auto const value : file_.values(shapes)) {
      auto const flag = static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
      if (flag >= meanings.size() || !nodes.contains(meanings[flag]) ||
          nodes.at(meanings[flag]) != file_.length(elements.dimensions.back())) {
        return complain(shapes.name, "is not of the shape that its nodes make");
      }
    }
  }

  void check_data(Variable const& variable) {
    auto const mesh = file_.text(variable.id, "mesh"), location = file_.text(variable.id, "location");
    if (mesh.empty() && location.empty()) return;
    if (!meshes_.contains(mesh)) return complain(variable.name, "mesh names no mesh: " + mesh);
    auto const& dimensions = meshes_.at(mesh);
    if (!dimensions.contains(location))
      return complain(variable.name, "location is none of its mesh: " + location);
    std::vector<std::string> found;
    for (auto const id : variable.dimensions) {
      for (auto const& [where, name] : dimensions) {
        if (file_.dimension(id) == name) found.push_back(where);
      }
    }
    if (found != std::vector{location})
      complain(variable.name, "has not the dimension of its location alone");
  }

  NetcdfFile file_;
  std::map<std::string, Dimensions> meshes_;
  std::vector<std::string> problems_;
};

}  // namespace ulpine::test
