// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rows.hpp"

namespace ulpine::atlas {

/// The groups of rows of the host, each measured by its own source.
void fftw_rows(Rows& rows);
void blas_rows_of_host(Rows& rows);
void glibc_rows(Rows& rows);
void libmvec_rows(Rows& rows);
void openmp_rows(Rows& rows);

/// What child processes do for rows of libraries that read their environment once a process: results written
/// to `path` as bytes. The exit code.
int blas_child(char const* library, char const* path);
int glibc_child(char const* number, char const* path);

}  // namespace ulpine::atlas
