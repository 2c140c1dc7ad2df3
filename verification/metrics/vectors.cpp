// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ulpine::verification {
namespace {

/// A standard name with its direction cut out, and the direction: x 0, y 1, z 2; -1 where it has none.
std::pair<std::string, int> split_direction(std::string const& standard_name) {
  static std::map<std::string, std::pair<char const*, int>> const directions = {
      {"x", {"grid", 0}},         {"y", {"grid", 1}},          {"z", {"grid", 2}},
      {"eastward", {"earth", 0}}, {"northward", {"earth", 1}}, {"upward", {"earth", 2}}};
  std::string rest, family;
  int axis = -1;
  for (std::size_t begin = 0; begin <= standard_name.size();) {
    std::size_t const end = std::min(standard_name.find('_', begin), standard_name.size());
    auto const word = standard_name.substr(begin, end - begin);
    if (auto const found = directions.find(word); axis < 0 && found != directions.end()) {
      family = found->second.first;
      axis = found->second.second;
      rest += "_*";
    } else {
      rest += "_" + word;
    }
    begin = end + 1;
  }
  return {family + rest, axis};
}

std::string folder_of(std::string const& name) { return name.substr(0, name.rfind('/') + 1); }

std::set<std::string> words_of(std::string const& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// Fields of equal shape may be staggered: u at the western and v at the southern faces of n x n cells.
bool on_one_grid(io::FieldInfo const& a, io::FieldInfo const& b) {
  return a.shape == b.shape && a.dimensions == b.dimensions && folder_of(a.name) == folder_of(b.name) &&
         words_of(a.coordinates) == words_of(b.coordinates);
}

}  // namespace

std::vector<std::vector<std::string>> vector_components(std::vector<io::FieldInfo> const& fields) {
  static std::vector<std::array<char const*, 3>> const usual_names = {
      {"siu", "siv", ""}, {"u", "v", "w"},    {"ua", "va", "wa"},     {"uo", "vo", "wo"},
      {"u10", "v10", ""}, {"uas", "vas", ""}, {"uice", "vice", ""},   {"uvel", "vvel", ""},
      {"U", "V", "W"},    {"U10", "V10", ""}, {"u_10m", "v_10m", ""}, {"ugrd", "vgrd", ""}};
  // Keys are what the components have in common, values their fields by axis; in the order of the first
  // component.
  std::vector<std::pair<std::string, std::array<io::FieldInfo const*, 3>>> groups;
  auto const put = [&](std::string const& key, int axis, io::FieldInfo const& field) {
    auto found =
        std::find_if(groups.begin(), groups.end(), [&](auto const& group) { return group.first == key; });
    if (found == groups.end()) {
      groups.push_back({key, {}});
      found = groups.end() - 1;
    }
    if (found->second[axis] == nullptr) {
      found->second[axis] = &field;
    }
  };
  for (auto const& field : fields) {
    if (auto const [key, axis] = split_direction(field.standard_name); axis >= 0) {
      put(key, axis, field);
      continue;
    }
    for (auto const& names : usual_names) {
      for (int axis = 0; axis < 3; ++axis) {
        if (field.name == names[axis]) {
          put(std::string("name ") + names[0], axis, field);
        }
      }
    }
  }
  std::vector<std::vector<std::string>> result;
  for (auto const& [key, axes] : groups) {
    auto const [x, y, z] = axes;
    if (x == nullptr || y == nullptr || !on_one_grid(*x, *y)) {
      continue;
    }
    result.push_back({x->name, y->name});
    if (z != nullptr && on_one_grid(*x, *z)) {
      result.back().push_back(z->name);
    }
  }
  return result;
}

std::string speed_name(std::vector<std::string> const& components) {
  return fmt::format("speed({})", fmt::join(components, ","));
}

std::vector<double> speed(std::vector<std::span<double const>> const& components) {
  std::vector<double> result(components.empty() ? 0 : components[0].size(), 0.0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    double largest = 0;
    for (auto const& component : components) {
      largest = std::isnan(component[i]) ? component[i] : std::max(std::abs(component[i]), largest);
      if (std::isnan(largest)) {
        break;
      }
    }
    if (largest == 0 || !std::isfinite(largest)) {
      result[i] = largest;
      continue;
    }
    double sum = 0;
    for (auto const& component : components) {
      sum += component[i] / largest * (component[i] / largest);
    }
    result[i] = largest * std::sqrt(sum);
  }
  return result;
}

}  // namespace ulpine::verification
