// SPDX-License-Identifier: Apache-2.0
#include <cuda_pipeline_primitives.h>

#include "core/exec/cuda.cuh"
#include "core/poisson/columns_cuda.hpp"

namespace ulpine::detail {
namespace {

/// A warp a block: blocks that share a multiprocessor load, compute and store at different times, and nothing
/// waits for other warps.
constexpr int lanes = 32;

/// Of shared memory, for a level of a block's columns: pairs and losses.
template <class T>
constexpr std::int64_t level_bytes = 3 * lanes * sizeof(T);

/// A thread a column. All of it lies in shared memory between the sweeps, and is on its way there a good
/// many levels before it is needed, without passing through registers.
template <class T, class Format>
__global__ void __launch_bounds__(lanes)
    column_in_shared_memory(ColumnTables<T> const tables, T* __restrict__ const planes) {
  using Step = Sweep<T, Format>;
  constexpr int batch = 8, ahead = 7;  // levels of a group of loads, groups under way
  extern __shared__ __align__(16) unsigned char memory[];
  auto const lane = static_cast<std::int32_t>(threadIdx.x);
  auto const column = std::int64_t{blockIdx.x} * lanes + lane;
  if (column >= tables.columns()) return;
  auto const levels = tables.levels;
  auto const plane = tables.columns();
  auto* const pairs = reinterpret_cast<ComplexPair<T>*>(memory) + lane;  // of level k: lanes * k on
  T* const losses = reinterpret_cast<T*>(memory) + std::int64_t{2} * lanes * levels + lane;
  auto* const first = reinterpret_cast<ComplexPair<T>*>(planes) + column;

  auto const load = [&](std::int32_t start) {
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      auto const k = start + b;
      if (k < levels) __pipeline_memcpy_async(pairs + lanes * k, first + k * plane, sizeof(*pairs));
    }
    __pipeline_commit();
  };
  for (int group = 0; group < ahead; ++group) load(group * batch);

  if (column == 0 && tables.singular) {
    for (auto start = ahead * batch; start < levels; start += batch) load(start);
    __pipeline_wait_prior(0);
    MeanColumn<T> const mean{tables, &pairs->re, 2 * lanes, planes, tables.plane()};
    mean(0);
    mean(1);
    return;
  }
  auto const n = static_cast<std::int32_t>(column / tables.modes_x);
  auto const m = static_cast<std::int32_t>(column - std::int64_t{n} * tables.modes_x);
  T const lambda = tables.along_x[m] + tables.along_y[n];
  Elimination<T> elimination;
  T loss = T(0), re = T(0), im = T(0);
  auto const up = [&](std::int32_t k) {
    re = Step::up(re, loss, tables.weight[k], pairs[lanes * k].re);
    im = Step::up(im, loss, tables.weight[k], pairs[lanes * k].im);
    auto const factors = elimination.next(lambda, tables.thickness[k], tables.conductance[k]);
    loss = factors.loss;
    pairs[lanes * k] = {Step::kept(re, factors.gain), Step::kept(im, factors.gain)};
    losses[lanes * k] = loss;
  };
  std::int32_t start = 0;
  for (; start + batch <= levels; start += batch) {
    load(start + ahead * batch);
    __pipeline_wait_prior(ahead);
#pragma unroll
    for (int b = 0; b < batch; ++b) up(start + b);
  }
  __pipeline_wait_prior(0);
  for (; start < levels; ++start) up(start);

  re = im = T(0);
#pragma unroll 8
  for (auto k = levels - 1; k >= 0; --k) {
    auto const kept = pairs[lanes * k];
    re = Step::down(re, losses[lanes * k], kept.re);
    im = Step::down(im, losses[lanes * k], kept.im);
    first[k * plane] = {re, im};
  }
}

}  // namespace

template <class T, class Format>
bool prepare_columns_in_shared_memory(Cuda cuda, std::int32_t levels) {
  DeviceGuard const guard(cuda.ordinal);
  int most = 0;
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.ordinal),
             "asking for the shared memory");
  if (levels * level_bytes < T >> most) return false;
  check_cuda(cudaFuncSetAttribute(column_in_shared_memory<T, Format>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             "asking for shared memory");
  // As many blocks as there is room for: only so are enough loads under way.
  check_cuda(
      cudaFuncSetAttribute(column_in_shared_memory<T, Format>, cudaFuncAttributePreferredSharedMemoryCarveout,
                           cudaSharedmemCarveoutMaxShared),
      "asking for shared memory");
  return true;
}

template <class T, class Format>
void solve_columns_in_shared_memory(Cuda cuda, ColumnTables<T> const& tables, T* planes) {
  DeviceGuard const guard(cuda.ordinal);
  auto const blocks = static_cast<unsigned>((tables.columns() + lanes - 1) / lanes);
  auto const bytes = static_cast<std::size_t>(tables.levels * level_bytes<T>);
  column_in_shared_memory<T, Format><<<blocks, lanes, bytes, cuda.stream>>>(tables, planes);
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class T, class Format>
void solve_columns_in_two_passes(Cuda cuda, ColumnTables<T> const& tables, T* planes, T* losses) {
  for_each(cuda, Extent2{tables.modes_x, tables.modes_y}, TwoPassColumn<T, Format>{tables, planes, losses});
}

template bool prepare_columns_in_shared_memory<double, Exact>(Cuda, std::int32_t);
template bool prepare_columns_in_shared_memory<float, Exact>(Cuda, std::int32_t);
template bool prepare_columns_in_shared_memory<float, Tf32>(Cuda, std::int32_t);
template bool prepare_columns_in_shared_memory<float, Bfloat16>(Cuda, std::int32_t);
template bool prepare_columns_in_shared_memory<float, Binary16>(Cuda, std::int32_t);
template void solve_columns_in_shared_memory<double, Exact>(Cuda, ColumnTables<double> const&, double*);
template void solve_columns_in_shared_memory<float, Exact>(Cuda, ColumnTables<float> const&, float*);
template void solve_columns_in_shared_memory<float, Tf32>(Cuda, ColumnTables<float> const&, float*);
template void solve_columns_in_shared_memory<float, Bfloat16>(Cuda, ColumnTables<float> const&, float*);
template void solve_columns_in_shared_memory<float, Binary16>(Cuda, ColumnTables<float> const&, float*);
template void solve_columns_in_two_passes<double, Exact>(Cuda, ColumnTables<double> const&, double*, double*);
template void solve_columns_in_two_passes<float, Exact>(Cuda, ColumnTables<float> const&, float*, float*);
template void solve_columns_in_two_passes<float, Tf32>(Cuda, ColumnTables<float> const&, float*, float*);
template void solve_columns_in_two_passes<float, Bfloat16>(Cuda, ColumnTables<float> const&, float*, float*);
template void solve_columns_in_two_passes<float, Binary16>(Cuda, ColumnTables<float> const&, float*, float*);

}  // namespace ulpine::detail
