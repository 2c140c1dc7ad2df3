// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/view.hpp"

/// Coefficients of the implicit step for sound along the vertical: ARPS' solvwpim, loop nest 14.
namespace ulpine::fdm {

/// The tridiagonal equation for w at face k of a column: below w(k - 1) + here w(k) + above w(k + 1) =
/// right-hand side.
template <class T>
struct Equation {
  T below, here, above;
};

/// The scalars of ArpsCoefficients. b is the implicit part of a small step of length dtau (tacoef times
/// dtau), s; gamma = c_p / c_v.
template <class T>
struct ArpsFactors {
  T buoyancy = T(0);  ///< b^2 g / gamma, m
  T gradient = T(0);  ///< b^2 / dzeta, s2 m-1

  /// The factors for b (s), g / gamma (m s-2) and dzeta (m).
  static ArpsFactors of(T implicit_step, T gravity_per_gamma, T dzeta) {
    auto const squared = implicit_step * implicit_step;
    return {squared * gravity_per_gamma, squared / dzeta};
  }
};

/// T1 and T2 of a layer.
template <class T>
struct ArpsLayer {
  T t1, t2;
};
/// A, B and C between two layers, of the equation below.
template <class T>
ULPINE_HD Equation<T> arps_equation(T p, T n, ArpsLayer<T> const& below, ArpsLayer<T> const& above) {
  return {(p - n) * (below.t1 + below.t2),
          T(1) + n * (above.t1 + above.t2 - below.t1 + below.t2) +
              p * (above.t1 + above.t2 + below.t1 - below.t2),
          (p + n) * (above.t1 - above.t2)};
}

/// The tridiagonal system A w(k - 1) + B w(k) + C w(k + 1) = f for the vertical wind after a small step. With
/// p = r b^2 (g / gamma) X5 and n = r b^2 X4 / dzeta:
///
///   A = (p - n) (T1 + T2)(k - 1)
///   B = 1 + n (T1(k) + T2(k) - T1(k - 1) + T2(k - 1)) + p (T1(k) + T2(k) + T1(k - 1) - T2(k - 1))
///   C = (p + n) (T1 - T2)(k)
///
/// T1 = (g / 2) rho* / J3 and T2 = c_s^2 rho* / (J3^2 dzeta) belong to the layers above level k (k) and below
/// it (k - 1), the rest to level k: r = rho_0 / rho, X4 = 1 / rho*, X5 = 1 / (p_0(k) + p_0(k - 1)). Five
/// arrays read, three written; 8 multiplications, 12 additions.
///
/// Pressure's part in p is that of the level's mean, X5, where the explicit side takes (X3 / 2)(k) and
/// (X3 / 2)(k - 1), X3 = rho* / p_0, over rho* of the level: B - 1 differs by O(dzeta^2).
///
/// Called for (i, j, k_from_lowest).
template <class T>
struct ArpsCoefficients {
  ArpsFactors<T> factors;
  std::int32_t lowest = 1;  ///< k of the first call: the level above the ground's
  /// Steps from a level and from a row to the next, in values; those of a row lie one after the other.
  std::int64_t plane = 0, row = 0;
  T const* r = nullptr;   ///< each at (0, 0, 0)
  T const* x5 = nullptr;  ///< Pa-1
  T const* x4 = nullptr;  ///< m3 kg-1
  T const* t1 = nullptr;  ///< kg m-2 s-2
  T const* t2 = nullptr;  ///< kg m-2 s-2
  T* a = nullptr;
  T* b = nullptr;
  T* c = nullptr;

  /// Blocks that keep a device's memory busy, as many as a multiprocessor's registers hold.
  static constexpr int resident_blocks = sizeof(T) > sizeof(std::int32_t) ? 6 : 8;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k_from_lowest) const {
    climb(i, j, k_from_lowest, k_from_lowest + 1);
  }
  /// The levels' T1 and T2 are read once: planes of large grids do not stay in a cache.
  ULPINE_HD void climb(std::int32_t i, std::int32_t j, std::int32_t from, std::int32_t end) const {
    auto at = (std::int64_t{lowest} + from) * plane + j * row + i;
    ArpsLayer<T> below{t1[at - plane], t2[at - plane]};
    for (auto k = from; k < end; ++k, at += plane) {
      ArpsLayer<T> const above{t1[at], t2[at]};
      put(at, below, above);
      below = above;
    }
  }

 private:
  ULPINE_HD void put(std::int64_t at, ArpsLayer<T> const& below, ArpsLayer<T> const& above) const {
    auto const p = factors.buoyancy * r[at] * x5[at], n = factors.gradient * r[at] * x4[at];
    auto const equation = arps_equation(p, n, below, above);
    a[at] = equation.below;
    b[at] = equation.here;
    c[at] = equation.above;
  }
};

}  // namespace ulpine::fdm
