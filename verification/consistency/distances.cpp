// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "precision/exact_sum.hpp"

namespace ulpine::verification::consistency {

double rms_difference(std::int64_t size, ReadPoints const& a, ReadPoints const& b,
                      ReadPoints const& weights) {
  constexpr std::int64_t slab = std::int64_t{1} << 20;
  std::vector<double> x, y, w;
  ExactSum squares, total;
  for (std::int64_t first = 0; first < size; first += slab) {
    auto const count = std::size_t(std::min(slab, size - first));
    for (auto* values : {&x, &y, &w}) values->resize(count);
    a(first, x);
    b(first, y);
    weights(first, w);
    for (std::size_t i = 0; i < count; ++i) {
      if ((std::isnan(x[i]) && std::isnan(y[i])) || w[i] == 0) continue;
      auto const difference = x[i] - y[i];
      if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
      squares.add(w[i] * difference * difference);
      total.add(w[i]);
    }
  }
  auto const weight = total.to_double();
  return weight > 0 ? std::sqrt(squares.to_double() / weight) : not_a_number;
}

}  // namespace ulpine::verification::consistency
