// SPDX-License-Identifier: Apache-2.0
// Rows of atomic additions and of sums within a warp.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "card.hpp"

namespace ulpine::atlas {
namespace {

constexpr auto repeats = 200, sets = 5;

/// A thread adds its value to the sum of its launch, after a wait that the clock makes random where `wait` is
/// set.
template <class T>
__global__ void add_each(T const* values, T* sum, bool wait) {
  auto const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (wait) {
    unsigned clock;
    asm volatile("mov.u32 %0, %clock;" : "=r"(clock));
    auto const word = (clock ^ (blockIdx.x * 2654435761u)) * 2654435761u;
    auto const start = clock64();
    while (clock64() - start < static_cast<long long>(word >> 22)) {
    }
  }
  atomicAdd(sum, values[i]);
}

/// The sums of `repeats` launches for each set of values.
template <class T>
std::vector<T> sums(int blocks, int threads, T start, bool wait) {
  auto const addends = static_cast<std::size_t>(blocks) * threads;
  OnCard<T> const values(uniform<T>(static_cast<std::int64_t>(addends) * sets, 71));
  OnCard<T> results(std::vector<T>(sets * repeats, start));
  for (auto set = 0; set < sets; ++set) {
    for (auto run = 0; run < repeats; ++run) {
      add_each<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads)>>>(
          values.data() + set * addends, results.data() + set * repeats + run, wait);
    }
  }
  check(cudaGetLastError(), "add_each");
  return results.get();
}

template <class T>
void arrival_rows(Rows& rows, char const* scalar) {
  struct Arrangement {
    char const* name;
    int blocks, threads;
    T start;
    bool wait;
  };
  T const tenth = T(0.1);
  Arrangement const all[] = {{"2 blocks of one thread, from 0", 2, 1, T(0), true},
                             {"2 blocks of one thread, from 0.1", 2, 1, tenth, true},
                             {"32 lanes of one warp", 1, 32, T(0), false},
                             {"256 threads of one block", 1, 256, T(0), false},
                             {"256 blocks of one thread", 256, 1, T(0), false}};
  for (auto const& one : all) {
    auto const found = sums(one.blocks, one.threads, one.start, one.wait);
    std::vector<T> firsts;
    for (std::size_t i = 0; i < found.size(); ++i) firsts.push_back(found[i / repeats * repeats]);
    rows.add({"CUDA", std::string("atomicAdd ") + scalar + ", " + one.name, "arrival",
              "200 launches, five sets of values"},
             compare(firsts, found));
  }
}

template <class T>
__global__ void add_in_global(T const* values, T* sums) {
  atomicAdd(&sums[blockIdx.x], values[blockIdx.x * 32 + threadIdx.x]);
}
template <class T>
__global__ void add_in_shared(T const* values, T* sums) {
  __shared__ T sum;
  if (threadIdx.x == 0) sum = sums[blockIdx.x];
  __syncwarp();
  atomicAdd(&sum, values[blockIdx.x * 32 + threadIdx.x]);
  __syncwarp();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
template <class T>
__global__ void add_down(T const* values, T* sums) {
  auto value = values[blockIdx.x * 32 + threadIdx.x];
  for (auto distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x == 0) sums[blockIdx.x] = value;
}
template <class T>
__global__ void add_across(T const* values, T* sums) {
  auto value = values[blockIdx.x * 32 + threadIdx.x];
  for (auto distance = 1; distance < 32; distance *= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  if (threadIdx.x == 0) sums[blockIdx.x] = value;
}
template <class T>
__global__ void add_as_group(T const* values, T* sums) {
  auto const warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  auto const sum =
      cooperative_groups::reduce(warp, values[blockIdx.x * 32 + threadIdx.x], cooperative_groups::plus<T>());
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// 1000 warps, each with values of its own, against the serial sum over its lanes.
template <class T>
void warp_rows(Rows& rows, char const* scalar) {
  auto constexpr warps = 1000;
  auto const values = uniform<T>(warps * 32, 72);
  OnCard<T> const x(values);
  for (auto const start : {T(0), T(0.1)}) {
    std::vector<T> upwards;
    for (auto warp = 0; warp < warps; ++warp) {
      auto sum = start;
      for (auto lane = 0; lane < 32; ++lane) sum += values[static_cast<std::size_t>(warp * 32 + lane)];
      upwards.push_back(sum);
    }
    auto const run = [&](auto kernel) {
      OnCard<T> results(std::vector<T>(warps, start));
      kernel<<<warps, 32>>>(x.data(), results.data());
      check(cudaGetLastError(), "a warp's sum");
      return results.get();
    };
    auto const from = std::string(start == 0 ? ", from 0" : ", from 0.1");
    auto const by_lanes = "the serial sum over lanes 0, 1, .. against one instruction of a warp";
    rows.add({"CUDA", std::string("atomicAdd ") + scalar + " in global memory, one warp" + from, "definition",
              by_lanes},
             compare(upwards, run(add_in_global<T>)));
    rows.add({"CUDA", std::string("atomicAdd ") + scalar + " in shared memory, one warp" + from, "definition",
              by_lanes},
             compare(upwards, run(add_in_shared<T>)));
    if (start != 0) continue;
    auto const tree = run(add_down<T>);
    rows.add({"CUDA", std::string("shuffles, ") + scalar, "order",
              "exchanges of lanes 1, 2, .. 16 apart against sums of those 16, 8, .. 1 below"},
             compare(tree, run(add_across<T>)));
    rows.add({"CUDA", std::string("cooperative_groups::reduce, ") + scalar, "routine",
              "cooperative_groups::reduce of a warp against sums of lanes 16, 8, .. 1 below"},
             compare(tree, run(add_as_group<T>)));
  }
}

}  // namespace

void atomic_rows(Rows& rows) {
  rows.measure("atomics of floats", [&] { arrival_rows<float>(rows, "float"); });
  rows.measure("atomics of doubles", [&] { arrival_rows<double>(rows, "double"); });
  rows.measure("atomics of integers", [&] {
    auto constexpr threads = 256;
    std::vector<unsigned> values;
    Generator generator(73);
    for (auto i = 0; i < threads; ++i) values.push_back(static_cast<unsigned>(generator.next()));
    OnCard<unsigned> const x(values);
    OnCard<unsigned> results(std::vector<unsigned>(repeats, 0));
    for (auto run = 0; run < repeats; ++run) add_each<<<threads, 1>>>(x.data(), results.data() + run, false);
    check(cudaGetLastError(), "add_each");
    auto const found = results.get();
    rows.add({"CUDA", "atomicAdd unsigned, 256 blocks of one thread", "arrival", "200 launches"},
             compare(std::vector<unsigned>(repeats, found[0]), found));
  });
  rows.measure("warps of floats", [&] { warp_rows<float>(rows, "float"); });
  rows.measure("warps of doubles", [&] { warp_rows<double>(rows, "double"); });
}

}  // namespace ulpine::atlas
