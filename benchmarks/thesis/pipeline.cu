// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/thesis/kernels.hpp"
#include "core/exec/cuda.cuh"

namespace ulpine::thesis {
namespace {

constexpr int tile = 32, rows_at_once = 8;

/// A block moves tiles through shared memory, so that both its loads and its stores are of neighbours; the
/// tile's padding lets a column be read without conflicts of banks.
template <class T>
__global__ void __launch_bounds__(tile* rows_at_once)
    transpose_tiles(Transposition const shape, T const* __restrict__ source, T* __restrict__ target) {
  __shared__ T values[tile][tile + 1];
  auto const x = static_cast<std::int32_t>(threadIdx.x), y = static_cast<std::int32_t>(threadIdx.y);
  auto const c0 = static_cast<std::int32_t>(blockIdx.x) * tile,
             r0 = static_cast<std::int32_t>(blockIdx.y) * tile;
  for (auto p = static_cast<std::int32_t>(blockIdx.z); p < shape.planes;
       p += static_cast<std::int32_t>(gridDim.z)) {
#pragma unroll
    for (int step = 0; step < tile; step += rows_at_once) {
      auto const r = r0 + y + step, c = c0 + x;
      if (r < shape.rows && c < shape.columns) {
        values[y + step][x] = source[p * shape.source_plane + r * shape.source_row + c];
      }
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < tile; step += rows_at_once) {
      auto const c = c0 + y + step, r = r0 + x;
      if (r < shape.rows && c < shape.columns) {
        target[p * shape.target_plane + c * shape.target_row + r] = values[x][y + step];
      }
    }
    __syncthreads();
  }
}

}  // namespace

template <class T>
void transpose(Cuda cuda, Transposition const& shape, T const* source, T* target) {
  DeviceGuard const guard(cuda.ordinal);
  auto const tiles = [](std::int32_t n) { return static_cast<unsigned>((n + tile - 1) / tile); };
  auto const planes = static_cast<unsigned>(shape.planes);
  dim3 const blocks(tiles(shape.columns), tiles(shape.rows),
                    planes < detail::most_blocks_yz ? planes : detail::most_blocks_yz);
  transpose_tiles<<<blocks, dim3(tile, rows_at_once), 0, cuda.stream>>>(shape, source, target);
  check_cuda(cudaGetLastError(), "kernel launch");
}
template <class T>
void pack(Cuda cuda, std::int32_t rows, Packer<T> const& packer) {
  for_each(cuda, Extent2{packer.n, rows}, packer);
}
template <class T>
void unpack(Cuda cuda, std::int32_t rows, Unpacker<T> const& unpacker) {
  for_each(cuda, Extent2{unpacker.n / 2 + 1, rows}, unpacker);
}
template <class T>
void store_factors(Cuda cuda, RealColumns<T> const& columns) {
  for_each(cuda, Extent2{columns.fast, columns.slow}, FactorStorer<T>{columns});
}
template <class T>
void solve_columns(Cuda cuda, RealColumns<T> const& columns, T* values) {
  for_each(cuda, Extent2{columns.fast, columns.slow}, RealColumn<T>{columns, values});
}

template void transpose(Cuda, Transposition const&, double const*, double*);
template void transpose(Cuda, Transposition const&, float const*, float*);
template void pack(Cuda, std::int32_t, Packer<double> const&);
template void pack(Cuda, std::int32_t, Packer<float> const&);
template void unpack(Cuda, std::int32_t, Unpacker<double> const&);
template void unpack(Cuda, std::int32_t, Unpacker<float> const&);
template void store_factors(Cuda, RealColumns<double> const&);
template void store_factors(Cuda, RealColumns<float> const&);
template void solve_columns(Cuda, RealColumns<double> const&, double*);
template void solve_columns(Cuda, RealColumns<float> const&, float*);

}  // namespace ulpine::thesis
