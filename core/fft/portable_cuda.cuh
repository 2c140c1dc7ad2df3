// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/fft/portable_cuda.hpp"

namespace ulpine::fft {
namespace detail {

inline constexpr int most_threads = 256;
// CUDA's limit for a kernel's arguments.
static_assert(sizeof(LineProgram<double>) + sizeof(GroupLayout) + sizeof(RowsAndPieces<double>) +
                  3 * sizeof(void*) <=
              4096);

template <class Group>
__device__ __forceinline__ void run_all_steps(Group const& group) {
  for (std::int32_t s = 0; s < group.program.count; ++s) {
    if (s > 0) __syncthreads();
    group.run(group.program.steps[s], static_cast<std::int32_t>(threadIdx.x),
              static_cast<std::int32_t>(blockDim.x));
  }
}

template <class T, class Format>
__global__ void __launch_bounds__(most_threads)
    all_steps(__grid_constant__ LineProgram<T> const program, __grid_constant__ GroupLayout const layout,
              Complex<T>* planes) {
  extern __shared__ __align__(16) unsigned char shared[];
  run_all_steps(GroupSteps<Products<T, Format>>(program, layout, InPlanes<T>{planes},
                                                reinterpret_cast<Complex<T>*>(shared), blockIdx.x));
}

template <class T, class Format>
__global__ void __launch_bounds__(most_threads)
    all_steps_in_pieces(__grid_constant__ LineProgram<T> const program,
                        __grid_constant__ GroupLayout const layout,
                        __grid_constant__ RowsAndPieces<T> const rows) {
  extern __shared__ __align__(16) unsigned char shared[];
  run_all_steps(GroupSteps<Products<T, Format>, InPieces<T>>(
      program, layout, InPieces<T>{rows}, reinterpret_cast<Complex<T>*>(shared), blockIdx.x));
}

template <class T, class Format>
__global__ void __launch_bounds__(most_threads)
    one_step(__grid_constant__ LineProgram<T> const program, std::int32_t s,
             __grid_constant__ GroupLayout const layout, std::uint32_t number, Complex<T>* scratch,
             Complex<T>* planes) {
  GroupSteps<Products<T, Format>> const group(program, layout, InPlanes<T>{planes}, scratch, number);
  group.run(program.steps[s], static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x),
            static_cast<std::int32_t>(gridDim.x * blockDim.x));
}

}  // namespace detail

template <class T, class Format>
void allow_shared_memory(Cuda cuda, std::int64_t bytes) {
  DeviceGuard const guard(cuda.ordinal);
  auto const allow = [bytes](auto* kernel) {
    check_cuda(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "shared memory of a Fourier transform");
  };
  allow(detail::all_steps<T, Format>);
  allow(detail::all_steps_in_pieces<T, Format>);
}

template <class T, class Format>
void run_groups(Cuda cuda, LineProgram<T> const& program, GroupLayout const& layout, std::uint32_t groups,
                std::int64_t shared_bytes, Complex<T>* planes) {
  DeviceGuard const guard(cuda.ordinal);
  detail::all_steps<T, Format>
      <<<groups, static_cast<unsigned>(cuda.block), static_cast<std::size_t>(shared_bytes), cuda.stream>>>(
          program, layout, planes);
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class T, class Format>
void run_groups(Cuda cuda, LineProgram<T> const& program, GroupLayout const& layout, std::uint32_t groups,
                std::int64_t shared_bytes, RowsAndPieces<T> const& rows) {
  DeviceGuard const guard(cuda.ordinal);
  detail::all_steps_in_pieces<T, Format>
      <<<groups, static_cast<unsigned>(cuda.block), static_cast<std::size_t>(shared_bytes), cuda.stream>>>(
          program, layout, rows);
  check_cuda(cudaGetLastError(), "kernel launch");
}

template <class T, class Format>
void run_step(Cuda cuda, LineProgram<T> const& program, std::int32_t step, GroupLayout const& layout,
              std::uint32_t group, Complex<T>* scratch, Complex<T>* planes) {
  auto const count = GroupSteps<Products<T, Format>>::count(program.steps[step], layout);
  auto const blocks = static_cast<unsigned>((count + cuda.block - 1) / cuda.block);
  DeviceGuard const guard(cuda.ordinal);
  detail::one_step<T, Format><<<blocks, static_cast<unsigned>(cuda.block), 0, cuda.stream>>>(
      program, step, layout, group, scratch, planes);
  check_cuda(cudaGetLastError(), "kernel launch");
}

}  // namespace ulpine::fft
