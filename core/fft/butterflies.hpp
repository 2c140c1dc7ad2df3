// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/arithmetic.hpp"
#include "precision/host_device.hpp"

/// The arithmetic of the portable Fourier transform, written once for host and device: the same bits. Host
/// code in float128 includes precision/quad.hpp before this.
namespace ulpine::fft {

/// Memory of a pair of values in a plane.
template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;

  ULPINE_HD friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  ULPINE_HD friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
};

/// Cosine and sine of 2 pi k / R for k = 1 to R / 2.
template <class T, int R>
struct OddRoots {
  T cosine[R / 2], sine[R / 2];
};

/// Constants of the butterflies, rounded to the format of products.
template <class T>
struct Constants {
  T sqrt_half;
  OddRoots<T, 3> of3;
  OddRoots<T, 5> of5;
  OddRoots<T, 7> of7;
};

/// Products of a constant, which is already a value of the format unless that is known only when the program
/// runs, with a number that is rounded to it.
template <class T, class Format>
struct Products {
  using Value = T;

  ULPINE_HD static T times(T constant, T x) { return in_format(constant) * Format::round(x); }
  /// constant x + sum.
  ULPINE_HD static T fused(T constant, T x, T sum) {
    return math::fma(in_format(constant), Format::round(x), sum);
  }
  ULPINE_HD static Complex<T> times(Complex<T> constant, Complex<T> x) {
    return {fused(constant.re, x.re, -times(constant.im, x.im)),
            fused(constant.re, x.im, times(constant.im, x.re))};
  }

 private:
  ULPINE_HD static T in_format(T constant) {
    if constexpr (requires { Format::known_when_run; }) {
      return Format::round(constant);
    } else {
      return constant;
    }
  }
};

/// Discrete Fourier transform of R numbers in place, exp(-i ...).
template <class P, int R>
struct Butterfly;

template <class P>
struct Butterfly<P, 2> {
  using T = typename P::Value;
  ULPINE_HD static void apply(Complex<T> (&v)[2], Constants<T> const&) {
    auto const difference = v[0] - v[1];
    v[0] = v[0] + v[1];
    v[1] = difference;
  }
};

template <class P>
struct Butterfly<P, 4> {
  using T = typename P::Value;
  ULPINE_HD static void apply(Complex<T>& v0, Complex<T>& v1, Complex<T>& v2, Complex<T>& v3) {
    auto const a = v0 + v2, b = v0 - v2, c = v1 + v3, d = v1 - v3;
    v0 = a + c;
    v1 = {b.re + d.im, b.im - d.re};
    v2 = a - c;
    v3 = {b.re - d.im, b.im + d.re};
  }
  ULPINE_HD static void apply(Complex<T> (&v)[4], Constants<T> const&) { apply(v[0], v[1], v[2], v[3]); }
};

template <class P>
struct Butterfly<P, 8> {
  using T = typename P::Value;
  ULPINE_HD static void apply(Complex<T> (&v)[8], Constants<T> const& constants) {
    Butterfly<P, 4>::apply(v[0], v[2], v[4], v[6]);
    Butterfly<P, 4>::apply(v[1], v[3], v[5], v[7]);
    auto const s = constants.sqrt_half;
    auto const e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6], o0 = v[1], o1 = v[3], o2 = v[5], o3 = v[7];
    Complex<T> const q1{o1.re + o1.im, o1.im - o1.re}, q3{o3.im - o3.re, -(o3.re + o3.im)};
    v[0] = e0 + o0;
    v[1] = scaled(s, q1, e1);
    v[2] = {e2.re + o2.im, e2.im - o2.re};
    v[3] = scaled(s, q3, e3);
    v[4] = e0 - o0;
    v[5] = scaled(-s, q1, e1);
    v[6] = {e2.re - o2.im, e2.im + o2.re};
    v[7] = scaled(-s, q3, e3);
  }

 private:
  ULPINE_HD static Complex<T> scaled(T s, Complex<T> q, Complex<T> e) {
    return {P::fused(s, q.re, e.re), P::fused(s, q.im, e.im)};
  }
};

/// An odd prime by sums and differences of the numbers k and R - k.
template <class P, int R>
struct OddButterfly {
  using T = typename P::Value;
  static constexpr int half = R / 2;

  ULPINE_HD static void apply(Complex<T> (&v)[R], OddRoots<T, R> const& roots) {
    Complex<T> sum[half], difference[half], even[half], odd[half];
    auto const first = v[0];
    auto total = first;
    ULPINE_UNROLL
    for (int k = 0; k < half; ++k) {
      sum[k] = v[k + 1] + v[R - 1 - k];
      difference[k] = v[k + 1] - v[R - 1 - k];
      total = total + sum[k];
    }
    ULPINE_UNROLL
    for (int r = 0; r < half; ++r) {
      even[r] = first;
      ULPINE_UNROLL
      for (int k = 0; k < half; ++k) {
        int const turn = (k + 1) * (r + 1) % R;
        int const at = (turn > half ? R - turn : turn) - 1;
        auto const cosine = roots.cosine[at], sine = turn > half ? -roots.sine[at] : roots.sine[at];
        even[r] = {P::fused(cosine, sum[k].re, even[r].re), P::fused(cosine, sum[k].im, even[r].im)};
        odd[r] = k == 0 ? Complex<T>{P::times(sine, difference[k].re), P::times(sine, difference[k].im)}
                        : Complex<T>{P::fused(sine, difference[k].re, odd[r].re),
                                     P::fused(sine, difference[k].im, odd[r].im)};
      }
    }
    v[0] = total;
    ULPINE_UNROLL
    for (int r = 0; r < half; ++r) {
      v[r + 1] = {even[r].re + odd[r].im, even[r].im - odd[r].re};
      v[R - 1 - r] = {even[r].re - odd[r].im, even[r].im + odd[r].re};
    }
  }
};

template <class P>
struct Butterfly<P, 3> {
  using T = typename P::Value;
  ULPINE_HD static void apply(Complex<T> (&v)[3], Constants<T> const& constants) {
    OddButterfly<P, 3>::apply(v, constants.of3);
  }
};
template <class P>
struct Butterfly<P, 5> {
  using T = typename P::Value;
  ULPINE_HD static void apply(Complex<T> (&v)[5], Constants<T> const& constants) {
    OddButterfly<P, 5>::apply(v, constants.of5);
  }
};
template <class P>
struct Butterfly<P, 7> {
  using T = typename P::Value;
  ULPINE_HD static void apply(Complex<T> (&v)[7], Constants<T> const& constants) {
    OddButterfly<P, 7>::apply(v, constants.of7);
  }
};

}  // namespace ulpine::fft
