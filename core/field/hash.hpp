// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/field/raw_field.hpp"
#include "precision/host_device.hpp"

/// The order-free hash of a field: every (dense index, bits) pair is mixed to 64 bits and the mixes are
/// summed modulo 2^64. Addition of integers commutes, so any order, thread count, block size, decomposition
/// and backend gives the same number, and halo and padding do not show; the index inside the mix makes
/// exchanged values visible, which a plain sum of bits does not show.
namespace ulpine {

/// Hash of all owned points of `field` (not of masks). `blocks`, empty or of size
/// hash_blocks(field.layout.global_count()), gets the hashes of consecutive blocks of
/// io::trace_block_size(global_count) dense indices, which sum to the result. NaN counts as one value
/// whatever its payload and sign; +0 and -0 differ. Waits for the device where the field is there.
std::uint64_t field_hash(RawField const& field, std::span<std::uint64_t> blocks = {});

/// Number of block hashes of a field of `count` points, at most 256.
std::int64_t hash_blocks(std::int64_t count);

/// A device field and the first of the hash_blocks(global_count) words that get its block hashes.
struct HashTask {
  RawField field;
  std::int64_t first_word = 0;
};
/// Adds the block hashes of device fields to words of device memory, in the order of `cuda`: a launch for
/// every `most_hash_tasks` of them. Words are counted from `words` or, where that is null, from the address
/// that is in device memory at `words_at` when the launch runs.
void add_field_hashes(std::span<HashTask const> tasks, Cuda cuda, std::uint64_t* words,
                      std::uint64_t* const* words_at = nullptr);
inline constexpr std::size_t most_hash_tasks = 12;
/// Writes an address to device memory, in the order of `cuda`.
void set_device_pointer(Cuda cuda, std::uint64_t** target, std::uint64_t* address);

namespace detail {

/// One bit pattern for all NaN: processors choose payload and sign differently.
ULPINE_HD constexpr std::uint32_t canonical(std::uint32_t bits) {
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}
ULPINE_HD constexpr std::uint64_t canonical(std::uint64_t bits) {
  return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull ? 0x7ff8000000000000ull : bits;
}

/// The floats of a DoubleFloat.
struct PairWord {
  std::uint32_t hi, lo;
};
/// One pattern for all NaN and one for all numbers that a float holds.
ULPINE_HD constexpr std::uint64_t canonical(PairWord bits) {
  bool const not_a_number = (bits.hi & 0x7fffffffu) > 0x7f800000u, exact = (bits.lo & 0x7fffffffu) == 0;
  return std::uint64_t{canonical(bits.hi)} << 32 | (not_a_number || exact ? 0 : bits.lo);
}

/// A bijection of 64 bits in which every input bit reaches every output bit (the finaliser of SplitMix64:
/// Steele, Lea, Flood, OOPSLA 2014, doi:10.1145/2660193.2660195, with Stafford's constants "Mix13").
ULPINE_HD constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Spreads an index over all 64 bits, so that it meets more than the last bits of a value.
ULPINE_HD constexpr std::uint64_t index_key(std::int64_t index) {
  auto const key = (static_cast<std::uint64_t>(index) + 1) * 0x9e3779b97f4a7c15ull;
  return key ^ (key >> 32);
}

template <class Word>
ULPINE_HD constexpr std::uint64_t element_hash(std::int64_t index, Word bits) {
  return mix(canonical(bits) ^ index_key(index));
}

}  // namespace detail
}  // namespace ulpine
