// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Fields and states go to files, and come from them, in slabs: runs of their row-major values.

namespace ulpine::io {

/// Bytes that whoever streams a field or a state holds of it at most.
inline constexpr std::int64_t slab_bytes = std::int64_t{32} << 20;

/// The product of the extents.
std::int64_t values_in(std::vector<std::int64_t> const& shape);

/// A box of an array, as NetCDF wants it.
struct Hyperslab {
  std::vector<std::size_t> start, count;
  std::int64_t values = 0;
};

/// The row-major values [first, first + count) of an array as boxes, in their order: one where they are
/// whole rows, else up to 2 rank - 1.
std::vector<Hyperslab> hyperslabs(std::vector<std::int64_t> const& shape, std::int64_t first,
                                  std::int64_t count);

/// Extents of chunks of at most `most` values, of whole rows as far as these fit: the slowest are cut first,
/// evenly.
std::vector<std::int64_t> chunk_extents(std::vector<std::int64_t> const& shape, std::int64_t most);

/// Cuts an array into slabs of at most `most` values, each one box and of whole chunks, so that no chunk is
/// packed twice. `chunk` is of chunk_extents() for no more than `most` values.
class Slabs {
 public:
  Slabs(std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& chunk, std::int64_t most);
  /// Values of the slab that starts at `first`: 0 or the end of the slab before.
  std::int64_t length(std::int64_t first) const;

 private:
  std::int64_t size_ = 0, slab_ = 0, period_ = 0;
};

}  // namespace ulpine::io
