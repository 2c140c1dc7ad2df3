// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/gmsh.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "io/error.hpp"

namespace ulpine {
namespace {

/// Numbers and words of a file, one after the other.
class Scanner {
 public:
  Scanner(std::string_view text, std::string const& source) : text_{text}, source_{source} {}

  bool binary = false;

  [[noreturn]] void refuse(std::string const& problem, std::string const& why,
                           std::string const& remedy) const {
    throw InputError(source_ + ": " + one_line(problem) + " (" + why + ") " + remedy);
  }
  [[noreturn]] void refuse_truncated() const {
    refuse("ends or breaks off at byte " + std::to_string(at_), "a number or a section's end is missing",
           "write the mesh again, in format 4.1");
  }

  std::string_view word() {
    skip_blanks();
    auto const begin = at_;
    while (at_ < text_.size() && !blank(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  std::string quoted() {
    skip_blanks();
    auto const end = at_ < text_.size() ? text_.find('"', at_ + 1) : text_.npos;
    if (end == text_.npos || text_[at_] != '"') refuse_truncated();
    std::string name(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return name;
  }
  /// To behind `mark`.
  void skip_past(std::string const& mark) {
    auto const found = text_.find(mark, at_);
    if (found == text_.npos) refuse_truncated();
    at_ = found + mark.size();
  }
  void end_line() {
    auto const found = text_.find('\n', at_);
    if (found == text_.npos) refuse_truncated();
    at_ = found + 1;
  }

  template <class T>
  T ascii() {
    auto const text = word();
    T value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) refuse_truncated();
    return value;
  }
  template <class T>
  T raw() {
    if (text_.size() - at_ < sizeof(T)) refuse_truncated();
    T value;
    std::memcpy(&value, text_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  template <class T>
  T read() {
    return binary ? raw<T>() : ascii<T>();
  }
  std::int32_t integer() { return read<std::int32_t>(); }
  std::int64_t count() {
    auto const value = read<std::int64_t>();
    if (value < 0) refuse_truncated();
    return value;
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  void skip_blanks() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::string const& source_;
  std::size_t at_ = 0;
};

class Reader {
 public:
  Reader(std::string_view text, std::string const& source) : in_(text, source) {}

  TetraMesh read() {
    if (in_.word() != "$MeshFormat") {
      in_.refuse("no mesh of gmsh", "it does not begin with $MeshFormat", "give a .msh file of format 4.1");
    }
    auto const version = in_.word();
    if (version != "4.1") {
      in_.refuse("format " + std::string(version.substr(0, 20)) + " of gmsh", "only 4.1 is read",
                 "write it with gmsh -format msh41");
    }
    auto const binary = in_.ascii<std::int32_t>() != 0;
    if (in_.ascii<std::int32_t>() != 8)
      in_.refuse("sizes are not of 8 bytes", "others are not read", "write it again");
    if (binary) {
      in_.end_line();
      if (in_.raw<std::int32_t>() != 1) {
        in_.refuse("bytes in another order", "of a machine of other endianness", "write it as ASCII");
      }
    }
    in_.skip_past("$EndMeshFormat");
    while (!in_.at_end()) {
      std::string const section(in_.word());
      if (section.empty() || section[0] != '$') in_.refuse_truncated();
      in_.binary = binary && section != "$PhysicalNames";
      if (in_.binary) in_.end_line();
      if (section == "$PhysicalNames") read_names();
      if (section == "$Entities") read_entities();
      if (section == "$Nodes") read_nodes();
      if (section == "$Elements") read_elements();
      in_.skip_past("$End" + section.substr(1));
    }
    return connect();
  }

 private:
  void read_names() {
    for (auto n = in_.count(); n > 0; --n) {
      auto const dimension = in_.integer(), tag = in_.integer();
      auto const name = in_.quoted();
      if (dimension == 2) mesh_.group.push_back({tag, name});
    }
  }

  void read_entities() {
    std::int64_t counts[4];
    for (auto& n : counts) n = in_.count();
    for (int dimension = 0; dimension < 4; ++dimension) {
      for (auto n = counts[dimension]; n > 0; --n) {
        auto const tag = in_.integer();
        for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i) in_.read<double>();
        auto const groups = in_.count();
        for (std::int64_t g = 0; g < groups; ++g) {
          auto const group = in_.integer();
          if (g == 0 && dimension == 2) group_of_surface_[tag] = group < 0 ? -std::int64_t{group} : group;
        }
        if (dimension == 0) continue;
        for (auto bounds = in_.count(); bounds > 0; --bounds) in_.integer();
      }
    }
  }

  void read_nodes() {
    auto const blocks = in_.count();
    for (int i = 0; i < 3; ++i) in_.count();
    for (std::int64_t b = 0; b < blocks; ++b) {
      auto const dimension = in_.integer();
      in_.integer();
      auto const parametric = in_.integer() != 0;
      auto const nodes = in_.count();
      for (std::int64_t n = 0; n < nodes; ++n) mesh_.node_number.push_back(in_.count());
      for (std::int64_t n = 0; n < nodes; ++n) {
        for (int d = 0; d < 3; ++d) mesh_.position.push_back(in_.read<double>());
        for (int d = 0; parametric && d < dimension; ++d) in_.read<double>();
      }
    }
  }

  void read_elements() {
    constexpr std::int32_t line = 1, triangle = 2, tetrahedron = 4, point = 15;
    auto const blocks = in_.count();
    for (int i = 0; i < 3; ++i) in_.count();
    for (std::int64_t b = 0; b < blocks; ++b) {
      in_.integer();
      auto const entity = in_.integer(), type = in_.integer();
      if (type != line && type != triangle && type != tetrahedron && type != point) {
        in_.refuse("elements of type " + std::to_string(type),
                   "only linear tetrahedra and triangles are read", "mesh with tetrahedra of order 1");
      }
      int const corners = type == point ? 1 : type == line ? 2 : type == triangle ? 3 : 4;
      auto const group = group_of_surface_.find(entity);
      bool const bounds = type == triangle && group != group_of_surface_.end();
      for (auto n = in_.count(); n > 0; --n) {
        auto const number = in_.count();
        for (int i = 0; i < corners; ++i) {
          auto const node = in_.count();
          if (type == tetrahedron) element_.push_back(node);
          if (bounds) face_.push_back(node);
        }
        if (type == tetrahedron) mesh_.element_number.push_back(number);
        if (bounds) mesh_.face_id.push_back(static_cast<std::int32_t>(group->second));
      }
    }
  }

  /// Numbers of nodes become places among them.
  TetraMesh connect() {
    std::vector<std::pair<std::int64_t, std::int32_t>> known;
    for (std::size_t n = 0; n < mesh_.node_number.size(); ++n) {
      known.push_back({mesh_.node_number[n], static_cast<std::int32_t>(n)});
    }
    std::sort(known.begin(), known.end());
    for (std::size_t n = 1; n < known.size(); ++n) {
      if (known[n].first == known[n - 1].first) {
        in_.refuse("node " + std::to_string(known[n].first) + " is there twice",
                   "nodes have numbers of their own", "write the mesh again");
      }
    }
    auto const place = [&](std::int64_t number) {
      auto const found = std::lower_bound(known.begin(), known.end(), std::pair{number, std::int32_t{-1}});
      if (found == known.end() || found->first != number) {
        in_.refuse("no node " + std::to_string(number), "an element has it", "write the mesh again");
      }
      return found->second;
    };
    std::transform(element_.begin(), element_.end(), std::back_inserter(mesh_.element), place);
    std::transform(face_.begin(), face_.end(), std::back_inserter(mesh_.face), place);
    return std::move(mesh_);
  }

  Scanner in_;
  TetraMesh mesh_;
  std::map<std::int32_t, std::int64_t> group_of_surface_;
  std::vector<std::int64_t> element_, face_;
};

}  // namespace

TetraMesh parse_gmsh(std::string_view text, std::string const& source) {
  auto mesh = Reader(text, source).read();
  settle(mesh, source);
  renumber(mesh);
  return mesh;
}

TetraMesh read_gmsh(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty()) {
    throw InputError(path + ": cannot be read (no such file, or it is empty) check its path");
  }
  return parse_gmsh(text, path);
}

}  // namespace ulpine
