// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a function that both compilers build. The only language macro of the project but for the next one.
#if defined(__CUDACC__)
#define ULPINE_HD __host__ __device__
#else
#define ULPINE_HD
#endif

/// Before a loop of at most 16 rounds: unrolls it. nvcc does not know g++'s pragma and by itself leaves nests
/// of loops alone, whose arrays then lie in memory.
#if defined(__CUDA_ARCH__)
#define ULPINE_UNROLL _Pragma("unroll")
#else
#define ULPINE_UNROLL _Pragma("GCC unroll 16")
#endif
