// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ulpine {

/// Tetrahedra that fill a domain of one piece, in host memory. Nodes and elements count from 0.
struct TetraMesh {
  std::vector<double> position;       ///< m, (node, 3)
  std::vector<std::int32_t> element;  ///< (element, 4): the last node sees the first three anticlockwise
  std::vector<std::int32_t> face;     ///< (boundary triangle, 3): anticlockwise seen from outside
  /// Physical group of each boundary triangle, of several the lowest; `no_group` where it is in none.
  std::vector<std::int32_t> face_id;
  /// The further groups of triangles that are in several: (triangle, group), ascending.
  std::vector<std::pair<std::int32_t, std::int32_t>> more_groups;
  /// Numbers of nodes and elements in the file or of the generator: outputs go back to its order by them.
  std::vector<std::int64_t> node_number, element_number;
  /// Names of physical groups of triangles: a group may have none or several, and several may have one.
  std::vector<std::pair<std::int32_t, std::string>> group;

  static constexpr std::int32_t no_group = 0;

  std::int32_t nodes() const { return static_cast<std::int32_t>(position.size() / 3); }
  std::int32_t elements() const { return static_cast<std::int32_t>(element.size() / 4); }
  std::int32_t faces() const { return static_cast<std::int32_t>(face.size() / 3); }
};

/// The local nodes of an element's four triangles, anticlockwise seen from outside; triangle f lacks node f.
inline constexpr int tetra_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/// Volumes and lengths of a mesh, m^3 and m. Quality is 3 times the inscribed over the circumscribed sphere's
/// radius: 1 for the regular tetrahedron, 0 for a flat one.
struct TetraMeasures {
  double volume = 0, smallest_volume = 0, largest_volume = 0;
  double shortest_edge = 0, longest_edge = 0;
  double worst_quality = 0, mean_quality = 0;
};
TetraMeasures measures(TetraMesh const& mesh);

/// Six times the signed volume of the element, m^3.
double six_volumes(TetraMesh const& mesh, std::int32_t element);

/// Puts nodes of inverted elements and of inward triangles in order. InputError, naming `source`, where
/// arrays do not fit or the mesh is none: no tetrahedra, a node that does not exist, is not finite or has no
/// element, an element with a node twice or without volume, elements that overlap, a triangle of three
/// elements, boundary triangles that are missing, double or no element's, parts that do not touch.
void settle(TetraMesh& mesh, std::string const& source);

/// As settle(), but boundary triangles are those of one element, all in group 1, which is called `side`.
void settle_enclosed(TetraMesh& mesh, std::string const& source, std::string const& side);

/// A triangle of three nodes, in any order, that a file has in a physical group.
struct GroupedTriangle {
  std::array<std::int32_t, 3> node;
  std::int32_t group;
};
/// As settle(), but boundary triangles are those of one element, each in all groups that `grouped` has it in,
/// once or more often. Of `grouped`, triangles between two elements bound nothing and are left out;
/// InputError for one that no element has.
void settle_grouped(TetraMesh& mesh, std::string const& source, std::vector<GroupedTriangle> grouped);

/// Groups that can be named, by number: all that have names, once a name, and all that boundary triangles
/// are in, whose name is their number where they have no other.
std::vector<std::pair<std::int32_t, std::string>> named_groups(TetraMesh const& mesh);
/// The group as messages call it: its name in quotation marks, or its number.
std::string label_of_group(TetraMesh const& mesh, std::int32_t group);
/// The boundary triangles, ascending, of all groups that are called `name`; where none is, of the group whose
/// number that is.
std::vector<std::int32_t> faces_of(TetraMesh const& mesh, std::string const& name);

/// Nodes in Morton order of their places, elements by their nodes, triangles likewise: what results does not
/// depend on the order before. For settled meshes; InputError, naming `source`, where two nodes are at one
/// place.
void renumber(TetraMesh& mesh, std::string const& source = "the mesh");

}  // namespace ulpine
