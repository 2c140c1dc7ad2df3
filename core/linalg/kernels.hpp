// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/linalg/csr.hpp"
#include "precision/arithmetic.hpp"

/// Kernels on sparse matrices, each called once a row or an entry. Every sum is a gather in ascending order:
/// the same bits for any number of threads, and on host and device.
namespace ulpine::linalg {

inline constexpr std::int32_t no_entry = -1;

/// The number of the entry (row, column), or no_entry.
ULPINE_HD inline std::int32_t entry_of(CsrPattern const& pattern, std::int64_t row, std::int32_t column) {
  auto low = pattern.start[row], high = pattern.start[row + 1];
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    if (pattern.column[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < pattern.start[row + 1] && pattern.column[low] == column ? low : no_entry;
}

/// Meaning of a matrix's entry where vectors have three components, the component running fastest.
enum class Blocks {
  scalar,    ///< one number, and vectors of one component
  shared,    ///< one number: all three diagonal blocks
  diagonal,  ///< three numbers: the diagonal blocks
  full       ///< nine numbers, row by row
};
ULPINE_HD constexpr int components_of(Blocks blocks) { return blocks == Blocks::scalar ? 1 : 3; }
ULPINE_HD constexpr int width_of(Blocks blocks) {
  return blocks == Blocks::full ? 9 : blocks == Blocks::diagonal ? 3 : 1;
}

/// Use of a product A x: y = A x, b - A x, b + A x, where y may be b, or b (A x) by numbers, where a factor
/// of 0 counts as 1.
enum class Onto { plain, residual, sum, scaled };

/// What a matrix of `width` numbers an entry has at one.
template <class M, int width>
struct MatrixEntry {
  M a[width];
  std::int32_t column;
};

/// d x; a factor of 0 counts as 1.
template <class T>
ULPINE_HD T scaled_by(T d, T x) {
  return (d == T(0) ? T(1) : d) * x;
}

/// Sums over rows (row_sum.hpp). The matrix is of M, vectors and arithmetic of T.
template <class M, class T, Blocks blocks>
struct Product {
  using Value = T;
  static constexpr int sums = components_of(blocks), width = width_of(blocks);
  static constexpr bool is_matrix_times_vector = blocks == Blocks::scalar;
  CsrPattern pattern;
  M const* value;
  T const *x, *b;
  T* y;
  Onto onto = Onto::plain;

  using Entry = MatrixEntry<M, width>;
  struct Part {
    M a[width];
    T from[sums];
  };
  ULPINE_HD Entry entry(std::int32_t e) const {
    Entry entry;
#pragma GCC unroll 9
    for (int n = 0; n < width; ++n) entry.a[n] = value[std::int64_t{width} * e + n];
    entry.column = pattern.column[e];
    return entry;
  }
  ULPINE_HD Part part(Entry const& entry) const {
    Part part;
    auto const* const from = x + std::int64_t{sums} * entry.column;
#pragma GCC unroll 9
    for (int n = 0; n < width; ++n) part.a[n] = entry.a[n];
#pragma GCC unroll 3
    for (int c = 0; c < sums; ++c) part.from[c] = from[c];
    return part;
  }
  ULPINE_HD void add(Part const& part, T (&sum)[sums]) const {
#pragma GCC unroll 3
    for (int c = 0; c < sums; ++c) {
      if constexpr (blocks == Blocks::full) {
#pragma GCC unroll 3
        for (int d = 0; d < sums; ++d) sum[c] = math::fma(T(part.a[sums * c + d]), part.from[d], sum[c]);
      } else {
        sum[c] = math::fma(T(part.a[blocks == Blocks::diagonal ? c : 0]), part.from[c], sum[c]);
      }
    }
  }
  ULPINE_HD void put(std::int64_t row, T const (&sum)[sums]) const {
#pragma GCC unroll 3
    for (int c = 0; c < sums; ++c) {
      auto const i = sums * row + c;
      y[i] = onto == Onto::plain      ? sum[c]
             : onto == Onto::residual ? b[i] - sum[c]
             : onto == Onto::sum      ? b[i] + sum[c]
                                      : scaled_by(b[i], sum[c]);
    }
  }
};

/// y_j = sum over i of A_ij x_i, for a pattern that is symmetric: entry (j, i) finds A_ij by `mirror`
/// (mirrored_entries). Matrices of `width` numbers an entry give y as many components: C^T p.
template <class T, int width>
struct TransposedProduct {
  CsrPattern pattern;
  std::int32_t const* mirror;
  T const *value, *x;
  T* y;

  ULPINE_HD void operator()(std::int64_t row) const {
    T sum[width] = {};
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const* const a = value + std::int64_t{width} * mirror[e];
      for (int c = 0; c < width; ++c) sum[c] = math::fma(a[c], x[pattern.column[e]], sum[c]);
    }
    for (int c = 0; c < width; ++c) y[width * row + c] = sum[c];
  }
};

/// y_i = sum over j and components of A_ij,c u_j,c for 1 x 3 blocks: C u, or b - C u where b is not null.
template <class T>
struct DivergenceProduct {
  CsrPattern pattern;
  T const *value, *u, *b;
  T* y;

  ULPINE_HD void operator()(std::int64_t row) const {
    T sum = T(0);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const* const a = value + std::int64_t{3} * e;
      auto const* const from = u + std::int64_t{3} * pattern.column[e];
      for (int c = 0; c < 3; ++c) sum = math::fma(a[c], from[c], sum);
    }
    y[row] = b == nullptr ? sum : b[row] - sum;
  }
};

/// One entry of A diag(d) B^T on `target`: the sum over k and components of A_ik,c d_k B_jk,c, k ascending,
/// where rows i and j meet. A and B are on one pattern, of `width` numbers an entry.
template <class T, int width>
struct TripleProduct {
  CsrPattern pattern;
  T const *a, *d, *b;
  std::int32_t const *row, *column;  ///< of each entry of the target
  T* target;

  ULPINE_HD void operator()(std::int64_t entry) const {
    auto e = pattern.start[row[entry]], f = pattern.start[column[entry]];
    auto const e_end = pattern.start[row[entry] + 1], f_end = pattern.start[column[entry] + 1];
    T sum = T(0);
    while (e < e_end && f < f_end) {
      auto const k = pattern.column[e], l = pattern.column[f];
      if (k == l) {
        for (int c = 0; c < width; ++c) {
          sum = math::fma(a[std::int64_t{width} * e + c] * d[k], b[std::int64_t{width} * f + c], sum);
        }
      }
      if (k <= l) ++e;
      if (l <= k) ++f;
    }
    target[entry] = sum;
  }
};

/// One entry of A B on `target`, k ascending.
template <class T>
struct EntryOfProduct {
  CsrPattern a, b;
  T const *a_value, *b_value;
  std::int32_t const *row, *column;  ///< of each entry of the target
  T* target;

  ULPINE_HD void operator()(std::int64_t entry) const {
    auto const i = row[entry], j = column[entry];
    T sum = T(0);
    for (auto e = a.start[i]; e < a.start[i + 1]; ++e) {
      auto const other = entry_of(b, a.column[e], j);
      if (other != no_entry) sum = math::fma(a_value[e], b_value[other], sum);
    }
    target[entry] = sum;
  }
};

/// Rows in shares of neighbouring ones, each for a thread that keeps something from row to row.
struct RowShares {
  std::int64_t rows = 0;
  std::int64_t shares = 1;

  ULPINE_HD std::int64_t first(std::int64_t share) const { return share * rows / shares; }
};

/// A share of the rows of A B on `target`: fewer operations than entry by entry, in the same order, for fewer
/// threads.
template <class T>
struct RowsOfProduct {
  CsrPattern a, b, target;
  T const *a_value, *b_value;
  T* value;
  RowShares rows;
  std::int32_t* place;  ///< as many numbers a share as B has columns: where the row at hand has them

  ULPINE_HD void operator()(std::int64_t share) const {
    auto* const at = place + share * target.columns;
    for (auto row = rows.first(share); row < rows.first(share + 1); ++row) {
      for (auto e = target.start[row]; e < target.start[row + 1]; ++e) {
        value[e] = T(0);
        at[target.column[e]] = e;
      }
      for (auto e = a.start[row]; e < a.start[row + 1]; ++e) {
        auto const k = a.column[e];
        for (auto f = b.start[k]; f < b.start[k + 1]; ++f) {
          auto& sum = value[at[b.column[f]]];
          sum = math::fma(a_value[e], b_value[f], sum);
        }
      }
    }
  }
};

/// target[i] = source[index[i]]: the values of a transpose.
template <class T>
struct Gather {
  std::int32_t const* index;
  T const* source;
  T* target;
  ULPINE_HD void operator()(std::int64_t i) const { target[i] = source[index[i]]; }
};

/// The diagonal, or its reciprocal; 0 where that entry is missing or 0.
template <class M, class T, Blocks blocks>
struct Diagonal {
  CsrPattern pattern;
  M const* value;
  bool inverse;
  T* diagonal;

  ULPINE_HD void operator()(std::int64_t row) const {
    constexpr int components = components_of(blocks), width = width_of(blocks);
    auto const entry = entry_of(pattern, row, static_cast<std::int32_t>(row));
    for (int c = 0; c < components; ++c) {
      auto const place = blocks == Blocks::full ? 4 * c : blocks == Blocks::diagonal ? c : 0;
      auto const d = entry == no_entry ? T(0) : T(value[std::int64_t{width} * entry + place]);
      diagonal[components * row + c] = inverse && d != T(0) ? T(1) / d : d;
    }
  }
};

/// A <- diag(s) A.
template <class T>
struct RowScaling {
  CsrPattern pattern;
  T const* scale;
  T* value;
  ULPINE_HD void operator()(std::int64_t row) const {
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) value[e] = scale[row] * value[e];
  }
};

/// Strong boundary conditions x_i = given_i in rows where `fixed` is not 0: their rows become those of the
/// identity and their right-hand sides `given`. Where `symmetric`, their columns are taken to the right-hand
/// sides of the other rows too, so that a symmetric matrix stays one.
template <class T>
struct FixedRows {
  CsrPattern pattern;
  std::uint8_t const* fixed;
  T const* given;
  bool symmetric;
  T *value, *rhs;

  ULPINE_HD void operator()(std::int64_t row) const {
    auto moved = rhs[row];
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const column = pattern.column[e];
      if (fixed[row] != 0) {
        value[e] = column == row ? T(1) : T(0);
      } else if (symmetric && fixed[column] != 0) {
        moved = math::fma(-value[e], given[column], moved);
        value[e] = T(0);
      }
    }
    rhs[row] = fixed[row] != 0 ? given[row] : moved;
  }
};

}  // namespace ulpine::linalg
