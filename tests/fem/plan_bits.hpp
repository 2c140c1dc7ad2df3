// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fem/plan.hpp"

namespace ulpine::test {

/// What a plan holds, brought to the host.
struct PlanBits {
  std::vector<std::int32_t> start, entry_start, contribution;
  std::vector<std::int32_t> visit_of_patch, entry_of_patch;  ///< of patches: where their rows begin
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
  if (way == fem::Way::patches || way == fem::Way::visits) {
    auto const& patches = plan.patches();
    std::vector<fem::PatchStart> starts(static_cast<std::size_t>(patches.count) + 1);
    detail::to_host(executor, starts.data(), patches.start,
                    static_cast<std::int64_t>(starts.size() * sizeof(fem::PatchStart)));
    auto const begins = [&](std::int32_t fem::PatchStart::*list, std::vector<std::int32_t>& of_patch) {
      for (auto const& start : starts) of_patch.push_back(start.*list);
      return of_patch.back();
    };
    if (way == fem::Way::patches) {
      bits.node = bring(patches.node, begins(&fem::PatchStart::node, bits.node_start));
      std::vector<fem::PatchElement> elements(
          static_cast<std::size_t>(begins(&fem::PatchStart::element, bits.start)));
      detail::to_host(executor, elements.data(), patches.element,
                      static_cast<std::int64_t>(elements.size() * sizeof(fem::PatchElement)));
      for (auto const& element : elements) {
        for (int i = 0; i < 4; ++i) bits.name.push_back(element.node(i));
        for (int i = 0; i < 4; ++i) bits.name.push_back(static_cast<std::int32_t>(element.place(i)));
      }
    }
    begins(&fem::PatchStart::visit, bits.visit_of_patch);
    begins(&fem::PatchStart::entry, bits.entry_of_patch);
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
