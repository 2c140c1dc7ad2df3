// SPDX-License-Identifier: Apache-2.0
#include "core/exec/reduce.hpp"
#include "core/exec/stream.hpp"

namespace ulpine::detail {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int blocks_each = 4;  ///< resident blocks a multiprocessor, so that the grid is one wave
constexpr int unroll = 4;       ///< 16-byte loads in flight a thread

struct DeviceTarget {
  std::int64_t* words;
  __device__ void add(int limb, std::int64_t amount) const {
    atomicAdd(reinterpret_cast<unsigned long long*>(words + limb), static_cast<unsigned long long>(amount));
  }
  __device__ void mark(Special special) const {
    atomicOr(reinterpret_cast<unsigned long long*>(words + special_word),
             static_cast<unsigned long long>(special));
  }
};

/// One thread's part of a sum.
template <class T>
struct Part {
  Expansion<T> expansion;
  DeviceTarget rest;

  __device__ void add_small(T x) {
    T const lost = expansion.add(x);
    if (lost != T(0)) {
      deposit(rest, static_cast<double>(lost));
    }
  }
  __device__ void add(T x) {
    if (math::abs(x) < most_in_expansion<T>) {
      add_small(x);
    } else {
      deposit(rest, static_cast<double>(x));
    }
  }
  __device__ void add_product(T a, T b) {
    T const product = a * b;
    add(product);
    if (math::abs(product) < T(INFINITY)) {
      add(math::fma(a, b, -product));
    }
  }
  /// Adds the parts of the other lanes to lane 0's.
  __device__ void gather_lanes() {
    for (int distance = 16; distance > 0; distance /= 2) {
      auto const high = __shfl_down_sync(0xffffffffu, expansion.high, distance);
      auto const middle = __shfl_down_sync(0xffffffffu, expansion.middle, distance);
      auto const low = __shfl_down_sync(0xffffffffu, expansion.low, distance);
      if (static_cast<int>(threadIdx.x % 32) < distance) {  // the others' values would be counted again
        add_small(high);
        add_small(middle);
        add_small(low);
      }
    }
  }
  /// Adds the whole block's parts to the accumulator.
  __device__ void finish() {
    __shared__ Expansion<T> of_warp[warps];
    gather_lanes();
    if (threadIdx.x % 32 == 0) {
      of_warp[threadIdx.x / 32] = expansion;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
      expansion = threadIdx.x < warps ? of_warp[threadIdx.x] : Expansion<T>{};
      gather_lanes();
      if (threadIdx.x == 0) {
        deposit(rest, static_cast<double>(expansion.high));
        deposit(rest, static_cast<double>(expansion.middle));
        deposit(rest, static_cast<double>(expansion.low));
      }
    }
  }
};

template <class T>
__device__ Part<T> new_part(std::int64_t* scratch) {
  return {{}, {scratch + blockIdx.x % sum_copies * sum_words}};
}

template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T values[size];
};

/// The order of a sum is free, so the values before the first and after the last 16-byte boundary go first.
template <class T>
__global__ void __launch_bounds__(threads, blocks_each) sum_values(View<T const> x, std::int64_t* scratch) {
  auto part = new_part<T>(scratch);
  auto const me = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
  auto const misaligned =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.data()) / sizeof(T)) % Pack<T>::size;
  auto const head = math::min(x.size(), (Pack<T>::size - misaligned) % Pack<T>::size);
  auto const packs = (x.size() - head) / Pack<T>::size;
  auto const tail = head + packs * Pack<T>::size;
  if (me < head) {
    part.add(x[me]);
  }
  if (me < x.size() - tail) {
    part.add(x[tail + me]);
  }
  auto const* const packed = reinterpret_cast<Pack<T> const*>(x.data() + head);
  auto i = me;
  for (; i + (unroll - 1) * stride < packs; i += unroll * stride) {
    Pack<T> loaded[unroll];
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      loaded[k] = packed[i + k * stride];
    }
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      for (T const value : loaded[k].values) {
        part.add(value);
      }
    }
  }
  for (; i < packs; i += stride) {
    for (T const value : packed[i].values) {
      part.add(value);
    }
  }
  part.finish();
}

/// Products of floats are exact in double.
template <class T>
__global__ void __launch_bounds__(threads, blocks_each)
    sum_products(View<T const> x, T const* y, std::int64_t* scratch) {
  auto part = new_part<double>(scratch);
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
#pragma unroll 4
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < x.size(); i += stride) {
    part.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
  }
  part.finish();
}

/// Adds the copies into the result and clears them for the next sum.
__global__ void gather_copies(std::int64_t* scratch) {
  auto const word = static_cast<int>(threadIdx.x);
  if (word >= sum_words) {
    return;
  }
  std::int64_t sum = 0;
#pragma unroll 16
  for (int copy = 0; copy < sum_copies; ++copy) {
    auto const value = scratch[copy * sum_words + word];
    sum = word == special_word ? sum | value : sum + value;
  }
  for (int copy = 0; copy < sum_copies; ++copy) {
    scratch[copy * sum_words + word] = 0;
  }
  scratch[sum_copies * sum_words + word] = sum;
}

__device__ void atomic_extreme(std::int64_t* target, std::int64_t key, bool largest) {
  auto* const word = reinterpret_cast<long long*>(target);
  largest ? atomicMax(word, static_cast<long long>(key)) : atomicMin(word, static_cast<long long>(key));
}
__device__ void atomic_extreme(std::int32_t* target, std::int32_t key, bool largest) {
  largest ? atomicMax(target, key) : atomicMin(target, key);
}

template <class T>
__global__ void __launch_bounds__(threads)
    find_extreme(View<T const> x, bool largest, typename OrderKey<T>::Key* target) {
  using Key = typename OrderKey<T>::Key;
  Key const nan = largest ? OrderKey<T>::largest : -OrderKey<T>::largest - 1;
  Key key = *target;
  auto const better = [largest](Key a, Key b) { return largest ? math::max(a, b) : math::min(a, b); };
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
#pragma unroll 8
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < x.size(); i += stride) {
    key = better(key, OrderKey<T>::to_key(x[i], nan));
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    key = better(key, __shfl_down_sync(0xffffffffu, key, distance));
  }
  if (threadIdx.x % 32 == 0) {
    atomic_extreme(target, key, largest);
  }
}

unsigned grid(std::int64_t values, int multiprocessors, int blocks) {
  auto const needed = (values + threads - 1) / threads;
  auto const most = static_cast<std::int64_t>(multiprocessors) * blocks;
  return static_cast<unsigned>(needed < most ? needed : most);
}

}  // namespace

template <class T>
void reduce_sum(Cuda cuda, int multiprocessors, View<T const> x, T const* y, std::int64_t* scratch) {
  DeviceGuard const guard(cuda.ordinal);
  if (x.size() != 0 && y == nullptr) {
    auto const packs = x.size() / Pack<T>::size + Pack<T>::size;
    sum_values<<<grid(packs, multiprocessors, blocks_each), threads, 0, cuda.stream>>>(x, scratch);
  } else if (x.size() != 0) {
    sum_products<<<grid(x.size(), multiprocessors, blocks_each), threads, 0, cuda.stream>>>(x, y, scratch);
  }
  gather_copies<<<1, (sum_words + 31) / 32 * 32, 0, cuda.stream>>>(scratch);
  check_cuda(cudaGetLastError(), "summing");
}

template <class T>
void reduce_extreme(Cuda cuda, int multiprocessors, View<T const> x, bool largest,
                    typename OrderKey<T>::Key* key) {
  if (x.size() != 0) {
    DeviceGuard const guard(cuda.ordinal);
    find_extreme<<<grid(x.size(), multiprocessors, 8), threads, 0, cuda.stream>>>(x, largest, key);
    check_cuda(cudaGetLastError(), "finding an extreme");
  }
}

template void reduce_sum(Cuda, int, View<double const>, double const*, std::int64_t*);
template void reduce_sum(Cuda, int, View<float const>, float const*, std::int64_t*);
template void reduce_extreme(Cuda, int, View<double const>, bool, std::int64_t*);
template void reduce_extreme(Cuda, int, View<float const>, bool, std::int32_t*);

}  // namespace ulpine::detail
