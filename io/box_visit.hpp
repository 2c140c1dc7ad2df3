// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace ulpine::io {

using Extents = std::vector<std::size_t>;

inline std::size_t product_of(Extents const& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>{});
}

/// Calls `visit(index)` for each index of a box, the last extent fastest; once for one without dimensions.
template <class Visit>
void visit_box(Extents const& start, Extents const& count, Visit const& visit) {
  if (product_of(count) == 0) return;
  auto index = start;
  for (;;) {
    visit(index);
    auto d = index.size();
    while (d > 0 && ++index[d - 1] == start[d - 1] + count[d - 1]) {
      --d;
      index[d] = start[d];
    }
    if (d == 0) return;
  }
}

}  // namespace ulpine::io
