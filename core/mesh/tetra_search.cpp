// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "core/exec/host.hpp"
#include "core/mesh/tetra_search_impl.hpp"

namespace ulpine {
namespace detail {

Bins<double> bins_for(View<double const> position, View<std::int32_t const> element) {
  std::array<double, 3> low{}, high{}, extent{};
  auto const elements = element.size() / 4;
  for (std::int64_t e = 0; e < elements; ++e) {
    for (std::size_t d = 0; d < 3; ++d) {
      double least = 0, most = 0;
      for (int k = 0; k < 4; ++k) {
        auto const x = position[3 * std::int64_t{element[4 * e + k]} + static_cast<std::int64_t>(d)];
        least = k == 0 ? x : std::min(least, x);
        most = k == 0 ? x : std::max(most, x);
      }
      extent[d] += (most - least) / static_cast<double>(elements);
      low[d] = e == 0 ? least : std::min(low[d], least);
      high[d] = e == 0 ? most : std::max(high[d], most);
    }
  }
  std::array<double, 3> wanted{};
  auto all = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    wanted[d] = std::clamp((high[d] - low[d]) / extent[d], 1.0, 1e4);
    all *= wanted[d];
  }
  auto const share = std::cbrt(std::min(1.0, static_cast<double>(elements) / all));
  Bins<double> bins{};
  for (std::size_t d = 0; d < 3; ++d) {
    bins.count[d] = std::max(1, static_cast<std::int32_t>(wanted[d] * share));
    bins.low[d] = low[d];
    bins.width[d] = (high[d] - low[d]) / bins.count[d];
  }
  return bins;
}

}  // namespace detail

template class TetraSearch<Host>;

}  // namespace ulpine
