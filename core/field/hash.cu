// SPDX-License-Identifier: Apache-2.0
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/field/hash.hpp"

namespace ulpine {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_in_chunk = 16 * threads;

/// A field to hash. Each thread block takes one chunk of its owned points, which lies within one hash block
/// of 2^shift dense indices where the whole domain is owned.
struct Task {
  void const* values;  ///< of a packed field its first owned value
  Layout layout;
  std::int64_t chunk, first_word;
  unsigned first_block;  ///< of the launch
  int shift;
  ValueType type;
  bool packed;  ///< contiguous and whole
};

/// All of a launch; a kernel's arguments may take 4 KiB.
struct Tasks {
  Task task[most_hash_tasks];
  unsigned count;
  unsigned long long* words;
  std::uint64_t* const* words_at;
};
static_assert(sizeof(Tasks) <= 4096);

template <class Word, bool packed>
__device__ void hash_chunk(Task const& task, std::int64_t begin, std::int64_t end,
                           unsigned long long* blocks) {
  auto const& layout = task.layout;
  auto const* const __restrict__ words = static_cast<Word const*>(task.values);
  if (packed || layout.whole()) {
    unsigned long long sum = 0;
#pragma unroll 8
    for (auto i = begin + threadIdx.x; i < end; i += threads) {
      sum += detail::element_hash(i, words[packed ? i : layout.memory_index(i)]);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0 && sum != 0) {
      atomicAdd(&blocks[begin >> task.shift], sum);
    }
  } else {
    for (auto i = begin + threadIdx.x; i < end; i += threads) {
      auto const index = layout.dense_index(i);
      atomicAdd(&blocks[index >> task.shift],
                static_cast<unsigned long long>(detail::element_hash(index, words[layout.memory_index(i)])));
    }
  }
}

template <class Word>
__device__ void hash_chunk(Task const& task, std::int64_t begin, std::int64_t end,
                           unsigned long long* blocks) {
  if (task.packed) {
    hash_chunk<Word, true>(task, begin, end, blocks);
  } else {
    hash_chunk<Word, false>(task, begin, end, blocks);
  }
}

__global__ void __launch_bounds__(threads) hash_fields(__grid_constant__ Tasks const tasks) {
  unsigned number = 0;
  while (number + 1 < tasks.count && tasks.task[number + 1].first_block <= blockIdx.x) {
    ++number;
  }
  auto const& task = tasks.task[number];
  auto const begin = static_cast<std::int64_t>(blockIdx.x - task.first_block) * task.chunk;
  auto const count = task.layout.count();
  auto const end = begin + task.chunk < count ? begin + task.chunk : count;
  auto* const words =
      tasks.words != nullptr ? tasks.words : reinterpret_cast<unsigned long long*>(*tasks.words_at);
  auto* const blocks = words + task.first_word;
  switch (task.type) {
    case ValueType::float32:
      return hash_chunk<std::uint32_t>(task, begin, end, blocks);
    case ValueType::float32_pair:
      return hash_chunk<detail::PairWord>(task, begin, end, blocks);
    default:
      return hash_chunk<std::uint64_t>(task, begin, end, blocks);
  }
}

Task task_of(HashTask const& wanted, unsigned first_block) {
  auto const& field = wanted.field;
  auto const& layout = field.layout;
  int shift = 0;
  while ((layout.global_count() - 1) >> shift >= 256) {
    ++shift;
  }
  auto const chunk = (std::int64_t{1} << shift) < most_in_chunk ? std::int64_t{1} << shift : most_in_chunk;
  auto const packed = layout.contiguous() && layout.whole();
  auto const* values = static_cast<char const*>(field.data);
  if (packed) {
    values += layout.memory_index(0) * bytes_of(field.type);
  }
  return {values, layout, chunk, wanted.first_word, first_block, shift, field.type, packed};
}

__global__ void set_pointer(std::uint64_t** target, std::uint64_t* address) { *target = address; }

}  // namespace

void set_device_pointer(Cuda cuda, std::uint64_t** target, std::uint64_t* address) {
  DeviceGuard const guard(cuda.ordinal);
  set_pointer<<<1, 1, 0, cuda.stream>>>(target, address);
  check_cuda(cudaGetLastError(), "pointing hashes to their place");
}

void add_field_hashes(std::span<HashTask const> tasks, Cuda cuda, std::uint64_t* words,
                      std::uint64_t* const* words_at) {
  DeviceGuard const guard(cuda.ordinal);
  Tasks launch{};
  launch.words = reinterpret_cast<unsigned long long*>(words);
  launch.words_at = words_at;
  unsigned blocks = 0;
  auto const run = [&] {
    if (launch.count > 0) {
      hash_fields<<<blocks, threads, 0, cuda.stream>>>(launch);
      check_cuda(cudaGetLastError(), "hashing fields");
    }
    launch.count = blocks = 0;
  };
  for (auto const& wanted : tasks) {
    if (wanted.field.count() == 0) continue;
    if (launch.count == most_hash_tasks) run();
    auto const& task = launch.task[launch.count++] = task_of(wanted, blocks);
    blocks += static_cast<unsigned>((wanted.field.count() + task.chunk - 1) / task.chunk);
  }
  run();
}

}  // namespace ulpine
