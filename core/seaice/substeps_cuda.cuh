// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"
#include "core/exec/lanes.cuh"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/seaice/substeps.hpp"

/// The kernels of several sub-steps on a device.
namespace ulpine::seaice {
namespace detail {

/// A thread as a lane of its warp, whose slots lie in shared memory.
template <class Kernel>
class DeviceWarp {
  using Lane = typename Kernel::Lane;
  using Compute = typename Kernel::Compute;
  using State = typename Kernel::State;

 public:
  static constexpr int bytes =
      Kernel::lanes * (Kernel::cell_slots * sizeof(Compute) + Kernel::node_slots * sizeof(State));

  __device__ explicit DeviceWarp(unsigned char* slots)
      : node_{reinterpret_cast<State*>(slots) + threadIdx.x % Kernel::lanes},
        cell_{reinterpret_cast<Compute*>(slots + Kernel::lanes * Kernel::node_slots * sizeof(State)) +
              threadIdx.x % Kernel::lanes} {}

  __device__ Compute& cell(int /*number*/, int slot) { return cell_[slot * Kernel::lanes]; }
  __device__ State& node(int /*number*/, int slot) { return node_[slot * Kernel::lanes]; }
  template <class T>
  __device__ void copy(T const* from, T& slot) {
    auto const to = static_cast<unsigned>(__cvta_generic_to_shared(&slot));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(sizeof(T)) : "memory");
  }
  __device__ void close() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  __device__ void wait_for_all_but_last() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

  template <class Phase>
  __device__ void each(Phase const& phase) {
    phase(static_cast<int>(threadIdx.x % Kernel::lanes), lane_);
  }
  template <class Get, class Set>
  __device__ void from_right(Get const& get, Set const& set) {
    auto const own = get(lane_);
    set(lane_, {of_higher_lane(whole, own.x, 1), of_higher_lane(whole, own.y, 1)});
  }
  template <class Get, class Set>
  __device__ void from_left(Get const& get, Set const& set) {
    auto const own = get(lane_);
    set(lane_, {of_lower_lane(whole, own.x, 1), of_lower_lane(whole, own.y, 1)});
  }

 private:
  static constexpr unsigned whole = 0xffffffffu;
  State* node_;
  Compute* cell_;
  Lane lane_;
};

template <int threads, int blocks, class Kernel>
__global__ void __launch_bounds__(threads, blocks) strips(Kernel const kernel) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto const warp = static_cast<std::int32_t>((blockIdx.x * threads + threadIdx.x) / Kernel::lanes);
  auto const strips_x = kernel.strips_x(), y = warp / strips_x;
  if (y >= kernel.strips_y()) return;
  DeviceWarp<Kernel> lanes(memory + threadIdx.x / Kernel::lanes * DeviceWarp<Kernel>::bytes);
  kernel(lanes, warp - y * strips_x, y);
}

/// Values in 64-bit words, the number of the pass beside each half of 8 bytes or beside a float: a word is
/// written and read at once, so whoever reads the number has the value.
template <class T>
struct DeviceExchange {
  std::uint64_t* words;
  static constexpr int words_a_value = sizeof(T) / 4;

  /// Value k at slot first + k * step.
  template <int n>
  __device__ void put(T const (&values)[n], std::int64_t first, std::int64_t step, std::int32_t pass) const {
    auto const tag = static_cast<std::uint64_t>(pass + 1) << 32;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      auto* const at = words + (first + k * step) * words_a_value;
      if constexpr (words_a_value == 2) {
        std::uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at),
                     "l"(tag | (bits & 0xffffffffu)), "l"(tag | (bits >> 32))
                     : "memory");
      } else {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(tag | __float_as_uint(values[k]))
                     : "memory");
      }
    }
  }
  /// Waits until all are there; all are asked for at once.
  template <int n>
  __device__ void get(T (&values)[n], std::int64_t first, std::int64_t step, std::int32_t pass) const {
    std::uint64_t found[n][words_a_value];
    auto const tag = static_cast<std::uint32_t>(pass + 1);
    bool there;
    do {
#pragma unroll
      for (int k = 0; k < n; ++k) {
        auto const* const at = words + (first + k * step) * words_a_value;
        if constexpr (words_a_value == 2) {
          asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                       : "=l"(found[k][0]), "=l"(found[k][1])
                       : "l"(at)
                       : "memory");
        } else {
          asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(found[k][0]) : "l"(at) : "memory");
        }
      }
      there = true;
#pragma unroll
      for (int k = 0; k < n; ++k) {
#pragma unroll
        for (int w = 0; w < words_a_value; ++w) {
          there = there && static_cast<std::uint32_t>(found[k][w] >> 32) == tag;
        }
      }
    } while (!there);
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if constexpr (words_a_value == 2) {
        auto const bits = (found[k][0] & 0xffffffffu) | (found[k][1] << 32);
        memcpy(&values[k], &bits, sizeof bits);
      } else {
        values[k] = __uint_as_float(static_cast<std::uint32_t>(found[k][0]));
      }
    }
  }
};

template <int most_threads, class Kernel>
__global__ void __launch_bounds__(most_threads, 1)
    resident(Kernel const kernel, DeviceExchange<typename Kernel::State> const exchange) {
  extern __shared__ __align__(16) unsigned char memory[];
  using Pair = Vector<typename Kernel::Compute>;
  auto* const values = reinterpret_cast<Pair*>(memory);
  auto const count = kernel.threads();
  typename Kernel::Shared const shared{values, {values + count, values + 2 * count, values + 3 * count}};
  auto const number = static_cast<int>(threadIdx.x);
  bool const works = number < count;
  typename Kernel::Thread thread;
  auto const tile = static_cast<std::int32_t>(blockIdx.x);
  if (works) kernel.begin(thread, shared, number, tile % kernel.tiles_x(), tile / kernel.tiles_x());
  __syncthreads();
  auto const passes = kernel.passes();
  for (std::int32_t pass = 0; pass < passes; ++pass) {
    auto const substeps = kernel.substeps_of(pass);
    for (int s = 1; s <= substeps; ++s) {
      if (works) kernel.step_cell(thread, shared, number, s);
      __syncthreads();
      if (works) kernel.step_node(thread, shared, number, s);
      __syncthreads();
    }
    if (pass + 1 == passes) break;
    if (works) {
      kernel.give(thread, exchange, pass);
      kernel.take(thread, shared, exchange, number, pass);
    }
    __syncthreads();
  }
  if (works) kernel.end(thread);
}

}  // namespace detail
}  // namespace ulpine::seaice
