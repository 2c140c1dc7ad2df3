// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/netcdf_arrays.hpp"

// Topology by the UGRID conventions, version 1.0 (https://ugrid-conventions.github.io/ugrid-conventions):
// "2D triangular mesh topology", "3D unstructured mesh topology".

namespace ulpine::io {
namespace {

struct Volume {
  int nodes;
  char const* name;
};
/// The shapes that the conventions know.
constexpr std::array volumes = {Volume{4, "tetrahedron"}, Volume{5, "pyramid"}, Volume{6, "wedge"},
                                Volume{8, "hexahedron"}};

std::string axis_name(UnstructuredMesh const& mesh, std::string const& location, std::size_t axis) {
  return mesh.name + "_" + location + "_" + "xyz"[axis];
}

void check(UnstructuredMesh const& mesh) {
  auto const wrong = [&](std::string const& why) {
    return std::invalid_argument("mesh " + mesh.name + ": " + why);
  };
  if (mesh.dimension != 2 && mesh.dimension != 3) throw wrong("its elements are faces or volumes");
  auto const axes = mesh.node_coordinates.size();
  if (axes < 2 || axes > 3 || (mesh.dimension == 3 && axes != 3)) {
    throw wrong("nodes have two or three coordinates, those of volumes three");
  }
  if (!mesh.element_coordinates.empty() && mesh.element_coordinates.size() != axes) {
    throw wrong("elements have as many coordinates as nodes");
  }
  if (mesh.dimension == 2
          ? mesh.nodes_per_element < 3
          : std::ranges::find(volumes, mesh.nodes_per_element, &Volume::nodes) == volumes.end()) {
    throw wrong("no elements have " + std::to_string(mesh.nodes_per_element) + " nodes");
  }
  if (mesh.boundaries > 0 && mesh.dimension == 3 && mesh.nodes_per_element != 4) {
    throw wrong("only boundaries of triangles are written around volumes");
  }
}

/// x and y of faces, to which heights are a field (VTK takes the last one named for y); of volumes z, too.
std::string places_of_topology(UnstructuredMesh const& mesh, std::string const& location) {
  if (location == "node" || !mesh.element_coordinates.empty()) {
    auto names = axis_name(mesh, location, 0) + " " + axis_name(mesh, location, 1);
    return mesh.dimension == 2 ? names : names + " " + axis_name(mesh, location, 2);
  }
  return {};
}

void define_coordinates(OutputArrays& file, UnstructuredMesh const& mesh, std::string const& location,
                        std::vector<MeshArray>& arrays) {
  auto const of_nodes = location == "node";
  auto const& coordinates = of_nodes ? mesh.node_coordinates : mesh.element_coordinates;
  for (std::size_t axis = 0; axis < coordinates.size(); ++axis) {
    auto const& coordinate = coordinates[axis];
    auto type = output_type(ValueType::float64);
    type.fill.reset();  // coordinates are never missing
    auto const array = file.define(axis_name(mesh, location, axis), type,
                                   {of_nodes ? mesh.node_dimension() : mesh.element_dimension()},
                                   {of_nodes ? mesh.nodes : mesh.elements}, false);
    file.describe(array.variable, coordinate.standard_name, coordinate.long_name, coordinate.units);
    if (axis == 2) {
      file.put_text(array.variable, "positive", positive(coordinate.standard_name, coordinate.units));
      if (mesh.dimension == 2) {
        file.put_text(array.variable, "coordinates", places_of_topology(mesh, location));
        file.put_text(array.variable, "mesh", mesh.name);
        file.put_text(array.variable, "location", location);
      }
    }
    arrays.push_back({array, coordinate.values});
  }
}

void define_connectivity(OutputArrays& file, UnstructuredMesh const& mesh, std::string const& name,
                         std::vector<MeshArray>& arrays) {
  auto const element = mesh.element();
  auto type = output_index_type();
  // VTK refuses faces of more than three nodes that do not say how a shorter one would be filled.
  if (mesh.dimension == 2 && mesh.nodes_per_element > 3) type.fill = -1;
  auto const array = file.define(name, type, {mesh.element_dimension(), mesh.element_dimension() + "_nodes"},
                                 {mesh.elements, mesh.nodes_per_element}, false);
  file.put_text(array.variable, "cf_role", element + "_node_connectivity");
  file.put_text(array.variable, "long_name", "nodes of each " + element);
  file.writer().run([&](auto&) { array.variable.putAtt("start_index", netCDF::ncInt, 0); });
  arrays.push_back({array, mesh.connectivity});
}

OutputType shape_type() {
  auto type = output_type(ValueType::uint8, true);
  type.fill.reset();
  return type;
}

/// The conventions want the shape of each volume, also where all are the same.
void define_shapes(OutputArrays& file, UnstructuredMesh const& mesh, std::string const& name,
                   std::vector<MeshArray>& arrays) {
  auto const array = file.define(name, shape_type(), {mesh.element_dimension()}, {mesh.elements}, false);
  file.put_text(array.variable, "cf_role", "volume_shape_type");
  file.put_text(array.variable, "long_name", "shape of each volume");
  std::string meanings;
  for (auto const& volume : volumes) meanings.append(meanings.empty() ? "" : " ").append(volume.name);
  file.put_flags(array.variable, meanings);
  signed char const range[] = {0, volumes.size() - 1};
  file.writer().run([&](auto&) { array.variable.putAtt("flag_range", netCDF::ncByte, 2, range); });
  auto const shape = std::ranges::find(volumes, mesh.nodes_per_element, &Volume::nodes) - volumes.begin();
  arrays.push_back({array, [shape](std::int64_t, std::int64_t count, void* values) {
                      std::memset(values, static_cast<int>(shape), static_cast<std::size_t>(count));
                    }});
}

/// Names as words of flag_meanings (CF-1.11, section 3.5), each another: what a word cannot hold becomes `_`.
std::vector<std::string> flag_words(std::vector<std::string> const& names) {
  auto const plain = [](std::string const& name) {
    std::string word;
    for (auto const c : name) {
      auto const byte = static_cast<unsigned char>(c);
      if ((byte & 0xC0) == 0x80) continue;  // the rest of a character of UTF-8
      bool const known =
          byte < 0x80 && (std::isalnum(byte) != 0 || std::string{"_-.+@"}.find(c) != std::string::npos);
      word += known ? c : '_';
    }
    return word.empty() ? "_" : word;
  };
  std::vector<std::string> words(names.size());
  std::set<std::string> taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (plain(names[i]) == names[i] && taken.insert(names[i]).second) words[i] = names[i];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!words[i].empty()) continue;
    words[i] = plain(names[i]);
    for (int n = 2; !taken.insert(words[i]).second; ++n) {
      words[i] = plain(names[i]) + "_" + std::to_string(n);
    }
  }
  return words;
}

/// flag_values or flag_masks and flag_meanings; where these are not the names, `side_names` has them, a line
/// each.
void put_sides(OutputArrays& file, netCDF::NcVar const& variable, char const* kind,
               std::vector<std::int32_t> const& flags, std::vector<std::string> const& names) {
  auto const joined = [](std::vector<std::string> const& texts, char between) {
    std::string all;
    for (auto const& text : texts) all.append(&text == texts.data() ? 0 : 1, between).append(text);
    return all;
  };
  auto const words = flag_words(names);
  file.writer().run([&](auto&) { variable.putAtt(kind, netCDF::ncInt, flags.size(), flags.data()); });
  file.put_text(variable, "flag_meanings", joined(words, ' '));
  if (words != names) file.put_text(variable, "side_names", joined(names, '\n'));
}

constexpr std::size_t sides_a_mask = 31;  // bits of std::int32_t but its sign

/// "mesh_boundary_groups" and, of more than 31 sides, "mesh_boundary_groups_2", ...
std::vector<std::string> group_arrays(UnstructuredMesh const& mesh) {
  std::vector<std::string> names;
  if (mesh.further_boundary_ids.empty()) return names;
  for (std::size_t first = 0; first < mesh.boundary_names.size(); first += sides_a_mask) {
    auto const part = names.empty() ? "" : "_" + std::to_string(names.size() + 1);
    names.push_back(mesh.name + "_boundary_groups" + part);
  }
  return names;
}

/// A bit for every side that a part of the boundary belongs to.
void define_boundary_groups(OutputArrays& file, UnstructuredMesh const& mesh,
                            std::vector<MeshArray>& arrays) {
  auto further = mesh.further_boundary_ids;
  std::ranges::sort(further);
  std::size_t next = 0;
  for (auto const& name : group_arrays(mesh)) {
    std::vector<std::int32_t> masks, ids;
    std::vector<std::string> names;
    for (; next < mesh.boundary_names.size() && masks.size() < sides_a_mask; ++next) {
      masks.push_back(std::int32_t{1} << masks.size());
      ids.push_back(mesh.boundary_names[next].first);
      names.push_back(mesh.boundary_names[next].second);
    }
    auto const array =
        file.define(name, output_index_type(), {mesh.boundary_dimension()}, {mesh.boundaries}, false);
    file.put_text(array.variable, "long_name",
                  "sides of the domain that each part of the boundary belongs to");
    put_sides(file, array.variable, "flag_masks", masks, names);
    file.writer().run(
        [&](auto&) { array.variable.putAtt("group_numbers", netCDF::ncInt, ids.size(), ids.data()); });
    auto const bits_of = [masks, ids](std::int32_t id) {
      std::int32_t bits = 0;
      for (std::size_t k = 0; k < ids.size(); ++k) bits |= ids[k] == id ? masks[k] : 0;
      return bits;
    };
    arrays.push_back({array, [bits_of, further, first_ids = mesh.boundary_ids](
                                 std::int64_t first, std::int64_t count, void* values) {
                        first_ids(first, count, values);
                        auto* const bits = static_cast<std::int32_t*>(values);
                        for (std::int64_t i = 0; i < count; ++i) bits[i] = bits_of(bits[i]);
                        auto more = std::ranges::lower_bound(
                            further, first, {}, [](auto const& one) { return std::int64_t{one.first}; });
                        for (; more != further.end() && more->first < first + count; ++more) {
                          bits[more->first - first] |= bits_of(more->second);
                        }
                      }});
  }
}

void define_boundary(OutputArrays& file, UnstructuredMesh const& mesh, std::string const& nodes,
                     std::string const& ids, std::vector<MeshArray>& arrays) {
  auto const along = mesh.boundary_dimension();
  auto const connectivity = file.define(nodes, output_index_type(), {along, along + "_nodes"},
                                        {mesh.boundaries, mesh.dimension}, false);
  file.put_text(connectivity.variable, "cf_role", "boundary_node_connectivity");
  file.put_text(connectivity.variable, "long_name", "nodes of each part of the boundary");
  file.writer().run([&](auto&) { connectivity.variable.putAtt("start_index", netCDF::ncInt, 0); });
  arrays.push_back({connectivity, mesh.boundary_connectivity});

  auto const id = file.define(ids, output_index_type(), {along}, {mesh.boundaries}, false);
  file.put_text(id.variable, "long_name", "side of the domain that each part of the boundary belongs to");
  if (!mesh.boundary_names.empty()) {
    std::vector<std::int32_t> values;
    std::vector<std::string> names;
    for (auto const& [value, name] : mesh.boundary_names) values.push_back(value), names.push_back(name);
    put_sides(file, id.variable, "flag_values", values, names);
  }
  arrays.push_back({id, mesh.boundary_ids});
  if (mesh.further_boundary_ids.empty()) return;
  file.put_text(
      id.variable, "comment",
      "of a part that belongs to several sides this is one; boundary_groups of the topology has all");
  define_boundary_groups(file, mesh, arrays);
}

}  // namespace

std::string mesh_coordinates(UnstructuredMesh const& mesh, std::string const& location) {
  auto const count = (location == "node" ? mesh.node_coordinates : mesh.element_coordinates).size();
  std::string names;
  for (std::size_t axis = 0; axis < count; ++axis) {
    names.append(axis > 0 ? " " : "").append(axis_name(mesh, location, axis));
  }
  return names;
}

std::string mesh_connectivity(UnstructuredMesh const& mesh) {
  return mesh.name + "_" + mesh.element() + "_nodes";
}

std::vector<MeshArray> define_mesh(OutputArrays& file, UnstructuredMesh const& mesh) {
  check(mesh);
  auto const element = mesh.element();
  auto const connectivity = mesh_connectivity(mesh), shapes = mesh.name + "_volume_types";
  auto const holder = file.define(mesh.name, output_index_type(), {}, {}, false);
  auto const& topology = holder.variable;
  file.writer().run([&](auto&) { topology.putAtt("topology_dimension", netCDF::ncInt, mesh.dimension); });
  file.put_text(topology, "cf_role", "mesh_topology");
  file.put_text(topology, "long_name",
                mesh.long_name.empty() ? "topology of the unstructured mesh" : mesh.long_name);
  file.put_text(topology, "node_coordinates", places_of_topology(mesh, "node"));
  file.put_text(topology, (element + "_coordinates").c_str(), places_of_topology(mesh, element));
  file.put_text(topology, (element + "_node_connectivity").c_str(), connectivity);
  file.put_text(topology, (element + "_dimension").c_str(), mesh.element_dimension());

  std::vector<MeshArray> arrays;
  arrays.push_back({holder, [](std::int64_t, std::int64_t, void* value) {
                      std::memset(value, 0, sizeof(std::int32_t));  // only its attributes count
                    }});
  define_coordinates(file, mesh, "node", arrays);
  define_coordinates(file, mesh, element, arrays);
  define_connectivity(file, mesh, connectivity, arrays);
  if (mesh.dimension == 3) {
    file.put_text(topology, "volume_shape_type", shapes);
    define_shapes(file, mesh, shapes, arrays);
  }
  if (mesh.boundaries > 0) {
    auto const nodes = mesh.name + "_boundary_nodes", ids = mesh.name + "_boundary_id";
    file.put_text(topology, "boundary_node_connectivity", nodes);
    file.put_text(topology, "boundary_dimension", mesh.boundary_dimension());
    file.put_text(topology, "boundary_id", ids);
    std::string groups;
    for (auto const& name : group_arrays(mesh)) groups.append(groups.empty() ? "" : " ").append(name);
    file.put_text(topology, "boundary_groups", groups);
    define_boundary(file, mesh, nodes, ids, arrays);
  }
  return arrays;
}

}  // namespace ulpine::io
