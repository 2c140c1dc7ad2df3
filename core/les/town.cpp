// SPDX-License-Identifier: Apache-2.0
#include "core/les/town.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/exec/random.hpp"
#include "io/case_file.hpp"

namespace ulpine::les {
namespace {

template <class Height>
std::vector<double> sampled(TownGrid const& grid, Height const& height) {
  std::vector<double> heights;
  heights.reserve(static_cast<std::size_t>(grid.columns()));
  for (std::int32_t j = 0; j < grid.ny; ++j) {
    for (std::int32_t i = 0; i < grid.nx; ++i) {
      heights.push_back(height((i + 0.5) * grid.dx, (j + 0.5) * grid.dy));
    }
  }
  return heights;
}

std::string metres(double value) { return io::number_text(value) + " m"; }

/// How many periods a length holds, which has to be a multiple of `multiple`.
std::int64_t periods(double length, double period, std::int64_t multiple, char const* axis) {
  auto const count = std::round(length / (period * static_cast<double>(multiple)));
  if (count < 1 || std::abs(count * static_cast<double>(multiple) * period - length) > 1e-6 * period) {
    throw Misfit("the domain's " + metres(length) + " along " + axis + " are no multiple of " +
                 metres(period * static_cast<double>(multiple)) +
                 " (the sides are periodic, so whole blocks and gaps have to fit) change the one or the "
                 "other");
  }
  return static_cast<std::int64_t>(count) * multiple;
}

/// Streets and blocks along one axis: half a street, a block, half a street, and so on.
struct Street {
  Street(double length, SyntheticTown const& town, char const* axis)
      : blocks{std::max<std::int64_t>(1, std::llround(length / (town.block + town.street)))},
        period{length / static_cast<double>(blocks)},
        front{period - town.street} {
    if (!(front > 0)) {
      throw Misfit("the domain's " + metres(length) + " along " + axis +
                   " leave no room beside a street of " + metres(town.street) +
                   " (a block is what lies between two) narrow the street");
    }
    houses = std::max<std::int64_t>(1, std::llround(front / town.house));
  }
  std::int64_t blocks;
  double period, front;
  std::int64_t houses = 1;

  struct Place {
    std::int64_t block, house;
    double from_street;  ///< m to the nearer one; negative: on it
  };
  Place at(double x) const {
    auto const block = std::min(static_cast<std::int64_t>(x / period), blocks - 1);
    auto const within = x - static_cast<double>(block) * period - (period - front) / 2;
    auto const house = static_cast<std::int64_t>(within / front * static_cast<double>(houses));
    return {block, std::clamp<std::int64_t>(house, 0, houses - 1), std::min(within, front - within)};
  }
};

}  // namespace

std::vector<double> town_heights(StreetCanyon const& canyon, TownGrid const& grid) {
  if (!(canyon.width < grid.length_x())) {
    throw Misfit("a canyon of " + metres(canyon.width) + " leaves no building in a domain of " +
                 metres(grid.length_x()) + " along x (the sides are periodic) narrow it");
  }
  return sampled(grid, [&](double x, double) {
    return std::abs(x - grid.length_x() / 2) < canyon.width / 2 ? 0 : canyon.height;
  });
}

std::vector<double> town_heights(Cubes const& cubes, TownGrid const& grid) {
  auto const period = cubes.side + cubes.gap;
  periods(grid.length_x(), period, cubes.staggered ? 2 : 1, "x");
  periods(grid.length_y(), period, 1, "y");
  auto const built = [&](double x) {
    return std::abs(x - std::floor(x / period) * period - period / 2) < cubes.side / 2;
  };
  return sampled(grid, [&](double x, double y) {
    bool const moved = cubes.staggered && static_cast<std::int64_t>(x / period) % 2 != 0;
    return built(x) && built(moved ? y + period / 2 : y) ? cubes.height : 0;
  });
}

std::vector<double> town_heights(SyntheticTown const& town, TownGrid const& grid) {
  Street const along_x(grid.length_x(), town, "x"), along_y(grid.length_y(), town, "y");
  auto const draw = [&](char const* what, std::int64_t number) {
    return uniform_symmetric(town.seed, 0, name_key(what), number);
  };
  auto const chosen = [&](char const* what, std::int64_t block, double share) {
    return (draw(what, block) + 1) / 2 < share;
  };
  auto const houses = along_x.houses * along_y.houses;
  bool const deep = std::min(along_x.front, along_y.front) > 3 * town.depth;
  return sampled(grid, [&](double x, double y) {
    auto const a = along_x.at(x), b = along_y.at(y);
    auto const from_street = std::min(a.from_street, b.from_street);
    if (from_street <= 0) return 0.0;
    auto const block = b.block * along_x.blocks + a.block, house = b.house * along_x.houses + a.house;
    if (deep && from_street > town.depth && chosen("court", block, town.courts)) return 0.0;
    auto const number = block * houses + house;
    auto const tower =
        static_cast<std::int64_t>((draw("which tower", block) + 1) / 2 * static_cast<double>(houses));
    if (house == tower && chosen("tower", block, town.towers)) return town.tower_height;
    auto const sum = draw("height 1", number) + draw("height 2", number) + draw("height 3", number);
    return std::max(town.mean_height + town.spread * sum, town.least_height);
  });
}

}  // namespace ulpine::les
