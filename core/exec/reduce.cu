// SPDX-License-Identifier: Apache-2.0
#include "core/exec/reduce.hpp"

#include "core/exec/reduce.cuh"
#include "core/exec/stream.hpp"
#include "precision/sum_words.hpp"

namespace ulpine::detail {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int blocks_each = 4;  ///< resident blocks a multiprocessor, so that the grid is one wave
constexpr int unroll = 4;       ///< 16-byte loads in flight a thread

/// Adds the whole block's parts of a sum to the accumulator.
template <class T, class Deposited>
__device__ void finish(SumPart<T, Deposited>& part) {
  __shared__ Expansion<T> of_warp[warps];
  part.gather_lanes();
  if (threadIdx.x % 32 == 0) {
    of_warp[threadIdx.x / 32] = part.expansion;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    part.expansion = threadIdx.x < warps ? of_warp[threadIdx.x] : Expansion<T>{};
    part.gather_lanes();
    if (threadIdx.x == 0) {
      part.deposit_expansion();
    }
  }
}

template <class T, class Deposited = DepositedAsDouble>
__device__ SumPart<T, Deposited> new_part(std::int64_t* scratch) {
  return {{}, {scratch + blockIdx.x % sum_copies * sum_words}};
}

template <class T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T values[size];
};

/// Packs, also as the numbers that they hold.
template <class T, int loads>
union Group {
  Pack<T> packs[loads];
  T values[Pack<T>::size * loads];
};

/// Where a run of values in memory meets 16-byte boundaries: packs in the middle, single values before and
/// after.
template <class T>
struct Run {
  T const* values;
  std::int64_t head, packs, tail, count;

  __device__ Run(T const* begin, std::int64_t size) : values{begin}, count{size} {
    auto const misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(begin) / sizeof(T)) % Pack<T>::size;
    head = math::min(size, (Pack<T>::size - misaligned) % Pack<T>::size);
    packs = (size - head) / Pack<T>::size;
    tail = head + packs * Pack<T>::size;
  }
  __device__ Pack<T> const* packed() const { return reinterpret_cast<Pack<T> const*>(values + head); }
  /// The order of a sum is free, so single values go first.
  template <class Sum>
  __device__ void add_ends(std::int64_t me, Sum& part) const {
    if (me < head) {
      part.add(values[me]);
    }
    if (me < count - tail) {
      part.add(values[tail + me]);
    }
  }
};

template <class T>
__global__ void __launch_bounds__(threads, blocks_each)
    sum_run(T const* begin, std::int64_t count, std::int64_t* scratch) {
  auto part = new_part<T>(scratch);
  auto const me = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
  Run<T> const run(begin, count);
  run.add_ends(me, part);
  auto const* const packed = run.packed();
  auto i = me;
  for (; i + (unroll - 1) * stride < run.packs; i += unroll * stride) {
    Pack<T> loaded[unroll];
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      loaded[k] = packed[i + k * stride];
    }
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
#pragma unroll
      for (T const value : loaded[k].values) {
        part.add(value);
      }
    }
  }
  for (; i < run.packs; i += stride) {
    for (T const value : packed[i].values) {
      part.add(value);
    }
  }
  finish(part);
}

/// Adds a run of contiguous values by windowed sums (WindowedSum), `loads` packs of values at a time.
template <class T, int loads>
__global__ void __launch_bounds__(threads, blocks_each)
    sum_run_by_windows(T const* begin, std::int64_t count, std::int64_t* scratch) {
  auto part = new_part<double>(scratch);
  WindowedSum<T> sum;
  auto const rest = [&part](double x) { part.add(x); };
  auto const me = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
  Run<T> const run(begin, count);
  run.add_ends(me, part);
  auto const* const packed = run.packed();
  auto i = me;
  for (; i + (loads - 1) * stride < run.packs; i += loads * stride) {
    Group<T, loads> group;
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      group.packs[k] = packed[i + k * stride];
    }
    sum.add(group.values, rest);
  }
  for (; i < run.packs; i += stride) {
    sum.add(packed[i].values, rest);
  }
  sum.flush(rest);
  finish(part);
}

/// Values that do not lie one after the other.
template <class T>
__global__ void __launch_bounds__(threads, blocks_each)
    sum_points(Values<T> x, std::int64_t first, std::int64_t count, std::int64_t* scratch) {
  auto part = new_part<T>(scratch);
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
#pragma unroll 4
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride) {
    part.add(x.data[x.points.at(first + i)]);
  }
  finish(part);
}

/// Products of floats are exact in double.
template <class T, bool contiguous>
__global__ void __launch_bounds__(threads, blocks_each)
    sum_products(Values<T> x, Values<T> y, std::int64_t first, std::int64_t count, std::int64_t* scratch) {
  auto part = new_part<double>(scratch);
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
#pragma unroll 4
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride) {
    auto const a = contiguous ? x.points.first + first + i : x.points.at(first + i);
    auto const b = contiguous ? y.points.first + first + i : y.points.at(first + i);
    part.add_product(static_cast<double>(x.data[a]), static_cast<double>(y.data[b]));
  }
  finish(part);
}

// Numbers of two floats, and products of them, without double instructions.
template <bool contiguous>
__global__ void __launch_bounds__(threads, blocks_each)
    sum_pairs(Values<DoubleFloat> x, std::int64_t first, std::int64_t count, std::int64_t* scratch) {
  auto part = new_part<float, DepositedByBits>(scratch);
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
#pragma unroll 4
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride) {
    auto const value = x.data[contiguous ? x.points.first + first + i : x.points.at(first + i)];
    part.add(value.hi());
    part.add(value.lo());
  }
  finish(part);
}
template <bool contiguous>
__global__ void __launch_bounds__(threads, blocks_each)
    sum_products_of_pairs(Values<DoubleFloat> x, Values<DoubleFloat> y, std::int64_t first,
                          std::int64_t count, std::int64_t* scratch) {
  auto part = new_part<float, DepositedByBits>(scratch);
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride) {
    auto const a = contiguous ? x.points.first + first + i : x.points.at(first + i);
    auto const b = contiguous ? y.points.first + first + i : y.points.at(first + i);
    part.add_product(x.data[a], y.data[b]);
  }
  finish(part);
}

/// One thread a word adds the copies and clears them for the next sum; the first then resolves carries and
/// rounds.
template <class R>
__global__ void gather_copies(std::int64_t* scratch, bool adds, R* target) {
  __shared__ std::int64_t words[sum_words];
  auto const word = static_cast<int>(threadIdx.x);
  auto* const result = scratch + sum_copies * sum_words;
  if (word < sum_words) {
    std::int64_t sum = adds ? result[word] : 0;
#pragma unroll 16
    for (int copy = 0; copy < sum_copies; ++copy) {
      auto const value = scratch[copy * sum_words + word];
      sum = word == special_word ? sum | value : sum + value;
    }
    for (int copy = 0; copy < sum_copies; ++copy) {
      scratch[copy * sum_words + word] = 0;
    }
    words[word] = sum;
  }
  __syncthreads();
  if (target != nullptr) {
    if (word < 32) {
      auto const sum = rounded_by_warp<R>(words);
      if (word == 0) *target = sum;
    }
    return;
  }
  if (word == 0) {
    resolve_carries(words);
  }
  __syncthreads();
  if (word < sum_words) {
    result[word] = words[word];
  }
}

__device__ void atomic_extreme(std::int64_t* target, std::int64_t key, bool largest) {
  auto* const word = reinterpret_cast<long long*>(target);
  largest ? atomicMax(word, static_cast<long long>(key)) : atomicMin(word, static_cast<long long>(key));
}
__device__ void atomic_extreme(std::int32_t* target, std::int32_t key, bool largest) {
  largest ? atomicMax(target, key) : atomicMin(target, key);
}

template <class T, bool contiguous>
__global__ void __launch_bounds__(threads)
    find_extreme(Values<T> x, std::int64_t count, Extreme<T> extreme, typename OrderKey<T>::Key* target) {
  auto key = extreme.start();
  auto const stride = static_cast<std::int64_t>(gridDim.x) * threads;
#pragma unroll 8
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride) {
    key = extreme.better(key, extreme.key(x.data[contiguous ? x.points.first + i : x.points.at(i)]));
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    key = extreme.better(key, __shfl_down_sync(0xffffffffu, key, distance));
  }
  if (threadIdx.x % 32 == 0) {
    atomic_extreme(target, key, extreme.largest);
  }
}

/// Hands the value over and the key back to the next search.
template <class T>
__global__ void finish_extreme(Extreme<T> extreme, typename OrderKey<T>::Key* key, T* target) {
  *target = extreme.value(*key);
  *key = extreme.start();
}

// Kernels of one thread each that exchange a result between several ranks: it has a few words only.
__global__ void share_result(std::int64_t* result, std::uint64_t* shared) {
  share_words(result, static_cast<std::uint64_t>(result[special_word]), shared);
}
template <class R>
__global__ void take_shared_result(std::uint64_t const* shared, R* target) {
  std::int64_t limbs[sum_limbs];
  auto const specials = unshare_words(shared, limbs);
  *target = rounded_words<R>(limbs, specials);
}
template <class T>
__global__ void share_value(T const* value, bool largest, std::int64_t* shared) {
  *shared = shared_key(*value, largest);
}
template <class T>
__global__ void take_shared_value(std::int64_t const* shared, bool largest, T* target) {
  *target = of_shared_key<T>(*shared, largest);
}

unsigned grid(std::int64_t values, ReductionPlan const& plan, int blocks) {
  auto const needed = (values + threads - 1) / threads;
  auto const most = static_cast<std::int64_t>(plan.multiprocessors) * blocks;
  return static_cast<unsigned>(needed < most ? needed : most);
}

template <class T>
void launch_sum(Cuda cuda, ReductionPlan const& plan, T const* begin, std::int64_t count,
                std::int64_t* scratch) {
  auto const blocks = grid(count / Pack<T>::size + Pack<T>::size, plan, blocks_each);
  switch (plan.method) {
    case SumMethod::windows_2:
      return sum_run_by_windows<T, 2><<<blocks, threads, 0, cuda.stream>>>(begin, count, scratch);
    case SumMethod::windows_4:
      return sum_run_by_windows<T, 4><<<blocks, threads, 0, cuda.stream>>>(begin, count, scratch);
    default:
      return sum_run<<<blocks, threads, 0, cuda.stream>>>(begin, count, scratch);
  }
}

}  // namespace

template <class T>
void deposit_values(Cuda cuda, ReductionPlan const& plan, Values<T> x, Values<T> y, std::int64_t first,
                    std::int64_t count, std::int64_t* scratch) {
  if (count == 0) {
    return;
  }
  DeviceGuard const guard(cuda.ordinal);
  auto const blocks = grid(count, plan, blocks_each);
  auto const contiguous = x.points.contiguous() && (y.data == nullptr || y.points.contiguous());
  if (y.data == nullptr && contiguous) {
    launch_sum(cuda, plan, x.data + x.points.first + first, count, scratch);
  } else if (y.data == nullptr) {
    sum_points<<<blocks, threads, 0, cuda.stream>>>(x, first, count, scratch);
  } else if (contiguous) {
    sum_products<T, true><<<blocks, threads, 0, cuda.stream>>>(x, y, first, count, scratch);
  } else {
    sum_products<T, false><<<blocks, threads, 0, cuda.stream>>>(x, y, first, count, scratch);
  }
  check_cuda(cudaGetLastError(), "summing");
}

template <>
void deposit_values(Cuda cuda, ReductionPlan const& plan, Values<DoubleFloat> x, Values<DoubleFloat> y,
                    std::int64_t first, std::int64_t count, std::int64_t* scratch) {
  if (count == 0) return;
  DeviceGuard const guard(cuda.ordinal);
  auto const blocks = grid(count, plan, blocks_each);
  auto const contiguous = x.points.contiguous() && (y.data == nullptr || y.points.contiguous());
  if (y.data == nullptr && contiguous) {
    sum_pairs<true><<<blocks, threads, 0, cuda.stream>>>(x, first, count, scratch);
  } else if (y.data == nullptr) {
    sum_pairs<false><<<blocks, threads, 0, cuda.stream>>>(x, first, count, scratch);
  } else if (contiguous) {
    sum_products_of_pairs<true><<<blocks, threads, 0, cuda.stream>>>(x, y, first, count, scratch);
  } else {
    sum_products_of_pairs<false><<<blocks, threads, 0, cuda.stream>>>(x, y, first, count, scratch);
  }
  check_cuda(cudaGetLastError(), "summing");
}

template <class R>
void finish_sum(Cuda cuda, std::int64_t* scratch, bool adds, R* target) {
  DeviceGuard const guard(cuda.ordinal);
  gather_copies<<<1, (sum_words + 31) / 32 * 32, 0, cuda.stream>>>(scratch, adds, target);
  check_cuda(cudaGetLastError(), "summing");
}

template <class T>
void reduce_extreme(Cuda cuda, ReductionPlan const& plan, Values<T> x, bool largest,
                    typename OrderKey<T>::Key* key, T* target) {
  DeviceGuard const guard(cuda.ordinal);
  Extreme<T> const extreme{largest};
  auto const count = x.points.count();
  if (count != 0 && x.points.contiguous()) {
    find_extreme<T, true><<<grid(count, plan, 8), threads, 0, cuda.stream>>>(x, count, extreme, key);
  } else if (count != 0) {
    find_extreme<T, false><<<grid(count, plan, 8), threads, 0, cuda.stream>>>(x, count, extreme, key);
  }
  finish_extreme<<<1, 1, 0, cuda.stream>>>(extreme, key, target);
  check_cuda(cudaGetLastError(), "finding an extreme");
}

void share_sum(Cuda cuda, std::int64_t* scratch, std::uint64_t* shared) {
  DeviceGuard const guard(cuda.ordinal);
  share_result<<<1, 1, 0, cuda.stream>>>(scratch + sum_copies * sum_words, shared);
  check_cuda(cudaGetLastError(), "summing over ranks");
}
template <class R>
void take_shared_sum(Cuda cuda, std::uint64_t const* shared, R* target) {
  DeviceGuard const guard(cuda.ordinal);
  take_shared_result<<<1, 1, 0, cuda.stream>>>(shared, target);
  check_cuda(cudaGetLastError(), "summing over ranks");
}
template <class T>
void share_extreme(Cuda cuda, T const* value, bool largest, std::int64_t* shared) {
  DeviceGuard const guard(cuda.ordinal);
  share_value<<<1, 1, 0, cuda.stream>>>(value, largest, shared);
  check_cuda(cudaGetLastError(), "finding an extreme of ranks");
}
template <class T>
void take_shared_extreme(Cuda cuda, std::int64_t const* shared, bool largest, T* target) {
  DeviceGuard const guard(cuda.ordinal);
  take_shared_value<<<1, 1, 0, cuda.stream>>>(shared, largest, target);
  check_cuda(cudaGetLastError(), "finding an extreme of ranks");
}

template void deposit_values(Cuda, ReductionPlan const&, Values<double>, Values<double>, std::int64_t,
                             std::int64_t, std::int64_t*);
template void deposit_values(Cuda, ReductionPlan const&, Values<float>, Values<float>, std::int64_t,
                             std::int64_t, std::int64_t*);
template void finish_sum(Cuda, std::int64_t*, bool, double*);
template void finish_sum(Cuda, std::int64_t*, bool, float*);
template void finish_sum(Cuda, std::int64_t*, bool, DoubleFloat*);
template void reduce_extreme(Cuda, ReductionPlan const&, Values<double>, bool, std::int64_t*, double*);
template void reduce_extreme(Cuda, ReductionPlan const&, Values<float>, bool, std::int32_t*, float*);
template void reduce_extreme(Cuda, ReductionPlan const&, Values<DoubleFloat>, bool, std::int64_t*,
                             DoubleFloat*);
template void take_shared_sum(Cuda, std::uint64_t const*, double*);
template void take_shared_sum(Cuda, std::uint64_t const*, float*);
template void take_shared_sum(Cuda, std::uint64_t const*, DoubleFloat*);
template void share_extreme(Cuda, double const*, bool, std::int64_t*);
template void share_extreme(Cuda, float const*, bool, std::int64_t*);
template void share_extreme(Cuda, DoubleFloat const*, bool, std::int64_t*);
template void take_shared_extreme(Cuda, std::int64_t const*, bool, double*);
template void take_shared_extreme(Cuda, std::int64_t const*, bool, float*);
template void take_shared_extreme(Cuda, std::int64_t const*, bool, DoubleFloat*);

}  // namespace ulpine::detail
