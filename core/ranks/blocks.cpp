// SPDX-License-Identifier: Apache-2.0
#include "core/ranks/blocks.hpp"

#include <limits>

#include "core/ranks/too_many_ranks.hpp"

namespace ulpine {

Blocks::Blocks(std::int32_t nx, std::int32_t ny, Ranks const* ranks, std::int32_t least,
               std::string const& what, Cutting cutting)
    : x_{nx, 1}, y_{ny, 1} {
  if (!several(ranks)) return;
  auto const size = ranks->size();
  auto shortest = std::numeric_limits<std::int64_t>::max();
  for (int parts = 1; parts <= size; ++parts) {
    if (size % parts != 0) continue;
    Cut const x{nx, parts}, y{ny, size / parts};
    // Blocks of floor(extent / parts) are the smallest.
    if ((x.parts > 1 && nx / x.parts < least) || (y.parts > 1 && ny / y.parts < least)) continue;
    auto const rim =
        (x.parts > 1 ? std::int64_t{ny} / y.parts : 0) + (y.parts > 1 ? std::int64_t{nx} / x.parts : 0);
    // Rows lie one after the other in memory: of equal rims the one with longer rows.
    if (rim >= shortest) continue;
    shortest = rim;
    x_ = x;
    y_ = y;
    if (cutting == Cutting::whole_rows) break;  // the first has the fewest parts along x
  }
  if (shortest == std::numeric_limits<std::int64_t>::max()) {
    throw TooManyRanks(what + " has " + std::to_string(nx) + " x " + std::to_string(ny) +
                       " columns, too few for " + std::to_string(size) +
                       " ranks (each needs a block of at least " + std::to_string(least) +
                       " columns along an axis that is cut) use fewer ranks");
  }
  at_ = {ranks->rank() % x_.parts, ranks->rank() / x_.parts};
}

int Blocks::neighbour(Direction to, bool periodic_x, bool periodic_y) const {
  auto const beyond = [](int at, int parts, bool periodic) {
    if (periodic) return (at + parts) % parts;
    return at < 0 || at >= parts ? -1 : at;
  };
  auto const x = beyond(at_.x + to.x, x_.parts, periodic_x), y = beyond(at_.y + to.y, y_.parts, periodic_y);
  return x < 0 || y < 0 ? -1 : y * x_.parts + x;
}

}  // namespace ulpine
