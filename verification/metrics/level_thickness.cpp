// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/level_thickness.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/text.hpp"
#include "verification/comparison/planes.hpp"

namespace ulpine::verification {
namespace {

constexpr double surface_pressure = 1e5;  // Pa

/// All numbers of a variable that does not change in time; nothing where there are not `size`.
std::vector<double> numbers(io::InputFile const& file, std::string const& name, std::size_t size) {
  if (name.empty() || !file.has(name) || file.time_axis(name).exists) return {};
  if (file.info(name).size() != static_cast<std::int64_t>(size)) return {};
  return file.read_all(name);
}

/// Distances between two ends of each level; nothing where one is not positive.
template <class Ends>
std::vector<double> between(std::size_t levels, Ends const& ends) {
  std::vector<double> thickness;
  for (std::size_t k = 0; k < levels; ++k) {
    auto const [first, second] = ends(k);
    thickness.push_back(std::abs(second - first));
    if (!(thickness.back() > 0) || std::isinf(thickness.back())) return {};
  }
  return thickness;
}

std::vector<double> between_bounds(io::InputFile const& file, std::string const& name, std::size_t levels) {
  auto const bounds = numbers(file, name, 2 * levels);
  if (bounds.empty()) return {};
  return between(levels, [&](std::size_t k) { return std::pair(bounds[2 * k], bounds[2 * k + 1]); });
}

std::vector<double> between_interfaces(io::InputFile const& file, std::size_t levels) {
  auto const a = numbers(file, "hyai", levels + 1), b = numbers(file, "hybi", levels + 1);
  if (a.empty() || b.empty()) return {};
  // In Pa, or as a share of the surface pressure.
  auto const in_pascal = std::ranges::any_of(a, [](double value) { return std::abs(value) > 10; });
  auto const pressure = [&](std::size_t k) { return a[k] + b[k] * (in_pascal ? surface_pressure : 1); };
  return between(levels, [&](std::size_t k) { return std::pair(pressure(k), pressure(k + 1)); });
}

}  // namespace

std::optional<LevelThickness> level_thickness(io::InputFile const& file, std::string const& variable) {
  auto const d = vertical_dimension(file, variable);
  if (!d) return {};
  auto const extent = file.info(variable).shape[*d];
  if (extent < 2) return {};
  auto const levels = static_cast<std::size_t>(extent);
  auto const coordinates = file.coordinates(variable);
  if (auto const& coordinate = coordinates[*d]) {
    auto const bounds = io::attribute_in(file.attributes_of(coordinate->name), "bounds");
    auto thickness = between_bounds(file, bounds, levels);
    if (!thickness.empty()) return LevelThickness{*d, std::move(thickness), bounds};
  }
  auto thickness = between_interfaces(file, levels);
  if (thickness.empty()) return {};
  return LevelThickness{*d, std::move(thickness), "hyai+hybi"};
}

bool is_wide(io::InputFile const& file, std::string const& variable) {
  auto const shape = file.info(variable).shape;
  auto const vertical = vertical_dimension(file, variable);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1 && vertical != d) return true;
  }
  return false;
}

}  // namespace ulpine::verification
