// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/exec/executor.hpp"
#include "precision/formats.hpp"

/// Rows whose wavenumbers lie apart, as messages to several ranks have them: the transform of rows puts them
/// there, and takes them from there, without a pass that packs or unpacks.
namespace ulpine {

/// Real rows of several levels: values from one row and from one level to the next.
struct RowsOfLevels {
  std::int32_t levels = 0, rows = 0, nx = 0;
  std::int64_t row = 0, level = 0;
};

/// Where wavenumbers are: piece p has those from begin[p] to before begin[p + 1] of all rows. Its pairs
/// (real, imaginary) are dense from first[p] on, wavenumber by wavenumber, then level by level, then row by
/// row.
template <class T>
struct RowPieces {
  static constexpr std::int32_t most = 16;
  std::int32_t begin[most + 1] = {};
  T* first[most] = {};
};

/// The transforms of rows that PlaneTransform describes, to the bit, between real rows and pieces.
template <class T>
class RowsInPieces {
 public:
  virtual ~RowsInPieces() = default;
  /// `rows` stays as it is.
  virtual void forward(T* rows, RowPieces<T> const& pieces) = 0;
  virtual void inverse(RowPieces<T> const& pieces, T* rows) = 0;
  /// Size of the memory used besides rows and pieces.
  virtual std::int64_t work_bytes() const = 0;
};

/// Our own, with make_portable_transform's types; null where rows do not fit in a block's memory. All is
/// aligned to pairs.
template <class T, class Format = Exact>
std::unique_ptr<RowsInPieces<T>> make_portable_rows_in_pieces(Cuda cuda, RowsOfLevels const& rows);

}  // namespace ulpine
