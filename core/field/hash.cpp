// SPDX-License-Identifier: Apache-2.0
#include "core/field/hash.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <numeric>
#include <utility>

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

/// Points are told apart by their dense index; a team's shares are added in any order.
template <class Word>
void hash_on_host(RawField const& field, int shift, std::span<std::uint64_t> blocks) {
  auto const& layout = field.layout;
  auto const* const words = static_cast<Word const*>(field.data);
  std::ranges::fill(blocks, 0);
  auto const chunk = std::int64_t{1} << shift;
  auto const chunks = (layout.count() + chunk - 1) / chunk;
  auto const in_order = layout.contiguous();
  auto const begin_of_all = layout.count() == 0 ? 0 : layout.memory_index(0);
#pragma omp parallel for schedule(static) num_threads(field.threads) if (field.threads > 1)
  for (std::int64_t number = 0; number < chunks; ++number) {
    auto const begin = number * chunk, end = std::min(layout.count(), begin + chunk);
    // A chunk of owned points may lie in two blocks of the domain's, where not all of it is owned.
    std::uint64_t sum = 0;
    auto block = layout.dense_index(begin) >> shift;
    auto const hand_over = [&] {
      std::atomic_ref<std::uint64_t>(blocks[static_cast<std::size_t>(block)])
          .fetch_add(std::exchange(sum, 0), std::memory_order_relaxed);
    };
    for (auto i = begin; i < end; ++i) {
      auto const index = layout.dense_index(i);
      if (index >> shift != block) {
        hand_over();
        block = index >> shift;
      }
      sum += element_hash(index, words[in_order ? begin_of_all + i : layout.memory_index(i)]);
    }
    hand_over();
  }
}

int block_shift(std::int64_t count) {
  int shift = 0;
  while (io::trace_block_size(count) >> shift > 1) ++shift;
  return shift;
}

}  // namespace

std::int64_t hash_blocks(std::int64_t count) {
  auto const size = io::trace_block_size(count);
  return (count + size - 1) / size;
}

std::uint64_t field_hash(RawField const& field, std::span<std::uint64_t> blocks) {
  std::array<std::uint64_t, 256> own{};
  auto const count = field.layout.global_count();
  auto const size = static_cast<std::size_t>(hash_blocks(count));
  assert(blocks.empty() || blocks.size() == size);
  auto const sums = blocks.empty() ? std::span(own).first(size) : blocks;
  if (field.on_device) {
#if defined(ULPINE_HAS_CUDA)
    Array<std::uint64_t, Cuda> on_device(field.cuda, static_cast<std::int64_t>(size));
    HashTask const task{field, 0};
    add_field_hashes({&task, 1}, field.cuda, on_device.view().data());
    on_device.to_host(sums.data());
#else
    assert(!"a field on a device in a build without CUDA");
#endif
  } else {
    switch (field.type) {
      case ValueType::float32:
        hash_on_host<std::uint32_t>(field, block_shift(count), sums);
        break;
      case ValueType::float64:
        hash_on_host<std::uint64_t>(field, block_shift(count), sums);
        break;
      case ValueType::float32_pair:
        hash_on_host<detail::PairWord>(field, block_shift(count), sums);
        break;
      case ValueType::binary128:
        hash_on_host<Word128>(field, block_shift(count), sums);
        break;
      case ValueType::uint8:
        assert(!"masks are not hashed");
    }
  }
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

}  // namespace ulpine
