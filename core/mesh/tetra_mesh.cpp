// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/tetra_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine {
namespace {

using Node = std::int32_t;
using Triangle = std::array<Node, 3>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Vector {
  double x, y, z;
};
Vector between(TetraMesh const& mesh, Node from, Node to) {
  auto const *a = &mesh.position[3 * at(from)], *b = &mesh.position[3 * at(to)];
  return {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
}
double length(Vector v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }
Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// Six signed volumes, and the same sum of products without their signs: what rounding is measured against.
struct Determinant {
  double value, permanent;
};
Determinant determinant(TetraMesh const& mesh, Node const* node) {
  auto const a = between(mesh, node[0], node[1]), b = between(mesh, node[0], node[2]),
             c = between(mesh, node[0], node[3]);
  auto const size = [](double p, double q) { return std::abs(p) + std::abs(q); };
  return {dot(a, cross(b, c)), std::abs(a.x) * size(b.y * c.z, b.z * c.y) +
                                   std::abs(a.y) * size(b.z * c.x, b.x * c.z) +
                                   std::abs(a.z) * size(b.x * c.y, b.y * c.x)};
}

[[noreturn]] void refuse(std::string const& source, std::string const& problem, std::string const& why,
                         std::string const& remedy) {
  throw InputError(source + ": " + problem + " (" + why + ") " + remedy);
}

std::string number(std::vector<std::int64_t> const& numbers, std::int64_t i) {
  return std::to_string(numbers[at(i)]);
}

/// A triangle in a bucket of its smallest node.
struct Side {
  Node middle, largest;
  std::uint32_t owner;  ///< 4 times the element, plus the triangle in it

  bool same(Side const& other) const { return middle == other.middle && largest == other.largest; }
  bool operator<(Side const& other) const {
    if (middle != other.middle) return middle < other.middle;
    return largest != other.largest ? largest < other.largest : owner < other.owner;
  }
};

Triangle corners(TetraMesh const& mesh, std::uint32_t owner) {
  auto const* node = &mesh.element[owner / 4 * std::size_t{4}];
  auto const& f = tetra_face[owner % 4];
  return {node[f[0]], node[f[1]], node[f[2]]};
}

Triangle sorted(Triangle t) {
  std::sort(t.begin(), t.end());
  return t;
}

/// Turned so that the smallest node comes first: the same for triangles that turn the same way.
Triangle turned(Triangle t) {
  std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  return t;
}

/// Disjoint sets of the numbers from 0, which are joined two by two; each set is known by its lowest number.
class Wholes {
 public:
  explicit Wholes(std::int32_t count) : parent_(at(count)) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::int32_t of(std::int32_t n) {
    while (parent_[at(n)] != n) n = parent_[at(n)] = parent_[at(parent_[at(n)])];
    return n;
  }
  void join(std::int32_t a, std::int32_t b) {
    a = of(a), b = of(b);
    parent_[at(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<std::int32_t> parent_;
};

/// InputError where the elements, of which those that share triangles are joined in `joined`, are several
/// parts, which share nodes or edges.
void require_joined(TetraMesh const& mesh, std::string const& source, Wholes& joined) {
  constexpr std::int32_t none = -1;
  std::vector<std::int32_t> met(at(mesh.nodes()), none);
  for (std::int32_t e = 0; e < mesh.elements(); ++e) {
    for (std::size_t k = 0; k < 4; ++k) {
      auto const node = mesh.element[4 * at(e) + k];
      auto& first = met[at(node)];
      if (first == none) first = e;
      // Around a node of one part elements may be joined beyond it alone.
      if (joined.of(first) == joined.of(e)) continue;
      refuse(source,
             "elements " + number(mesh.element_number, first) + " and " + number(mesh.element_number, e) +
                 " are in parts that share node " + number(mesh.node_number, node) + " and no triangle",
             "air cannot flow between parts that touch in nodes or edges alone",
             "mesh one part, or join them by a volume");
    }
  }
}

/// The triangles of one element, outward, sorted by nodes. InputError for elements that are not joined by
/// triangles, too.
std::vector<Triangle> find_boundary(TetraMesh const& mesh, std::string const& source) {
  std::vector<std::uint32_t> start(at(mesh.nodes()) + 1, 0);
  auto const owners = 4 * static_cast<std::uint32_t>(mesh.elements());
  for (std::uint32_t o = 0; o < owners; ++o) ++start[at(sorted(corners(mesh, o))[0]) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Side> sides(owners);
  auto next = start;
  for (std::uint32_t o = 0; o < owners; ++o) {
    auto const t = sorted(corners(mesh, o));
    sides[next[at(t[0])]++] = {t[1], t[2], o};
  }
  std::vector<Triangle> boundary;
  Wholes joined(mesh.elements());
  for (Node n = 0; n < mesh.nodes(); ++n) {
    auto const begin = sides.begin() + start[at(n)], end = sides.begin() + start[at(n) + 1];
    std::sort(begin, end);
    for (auto side = begin; side != end;) {
      auto const run = std::find_if(side, end, [&](Side const& s) { return !s.same(*side); });
      auto const what = [&] {
        return "the triangle of nodes " + number(mesh.node_number, n) + ", " +
               number(mesh.node_number, side->middle) + " and " + number(mesh.node_number, side->largest);
      };
      if (run - side > 2) {
        refuse(source, what() + " belongs to " + std::to_string(run - side) + " elements",
               "at most two share one", "remove doubled elements");
      }
      if (run - side == 2 && turned(corners(mesh, side->owner)) == turned(corners(mesh, side[1].owner))) {
        refuse(source,
               "elements " + number(mesh.element_number, side->owner / 4) + " and " +
                   number(mesh.element_number, side[1].owner / 4) + " overlap",
               "they lie on the same side of " + what(), "remove one of them");
      }
      if (run - side == 1) boundary.push_back(corners(mesh, side->owner));
      if (run - side == 2) {
        joined.join(static_cast<std::int32_t>(side->owner / 4), static_cast<std::int32_t>(side[1].owner / 4));
      }
      side = run;
    }
  }
  require_joined(mesh, source, joined);
  return boundary;
}

void settle_elements(TetraMesh& mesh, std::string const& source) {
  for (std::int64_t e = 0; e < mesh.elements(); ++e) {
    auto* const node = &mesh.element[4 * at(e)];
    for (int i = 0; i < 4; ++i) {
      if (node[i] < 0 || node[i] >= mesh.nodes()) {
        refuse(source, "element " + number(mesh.element_number, e) + " has a node that does not exist",
               "there are " + std::to_string(mesh.nodes()), "write the mesh again");
      }
      if (std::find(node, node + i, node[i]) != node + i) {
        refuse(source,
               "element " + number(mesh.element_number, e) + " has node " +
                   number(mesh.node_number, node[i]) + " twice",
               "a tetrahedron has four", "mesh the domain again");
      }
    }
    // The error bound of the plain determinant in Shewchuk's orient3d (1997), rounded up.
    auto const [value, permanent] = determinant(mesh, node);
    if (!(std::abs(value) > 8 * 0x1p-53 * permanent)) {
      refuse(source, "element " + number(mesh.element_number, e) + " has no volume",
             "its four nodes lie in a plane", "mesh the domain again");
    }
    if (value < 0) std::swap(node[2], node[3]);
  }
}

using Place = std::array<double, 3>;

Place place_of(TetraMesh const& mesh, Node n) {
  auto const* p = &mesh.position[3 * at(n)];
  return {p[0], p[1], p[2]};
}

/// Node 0 and `other` are in two parts: says where parts that look like one have a node each at one place.
[[noreturn]] void refuse_parts(TetraMesh const& mesh, std::string const& source,
                               std::function<Node(Node)> const& root, Node other) {
  std::vector<std::pair<Place, Node>> placed;
  for (Node n = 0; n < mesh.nodes(); ++n) placed.push_back({place_of(mesh, n), n});
  std::sort(placed.begin(), placed.end());
  auto const twin = std::adjacent_find(placed.begin(), placed.end(), [&](auto const& a, auto const& b) {
    return a.first == b.first && root(a.second) != root(b.second);
  });
  auto const both = [&](Node a, Node b) {
    return "nodes " + number(mesh.node_number, a) + " and " + number(mesh.node_number, b);
  };
  if (twin != placed.end()) {
    refuse(source, both(twin->second, twin[1].second) + " are at one place in two parts that share no node",
           "volumes that touch must share the triangles between them",
           "join the volumes before meshing (gmsh: BooleanFragments, or Coherence)");
  }
  refuse(source, both(0, other) + " are in parts that do not touch", "the domain must be of one piece",
         "mesh one part, or join them");
}

void require_one_part(TetraMesh const& mesh, std::string const& source) {
  Wholes parts(mesh.nodes());
  auto const root = [&](Node n) { return parts.of(n); };
  std::vector<bool> met(at(mesh.nodes()), false);
  for (std::size_t k = 0; k < mesh.element.size(); ++k) {
    met[at(mesh.element[k])] = true;
    parts.join(mesh.element[k], mesh.element[k / 4 * 4]);
  }
  for (Node n = 0; n < mesh.nodes(); ++n) {
    if (!met[at(n)]) {
      refuse(source, "node " + number(mesh.node_number, n) + " has no element",
             "every node must belong to a tetrahedron", "remove it");
    }
    if (root(n) != root(0)) refuse_parts(mesh, source, root, n);
  }
}

void settle_faces(TetraMesh& mesh, std::string const& source) {
  auto const boundary = find_boundary(mesh, source);
  std::vector<std::pair<Triangle, std::size_t>> given;
  for (std::size_t f = 0; f < at(mesh.faces()); ++f) {
    given.push_back({sorted({mesh.face[3 * f], mesh.face[3 * f + 1], mesh.face[3 * f + 2]}), f});
  }
  std::sort(given.begin(), given.end());
  auto const refuse_triangle = [&](Triangle const& t, std::string const& problem, std::string const& why,
                                   std::string const& remedy) {
    auto text = std::string("the boundary triangle of nodes");
    for (auto const n : t) {
      text += ' ' + (n >= 0 && n < mesh.nodes() ? number(mesh.node_number, n) : std::to_string(n));
    }
    refuse(source, text + problem, why, remedy);
  };
  std::size_t g = 0;
  for (auto const& face : boundary) {
    auto const key = sorted(face);
    if (g < given.size() && given[g].first < key) break;
    if (g == given.size() || given[g].first != key) {
      refuse_triangle(key, " is missing", "every one needs the number of a physical group",
                      "put all surfaces of the domain into physical groups");
    }
    std::copy(face.begin(), face.end(), mesh.face.begin() + static_cast<std::ptrdiff_t>(3 * given[g].second));
    ++g;
    if (g < given.size() && given[g].first == key) {
      refuse_triangle(key, " is there twice", "it can have one physical group", "put each surface into one");
    }
  }
  if (g < given.size()) {
    refuse_triangle(given[g].first, " is on no element's outside", "boundary triangles bound the domain",
                    "take inner surfaces out of the physical groups");
  }
}

std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 32) & 0x1f00000000ffffULL;
  x = (x | x << 16) & 0x1f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

/// Along the curve, places of the same number by their coordinates.
std::vector<Node> morton_order(TetraMesh const& mesh, std::string const& source) {
  double low[3], extent = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    auto high = low[d] = mesh.position[d];
    for (auto i = d; i < mesh.position.size(); i += 3) {
      low[d] = std::min(low[d], mesh.position[i]);
      high = std::max(high, mesh.position[i]);
    }
    extent = std::max(extent, high - low[d]);
  }
  std::vector<std::pair<std::uint64_t, Node>> keyed(at(mesh.nodes()));
  for (std::size_t n = 0; n < keyed.size(); ++n) {
    std::uint64_t key = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      auto const cell = (mesh.position[3 * n + d] - low[d]) / extent * 0x1fffff;
      key |= spread_bits(static_cast<std::uint64_t>(cell)) << d;
    }
    keyed[n] = {key, static_cast<Node>(n)};
  }
  std::sort(keyed.begin(), keyed.end(), [&](auto const& a, auto const& b) {
    return a.first != b.first ? a.first < b.first : place_of(mesh, a.second) < place_of(mesh, b.second);
  });
  std::vector<Node> order;
  for (auto const& [key, n] : keyed) {
    if (!order.empty() && place_of(mesh, order.back()) == place_of(mesh, n)) {
      refuse(source,
             "nodes " + number(mesh.node_number, order.back()) + " and " + number(mesh.node_number, n) +
                 " are at one place",
             "volumes that touch must share the nodes between them, and their order would be open",
             "merge them, or join the volumes before meshing (gmsh: BooleanFragments, or Coherence)");
    }
    order.push_back(n);
  }
  return order;
}

/// The even permutation of the nodes that begins with the two smallest, ascending.
std::array<Node, 4> canonical(Node const* node) {
  std::array<Node, 4> q{node[0], node[1], node[2], node[3]};
  int swaps = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    auto const least = static_cast<std::size_t>(std::min_element(q.begin() + i, q.end()) - q.begin());
    if (least != i) std::swap(q[i], q[least]), ++swaps;
  }
  if (swaps % 2 != 0) std::swap(q[2], q[3]);
  return q;
}

}  // namespace

double six_volumes(TetraMesh const& mesh, std::int32_t element) {
  return determinant(mesh, &mesh.element[4 * at(element)]).value;
}

TetraMeasures measures(TetraMesh const& mesh) {
  TetraMeasures m;
  constexpr auto infinite = std::numeric_limits<double>::infinity();
  m.smallest_volume = m.shortest_edge = m.worst_quality = infinite;
  for (std::int32_t e = 0; e < mesh.elements(); ++e) {
    auto const* const node = &mesh.element[4 * at(e)];
    auto const volume = six_volumes(mesh, e) / 6;
    double edge[4][4];
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < i; ++j) {
        edge[i][j] = length(between(mesh, node[i], node[j]));
        m.shortest_edge = std::min(m.shortest_edge, edge[i][j]);
        m.longest_edge = std::max(m.longest_edge, edge[i][j]);
      }
    }
    double surface = 0;
    for (auto const& f : tetra_face) {
      surface +=
          length(cross(between(mesh, node[f[0]], node[f[1]]), between(mesh, node[f[0]], node[f[2]]))) / 2;
    }
    // Inscribed 3 V / S; circumscribed by Crelle's formula from products of opposite edges.
    auto const p = edge[1][0] * edge[3][2], q = edge[2][0] * edge[3][1], r = edge[3][0] * edge[2][1];
    auto const square = std::max(0.0, (p + q + r) * (p + q - r) * (p - q + r) * (q + r - p));
    auto const quality = 3 * (3 * volume / surface) / (std::sqrt(square) / (24 * volume));
    m.volume += volume;
    m.smallest_volume = std::min(m.smallest_volume, volume);
    m.largest_volume = std::max(m.largest_volume, volume);
    m.worst_quality = std::min(m.worst_quality, quality);
    m.mean_quality += quality / mesh.elements();
  }
  return m;
}

namespace {

void settle_volumes(TetraMesh& mesh, std::string const& source) {
  if (mesh.position.size() % 3 != 0 || mesh.element.size() % 4 != 0 || mesh.face.size() % 3 != 0 ||
      mesh.face_id.size() != mesh.face.size() / 3 || mesh.node_number.size() != mesh.position.size() / 3 ||
      mesh.element_number.size() != mesh.element.size() / 4) {
    refuse(source, "arrays of the mesh do not fit together", "each node, element and triangle has a number",
           "write the mesh again");
  }
  if (mesh.element.empty()) {
    refuse(source, "no tetrahedra", "a mesh of volumes is needed", "mesh in three dimensions (gmsh -3)");
  }
  if (mesh.element.size() / 4 > std::size_t{1} << 30 || mesh.position.size() / 3 > std::size_t{1} << 30) {
    refuse(source, "more than 2^30 nodes or elements", "they are counted in 32 bits", "use a coarser mesh");
  }
  for (std::size_t i = 0; i < mesh.position.size(); ++i) {
    if (!std::isfinite(mesh.position[i])) {
      refuse(source, "node " + number(mesh.node_number, static_cast<std::int64_t>(i / 3)) + " is nowhere",
             "a coordinate is not finite", "mesh the domain again");
    }
    // Round the Earth in mm; what is farther stands for no value.
    if (constexpr double farthest = 4.1e10; std::abs(mesh.position[i]) > farthest) {
      refuse(source,
             "node " + number(mesh.node_number, static_cast<std::int64_t>(i / 3)) + " has the coordinate " +
                 io::number_text(mesh.position[i]),
             "no place on Earth is that far, in any unit", "mesh the domain again");
    }
  }
  settle_elements(mesh, source);
  require_one_part(mesh, source);
}

}  // namespace

void settle(TetraMesh& mesh, std::string const& source) {
  settle_volumes(mesh, source);
  settle_faces(mesh, source);
}

void settle_enclosed(TetraMesh& mesh, std::string const& source, std::string const& side) {
  settle_volumes(mesh, source);
  auto const boundary = find_boundary(mesh, source);
  mesh.face.clear();
  for (auto const& triangle : boundary) mesh.face.insert(mesh.face.end(), triangle.begin(), triangle.end());
  mesh.face_id.assign(boundary.size(), 1);
  mesh.group = {{1, side}};
}

namespace {

/// For each of the sorted triangles `inner`, whether it is a face of some element.
std::vector<bool> found_in_elements(TetraMesh const& mesh, std::vector<Triangle> const& inner) {
  std::vector<bool> found(inner.size(), false);
  auto const owners = 4 * static_cast<std::uint32_t>(mesh.elements());
  for (std::uint32_t o = 0; o < owners && !inner.empty(); ++o) {
    auto const same = std::equal_range(inner.begin(), inner.end(), sorted(corners(mesh, o)));
    std::fill(found.begin() + (same.first - inner.begin()), found.begin() + (same.second - inner.begin()),
              true);
  }
  return found;
}

}  // namespace

void settle_grouped(TetraMesh& mesh, std::string const& source, std::vector<GroupedTriangle> grouped) {
  settle_volumes(mesh, source);
  auto const boundary = find_boundary(mesh, source);
  for (auto& triangle : grouped) triangle.node = sorted(triangle.node);
  auto const key = [](GroupedTriangle const& triangle) { return std::pair{triangle.node, triangle.group}; };
  std::ranges::sort(grouped, {}, key);
  auto const doubled = std::ranges::unique(grouped, {}, key);
  grouped.erase(doubled.begin(), doubled.end());
  mesh.face.clear(), mesh.face_id.clear(), mesh.more_groups.clear();
  std::vector<Triangle> inner;
  std::vector<std::int32_t> group_of_inner;
  auto next = grouped.begin();
  auto const pass_inner = [&](auto const& before) {
    for (; next != grouped.end() && before(next->node); ++next) {
      inner.push_back(next->node), group_of_inner.push_back(next->group);
    }
  };
  for (auto const& triangle : boundary) {
    auto const nodes = sorted(triangle);
    pass_inner([&](Triangle const& t) { return t < nodes; });
    auto const face = mesh.faces();
    mesh.face.insert(mesh.face.end(), triangle.begin(), triangle.end());
    mesh.face_id.push_back(TetraMesh::no_group);
    for (bool first = true; next != grouped.end() && next->node == nodes; ++next, first = false) {
      if (first) {
        mesh.face_id.back() = next->group;
      } else {
        mesh.more_groups.push_back({face, next->group});
      }
    }
  }
  pass_inner([](Triangle const&) { return true; });
  auto const found = found_in_elements(mesh, inner);
  auto const lost = static_cast<std::size_t>(std::find(found.begin(), found.end(), false) - found.begin());
  if (lost == found.size()) return;
  refuse(source,
         "the triangle of nodes " + number(mesh.node_number, inner[lost][0]) + ", " +
             number(mesh.node_number, inner[lost][1]) + " and " + number(mesh.node_number, inner[lost][2]) +
             " of group " + label_of_group(mesh, group_of_inner[lost]) + " is on no tetrahedron",
         "its volume is not in the file, or it is no volume's surface",
         "put all volumes of the domain into physical groups, or take the surface out of its group");
}

void renumber(TetraMesh& mesh, std::string const& source) {
  auto const order = morton_order(mesh, source);
  std::vector<Node> name(order.size());
  auto const old = std::move(mesh.position);
  auto const old_number = std::move(mesh.node_number);
  mesh.position.clear(), mesh.node_number.clear();
  for (std::size_t n = 0; n < order.size(); ++n) {
    name[at(order[n])] = static_cast<Node>(n);
    for (std::size_t d = 0; d < 3; ++d) mesh.position.push_back(old[3 * at(order[n]) + d]);
    mesh.node_number.push_back(old_number[at(order[n])]);
  }
  std::vector<std::pair<std::array<Node, 4>, std::int64_t>> elements;
  for (std::size_t e = 0; e < mesh.element_number.size(); ++e) {
    Node node[4];
    for (std::size_t i = 0; i < 4; ++i) node[i] = name[at(mesh.element[4 * e + i])];
    elements.push_back({canonical(node), mesh.element_number[e]});
  }
  std::sort(elements.begin(), elements.end());
  struct Face {
    Triangle node;
    std::int32_t group;
    std::size_t before;
  };
  std::vector<Face> faces;
  for (std::size_t f = 0; f < mesh.face_id.size(); ++f) {
    Triangle t;
    for (std::size_t i = 0; i < 3; ++i) t[i] = name[at(mesh.face[3 * f + i])];
    faces.push_back({turned(t), mesh.face_id[f], f});
  }
  std::ranges::sort(faces, {}, &Face::node);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    std::copy(elements[e].first.begin(), elements[e].first.end(),
              mesh.element.begin() + static_cast<std::ptrdiff_t>(4 * e));
    mesh.element_number[e] = elements[e].second;
  }
  std::vector<std::int32_t> face_now(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    std::copy(faces[f].node.begin(), faces[f].node.end(),
              mesh.face.begin() + static_cast<std::ptrdiff_t>(3 * f));
    mesh.face_id[f] = faces[f].group;
    face_now[faces[f].before] = static_cast<std::int32_t>(f);
  }
  for (auto& [face, group] : mesh.more_groups) face = face_now[at(face)];
  std::ranges::sort(mesh.more_groups);
}

}  // namespace ulpine
