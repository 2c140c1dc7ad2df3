// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/elementary.hpp"

/// How the tetrahedron that holds a point is found, on any executor: the elements are listed in a lattice of
/// bins, and a point looks at those of its own. Which one it takes does not depend on the order of a list.
namespace ulpine::detail {

/// A lattice of bins over a box.
template <class T>
struct Bins {
  T low[3], width[3];  ///< m
  std::int32_t count[3];

  ULPINE_HD std::int64_t size() const { return std::int64_t{count[0]} * count[1] * count[2]; }
  ULPINE_HD std::int32_t along(int axis, T x) const {
    auto const place = (x - low[axis]) / width[axis];
    if (!(place > T(0))) return 0;
    auto const last = count[axis] - 1;
    return place < T(last) ? static_cast<std::int32_t>(place) : last;
  }
  ULPINE_HD std::int64_t number(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return (std::int64_t{k} * count[1] + j) * count[0] + i;
  }
};

/// Bins that the box around element e meets.
struct BinRange {
  std::int32_t first[3], last[3];
};
template <class T>
ULPINE_HD BinRange bins_of(Bins<T> const& bins, T const* position, std::int32_t const* node) {
  BinRange range{};
  for (int d = 0; d < 3; ++d) {
    auto low = position[3 * std::int64_t{node[0]} + d], high = low;
    for (int k = 1; k < 4; ++k) {
      auto const x = position[3 * std::int64_t{node[k]} + d];
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
    range.first[d] = bins.along(d, low);
    range.last[d] = bins.along(d, high);
  }
  return range;
}

/// Counts the elements of each bin, or, where `list` is not null, lists them in any order; `filled` begins
/// with zeros.
template <class T, class Counter>
struct BinFiller {
  static constexpr bool scatters = true;
  Bins<T> bins;
  T const* position;
  std::int32_t const* element;
  std::int32_t const* start;
  std::int32_t *filled, *list;

  ULPINE_HD void operator()(std::int64_t e) const {
    auto const range = bins_of(bins, position, element + 4 * e);
    for (auto k = range.first[2]; k <= range.last[2]; ++k)
      for (auto j = range.first[1]; j <= range.last[1]; ++j)
        for (auto i = range.first[0]; i <= range.last[0]; ++i) {
          auto const bin = bins.number(i, j, k);
          auto const place = Counter::fetch_increment(filled[bin]);
          if (list != nullptr) list[start[bin] + place] = static_cast<std::int32_t>(e);
        }
  }
};

/// Result of the search for point n: its element, that element's nodes and their weights, 4 a point, not
/// negative, with sum 1 but for rounding.
template <class T>
struct Found {
  std::int32_t *element, *node;
  T *weight, *distance;
};

/// Six times the volume of 0, a, b, c with its sign, and what rounding may have changed of it at most: each
/// of three terms has four roundings after those of the three coordinates' differences, and two of the sum.
template <class T>
struct SixVolumes {
  T value, error;
};
template <class T>
ULPINE_HD SixVolumes<T> six_volumes_at(T const* a, T const* b, T const* c, T roundoff) {
  T value = 0, permanent = 0;
  for (int d = 0; d < 3; ++d) {
    auto const e = (d + 1) % 3, f = (d + 2) % 3;
    auto const one = b[e] * c[f], other = b[f] * c[e];
    value += a[d] * (one - other);
    permanent += math::abs(a[d]) * (math::abs(one) + math::abs(other));
  }
  return {value, T(9) * roundoff * permanent};
}

/// Finds for point n the element of lowest number that holds it, rounding given; where none does, the one
/// with the nearest point of clipped barycentric coordinates (of equally near ones the lowest).
template <class T>
struct PointFinder {
  Bins<T> bins;
  T roundoff;
  T const* position;
  std::int32_t const *element, *start, *list;
  T const* point;
  Found<T> found;

  struct Candidate {
    bool holds;
    T weight[4], square;  ///< of the distance
  };
  ULPINE_HD Candidate candidate(T const* x, std::int32_t e) const {
    T corner[4][3];
    for (int k = 0; k < 4; ++k)
      for (int d = 0; d < 3; ++d)
        corner[k][d] = position[3 * std::int64_t{element[4 * std::int64_t{e} + k]} + d] - x[d];
    constexpr int facing[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};  // outward, as tetra_face
    Candidate result{true, {}, T(0)};
    T total = 0;
    for (int k = 0; k < 4; ++k) {
      auto const& f = facing[k];
      auto const six = six_volumes_at(corner[f[0]], corner[f[1]], corner[f[2]], roundoff);
      if (six.value < -six.error) result.holds = false;
      result.weight[k] = six.value > T(0) ? six.value : T(0);
      total += result.weight[k];
    }
    for (auto& weight : result.weight) weight = weight / total;
    for (int d = 0; d < 3; ++d) {
      T away = 0;
      for (int k = 0; k < 4; ++k) away = math::fma(result.weight[k], corner[k][d], away);
      result.square = math::fma(away, away, result.square);
    }
    return result;
  }

  ULPINE_HD void take(std::int64_t n, std::int32_t e, Candidate const& best) const {
    found.element[n] = e;
    found.distance[n] = best.holds ? T(0) : math::sqrt(best.square);
    for (int k = 0; k < 4; ++k) {
      found.node[4 * n + k] = element[4 * std::int64_t{e} + k];
      found.weight[4 * n + k] = best.weight[k];
    }
  }

  /// No bin that is further than `ring` from the point's has anything nearer than this; negative where there
  /// are none.
  ULPINE_HD T reach(T const* x, std::int32_t const* home, std::int32_t ring) const {
    T least = -1;
    for (int d = 0; d < 3; ++d) {
      auto const below = home[d] - ring, above = home[d] + ring + 1;
      if (below > 0) {
        auto const way = x[d] - math::fma(T(below), bins.width[d], bins.low[d]);
        if (least < T(0) || way < least) least = way > T(0) ? way : T(0);
      }
      if (above < bins.count[d]) {
        auto const way = math::fma(T(above), bins.width[d], bins.low[d]) - x[d];
        if (least < T(0) || way < least) least = way > T(0) ? way : T(0);
      }
    }
    return least;
  }

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const* const x = point + 3 * n;
    std::int32_t const home[3] = {bins.along(0, x[0]), bins.along(1, x[1]), bins.along(2, x[2])};
    std::int32_t chosen = -1;
    Candidate best{};
    for (std::int32_t ring = 0;; ++ring) {
      std::int32_t first[3], last[3];
      for (int d = 0; d < 3; ++d) {
        first[d] = home[d] > ring ? home[d] - ring : 0;
        last[d] = home[d] + ring < bins.count[d] ? home[d] + ring : bins.count[d] - 1;
      }
      for (auto k = first[2]; k <= last[2]; ++k)
        for (auto j = first[1]; j <= last[1]; ++j)
          for (auto i = first[0]; i <= last[0]; ++i) {
            auto const inner = [&](std::int32_t at, int d) {
              return at > home[d] - ring && at < home[d] + ring;
            };
            if (inner(i, 0) && inner(j, 1) && inner(k, 2)) continue;
            auto const bin = bins.number(i, j, k);
            for (auto at = start[bin]; at < start[bin + 1]; ++at) {
              auto const e = list[at];
              // Elements that hold the point count by the lowest number: later ones are skipped.
              if (chosen >= 0 && best.holds && e >= chosen) continue;
              auto const one = candidate(x, e);
              bool better = chosen < 0 || (one.holds && !best.holds);
              if (!better && one.holds == best.holds) {
                better = one.holds ? e < chosen
                                   : one.square < best.square || (one.square == best.square && e < chosen);
              }
              if (better) chosen = e, best = one;
            }
          }
      if (chosen >= 0 && best.holds) break;
      auto const nearest_left = reach(x, home, ring);
      if (nearest_left < T(0)) break;
      if (chosen >= 0 && best.square < nearest_left * nearest_left) break;
    }
    take(n, chosen, best);
  }
};

}  // namespace ulpine::detail
