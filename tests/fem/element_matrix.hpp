// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/form.hpp"

namespace ulpine::test {

/// The matrix and sums of a mesh's only element, by a form.
template <class F>
struct ElementMatrix {
  typename F::Real entry[4][4][F::width], sum[4][fem::sums_room<F>];

  explicit ElementMatrix(F const& form) {
    constexpr std::int32_t nodes[4] = {0, 1, 2, 3};
    auto const element = form.element(nodes);
    for (int i = 0; i < 4; ++i) {
      auto const own = form.node(i);
      auto const row = form.row(element, own, i);
      for (int j = 0; j < 4; ++j) form.entry(element, row, i, j, entry[i][j]);
      form.sums(element, own, row, i, sum[i]);
    }
  }
};

}  // namespace ulpine::test
