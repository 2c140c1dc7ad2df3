// SPDX-License-Identifier: Apache-2.0
// Physical groups of a mesh's boundary by name and number.
#include <algorithm>
#include <string>

#include "core/mesh/tetra_mesh.hpp"
#include "io/error.hpp"

namespace ulpine {

std::string label_of_group(TetraMesh const& mesh, std::int32_t group) {
  auto const named = std::find_if(mesh.group.begin(), mesh.group.end(),
                                  [&](auto const& known) { return known.first == group; });
  return named == mesh.group.end() ? std::to_string(group) : "\"" + one_line(named->second) + "\"";
}

std::vector<std::pair<std::int32_t, std::string>> named_groups(TetraMesh const& mesh) {
  auto known = mesh.group;
  auto numbers = mesh.face_id;
  for (auto const& [face, group] : mesh.more_groups) numbers.push_back(group);
  std::ranges::sort(numbers);
  auto const doubled = std::ranges::unique(numbers);
  numbers.erase(doubled.begin(), doubled.end());
  for (auto const number : numbers) {
    bool const named =
        std::ranges::find(mesh.group, number, [](auto const& one) { return one.first; }) != mesh.group.end();
    if (!named && number != TetraMesh::no_group) known.push_back({number, std::to_string(number)});
  }
  return known;
}

std::vector<std::int32_t> faces_of(TetraMesh const& mesh, std::string const& name) {
  std::vector<std::int32_t> numbers, faces;
  for (auto const& [number, known] : mesh.group) {
    if (known == name) numbers.push_back(number);
  }
  auto const among = [&](std::int32_t group) {
    return numbers.empty() ? std::to_string(group) == name
                           : std::ranges::find(numbers, group) != numbers.end();
  };
  for (std::int32_t f = 0; f < mesh.faces(); ++f) {
    if (among(mesh.face_id[static_cast<std::size_t>(f)])) faces.push_back(f);
  }
  for (auto const& [face, group] : mesh.more_groups) {
    if (among(group)) faces.push_back(face);
  }
  std::ranges::sort(faces);
  auto const doubled = std::ranges::unique(faces);
  faces.erase(doubled.begin(), doubled.end());
  return faces;
}

}  // namespace ulpine
