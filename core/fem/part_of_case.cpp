// SPDX-License-Identifier: Apache-2.0
#include "core/fem/part_of_case.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ulpine::fem {
namespace {

/// Elements of which the range of nodes has one or more, ascending.
std::vector<std::int32_t> touching(TetraMesh const& mesh, std::int32_t begin, std::int32_t end) {
  std::vector<std::int32_t> elements;
  for (std::int32_t e = 0; e < mesh.elements(); ++e) {
    auto const* const node = &mesh.element[4 * static_cast<std::size_t>(e)];
    if (std::any_of(node, node + 4, [&](std::int32_t n) { return n >= begin && n < end; })) {
      elements.push_back(e);
    }
  }
  return elements;
}

/// The values at the part's nodes, `components` each, out of those of the whole mesh; none of none.
template <class T>
std::vector<T> of_nodes(std::vector<T> const& whole, PointsOfRank const& nodes, std::size_t components = 1) {
  std::vector<T> part;
  if (whole.empty()) return part;
  for (auto const number : nodes.numbers()) {
    auto const* const values = &whole[components * static_cast<std::size_t>(number)];
    part.insert(part.end(), values, values + components);
  }
  return part;
}

}  // namespace

PartOfCase::PartOfCase(Setup const& whole, Ranks const* ranks)
    : whole_{whole}, nodes_(whole.nodes()), elements_{whole.mesh.elements()} {
  if (!several(ranks)) return;
  auto const& mesh = whole.mesh;
  auto const begin = equal_ranges(whole.nodes(), ranks->size(), "the mesh");
  auto const rank = static_cast<std::size_t>(ranks->rank());
  auto const elements = touching(mesh, begin[rank], begin[rank + 1]);
  std::vector<std::int32_t> corners;
  for (auto const e : elements) {
    for (std::size_t k = 0; k < 4; ++k) corners.push_back(mesh.element[4 * static_cast<std::size_t>(e) + k]);
  }
  nodes_ = PointsOfRank(begin, ranks->rank(), corners);
  elements_ = 0;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    auto const first = corners.begin() + static_cast<std::ptrdiff_t>(4 * e);
    elements_ += nodes_.owns(*std::min_element(first, first + 4)) ? 1 : 0;
  }
  for (auto& node : corners) node = nodes_.place(node);

  auto const& n = nodes_;
  TetraMesh cut;
  cut.position = of_nodes(mesh.position, n, 3);
  cut.element = std::move(corners);
  part_.emplace(Setup{.parameters = whole.parameters,
                      .mesh = std::move(cut),
                      .place = {},
                      .fixed = of_nodes(whole.fixed, n),
                      .volume = of_nodes(whole.volume, n),
                      .ground = of_nodes(whole.ground, n),
                      .rain_ground = of_nodes(whole.rain_ground, n),
                      .theta = of_nodes(whole.theta, n),
                      .pressure = of_nodes(whole.pressure, n),
                      .humidity = of_nodes(whole.humidity, n),
                      .wind = of_nodes(whole.wind, n, 3),
                      .absorption = of_nodes(whole.absorption, n),
                      .theta_absorption = of_nodes(whole.theta_absorption, n),
                      .start_theta = of_nodes(whole.start_theta, n),
                      .vapour = of_nodes(whole.vapour, n),
                      .cloud = of_nodes(whole.cloud, n),
                      .rain = of_nodes(whole.rain, n),
                      .start_u = of_nodes(whole.start_u, n),
                      .start_v = of_nodes(whole.start_v, n),
                      .start_w = of_nodes(whole.start_w, n),
                      .start_departure = of_nodes(whole.start_departure, n),
                      .open_area = of_nodes(whole.open_area, n, 3)});
}

}  // namespace ulpine::fem
