// SPDX-License-Identifier: Apache-2.0
// The kernel that hashes fields of a GPU, embedded in the library and loaded by the driver.
#include "probe/source/device_hash.hpp"

namespace ulpine::probe {
namespace {

struct Binary32 {
  using Word = std::uint32_t;
  static __device__ std::uint64_t bits(Word word) { return detail::canonical(word); }
};
struct Binary64 {
  using Word = std::uint64_t;
  static __device__ std::uint64_t bits(Word word) { return detail::canonical(word); }
};
template <class Binary>
struct ZerosEqual {
  using Word = typename Binary::Word;
  static __device__ std::uint64_t bits(Word word) { return word << 1 == 0 ? 0 : Binary::bits(word); }
};
template <class Signed>
struct Integer {
  using Word = Signed;
  static __device__ std::uint64_t bits(Word word) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(word));
  }
};
struct Integer64 {
  using Word = std::uint64_t;
  static __device__ std::uint64_t bits(Word word) { return word; }
};
template <class Unsigned>
struct Logical {
  using Word = Unsigned;
  static __device__ std::uint64_t bits(Word word) { return word != 0; }
};

/// Dense index and address of element i of the part, counted row-major.
__device__ std::int64_t place(DeviceHashTask const& task, std::int64_t i, unsigned char const*& address) {
  std::int64_t index = 0, scale = 1;
  address = task.data;
  auto const narrow = task.count <= 0xffffffffll;
  for (int a = task.rank - 1; a >= 0; --a) {
    auto const extent = task.extent[a];
    std::int64_t at = 0;
    if (narrow) {  // 32-bit divisions are several times faster
      auto const rest = static_cast<std::uint32_t>(i), next = rest / static_cast<std::uint32_t>(extent);
      at = rest - next * static_cast<std::uint32_t>(extent);
      i = next;
    } else {
      at = i % extent;
      i /= extent;
    }
    address += at * task.stride[a];
    auto const listed = task.numbers != nullptr && a == task.numbered;
    index += (listed ? task.numbers[at] : task.first[a] + at) * scale;
    scale *= task.whole[a];
  }
  return index;
}

template <class Kind>
__device__ void hash_packed(DeviceHashTask const& task, std::int64_t begin, std::int64_t end) {
  auto const* const __restrict__ words = reinterpret_cast<typename Kind::Word const*>(task.data);
  unsigned long long sum = 0;
#pragma unroll 8
  for (auto i = begin + threadIdx.x; i < end; i += device_hash_threads) {
    sum += detail::mix(Kind::bits(words[i]) ^ detail::index_key(i));
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(&task.sums[begin >> task.shift], sum);
}

/// `sums`: 256 words of shared memory.
template <class Kind>
__device__ void hash_anywhere(DeviceHashTask const& task, std::int64_t begin, std::int64_t end,
                              unsigned long long* sums) {
  for (auto b = threadIdx.x; b < task.blocks; b += device_hash_threads) sums[b] = 0;
  __syncthreads();
  unsigned long long sum = 0;
  std::int64_t block = -1;
  for (auto i = begin + threadIdx.x; i < end; i += device_hash_threads) {
    unsigned char const* address = nullptr;
    auto const index = place(task, i, address);
    if (index >> task.shift != block) {
      if (sum != 0) atomicAdd(&sums[block], sum);
      sum = 0;
      block = index >> task.shift;
    }
    sum += detail::mix(Kind::bits(*reinterpret_cast<typename Kind::Word const*>(address)) ^
                       detail::index_key(index));
  }
  if (sum != 0) atomicAdd(&sums[block], sum);
  __syncthreads();
  for (auto b = threadIdx.x; b < task.blocks; b += device_hash_threads) {
    if (sums[b] != 0) atomicAdd(&task.sums[b], sums[b]);
  }
}

template <class Kind>
__device__ void hash_chunk(DeviceHashTask const& task, unsigned long long* shared) {
  // A chunk of a packed field lies within one block of 2^shift indices.
  auto const whole_block = std::int64_t{1} << task.shift;
  auto const chunk = task.packed != 0 && whole_block < device_hash_chunk ? whole_block : device_hash_chunk;
  auto const begin = static_cast<std::int64_t>(blockIdx.x) * chunk;
  auto const end = begin + chunk < task.count ? begin + chunk : task.count;
  if (task.packed != 0) {
    hash_packed<Kind>(task, begin, end);
  } else {
    hash_anywhere<Kind>(task, begin, end, shared);
  }
}

}  // namespace
}  // namespace ulpine::probe

/// Adds the block hashes of a part to task.sums. Thread blocks: the part's elements over the size of a chunk,
/// rounded up.
extern "C" __global__ void __launch_bounds__(ulpine::probe::device_hash_threads)
    ulpine_hash_field(__grid_constant__ ulpine::probe::DeviceHashTask const task) {
  using namespace ulpine::probe;
  __shared__ unsigned long long shared[256];
  switch (task.kind) {
    case ElementKind::binary32:
      return hash_chunk<Binary32>(task, shared);
    case ElementKind::binary64:
      return hash_chunk<Binary64>(task, shared);
    case ElementKind::binary32_zeros_equal:
      return hash_chunk<ZerosEqual<Binary32>>(task, shared);
    case ElementKind::binary64_zeros_equal:
      return hash_chunk<ZerosEqual<Binary64>>(task, shared);
    case ElementKind::integer8:
      return hash_chunk<Integer<std::int8_t>>(task, shared);
    case ElementKind::integer16:
      return hash_chunk<Integer<std::int16_t>>(task, shared);
    case ElementKind::integer32:
      return hash_chunk<Integer<std::int32_t>>(task, shared);
    case ElementKind::integer64:
      return hash_chunk<Integer64>(task, shared);
    case ElementKind::logical8:
      return hash_chunk<Logical<std::uint8_t>>(task, shared);
    case ElementKind::logical32:
      return hash_chunk<Logical<std::uint32_t>>(task, shared);
    case ElementKind::logical64:
      return hash_chunk<Logical<std::uint64_t>>(task, shared);
  }
}

/// Copies the elements of a part, row-major, to or from `dense`, device memory of task.count elements of
/// `size` bytes.
extern "C" __global__ void __launch_bounds__(ulpine::probe::device_hash_threads)
    ulpine_copy_field(__grid_constant__ ulpine::probe::DeviceHashTask const task, unsigned char* dense,
                      int size, int to_field) {
  using ulpine::probe::device_hash_threads;
  auto const step = static_cast<std::int64_t>(gridDim.x) * device_hash_threads;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * device_hash_threads + threadIdx.x; i < task.count;
       i += step) {
    unsigned char const* address = nullptr;
    ulpine::probe::place(task, i, address);
    auto* const in_field = const_cast<unsigned char*>(address);
    auto* const in_dense = dense + i * size;
    auto* const to = to_field != 0 ? in_field : in_dense;
    auto const* const from = to_field != 0 ? in_dense : in_field;
    switch (size) {
      case 8:
        *reinterpret_cast<std::uint64_t*>(to) = *reinterpret_cast<std::uint64_t const*>(from);
        break;
      case 4:
        *reinterpret_cast<std::uint32_t*>(to) = *reinterpret_cast<std::uint32_t const*>(from);
        break;
      case 2:
        *reinterpret_cast<std::uint16_t*>(to) = *reinterpret_cast<std::uint16_t const*>(from);
        break;
      default:
        *to = *from;
    }
  }
}
