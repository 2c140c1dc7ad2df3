// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/elementary.hpp"
#include "precision/formats.hpp"

/// A Poisson equation in Fourier space: for each pair of wavenumbers (m, n), with their eigenvalue lambda >=
/// 0, the column of complex p(k) in
///
///   g[k] (p(k) - p(k-1)) + g[k+1] (p(k) - p(k+1)) + lambda dz[k] p(k) = weight[k] d(k),
///
/// g being 1 / dz_between, 0 at a closed end, and weight = -dz / (nx ny), which has the transforms' scaling
/// in it.
///
/// Elimination from both ends towards the middle, which takes half the time of one from the ground up where
/// steps wait for each other. Instead of a pivot, whose small distance from g is what matters where lambda is
/// small and which rounding would swallow, its excess over g is kept, which is a sum of positive numbers.
/// From the ground up (from the lid down g[k+1] and g[k] change places):
///
///   excess(k) = lambda dz[k] + g[k] loss(k-1),   loss(k) = excess(k) / (g[k+1] + excess(k)),
///   x(k) = weight[k] d(k) + x(k-1) - loss(k-1) x(k-1),   kept(k) = x(k) / (g[k+1] + excess(k)),
///   p(k) = p(k+1) - loss(k) p(k+1) + kept(k).
///
/// Where the halves meet, at levels m - 1 and m, these are two equations for p(m-1) and p(m):
///
///   p(m) = (kept(m) + kept(m-1) - loss(m) kept(m-1)) / (loss(m-1) + loss(m) - loss(m-1) loss(m)),
///
/// and p(m-1) likewise.
///
/// So every factor has a small relative error in any precision, and float needs no wider type
/// (docs/reference/poisson.md has figures).
namespace ulpine {

/// The type in which the mean over x and y is computed.
template <class T>
struct Wider {
  using Type = T;
};
template <>
struct Wider<float> {   // bare: the type itself
  using Type = double;  // bare: the one type that is wider than float on a device
};

/// The equation as kernels see it; everything in the executor's memory.
template <class T>
struct ColumnTables {
  using Wide = typename Wider<T>::Type;
  std::int32_t modes_x = 0, modes_y = 0, levels = 0;
  bool singular = false;  // lambda = 0 and closed ends: p(0) = 0 for want of a condition, then no mean
  std::int64_t level = 0, row = 0;  // pairs from one level, and from one wavenumber along y, to the next
  T const *along_x = nullptr, *along_y = nullptr;  // lambda = along_x[m] + along_y[n], m-2; nx, ny of them
  T const* weight = nullptr;                       // m
  T const* thickness = nullptr;                    // dz, m
  T const* conductance = nullptr;                  // g, of levels + 1 faces, m-1
  // Weight and thickness of the levels for the mean, in the wider type, and dz_between[k + 1].
  Wide const *mean_weight = nullptr, *mean_thickness = nullptr, *mean_between = nullptr;

  ULPINE_HD std::int64_t columns() const { return std::int64_t{modes_x} * modes_y; }
  /// Where column (m, n) begins, in pairs.
  ULPINE_HD std::int64_t place(std::int32_t m, std::int32_t n) const { return n * row + m; }
  /// Values from one level to the next.
  ULPINE_HD std::int64_t plane() const { return 2 * level; }
};

/// A complex number as planes hold it, for a device to load or store at once.
template <class T>
struct alignas(2 * sizeof(T)) ComplexPair {
  T re, im;
};

/// 2^-e for x in [2^e, 2^(e + 1)), e at most 126 (1022).
ULPINE_HD inline float inverse_exponent(float x) {  // bare: bits of a type
  return from_bits(0x7f000000u - (to_bits(x) & 0x7f800000u));
}
ULPINE_HD inline double inverse_exponent(double x) {  // bare: bits of a type
  return from_bits(0x7fe0000000000000u - (to_bits(x) & 0x7ff0000000000000u));
}
/// The factor 1, for types that need no scaling for their range.
template <class T>
ULPINE_HD inline T inverse_exponent(T const&) {
  return T(1);
}

/// 1 / x for x in [1, 2), within two units in the last place. A division has a branch for what does not occur
/// here, which keeps a device from working on several levels at once.
template <class T>
ULPINE_HD inline T reciprocal(T x) {
  if constexpr (sizeof(T) > sizeof(std::uint64_t)) {
    return T(1) / x;
  } else {
    // The best parabola is within 1 / 99 (Chebyshev's polynomial of degree 3); a step cubes that.
    T r = math::fma(math::fma(T(32) / T(99), x, T(-144) / T(99)), x, T(210) / T(99));
    for (int step = 0; step < 2; ++step) {
      T const error = math::fma(-x, r, T(1));
      r = math::fma(r, math::fma(error, error, error), r);
    }
    return r;
  }
}

/// Half of a column: from an end towards the other half. The lower one is empty where there is one level.
struct ColumnHalf {
  std::int32_t end, step, count;  ///< the level at the end, +1 upward or -1 downward, levels

  /// The n-th level from the end; the face from there inward; the face at the end.
  ULPINE_HD std::int32_t level(std::int32_t n) const { return end + n * step; }
  ULPINE_HD std::int32_t inward(std::int32_t k) const { return step > 0 ? k + 1 : k; }
  ULPINE_HD std::int32_t outer_face() const { return step > 0 ? end : end + 1; }
};
ULPINE_HD inline ColumnHalf lower_half(std::int32_t levels) { return {0, 1, levels / 2}; }
ULPINE_HD inline ColumnHalf upper_half(std::int32_t levels) { return {levels - 1, -1, levels - levels / 2}; }

/// Factors of a level: loss(k) and 1 / (g + excess(k)), g being that of the face inward.
template <class T>
struct LevelFactors {
  T loss, gain;
};

/// The factors of a half from its end on. The excess is held as a quotient, so that from one level to the
/// next there are a few multiplications only; its denominator is kept in [1, 2).
template <class T>
struct Elimination {
  T denominator = T(1), carried;

  /// Beyond the end p is 0, seen through g of the outer face.
  ULPINE_HD explicit Elimination(T outer_conductance) : carried{outer_conductance} {}
  ULPINE_HD Elimination(T denominator, T carried) : denominator{denominator}, carried{carried} {}

  ULPINE_HD LevelFactors<T> next(T lambda, T thickness, T conductance) {
    T const numerator = math::fma(lambda * thickness, denominator, carried);
    T const above = math::fma(conductance, denominator, numerator);
    T const scale = inverse_exponent(above);
    T const scaled = above * scale;
    T const inverse = reciprocal(scaled) * scale;
    LevelFactors<T> const factors{numerator * inverse, denominator * inverse};
    carried = conductance * (numerator * scale);
    denominator = scaled;
    return factors;
  }
};

/// The sweeps' steps for the real or the imaginary part, with the operands of their products rounded to
/// `Format`; the right-hand side and the factors are not.
template <class T, class Format>
struct Sweep {
  /// x(k) from d(k) and, of the level before, x and loss.
  ULPINE_HD static T inward(T before, T loss_before, T weight, T value) {
    return math::fma(weight, value, math::fma(-Format::round(loss_before), Format::round(before), before));
  }
  /// x(k) / (g + excess(k)).
  ULPINE_HD static T kept(T x, T gain) { return Format::round(x) * Format::round(gain); }
  /// The other half's first p, from the two halves' last losses and what they kept.
  ULPINE_HD static T across(T kept_here, T loss_here, T kept_there, T loss_there) {
    T const sum = math::fma(-Format::round(loss_there), Format::round(kept_here), kept_here) + kept_there;
    return sum / (loss_here + math::fma(-loss_here, loss_there, loss_there));
  }
  /// p(k) from what was kept and the p that is next inward.
  ULPINE_HD static T outward(T inner, T loss, T kept) {
    return math::fma(-Format::round(loss), Format::round(inner), inner) + kept;
  }
};

/// The means over x and y where both ends are closed: the mean of d over the column is left out, p
/// integrated upward from p(0) = 0 and its mean subtracted, means being weighted with dz. `source` is pairs,
/// `source_stride` values from level to level; it may be `target`, with the latter's stride.
template <class T>
struct MeanColumn {
  using Wide = typename Wider<T>::Type;
  ColumnTables<T> tables;
  T const* source;
  std::int64_t source_stride;
  T* target;
  std::int64_t target_stride;

  /// part: 0 the real one, 1 the imaginary one.
  ULPINE_HD void operator()(std::int64_t part) const {
    Wide height = 0, total = 0;
    for (std::int32_t k = 0; k < tables.levels; ++k) {
      height += tables.mean_thickness[k];
      total += supply(k, part);
    }
    Wide const surplus = total / height;
    Wide flow = 0, p = 0, sum = 0;
    for (std::int32_t k = 0; k < tables.levels; ++k) {
      sum += tables.mean_thickness[k] * p;
      rise(supply(k, part), surplus, k, flow, p);
    }
    p = -sum / height;
    flow = 0;
    for (std::int32_t k = 0; k < tables.levels; ++k) {
      Wide const here = supply(k, part);
      target[k * target_stride + part] = static_cast<T>(p);
      rise(here, surplus, k, flow, p);
    }
  }
  ULPINE_HD Wide supply(std::int32_t k, std::int64_t part) const {
    return tables.mean_weight[k] * Wide(source[k * source_stride + part]);
  }
  ULPINE_HD void rise(Wide supply, Wide surplus, std::int32_t k, Wide& flow, Wide& p) const {
    flow += supply - tables.mean_thickness[k] * surplus;
    p -= tables.mean_between[k] * flow;
  }
};

/// A column in two passes over memory, in place, with a value of `losses` (as a plane's pairs count) for each
/// pair.
template <class T, class Format>
struct TwoPassColumn {
  using Step = Sweep<T, Format>;
  ColumnTables<T> tables;
  T* planes;
  T* losses;

  ULPINE_HD void operator()(std::int32_t m, std::int32_t n) const {
    Column const column{tables.place(m, n), std::int64_t{n} * tables.modes_x + m};
    T* const first = planes + 2 * column.place;
    if (column.number == 0 && tables.singular) {
      MeanColumn<T> const mean{tables, first, tables.plane(), first, tables.plane()};
      mean(0);
      mean(1);
      return;
    }
    T const lambda = tables.along_x[m] + tables.along_y[n];
    auto const lower = lower_half(tables.levels), upper = upper_half(tables.levels);
    auto const below = eliminate(column, lambda, lower), above = eliminate(column, lambda, upper);
    substitute(column, lower, across(below, above));
    substitute(column, upper, across(above, below));
  }

 private:
  // Levels are loaded several at once: stores in between would hold the loads back.
  static constexpr std::int32_t batch = 8;
  struct Column {
    std::int64_t place, number;  ///< in pairs of the planes; of losses of a level
  };
  /// The last level of a half of a column, where it meets the other half.
  struct Met {
    ComplexPair<T> kept;
    T loss;
  };

  ULPINE_HD Met eliminate(Column column, T lambda, ColumnHalf half) const {
    Elimination<T> elimination(tables.conductance[half.outer_face()]);
    T re = T(0), im = T(0);
    Met met{{T(0), T(0)}, T(0)};
    ComplexPair<T> values[batch];
    for (std::int32_t start = 0; start < half.count; start += batch) {
      for (std::int32_t b = 0; b < batch && start + b < half.count; ++b) {
        values[b] = at(column, half.level(start + b));
      }
      for (std::int32_t b = 0; b < batch && start + b < half.count; ++b) {
        auto const k = half.level(start + b);
        re = Step::inward(re, met.loss, tables.weight[k], values[b].re);
        im = Step::inward(im, met.loss, tables.weight[k], values[b].im);
        auto const factors =
            elimination.next(lambda, tables.thickness[k], tables.conductance[half.inward(k)]);
        met = {{Step::kept(re, factors.gain), Step::kept(im, factors.gain)}, factors.loss};
        at(column, k) = met.kept;
        losses[k * tables.columns() + column.number] = met.loss;
      }
    }
    return met;
  }
  ULPINE_HD static ComplexPair<T> across(Met const& here, Met const& there) {
    return {Step::across(here.kept.re, here.loss, there.kept.re, there.loss),
            Step::across(here.kept.im, here.loss, there.kept.im, there.loss)};
  }
  ULPINE_HD void substitute(Column column, ColumnHalf half, ComplexPair<T> p) const {
    ComplexPair<T> values[batch];
    T loss_of[batch];
    for (std::int32_t start = half.count; start > 0; start -= batch) {
      for (std::int32_t b = 1; b <= batch && start - b >= 0; ++b) {
        auto const k = half.level(start - b);
        values[b - 1] = at(column, k);
        loss_of[b - 1] = losses[k * tables.columns() + column.number];
      }
      for (std::int32_t b = 1; b <= batch && start - b >= 0; ++b) {
        p = {Step::outward(p.re, loss_of[b - 1], values[b - 1].re),
             Step::outward(p.im, loss_of[b - 1], values[b - 1].im)};
        at(column, half.level(start - b)) = p;
      }
    }
  }
  ULPINE_HD ComplexPair<T>& at(Column column, std::int32_t k) const {
    return reinterpret_cast<ComplexPair<T>*>(planes)[k * tables.level + column.place];
  }
};

}  // namespace ulpine
