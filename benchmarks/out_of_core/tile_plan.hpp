// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

#include "core/exec/view.hpp"

/// How arrays are cut into tiles along one axis, for out_of_core.hpp: apart from executors, so that it is
/// tested without.
namespace ulpine {

/// An array as it is cut: `outer` blocks of `count` slabs of `inner` values each, all one after the other.
/// Slab n lies at position `first` + n of the axis: below 0 and from the axis' length on lie ghosts and
/// faces.
struct Slabs {
  std::int64_t outer = 1, count = 0, inner = 1, first = 0;
};

/// Those of a dense array of `extents`, slowest first, that is cut along number `axis` of them.
Slabs slabs_of(std::initializer_list<std::int64_t> extents, int axis, std::int64_t first = 0);

/// How many slabs a kernel reads besides those at its points' own positions.
struct SlabHalo {
  std::int64_t below = 0, above = 0;
};

/// What kernels do with an array. Every value of an `out` array's slabs is written; what is written in part
/// is `in_out`.
enum class ArrayUse { in, in_out, out };

/// An array in host memory, which lives longer than what it is given to; see reads(), updates(), writes().
struct TiledArray {
  std::byte* data = nullptr;  ///< only `in_out` and `out` are written to
  std::int64_t value_bytes = 0;
  Slabs slabs;
  SlabHalo halo;
  ArrayUse use = ArrayUse::in;

  std::int64_t bytes() const { return value_bytes * slabs.outer * slabs.count * slabs.inner; }
};

namespace detail {
template <class T>
TiledArray tiled(T* data, Slabs const& slabs, SlabHalo const& halo, ArrayUse use) {
  static_assert(std::is_trivially_copyable_v<T>, "tiles are copied byte by byte");
  auto* const bytes = reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(data));
  return {bytes, sizeof(T), slabs, halo, use};
}
}  // namespace detail

/// An array that kernels read, with neighbouring slabs where they want them: those that the array has.
template <class T>
TiledArray reads(T const* data, Slabs const& slabs, SlabHalo const& halo = {}) {
  return detail::tiled(data, slabs, halo, ArrayUse::in);
}
/// One that they read and write at their points' own positions.
template <class T>
TiledArray updates(T* data, Slabs const& slabs) {
  return detail::tiled(data, slabs, {}, ArrayUse::in_out);
}
/// One of which they write every value, at their points' own positions.
template <class T>
TiledArray writes(T* data, Slabs const& slabs) {
  return detail::tiled(data, slabs, {}, ArrayUse::out);
}

/// How tiles get from the user's arrays to a device and back. `staged`: through page-locked buffers that
/// threads of the host fill and empty, from any memory. `in_place`: the user's arrays are page-locked, which
/// takes a while, once, and the device copies from and to them.
enum class Transfers { staged, in_place };

struct Tiling {
  std::int64_t length = 0;  ///< kernels are called for positions [0, length)
  int streams = 2;          ///< tiles in executor memory at a time, 1 to 64
  /// Positions a tile, the last has the rest; 0: as many as fit, but so few that each stream has four tiles.
  std::int64_t positions = 0;
  std::int64_t memory = std::int64_t{1} << 30;  ///< bytes of executor memory that all tiles may take
  Transfers transfers = Transfers::staged;
  int threads = 1;  ///< of the host, that fill and empty page-locked buffers
};

/// Values of an array, or of a tile's part of it, by block, position on the axis and value within the slab.
template <class T>
struct SlabView {
  T* data = nullptr;       ///< the slab at position `first` of block 0
  std::int64_t block = 0;  ///< values from a block to the next
  std::int64_t inner = 0;  ///< values from a slab to the next
  std::int64_t first = 0;

  ULPINE_HD constexpr T& operator()(std::int64_t outer, std::int64_t position, std::int64_t value) const {
    return data[outer * block + (position - first) * inner + value];
  }
};

/// All of an array.
template <class T>
SlabView<T> slab_view(T* data, Slabs const& slabs) {
  return {data, slabs.count * slabs.inner, slabs.inner, slabs.first};
}

/// An array's slabs in a tile.
struct TilePart {
  std::byte* data = nullptr;  ///< in executor memory, `rows` rows of `width` bytes one after the other
  std::byte* host = nullptr;  ///< where they come from or go to, `host_pitch` bytes from a row to the next
  std::int64_t width = 0, rows = 0, host_pitch = 0;
  std::int64_t first = 0, slab_bytes = 0, value_bytes = 0;
  ArrayUse use = ArrayUse::in;
};

/// Positions [begin, end) of the axis and the arrays' slabs for them in executor memory.
class Tile {
 public:
  std::int64_t begin = 0, end = 0;
  std::vector<TilePart> parts;                ///< in the order in which the arrays were given
  std::byte* memory = nullptr;                ///< of the tile, arrays that are copied in first
  std::int64_t in_bytes = 0;                  ///< copied in, from the beginning of `memory`
  std::int64_t out_begin = 0, out_bytes = 0;  ///< copied out

  std::int64_t positions() const { return end - begin; }
  /// Array number `array` with its halo, by positions of the whole axis. T is the type that it was given as,
  /// const where it is only read.
  template <class T>
  SlabView<T> view(std::size_t array) const {
    auto const& part = parts[array];
    assert(part.value_bytes == sizeof(T) && "another type than the array was given as");
    assert((part.use != ArrayUse::in || std::is_const_v<T>)&&"the array is only read");
    constexpr std::int64_t each = sizeof(T);
    return {reinterpret_cast<T*>(part.data), part.width / each, part.slab_bytes / each, part.first};
  }
};

/// What all tiles have in common.
class TilePlan {
 public:
  /// InputError, one line, where arrays and tiling do not go together.
  TilePlan(std::vector<TiledArray> arrays, Tiling const& tiling);

  std::int64_t tiles() const { return (length_ + positions_ - 1) / positions_; }
  /// Positions a tile.
  std::int64_t positions() const { return positions_; }
  /// Tiles in executor memory at a time.
  int slots() const { return slots_; }
  /// Executor memory of a slot; all of them take no more than Tiling::memory.
  std::int64_t slot_bytes() const { return bytes_of(positions_).all; }
  /// What is copied to and from a slot at most, with the gaps between arrays.
  std::int64_t slot_in_bytes() const { return bytes_of(positions_).in; }
  std::int64_t slot_out_bytes() const;
  /// What a run copies to and from executor memory.
  std::int64_t bytes_in() const { return copied(ArrayUse::out); }
  std::int64_t bytes_out() const { return copied(ArrayUse::in); }
  std::span<TiledArray const> arrays() const { return arrays_; }

  /// Number `tile` of tiles(), in a slot's memory.
  Tile tile(std::int64_t tile, std::byte* memory) const;

 private:
  struct Bytes {
    std::int64_t in = 0, before_out = 0, all = 0;
  };
  Bytes bytes_of(std::int64_t positions) const;
  std::int64_t copied(ArrayUse not_copied) const;
  /// The most positions of which `streams` tiles fit into `memory`; 0 where not one does.
  std::int64_t most_positions(std::int64_t memory, int streams) const;

  std::vector<TiledArray> arrays_;
  std::vector<std::size_t> order_;  ///< in executor memory: in, in_out, out
  std::int64_t length_, positions_ = 0;
  int slots_ = 0;
};

}  // namespace ulpine
