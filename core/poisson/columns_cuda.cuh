// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_pipeline_primitives.h>

#include "core/exec/cuda.cuh"
#include "core/poisson/columns_cuda.hpp"

/// Definitions of the launches of columns_cuda.hpp.
namespace ulpine::detail {
namespace columns {

/// A warp for the lower halves of so many columns and one for the upper ones: small blocks load, compute and
/// store at different times.
constexpr int lanes = 32, halves = 2;

/// Shared memory for a level of a block's columns: pairs and losses.
template <class T>
constexpr std::int64_t level_bytes = 3 * lanes * sizeof(T);
/// Shared memory of a block: its levels, and what the halves tell each other, as much as a level each.
template <class T>
constexpr std::int64_t bytes_of(std::int32_t levels) {
  return (levels + halves) * level_bytes<T>;
}

/// The last level of a half of a column, where it meets the other half.
template <class T>
struct Met {
  T re, im, loss;
};

/// A half of a column in shared memory; `step` is 1 for the lower one, -1 for the upper. All of it lies there
/// between the sweeps, and is on its way there a good many levels before it is needed, without passing
/// through registers.
template <class T, class Format, int step>
struct SharedHalf {
  using Step = Sweep<T, Format>;
  static constexpr int batch = 8, ahead = 7;  // levels of a group of loads, groups under way
  ColumnTables<T> const& tables;
  ColumnHalf half;
  std::int64_t plane;
  ComplexPair<T>* first;  ///< of the half in memory, and in shared memory, a level every `lanes`
  ComplexPair<T>* pairs;
  T* losses;

  __device__ SharedHalf(ColumnTables<T> const& tables, ComplexPair<T>* column, unsigned char* memory)
      : tables{tables},
        half{step > 0 ? lower_half(tables.levels) : upper_half(tables.levels)},
        plane{tables.level},
        first{column + half.end * plane},
        pairs{reinterpret_cast<ComplexPair<T>*>(memory) + lanes * half.end + threadIdx.x},
        losses{reinterpret_cast<T*>(memory) + 2 * lanes * tables.levels + lanes * half.end + threadIdx.x} {}

  __device__ void load(std::int32_t start) const {
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      auto const n = start + b;
      if (n < half.count) {
        __pipeline_memcpy_async(pairs + step * lanes * n, first + step * n * plane, sizeof(*pairs));
      }
    }
    __pipeline_commit();
  }
  __device__ void load_first() const {
    for (int group = 0; group < ahead; ++group) load(group * batch);
  }
  __device__ void load_rest() const {
    for (auto start = ahead * batch; start < half.count; start += batch) load(start);
    __pipeline_wait_prior(0);
  }
  __device__ Met<T> eliminate(T lambda) const {
    Elimination<T> elimination(tables.conductance[half.outer_face()]);
    Met<T> last{T(0), T(0), T(0)};
    T re = T(0), im = T(0);
    auto const *const weight = tables.weight + half.end, *const thickness = tables.thickness + half.end,
                      *const conductance = tables.conductance + half.inward(half.end);
    auto const inward = [&](std::int32_t n) {
      auto& pair = pairs[step * lanes * n];
      re = Step::inward(re, last.loss, weight[step * n], pair.re);
      im = Step::inward(im, last.loss, weight[step * n], pair.im);
      auto const factors = elimination.next(lambda, thickness[step * n], conductance[step * n]);
      last = {Step::kept(re, factors.gain), Step::kept(im, factors.gain), factors.loss};
      pair = {last.re, last.im};
      losses[step * lanes * n] = last.loss;
    };
    std::int32_t start = 0;
    for (; start + batch <= half.count; start += batch) {
      load(start + ahead * batch);
      __pipeline_wait_prior(ahead);
#pragma unroll
      for (int b = 0; b < batch; ++b) inward(start + b);
    }
    __pipeline_wait_prior(0);
    for (; start < half.count; ++start) inward(start);
    return last;
  }
  __device__ void substitute(Met<T> const& here, Met<T> const& there) const {
    auto re = Step::across(here.re, here.loss, there.re, there.loss);
    auto im = Step::across(here.im, here.loss, there.im, there.loss);
#pragma unroll 8
    for (auto n = half.count - 1; n >= 0; --n) {
      auto const kept = pairs[step * lanes * n];
      auto const loss = losses[step * lanes * n];
      re = Step::outward(re, loss, kept.re);
      im = Step::outward(im, loss, kept.im);
      first[step * n * plane] = {re, im};
    }
  }
};

/// A thread a half of a column.
template <class T, class Format>
__global__ void __launch_bounds__(lanes* halves)
    column_in_shared_memory(ColumnTables<T> const tables, T* __restrict__ const planes) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto const lane = static_cast<std::int32_t>(threadIdx.x);
  auto const mine = std::int64_t{blockIdx.x} * lanes + lane;
  // Threads without a column do the last one's, and keep it to themselves.
  auto const column = mine < tables.columns() ? mine : tables.columns() - 1;
  auto const modes_x = static_cast<std::uint32_t>(tables.modes_x);
  auto const n = static_cast<std::int32_t>(static_cast<std::uint32_t>(column) / modes_x);
  auto const m = static_cast<std::int32_t>(static_cast<std::uint32_t>(column) - n * modes_x);
  auto* const first = reinterpret_cast<ComplexPair<T>*>(planes) + tables.place(m, n);
  SharedHalf<T, Format, 1> const lower(tables, first, memory);
  SharedHalf<T, Format, -1> const upper(tables, first, memory);
  bool const is_lower = threadIdx.y == 0;
  auto const with_half = [&](auto const& work) { return is_lower ? work(lower) : work(upper); };

  with_half([](auto const& half) { half.load_first(); });
  bool const has_mean = tables.singular && blockIdx.x == 0;
  if (has_mean) {
    with_half([](auto const& half) { half.load_rest(); });
    __syncthreads();
    if (is_lower && mine == 0) {
      MeanColumn<T> const mean{tables, &lower.pairs->re, 2 * lanes, planes, tables.plane()};
      mean(0);
      mean(1);
    }
    __syncthreads();
  }
  T const lambda = tables.along_x[m] + tables.along_y[n];
  auto const last = with_half([&](auto const& half) { return half.eliminate(lambda); });
  auto* const met = reinterpret_cast<Met<T>*>(memory + tables.levels * level_bytes<T>) + lane;
  met[is_lower ? 0 : lanes] = last;
  __syncthreads();
  if (mine >= tables.columns() || (has_mean && mine == 0)) return;
  auto const other = met[is_lower ? lanes : 0];
  with_half([&](auto const& half) { half.substitute(last, other); });
}

}  // namespace columns

template <class T, class Format>
bool prepare_columns_in_shared_memory(Cuda cuda, std::int32_t levels) {
  DeviceGuard const guard(cuda.ordinal);
  int most = 0;
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.ordinal),
             "asking for the shared memory");
  if (most < columns::bytes_of<T>(levels)) return false;
  check_cuda(cudaFuncSetAttribute(columns::column_in_shared_memory<T, Format>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             "asking for shared memory");
  // As many blocks as there is room for: only so are enough loads under way.
  check_cuda(
      cudaFuncSetAttribute(columns::column_in_shared_memory<T, Format>,
                           cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
      "asking for shared memory");
  return true;
}

template <class T, class Format>
void solve_columns_in_shared_memory(Cuda cuda, ColumnTables<T> const& tables, T* planes) {
  DeviceGuard const guard(cuda.ordinal);
  auto const blocks = static_cast<unsigned>((tables.columns() + columns::lanes - 1) / columns::lanes);
  auto const bytes = static_cast<std::size_t>(columns::bytes_of<T>(tables.levels));
  columns::column_in_shared_memory<T, Format>
      <<<blocks, dim3(columns::lanes, columns::halves), bytes, cuda.stream>>>(tables, planes);
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class T, class Format>
void solve_columns_in_two_passes(Cuda cuda, ColumnTables<T> const& tables, T* planes, T* losses) {
  for_each(cuda, Extent2{tables.modes_x, tables.modes_y}, TwoPassColumn<T, Format>{tables, planes, losses});
}

}  // namespace ulpine::detail
