// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/ranks/ranks.hpp"

/// How a lattice of columns is shared among ranks: in blocks of whole columns.
namespace ulpine {

/// `extent` points in a row in `parts` parts, which differ by a point at most.
struct Cut {
  std::int32_t extent = 1;
  int parts = 1;
  constexpr std::int32_t begin(int part) const {
    return static_cast<std::int32_t>(std::int64_t{extent} * part / parts);
  }
  constexpr std::int32_t size(int part) const { return begin(part + 1) - begin(part); }
};

/// Away from a block, one block at a time: -1, 0 or 1 along x and y.
struct Direction {
  int x = 0, y = 0;
  constexpr Direction back() const { return {-x, -y}; }
};
/// All eight, and in the order in which messages between the same two ranks go.
inline constexpr std::array<Direction, 8> directions{
    {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};

/// Aim of cutting blocks: that little is sent, or whole rows where each rank can have some.
enum class Cutting { short_rims, whole_rows };

/// nx times ny columns in blocks, a rank each: rank r has block (r % parts along x, r / parts along x).
class Blocks {
 public:
  /// Blocks for `ranks` (null: one) of at least `least` columns along an axis that is cut. InputError, naming
  /// `what` is cut, where the lattice has too few.
  Blocks(std::int32_t nx, std::int32_t ny, Ranks const* ranks, std::int32_t least, std::string const& what,
         Cutting cutting = Cutting::short_rims);

  std::int32_t global_nx() const { return x_.extent; }
  std::int32_t global_ny() const { return y_.extent; }
  /// Extent and first column of this rank's block.
  std::int32_t nx() const { return x_.size(at_.x); }
  std::int32_t ny() const { return y_.size(at_.y); }
  std::int32_t first_x() const { return x_.begin(at_.x); }
  std::int32_t first_y() const { return y_.begin(at_.y); }
  bool west() const { return at_.x == 0; }  ///< it lies at that side of the lattice
  bool east() const { return at_.x + 1 == x_.parts; }
  bool south() const { return at_.y == 0; }
  bool north() const { return at_.y + 1 == y_.parts; }

  Cut const& along_x() const { return x_; }
  Cut const& along_y() const { return y_; }
  /// The rank beyond; itself where the lattice is periodic and not cut that way, -1 where there is none.
  int neighbour(Direction to, bool periodic_x, bool periodic_y) const;

 private:
  Cut x_, y_;
  Direction at_;
};

/// `whole`, with the place and extent (first_x, first_y, nx, ny) of this rank's block.
template <class Parameters>
Parameters block_of(Parameters const& whole, Blocks const& blocks) {
  auto block = whole;
  block.nx = blocks.nx();
  block.ny = blocks.ny();
  block.first_x = blocks.first_x();
  block.first_y = blocks.first_y();
  return block;
}

}  // namespace ulpine
