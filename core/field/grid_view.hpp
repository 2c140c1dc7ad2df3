// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "core/exec/view.hpp"
#include "core/field/layout.hpp"

namespace ulpine {

/// Values of a structured grid by their indices (k, j, i), slowest first, counted from the first owned point:
/// -1 and the extent lie in the halo, where the layout has one.
template <class T>
struct GridView {
  T* first = nullptr;  ///< point (0, 0, 0)
  std::int64_t plane = 0, row = 0, point = 1;

  ULPINE_HD constexpr T& operator()(std::int64_t k, std::int64_t j, std::int64_t i) const {
    return first[k * plane + j * row + i * point];
  }
  ULPINE_HD constexpr T& operator()(std::int64_t j, std::int64_t i) const {
    return first[j * row + i * point];
  }
};

/// `values` by the indices of `layout`'s last three axes. std::logic_error where it has a fourth or stores
/// entities in another order.
template <class T>
GridView<T> grid_view(View<T> values, Layout const& layout) {
  if (layout.rank() > 3 || layout.positions() != nullptr) {
    throw std::logic_error("a field of four axes or of a mesh's entities has no view as a grid");
  }
  auto const stride = [&](int from_last) {
    return layout.rank() > from_last ? layout.axis(layout.rank() - 1 - from_last).stride : 0;
  };
  return {values.data() + layout.offset(), stride(2), stride(1), stride(0)};
}

}  // namespace ulpine
