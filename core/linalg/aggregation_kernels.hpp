// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/random.hpp"
#include "core/linalg/kernels.hpp"

/// How rows are gathered into aggregates, on any executor.
namespace ulpine::linalg {

/// What strengths are compared in, whatever a matrix is of.
using Strength = double;  // bare: the same aggregates for values that differ in their format alone

/// The size of each row's diagonal entry, 0 where there is none.
template <class T>
struct DiagonalSize {
  CsrView<T const> matrix;
  Strength* size;

  ULPINE_HD void operator()(std::int64_t row) const {
    auto const e = entry_of(matrix.pattern, row, static_cast<std::int32_t>(row));
    size[row] = e == no_entry ? 0 : math::abs(static_cast<Strength>(matrix.value[e]));
  }
};

/// Marks the entries (i, j) and (j, i), i < j, of strong neighbours. `strong` begins with zeros; each mark
/// has one writer.
template <class T>
struct StrengthMarker {
  CsrView<T const> matrix;
  Strength strength;
  Strength const* diagonal;
  std::uint8_t* strong;

  ULPINE_HD void operator()(std::int64_t row) const {
    auto const& pattern = matrix.pattern;
    auto const i = static_cast<std::int32_t>(row);
    for (auto e = pattern.start[i]; e < pattern.start[i + 1]; ++e) {
      auto const j = pattern.column[e];
      if (j <= i) continue;
      auto const mirror = entry_of(pattern, j, i);
      if (mirror == no_entry) continue;
      auto const least = strength * math::sqrt(diagonal[i] * diagonal[j]);
      if (size(e) > least || size(mirror) > least) strong[e] = strong[mirror] = 1;
    }
  }

 private:
  ULPINE_HD Strength size(std::int32_t entry) const {
    return math::abs(static_cast<Strength>(matrix.value[entry]));
  }
};

/// The marked entries of a pattern: a row's neighbours, each other's.
struct StrongNeighbours {
  CsrPattern pattern;
  std::uint8_t const* strong;  ///< of each entry: 1 or 0

  /// Calls visit(neighbour, entry) for the row's neighbours, ascending, as long as it returns true; whether
  /// it always did.
  template <class Visit>
  ULPINE_HD bool visit(std::int64_t row, Visit const& visit) const {
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      if (strong[e] != 0 && !visit(pattern.column[e], e)) return false;
    }
    return true;
  }
};

/// The place of rows in the order in which they become roots; `none` is behind them all.
struct Priority {
  static constexpr auto none = ~std::uint64_t{0};
  std::uint64_t seed;
  std::uint32_t field;  ///< of the random numbers

  /// 32 random bits, then the number of the row, so that no two are equal.
  ULPINE_HD std::uint64_t of(std::int64_t row) const {
    auto const bits = static_cast<std::int64_t>(uniform_symmetric(seed, 0, field, row) * 0x1p53) >> 22;
    return static_cast<std::uint64_t>(bits + (std::int64_t{1} << 31)) << 31 | static_cast<std::uint64_t>(row);
  }
};

/// Gives rows their priorities, none to those without neighbours, and no aggregate.
struct AggregationStarter {
  StrongNeighbours near;
  Priority order;
  std::uint64_t* priority;
  std::int32_t* aggregate;

  ULPINE_HD void operator()(std::int64_t row) const {
    auto const lone = near.visit(row, [](std::int32_t, std::int32_t) { return false; });
    priority[row] = lone ? Priority::none : order.of(row);
    aggregate[row] = -1;
  }
};

/// A round of finding roots: a row becomes one when its priority is the least within two steps, and then
/// takes theirs from all rows there. What comes out after the last round is what one by one in the order of
/// priorities gives, whichever rows are first here: a row waits for all that are before it, and only a root
/// within two steps takes its priority away.
template <class Shared>
struct RootFinder {
  static constexpr bool scatters = true;
  StrongNeighbours near;
  std::uint64_t* priority;
  std::int32_t* root;  ///< of each row: whether it is one; zeros before the first round
  std::int32_t round;
  std::int32_t* waiting;  ///< the last round in which a row had to wait

  ULPINE_HD void operator()(std::int64_t at) const {
    auto const row = static_cast<std::int32_t>(at);
    auto const own = Shared::read(priority[row]);
    if (own == Priority::none || root[row] != 0) return;
    auto const behind = [&](std::int32_t other) { return !(Shared::read(priority[other]) < own); };
    bool const first = near.visit(row, [&](std::int32_t other, std::int32_t) {
      return behind(other);
    }) && near.visit(row, [&](std::int32_t other, std::int32_t) {
      return near.visit(other, [&](std::int32_t further, std::int32_t) { return behind(further); });
    });
    if (!first) {
      Shared::write(*waiting, round);
      return;
    }
    root[row] = 1;
    near.visit(row, [&](std::int32_t other, std::int32_t) {
      Shared::write(priority[other], Priority::none);
      return near.visit(other, [&](std::int32_t further, std::int32_t) {
        if (further != row) Shared::write(priority[further], Priority::none);
        return true;
      });
    });
  }
};

/// Gathers each root's neighbours about it; no row has two roots.
struct RingGatherer {
  StrongNeighbours near;
  std::int32_t const* number;  ///< of roots before each row
  std::int32_t* aggregate;

  ULPINE_HD void operator()(std::int64_t row) const {
    if (number[row + 1] == number[row]) return;
    auto const own = aggregate[row] = number[row];
    near.visit(row, [&](std::int32_t other, std::int32_t) {
      aggregate[other] = own;
      return true;
    });
  }
};

/// Joins the other rows to the aggregate of their strongest neighbour that has one, the first of equals.
template <class T>
struct RestJoiner {
  StrongNeighbours near;
  T const* value;
  std::int32_t const* ring;  ///< aggregates of roots and their neighbours
  std::int32_t* aggregate;

  ULPINE_HD void operator()(std::int64_t row) const {
    auto chosen = ring[row];
    if (chosen < 0) {
      Strength strongest = -1;
      near.visit(row, [&](std::int32_t other, std::int32_t entry) {
        if (ring[other] < 0) return true;
        auto const mirror = entry_of(near.pattern, other, static_cast<std::int32_t>(row));
        auto const size = math::max(math::abs(static_cast<Strength>(value[entry])),
                                    math::abs(static_cast<Strength>(value[mirror])));
        if (size > strongest) strongest = size, chosen = ring[other];
        return true;
      });
    }
    aggregate[row] = chosen;
  }
};

}  // namespace ulpine::linalg
