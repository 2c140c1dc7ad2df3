// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/mesh/tetra_connections.hpp"

namespace ulpine::test {

/// All integers of a connectivity and of its second-order pattern, brought to the host.
template <class Executor>
std::vector<std::vector<std::int32_t>> connectivity_bits(Executor executor,
                                                         std::vector<std::int32_t> const& element,
                                                         std::int32_t nodes) {
  auto const connections =
      build_connectivity(executor, {element.data(), static_cast<std::int64_t>(element.size())}, nodes);
  auto const view = connections.view();
  auto const second = second_order_pattern(executor, view.pattern);
  std::vector<std::vector<std::int32_t>> bits;
  auto const bring = [&](void const* source, std::int64_t size) {
    bits.emplace_back(static_cast<std::size_t>(size));
    detail::to_host(executor, bits.back().data(), source, 4 * size);
  };
  bring(view.element, 4 * std::int64_t{view.elements});
  bring(view.visit_start, nodes + 1);
  bring(view.visit, 4 * std::int64_t{view.elements});
  bring(view.slot, 4 * std::int64_t{view.elements});
  bring(view.position, 16 * std::int64_t{view.elements});
  bring(view.pattern.start, nodes + 1);
  bring(view.pattern.column, bits.back().back());
  bring(second.view().start, nodes + 1);
  bring(second.view().column, bits.back().back());
  return bits;
}

}  // namespace ulpine::test
