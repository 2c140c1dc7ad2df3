// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/mesh/tetra_mesh.hpp"

namespace ulpine::test {

/// A mesh as gmsh has it: elements lie on entities, which are in any number of physical groups.
struct GmshModel {
  std::vector<double> position;  ///< (node, 3)
  std::vector<std::int64_t> node_number;
  struct Element {
    std::vector<std::size_t> node;  ///< three or four
    std::int64_t number;
    std::int32_t entity;
  };
  std::vector<Element> triangles, tetrahedra;
  std::map<std::int32_t, std::vector<std::int32_t>> groups_of_surface, groups_of_volume;
  std::vector<std::tuple<int, std::int32_t, std::string>> names;  ///< dimension, group, name
};

/// A mesh of the generator whose sides are surfaces of 100 and their number.
inline GmshModel gmsh_model(TetraMesh const& mesh) {
  GmshModel model;
  model.position = mesh.position;
  for (std::int64_t n = 0; n < mesh.nodes(); ++n) model.node_number.push_back(10 + 3 * n);
  for (std::size_t f = 0; f < mesh.face_id.size(); ++f) {
    GmshModel::Element one{{}, static_cast<std::int64_t>(f) + 1, 100 + mesh.face_id[f]};
    for (std::size_t k = 0; k < 3; ++k) one.node.push_back(static_cast<std::size_t>(mesh.face[3 * f + k]));
    model.triangles.push_back(one);
    model.groups_of_surface[one.entity] = {mesh.face_id[f]};
  }
  for (std::size_t e = 0; e < mesh.element_number.size(); ++e) {
    GmshModel::Element one{{}, mesh.element_number[e] + 1000, 1};
    for (std::size_t k = 0; k < 4; ++k) one.node.push_back(static_cast<std::size_t>(mesh.element[4 * e + k]));
    model.tetrahedra.push_back(one);
  }
  model.groups_of_volume[1] = {1};
  for (auto const& [number, name] : mesh.group) model.names.push_back({2, number, name});
  return model;
}

/// How gmsh's manual has a file of format 2.2, 4.0 or 4.1 ("MSH file format", "Legacy formats").
struct GmshForm {
  std::string version = "4.1";  ///< "2.2", "4" or "4.1"
  bool binary = false;
  bool other_endian = false;  ///< of binary files
  bool parametric = false;    ///< nodes on surfaces and lines have parameters
  int parts = 0;              ///< 0: not partitioned; else format 4's entities of so many parts
  int only_part = 0;          ///< what -part_split writes: elements of this part alone; 0: of all
};

class GmshWriter {
 public:
  GmshWriter(GmshModel const& model, GmshForm const& form) : model_{model}, form_{form} {}

  std::string write() {
    out_.precision(17);
    out_ << "$MeshFormat\n" << form_.version << ' ' << form_.binary << " 8\n";
    if (form_.binary) put(std::int32_t{1}), out_ << '\n';
    out_ << "$EndMeshFormat\n$PhysicalNames\n" << model_.names.size() << '\n';
    for (auto const& [dimension, number, name] : model_.names) {
      out_ << dimension << ' ' << number << " \"" << name << "\"\n";
    }
    out_ << "$EndPhysicalNames\n";
    if (form_.version == "2.2") {
      nodes_of_format_2();
      elements_of_format_2();
    } else {
      entities(false);
      if (form_.parts > 0) entities(true);
      nodes();
      elements();
    }
    return out_.str();
  }

 private:
  bool newer() const { return form_.version == "4.1"; }
  int part_of(GmshModel::Element const& one) const {
    return form_.parts == 0 ? 0 : 1 + static_cast<int>(one.number % form_.parts);
  }
  bool written(GmshModel::Element const& one) const {
    return form_.only_part == 0 || part_of(one) == form_.only_part;
  }
  /// Entities of parts have numbers of their own.
  std::int32_t entity_of(GmshModel::Element const& one) const {
    return one.entity + (form_.parts == 0 ? 0 : 1000 * part_of(one));
  }

  template <class... T>
  void put(T... values) {
    (put_one(values), ...);
  }
  template <class T>
  void put_one(T value) {
    if (!form_.binary) {
      out_ << value << ' ';
      return;
    }
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    if (form_.other_endian) std::ranges::reverse(bytes);
    out_.write(bytes.data(), bytes.size());
  }
  void size(std::int64_t value) { put(value); }
  /// Of parts, which format 4.0 counts in 4 bytes.
  void few(std::int64_t value) { newer() ? put(value) : put(static_cast<std::int32_t>(value)); }
  /// The number of a node or an element.
  void number(std::int64_t value) { few(value); }
  void line() {
    if (!form_.binary) out_ << '\n';
  }

  void box(int dimension) {
    for (int i = 0; i < (dimension == 0 && newer() ? 3 : 6); ++i) put(0.25 * i);
  }
  void groups(std::vector<std::int32_t> const& all) {
    size(static_cast<std::int64_t>(all.size()));
    for (auto const group : all) put(group);
  }
  void bounds(std::vector<std::int32_t> const& all) { groups(all), line(); }

  /// A point, a line, the surfaces and the volumes; of parts all of them once a part, and each surface's
  /// entity between two parts, which has the volume's group.
  void entities(bool of_parts) {
    out_ << (of_parts ? "$PartitionedEntities\n" : "$Entities\n");
    std::int64_t const parts = of_parts ? form_.parts : 1;
    auto const surfaces = static_cast<std::int64_t>(model_.groups_of_surface.size()) * parts,
               volumes = static_cast<std::int64_t>(model_.groups_of_volume.size()) * parts;
    if (of_parts) {
      few(parts), few(2);
      put(std::int32_t{90}, std::int32_t{1}, std::int32_t{91}, std::int32_t{2});
    }
    size(parts), size(parts), size(surfaces + (of_parts ? 1 : 0)), size(volumes), line();
    auto const begin = [&](std::int32_t tag, std::int32_t dimension, std::int32_t part) {
      put(of_parts ? tag + 1000 * part : tag);
      if (of_parts) put(dimension, tag), few(1), put(part);
      box(dimension);
    };
    for (std::int32_t p = 1; p <= parts; ++p) begin(4, 0, p), groups({}), line();
    for (std::int32_t p = 1; p <= parts; ++p) begin(2, 1, p), groups({77}), bounds({4, -4});
    for (std::int32_t p = 1; p <= parts; ++p) {
      for (auto const& [tag, in] : model_.groups_of_surface) begin(tag, 2, p), groups(in), bounds({2, -2});
    }
    if (of_parts) {
      put(std::int32_t{99999}, std::int32_t{3}, std::int32_t{1}), few(2),
          put(std::int32_t{1}, std::int32_t{2});
      box(2), groups({1}), bounds({});
    }
    for (std::int32_t p = 1; p <= parts; ++p) {
      for (auto const& [tag, in] : model_.groups_of_volume) begin(tag, 3, p), groups(in), bounds({101, -102});
    }
    out_ << (of_parts ? "\n$EndPartitionedEntities\n" : "\n$EndEntities\n");
  }

  void place(std::size_t n) {
    for (std::size_t d = 0; d < 3; ++d) put(model_.position[3 * n + d]);
  }

  /// The first node on a surface, the second on a line, the others in the volume.
  void nodes() {
    out_ << "$Nodes\n";
    auto const all = model_.node_number.size();
    size(3), size(static_cast<std::int64_t>(all));
    if (newer()) size(1), size(std::int64_t{1} << 40);
    line();
    std::size_t const first[4] = {0, 1, 2, all};
    std::int32_t const dimension[3] = {2, 1, 3}, tag[3] = {101, 2, 1};
    for (std::size_t b = 0; b < 3; ++b) {
      newer() ? put(dimension[b], tag[b]) : put(tag[b], dimension[b]);
      put(std::int32_t{form_.parametric});
      size(static_cast<std::int64_t>(first[b + 1] - first[b])), line();
      for (auto n = first[b]; newer() && n < first[b + 1]; ++n) number(model_.node_number[n]), line();
      for (auto n = first[b]; n < first[b + 1]; ++n) {
        if (!newer()) number(model_.node_number[n]);
        place(n);
        // Format 4.0 has no parameters of nodes within volumes.
        int const parameters = !newer() && dimension[b] == 3 ? 0 : dimension[b];
        for (int i = 0; form_.parametric && i < parameters; ++i) put(0.125 * i);
        line();
      }
    }
    out_ << "\n$EndNodes\n";
  }

  void nodes_of_format_2() {
    auto const section = form_.parametric ? "ParametricNodes" : "Nodes";
    out_ << '$' << section << '\n' << model_.node_number.size() << '\n';
    for (std::size_t n = 0; n < model_.node_number.size(); ++n) {
      number(model_.node_number[n]), place(n);
      if (form_.parametric) {
        std::int32_t const dimension = static_cast<std::int32_t>(n % 4);
        put(dimension, std::int32_t{1});
        for (int i = 0; i < dimension && dimension < 3; ++i) put(0.125 * i);
      }
      line();
    }
    out_ << "\n$End" << section << '\n';
  }

  void element(GmshModel::Element const& one) {
    number(one.number);
    for (auto const n : one.node) number(model_.node_number[n]);
    line();
  }

  /// A point, then a block for every run of elements on one entity.
  void elements() {
    struct Block {
      std::int32_t dimension, entity, type;
      std::vector<GmshModel::Element const*> elements;
    };
    std::vector<Block> blocks;
    auto const add = [&](std::vector<GmshModel::Element> const& all, std::int32_t dimension,
                         std::int32_t type) {
      for (auto const& one : all) {
        if (!written(one)) continue;
        auto const entity = entity_of(one);
        if (blocks.empty() || blocks.back().entity != entity || blocks.back().dimension != dimension) {
          blocks.push_back({dimension, entity, type, {}});
        }
        blocks.back().elements.push_back(&one);
      }
    };
    add(model_.triangles, 2, 2);
    add(model_.tetrahedra, 3, 4);
    out_ << "$Elements\n";
    std::int64_t count = 1;
    for (auto const& block : blocks) count += static_cast<std::int64_t>(block.elements.size());
    size(static_cast<std::int64_t>(blocks.size()) + 1), size(count);
    if (newer()) size(1), size(900000);
    line();
    auto const head = [&](std::int32_t dimension, std::int32_t entity, std::int32_t type,
                          std::size_t elements) {
      newer() ? put(dimension, entity) : put(entity, dimension);
      put(type), size(static_cast<std::int64_t>(elements)), line();
    };
    head(0, 4, 15, 1), number(900000), number(model_.node_number[0]), line();
    for (auto const& block : blocks) {
      head(block.dimension, block.entity, block.type, block.elements.size());
      for (auto const* one : block.elements) element(*one);
    }
    out_ << "\n$EndElements\n";
  }

  /// An element in several groups is there once for each.
  void elements_of_format_2() {
    struct Row {
      std::int32_t type, group;
      GmshModel::Element const* element;
    };
    std::vector<Row> rows;
    auto const add = [&](std::vector<GmshModel::Element> const& all, std::int32_t type,
                         std::map<std::int32_t, std::vector<std::int32_t>> const& groups) {
      for (auto const& one : all) {
        if (!written(one)) continue;
        auto const found = groups.find(one.entity);
        if (found == groups.end() || found->second.empty()) rows.push_back({type, 0, &one});
        if (found == groups.end()) continue;
        for (auto const group : found->second) rows.push_back({type, group, &one});
      }
    };
    add(model_.triangles, 2, model_.groups_of_surface);
    add(model_.tetrahedra, 4, model_.groups_of_volume);
    out_ << "$Elements\n" << rows.size() << '\n';
    for (auto const& row : rows) {
      auto const tags = form_.parts == 0 ? std::int32_t{2} : std::int32_t{4};
      if (form_.binary) {
        put(row.type, std::int32_t{1}, tags), number(row.element->number);
      } else {
        number(row.element->number), put(row.type, tags);
      }
      put(row.group, row.element->entity);
      if (form_.parts > 0) put(std::int32_t{1}, std::int32_t{part_of(*row.element)});
      for (auto const n : row.element->node) number(model_.node_number[n]);
      line();
    }
    out_ << "\n$EndElements\n";
  }

  GmshModel const& model_;
  GmshForm form_;
  std::ostringstream out_;
};

inline std::string write_gmsh(GmshModel const& model, GmshForm const& form = {}) {
  return GmshWriter(model, form).write();
}

}  // namespace ulpine::test
