// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "verification/lkf/tracking.hpp"

namespace ulpine::lkf {

/// What a feature of one time continues.
struct Descent {
  std::int64_t track = 0;         ///< number of its track, from 0 in the order of birth
  std::int64_t age = 1;           ///< times at which its track has been there, itself included
  std::vector<std::size_t> from;  ///< all features of the time before that it continues, in ascending order
};

/// Makes tracks of pairs of features. Of a feature that splits one part keeps its track, and of features that
/// merge one goes on: pairs are taken by their distance from the smallest, each of whose two features is in
/// no pair yet (at equal distances in the order of the earlier, then the later feature). All other features
/// begin a track.
class Lineage {
 public:
  /// The descent of the next time's `features` features, given the tracks from the time before.
  std::vector<Descent> next(std::size_t features, std::span<Track const> tracks);
  /// Number of tracks that have begun.
  std::int64_t born() const { return born_; }

 private:
  std::vector<Descent> before_;
  std::int64_t born_ = 0;
};

}  // namespace ulpine::lkf
