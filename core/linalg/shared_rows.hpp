// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/linalg/csr.hpp"
#include "core/linalg/pattern.hpp"
#include "core/ranks/points_of_rank.hpp"

/// Rows of a square matrix that ranks share, with columns by the numbers of their points, which all ranks
/// have in common. A rank's own matrix (`held`) has the points that it holds in rows and columns; of its
/// ghosts' rows it lacks what is not held.
namespace ulpine::linalg {

/// The rows that a rank owns.
class OwnedRows {
 public:
  OwnedRows(CsrPattern held, PointsOfRank const& points);
  /// Row 0 is the first owned one; columns of all.
  CsrPattern pattern() const { return rows_.view(); }
  /// The owned rows with the values of their entries, taken from those of a held matrix.
  CsrView<double const> of(double const* held) const { return {pattern(), held + skipped_}; }

 private:
  HostPattern rows_;
  std::int32_t skipped_;  ///< entries of held rows before
};

/// The rows of all points that a rank holds, those of its ghosts as their owners have them.
class WholeRows {
 public:
  /// Collective, as values().
  WholeRows(Ranks& ranks, CsrPattern held, PointsOfRank const& points);
  /// A row for each place; columns of all.
  CsrPattern pattern() const { return rows_.view(); }
  /// The values of these rows' entries, `components` each, made of those of a held matrix.
  std::vector<double> values(double const* held, int components) const;

 private:
  /// Gives ghosts' rows the values of their owners; rows begin at `start`, with `components` values an entry.
  template <class T>
  void fetch(std::vector<std::int32_t> const& start, std::int64_t components, std::vector<T>& values) const;

  Ranks* ranks_;
  ExchangeLists lists_;
  std::int32_t first_, end_;  ///< places of the owned rows
  std::int32_t skipped_;      ///< entries of held rows before them
  HostPattern rows_;
};

/// The owned rows of such a matrix times itself (of neighbours' neighbours); `whole` are its rows.
HostPattern square_rows(CsrPattern held, PointsOfRank const& points, CsrPattern whole);

}  // namespace ulpine::linalg
