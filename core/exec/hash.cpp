// SPDX-License-Identifier: Apache-2.0
#include "core/exec/hash.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "core/exec/memory.hpp"
#include "io/trace_file.hpp"

namespace ulpine {
namespace {

/// Bits of a binary128; x86-64 and AArch64 store the low half first.
struct Word128 {
  std::uint64_t low, high;
};

std::uint64_t element_hash(std::int64_t index, Word128 bits) {
  auto const magnitude = bits.high & 0x7fffffffffffffffull;
  auto const infinity = 0x7fff000000000000ull;
  if (magnitude > infinity || (magnitude == infinity && bits.low != 0)) {
    bits = {0, 0x7fff800000000000ull};
  }
  return detail::mix(detail::mix(bits.low ^ detail::index_key(index)) ^ bits.high);
}
using detail::element_hash;

template <class Word>
void hash_on_host(Word const* words, std::int64_t count, std::int64_t block_size,
                  std::span<std::uint64_t> blocks, int threads) {
  auto const most = static_cast<std::int64_t>(blocks.size());
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t block = 0; block < most; ++block) {
    auto const end = std::min(count, (block + 1) * block_size);
    std::uint64_t sum = 0;
    for (std::int64_t i = block * block_size; i < end; ++i) {
      sum += element_hash(i, words[i]);
    }
    blocks[static_cast<std::size_t>(block)] = sum;
  }
}

}  // namespace

std::int64_t hash_blocks(std::int64_t count) {
  auto const size = io::trace_block_size(count);
  return (count + size - 1) / size;
}

std::uint64_t field_hash(RawField const& field, std::span<std::uint64_t> blocks, int threads) {
  assert(field.bytes_per_value == 4 || field.bytes_per_value == 8 ||
         (field.bytes_per_value == 16 && !field.on_device));
  std::array<std::uint64_t, 256> own{};
  auto const size = static_cast<std::size_t>(hash_blocks(field.count));
  assert(blocks.empty() || blocks.size() == size);
  auto const sums = blocks.empty() ? std::span(own).first(size) : blocks;
  if (field.on_device) {
#if defined(ULPINE_HAS_CUDA)
    Array<std::uint64_t, Cuda> on_device(Cuda{field.stream}, static_cast<std::int64_t>(size));
    add_field_hash(field, on_device.view().data());
    on_device.to_host(sums.data());
#else
    assert(!"a field on a device in a build without CUDA");
#endif
  } else {
    auto const block_size = io::trace_block_size(field.count);
    switch (field.bytes_per_value) {
      case 4:
        hash_on_host(static_cast<std::uint32_t const*>(field.data), field.count, block_size, sums, threads);
        break;
      case 8:
        hash_on_host(static_cast<std::uint64_t const*>(field.data), field.count, block_size, sums, threads);
        break;
      default:
        hash_on_host(static_cast<Word128 const*>(field.data), field.count, block_size, sums, threads);
    }
  }
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

}  // namespace ulpine
