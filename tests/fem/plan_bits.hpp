// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fem/plan.hpp"

namespace ulpine::test {

/// What a plan holds, brought to the host.
struct PlanBits {
  std::vector<std::int32_t> start, element, entry_start, contribution;
  std::vector<std::int32_t> node_start, node, name,
      diagonal;  ///< of patches; name: 4 nodes and 4 places an element
  std::int32_t most_places = 0, most_nodes = 0, most_entries = 0;

  friend bool operator==(PlanBits const&, PlanBits const&) = default;
};

/// `mesh` is in the executor's memory.
template <class Executor>
PlanBits plan_bits(Executor executor, TetraConnectivity const& mesh, fem::Way way, std::int32_t rows = 64) {
  fem::Plan<Executor> const plan(executor, mesh, way, rows);
  auto const bring = [&]<class T>(T const* source, std::int64_t size) {
    std::vector<T> values(static_cast<std::size_t>(size));
    detail::to_host(executor, values.data(), source, size * static_cast<std::int64_t>(sizeof(T)));
    return std::vector<std::int32_t>(values.begin(), values.end());
  };
  auto const visits = 4 * std::int64_t{mesh.elements};
  PlanBits bits;
  if (way == fem::Way::colours) {
    for (int c = 0; c <= plan.colours(); ++c) bits.start.push_back(plan.colour_start(c));
    bits.element = bring(plan.coloured(), mesh.elements);
  } else if (way == fem::Way::patches || way == fem::Way::visits) {
    auto const& patches = plan.patches();
    if (way == fem::Way::patches) {
      bits.start = bring(patches.start, patches.count + 1);
      bits.name = bring(&patches.element->node[0], 8 * std::int64_t{bits.start.back()});
      bits.node_start = bring(patches.node_start, patches.count + 1);
      bits.node = bring(patches.node, bits.node_start.back());
    }
    bits.entry_start = bring(patches.entry_start, plan.entries() + 1);
    bits.contribution = bring(&patches.contribution->name[0], 3 * visits);
    bits.most_places = patches.most_places;
    bits.most_nodes = patches.most_nodes;
    bits.most_entries = patches.most_entries;
    bits.diagonal = bring(patches.diagonal, mesh.nodes);
  }
  return bits;
}

}  // namespace ulpine::test
