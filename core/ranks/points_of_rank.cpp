// SPDX-License-Identifier: Apache-2.0
#include "core/ranks/points_of_rank.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "core/ranks/blocks.hpp"
#include "core/ranks/too_many_ranks.hpp"

namespace ulpine {

PointsOfRank::PointsOfRank(std::int32_t count) : begin_{0, count}, number_(static_cast<std::size_t>(count)) {
  std::iota(number_.begin(), number_.end(), 0);
}

PointsOfRank::PointsOfRank(std::vector<std::int32_t> begin, int rank, std::vector<std::int32_t> const& others)
    : begin_{std::move(begin)}, rank_{static_cast<std::size_t>(rank)} {
  number_.resize(static_cast<std::size_t>(owned()));
  std::iota(number_.begin(), number_.end(), this->begin());
  number_.insert(number_.end(), others.begin(), others.end());
  std::ranges::sort(number_);
  auto const doubled = std::ranges::unique(number_);
  number_.erase(doubled.begin(), doubled.end());
  first_ = static_cast<std::int32_t>(std::ranges::lower_bound(number_, this->begin()) - number_.begin());
}

int PointsOfRank::owner(std::int32_t number) const {
  return static_cast<int>(std::ranges::upper_bound(begin_, number) - begin_.begin()) - 1;
}

std::int32_t PointsOfRank::place(std::int32_t number) const {
  if (held() == all()) return number >= 0 && number < all() ? number : -1;
  auto const found = std::ranges::lower_bound(number_, number);
  if (found == number_.end() || *found != number) return -1;
  return static_cast<std::int32_t>(found - number_.begin());
}

std::vector<std::int32_t> equal_ranges(std::int32_t count, int ranks, char const* what) {
  if (count < ranks) {
    throw TooManyRanks(std::string(what) + " has " + std::to_string(count) + " nodes, too few for " +
                       std::to_string(ranks) + " ranks (each needs one) use fewer ranks");
  }
  Cut const cut{count, ranks};
  std::vector<std::int32_t> begin;
  for (int rank = 0; rank <= ranks; ++rank) begin.push_back(cut.begin(rank));
  return begin;
}

ExchangeLists ghost_lists(Ranks& ranks, PointsOfRank const& points) {
  auto const size = static_cast<std::size_t>(ranks.size());
  auto const bytes = [](std::vector<std::int32_t> const& of) {
    return static_cast<std::int64_t>(of.size() * sizeof(std::int32_t));
  };
  // Everybody tells the owners what it wants: first how many, then which.
  std::vector<std::vector<std::int32_t>> wanted(size), asked(size);
  std::vector<ListOfRank> received(size);
  for (std::int32_t place = 0; place < points.held(); ++place) {
    auto const number = points.number(place);
    if (points.owns(number)) continue;
    auto const owner = static_cast<std::size_t>(points.owner(number));
    wanted[owner].push_back(number);
    received[owner].places.push_back(place);
  }
  std::vector<std::int64_t> wants(size), asks(size);
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (std::size_t rank = 0; rank < size; ++rank) {
    wants[rank] = static_cast<std::int64_t>(wanted[rank].size());
    out.push_back({static_cast<int>(rank), &wants[rank], sizeof(std::int64_t)});
    in.push_back({static_cast<int>(rank), &asks[rank], sizeof(std::int64_t)});
  }
  ranks.exchange(out, in);
  for (std::size_t rank = 0; rank < size; ++rank) {
    asked[rank].resize(static_cast<std::size_t>(asks[rank]));
    out[rank] = {static_cast<int>(rank), wanted[rank].data(), bytes(wanted[rank])};
    in[rank] = {static_cast<int>(rank), asked[rank].data(), bytes(asked[rank])};
  }
  ranks.exchange(out, in);

  ExchangeLists lists;
  for (std::size_t rank = 0; rank < size; ++rank) {
    received[rank].rank = static_cast<int>(rank);
    if (!received[rank].places.empty()) lists.received.push_back(std::move(received[rank]));
    if (asked[rank].empty()) continue;
    for (auto& number : asked[rank]) number = points.place(number);
    lists.sent.push_back({static_cast<int>(rank), std::move(asked[rank])});
  }
  return lists;
}

}  // namespace ulpine
