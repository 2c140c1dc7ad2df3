// SPDX-License-Identifier: Apache-2.0
#include "core/fdm/linear_wave.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

namespace ulpine::fdm {

using namespace constants;

namespace {

using Complex = std::complex<double>;
constexpr Complex i_unit(0, 1);

/// w and q of one wave, or their gradients.
struct Wave {
  Complex w, q;
  Wave plus(double length, Wave const& rate) const { return {w + length * rate.w, q + length * rate.q}; }
};

/// d(w, q)/dz = ((a, b), (c, d)) (w, q) at a height.
struct Gradient {
  double a, d;
  Complex b, c;
  Gradient(BaseState const& base, double z, double k, double wind) {
    auto const theta = base.theta(z), exner = base.exner(z);
    constexpr double near = 1;  // m
    auto const below = std::max(z - near, 0.0);
    auto const stability =
        gravity<double>() * (base.theta(z + near) - base.theta(below)) / (z + near - below) / theta;
    auto const sound2 = heat_capacity<double>() / heat_capacity_at_volume<double>() *
                        dry_gas_constant<double>() * theta * exner;
    a = gravity<double>() / sound2;
    d = stability / gravity<double>();
    b = i_unit * (k / wind) * (1 - wind * wind / sound2);
    c = i_unit * (stability - k * k * wind * wind) / (k * wind);
  }
  Wave of(Wave const& at) const { return {a * at.w + b * at.q, c * at.w + d * at.q}; }
  /// The wave whose energy rises, or that decays upward, in air that does not change along z.
  Wave leaving(double k_wind) const {
    auto const square = (a - d) * (a - d) / 4 + (b * c).real();
    auto const root = square < 0 ? Complex(0, std::copysign(std::sqrt(-square), k_wind)) : -std::sqrt(square);
    return {1, ((a + d) / 2 + root - a) / b};
  }
};

/// w at the levels over w at the lowest.
std::vector<Complex> shape(std::vector<double> const& levels, BaseState const& base, double k, double wind) {
  std::vector<Complex> w(levels.size());
  auto const at = [&](double z) { return Gradient(base, z, k, wind); };
  auto upper = at(levels.back());
  auto wave = upper.leaving(k * wind);
  w.back() = wave.w;
  for (auto level = levels.size() - 1; level > 0; --level) {
    auto const thickness = levels[level] - levels[level - 1];
    auto const scale = std::max(k, std::sqrt(std::abs(upper.b * upper.c)));
    // 0.05 rad: errors of 0.05^4 / 120 of a wave's phase.
    auto const count = std::max(1, static_cast<int>(std::ceil(thickness * scale / 0.05)));
    auto const step = -thickness / count;
    for (int n = 0; n < count; ++n) {
      auto const z = levels[level] + n * step;
      auto const middle = at(z + step / 2), lower = at(std::max(z + step, 0.0));
      auto const first = upper.of(wave), second = middle.of(wave.plus(step / 2, first)),
                 third = middle.of(wave.plus(step / 2, second)), fourth = lower.of(wave.plus(step, third));
      wave = wave.plus(step / 6, first).plus(step / 3, second).plus(step / 3, third).plus(step / 6, fourth);
      upper = lower;
    }
    w[level - 1] = wave.w;
    // Short waves grow downward beyond any number.
    constexpr double large = 1e100;
    if (std::abs(wave.w) > large) {
      for (auto l = level - 1; l < w.size(); ++l) w[l] /= large;
      wave = {wave.w / large, wave.q / large};
    }
  }
  auto const lowest = w.front();
  for (auto& value : w) value /= lowest;
  return w;
}

}  // namespace

std::vector<double> linear_wave(Heights const& heights, BaseState const& base, double wind) {
  auto const nx = static_cast<std::size_t>(heights.whole_nx);
  std::vector<double> all(heights.levels.size() * nx);
  for (std::size_t n = 1; 2 * n < nx; ++n) {
    // turn[i] is the phase factor of wavenumber n at the middle of cell i.
    std::vector<Complex> turn(nx);
    Complex ground = 0;
    for (std::size_t i = 0; i < nx; ++i) {
      turn[i] = std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(n) *
                                    (static_cast<double>(i) + 0.5) / static_cast<double>(nx));
      ground += 2.0 / static_cast<double>(nx) * heights.ground[i] * std::conj(turn[i]);
    }
    auto const k = 2 * std::numbers::pi * static_cast<double>(n) / (static_cast<double>(nx) * heights.dx);
    auto const w = shape(heights.levels, base, k, wind);
    for (std::size_t level = 0; level < w.size(); ++level) {
      auto const wave = i_unit * (wind * k) * ground * w[level];
      for (std::size_t i = 0; i < nx; ++i) all[level * nx + i] += (wave * turn[i]).real();
    }
  }
  return all;
}

}  // namespace ulpine::fdm
