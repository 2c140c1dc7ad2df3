// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks a function that both compilers build. The only language macro of the project.
#if defined(__CUDACC__)
#define ULPINE_HD __host__ __device__
#else
#define ULPINE_HD
#endif
