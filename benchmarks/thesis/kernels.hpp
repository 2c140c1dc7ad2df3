// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/executor.hpp"
#include "core/poisson/columns.hpp"

/// The solver of a study that moved PALM's pressure solver to GPUs: real one-dimensional transforms of rows
/// that lie one after the other, between which the field is transposed. After the transform along x the
/// real and imaginary parts of wavenumber m lie at i = m and nx - m of a row; the transform along y takes
/// each of these rows' values as real ones. So nx ny real columns are solved, with factors that are stored.
namespace ulpine::thesis {

/// Moves the value at (plane p, row r, column c) to (p, c, r). Rows and planes lie so many values apart.
struct Transposition {
  std::int32_t planes, rows, columns;
  std::int64_t source_plane, source_row, target_plane, target_row;
};

/// Row r's value i from the pairs of its transform: half-complex order. Row lengths n and n / 2 + 1 pairs.
template <class T>
struct Packer {
  std::int32_t n;
  T const* pairs;
  T* values;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t r) const {
    bool const real = 2 * i <= n;
    auto const pair = std::int64_t{r} * (n / 2 + 1) + (real ? i : n - i);
    values[std::int64_t{r} * n + i] = pairs[2 * pair + (real ? 0 : 1)];
  }
};

/// Pair m of the transform of row r, from half-complex order.
template <class T>
struct Unpacker {
  std::int32_t n;
  T const* values;
  T* pairs;

  ULPINE_HD void operator()(std::int32_t m, std::int32_t r) const {
    auto const row = std::int64_t{r} * n;
    auto const pair = 2 * (std::int64_t{r} * (n / 2 + 1) + m);
    bool const imaginary = m != 0 && 2 * m != n;
    pairs[pair] = values[row + m];
    pairs[pair + 1] = imaginary ? values[row + n - m] : T(0);
  }
};

/// Factors of the columns: share(k) = 1 - loss(k-1) and gain(k) (columns.hpp), for fields of `fast` columns
/// that lie one after the other in each of `slow` rows.
template <class T>
struct StoredFactors {
  T* share;
  T* gain;
};

/// Eigenvalues by position in the transformed field, and where its first column lies.
template <class T>
struct RealColumns {
  ColumnTables<T> tables;
  std::int32_t fast, slow;
  T const *along_fast, *along_slow;
  StoredFactors<T> factors;

  ULPINE_HD std::int64_t columns() const { return std::int64_t{fast} * slow; }
};

template <class T>
struct FactorStorer {
  RealColumns<T> all;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const column = std::int64_t{j} * all.fast + i;
    T const lambda = all.along_fast[i] + all.along_slow[j];
    Elimination<T> elimination(all.tables.conductance[0]);
    T loss = T(1);
    for (std::int32_t k = 0; k < all.tables.levels; ++k) {
      auto const next = elimination.next(lambda, all.tables.thickness[k], all.tables.conductance[k + 1]);
      all.factors.share[k * all.columns() + column] = T(1) - loss;
      all.factors.gain[k * all.columns() + column] = next.gain;
      loss = next.loss;
    }
  }
};

/// A column in place: x(k) = weight d + share x(k-1), p(k) = (x(k) + g p(k+1)) gain.
template <class T>
struct RealColumn {
  RealColumns<T> all;
  T* values;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const stride = all.columns();
    auto const column = std::int64_t{j} * all.fast + i;
    T* const first = values + column;
    auto const& tables = all.tables;
    if (column == 0 && tables.singular) {
      MeanColumn<T>{tables, first, stride, first, stride}(0);
      return;
    }
    T x = T(0);
    for (std::int32_t k = 0; k < tables.levels; ++k) {
      auto const at = k * stride;
      x = math::fma(tables.weight[k], first[at], all.factors.share[at + column] * x);
      first[at] = x;
    }
    T p = T(0);
    for (std::int32_t k = tables.levels; k-- > 0;) {
      auto const at = k * stride;
      p = math::fma(tables.conductance[k + 1], p, first[at]) * all.factors.gain[at + column];
      first[at] = p;
    }
  }
};

// On the host or in stream order on a device.
template <class T>
void transpose(Host host, Transposition const& shape, T const* source, T* target);
template <class T>
void transpose(Cuda cuda, Transposition const& shape, T const* source, T* target);
template <class T>
void pack(Host host, std::int32_t rows, Packer<T> const& packer);
template <class T>
void pack(Cuda cuda, std::int32_t rows, Packer<T> const& packer);
template <class T>
void unpack(Host host, std::int32_t rows, Unpacker<T> const& unpacker);
template <class T>
void unpack(Cuda cuda, std::int32_t rows, Unpacker<T> const& unpacker);
template <class T>
void store_factors(Host host, RealColumns<T> const& columns);
template <class T>
void store_factors(Cuda cuda, RealColumns<T> const& columns);
template <class T>
void solve_columns(Host host, RealColumns<T> const& columns, T* values);
template <class T>
void solve_columns(Cuda cuda, RealColumns<T> const& columns, T* values);

/// Real transforms of `rows` rows of n values that lie one after the other, to n / 2 + 1 pairs each and back;
/// what is transformed back is lost. Neither scales.
template <class T>
class RowTransform {
 public:
  virtual ~RowTransform() = default;
  virtual void forward(T* values, T* pairs) = 0;
  virtual void inverse(T* pairs, T* values) = 0;
  virtual std::int64_t work_bytes() const = 0;
};
template <class T>
std::unique_ptr<RowTransform<T>> make_row_transform(Host host, std::int32_t rows, std::int32_t n);
template <class T>
std::unique_ptr<RowTransform<T>> make_row_transform(Cuda cuda, std::int32_t rows, std::int32_t n);

}  // namespace ulpine::thesis
