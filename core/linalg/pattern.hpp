// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/linalg/csr.hpp"

/// Where the entries of sums, transposes and products of sparse matrices stand; on the host. Values follow by
/// the kernels of kernels.hpp, on any executor and as often as they change.
namespace ulpine::linalg {

/// Owns what a CsrPattern views, in host memory.
struct HostPattern {
  std::int32_t columns = 0;
  std::vector<std::int32_t> start{0}, column;

  std::int32_t rows() const { return static_cast<std::int32_t>(start.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
  CsrPattern view() const {
    return {rows(), columns, start.data(), column.data(), lanes_for(rows(), entries())};
  }
};

/// InputError where rows do not begin one after the other or columns do not ascend or do not exist.
void require_pattern(CsrPattern pattern);

/// The entries of A^T, each with the number of the entry of A that it mirrors.
struct Transposition {
  HostPattern pattern;
  std::vector<std::int32_t> source;
};
Transposition transposed(CsrPattern a);

/// For each entry (i, j) the number of (j, i); InputError where there is none, with the row and column.
std::vector<std::int32_t> mirrored_entries(CsrPattern a);

/// The entries of A B that a sum of products can reach. InputError where the extents do not fit or there are
/// more than 2^31 - 1.
HostPattern product_pattern(CsrPattern a, CsrPattern b);
/// InputError where a product has so many `entries`.
void require_entries_of_product(std::int64_t entries);

/// The row of each entry.
std::vector<std::int32_t> rows_of_entries(CsrPattern a);

}  // namespace ulpine::linalg
