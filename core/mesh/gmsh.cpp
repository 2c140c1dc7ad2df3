// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/gmsh.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/mesh/gmsh_scanner.hpp"
#include "io/case_entries.hpp"
#include "io/regular_file.hpp"

// Formats 2, 4.0 and 4.1 as gmsh's manual describes them ("MSH file format" and "Legacy formats").

namespace ulpine {
namespace {

enum class Format { two, four, four_one };

/// Types of elements that are read.
enum Type : std::int32_t { line = 1, triangle = 2, tetrahedron = 4, point = 15 };

/// "quadrangles", for types whose sides are straight.
std::string other_shape(std::int32_t type) {
  switch (type) {
    case 3:
      return "quadrangles";
    case 5:
      return "hexahedra";
    case 6:
      return "prisms";
    case 7:
      return "pyramids";
    default:
      return "elements of an unknown type";
  }
}
bool is_of_higher_order(std::int32_t type) { return type >= 8 && type <= 33 && type != point; }

/// A name as UTF-8; what is none is taken for ISO 8859-1, which programs of Windows write.
std::string as_utf8(std::string const& name) {
  if (io::is_utf8(name)) return name;
  std::string text;
  for (auto const c : name) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, std::string const& source) : in_(text, source), source_{source} {}

  /// Reads the mesh and settles it.
  TetraMesh read() {
    read_format();
    while (!in_.at_end()) {
      std::string const section(in_.word());
      if (section.size() < 2 || section[0] != '$') {
        in_.refuse("'" + section.substr(0, 20) + "' behind a section",
                   "a section begins with $ and its name, and has as many numbers as it says",
                   "write the mesh again");
      }
      read_section(section);
    }
    return connect();
  }

 private:
  struct Tetrahedron {
    std::array<std::int64_t, 4> node;
    std::int64_t number;
    std::int32_t group, volume;  ///< of format 2
  };
  struct Triangle {
    std::array<std::int64_t, 3> node;
    std::int32_t group, surface;  ///< group of format 2, surface of format 4
  };

  void read_format() {
    auto section = std::string(in_.word());
    while (section != "$MeshFormat") {
      if (section == "$NOD" || section == "$PARA") {
        in_.refuse("format 1 of gmsh", "formats 2, 4.0 and 4.1 are read",
                   "convert it: gmsh " + source_ + " -save -format msh41 -o new.msh");
      }
      if (!section.starts_with('$') || section == "$Nodes" || section == "$Elements") {
        in_.refuse("no mesh of gmsh", "it does not begin with $MeshFormat",
                   "give a file that gmsh -3 domain.geo -o domain.msh writes");
      }
      in_.skip_past("$End" + section.substr(1));
      section = in_.word();
    }
    std::string const version(in_.word());
    if (version == "4.1") {
      format_ = Format::four_one;
    } else if (version == "4" || version == "4.0") {
      format_ = Format::four;
    } else if (version == "2" || version == "2.0" || version == "2.1" || version == "2.2") {
      format_ = Format::two;
    } else {
      in_.refuse("format " + version.substr(0, 20) + " of gmsh", "formats 2, 4.0 and 4.1 are read",
                 "write it with gmsh -format msh41");
    }
    in_.long_numbers = format_ == Format::four_one;
    binary_ = in_.ascii<std::int32_t>() != 0;
    if (in_.ascii<std::int32_t>() != 8)
      in_.refuse("sizes are not of 8 bytes", "others are not read", "write it again");
    if (binary_) {
      in_.end_line();
      auto const one = in_.raw<std::int32_t>();
      in_.other_endian = one == 0x01000000;
      if (one != 1 && !in_.other_endian) {
        in_.refuse("bytes in an unknown order", "the binary number 1 is missing", "write it as ASCII");
      }
    }
    expect_end("$MeshFormat");
  }

  void expect_end(std::string const& section) {
    auto const end = "$End" + section.substr(1);
    std::string const word(in_.word());
    if (word.empty()) in_.refuse_truncated();
    if (word != end) {
      in_.refuse("'" + word.substr(0, 20) + "' where " + end + " is wanted",
                 "the section has more or fewer numbers than it says", "write the mesh again");
    }
  }

  void read_section(std::string const& section) {
    bool const nodes = section == "$Nodes" || section == "$ParametricNodes";
    if (section == "$PhysicalNames") {
      read_names();
    } else if (section == "$Elements" && format_ == Format::two) {
      read_elements_of_format_2();
    } else if (nodes && format_ == Format::two) {
      read_nodes_of_format_2(section == "$ParametricNodes");
    } else if (nodes || section == "$Elements" || section == "$Entities" ||
               section == "$PartitionedEntities") {
      in_.binary = binary_;
      if (binary_) in_.end_line();
      if (nodes) read_nodes();
      if (section == "$Elements") read_elements();
      if (section == "$Entities") read_entities(false);
      if (section == "$PartitionedEntities") read_entities(true);
      in_.binary = false;
    } else {
      return in_.skip_past("$End" + section.substr(1));
    }
    expect_end(section);
  }

  void read_names() {
    for (auto n = in_.count(); n > 0; --n) {
      auto const dimension = in_.integer(), tag = in_.integer();
      auto const name = as_utf8(in_.name());
      std::pair const named{std::abs(tag), name};
      if (dimension == 2 && std::ranges::find(mesh_.group, named) == mesh_.group.end()) {
        mesh_.group.push_back(named);
      }
    }
  }

  /// Reads the section of geometric entities: the physical groups that surfaces are in, and the parts of the
  /// mesh that volumes are in.
  void read_entities(bool of_parts) {
    auto const few = [&] { return format_ == Format::four ? in_.short_count() : in_.count(); };
    if (of_parts) {
      parts_ = few();
      for (auto ghosts = few(); ghosts > 0; --ghosts) in_.integer(), in_.integer();
    }
    std::int64_t counts[4];
    for (auto& n : counts) n = in_.count();
    for (int dimension = 0; dimension < 4; ++dimension) {
      for (auto n = counts[dimension]; n > 0; --n) {
        auto const tag = in_.integer();
        auto parent_dimension = dimension;
        if (of_parts) {
          parent_dimension = in_.integer();
          in_.integer();
          for (auto parts = few(); parts > 0; --parts) {
            auto const part = in_.integer();
            if (dimension == 3) parts_of_volume_[tag].insert(part);
          }
        }
        bool const at_a_point = dimension == 0 && format_ == Format::four_one;
        for (int i = 0; i < (at_a_point ? 3 : 6); ++i) in_.read<double>();
        for (auto groups = in_.count(); groups > 0; --groups) {
          auto const group = in_.integer();
          if (dimension == 2 && parent_dimension == 2) groups_of_surface_[tag].push_back(std::abs(group));
        }
        if (dimension == 0) continue;
        for (auto bounds = in_.count(); bounds > 0; --bounds) in_.integer();
      }
    }
  }

  void read_position() {
    for (int d = 0; d < 3; ++d) mesh_.position.push_back(in_.read<double>());
  }

  /// The head of a section of blocks in formats 4.0 and 4.1: how many there are, and what they hold in all.
  struct Head {
    std::int64_t blocks, total;
  };
  Head read_head() {
    Head head{};
    head.blocks = in_.count();
    head.total = in_.count();
    // Format 4.1 has the least and the largest number, too.
    for (int i = 0; i < (format_ == Format::four_one ? 2 : 0); ++i) in_.count();
    return head;
  }

  void require_total(Head const& head, std::int64_t found, std::string const& what) const {
    if (head.total == found) return;
    in_.refuse(std::to_string(found) + " " + what + " where the head of their section has " +
                   std::to_string(head.total),
               "the file was cut, or merged with another", "write the mesh again");
  }

  void read_nodes() {
    bool const newer = format_ == Format::four_one;
    auto const before = std::ssize(mesh_.node_number);
    auto const head = read_head();
    for (std::int64_t b = 0; b < head.blocks; ++b) {
      std::int32_t dimension = in_.integer(), entity = in_.integer();
      if (!newer) std::swap(dimension, entity);
      auto const parametric = in_.integer() != 0;
      // Format 4.0 has no parameters of nodes within volumes.
      int const parameters = !parametric || (!newer && dimension == 3) ? 0 : dimension;
      auto const nodes = in_.count();
      for (std::int64_t n = 0; newer && n < nodes; ++n) mesh_.node_number.push_back(in_.number());
      for (std::int64_t n = 0; n < nodes; ++n) {
        if (!newer) mesh_.node_number.push_back(in_.number());
        read_position();
        for (int d = 0; d < parameters; ++d) in_.read<double>();
      }
    }
    require_total(head, std::ssize(mesh_.node_number) - before, "nodes");
  }

  void read_nodes_of_format_2(bool parametric) {
    auto const nodes = in_.count();
    in_.binary = binary_;
    if (binary_) in_.end_line();
    for (std::int64_t n = 0; n < nodes; ++n) {
      mesh_.node_number.push_back(in_.number());
      read_position();
      if (!parametric) continue;
      auto const dimension = in_.integer();
      in_.integer();
      for (int d = 0; d < dimension && dimension < 3; ++d) in_.read<double>();
    }
    in_.binary = false;
  }

  /// InputError for types that are not read.
  int corners_of(std::int32_t type) const {
    if (type == point) return 1;
    if (type == line) return 2;
    if (type == triangle) return 3;
    if (type == tetrahedron) return 4;
    if (is_of_higher_order(type)) {
      in_.refuse("elements of the second order, or a higher one",
                 "type " + std::to_string(type) + " of gmsh; linear ones are read",
                 "mesh with linear ones: gmsh -3 -order 1 domain.geo -o domain.msh");
    }
    in_.refuse(other_shape(type),
               "type " + std::to_string(type) + " of gmsh; only tetrahedra and triangles are read",
               "mesh with tetrahedra alone, without Recombine and Layers");
  }

  void read_elements() {
    bool const newer = format_ == Format::four_one;
    auto const head = read_head();
    std::int64_t found = 0;
    for (std::int64_t b = 0; b < head.blocks; ++b) {
      std::int32_t dimension = in_.integer(), entity = in_.integer();
      if (!newer) std::swap(dimension, entity);
      auto const type = in_.integer();
      auto const corners = corners_of(type);
      auto const elements = in_.count();
      if (type == tetrahedron && elements > 0) volumes_.insert(entity);
      for (std::int64_t e = 0; e < elements; ++e) {
        auto const number = in_.number();
        read_element(type, corners, number, 0, entity);
      }
      found += elements;
    }
    require_total(head, found, "elements");
  }

  void read_elements_of_format_2() {
    auto elements = in_.count();
    in_.binary = binary_;
    if (binary_) in_.end_line();
    while (elements > 0) {
      std::int64_t number = binary_ ? 0 : in_.number();
      auto const type = in_.integer();
      auto const corners = corners_of(type);
      auto const alike = binary_ ? in_.short_count() : 1;
      auto const tags = in_.integer();
      for (std::int64_t e = 0; e < alike; ++e) {
        if (binary_) number = in_.number();
        std::int32_t group = 0, entity = 0, parts = 0;
        for (std::int32_t t = 0; t < tags; ++t) {
          auto const tag = in_.integer();
          if (t == 0) group = std::abs(tag);
          if (t == 1) entity = tag;
          if (t == 2) parts = tag;
          if (t == 3 && parts > 0 && type == tetrahedron) parts_of_format_2_.insert(tag);
        }
        read_element(type, corners, number, group, entity);
      }
      elements -= alike;
      if (elements < 0) in_.refuse_truncated();
    }
    in_.binary = false;
  }

  void read_element(std::int32_t type, int corners, std::int64_t number, std::int32_t group,
                    std::int32_t entity) {
    std::array<std::int64_t, 4> node{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(corners); ++i) node[i] = in_.number();
    if (type == tetrahedron) tetrahedra_.push_back({node, number, group, entity});
    if (type == triangle) triangles_.push_back({{node[0], node[1], node[2]}, group, entity});
  }

  /// A file of a partitioned mesh may be one part of it.
  void refuse_one_part() const {
    auto parts = parts_of_format_2_;
    auto all = static_cast<std::size_t>(parts_);
    for (auto const& [volume, of_volume] : parts_of_volume_) {
      if (volumes_.contains(volume)) parts.insert(of_volume.begin(), of_volume.end());
    }
    bool const alone = format_ == Format::two ? parts.size() == 1 : parts.size() < all;
    if (parts.empty() || !alone) return;
    in_.refuse("part " + std::to_string(*parts.begin()) + " of a partitioned mesh alone",
               "its other parts lie in other files", "write it whole, without -part_split");
  }

  /// A tetrahedron in two physical groups is there twice in format 2.
  void drop_repeated() {
    std::vector<std::pair<std::array<std::int64_t, 4>, std::size_t>> keyed;
    for (std::size_t e = 0; e < tetrahedra_.size(); ++e) {
      auto node = tetrahedra_[e].node;
      std::ranges::sort(node);
      keyed.push_back({node, e});
    }
    std::ranges::sort(keyed);
    std::vector<bool> repeated(tetrahedra_.size(), false);
    for (std::size_t k = 1; k < keyed.size(); ++k) {
      auto const &one = tetrahedra_[keyed[k - 1].second], &other = tetrahedra_[keyed[k].second];
      repeated[keyed[k].second] =
          keyed[k].first == keyed[k - 1].first && one.volume == other.volume && one.group != other.group;
    }
    std::size_t kept = 0;
    for (std::size_t e = 0; e < tetrahedra_.size(); ++e) {
      if (!repeated[e]) tetrahedra_[kept++] = tetrahedra_[e];
    }
    tetrahedra_.resize(kept);
  }

  std::vector<Triangle> grouped_triangles() const {
    std::vector<Triangle> grouped;
    for (auto const& one : triangles_) {
      if (format_ == Format::two) {
        if (one.group != 0) grouped.push_back(one);
        continue;
      }
      auto const found = groups_of_surface_.find(one.surface);
      if (found == groups_of_surface_.end()) continue;
      for (auto const group : found->second) grouped.push_back({one.node, group, one.surface});
    }
    return grouped;
  }

  /// Numbers of nodes become places among those that tetrahedra have; others, as centres of circles, go.
  TetraMesh connect() {
    if (tetrahedra_.empty()) {
      in_.refuse(
          "no tetrahedra",
          "a mesh of volumes is needed; gmsh writes only what is in physical groups where there is one",
          "mesh in three dimensions (gmsh -3) and put the volumes into a Physical Volume");
    }
    refuse_one_part();
    if (format_ == Format::two) drop_repeated();
    std::vector<std::pair<std::int64_t, std::size_t>> known;
    for (std::size_t n = 0; n < mesh_.node_number.size(); ++n) known.push_back({mesh_.node_number[n], n});
    std::ranges::sort(known);
    for (std::size_t n = 1; n < known.size(); ++n) {
      if (known[n].first == known[n - 1].first) {
        in_.refuse("node " + std::to_string(known[n].first) + " is there twice",
                   "nodes have numbers of their own", "write the mesh again");
      }
    }
    constexpr std::int32_t unused = -1;
    std::vector<std::int32_t> place(known.size(), unused);
    auto const row = [&](std::int64_t number) {
      auto const found = std::lower_bound(known.begin(), known.end(), std::pair{number, std::size_t{0}});
      if (found == known.end() || found->first != number) {
        in_.refuse("no node " + std::to_string(number), "an element has it", "write the mesh again");
      }
      return found->second;
    };
    for (auto const& one : tetrahedra_) {
      for (auto const number : one.node) place[row(number)] = 0;
    }
    std::int32_t nodes = 0;
    for (std::size_t n = 0; n < place.size(); ++n) {
      if (place[n] == unused) continue;
      auto const to = static_cast<std::size_t>(nodes);
      std::copy_n(&mesh_.position[3 * n], 3, &mesh_.position[3 * to]);
      mesh_.node_number[to] = mesh_.node_number[n];
      place[n] = nodes++;
    }
    mesh_.position.resize(3 * static_cast<std::size_t>(nodes));
    mesh_.node_number.resize(static_cast<std::size_t>(nodes));
    for (auto const& one : tetrahedra_) {
      for (auto const number : one.node) mesh_.element.push_back(place[row(number)]);
      mesh_.element_number.push_back(one.number);
    }
    std::vector<GroupedTriangle> grouped;
    for (auto const& one : grouped_triangles()) {
      GroupedTriangle triangle{{}, one.group};
      for (std::size_t i = 0; i < 3; ++i) {
        triangle.node[i] = place[row(one.node[i])];
        if (triangle.node[i] != unused) continue;
        in_.refuse(
            "node " + std::to_string(one.node[i]) + " of a triangle of group " +
                label_of_group(mesh_, one.group) + " is on no tetrahedron",
            "the triangle's volume is not in the file, or it is no volume's surface",
            "put all volumes of the domain into physical groups, or take the surface out of its group");
      }
      grouped.push_back(triangle);
    }
    if (grouped.empty() && mesh_.group.empty()) {
      settle_enclosed(mesh_, source_, "boundary");
    } else {
      settle_grouped(mesh_, source_, std::move(grouped));
    }
    return std::move(mesh_);
  }

  GmshScanner in_;
  std::string const& source_;
  Format format_ = Format::four_one;
  bool binary_ = false;
  TetraMesh mesh_;  ///< at first with all nodes of the file
  std::vector<Tetrahedron> tetrahedra_;
  std::vector<Triangle> triangles_;
  std::map<std::int32_t, std::vector<std::int32_t>> groups_of_surface_;
  std::map<std::int32_t, std::set<std::int32_t>> parts_of_volume_;
  std::set<std::int32_t> volumes_, parts_of_format_2_;
  std::int64_t parts_ = 0;
};

}  // namespace

TetraMesh parse_gmsh(std::string_view text, std::string const& source) {
  auto mesh = Reader(text, source).read();
  renumber(mesh, source);
  return mesh;
}

TetraMesh read_gmsh(std::string const& path) {
  auto const text = io::regular_file_content(path);
  if (!text || text->empty()) {
    throw InputError(path + ": cannot be read (no such file, or it is empty) check its path");
  }
  return parse_gmsh(*text, path);
}

}  // namespace ulpine
