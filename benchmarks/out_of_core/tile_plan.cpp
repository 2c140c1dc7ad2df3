// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/out_of_core/tile_plan.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "io/error.hpp"

namespace ulpine {
namespace {

/// Where arrays begin in a slot: enough for any type and for whole lines of a device's memory.
constexpr std::int64_t alignment = 256;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::string text(std::int64_t number) { return std::to_string(number); }

void check(TiledArray const& array, std::size_t number, std::int64_t length) {
  auto const& slabs = array.slabs;
  auto const refuse = [&](std::string const& why_and_what_to_do) {
    throw InputError("array " + std::to_string(number) + " cannot be cut " + why_and_what_to_do);
  };
  if (array.data == nullptr || slabs.outer < 1 || slabs.inner < 1) {
    refuse("(it has no values) give its memory and extents");
  }
  if (slabs.first > 0 || slabs.first + slabs.count < length) {
    refuse("(it has slabs for positions " + text(slabs.first) + " to " + text(slabs.first + slabs.count - 1) +
           ", kernels are called for 0 to " + text(length - 1) + ") give one for each");
  }
  if (array.halo.below < 0 || array.halo.above < 0) {
    refuse("(its halo is negative) give 0 where kernels read no neighbours");
  }
  if (array.use != ArrayUse::in && (array.halo.below > 0 || array.halo.above > 0)) {
    refuse("(neighbours of what is written would be read before or after, as it comes) read another array");
  }
}

/// Positions of the slabs that an array has for a tile.
struct Positions {
  std::int64_t first, end;
};
Positions positions_of(TiledArray const& array, std::int64_t begin, std::int64_t end) {
  auto const& slabs = array.slabs;
  return {std::max(begin - array.halo.below, slabs.first),
          std::min(end + array.halo.above, slabs.first + slabs.count)};
}

void check_apart(std::vector<TiledArray> const& arrays) {
  for (std::size_t written = 0; written < arrays.size(); ++written) {
    if (arrays[written].use == ArrayUse::in) continue;
    for (std::size_t other = 0; other < arrays.size(); ++other) {
      auto const &one = arrays[written], &two = arrays[other];
      if (other != written && one.data < two.data + two.bytes() && two.data < one.data + one.bytes()) {
        throw InputError("arrays " + std::to_string(other) + " and " + std::to_string(written) +
                         " share memory (the latter is written, tile by tile) give it memory of its own");
      }
    }
  }
}

}  // namespace

Slabs slabs_of(std::initializer_list<std::int64_t> extents, int axis, std::int64_t first) {
  if (axis < 0 || axis >= static_cast<int>(extents.size())) {
    throw InputError("axis " + std::to_string(axis) + " cannot be cut (the array has " +
                     std::to_string(extents.size()) + ", counted from 0) choose one of them");
  }
  auto const* const at = extents.begin() + axis;
  auto const product = [](auto const* begin, auto const* end) {
    return std::accumulate(begin, end, std::int64_t{1}, std::multiplies{});
  };
  return {product(extents.begin(), at), *at, product(at + 1, extents.end()), first};
}

TilePlan::TilePlan(std::vector<TiledArray> arrays, Tiling const& tiling)
    : arrays_{std::move(arrays)}, order_(arrays_.size()), length_{tiling.length} {
  constexpr int most_streams = 64;
  if (arrays_.empty() || length_ < 1) {
    throw InputError("nothing to cut into tiles (no arrays or no positions) give both");
  }
  if (tiling.streams < 1 || tiling.streams > most_streams) {
    throw InputError("no run with " + std::to_string(tiling.streams) + " streams (1 to " +
                     std::to_string(most_streams) + " are possible) use 2 to 4");
  }
  if (tiling.threads < 1 || tiling.positions < 0) {
    throw InputError("no run with " + std::to_string(tiling.threads) + " threads and tiles of " +
                     text(tiling.positions) +
                     " positions (threads are 1 or more, positions 0 or more) use 1 and 0");
  }
  for (std::size_t n = 0; n < arrays_.size(); ++n) check(arrays_[n], n, length_);
  check_apart(arrays_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](auto a, auto b) { return arrays_[a].use < arrays_[b].use; });

  std::int64_t widest = 0;
  for (auto const& array : arrays_) widest = std::max({widest, array.halo.below, array.halo.above});
  positions_ = std::min(tiling.positions, length_);
  if (tiling.positions == 0) {
    // Copies in, kernels and copies out only overlap where there are several tiles.
    constexpr std::int64_t tiles_a_stream = 4;
    auto const tiles = tiling.streams == 1 ? 1 : tiles_a_stream * tiling.streams;
    auto const wanted = std::max((length_ + tiles - 1) / tiles, std::min(widest, length_));
    positions_ = std::min(most_positions(tiling.memory, tiling.streams), wanted);
  }
  slots_ =
      positions_ == 0 ? tiling.streams : static_cast<int>(std::min<std::int64_t>(tiling.streams, tiles()));
  auto const wanted = std::max<std::int64_t>(positions_, 1);
  if (bytes_of(wanted).all * slots_ > tiling.memory) {
    throw InputError(text(tiling.memory) + " bytes hold no " + std::to_string(slots_) + " tiles of " +
                     text(wanted) + " positions (" + text(bytes_of(wanted).all * slots_) +
                     " are needed) give more memory, fewer streams or smaller tiles");
  }
  if (positions_ < widest && positions_ < length_) {
    throw InputError("tiles of " + text(positions_) + " positions are smaller than the halo (kernels read " +
                     text(widest) + " slabs to a side) use larger tiles or more memory");
  }
}

TilePlan::Bytes TilePlan::bytes_of(std::int64_t positions) const {
  Bytes bytes;
  for (auto const number : order_) {
    auto const& array = arrays_[number];
    auto const& slabs = array.slabs;
    auto const count = std::min(positions + array.halo.below + array.halo.above, slabs.count);
    auto const size = aligned(array.value_bytes * slabs.outer * slabs.inner * count);
    bytes.all += size;
    if (array.use != ArrayUse::out) bytes.in += size;
    if (array.use == ArrayUse::in) bytes.before_out += size;
  }
  return bytes;
}

std::int64_t TilePlan::slot_out_bytes() const {
  auto const bytes = bytes_of(positions_);
  return bytes.all - bytes.before_out;
}

std::int64_t TilePlan::most_positions(std::int64_t memory, int streams) const {
  std::int64_t fits = 0, too_many = length_ + 1;
  while (too_many - fits > 1) {
    auto const middle = fits + (too_many - fits) / 2;
    (bytes_of(middle).all * streams <= memory ? fits : too_many) = middle;
  }
  return fits;
}

Tile TilePlan::tile(std::int64_t number, std::byte* memory) const {
  Tile tile;
  tile.begin = number * positions_;
  tile.end = std::min(tile.begin + positions_, length_);
  tile.memory = memory;
  tile.parts.resize(arrays_.size());
  std::int64_t offset = 0;
  for (auto const n : order_) {
    auto const& array = arrays_[n];
    auto const& slabs = array.slabs;
    auto const [first, end] = positions_of(array, tile.begin, tile.end);
    auto const slab_bytes = array.value_bytes * slabs.inner;
    auto& part = tile.parts[n];
    part = {.data = memory + offset,
            .host = array.data + (first - slabs.first) * slab_bytes,
            .width = (end - first) * slab_bytes,
            .rows = slabs.outer,
            .host_pitch = slabs.count * slab_bytes,
            .first = first,
            .slab_bytes = slab_bytes,
            .value_bytes = array.value_bytes,
            .use = array.use};
    offset += aligned(part.width * part.rows);
    if (array.use != ArrayUse::out) tile.in_bytes = offset;
    if (array.use == ArrayUse::in) tile.out_begin = offset;
  }
  tile.out_bytes = offset - tile.out_begin;
  return tile;
}

std::int64_t TilePlan::copied(ArrayUse not_copied) const {
  std::int64_t bytes = 0;
  for (auto const& array : arrays_) {
    if (array.use == not_copied) continue;
    for (std::int64_t begin = 0; begin < length_; begin += positions_) {
      auto const [first, end] = positions_of(array, begin, std::min(begin + positions_, length_));
      bytes += (end - first) * array.value_bytes * array.slabs.outer * array.slabs.inner;
    }
  }
  return bytes;
}

}  // namespace ulpine
