// SPDX-License-Identifier: Apache-2.0
#include "verification/lkf/lineage.hpp"

#include <algorithm>
#include <tuple>

namespace ulpine::lkf {

std::vector<Descent> Lineage::next(std::size_t features, std::span<Track const> tracks) {
  std::vector<Track> by_distance(tracks.begin(), tracks.end());
  std::ranges::sort(by_distance, {}, [](Track const& pair) {
    return std::tuple(pair.hausdorff_distance, pair.from, pair.to);
  });
  std::vector<Descent> result(features);
  std::vector<bool> continued(before_.size(), false), continues(features, false);
  for (auto const& [from, to, distance] : by_distance) {
    result[to].from.push_back(from);
    if (continued[from] || continues[to]) continue;
    continued[from] = continues[to] = true;
    result[to].track = before_[from].track;
    result[to].age = before_[from].age + 1;
  }
  for (std::size_t i = 0; i < features; ++i) {
    std::ranges::sort(result[i].from);
    if (!continues[i]) result[i].track = born_++;
  }
  before_ = result;
  return result;
}

}  // namespace ulpine::lkf
