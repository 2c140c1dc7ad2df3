// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "probe/source/part.hpp"

// The order-free hash of core/field/hash.hpp, of arrays as other programs have them. Integers and truth
// values have no NaN: their bits are mixed as they are, 8 and 16 bits with their sign extended to 32, truth
// values as 0 and 1 of 32 bits.

namespace ulpine::probe {

/// Sums of hashes of consecutive blocks of dense indices, of which a part may touch but a few.
class BlockSums {
 public:
  /// Of a domain of `count` elements.
  explicit BlockSums(std::int64_t count);
  void add(std::int64_t index, std::uint64_t hash) {
    auto const block = index >> shift_;
    first_ = block < first_ ? block : first_;
    last_ = block > last_ ? block : last_;
    sums_[static_cast<std::size_t>(block)] += hash;
  }
  int shift() const { return shift_; }
  std::int64_t blocks() const { return blocks_; }
  /// Adds them to sums of all blocks.
  void add_to(std::span<std::uint64_t> blocks) const {
    for (auto block = first_; block <= last_; ++block)
      blocks[static_cast<std::size_t>(block)] += sums_[static_cast<std::size_t>(block)];
  }

 private:
  static constexpr std::size_t most_blocks = 256;
  int shift_ = 0;
  std::int64_t blocks_ = 0, first_ = most_blocks, last_ = -1;
  std::array<std::uint64_t, most_blocks> sums_ = {};
};

/// What a processor may have for it; the bits are the same.
enum class HashPath { scalar, avx2, avx512 };
/// Whether this processor (and this build) has it.
bool has(HashPath path);
/// The fastest that it has.
HashPath best_hash_path();

/// Adds the hashes of all elements of a part in the host's memory. `zeros_equal`: -0 counts as 0.
void add_hashes(Part const& part, BlockSums& sums, bool zeros_equal = false,
                HashPath path = best_hash_path());

}  // namespace ulpine::probe
