// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fdm/closure.hpp"
#include "core/fdm/space.hpp"

namespace ulpine::test {

using Function = std::function<double(double, double, double)>;  ///< of x, y, z in m

/// Derivative along an axis (0 to 2) by differences of fourth order over 2 m: to 1e-9 of what varies over km.
inline Function derivative(Function const& of, int axis) {
  return [=](double x, double y, double z) {
    auto const at = [&](double step) {
      return of(x + (axis == 0 ? step : 0), y + (axis == 1 ? step : 0), z + (axis == 2 ? step : 0));
    };
    return (8 * (at(2) - at(-2)) - (at(4) - at(-4))) / 24;
  };
}

/// Smooth and periodic along x and y, nowhere symmetric.
inline Function wave(double mean, double amplitude, double phase) {
  return [=](double x, double y, double z) {
    return mean + amplitude * std::sin(2 * std::numbers::pi * x / 12000 + phase) *
                      std::cos(2 * std::numbers::pi * y / 7000 - 2 * phase) *
                      (1 + 0.6 * std::sin(z / 1500 + phase));
  };
}

/// Unequal levels in moist air, over hills or flat, on `parts` times 12 x 10 x 10 cells of 1000 x 700 x 500
/// m; and fields on them, set by functions of the place, halo included.
template <template <class> class Ground>
class SmoothAir {
 public:
  using Place = ulpine::Place;
  static constexpr auto halo = ulpine::halo;
  static constexpr bool terrain = Ground<double>::terrain;
  static constexpr double lid = 5000;

  /// `more`: tables to add to the case.
  explicit SmoothAir(int parts, std::string const& more = "")
      : p(io::CaseFile::parse(text(parts) + more, "air.toml")),
        heights(made_heights(p)),
        base(p.base, lid),
        space(Host{}, p, heights, base),
        steps_(p, 1) {
    for (int n = 0; n <= table; ++n) {
      exner_.push_back(base.exner(lowest + n));
      humidity_.push_back(base.humidity(lowest + n, exner_.back()));
    }
  }

  static double ground_height(double x, double y) {
    if (!terrain) return 0;
    return 300 + 250 * std::sin(2 * std::numbers::pi * x / 12000) * std::cos(2 * std::numbers::pi * y / 7000);
  }
  /// z over (x, y) of the level that has the height `level` over flat ground.
  static double height(double level, double x, double y) {
    return level * (lid - ground_height(x, y)) / lid + ground_height(x, y);
  }
  /// Its slope along axis 0 or 1 at the height z.
  static double slope(int axis, double x, double y, double z) {
    auto const level = (z - ground_height(x, y)) * lid / (lid - ground_height(x, y));
    return derivative([=](double a, double b, double) { return height(level, a, b); }, axis)(x, y, z);
  }
  double density(double z) const {
    auto const moist = base.theta(z) * (1 + (461.0 / 287 - 1) * humidity(z));
    return pressure(z) / (287 * moist * exner(z));
  }
  double pressure(double z) const { return 1e5 * std::pow(exner(z), 1004.0 / 287); }
  double humidity(double z) const { return between(humidity_, z); }
  double exner(double z) const { return between(exner_, z); }

  /// The place of point (k, j, i) of fields there.
  template <class Take>
  auto at(Place place, std::int32_t k, std::int32_t j, std::int32_t i, Take const& take) const {
    auto const x = (i + (place == Place::u ? 0 : 0.5)) * p.dx, y = (j + (place == Place::v ? 0 : 0.5)) * p.dy;
    auto const z = place == Place::w   ? heights.face(k, j, i)
                   : place == Place::u ? (heights.centre(k, j, i - 1) + heights.centre(k, j, i)) / 2
                   : place == Place::v ? (heights.centre(k, j - 1, i) + heights.centre(k, j, i)) / 2
                                       : heights.centre(k, j, i);
    return take(x, y, z);
  }
  /// A field of its own, which lasts until forget().
  Rows<double> field(Place place, Function const& function) {
    auto const rows = empty();
    for (std::int32_t k = -halo; k <= p.nz + halo; ++k) {
      for (std::int32_t j = -halo; j <= p.ny + halo; ++j) {
        for (std::int32_t i = -halo; i <= p.nx + halo; ++i) rows(k, j, i) = at(place, k, j, i, function);
      }
    }
    return rows;
  }
  Rows<double> empty() {
    fields_.emplace_back(static_cast<std::size_t>(steps_.allocated), 0.0);
    return {fields_.back().data() + steps_.offset, steps_.plane, steps_.row};
  }
  /// Largest difference between a field and a function in the middle third of the levels, over the largest
  /// value of the function.
  double error(Place place, Rows<double> const& found, Function const& wanted) const {
    double worst = 0, size = 0;
    for (std::int32_t k = p.nz / 3; k < 2 * p.nz / 3; ++k) {
      for (std::int32_t j = 0; j < p.ny; ++j) {
        for (std::int32_t i = 0; i < p.nx; ++i) {
          auto const value = at(place, k, j, i, wanted);
          worst = std::max(worst, std::abs(found(k, j, i) - value));
          size = std::max(size, std::abs(value));
        }
      }
    }
    return worst / size;
  }
  void forget() { fields_.clear(); }
  Extent3 extent() const { return {p.nx, p.ny, p.nz}; }

  fdm::Parameters p;
  fdm::Heights heights;
  fdm::BaseState base;
  fdm::Space<double, Ground, Host> space;

 private:
  /// Of a table with an entry each metre: to 1e-8.
  static double between(std::vector<double> const& values, double z) {
    auto const n = std::clamp(static_cast<int>(z - lowest), 0, table - 1);
    auto const part = z - lowest - n;
    return (1 - part) * values[static_cast<std::size_t>(n)] + part * values[static_cast<std::size_t>(n) + 1];
  }
  static constexpr double lowest = -2000;
  static constexpr int table = 9000;
  static std::string text(int parts) {
    auto const print = [&](double value) { return std::to_string(value / parts); };
    return "core = 'fdm'\n[grid]\nnx = " + std::to_string(12 * parts) +
           "\nny = " + std::to_string(10 * parts) + "\nnz = " + std::to_string(10 * parts) +
           "\ndx = " + print(1000) + "\ndy = " + print(700) + "\ndz = " + print(500) +
           "\n[base]\nkind = 'weisman_klemp'\nu = 4.0\nv = -3.0\nu_aloft = 12.0\n";
  }
  static fdm::Heights made_heights(fdm::Parameters const& p) {
    auto heights = p.heights();
    for (auto& level : heights.levels) level *= 1 + 0.2 * (level / lid - 1);
    heights.flat_above = lid;
    for (std::int32_t j = 0; terrain && j < p.ny; ++j) {
      for (std::int32_t i = 0; i < p.nx; ++i) {
        heights.ground.push_back(ground_height((i + 0.5) * p.dx, (j + 0.5) * p.dy));
      }
    }
    return heights;
  }
  HaloSteps steps_;
  std::deque<std::vector<double>> fields_;
  std::vector<double> exner_, humidity_;
};

/// log2 of the errors of `error(air)` on the two grids.
template <template <class> class Ground, class Error>
double order_of(Error const& error) {
  static SmoothAir<Ground> coarse(1), fine(2);
  auto const on = [&](SmoothAir<Ground>& air) {
    auto const size = error(air);
    air.forget();
    return size;
  };
  auto const first = on(coarse);
  return std::log2(first / on(fine));
}

}  // namespace ulpine::test
