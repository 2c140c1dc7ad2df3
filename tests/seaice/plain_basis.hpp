// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace ulpine::test {

/// Bases and quadrature on the reference square, for PlainIce.
template <class Real>
struct PlainBasis {
  using Rule = std::vector<std::pair<Real, Real>>;
  /// Points and weights of the Gauss rule on [0, 1], n = 1 to 4.
  static Rule const& gauss(int n) {
    static std::array<Rule, 4> const rules = {make_gauss(1), make_gauss(2), make_gauss(3), make_gauss(4)};
    return rules[static_cast<std::size_t>(n - 1)];
  }
  /// Roots of the Legendre polynomial by Newton's method.
  static Rule make_gauss(int n) {
    Rule rule;
    for (int k = n; k >= 1; --k) {
      Real z = std::cos(std::numbers::pi_v<Real> * (Real(k) - Real(0.25)) / (Real(n) + Real(0.5)));
      Real slope = 1;
      for (int iteration = 0; iteration < 20; ++iteration) {
        Real before = 1, value = z;
        for (int m = 2; m <= n; ++m) {
          Real const next = (Real(2 * m - 1) * z * value - Real(m - 1) * before) / Real(m);
          before = value;
          value = next;
        }
        slope = Real(n) * (z * value - before) / (z * z - 1);
        z -= value / slope;
      }
      rule.push_back({(1 + z) / 2, 1 / ((1 - z * z) * slope * slope)});
    }
    return rule;
  }

  /// Legendre polynomials of leading coefficient 1 on [0, 1], of degree 0 to 2, and their slopes.
  static Real legendre(int degree, Real t) {
    Real const z = t - Real(0.5);
    return degree == 0 ? Real(1) : degree == 1 ? z : z * z - Real(1) / 12;
  }
  static Real legendre_slope(int degree, Real t) {
    return degree == 0 ? Real(0) : degree == 1 ? Real(1) : 2 * t - 1;
  }
  /// Degrees along s and t of the modes of the dG basis.
  static constexpr int degree_s[] = {0, 1, 0, 2, 0, 1, 2, 1}, degree_t[] = {0, 0, 1, 0, 2, 1, 1, 2};
  static Real psi(int mode, Real s, Real t) {
    return legendre(degree_s[mode], s) * legendre(degree_t[mode], t);
  }
  static Real psi_s(int mode, Real s, Real t) {
    return legendre_slope(degree_s[mode], s) * legendre(degree_t[mode], t);
  }
  static Real psi_t(int mode, Real s, Real t) {
    return legendre(degree_s[mode], s) * legendre_slope(degree_t[mode], t);
  }

  /// visit(s, t, weight) for the points of the tensor rule, s fastest.
  template <class Visit>
  static void for_each_point(int n, Visit const& visit) {
    auto const rule = gauss(n);
    for (auto const& [t, weight_t] : rule) {
      for (auto const& [s, weight_s] : rule) {
        visit(s, t, weight_s * weight_t);
      }
    }
  }

  /// Lagrange's polynomial of node `local` of cg + 1 on [0, 1], and its slope.
  static Real lagrange(int cg, int local, Real t) {
    Real value = 1;
    for (int other = 0; other <= cg; ++other) {
      if (other != local) value *= (Real(cg) * t - Real(other)) / Real(local - other);
    }
    return value;
  }
  static Real lagrange_slope(int cg, int local, Real t) {
    Real sum = 0;
    for (int factor = 0; factor <= cg; ++factor) {
      if (factor == local) continue;
      Real value = Real(cg) / Real(local - factor);
      for (int other = 0; other <= cg; ++other) {
        if (other != local && other != factor) value *= (Real(cg) * t - Real(other)) / Real(local - other);
      }
      sum += value;
    }
    return sum;
  }
};

}  // namespace ulpine::test
