// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "precision/quad.hpp"
#include "tests/support/random_values.hpp"

/// Element integrals in 113 bits the long way: Gauss-Legendre points on a collapsed cube (degree 7, less 2
/// for the collapse), gradients by Cramer's rule. Nothing of core/fem.
namespace ulpine::test {

using Vector = std::array<float128, 3>;

inline float128 dot(Vector const& a, Vector const& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector cross(Vector const& a, Vector const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vector minus(Vector const& a, Vector const& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// The mean over four nodes of nine numbers a node or, where it is no tensor, of one times the unit tensor.
inline std::array<Vector, 3> mean_tensor(bool tensor, std::array<double, 36> const& nine,
                                         std::array<double, 4> const& one) {
  std::array<Vector, 3> mean{};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int k = 0; k < 4; ++k) {
        mean[a][b] += float128(tensor ? nine[9 * k + 3 * a + b] : a == b ? one[k] : 0) / 4;
      }
  return mean;
}

struct ReferenceElement {
  std::array<Vector, 4> x, gradient;
  float128 volume;
  double longest = 0;  ///< edge

  explicit ReferenceElement(double const* nodes) {
    for (int k = 0; k < 4; ++k)
      for (int d = 0; d < 3; ++d) x[k][d] = nodes[3 * k + d];
    auto const a = minus(x[1], x[0]), b = minus(x[2], x[0]), c = minus(x[3], x[0]);
    auto const determinant = dot(a, cross(b, c));
    volume = determinant / 6;
    gradient[1] = cross(b, c), gradient[2] = cross(c, a), gradient[3] = cross(a, b);
    for (int d = 0; d < 3; ++d) {
      gradient[0][d] = 0;
      for (int k = 1; k < 4; ++k) {
        gradient[k][d] /= determinant;
        gradient[0][d] -= gradient[k][d];
      }
    }
    for (int k = 0; k < 4; ++k)
      for (int l = 0; l < k; ++l) {
        auto const e = minus(x[k], x[l]);
        longest = std::max(longest, std::sqrt(static_cast<double>(dot(e, e))));
      }
  }

  /// How much larger than a relative error of the edges that of volume and gradients may be: L^3 / det.
  double condition() const { return std::pow(longest, 3) / static_cast<double>(6 * volume); }
  /// No gradient is larger.
  double steepest() const { return longest * longest / static_cast<double>(6 * volume); }

  /// The integral of f(L), L the barycentric coordinates.
  template <class F>
  float128 integrate(F const& f) const {
    using boost::multiprecision::sqrt;
    float128 const inner = sqrt(float128(3) / 7 - float128(2) / 7 * sqrt(float128(6) / 5)),
                   outer = sqrt(float128(3) / 7 + float128(2) / 7 * sqrt(float128(6) / 5)),
                   root = sqrt(float128(30));
    std::array<float128, 4> const point{-outer, -inner, inner, outer};
    std::array<float128, 4> const weight{(18 - root) / 36, (18 + root) / 36, (18 + root) / 36,
                                         (18 - root) / 36};
    float128 total = 0;
    for (int p = 0; p < 4; ++p)
      for (int q = 0; q < 4; ++q)
        for (int r = 0; r < 4; ++r) {
          float128 const u = (1 + point[p]) / 2, v = (1 + point[q]) / 2, w = (1 + point[r]) / 2;
          float128 const second = v * (1 - u), third = w * (1 - u) * (1 - v);
          std::array<float128, 4> const L{1 - u - second - third, u, second, third};
          total += weight[p] * weight[q] * weight[r] / 8 * (1 - u) * (1 - u) * (1 - v) * f(L);
        }
    return total * 6 * volume;
  }
};

inline float128 at(std::array<float128, 4> const& L, std::array<double, 4> const& value) {
  return L[0] * value[0] + L[1] * value[1] + L[2] * value[2] + L[3] * value[3];
}
inline Vector at(std::array<float128, 4> const& L, std::array<double, 12> const& value) {
  Vector out{};
  for (int k = 0; k < 4; ++k)
    for (int d = 0; d < 3; ++d) out[d] += L[k] * value[3 * k + d];
  return out;
}
inline Vector gradient(ReferenceElement const& e, std::array<double, 4> const& value) {
  Vector out{};
  for (int k = 0; k < 4; ++k)
    for (int d = 0; d < 3; ++d) out[d] += e.gradient[k][d] * value[k];
  return out;
}
inline float128 divergence(ReferenceElement const& e, std::array<double, 12> const& value) {
  float128 out = 0;
  for (int k = 0; k < 4; ++k)
    for (int d = 0; d < 3; ++d) out += e.gradient[k][d] * value[3 * k + d];
  return out;
}

/// Four nodes of a positively oriented tetrahedron, edges of some hundred metres; every third is flat, up to
/// a thousandth.
inline std::array<double, 12> random_tetrahedron(RandomValues& random, int number) {
  for (;;) {
    std::array<double, 12> x;
    double const flat = number % 3 == 0 ? std::pow(10.0, -3 * random.uniform()) : 1;
    for (int k = 0; k < 12; ++k) x[k] = random.between(-300, 300) * (k % 3 == 2 ? flat : 1);
    for (int k = 0; k < 4; ++k) x[3 * k] += 30000;
    ReferenceElement const e(x.data());
    if (e.volume < 0) {
      for (int d = 0; d < 3; ++d) std::swap(x[6 + d], x[9 + d]);
    }
    ReferenceElement const turned(x.data());
    if (turned.condition() < 1e5) return x;
  }
}

template <std::size_t n>
std::array<double, n> random_values(RandomValues& random, double low, double high) {
  std::array<double, n> out;
  for (auto& value : out) value = static_cast<float>(random.between(low, high));
  return out;
}

}  // namespace ulpine::test
