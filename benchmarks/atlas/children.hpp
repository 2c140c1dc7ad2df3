// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ulpine::atlas {

// What child processes do for rows of libraries that read their environment once a process: results written
// to `path` as bytes. They return the exit code.

/// Sums over so many GPUs of this host.
int nccl_sums(int ranks, char const* path);

/// Products by cuBLAS in each of its arithmetics, of each shape that rows of the environment are of.
int blas_products(char const* path);

}  // namespace ulpine::atlas
