// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/tetra_box.hpp"
#include "core/mesh/tetra_search.hpp"
#include "tests/support/random_values.hpp"

namespace ulpine::test {

/// A Located, on the host.
struct Places {
  std::vector<std::int32_t> element, node;
  std::vector<double> weight, distance;

  bool operator==(Places const&) const = default;
};

template <class T, class Executor>
std::vector<T> brought(Array<T, Executor> const& array) {
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  array.to_host(values.data());
  return values;
}

template <class Executor>
Places places_of(Executor executor, TetraMesh const& mesh, std::vector<double> const& points) {
  auto const view = [](auto const& all) { return View{all.data(), static_cast<std::int64_t>(all.size())}; };
  auto const located =
      TetraSearch<Executor>(executor, view(mesh.position), view(mesh.element)).locate(view(points));
  return {brought(located.element), brought(located.node), brought(located.weight),
          brought(located.distance)};
}

/// A box of layers that grow, with a mountain, nodes and elements in Morton order.
inline TetraMesh hilly_mesh() {
  auto mesh = box_mesh({7, 5, 9, {700, 400, 1000}, 1.2, 0.12, 3});
  raise_terrain(mesh, {.height = 150, .radius = 120, .x0 = 330, .y0 = 210, .top = 1000});
  renumber(mesh);
  return mesh;
}

/// In a box somewhat larger than the mesh's.
inline std::vector<double> points_about(TetraMesh const& mesh, std::size_t count, double margin = 0.1) {
  RandomValues random(17);
  double low[3], high[3];
  for (std::size_t i = 0; i < mesh.position.size(); ++i) {
    auto const x = mesh.position[i];
    low[i % 3] = i < 3 ? x : std::min(low[i % 3], x);
    high[i % 3] = i < 3 ? x : std::max(high[i % 3], x);
  }
  std::vector<double> points;
  for (std::size_t i = 0; i < 3 * count; ++i) {
    auto const more = margin * (high[i % 3] - low[i % 3]);
    points.push_back(random.between(low[i % 3] - more, high[i % 3] + more));
  }
  return points;
}

}  // namespace ulpine::test
