// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

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
int glibc_child(char const* path);

/// The bytes that this program wrote when it was called with `arguments` and a path, under `environment`
/// ("NAME=VALUE ..."). runtime_error where it failed.
std::vector<char> child(std::string const& environment, std::string const& arguments);

/// Bytes as numbers.
template <class T>
std::vector<T> numbers(std::vector<char> const& bytes, std::size_t first, std::size_t count) {
  if ((first + count * sizeof(T)) > bytes.size())
    throw std::runtime_error("a child process wrote too little");
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data() + first, count * sizeof(T));
  return values;
}

}  // namespace ulpine::atlas
