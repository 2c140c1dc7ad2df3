// SPDX-License-Identifier: Apache-2.0
#include "core/exec/hash.hpp"

#include "core/exec/memory.hpp"

namespace ulpine {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_in_chunk = 16 * threads;

/// Each thread block hashes one chunk, which lies within one hash block of 2^shift elements.
template <class Word>
__global__ void __launch_bounds__(threads)
    hash_chunks(Word const* __restrict__ words, std::int64_t count, std::int64_t chunk, int shift,
                unsigned long long* blocks) {
  auto const begin = static_cast<std::int64_t>(blockIdx.x) * chunk;
  auto const end = begin + chunk < count ? begin + chunk : count;
  unsigned long long sum = 0;
#pragma unroll 8
  for (auto i = begin + threadIdx.x; i < end; i += threads) {
    sum += detail::element_hash(i, words[i]);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x % 32 == 0 && sum != 0) {
    atomicAdd(&blocks[begin >> shift], sum);
  }
}

}  // namespace

void add_field_hash(RawField const& field, std::uint64_t* device_blocks) {
  if (field.count == 0) {
    return;
  }
  int shift = 0;
  while ((field.count - 1) >> shift >= 256) {
    ++shift;
  }
  auto const chunk = (std::int64_t{1} << shift) < most_in_chunk ? std::int64_t{1} << shift : most_in_chunk;
  auto const grid = static_cast<unsigned>((field.count + chunk - 1) / chunk);
  auto* const blocks = reinterpret_cast<unsigned long long*>(device_blocks);
  if (field.bytes_per_value == 4) {
    hash_chunks<<<grid, threads, 0, field.stream>>>(static_cast<std::uint32_t const*>(field.data),
                                                    field.count, chunk, shift, blocks);
  } else {
    hash_chunks<<<grid, threads, 0, field.stream>>>(static_cast<std::uint64_t const*>(field.data),
                                                    field.count, chunk, shift, blocks);
  }
  check_cuda(cudaGetLastError(), "hashing a field");
}

}  // namespace ulpine
