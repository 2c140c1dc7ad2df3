// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "core/exec/values.hpp"
#include "core/exec/view.hpp"

/// Reductions of any number type by one thread: for the 113-bit reference, which has no exact sum here.
namespace ulpine {

namespace detail {

/// The sum of term(i) for i in [first, first + count) in the order of a fixed binary tree.
template <class T, class Term>
T pairwise_sum(std::int64_t first, std::int64_t count, Term const& term) {
  constexpr std::int64_t leaf = 32;
  if (count <= leaf) {
    T sum = 0;
    for (auto i = first; i < first + count; ++i) {
      sum += term(i);
    }
    return sum;
  }
  auto const half = count / 2;
  return pairwise_sum<T>(first, half, term) + pairwise_sum<T>(first + half, count - half, term);
}

}  // namespace detail

/// Sum (of products) in the order of a fixed binary tree over the indices: the same for every thread count
/// and layout, though not for another order.
template <class T>
T pairwise_sum(Values<T> x) {
  return detail::pairwise_sum<T>(0, x.points.count(), [&](std::int64_t i) { return x.data[x.points.at(i)]; });
}
template <class T>
T pairwise_sum(View<T const> x) {
  return pairwise_sum(values_of(x));
}
template <class T>
T pairwise_dot(Values<T> x, Values<T> y) {
  return detail::pairwise_sum<T>(0, x.points.count(), [&](std::int64_t i) -> T {
    return x.data[x.points.at(i)] * y.data[y.points.at(i)];
  });
}

/// The largest (smallest) value, or a NaN where there is one; of no values -infinity (+infinity). Which of
/// two zeros is not said.
template <class T>
T extreme_by_comparison(Values<T> x, bool largest) {
  auto const infinity = std::numeric_limits<T>::infinity();
  T found = largest ? T(-infinity) : infinity;
  for (std::int64_t i = 0; i < x.points.count(); ++i) {
    T const& value = x.data[x.points.at(i)];
    if (value != value) return value;
    if (largest ? value > found : value < found) found = value;
  }
  return found;
}

}  // namespace ulpine
