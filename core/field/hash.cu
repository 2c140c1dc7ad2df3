// SPDX-License-Identifier: Apache-2.0
#include "core/field/hash.hpp"

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

namespace ulpine {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_in_chunk = 16 * threads;

/// Each thread block hashes one chunk of owned points, which lies within one hash block of 2^shift dense
/// indices where the whole domain is owned.
template <class Word, bool contiguous>
__global__ void __launch_bounds__(threads)
    hash_chunks(Word const* __restrict__ words, Layout layout, std::int64_t chunk, int shift,
                unsigned long long* blocks) {
  auto const begin = static_cast<std::int64_t>(blockIdx.x) * chunk;
  auto const end = begin + chunk < layout.count() ? begin + chunk : layout.count();
  unsigned long long sum = 0;
  if (layout.whole()) {
#pragma unroll 8
    for (auto i = begin + threadIdx.x; i < end; i += threads) {
      sum += detail::element_hash(i, words[contiguous ? i : layout.memory_index(i)]);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0 && sum != 0) {
      atomicAdd(&blocks[begin >> shift], sum);
    }
  } else {
    for (auto i = begin + threadIdx.x; i < end; i += threads) {
      auto const index = layout.dense_index(i);
      atomicAdd(&blocks[index >> shift], detail::element_hash(index, words[layout.memory_index(i)]));
    }
  }
}

template <class Word>
void launch(RawField const& field, std::int64_t chunk, int shift, unsigned long long* blocks) {
  auto const& layout = field.layout;
  auto const grid = static_cast<unsigned>((layout.count() + chunk - 1) / chunk);
  auto const* const words = static_cast<Word const*>(field.data);
  if (layout.contiguous() && layout.whole()) {
    hash_chunks<Word, true><<<grid, threads, 0, field.cuda.stream>>>(words + layout.memory_index(0), layout,
                                                                     chunk, shift, blocks);
  } else {
    hash_chunks<Word, false><<<grid, threads, 0, field.cuda.stream>>>(words, layout, chunk, shift, blocks);
  }
}

}  // namespace

void add_field_hash(RawField const& field, std::uint64_t* device_blocks) {
  if (field.count() == 0) {
    return;
  }
  int shift = 0;
  while ((field.layout.global_count() - 1) >> shift >= 256) {
    ++shift;
  }
  auto const chunk = (std::int64_t{1} << shift) < most_in_chunk ? std::int64_t{1} << shift : most_in_chunk;
  DeviceGuard const guard(field.cuda.ordinal);
  auto* const blocks = reinterpret_cast<unsigned long long*>(device_blocks);
  if (field.type == ValueType::float32) {
    launch<std::uint32_t>(field, chunk, shift, blocks);
  } else {
    launch<std::uint64_t>(field, chunk, shift, blocks);
  }
  check_cuda(cudaGetLastError(), "hashing a field");
}

}  // namespace ulpine
