// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fft/butterflies.hpp"

/// The transform of a line (a row or column of a plane) as a list of steps. Each consists of items that may
/// be done in any order and at once; every schedule, on the host or a device, does the same items: the same
/// bits.
namespace ulpine::fft {

/// x / divisor for 0 <= x < 2^31 by a multiplication.
struct Divider {
  std::uint32_t divisor = 1, factor = 1u << 31;
  std::int32_t shift = 31;

  Divider() = default;
  ULPINE_HD explicit constexpr Divider(std::int32_t by) : divisor{static_cast<std::uint32_t>(by)} {
    while ((std::uint64_t{1} << (shift - 31)) < divisor) ++shift;
    // Rounded up, by less than 2^(shift - 31) / divisor: the excess of x factor stays below one half.
    factor = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + divisor - 1) / divisor);
  }
  ULPINE_HD constexpr std::int32_t operator()(std::int32_t x) const {
    return static_cast<std::int32_t>((static_cast<std::uint64_t>(x) * factor) >> shift);
  }
};

enum class Operation : std::int32_t {
  pass,       ///< of Stockham's algorithm
  chirp,      ///< Bluestein: times exp(-i pi j^2 / n), then zeros up to a power of two
  filter,     ///< Bluestein: times the transform of the conjugate chirp, over its length
  unchirp,    ///< Bluestein: times exp(-i pi k^2 / n)
  split,      ///< the transform of pairs of reals, n numbers, to that of the 2 n reals: n + 1 numbers
  merge,      ///< the other way round
  from_real,  ///< an odd number of reals to complex numbers
  to_half,    ///< of a real line's transform the wavenumbers up to n / 2
  from_half,  ///< all wavenumbers from these
  to_real     ///< the real parts
};

/// Where numbers of a line lie: in the planes or in one of two buffers.
enum class Place : std::int32_t { planes, a, b };

struct Step {
  Operation operation = Operation::pass;
  Place source = Place::planes, target = Place::planes;
  /// Real and imaginary parts exchanged when read or written: makes an inverse transform of a forward one.
  bool swapped_source = false, swapped_target = false;
  std::int32_t radix = 0, items = 0;
  /// The product of the radices before this one, for a pass.
  std::int32_t stride = 1;
  Divider by_stride{}, by_items{};
  /// Where the step's numbers begin in the table. A pass: exp(-2 pi i p r / (radix stride)) at
  /// (r - 1) stride + p.
  std::int64_t table = 0;
};

template <class T>
struct LineProgram {
  static constexpr int most_steps = 32;
  Step steps[most_steps];
  std::int32_t count = 0;
  /// Length of the complex transform; `buffered`: the most numbers that a buffer takes.
  std::int32_t points = 0, buffered = 0;
  Constants<T> constants{};
  Complex<T> const* table = nullptr;
};

/// One item of a step, done to a line. Source: load(j), Target: store(j, x); all loads come before the first
/// store.
template <class P, Operation operation>
struct ItemOf;

/// `First`: all factors are 1.
template <class P, int R, bool First>
struct PassItem {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const& program, Step const& step, std::int32_t item,
                              Source const& source, Target const& target) {
    std::int32_t const p = First ? 0 : item - step.by_stride(item) * step.stride;
    Complex<T> v[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) v[r] = source.load(item + r * step.items);
    if constexpr (!First) {
#pragma GCC unroll 8
      for (int r = 1; r < R; ++r) {
        v[r] = P::times(program.table[step.table + (r - 1) * step.stride + p], v[r]);
      }
    }
    Butterfly<P, R>::apply(v, program.constants);
    auto const first = (item - p) * R + p;
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) target.store(First ? item * R + r : first + r * step.stride, v[r]);
  }
};

template <class P>
struct ItemOf<P, Operation::chirp> {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const& program, Step const& step, std::int32_t item,
                              Source const& source, Target const& target) {
    target.store(item, item < program.points ? P::times(program.table[step.table + item], source.load(item))
                                             : Complex<T>{T(0), T(0)});
  }
};

template <class P>
struct FactorItem {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const& program, Step const& step, std::int32_t item,
                              Source const& source, Target const& target) {
    target.store(item, P::times(program.table[step.table + item], source.load(item)));
  }
};
template <class P>
struct ItemOf<P, Operation::filter> : FactorItem<P> {};
template <class P>
struct ItemOf<P, Operation::unchirp> : FactorItem<P> {};

/// Z = E + i O, the transforms of the even and odd reals, which are Hermitian: X(k) = E + w O and
/// X(n - k) = conj(E - w O), w = exp(-i pi k / n).
template <class P>
struct ItemOf<P, Operation::split> {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const& program, Step const& step, std::int32_t k,
                              Source const& source, Target const& target) {
    auto const n = program.points;
    auto const z = source.load(k), mirrored = source.load(k == 0 ? 0 : n - k);
    Complex<T> const even{z.re + mirrored.re, z.im - mirrored.im};
    Complex<T> const odd{z.im + mirrored.im, mirrored.re - z.re};
    auto const turned = P::times(program.table[step.table + k], odd);
    auto const half = T(1) / T(2);
    target.store(k, {half * (even.re + turned.re), half * (even.im + turned.im)});
    target.store(n - k, {half * (even.re - turned.re), half * (turned.im - even.im)});
  }
};

/// Z(k) = E + i O with E = X(k) + conj X(n - k), O = conj(w) (X(k) - conj X(n - k)): twice what split takes.
/// The imaginary parts of X(0) and X(n), zero for a real line, do not count.
template <class P>
struct ItemOf<P, Operation::merge> {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const& program, Step const& step, std::int32_t k,
                              Source const& source, Target const& target) {
    auto const n = program.points;
    auto x = source.load(k), mirrored = source.load(n - k);
    if (k == 0) x.im = mirrored.im = T(0);
    Complex<T> const even{x.re + mirrored.re, x.im - mirrored.im};
    Complex<T> const odd{x.re - mirrored.re, x.im + mirrored.im};
    auto const w = program.table[step.table + k];
    auto const turned = P::times(Complex<T>{w.re, -w.im}, odd);
    target.store(k, {even.re - turned.im, even.im + turned.re});
    if (k != 0) target.store(n - k, {even.re + turned.im, turned.re - even.im});
  }
};

template <class P>
struct ItemOf<P, Operation::from_real> {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const&, Step const&, std::int32_t item, Source const& source,
                              Target const& target) {
    auto const pair = source.load(item / 2);
    target.store(item, {item % 2 == 0 ? pair.re : pair.im, T(0)});
  }
};

template <class P>
struct ItemOf<P, Operation::to_half> {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const&, Step const&, std::int32_t item, Source const& source,
                              Target const& target) {
    target.store(item, source.load(item));
  }
};

template <class P>
struct ItemOf<P, Operation::from_half> {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const& program, Step const&, std::int32_t item,
                              Source const& source, Target const& target) {
    auto const mirrored = item > program.points / 2;
    auto x = source.load(mirrored ? program.points - item : item);
    if (item == 0) x.im = T(0);
    target.store(item, {x.re, mirrored ? -x.im : x.im});
  }
};

/// The value after the last is 0.
template <class P>
struct ItemOf<P, Operation::to_real> {
  using T = typename P::Value;
  template <class Source, class Target>
  ULPINE_HD static void apply(LineProgram<T> const& program, Step const&, std::int32_t item,
                              Source const& source, Target const& target) {
    auto const even = source.load(2 * item).re;
    target.store(item, {even, 2 * item + 1 < program.points ? source.load(2 * item + 1).re : T(0)});
  }
};

/// run(Item{}) for the kind of items that the step has. Inlined, as a device's compiler leaves undone for
/// numbers of two floats, so that programs are read where kernels' arguments are.
template <class P, class Run>
[[gnu::always_inline]] ULPINE_HD inline void visit_items(Step const& step, Run const& run) {
  switch (step.operation) {
    case Operation::pass:
      switch (step.stride == 1 ? -step.radix : step.radix) {
        case -2:
          return run(PassItem<P, 2, true>{});
        case -3:
          return run(PassItem<P, 3, true>{});
        case -4:
          return run(PassItem<P, 4, true>{});
        case -5:
          return run(PassItem<P, 5, true>{});
        case -7:
          return run(PassItem<P, 7, true>{});
        case -8:
          return run(PassItem<P, 8, true>{});
        case 2:
          return run(PassItem<P, 2, false>{});
        case 3:
          return run(PassItem<P, 3, false>{});
        case 4:
          return run(PassItem<P, 4, false>{});
        case 5:
          return run(PassItem<P, 5, false>{});
        case 7:
          return run(PassItem<P, 7, false>{});
        case 8:
          return run(PassItem<P, 8, false>{});
      }
      return;
    case Operation::chirp:
      return run(ItemOf<P, Operation::chirp>{});
    case Operation::filter:
    case Operation::unchirp:
      return run(FactorItem<P>{});
    case Operation::split:
      return run(ItemOf<P, Operation::split>{});
    case Operation::merge:
      return run(ItemOf<P, Operation::merge>{});
    case Operation::from_real:
      return run(ItemOf<P, Operation::from_real>{});
    case Operation::to_half:
      return run(ItemOf<P, Operation::to_half>{});
    case Operation::from_half:
      return run(ItemOf<P, Operation::from_half>{});
    case Operation::to_real:
      return run(ItemOf<P, Operation::to_real>{});
  }
}

}  // namespace ulpine::fft
