// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/ranks/ranks.hpp"

/// How numbered points (nodes of a mesh, rows of a matrix) are shared among ranks: in ranges of their
/// numbers.
namespace ulpine {

/// The points that one rank holds, of points that are numbered from 0: those that it owns, and copies of
/// others that it needs, its ghosts. They lie in memory in the order of their numbers, so that sums over a
/// point's neighbours have one order on every rank, and owned points lie together. The number of points does
/// not depend on the ranks, nor does a point's number.
class PointsOfRank {
 public:
  /// The points of one rank alone, which owns all.
  explicit PointsOfRank(std::int32_t count = 0);
  /// Rank r owns the numbers from begin[r] to before begin[r + 1]; this one is `rank` and holds `others`,
  /// in whatever order and however often they are named, too; its own among them do not matter.
  PointsOfRank(std::vector<std::int32_t> begin, int rank, std::vector<std::int32_t> const& others);

  std::int32_t all() const { return begin_.back(); }
  std::vector<std::int32_t> const& begins() const { return begin_; }
  std::int32_t begin() const { return begin_[rank_]; }
  std::int32_t owned() const { return begin_[rank_ + 1] - begin_[rank_]; }
  bool owns(std::int32_t number) const { return number >= begin() && number < begin() + owned(); }
  /// The rank that owns a point.
  int owner(std::int32_t number) const;

  /// Number of owned points and ghosts.
  std::int32_t held() const { return static_cast<std::int32_t>(number_.size()); }
  /// The place of the first owned point.
  std::int32_t first() const { return first_; }
  /// The number of what lies at a place, 0 <= place < held().
  std::int32_t number(std::int32_t place) const { return number_[static_cast<std::size_t>(place)]; }
  std::vector<std::int32_t> const& numbers() const { return number_; }
  /// Place of a point in memory; -1 where it is not held.
  std::int32_t place(std::int32_t number) const;

 private:
  std::vector<std::int32_t> begin_, number_;
  std::size_t rank_ = 0;
  std::int32_t first_ = 0;
};

/// `count` points in ranges that differ by a point at most. InputError, naming `what` has them, where there
/// are fewer than ranks.
std::vector<std::int32_t> equal_ranges(std::int32_t count, int ranks, char const* what);

/// Places of points that go to a rank, or come from it, in this order.
struct ListOfRank {
  int rank = 0;
  std::vector<std::int32_t> places;
};
struct ExchangeLists {
  std::vector<ListOfRank> sent, received;
};
/// Lists of the messages that bring each rank's ghosts from their owners. Collective.
ExchangeLists ghost_lists(Ranks& ranks, PointsOfRank const& points);

}  // namespace ulpine
