// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/fem/setup.hpp"
#include "core/ranks/points_of_rank.hpp"

/// A rank's part of a case: the nodes that it owns, a range of the mesh's numbers, all elements that touch
/// one of them, and the other nodes of these, its ghosts. Elements keep their order, so that every sum at an
/// owned node has all its parts in the order of the whole mesh.
namespace ulpine::fem {

class PartOfCase {
 public:
  /// All of it where `ranks` are one or null. InputError where the mesh has fewer nodes than there are ranks.
  PartOfCase(Setup const& whole, Ranks const* ranks);

  PointsOfRank const& nodes() const { return nodes_; }
  /// The part, with its mesh's nodes and elements counted anew; views `whole` where it is all of it.
  Setup const& setup() const { return part_ ? *part_ : whole_; }
  Setup const& whole() const { return whole_; }
  /// Elements that count as this rank's: those whose first node it owns.
  std::int64_t elements() const { return elements_; }

 private:
  Setup const& whole_;
  PointsOfRank nodes_;
  std::optional<Setup> part_;
  std::int64_t elements_;
};

}  // namespace ulpine::fem
