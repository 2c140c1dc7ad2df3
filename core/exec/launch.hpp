// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>

#include "core/exec/extent.hpp"
#include "precision/host_device.hpp"

/// How lattices are cut into launches, apart from CUDA so that it is tested without.
namespace ulpine {

/// A kernel that computes value(ix, iy, iz) and then leaves it with put(ix, iy, iz, value), which no other
/// point's value reads, and as how many points a thread of a device may do that at a time: more loads are
/// then under way. operator() does both.
template <class Body>
concept Parted = requires {
  { Body::points_at_once } -> std::convertible_to<int>;
};

/// A kernel of a two-dimensional lattice for which so many blocks of 256 threads should fit on a
/// multiprocessor of a device, at the cost of registers.
template <class Body>
concept OccupancyBounded = requires {
  { Body::least_resident_blocks } -> std::convertible_to<int>;
};

template <class Body>
constexpr int least_resident_blocks() {
  if constexpr (OccupancyBounded<Body>) {
    return Body::least_resident_blocks;
  } else {
    return 1;
  }
}

/// A kernel whose points share loads and results with the next along z: climb(ix, iy, from, end) does what
/// operator() does for iz from `from` to before `end`. A thread of a device climbs several points so, with so
/// many registers that `resident_blocks` blocks of 256 threads fit on a multiprocessor.
template <class Body>
concept Rising = requires(Body body, std::int32_t point) {
  body.climb(point, point, point, point);
  { Body::resident_blocks } -> std::convertible_to<int>;
};

/// A kernel that reads neighbours along z and moves so many bytes a point: where several planes of that are
/// more than a device's cache holds, it is launched in strips (rows_of_strip).
template <class Body>
concept Broad = requires {
  { Body::bytes_of_point } -> std::convertible_to<int>;
};

}  // namespace ulpine

namespace ulpine::detail {

struct Dimensions {
  unsigned x = 1, y = 1, z = 1;
};

/// The block of at most `threads` (a multiple of 32) threads for a lattice: along x a warp, so that its loads
/// and stores are of neighbours, or the next power of two where the lattice is narrower; the rest along y,
/// then z.
constexpr Dimensions block_shape(Extent3 extent, int threads) {
  constexpr unsigned warp = 32, most_z = 64;  // the latter is CUDA's
  auto const fitting = [](std::int32_t points, unsigned most) {
    return std::min(std::bit_ceil(static_cast<unsigned>(points)), most);
  };
  auto const all = static_cast<unsigned>(threads);
  auto const x = fitting(extent.nx, warp);
  auto const y = fitting(extent.ny, all / x);
  return {x, y, fitting(extent.nz, std::min(all / (x * y), most_z))};
}

/// CUDA's limit for a grid along y and z; along x it holds any lattice.
inline constexpr unsigned most_blocks_yz = 65535;

/// A launch: its grid and the first row and plane of the lattice that it is for.
struct Piece {
  Dimensions blocks;
  unsigned first_y = 0, first_z = 0;
};

/// How many rows of blocks, which cover `reach` points of the lattice, a launch of a Broad kernel that moves
/// so many bytes a point is for: a strip of 32768 points of a plane through all planes, and then the next.
/// Points that are neighbours along z then run so close to one another that what they both read is still in a
/// cache; all rows where 50 MiB hold four planes.
constexpr unsigned rows_of_strip(Extent3 extent, Dimensions reach, int bytes) {
  constexpr std::int64_t points = std::int64_t{1} << 15, cache = std::int64_t{50} << 20;
  auto const row = std::int64_t{extent.nx} * reach.y;
  if (4 * std::int64_t{extent.nx} * extent.ny * bytes <= cache) return most_blocks_yz;
  return static_cast<unsigned>(std::clamp<std::int64_t>(points / row, 1, most_blocks_yz));
}

/// Points that a block covers whose threads each take `points` points, along x a block's width apart.
constexpr Dimensions reach_of(Dimensions block, int points) {
  return {block.x * static_cast<unsigned>(points), block.y, block.z};
}

/// Where the points of a thread begin along x, and whether all of its block's lie on the lattice.
struct RowOfPoints {
  unsigned first;
  bool whole;
};
ULPINE_HD constexpr RowOfPoints row_of_points(unsigned block, unsigned threads, unsigned thread, int points,
                                              std::int32_t nx) {
  auto const reach = threads * static_cast<unsigned>(points);
  return {block * reach + thread, (block + 1) * reach <= static_cast<unsigned>(nx)};
}

/// How many points a thread climbs: many, since the first costs more, but so few that there are threads
/// enough to fill a device.
constexpr std::int32_t climb_of(Extent3 extent) {
  constexpr std::int64_t threads = std::int64_t{1} << 18;
  constexpr std::int32_t most = 16;
  auto const left = extent.size() / threads;
  return left < 1 ? 1 : left < most ? static_cast<std::int32_t>(left) : most;
}

/// launch(Piece) for pieces that cover the lattice, which is not empty, of at most so many blocks along z and
/// along y; nearly always one.
template <class Launch>
void in_launches(Extent3 extent, Dimensions reach, unsigned most_blocks, unsigned most_rows,
                 Launch const& launch) {
  auto const blocks = [](std::int32_t points, unsigned threads) {
    return (static_cast<unsigned>(points) + threads - 1) / threads;
  };
  auto const along_y = blocks(extent.ny, reach.y), along_z = blocks(extent.nz, reach.z);
  for (unsigned z = 0; z < along_z; z += std::min(most_blocks, along_z - z)) {
    for (unsigned y = 0; y < along_y; y += std::min(most_rows, along_y - y)) {
      launch(Piece{
          {blocks(extent.nx, reach.x), std::min(most_rows, along_y - y), std::min(most_blocks, along_z - z)},
          y * reach.y,
          z * reach.z});
    }
  }
}

template <class Launch>
void in_launches(Extent3 extent, Dimensions reach, unsigned most_blocks, Launch const& launch) {
  in_launches(extent, reach, most_blocks, most_blocks, launch);
}

}  // namespace ulpine::detail
